/*
 * The arguments of a probe in one line: type and place of each.
 */
#include "ui/tui/argline.h"

#include "probes.h"
#include "ui/tui/text.h"

#include <stdlib.h>

#define ARGLINE_MOST 16

/* "s64": s signed, u unsigned, f floating point; "?" what was not understood. */
static void argline_type(const struct probes_argument *a, char *out, size_t size)
{
	if (!a->parsed)
		text_addf(out, size, "?");
	else if (a->size)
		text_addf(out, size, "%c%d",
			a->is_float   ? 'f'
			: a->size < 0 ? 's'
				      : 'u',
			abs(a->size) * 8);
}

static const char *argline_place(const struct probes_argument *a, char *out, size_t size)
{
	return text_clean(a->place, out, size);
}

const char *argline_numbered(const char *raw, char *out, size_t size)
{
	struct probes_argument all[ARGLINE_MOST];
	size_t count = raw && *raw ? probes_arguments(raw, all, ARGLINE_MOST) : 0;
	char place[4 * sizeof all->place];

	out[0] = '\0';
	for (size_t i = 0; i < count && i < ARGLINE_MOST; i++) {
		text_addf(out, size, "%sarg%zu ", i ? "  " : "", i + 1);
		argline_type(&all[i], out, size);
		text_addf(out, size, "%s%s", all[i].parsed ? all[i].size ? " @" : "@" : " ",
			argline_place(&all[i], place, sizeof place));
	}
	if (count > ARGLINE_MOST)
		text_addf(out, size, "  and %zu more", count - ARGLINE_MOST);
	return out;
}

const char *argline_short(const char *raw, char *out, size_t size)
{
	struct probes_argument all[ARGLINE_MOST];
	size_t count = raw && *raw ? probes_arguments(raw, all, ARGLINE_MOST) : 0;
	char place[4 * sizeof all->place];

	out[0] = '\0';
	for (size_t i = 0; i < count && i < ARGLINE_MOST; i++) {
		text_addf(out, size, "%s", i ? ", " : "");
		argline_type(&all[i], out, size);
		text_addf(out, size, "%s%s", all[i].parsed && !all[i].size ? "" : " ",
			argline_place(&all[i], place, sizeof place));
	}
	if (count > ARGLINE_MOST)
		text_addf(out, size, ", %zu more", count - ARGLINE_MOST);
	return out;
}
