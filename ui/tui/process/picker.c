/*
 * The choice of processes: listed, current, tagged.
 */
#include "ui/tui/process/picker.h"

#include "ui/tui/terminal/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void picker_init(struct picker *p, const char *comm)
{
	char why[8];

	memset(p, 0, sizeof *p);
	p->used = true;
	p->scan.comm = comm;
	rowlist_init(&p->rows);
	p->filter = filter_parse("", why, sizeof why);
}

void picker_done(struct picker *p)
{
	if (!p->used)
		return;
	scan_done(&p->scan);
	rowlist_done(&p->rows);
	filter_free(p->filter);
	search_done(&p->search);
	memset(p, 0, sizeof *p);
}

static int picker_compare(const void *a, const void *b, void *data)
{
	const struct scan_process *all = data;
	pid_t x = all[*(const uint32_t *)a].id.pid, y = all[*(const uint32_t *)b].id.pid;

	return (x > y) - (x < y);
}

void picker_update(struct picker *p)
{
	uint32_t *ids = mem_array(p->scan.count, sizeof *ids);
	size_t count = 0;

	for (size_t i = 0; i < p->scan.count; i++) {
		const struct scan_process *one = &p->scan.all[i];
		struct filter_subject subject = {.text = one->all,
			.provider = "",
			.object = one->command,
			.tagged = one->tagged};

		if (!one->gone && one->kind == SCAN_PROBES && filter_match(p->filter, &subject))
			ids[count++] = (uint32_t)i;
	}
	qsort_r(ids, count, sizeof *ids, picker_compare, p->scan.all);
	rowlist_set(&p->rows, ids, count);
	free(ids);
}

int picker_filter(struct picker *p, const char *text, char *why, size_t size)
{
	if (filter_replace(&p->filter, text, why, size) < 0)
		return -1;
	picker_update(p);
	return 0;
}

static const char *picker_line(const void *data, size_t i)
{
	const struct picker *p = data;

	return p->scan.all[p->rows.ids[i]].all;
}

bool picker_seek(struct picker *p, size_t from, int direction)
{
	size_t at = search_next(&p->search, p->rows.count, from, direction, picker_line, p);

	if (at < p->rows.count)
		rowlist_to(&p->rows, at);
	return at < p->rows.count;
}

const struct scan_process *picker_current(const struct picker *p)
{
	uint32_t id = rowlist_current(&p->rows);

	return id == ROWLIST_NONE ? NULL : &p->scan.all[id];
}

size_t picker_chosen(const struct picker *p, struct scan_identity **chosen)
{
	const struct scan_process *current = picker_current(p);
	size_t count = 0;

	*chosen = mem_array(p->rows.count, sizeof **chosen);
	for (size_t i = 0; i < p->rows.count; i++) {
		const struct scan_process *one = &p->scan.all[p->rows.ids[i]];

		if (one->tagged)
			(*chosen)[count++] = one->id;
	}
	if (!count && current)
		(*chosen)[count++] = current->id;
	return count;
}

void picker_tag(struct picker *p)
{
	uint32_t id = rowlist_current(&p->rows);

	if (id == ROWLIST_NONE)
		return;
	p->scan.all[id].tagged = !p->scan.all[id].tagged;
	rowlist_move(&p->rows, 1);
}

void picker_tag_shown(struct picker *p)
{
	for (size_t i = 0; i < p->rows.count; i++)
		p->scan.all[p->rows.ids[i]].tagged = true;
}

void picker_untag(struct picker *p)
{
	for (size_t i = 0; i < p->scan.count; i++)
		p->scan.all[i].tagged = false;
	picker_update(p); /* the filter may be for tagged ones */
}
