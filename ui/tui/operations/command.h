/* What was done, or is chosen, as command lines of `probes-tui attach` that do the same. */
#ifndef UI_TUI_OPERATIONS_COMMAND_H
#define UI_TUI_OPERATIONS_COMMAND_H

#include "ui/tui/operations/operation.h"

#define COMMAND_HEAD "probes-tui attach -pid "

/*
 * Lines, each COMMAND_HEAD "PID[,PID] ..."; "" where there is nothing to do.
 * The text is the caller's.
 */
char *command_of_deed(const struct model *m, const struct operation *d);
char *command_of_rows(
	const struct model *m, const uint32_t *ids, size_t count, enum probes_verb verb);

#endif
