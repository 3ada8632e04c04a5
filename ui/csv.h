/* Probes as CSV: a header line, then one row per probe (RFC 4180 quoting, lines end with LF). */
#ifndef UI_CSV_H
#define UI_CSV_H

#include "ui/rows.h"

extern const struct format_ops csv_ops;

#endif
