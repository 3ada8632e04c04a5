/* Probes as lines for people and for grep. */
#ifndef UI_CLI_TEXT_H
#define UI_CLI_TEXT_H

#include "ui/rows.h"

/* A line a probe, below it a line a site, at the end a summary; with quiet the probes only. */
extern const struct format_ops text_ops;
/* A line a probe, sorted by name: "NAME enabled". */
extern const struct format_ops text_info_ops;

#endif
