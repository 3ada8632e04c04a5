/*
 * A shared library with OCaml probes: one hit by its constructor, one with two sites, and one named
 * like a probe of the programs that use it. It calls nothing of the program.
 */
#include "libvictim.h"

#include "ocaml_probe.h"

static struct record ctor_record = {.name = "lib_ctor"};
static struct record work_record = {.name = "lib_work"};
static struct record first_record = {.name = "first"};

OCAML_PROBE_DEFINE(lib_ctor);
OCAML_PROBE_DEFINE(lib_work);
OCAML_PROBE_DEFINE(first);

OCAML_HANDLER void handle_lib_ctor(long x, long y)
{
	record_hit(&ctor_record, x, y);
}

OCAML_HANDLER void handle_lib_work(long x, long y)
{
	record_hit(&work_record, x, y);
}

OCAML_HANDLER void handle_first(long x, long y)
{
	record_hit(&first_record, x, y);
}

OCAML_ONCE __attribute__((constructor)) static void lib_ctor(void)
{
	OCAML_PROBE_HIT(lib_ctor, 0, 1);
}

OCAML_ONCE static void lib_round(long n)
{
	OCAML_PROBE_HIT(lib_work, n, 1);
	OCAML_PROBE_HIT(first, n, 1);
	OCAML_PROBE_HIT(lib_work, n, 2);
}

const struct libvictim *libvictim(void)
{
	static struct record *const records[] = {&ctor_record, &work_record, &first_record};
	static const struct libvictim lib = {lib_round, records, sizeof records / sizeof *records};

	return &lib;
}
