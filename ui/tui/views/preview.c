/*
 * What on and off would write, from a dry run of the engine.
 */
#include "ui/tui/views/preview.h"

#include "ui/tui/terminal/text.h"

#include <stdio.h>

static const char *preview_name(
	const struct probes_session *s, size_t probe, char *out, size_t size)
{
	return text_clean(probes_at(s, probe)->name, out, size);
}

static void preview_write(
	struct pager *l, const struct probes_session *s, const struct probes_write *w)
{
	char name[256];

	preview_name(s, w->probe, name, sizeof name);
	if (w->is_site)
		pager_addf(l, STYLE_PLAIN, "   0x%012llx  %02x -> %02x          site %u of %s",
			(unsigned long long)w->address, w->old[0], w->new_[0], w->index + 1, name);
	else
		pager_addf(l, STYLE_PLAIN, "   0x%012llx  %5u -> %-5u     semaphore %u of %s",
			(unsigned long long)w->address, w->old[0] | w->old[1] << 8,
			w->new_[0] | w->new_[1] << 8, w->index + 1, name);
}

static void preview_result(
	struct pager *l, const struct probes_session *s, const struct probes_result *r, int columns)
{
	char name[256], why[256], cost[512];

	pager_addf(l, STYLE_TITLE, "  process %d: %zu write%s", (int)probes_pid(s), r->write_count,
		r->write_count == 1 ? "" : "s");
	if (r->cost)
		pager_wrap(l, r->no_room ? STYLE_BAD : STYLE_PLAIN,
			r->no_room ? "   would be refused: " : "   ",
			text_clean(r->cost, cost, sizeof cost), columns);
	for (size_t i = 0; i < r->write_count; i++)
		preview_write(l, s, &r->writes[i]);
	for (size_t i = 0; i < r->item_count; i++) {
		if (r->items[i].outcome == PROBES_DONE)
			continue;
		text_clean(r->items[i].why, why, sizeof why);
		pager_addf(l, STYLE_WARN, "   left out: %s: %s",
			preview_name(s, r->items[i].probe, name, sizeof name), why);
	}
}

void preview_build(struct pager *l, struct model *m, const struct operation_plan *plan, int columns)
{
	char what[512], why[512], text[1100];
	struct probes_error e = {0};
	struct operation *d;
	int status = operation_do(m, plan, &d, &e);

	operation_name(m, plan, what, sizeof what);
	pager_addf(l, STYLE_TITLE, "%s", what);
	for (size_t i = 0; i < d->count; i++) {
		if (d->results[i])
			preview_result(l, m->processes[i].session, d->results[i], columns);
	}
	if (d->sum.already)
		pager_addf(l, STYLE_PLAIN, "  on already by this session: %zu", d->sum.already);
	if (status < 0) {
		snprintf(text, sizeof text, "%s: %s", text_clean(e.what, what, sizeof what),
			text_clean(e.why, why, sizeof why));
		pager_wrap(l, STYLE_BAD, "  would be refused: ", text, columns);
	}
	pager_addf(l, STYLE_PLAIN, "%s", "");
	operation_free(d);
}
