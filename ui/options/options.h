/*
 * The command line: the tables of verbs and options, and the result of parsing.
 *
 * Parser, help texts, completions and the manual page are generated from the tables.
 */
#pragma once

#include "probes.h"
#include "ui/options/verbs.h"

/* These write what a verb says value by value (ui/output/emit.h); most verbs accept all of them. */
#define FORMATS_EMITTED(X) X(JSON, json) X(CSV, csv)
#define FORMATS(X) X(TEXT, text) FORMATS_EMITTED(X) X(CHROME, chrome)

enum format {
	FORMAT_UNSET,
#define FORMAT_NUMBER(NAME, name) FORMAT_##NAME,
	FORMATS(FORMAT_NUMBER)
#undef FORMAT_NUMBER
		FORMATS_COUNT
};

/* The ACTIONS of a command line (-enable, -disable-regexp, ...), in the order given. All zero is an
 * empty list. actions_done frees the texts. */
struct actions {
	struct probes_action *items;
	size_t count;
	const char *group; /* the first option; it decides which group this call uses; NULL: none
			      yet, or words that are no option */
};

#define OOM_SCORE_TEXT 16

/*
 * The parsed command line. options_parse sets exactly one of pids, tree, comm and prog; for
 * the screen at most one. Strings point into argv or into `config`.
 */
struct options {
	enum verb verb;

	/* what to look at */
	pid_t *pids;
	size_t pid_count; /* 0: no -pid */
	pid_t tree;       /* 0: no -tree */
	const char *comm; /* NULL: no -comm */
	const char *prog; /* NULL: no -prog */
	bool follow;      /* screen: add children forked later */
	char **args;      /* the words after "--", NULL-terminated; never NULL */

	/* what to do with it */
	struct actions actions; /* on the screen only together with -prog; count: its PROBES;
				   latency: its pair; histogram: its probe */
	const char *provider;
	const char *object;
	bool force;
	bool dry_run;
	bool read_only;
	bool wait; /* trace */
	bool stop;
	bool kernel;
	unsigned max_stop_ms;  /* 0: not given */
	uint64_t for_ms;       /* undo after this time; 0: not given */
	unsigned by;           /* latency: match by this argument; 0: by thread */
	unsigned argument;     /* histogram, replay: of this one; 0: none is named */
	unsigned texts;        /* events: arguments that are texts, as bits (bit 0: arg1) */
	const char *filter;    /* events: only these; NULL: all */
	const char *record;    /* events, latency: keep them in this file; NULL: do not */
	const char *recording; /* replay: the file */
	struct actions pair;   /* replay: the pair of -latency */
	bool callers;          /* events: print the callers; replay: count them */
	bool stacks;           /* callers: of all functions that are open */
	unsigned most;         /* events: end after so many; 0: no end */
	double max_overhead;   /* of a probe that is counted, per cent of one core; 0: no limit */
	bool gigatext;
	/* For started programs, set by main: */
	unsigned long files;            /* soft RLIMIT_NOFILE; 0: inherit */
	char oom_score[OOM_SCORE_TEXT]; /* oom_score_adj; "": inherit */

	/* how to print it */
	enum format format;
	bool quiet;
	bool verbose;
	const char *log;      /* the audit file, or NULL */
	const char *output;   /* of what is measured: its file; NULL: standard output or error */
	uint64_t interval_ms; /* count, latency, histogram: between two tables; 0: not given */
	bool no_syslog;

	/* the screen */
	int launcher_ms; /* how long a started launcher is followed */
	bool hold;
	bool end_program;
	bool no_color;
	bool ascii;
	unsigned refresh_ms; /* 0: not given */
	uint64_t lease_ms;   /* 0: none */
	bool lease_given;
	bool count; /* count the hits of every probe from the start */

	unsigned hidden_columns; /* bits of enum column */
	bool mouse;
	const char *theme; /* "dark", "light", "mono", or NULL */

	uint64_t given;          /* bits: rows of options_table that the command line set */
	char *config;            /* text of the configuration file, owned; or NULL */
	char config_error[1200]; /* the first error in it, to be shown; or "" */

	bool help;    /* -help: print it and do nothing else */
	bool version; /* -version */
};

struct option_value;

/* One option. */
struct option_row {
	const char *name; /* without dashes */
	/*
	 * Placeholder of the value in help texts; NULL: the option takes none. Completions depend
	 * on it (the table of ui/cli/complete.c): "N" or "N[,N]" is a process, "FILE" a file,
	 * "P[,P]" are probes, "a|b" is one of these words, and so on.
	 */
	const char *argument;
	unsigned verbs;   /* bits of enum verb: where it is accepted */
	const char *help; /* one line */
	/* Destination: a bool or const char * at this offset of struct options; or call take. */
	size_t offset;
	int (*take)(const struct option_value *v);
	const char *alias[2]; /* short spellings, or NULL */
};

/* What is given for an option. */
struct option_value {
	struct options *o;
	const struct option_row *row;
	const char *text;
	struct probes_error *e;
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
 * Parse a command line. 0, or -EINVAL with status PROBES_USAGE and the verb's usage line as
 * the hint. With -help or -version nothing else is checked. Call options_done in either case.
 */
PROBES_CHECK int options_parse(int argc, char **argv, struct options *o, struct probes_error *e);
/*
 * Read an unfinished command line, for completion: what it says already goes into *o, mistakes are
 * passed over. Returns the option whose value the last word is; or NULL: the last word is an
 * option, a verb or, where *ended, an argument of the program. *value is where that value, or else
 * that word, begins. Call options_done.
 */
const struct option_row *options_unfinished(
	int argc, char **argv, struct options *o, const char **value, bool *ended);
/*
 * Apply one line of the configuration file: the option's name without dashes; the value, yes or no
 * for a flag. Checked, but ignored if the command line set the option, or the verb does not accept
 * it.
 */
PROBES_CHECK int options_set(
	struct options *o, const char *name, const char *value, struct probes_error *e);
/* Set read-only, unless the command line set it or the verb does not accept it: false. */
bool options_forbid(struct options *o);
void options_done(struct options *o);

const struct verb_row *options_verb(enum verb verb);

/* Can the call affect several processes? Then each message names its process. */
bool options_many(const struct options *o);

/* Are its processes the result of a search? */
bool options_search(const struct options *o);

/* The options for probes_switch. */
struct probes_switch_options options_switch(const struct options *o);

/* The argv of the program to start: prog, then args. Free the array only. NULL: no memory. */
char **options_program(const struct options *o);

/*
 * Add the actions of one option. "option" is its name without dash, for error
 * texts; it must outlive the list; NULL: probes named by a word that is no option. The value is a
 * comma separated list of names (PROBES_BY_NAME), two names (PROBES_BY_PAIR), an expression
 * (PROBES_BY_REGEXP) or NULL (PROBES_BY_ALL). PROBES_USAGE errors: options of two
 * groups in one call, a second expression for one verb, empty names, equal names in a pair.
 */
PROBES_CHECK int actions_add(struct actions *a, const char *option, enum probes_verb verb,
	enum probes_by by, const char *value, struct probes_error *e);
/* Check the whole list: no name appears twice. */
PROBES_CHECK int actions_check(const struct actions *a, struct probes_error *e);
void actions_done(struct actions *a);

/*
 * Whom the kernel kills when memory runs out, in a memory cgroup or on the machine: us, before any
 * process that we look at (proc_pid_oom_score_adj(5)). The last resort, after the engine's checks
 * of the room that is left. Our score becomes the highest. `before`: what it was, for those that we
 * start; "": it is unchanged.
 */
void oom_score_raise(char before[OOM_SCORE_TEXT]);
/* For a forked child of ours on which a program depends. */
void oom_score_put_back(const char *before);
