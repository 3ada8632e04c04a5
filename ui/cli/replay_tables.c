/* The verb replay, of what latency recorded: its tables are printed again. */
#include <stdlib.h>

#include "ui/cli/collect.h"
#include "ui/cli/latency_print.h"
#include "ui/words/report.h"

struct tables {
	const struct collect *collect;
	struct latency_list list;
};

/* A row of a table that latency measured; the last one of a table prints it. */
static void take_row(void *data, const struct recording_item *item)
{
	struct tables *c = data;
	const struct recording *g = &c->collect->replay->recording;
	const struct recording_latency *line = &item->latency;
	struct latency_row_of *row = &c->list.rows[0];

	if (item->what != RECORDING_LATENCY)
		return;
	row += line->row;
	c->list.count += line->row == c->list.count;
	row->pid = g->processes[g->probes[line->start].process].pid;
	row->prog = g->processes[g->probes[line->start].process].program;
	row->probes[0] = &g->probes[line->start].probe;
	row->probes[1] = &g->probes[line->end].probe;
	row->sites = line->sites;
	row->counted = line->counted;
	row->sites_lost = line->sites_lost;
	row->stopped_ns = line->stopped_ns;
	row->over = line->over;
	row->read = line->read;
	row->now = line->latency;
	if (!c->list.began)
		c->list.began = c->list.table = line->began;
	c->list.by = line->by;
	c->list.now = line->now;
	if (line->row + 1 == line->rows && c->list.count == line->rows)
		latency_print(c->collect->measure.file, c->collect->options, &c->list, line->total);
}

int replay_tables(struct collect *k)
{
	struct tables c = {.collect = k,
		.list.rows = calloc(k->replay->recording.process_count, sizeof *c.list.rows)};

	if (!c.list.rows) {
		report_line("out of memory");
		return PROBES_FAILED;
	}
	while (k->pass.on && !ferror(k->measure.file))
		replay_read(k->replay, &k->pass, take_row, &c);
	free(c.list.rows);
	return PROBES_OK;
}
