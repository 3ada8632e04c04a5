/* Operations and selections as equivalent command lines of `probes-tui attach`. */
#ifndef UI_TUI_OPERATIONS_COMMAND_H
#define UI_TUI_OPERATIONS_COMMAND_H

#include "ui/tui/operations/operation.h"

#define COMMAND_HEAD "probes-tui attach -pid "

/*
 * The command lines for what an operation has done; for switching rows. Each line is COMMAND_HEAD
 * "PID[,PID] ..."; "" if there is nothing to do. The caller frees the text.
 */
char *command_of_operation(const struct model *m, const struct operation *o);
char *command_of_rows(
	const struct model *m, const uint32_t *ids, size_t count, enum probes_verb verb);

#endif
