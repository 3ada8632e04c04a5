/* See script.h. */
#include "script.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PC(n) WORLD_PC(n)
#define SEM(n) WORLD_DATA(n)

const struct elf_note script_notes[] = {
	/* two sites, one count, at c12 */
	{PC(0x10), 0, SEM(0x10), "ocaml_1", "one", ""},
	{PC(0x20), 0, SEM(0x10), "ocaml_1", "one", ""},
	/* two units: a site and a count each, at c20 and c24 */
	{PC(0x30), 0, SEM(0x20), "ocaml", "unit", ""},
	{PC(0x40), 0, SEM(0x24), "ocaml", "unit", ""},
	/* a count alone, at c32 */
	{0, 0, SEM(0x30), "ocaml_2", "soft", ""},
	/* two nops, two counts */
	{PC(0x50), 0, SEM(0x40), "sdt", "nop", ""},
	{PC(0x60), 0, SEM(0x44), "sdt", "nop", ""},
	/* no count; a count that it shares with nop; notes that contradict themselves */
	{PC(0x70), 0, 0, "sdt", "bare", ""},
	{PC(0x80), 0, SEM(0x40), "sdt", "twin", ""},
	{PC(0x90), 0, 0, "ocaml_1", "bad", ""},
	/* two nops, one count */
	{PC(0xa0), 0, SEM(0x50), "sdt", "duo", ""},
	{PC(0xb0), 0, SEM(0x50), "sdt", "duo", ""},
};
const size_t script_note_count = sizeof script_notes / sizeof *script_notes;

/* Call `each` with every word of a text, which is cut at blanks. */
static void script_words(const char *text, void (*each)(const char *word, void *data), void *data)
{
	char *copy = strdup(text), *save = NULL;

	ck_assert_ptr_nonnull(copy);
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		each(word, data);
	free(copy);
}

static void script_put(const char *word, void *data)
{
	struct world *w = data;
	unsigned at, value;
	char kind;

	if (!strcmp(word, "b=absent") || !strcmp(word, "c=absent")) {
		w->fake.regions[word[0] == 'c'].absent = true;
		return;
	}
	ck_assert_int_eq(sscanf(word, "%c%x=%x", &kind, &at, &value), 3);
	if (kind == 'b')
		*world_byte(w, PC(at)) = (unsigned char)value;
	else
		world_set_count(w, SEM(at), value);
}

void script_setup(struct world *w, const char *setup)
{
	script_words(setup, script_put, w);
	world_read(w);
}

/* By enum probes_verb. */
static const char script_verbs[] = "+-*/";

struct script_choice {
	const struct world *w;
	struct array *chosen;
};

static void script_choose_one(const char *word, void *data)
{
	const struct script_choice *c = data;
	struct selected *s = array_add(c->chosen);
	char name[64];

	ck_assert_ptr_nonnull(s);
	snprintf(name, sizeof name, "%s", word + 1);
	s->named = !strchr(name, '?');
	name[strcspn(name, "?")] = '\0';
	ck_assert_ptr_nonnull(strchr(script_verbs, word[0]));
	s->verb = (enum probes_verb)(strchr(script_verbs, word[0]) - script_verbs);
	s->probe = world_probe(c->w, name);
}

void script_choose(const struct world *w, const char *choice, struct array *chosen)
{
	struct script_choice c = {w, chosen};

	script_words(choice, script_choose_one, &c);
}

void script_writes(const struct plan *p, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < p->edits.count; i++) {
		const struct probes_edit *w = ARRAY_AT(&p->edits, struct probes_edit, i);
		bool cut = ARRAY_AT(&p->checks, struct plan_check, i)->cut;
		const char *bar = cut ? "|" : "", *gap = i ? " " : "";

		if (w->role != PROBES_ROLE_SEMAPHORE)
			used += (size_t)snprintf(out + used, size - used, "%s%sb%x:%x>%x", gap, bar,
				(unsigned)(w->address - WORLD_BIAS - ELF_TEXT), w->old[0],
				w->new_[0]);
		else
			used += (size_t)snprintf(out + used, size - used, "%s%sc%x:%x>%x", gap, bar,
				(unsigned)(w->address - WORLD_BIAS - ELF_DATA),
				w->old[0] | (unsigned)w->old[1] << 8,
				w->new_[0] | (unsigned)w->new_[1] << 8);
		ck_assert_uint_lt(used, size);
	}
}

void script_items(const struct world *w, const struct plan *p, char *out, size_t size)
{
	static const char *const outcomes[] = {"", ":skipped", ":not"};
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < p->items.count; i++) {
		const struct probes_item *item = ARRAY_AT(&p->items, struct probes_item, i);

		used += (size_t)snprintf(out + used, size - used, "%s%c%s%s", i ? " " : "",
			script_verbs[item->verb], catalog_probe(&w->catalog, item->probe)->name,
			outcomes[item->outcome]);
		ck_assert_uint_lt(used, size);
		ck_assert_int_eq(item->outcome != PROBES_DONE, item->why[0] != '\0');
	}
}

void script_expect(const char *expected, const char *writes)
{
	const char *x = expected, *y = writes;

	while (*y && (*x == *y || *y == '|')) {
		x += *x == *y;
		y++;
	}
	ck_assert_msg(!*x && !*y, "'%s' was expected, not '%s'", expected, writes);
}
