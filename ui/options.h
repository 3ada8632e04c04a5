/*
 * The command line: one table of options, and what a call asks for.
 *
 * Parsing, help texts, completions and the manual page are made from the table.
 */
#ifndef UI_OPTIONS_H
#define UI_OPTIONS_H

#include "probes.h"
#include "ui/actions.h"

/* What to do; bits, so that an option can name the verbs that take it. */
enum verb {
	VERB_SCREEN = 1 << 0, /* no verb was given */
	VERB_LIST = 1 << 1,
	VERB_INFO = 1 << 2,
	VERB_ATTACH = 1 << 3,
	VERB_TRACE = 1 << 4,
	VERB_REPAIR = 1 << 5,
	VERB_SETTING = 1 << 8, /* no verb: the option may stand in the config file */
};

enum format { FORMAT_UNSET, FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

/*
 * What a call asks for. Exactly one of pids, tree, comm and prog is set after
 * options_parse; on the screen none may be. Strings are those of argv, or belong to it
 * (options_done).
 */
struct options {
	enum verb verb;

	/* what to look at */
	pid_t *pids;
	size_t pid_count; /* 0: no -pid */
	pid_t tree;       /* 0: no -tree */
	const char *comm; /* NULL: no -comm */
	const char *prog; /* NULL: no -prog */
	bool follow;      /* the screen: children born later join */
	char **args;      /* what follows "--", NULL at the end; never NULL */

	/* what to do with it */
	struct actions actions; /* on the screen only together with -prog */
	const char *provider;
	const char *object;
	bool force;
	bool dry_run;
	bool read_only;
	bool wait; /* trace */
	bool stop;
	unsigned max_stop_ms; /* 0: not given */
	uint64_t for_ms;      /* switch back after so long; 0: not given */
	bool gigatext;

	/* how to say it */
	enum format format;
	bool quiet;
	bool verbose;
	const char *log; /* the file that every change is noted in, or NULL */
	bool no_syslog;

	/* the screen */
	bool hold;
	bool end_program;
	bool no_color;
	bool ascii;
	unsigned refresh_ms; /* 0: not given */
	uint64_t lease_ms;   /* 0: none */
	bool lease_given;

	unsigned hidden_columns; /* bits of enum column */
	bool mouse;
	const char *theme; /* "dark", "light", "mono", or NULL */

	uint64_t given;     /* bits: which rows of the option table the command line named */
	char *config;       /* text of the config file, which settings point into; or NULL */
	char mistake[1200]; /* the first one in it, to be shown; or "" */

	bool help;    /* -help: print it and do nothing else */
	bool version; /* -version */
};

/* One option. */
struct option_row {
	const char *name;     /* without dashes */
	const char *alias[2]; /* short spellings, or NULL */
	/*
	 * What its value is called in texts, or NULL: takes none. Completions go by it: "N" or
	 * "N[,N]" is a process, "NAME" a process's name, "FILE" a file, "a|b" is one of these
	 * words.
	 */
	const char *argument;
	unsigned verbs;   /* bits of enum verb: who takes it; VERB_SETTING */
	const char *help; /* one line */
	/* How it is stored: a bool or const char * at this offset of struct options, or take. */
	size_t offset;
	int (*take)(struct options *o, const struct option_row *row, const char *value,
		struct probes_error *e);
};

/* One verb; the name of VERB_SCREEN is "". */
struct verb_row {
	enum verb verb;
	const char *name;
	const char *usage; /* what follows the program's name in a call */
	const char *help;  /* one line */
};

extern const struct option_row options_table[];
extern const size_t options_table_count;
extern const struct verb_row verbs_table[];
extern const size_t verbs_table_count;

/*
 * Understand a command line. 0, or -EINVAL with status PROBES_USAGE and the
 * verb's usage line as the hint. Where help or version is set nothing else was
 * checked. Call options_done in either case.
 */
PROBES_CHECK int options_parse(int argc, char **argv, struct options *o, struct probes_error *e);
/*
 * One setting, as the config file has it: name without dashes, for a flag yes
 * or no. Nothing happens if the command line gave it, or the verb does not take it.
 */
PROBES_CHECK int options_set(
	struct options *o, const char *name, const char *value, struct probes_error *e);
void options_done(struct options *o);

const struct verb_row *options_verb(enum verb verb);

/* Whether a call may be about several processes: then each line says about which. */
bool options_many(const struct options *o);

/* The part of the options that probes_switch takes. */
struct probes_switch_options options_switch(const struct options *o);

#endif
