/*
 * Owns the VTerm. What libvterm reports beyond lines, cursor and answers (titles, bells) is
 * ignored.
 */
#include "ui/tui/widgets/emulator.h"

#include "ui/tui/terminal/key.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/tui/widgets/vt_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vterm.h>

#define EMULATOR_PIECE 1024  /* bytes fed at a time */
#define EMULATOR_ANSWER 4096 /* bytes that wait to be read by the program */

/* A line that is kept: text_size bytes of text follow the runs. */
struct emulator_kept {
	size_t size; /* of the allocation */
	size_t run_count;
	struct emulator_run runs[];
};

/* The line that was asked for last, under construction. */
struct emulator_scratch {
	struct emulator_run *runs;
	size_t run_count, run_capacity;
	char *text;
	size_t length, capacity;
};

struct emulator {
	VTerm *vterm;
	VTermScreen *screen;
	int rows, columns;
	VTermPos cursor;
	bool hidden; /* the cursor */
	struct vt_filter vt_filter;
	struct emulator_kept *kept[EMULATOR_LINES];
	size_t first, count, bytes; /* of the kept lines */
	size_t scrolled;
	struct emulator_scratch scratch;
	VTermScreenCell cells[EMULATOR_COLUMNS_MAX];
	char answer[EMULATOR_ANSWER];
	size_t answer_length;
};

/* ---------------------------------------------------------------- from cells to text */

static int32_t emulator_color(const VTermColor *c)
{
	if (VTERM_COLOR_IS_DEFAULT_FG(c) || VTERM_COLOR_IS_DEFAULT_BG(c))
		return CANVAS_DEFAULT;
	if (VTERM_COLOR_IS_INDEXED(c))
		return c->indexed.idx;
	return CANVAS_RGB | c->rgb.red << 16 | c->rgb.green << 8 | c->rgb.blue;
}

static struct canvas_paint emulator_paint(const VTermScreenCell *cell)
{
	return (struct canvas_paint){
		.foreground = emulator_color(&cell->fg),
		.background = emulator_color(&cell->bg),
		.attributes = (cell->attrs.bold ? CANVAS_BOLD : 0u) |
			      (cell->attrs.underline ? CANVAS_UNDERLINE : 0u) |
			      (cell->attrs.italic ? CANVAS_ITALIC : 0u) |
			      (cell->attrs.reverse ? CANVAS_REVERSE : 0u),
	};
}

/* The right half of a wide character. */
static bool emulator_is_half(const VTermScreenCell *cell)
{
	return cell->chars[0] == (uint32_t)-1;
}

/* The text of a cell in so many columns. out: room for all its characters. Returns the bytes. */
static size_t emulator_cell(const VTermScreenCell *cell, int columns, char *out)
{
	uint32_t code = emulator_is_half(cell) || !cell->chars[0] ? ' ' : cell->chars[0];
	int took = text_code_columns(code);
	size_t n;

	/* libvterm and the C library may disagree on the width: then ours would not line up */
	if (took != columns && code != ' ') {
		code = TEXT_REPLACEMENT;
		took = 1;
	}
	if (text_is_utf8()) {
		n = text_encode(code, out);
	} else {
		out[0] = text_ascii(code);
		n = 1;
	}
	for (int i = 1; i < VTERM_MAX_CHARS_PER_CELL && cell->chars[0] && cell->chars[i]; i++)
		if (code == cell->chars[0] && text_is_utf8())
			n += text_encode(cell->chars[i], out + n);
	for (; took < columns; took++)
		out[n++] = ' ';
	return n;
}

static void emulator_compose(struct emulator_scratch *s, const VTermScreenCell *cells, int columns)
{
	size_t end = 0, end_runs = 0;
	uint32_t end_bytes = 0;

	s->run_count = s->length = 0;
	s->text = mem_grow(
		s->text, &s->capacity, (size_t)columns * 4 * VTERM_MAX_CHARS_PER_CELL + 1, 1);
	s->runs = mem_grow(s->runs, &s->run_capacity, (size_t)columns + 1, sizeof *s->runs);
	for (int x = 0, width; x < columns; x += width) {
		struct canvas_paint paint = emulator_paint(&cells[x]);
		struct emulator_run *run = s->run_count ? &s->runs[s->run_count - 1] : NULL;
		bool blank = !cells[x].chars[0] || cells[x].chars[0] == ' ';
		size_t n;

		width = x + 1 < columns && !emulator_is_half(&cells[x]) &&
					emulator_is_half(&cells[x + 1])
				? 2
				: 1;
		n = emulator_cell(&cells[x], width, s->text + s->length);
		if (blank && !(paint.attributes & CANVAS_UNDERLINE)) {
			/* what shows of a blank: its background */
			paint.attributes &= CANVAS_REVERSE;
			if (!paint.attributes)
				paint.foreground = CANVAS_DEFAULT;
		}
		if (!run || memcmp(&run->paint, &paint, sizeof paint)) {
			run = &s->runs[s->run_count++];
			*run = (struct emulator_run){.paint = paint};
		}
		run->bytes += (uint32_t)n;
		s->length += n;
		if (!blank || paint.background != CANVAS_DEFAULT || paint.attributes) {
			end = s->length;
			end_runs = s->run_count;
			end_bytes = run->bytes;
		}
	}
	s->length = end;
	s->text[end] = '\0';
	s->run_count = end_runs;
	if (end_runs)
		s->runs[end_runs - 1].bytes = end_bytes;
}

/* ---------------------------------------------------------------- lines that are kept */

static void emulator_drop_oldest(struct emulator *e)
{
	struct emulator_kept *k = e->kept[e->first];

	e->bytes -= k->size;
	free(k);
	e->kept[e->first] = NULL;
	e->first = (e->first + 1) % EMULATOR_LINES;
	e->count--;
}

/* sb_pushline: a line scrolls off the top. */
static int emulator_keep(int columns, const VTermScreenCell *cells, void *user)
{
	struct emulator *e = user;
	struct emulator_scratch *s = &e->scratch;
	struct emulator_kept *k;
	size_t runs, size;

	emulator_compose(s, cells, columns);
	runs = s->run_count * sizeof *s->runs;
	size = sizeof *k + runs + s->length + 1;
	while (e->count && (e->count == EMULATOR_LINES || e->bytes + size > EMULATOR_BYTES))
		emulator_drop_oldest(e);
	k = mem_alloc(size);
	k->size = size;
	k->run_count = s->run_count;
	if (runs)
		memcpy(k->runs, s->runs, runs);
	memcpy((char *)k->runs + runs, s->text, s->length + 1);
	e->kept[(e->first + e->count++) % EMULATOR_LINES] = k;
	e->bytes += size;
	e->scrolled++;
	return 1;
}

/* ---------------------------------------------------------------- libvterm */

static void *emulator_malloc(size_t size, void *user)
{
	return mem_alloc(size);
}

static void emulator_release(void *p, void *user)
{
	free(p);
}

static void emulator_answered(const char *bytes, size_t length, void *user)
{
	struct emulator *e = user;

	if (length > sizeof e->answer - e->answer_length)
		return; /* the program asks and does not read */
	memcpy(e->answer + e->answer_length, bytes, length);
	e->answer_length += length;
}

static int emulator_property(VTermProp property, VTermValue *value, void *user)
{
	struct emulator *e = user;

	if (property == VTERM_PROP_CURSORVISIBLE)
		e->hidden = !value->boolean;
	return 1;
}

/* A wide character on a screen of one column is a crash of libvterm 0.1.4. */
static int emulator_clamp(int n, int most)
{
	return n < 2 ? 2 : n > most ? most : n;
}

struct emulator *emulator_new(int rows, int columns)
{
	static const VTermScreenCallbacks callbacks = {
		.settermprop = emulator_property,
		.sb_pushline = emulator_keep,
	};
	static VTermAllocatorFunctions allocator = {emulator_malloc, emulator_release};
	struct emulator *e = mem_alloc(sizeof *e);

	e->rows = emulator_clamp(rows, EMULATOR_ROWS_MAX);
	e->columns = emulator_clamp(columns, EMULATOR_COLUMNS_MAX);
	e->vterm = vterm_new_with_allocator(e->rows, e->columns, &allocator, NULL);
	vterm_set_utf8(e->vterm, 1);
	vterm_output_set_callback(e->vterm, emulator_answered, e);
	e->screen = vterm_obtain_screen(e->vterm);
	vterm_screen_set_callbacks(e->screen, &callbacks, e);
	vterm_screen_set_damage_merge(e->screen, VTERM_DAMAGE_SCREEN);
	vterm_screen_enable_altscreen(e->screen, 1);
	vterm_screen_reset(e->screen, 1);
	return e;
}

void emulator_free(struct emulator *e)
{
	if (!e)
		return;
	vterm_free(e->vterm);
	while (e->count)
		emulator_drop_oldest(e);
	free(e->scratch.runs);
	free(e->scratch.text);
	free(e);
}

/*
 * libvterm 0.1.4 keeps a scroll region that is outside of the new size, and moves a cursor above
 * the top if it stands above the lines that scroll off. Both end in a crash: do without the region,
 * as xterm does, and put the cursor where it belongs.
 */
void emulator_resize(struct emulator *e, int rows, int columns)
{
	static const char no_region[] = "\033[?69l\033[r";
	VTermPos cursor = e->cursor;
	size_t before = e->scrolled;
	char home[32];

	rows = emulator_clamp(rows, EMULATOR_ROWS_MAX);
	columns = emulator_clamp(columns, EMULATOR_COLUMNS_MAX);
	if (rows == e->rows && columns == e->columns)
		return;
	vterm_input_write(e->vterm, no_region, sizeof no_region - 1);
	snprintf(home, sizeof home, "\033[%d;%dH", cursor.row + 1, cursor.col + 1);
	vterm_input_write(e->vterm, home, strlen(home));
	vterm_set_size(e->vterm, rows, columns);
	e->rows = rows;
	e->columns = columns;
	cursor.row -= (int)(e->scrolled - before);
	snprintf(home, sizeof home, "\033[%d;%dH", cursor.row < 0 ? 1 : cursor.row + 1,
		cursor.col + 1);
	vterm_input_write(e->vterm, home, strlen(home));
	vterm_state_get_cursorpos(vterm_obtain_state(e->vterm), &e->cursor);
}

void emulator_size(const struct emulator *e, int *rows, int *columns)
{
	*rows = e->rows;
	*columns = e->columns;
}

void emulator_feed(struct emulator *e, const char *bytes, size_t length)
{
	char safe[VT_FILTER_ROOM(EMULATOR_PIECE)];

	while (length) {
		size_t piece = length < EMULATOR_PIECE ? length : EMULATOR_PIECE;
		size_t n = vt_filter_feed(&e->vt_filter, bytes, piece, safe);

		vterm_input_write(e->vterm, safe, n);
		bytes += piece;
		length -= piece;
	}
	vterm_screen_flush_damage(e->screen);
	vterm_state_get_cursorpos(vterm_obtain_state(e->vterm), &e->cursor);
}

size_t emulator_skip(struct emulator *e, const char *bytes, size_t length)
{
	size_t lines, skip = vt_filter_skip(&e->vt_filter, bytes, length,
			      EMULATOR_LINES + (size_t)e->rows, &lines);

	e->scrolled += lines;
	return skip;
}

/* ---------------------------------------------------------------- lines */

size_t emulator_kept(const struct emulator *e)
{
	return e->count;
}

size_t emulator_count(const struct emulator *e)
{
	return e->count + (size_t)e->rows;
}

size_t emulator_scrolled(const struct emulator *e)
{
	return e->scrolled;
}

struct emulator_line emulator_line(struct emulator *e, size_t i)
{
	VTermPos at = {.row = (int)(i - e->count)};

	if (i < e->count) {
		const struct emulator_kept *k = e->kept[(e->first + i) % EMULATOR_LINES];

		return (struct emulator_line){.text = (const char *)(k->runs + k->run_count),
			.runs = k->runs,
			.run_count = k->run_count};
	}
	for (; at.col < e->columns; at.col++)
		if (!vterm_screen_get_cell(e->screen, at, &e->cells[at.col]))
			e->cells[at.col] = (VTermScreenCell){.width = 1};
	emulator_compose(&e->scratch, e->cells, e->columns);
	return (struct emulator_line){.text = e->scratch.text,
		.runs = e->scratch.runs,
		.run_count = e->scratch.run_count};
}

size_t emulator_used(struct emulator *e)
{
	size_t used = emulator_count(e), cursor = e->count + (size_t)e->cursor.row + 1;

	while (used > cursor && !emulator_line(e, used - 1).run_count)
		used--;
	return used;
}

/* Has the program set the cursor keys to application mode? It shows only in what libvterm sends. */
static bool emulator_wants_keys(struct emulator *e)
{
	size_t before = e->answer_length;
	bool yes;

	vterm_keyboard_key(e->vterm, VTERM_KEY_UP, VTERM_MOD_NONE);
	yes = e->answer_length > before + 1 && e->answer[before + 1] == 'O';
	e->answer_length = before;
	return yes;
}

size_t emulator_follow(struct emulator *e, size_t rows)
{
	size_t cursor = e->count + (size_t)e->cursor.row, all = emulator_count(e);

	if (rows >= (size_t)e->rows)
		return all > rows ? all - rows : 0;
	/* one without a cursor that takes keys, such as top: what matters is at its top */
	if (cursor < e->count + rows || (e->hidden && emulator_wants_keys(e)))
		return e->count;
	return cursor + 1 - rows;
}

bool emulator_cursor(const struct emulator *e, size_t *line, int *column)
{
	*line = e->count + (size_t)e->cursor.row;
	*column = e->cursor.col;
	return !e->hidden;
}

/* ---------------------------------------------------------------- keys */

void emulator_key(struct emulator *e, uint32_t key)
{
	static const struct {
		uint32_t key;
		VTermKey vterm;
	} keys[] = {
		{K_UP, VTERM_KEY_UP},
		{K_DOWN, VTERM_KEY_DOWN},
		{K_LEFT, VTERM_KEY_LEFT},
		{K_RIGHT, VTERM_KEY_RIGHT},
		{K_PAGE_UP, VTERM_KEY_PAGEUP},
		{K_PAGE_DOWN, VTERM_KEY_PAGEDOWN},
		{K_HOME, VTERM_KEY_HOME},
		{K_END, VTERM_KEY_END},
		{K_INSERT, VTERM_KEY_INS},
		{K_DELETE, VTERM_KEY_DEL},
		{K_BACK_TAB, VTERM_KEY_TAB},
		{K_KEYPAD_ENTER, VTERM_KEY_KP_ENTER},
	};
	uint32_t plain = key & ~(uint32_t)K_MODIFIERS;
	VTermModifier modifiers = (key & K_SHIFT ? VTERM_MOD_SHIFT : 0) |
				  (key & K_ALT ? VTERM_MOD_ALT : 0) |
				  (key & K_CONTROL ? VTERM_MOD_CTRL : 0);
	char byte = (char)key;

	if (key < 0x100)
		emulator_answered(&byte, 1, e);
	else if (key == K_PASTE)
		vterm_keyboard_start_paste(e->vterm);
	else if (key == K_PASTED)
		vterm_keyboard_end_paste(e->vterm);
	else if (plain >= K_F1 && plain <= K_F12)
		vterm_keyboard_key(
			e->vterm, VTERM_KEY_FUNCTION((int)(plain - K_F1) + 1), modifiers);
	if (plain == K_BACK_TAB)
		modifiers |= VTERM_MOD_SHIFT;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i].key == plain)
			vterm_keyboard_key(e->vterm, keys[i].vterm, modifiers);
}

size_t emulator_take(struct emulator *e, char *out, size_t size)
{
	size_t n = e->answer_length < size ? e->answer_length : size;

	memcpy(out, e->answer, n);
	e->answer_length -= n;
	memmove(e->answer, e->answer + n, e->answer_length);
	return n;
}
