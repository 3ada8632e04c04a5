/*
 * The program: parses the command line and runs a verb or the screen.
 *
 * Owns the help text and the process-wide settings that precede everything else:
 * locale, descriptors 0 to 2, RLIMIT_NOFILE, oom_score_adj, malloc. The only file that includes
 * both faces.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ui/cli/verbs.h"
#include "ui/options/config.h"
#include "ui/options/options.h"
#include "ui/tui/tui.h"
#include "ui/words/report.h"

/* Generated from the tables, so that no verb or option is missing. */
static void print_help(enum verb verb)
{
	/* The screen's is that of all verbs. */
	const char *usage = verb == VERB_SCREEN ? "ACTIONS PROBES" : options_verb(verb)->usage;

	if (verb == VERB_SCREEN) {
		puts("See and switch the statically defined probes of live processes.\n");
		for (size_t i = 0; i < verbs_table_count; i++)
			printf("  probes-tui %s\n      %s\n", verbs_table[i].usage,
				verbs_table[i].help);
		puts("\nprobes-tui VERB -help shows the options of one verb.");
	} else {
		printf("usage: probes-tui %s\n%s\n", options_verb(verb)->usage,
			options_verb(verb)->help);
	}
	printf("\nOptions%s:\n", verb == VERB_SCREEN ? " of the screen" : "");
	for (size_t i = 0; i < options_table_count; i++) {
		const struct option_row *row = &options_table[i];
		int n;

		if (!(row->verbs & verb))
			continue;
		n = printf("  -%s", row->name);
		for (size_t j = 0; j < 2 && row->alias[j]; j++)
			n += printf(", -%s", row->alias[j]);
		if (row->argument)
			n += printf(" %s", row->argument);
		printf("%*s%s\n", n < 24 ? 24 - n : 2, "", row->help);
	}
	putchar('\n');
	if (strstr(usage, "ACTIONS"))
		puts("ACTIONS are the -enable... and -disable... options.");
	if (strstr(usage, "PROBES"))
		puts("PROBES are names, -all or -regexp.");
	puts("-opt and --opt mean the same; a value follows as -opt VALUE or -opt=VALUE; --\n"
	     "ends the options. A probe is spelled provider:name, or name alone.\n"
	     "\nExit status: 0 done; 1 done in part or failed; 2 usage, unknown probe, bad\n"
	     "expression or pair; 3 no such target, or no probes in it; 4 not permitted; 5 the\n"
	     "target went away; 6 refused for safety.");
}

static int run(struct options *o)
{
	if (o->gigatext && !o->quiet)
		report_line(
			"-gigatext is not needed: text on huge pages is detected automatically");
	if (o->verb == VERB_SCREEN && !isatty(STDOUT_FILENO)) {
		if (o->actions.count) {
			report_line("standard output is not a terminal: actions need the screen; "
				    "call probes-tui attach or probes-tui trace");
			return PROBES_USAGE;
		}
		if (!o->pid_count && !o->tree && !o->comm && !o->prog) {
			report_line(
				"nothing to do: no process or program is named, and standard "
				"output is not a terminal to choose one on; see probes-tui -help");
			return PROBES_USAGE;
		}
		o->verb = VERB_LIST;
	}
#ifdef M_MMAP_THRESHOLD
	/*
	 * The screen runs for hours: return freed memory to the system. By default glibc keeps up
	 * to 64 MiB once a large block was freed (mallopt(3), M_MMAP_THRESHOLD). A listing ends
	 * soon: keep freed memory, so that the next step does not fault in zeroed pages.
	 */
	if (o->verb == VERB_SCREEN) {
		mallopt(M_MMAP_THRESHOLD, 1 << 17);
		mallopt(M_TRIM_THRESHOLD, 1 << 20);
	} else if (o->verb & (VERB_LIST | VERB_INFO)) {
		mallopt(M_MMAP_THRESHOLD, 1 << 25);
		mallopt(M_TRIM_THRESHOLD, 1 << 30);
		mallopt(M_TOP_PAD, 1 << 20);
	}
#endif
	switch (o->verb) {
#define VERB_CASE(NAME, name, ...) \
	case VERB_##NAME:          \
		return name##_run(o);
		VERBS(VERB_CASE)
#undef VERB_CASE
	default:
		return tui_run(o);
	}
}

/* A bare replay on a terminal is for the screen; anything else that is asked for is printed. */
static bool replays_on_screen(const struct options *o)
{
	const char *terminal = getenv("TERM");
	struct stat st;

	return o->verb == VERB_REPLAY && !o->actions.count && !o->pair.count && !o->filter &&
	       !o->argument && !o->callers && !o->provider && !o->object && !o->most &&
	       !o->output && !o->quiet && !o->verbose && o->format == FORMAT_UNSET &&
	       isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && terminal &&
	       strcmp(terminal, "dumb") != 0 && stat(o->recording, &st) == 0 && S_ISREG(st.st_mode);
}

/* Errors in the configuration file do not stop the program; the screen shows the first one. */
static void report_config_error(void *data, const char *text)
{
	struct options *o = data;

	if (!o->config_error[0])
		snprintf(o->config_error, sizeof o->config_error, "%s", text);
	report_line("%s", text);
}

int main(int argc, char **argv)
{
	struct options o;
	struct probes_error e;
	struct rlimit limit;
	unsigned long files = 0;
	char oom_score[OOM_SCORE_TEXT];
	int status = PROBES_OK;

	/*
	 * A file opened while 0, 1 or 2 is closed would take its number, and messages would
	 * overwrite it. The placeholders have the opposite mode, so that using them still fails.
	 */
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
	oom_score_raise(oom_score);
	/*
	 * Many processes need more than the usual 1,024 descriptors. Programs that probes-tui
	 * starts get the original limit: select(2) breaks beyond 1023 (systemd, "File Descriptor
	 * Limits").
	 */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != limit.rlim_max) {
		files = (unsigned long)limit.rlim_cur;
		limit.rlim_cur = limit.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
			files = 0;
	}
	setlocale(LC_ALL, "");
	if (argc > 1 && !strcmp(argv[1], "complete"))
		return complete_run(argc - 1, argv + 1);
	report_call(argc, argv);
	if (options_parse(argc, argv, &o, &e) < 0) {
		status = report_error(&e);
	} else if (o.help || o.version) {
		/* One write, whose errno is not lost. */
		setvbuf(stdout, NULL, _IOFBF, 1 << 16);
		if (o.version)
			puts("probes-tui " PROBES_VERSION);
		else
			print_help(o.verb);
		if (fflush(stdout) != 0)
			status = report_unwritten("the output", errno);
	} else {
		o.files = files;
		memcpy(o.oom_score, oom_score, sizeof o.oom_score);
		if (replays_on_screen(&o))
			o.verb = VERB_SCREEN;
		config_read(&o, report_config_error, &o);
		status = run(&o);
	}
	options_done(&o);
	return status;
}
