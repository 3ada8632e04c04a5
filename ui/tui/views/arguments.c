/*
 * Arguments in words. Sites with the same arguments are said together.
 */
#include "ui/tui/views/arguments.h"

#include "ui/tui/terminal/text.h"
#include "ui/tui/views/detail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_MOST 32 /* of a site */
#define ARGUMENTS_SITES 500

const char *arguments_type(const struct probes_argument *a, char *out, size_t size)
{
	int bytes = abs(a->size);

	if (!a->parsed || !a->size)
		snprintf(out, size, "size not said");
	else
		snprintf(out, size, "%s, %d byte%s",
			a->is_float   ? "floating point"
			: a->size < 0 ? "signed"
				      : "unsigned",
			bytes, bytes == 1 ? "" : "s");
	return out;
}

const char *arguments_place(const struct probes_argument *a, char *out, size_t size)
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

static void arguments_of(struct pager *l, const char *raw)
{
	struct probes_argument all[ARGUMENTS_MOST];
	size_t count = raw && *raw ? probes_arguments(raw, all, ARGUMENTS_MOST) : 0;
	char type[40], place[400], safe[TEXT_MAX / 2];

	if (!count) {
		pager_addf(l, STYLE_PLAIN, "   none");
		return;
	}
	for (size_t i = 0; i < count && i < ARGUMENTS_MOST; i++)
		pager_addf(l, STYLE_PLAIN, "   arg%-2zu  %-24s  %s", i + 1,
			arguments_type(&all[i], type, sizeof type),
			arguments_place(&all[i], place, sizeof place));
	if (count > ARGUMENTS_MOST)
		pager_addf(l, STYLE_PLAIN, "   and %zu more", count - ARGUMENTS_MOST);
	pager_addf(l, STYLE_DIM, "   as noted: %s", text_clean(raw, safe, sizeof safe));
}

/* A site, and where it is; its arguments if they are not those of the site before. */
static void arguments_site(
	struct pager *l, struct probes_session *s, size_t probe, uint32_t i, int columns)
{
	const struct probes_probe *p = probes_at(s, probe);
	const struct probes_site *site = &p->sites[i];
	char where[TEXT_MAX], label[64];

	snprintf(label, sizeof label, "site %u of %u at 0x%llx  ", i + 1, p->site_count,
		(unsigned long long)(site->address ? site->address : site->pc));
	pager_wrap(l, STYLE_HEAD, label, detail_where(s, probe, i, where, sizeof where), columns);
	if (i && !strcmp(site->arguments, p->sites[i - 1].arguments))
		pager_addf(l, STYLE_PLAIN, "   as at the site before");
	else
		arguments_of(l, site->arguments);
}

void arguments_build(struct pager *l, const struct model *m, uint32_t row, int columns)
{
	/* notes are the same file's in every process: one that has it is enough */
	struct model_member member = model_member(m, row);
	struct probes_session *s = m->processes[member.process].session;
	const struct probes_probe *p = probes_at(s, member.probe);

	pager_clear(l);
	for (uint32_t i = 0; i < p->site_count && i < ARGUMENTS_SITES; i++)
		arguments_site(l, s, member.probe, i, columns);
	if (p->site_count > ARGUMENTS_SITES)
		pager_addf(l, STYLE_PLAIN, "and %u more sites", p->site_count - ARGUMENTS_SITES);
	if (p->site_count)
		return;
	pager_addf(l, STYLE_PLAIN, "no sites: the program only looks at the semaphore");
	arguments_of(l, p->arguments);
}
