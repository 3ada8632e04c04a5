/* What interrupted sessions left in a process: finding it, and saying so. Undoing it is repair's.
 */
#ifndef UI_CLI_LEFTOVERS_H
#define UI_CLI_LEFTOVERS_H

#include "ui/targets.h"

/*
 * Say, a line for each, which sessions were killed and left changes in this process, and how to
 * undo them. Says nothing where there are none.
 */
void leftovers_report(const struct target *t);

#endif
