/*
 * The program: reads the command line and hands over to a verb or the screen.
 *
 * Owns what must hold before anything else is opened (locale, descriptors 0 to
 * 2, the limit on descriptors). Nothing else includes both faces.
 */
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ui/cli/verbs.h"
#include "ui/config.h"
#include "ui/limits.h"
#include "ui/options.h"
#include "ui/report.h"
#include "ui/tui/tui.h"
#include "ui/usage.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "(unknown)"
#endif

/*
 * A file that is opened while 0, 1 or 2 is closed would take its number and be
 * written over by messages. Opened so that using it is still the error it was.
 */
static void keep_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

/*
 * A screen stays for hours: what reading a large file takes for a moment goes back to the system:
 * glibc would keep up to 64 MiB of it once it has seen a large block freed (mallopt(3),
 * M_MMAP_THRESHOLD).
 */
static void keep_memory_small(void)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, 1 << 17);
	mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
}

/*
 * A listing ends soon: memory that one step gave back serves the next, which would have to wait for
 * pages of zeros from the kernel otherwise.
 */
static void keep_memory(void)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, 1 << 25);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	mallopt(M_TOP_PAD, 1 << 20);
#endif
}

static int say(const struct options *o)
{
	if (o->version)
		puts("probes-tui " PACKAGE_VERSION);
	else
		usage_print(stdout, o->verb);
	if (fflush(stdout) == 0)
		return PROBES_OK;
	report_line("cannot write the output");
	return PROBES_FAILED;
}

/* The screen needs a terminal; a pipe gets the list. */
static int screen_or_list(struct options *o)
{
	if (isatty(STDOUT_FILENO)) {
		keep_memory_small();
		return tui_run(o);
	}
	if (o->actions.count) {
		report_line("standard output is no terminal: actions need the screen; "
			    "call probes-tui attach or probes-tui trace");
		return PROBES_USAGE;
	}
	if (!o->pid_count && !o->tree && !o->comm && !o->prog) {
		report_line("nothing to do: no process or program is named, and standard output "
			    "is no terminal to choose one on; probes-tui -help tells more");
		return PROBES_USAGE;
	}
	o->verb = VERB_LIST;
	return list_run(o);
}

static int run(struct options *o)
{
	if (o->gigatext && !o->quiet)
		report_line("-gigatext is not needed: text on huge pages is found by itself");
	switch (o->verb) {
	case VERB_LIST:
		keep_memory();
		return list_run(o);
	case VERB_INFO:
		keep_memory();
		return info_run(o);
	case VERB_ATTACH:
		return attach_run(o);
	case VERB_TRACE:
		return trace_run(o);
	case VERB_REPAIR:
		return repair_run(o);
	default:
		return screen_or_list(o);
	}
}

/* A mistake in the config file is said, and the first one shown; it stops nothing. */
static void say_mistake(void *data, const char *text)
{
	struct options *o = data;

	if (!o->mistake[0])
		snprintf(o->mistake, sizeof o->mistake, "%s", text);
	report_line("%s", text);
}

int main(int argc, char **argv)
{
	struct options o;
	struct probes_error e;
	int status;

	keep_standard_descriptors();
	limits_raise();
	setlocale(LC_ALL, "");
	if (options_parse(argc, argv, &o, &e) < 0) {
		report_error(&e);
		status = (int)e.status;
	} else {
		if (!o.help && !o.version)
			config_read(&o, say_mistake, &o);
		status = o.help || o.version ? say(&o) : run(&o);
	}
	options_done(&o);
	return status;
}
