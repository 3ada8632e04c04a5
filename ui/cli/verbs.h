/* The verbs of the command line. Each carries out a whole call and returns the exit status. */
#ifndef UI_CLI_VERBS_H
#define UI_CLI_VERBS_H

#include "ui/options/options.h"

int list_run(const struct options *o);
int info_run(const struct options *o);
int attach_run(const struct options *o);
int trace_run(const struct options *o);
int repair_run(const struct options *o);
int latency_run(const struct options *o);
int events_run(const struct options *o);
int histogram_run(const struct options *o);
int callers_run(const struct options *o);
int stacks_run(const struct options *o); /* callers -stack */
int count_run(const struct options *o);
int replay_run(const struct options *o);
int questions_run(const struct options *o);

/*
 * What could stand at the end of an unfinished command line, for the scripts in completions/; not
 * in the table of verbs, since people do not call it. argv[1...]: see complete.c.
 */
int complete_run(int argc, char **argv);

#endif
