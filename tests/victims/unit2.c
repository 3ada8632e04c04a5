/*
 * The second compilation unit of the loop victims: two more sites of `multi`, whose semaphore is
 * this unit's own for provider `ocaml` and the first unit's for all later ones, and a probe that
 * only this unit has.
 */
#include "loop.h"

struct record second_record = {.name = "second"};

OCAML_PROBE_DEFINE(multi);
OCAML_PROBE_DEFINE(second);

OCAML_HANDLER void handle_second(long x, long y)
{
	record_hit(&second_record, x, y);
}

OCAML_ONCE void unit2_round(long n)
{
	OCAML_PROBE_HIT(multi, n, 4);
	OCAML_PROBE_HIT(second, n, 1);
	OCAML_PROBE_HIT(multi, n, 5);
}
