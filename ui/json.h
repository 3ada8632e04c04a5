/* Probes as JSON, in the one shape that probes-tui(1) describes. */
#ifndef UI_JSON_H
#define UI_JSON_H

#include "ui/rows.h"

/* One object for one process; an array of such objects for several. */
extern const struct format_ops json_ops;

#endif
