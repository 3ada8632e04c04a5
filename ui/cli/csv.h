/* Probes as CSV: a header line, then one row per probe (RFC 4180 quoting, lines end with LF). */
#ifndef UI_CLI_CSV_H
#define UI_CLI_CSV_H

#include "ui/cli/rows.h"

extern const struct sheet_ops csv_ops;

#endif
