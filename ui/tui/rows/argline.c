/*
 * The arguments of a probe in one line: type and place of each.
 */
#include "ui/tui/rows/argline.h"

#include "probes.h"
#include "ui/tui/terminal/text.h"

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

/* One argument: "s64 %rbx", "s64 @%rbx"; "%rbx" where the size is not said; "? raw". */
static void argline_one(const struct probes_argument *a, const char *at, char *out, size_t size)
{
	char place[4 * sizeof a->place];

	argline_type(a, out, size);
	text_addf(out, size, "%s%s%s", a->parsed && !a->size ? "" : " ", a->parsed ? at : "",
		text_clean(a->place, place, sizeof place));
}

static const char *argline_write(
	const char *raw, bool numbered, const char *gap, char *out, size_t size)
{
	struct probes_argument all[ARGLINE_MOST];
	size_t count = raw && *raw ? probes_arguments(raw, all, ARGLINE_MOST) : 0;

	out[0] = '\0';
	for (size_t i = 0; i < count && i < ARGLINE_MOST; i++) {
		text_addf(out, size, "%s", i ? gap : "");
		if (numbered)
			text_addf(out, size, "arg%zu ", i + 1);
		argline_one(&all[i], numbered ? "@" : "", out, size);
	}
	if (count > ARGLINE_MOST)
		text_addf(out, size, "%sand %zu more", gap, count - ARGLINE_MOST);
	return out;
}

const char *argline_numbered(const char *raw, char *out, size_t size)
{
	return argline_write(raw, true, "  ", out, size);
}

const char *argline_short(const char *raw, char *out, size_t size)
{
	return argline_write(raw, false, ", ", out, size);
}
