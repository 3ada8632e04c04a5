/* The verbs of the command line. Each carries out a whole call and returns the exit status. */
#pragma once

#include "ui/options/options.h"

#define VERB_RUN(NAME, name, ...) int name##_run(const struct options *o);
VERBS(VERB_RUN)
#undef VERB_RUN
int stacks_run(const struct options *o); /* callers -stack */

/*
 * What could stand at the end of an unfinished command line, for the scripts in completions/; not
 * in the table of verbs, since people do not call it. argv[1...]: see complete.c.
 */
int complete_run(int argc, char **argv);
