/* Probes as lines for people and for grep. */
#ifndef UI_CLI_TEXT_H
#define UI_CLI_TEXT_H

#include "ui/rows.h"

/* A line per probe and per site, and a summary; with -quiet lines of probes only. */
extern const struct format_ops text_ops;
/* A line per probe, sorted by name: "NAME enabled". */
extern const struct format_ops text_info_ops;

#endif
