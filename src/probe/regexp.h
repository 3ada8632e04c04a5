/*
 * Regular expressions as ocaml-probes users write them (OCaml's Str) and as
 * everybody else does, by PCRE2. Pure.
 */
#ifndef PROBE_REGEXP_H
#define PROBE_REGEXP_H

#include "probes.h"

struct regexp;

/*
 * Compile; a match must begin at the first character. Str's \|, \( and \) are the same as
 * |, ( and ). Status PROBES_USAGE with the place where it went wrong.
 */
int regexp_compile(const char *text, struct regexp **regexp, struct probes_error *e);
void regexp_free(struct regexp *regexp);

/*
 * 1: matches, 0: not, negative errno: given up (-E2BIG: more steps than a name is worth).
 */
int regexp_match(struct regexp *regexp, const char *subject);

#endif
