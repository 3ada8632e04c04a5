/*
 * The arguments of a probe: type and place of each, site by site. A site with the arguments of the
 * site before refers to it.
 */
#include "ui/figures/event.h"
#include "ui/tui/views/view.h"

#include "ui/tui/terminal/text.h"
#include "ui/words/line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VIEW_ARGUMENTS_MOST 32   /* of a site */
#define VIEW_ARGUMENTS_SITES 500 /* shown; more are only counted */

const char *view_arguments_type(const struct probes_argument *a, char *out, size_t size)
{
	int bytes = abs(a->size);

	if (!a->parsed || !a->size)
		snprintf(out, size, "size unknown");
	else
		snprintf(out, size, "%s, %d byte%s",
			a->is_float   ? "floating point"
			: a->size < 0 ? "signed"
				      : "unsigned",
			bytes, line_s(bytes));
	return out;
}

const char *view_arguments_place(const struct probes_argument *a, char *out, size_t size)
{
	char place[4 * sizeof a->place];
	const char *open;

	text_clean(a->place, place, sizeof place);
	open = strchr(place, '(');
	if (!a->parsed)
		snprintf(out, size, "not understood: %s", place);
	else if (place[0] == '$')
		snprintf(out, size, "constant %s", place + 1);
	else if (place[0] == '%')
		snprintf(out, size, "register %s", place);
	else if (open && (strchr(open, ',') || !strcmp(open, "(%rip)"))) /* an index; a symbol */
		snprintf(out, size, "memory at %s", place);
	else if (open)
		snprintf(out, size, "memory at %.*s%s%.*s", (int)strcspn(open + 1, ")"), open + 1,
			open == place || place[0] == '-' ? "" : "+", (int)(open - place), place);
	else
		snprintf(out, size, "memory at %s", place);
	return out;
}

/* Of a site; SIZE_MAX: of none. */
static void view_arguments_add(
	struct pager *l, struct probes_session *s, size_t probe, size_t site, const char *raw)
{
	struct probes_argument all[VIEW_ARGUMENTS_MOST];
	size_t count = raw && *raw ? probes_arguments(raw, all, VIEW_ARGUMENTS_MOST) : 0;
	char type[40], place[400], safe[TEXT_MAX / 2], label[EVENT_LABEL_BYTES], number[24];

	if (!count) {
		pager_addf(l, STYLE_PLAIN, "   none");
		return;
	}
	for (size_t i = 0; i < count && i < VIEW_ARGUMENTS_MOST; i++) {
		bool named; /* the program knows it by a name */

		event_argument_label(s, probe, site, i + 1, label);
		snprintf(number, sizeof number, "arg%zu", i + 1);
		named = strcmp(label, number);
		pager_addf(l, STYLE_PLAIN, "   %-5s  %-24s  %s%s%s", number,
			view_arguments_type(&all[i], type, sizeof type),
			view_arguments_place(&all[i], place, sizeof place), named ? "  is " : "",
			named ? label : "");
	}
	if (count > VIEW_ARGUMENTS_MOST)
		pager_addf(l, STYLE_PLAIN, "   and %zu more", count - VIEW_ARGUMENTS_MOST);
	pager_addf(l, STYLE_DIM, "   as noted: %s", text_clean(raw, safe, sizeof safe));
}

static void view_arguments_build(struct app *a)
{
	struct pager *l = &a->text.pager;
	/* notes are the same file's in every process: one that has it is enough */
	struct model_member member = model_member(&a->model, a->text.row);
	struct probes_session *s = member.session;
	const struct probes_probe *p = probes_at(s, member.probe);
	char where[TEXT_MAX], label[64];

	view_text_begin(a, "Arguments of %s", a->model.rows[a->text.row].label);
	for (uint32_t i = 0; i < p->site_count && i < VIEW_ARGUMENTS_SITES; i++) {
		const struct probes_site *site = &p->sites[i];

		snprintf(label, sizeof label, "site %u of %u at 0x%llx  ", i + 1, p->site_count,
			(unsigned long long)(site->address ? site->address : site->pc));
		pager_wrap(l, STYLE_HEAD, label,
			view_detail_where(s, member.probe, i, false, where, sizeof where),
			a->columns);
		if (i && !strcmp(site->arguments, p->sites[i - 1].arguments))
			pager_addf(l, STYLE_PLAIN, "   as at the site before");
		else
			view_arguments_add(l, s, member.probe, i, site->arguments);
	}
	if (p->site_count > VIEW_ARGUMENTS_SITES)
		pager_addf(
			l, STYLE_PLAIN, "and %u more sites", p->site_count - VIEW_ARGUMENTS_SITES);
	if (!p->site_count) {
		pager_addf(l, STYLE_PLAIN, "no sites: the program only looks at the semaphore");
		view_arguments_add(l, s, member.probe, SIZE_MAX, p->arguments);
	}
}

const struct view_ops view_arguments_ops = {
	VIEW_OVERLAY_OPS,
	.build = view_arguments_build,
};
