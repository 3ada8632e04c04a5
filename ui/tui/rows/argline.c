#include "ui/tui/rows/argline.h"

#include "probes.h"
#include "ui/tui/terminal/text.h"

#include <stdlib.h>

#define ARGLINE_MOST 16

/*
 * Each argument as its type and place: "s64 %rbx", "s64 @%rbx". Types are s signed, u unsigned, f
 * floating point; without a size only the place; "? RAW" for what cannot be parsed.
 */
const char *argline(const char *raw, bool numbered, char *out, size_t size)
{
	const char *gap = numbered ? "  " : ", ";
	struct probes_argument all[ARGLINE_MOST];
	size_t count = raw && *raw ? probes_arguments(raw, all, ARGLINE_MOST) : 0;

	out[0] = '\0';
	for (size_t i = 0; i < count && i < ARGLINE_MOST; i++) {
		const struct probes_argument *a = &all[i];
		char place[4 * sizeof a->place];

		text_addf(out, size, "%s", i ? gap : "");
		if (numbered)
			text_addf(out, size, "arg%zu ", i + 1);
		if (!a->parsed)
			text_addf(out, size, "? ");
		else if (a->size)
			text_addf(out, size, "%c%d ",
				a->is_float   ? 'f'
				: a->size < 0 ? 's'
					      : 'u',
				abs(a->size) * 8);
		text_addf(out, size, "%s%s", a->parsed && numbered ? "@" : "",
			text_clean(a->place, place, sizeof place));
	}
	if (count > ARGLINE_MOST)
		text_addf(out, size, "%sand %zu more", gap, count - ARGLINE_MOST);
	return out;
}
