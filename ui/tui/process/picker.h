/*
 * The list of processes with probes: the result of the scan, filtered, with a cursor, a search
 * and tags. No curses.
 */
#ifndef UI_TUI_PROCESS_PICKER_H
#define UI_TUI_PROCESS_PICKER_H

#include "ui/tui/process/scan.h"
#include "ui/tui/rows/filter.h"
#include "ui/tui/widgets/input.h"
#include "ui/tui/widgets/pattern.h"
#include "ui/tui/widgets/rowlist.h"
#include "ui/tui/widgets/search.h"

struct picker {
	bool used; /* the command line named no process */
	struct scan scan;
	struct rowlist rows; /* indices of scan.all */
	struct filter *filter;
	struct search search;
	bool changed;     /* since it was drawn */
	int64_t drawn_ms; /* when that was */
};

void picker_init(struct picker *p, const char *comm);
void picker_done(struct picker *p);

/* List the results of the scan, by pid. */
void picker_update(struct picker *p);
/* Set the filter. -1: `why` explains, and the old one stays. */
int picker_filter(struct picker *p, const char *text, char *why, size_t size);
/* Move to the first match at or after index `from` (direction 1), or at or before it (-1). False:
 * no match. */
bool picker_seek(struct picker *p, size_t from, int direction);

/* The process under the cursor, or NULL. */
const struct scan_process *picker_current(const struct picker *p);
/* The tagged processes in the list, else the one under the cursor. The caller frees the array. */
size_t picker_chosen(const struct picker *p, struct scan_identity **chosen);
/* Tag or untag it, and move down. */
void picker_tag(struct picker *p);
/* Tag all that are listed; untag all, listed or not. */
void picker_tag_shown(struct picker *p);
void picker_untag(struct picker *p);

#endif
