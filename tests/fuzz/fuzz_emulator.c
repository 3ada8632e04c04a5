/*
 * The terminal of a started program. Whatever a program writes, at whatever size its terminal gets:
 * each line is whole characters that are safe on our terminal, not wider than it was on the
 * program's, and what is kept is bounded.
 *
 * A byte 0xff in the input is for the emulator, not of the program: two more say the new size of
 * the terminal; 0xfe: the next one is a key.
 */
#include "ui/tui/widgets/emulator.h"

#include "probes.h"
#include "tests/fuzz/fuzz.h"
#include "ui/tui/terminal/key.h"
#include "ui/tui/terminal/text.h"

#include <locale.h>

static void check_line(struct emulator *e, size_t i)
{
	struct emulator_line l = emulator_line(e, i);
	size_t bytes = 0, length = strlen(l.text);
	char *safe = malloc(2 * length + 1);

	FUZZ_CHECK(safe);
	for (size_t at = 0; at < l.run_count; at++) {
		const struct canvas_paint *p = &l.runs[at].paint;

		FUZZ_CHECK(l.runs[at].bytes > 0);
		FUZZ_CHECK(p->foreground < 256 || p->foreground >> 24 == 1);
		FUZZ_CHECK(p->background < 256 || p->background >> 24 == 1);
		bytes += l.runs[at].bytes;
	}
	FUZZ_CHECK(bytes == length);
	FUZZ_CHECK(text_width(l.text) <= EMULATOR_COLUMNS_MAX);
	/* nothing is left to escape but the backslash */
	probes_escape(l.text, safe, 2 * length + 1);
	for (const char *s = safe, *t = l.text; *t; s++, t++) {
		FUZZ_CHECK(*s == *t);
		s += *t == '\\';
	}
	free(safe);
}

static void check(struct emulator *e)
{
	size_t line, count = emulator_count(e), kept = emulator_kept(e), follow;
	char answer[100];
	int column;

	FUZZ_CHECK(kept <= EMULATOR_LINES && kept <= emulator_scrolled(e));
	FUZZ_CHECK(count > kept && count - kept <= EMULATOR_ROWS_MAX);
	emulator_cursor(e, &line, &column);
	FUZZ_CHECK(line >= kept && line < count);
	FUZZ_CHECK(column >= 0 && column < EMULATOR_COLUMNS_MAX);
	FUZZ_CHECK(emulator_used(e) > line && emulator_used(e) <= count);
	for (size_t rows = 1; rows < 5; rows++) {
		follow = emulator_follow(e, rows);
		FUZZ_CHECK(follow <= line && follow < count);
	}
	for (size_t i = kept > 5 ? kept - 5 : 0; i < count; i++)
		check_line(e, i);
	while (emulator_take(e, answer, sizeof answer))
		;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static bool ready;
	struct emulator *e;
	size_t from = 0;

	if (!ready)
		FUZZ_CHECK(setlocale(LC_CTYPE, "C.UTF-8"));
	ready = true;
	text_set_utf8(!size || bytes[0] != '?'); /* then as on a terminal of ASCII */
	e = emulator_new(5, 12);
	for (size_t i = 0; i <= size; i++) {
		if (i < size && bytes[i] < 0xfe)
			continue;
		from += emulator_skip(e, (const char *)bytes + from, i - from);
		emulator_feed(e, (const char *)bytes + from, i - from);
		check(e);
		if (i + 2 < size && bytes[i] == 0xff) {
			emulator_resize(e, bytes[i + 1] % 64, bytes[i + 2]);
			i += 2;
		} else if (i + 1 < size && bytes[i] == 0xfe) {
			emulator_key(e, K_SPECIAL + bytes[++i]);
		}
		from = i + 1;
	}
	emulator_free(e);
	return 0;
}
