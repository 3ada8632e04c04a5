/*
 * The list of processes that hold probes: what of the scan is shown, filtered,
 * with a cursor and a search. No curses.
 */
#ifndef UI_TUI_PROCESS_PICKER_H
#define UI_TUI_PROCESS_PICKER_H

#include "ui/tui/process/scan.h"
#include "ui/tui/rows/filter.h"
#include "ui/tui/widgets/input.h"
#include "ui/tui/widgets/pattern.h"
#include "ui/tui/widgets/rowlist.h"

struct picker {
	bool used; /* no process was given */
	struct scan scan;
	struct rowlist rows; /* numbers of processes in the scan */
	struct filter *filter;
	char filter_text[INPUT_SIZE];
	struct pattern *search; /* NULL: none */
	char search_text[INPUT_SIZE];
	bool changed;     /* since it was drawn */
	int64_t drawn_ms; /* when that was */
};

void picker_init(struct picker *p, const char *comm);
void picker_done(struct picker *p);

/* Show what the scan has found: by pid. */
void picker_update(struct picker *p);
/* 0, or -1 and why: then it stays as it was. */
int picker_filter(struct picker *p, const char *text, char *why, size_t size);
int picker_search(struct picker *p, const char *text, char *why, size_t size);
/* Go to the next (+1) or previous (-1) match from a place in the list; false: none. */
bool picker_seek(struct picker *p, size_t from, int direction);

/* The process under the cursor, or NULL. */
const struct scan_process *picker_current(const struct picker *p);
/* Those tagged and shown, else the one under the cursor; the array is the caller's. */
size_t picker_chosen(const struct picker *p, struct scan_identity **chosen);
void picker_tag(struct picker *p);

#endif
