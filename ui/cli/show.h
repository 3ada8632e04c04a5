/* What list and info have in common: print the probes of each target. */
#ifndef UI_CLI_SHOW_H
#define UI_CLI_SHOW_H

#include "ui/rows.h"

struct show_style {
	const struct format_ops *text; /* the form of -format text */
	bool states_needed;            /* no output where the states cannot be read */
};

/* Returns the exit status. */
int show_run(const struct options *o, const struct show_style *style);

#endif
