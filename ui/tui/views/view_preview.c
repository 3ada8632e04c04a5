/* What on and off would write, from a dry run of the engine. Writes nothing. */
#include "ui/tui/views/view.h"

#include "ui/tui/terminal/text.h"
#include "ui/words/line.h"

#include <stdio.h>

static void view_preview_result(
	struct app *a, const struct probes_session *s, const struct probes_result *r)
{
	struct pager *l = &a->text.pager;
	char name[256], why[256], cost[512];

	pager_addf(l, STYLE_TITLE, "  process %d: %zu write%s", (int)probes_pid(s), r->edit_count,
		line_s(r->edit_count));
	if (r->cost)
		pager_wrap(l, r->no_room ? STYLE_BAD : STYLE_PLAIN,
			r->no_room ? "   would be refused: " : "   ",
			text_clean(r->cost, cost, sizeof cost), a->columns);
	if (r->mapped_pages)
		pager_addf(l, STYLE_PLAIN,
			"   maps %zu page%s of 4 KiB in the process, for counters and jumps",
			r->mapped_pages, line_s(r->mapped_pages));
	if (r->uprobe_sites)
		pager_addf(l, STYLE_PLAIN,
			"   %zu site%s by uprobe: the kernel writes an int3, in this process only",
			r->uprobe_sites, line_s(r->uprobe_sites));
	if (r->stop_sites)
		pager_addf(l, STYLE_WARN,
			"   %zu site%s can be counted only if all threads stop for a few "
			"milliseconds",
			r->stop_sites, line_s(r->stop_sites));
	if (r->kernel_sites)
		pager_addf(l, STYLE_WARN,
			"   %zu site%s can be counted only by a uprobe: :kernel allows it, as root",
			r->kernel_sites, line_s(r->kernel_sites));
	for (const struct probes_edit *w = r->edits; w < r->edits + r->edit_count; w++) {
		text_clean(probes_at(s, w->probe)->name, name, sizeof name);
		if (w->role == PROBES_ROLE_COUNTER) {
			char old[3 * PROBES_EDIT_BYTES + 1] = "", now[sizeof old] = "";

			for (uint8_t k = 0; k < w->length && k < PROBES_EDIT_BYTES; k++) {
				text_addf(old, sizeof old, "%s%02x", k ? " " : "", w->old[k]);
				text_addf(now, sizeof now, "%s%02x", k ? " " : "", w->new_[k]);
			}
			pager_addf(l, STYLE_PLAIN, "   0x%012llx  %s -> %s  site %u of %s",
				(unsigned long long)w->address, old, now, w->index + 1, name);
		} else if (w->role == PROBES_ROLE_SEMAPHORE) {
			pager_addf(l, STYLE_PLAIN,
				"   0x%012llx  %5u -> %-5u     semaphore %u of %s",
				(unsigned long long)w->address, w->old[0] | w->old[1] << 8,
				w->new_[0] | w->new_[1] << 8, w->index + 1, name);
		} else {
			pager_addf(l, STYLE_PLAIN,
				"   0x%012llx  %02x -> %02x          site %u of %s",
				(unsigned long long)w->address, w->old[0], w->new_[0], w->index + 1,
				name);
		}
	}
	for (const struct probes_item *item = r->items; item < r->items + r->item_count; item++)
		if (item->outcome != PROBES_DONE)
			pager_addf(l, STYLE_WARN, "   left out: %s: %s",
				text_clean(probes_at(s, item->probe)->name, name, sizeof name),
				text_clean(item->why, why, sizeof why));
}

void view_preview_add(struct app *a, const struct operation_plan *plan)
{
	struct pager *l = &a->text.pager;
	char what[512], why[512], text[1100];
	struct probes_error e = {0};
	struct operation *dry;
	int status = operation_do(&a->model, plan, &dry, &e);

	operation_name(&a->model, plan, what, sizeof what);
	pager_addf(l, STYLE_TITLE, "%s", what);
	for (size_t i = 0; i < dry->count; i++)
		if (dry->results[i])
			view_preview_result(a, a->model.processes[i].session, dry->results[i]);
	if (dry->sum.already)
		pager_addf(l, STYLE_PLAIN, "  on by you already: %zu", dry->sum.already);
	if (status < 0) {
		snprintf(text, sizeof text, "%s: %s", text_clean(e.what, what, sizeof what),
			text_clean(e.why, why, sizeof why));
		pager_wrap(l, STYLE_BAD, "  would be refused: ", text, a->columns);
	}
	pager_addf(l, STYLE_PLAIN, "%s", "");
	operation_free(dry);
}

const struct view_ops view_preview_ops = {
	VIEW_OVERLAY_OPS,
};
