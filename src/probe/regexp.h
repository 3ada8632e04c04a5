/* Regular expressions in the syntax of PCRE2 and in that of OCaml's Str. Pure. */
#pragma once

#include "probes.h"

struct regexp;

/*
 * Compile an expression. anchored: it must match from the first character on. Str's \|, \( and \)
 * mean
 * |, ( and ). A syntax error has status PROBES_USAGE and names the character.
 */
int regexp_compile(const char *text, bool anchored, struct regexp **regexp, struct probes_error *e);
void regexp_free(struct regexp *regexp);

/* 1: it matches; 0: it does not; -E2BIG: the match needed too many steps. */
int regexp_match(struct regexp *regexp, const char *subject);
