/* What the two units of the loop victims share: the records of probes that have sites in both. */
#ifndef VICTIM_LOOP_H
#define VICTIM_LOOP_H

#include "ocaml_probe.h"
#include "record.h"

OCAML_HANDLER void handle_multi(long x, long y);

/* The second unit's sites of `multi` (numbers 4 and 5), and its own probe `second`. */
void unit2_round(long n);

extern struct record second_record;

#endif
