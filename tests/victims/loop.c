/*
 * The loop victims: OCaml probes of one generation (OCAML_GENERATION), of every kind that the
 * engine must tell apart. LOOP_CONSTRUCTOR adds a probe hit before main, LOOP_LIBRARY the probes of
 * libvictim. The handlers only record; see README.md for what is printed.
 */
#include "loop.h"
#include "drive.h"
#include "layout.h"
#include "libuse.h"
#include "registers.h"

#include <stdio.h>

OCAML_PROBE_DEFINE(first);
OCAML_PROBE_DEFINE(multi);
OCAML_PROBE_DEFINE(work_start);
OCAML_PROBE_DEFINE(work_end);
OCAML_PROBE_DEFINE(never);

static struct record first_record = {.name = "first"};
static struct record multi_record = {.name = "multi"};
static struct record start_record = {.name = "work_start"};
static struct record end_record = {.name = "work_end"};
static struct record never_record = {.name = "never"};

OCAML_HANDLER void handle_first(long x, long y)
{
	record_hit(&first_record, x, y);
}

OCAML_HANDLER void handle_multi(long x, long y)
{
	record_hit(&multi_record, x, y);
}

OCAML_HANDLER void handle_work_start(long x, long y)
{
	record_start();
	record_hit(&start_record, x, y);
}

OCAML_HANDLER void handle_work_end(long x, long y)
{
	record_hit(&end_record, x, y);
	record_end();
}

OCAML_HANDLER void handle_never(long x, long y)
{
	record_hit(&never_record, x, y);
}

OCAML_ONCE static void hit_first(long n)
{
	OCAML_PROBE_HIT(first, n, 1);
}

OCAML_ONCE static void hit_multi(long n)
{
	OCAML_PROBE_HIT(multi, n, 1);
	OCAML_PROBE_HIT(multi, n, 2);
	OCAML_PROBE_HIT(multi, n, 3);
}

OCAML_ONCE static void hit_pair(long n)
{
	OCAML_PROBE_HIT(work_start, n, 1);
	OCAML_PROBE_HIT(work_end, n, 1);
	record_activity_over();
}

OCAML_ONCE static void hit_never(long n)
{
	OCAML_PROBE_HIT(never, n, 1);
}

#if OCAML_GENERATION == 1 || OCAML_GENERATION == 2
static struct record from_start_record = {.name = "from_start"};

OCAML_PROBE_DEFINE_ON(from_start);

OCAML_HANDLER void handle_from_start(long x, long y)
{
	record_hit(&from_start_record, x, y);
}

OCAML_ONCE static void hit_from_start(long n)
{
	OCAML_PROBE_HIT_ON(from_start, n, 1);
}
#endif

#if OCAML_GENERATION == 3
static struct record sema_only_record = {.name = "sema_only"};

OCAML_SEMAPHORE_DEFINE(sema_only);

OCAML_ONCE static void hit_sema_only(long n)
{
	if (OCAML_PROBE_IS_ENABLED(sema_only))
		record_hit(&sema_only_record, n, 1);
}
#endif

#ifdef LOOP_CONSTRUCTOR
static struct record exe_ctor_record = {.name = "exe_ctor"};

OCAML_PROBE_DEFINE(exe_ctor);

OCAML_HANDLER void handle_exe_ctor(long x, long y)
{
	record_hit(&exe_ctor_record, x, y);
}

OCAML_ONCE __attribute__((constructor)) static void exe_ctor(void)
{
	OCAML_PROBE_HIT(exe_ctor, 0, 1);
}
#endif

static struct record *const records[] = {
	&first_record,
	&multi_record,
	&second_record,
	&start_record,
	&end_record,
	&registers_record,
	&never_record,
#if OCAML_GENERATION == 1 || OCAML_GENERATION == 2
	&from_start_record,
#elif OCAML_GENERATION == 3
	&sema_only_record,
#endif
#ifdef LOOP_CONSTRUCTOR
	&exe_ctor_record,
#endif
};

static void loop_round(long n)
{
	hit_first(n);
	hit_multi(n);
	unit2_round(n);
	hit_pair(n);
	record_corrupt(register_check());
#if OCAML_GENERATION == 1 || OCAML_GENERATION == 2
	hit_from_start(n);
#elif OCAML_GENERATION == 3
	hit_sema_only(n);
#endif
#ifdef LOOP_LIBRARY
	libuse_round(n);
#endif
}

static void loop_report(void)
{
	record_print("", records, sizeof records / sizeof *records);
#ifdef LOOP_LIBRARY
	libuse_report();
#endif
	record_print_check();
}

static int loop_command(const char *line)
{
#ifdef LOOP_LIBRARY
	if (libuse_command(line))
		return 1;
#endif
	return layout_command(line);
}

static const struct drive_ops loop_ops = {
	.round = loop_round,
	.report = loop_report,
	.events = record_print_events,
	.command = loop_command,
};

int main(int argc, char **argv)
{
	/* Never true, and gcc cannot know: the probe is compiled and never hit. */
	if (argc < 0)
		hit_never(argc);
	return drive(argc, argv, &loop_ops);
}
