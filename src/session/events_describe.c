/* What a hit of a site keeps as an event: its arguments, where they are found, and what they cost.
 */
#include "session/events.h"

#include "base/error.h"
#include "probe/condition.h"
#include "process/mapped.h"

#include <errno.h>
#include <string.h>

/* Measured: one event, and what a system call adds. */
#define EVENTS_NS 100
#define EVENTS_CALL_NS 4000
#define EVENTS_DRAW_NS 25 /* a hit that could leave its stack; few do */

/* The most arguments that a site of the probe has. */
static size_t events_arguments(
	const struct probes_probe *p, struct probes_argument out[PROBES_EVENT_ARGUMENTS])
{
	size_t most = 0;

	for (uint32_t k = 0; k < p->site_count; k++) {
		struct probes_argument all[PROBES_EVENT_ARGUMENTS];
		size_t count = probes_arguments(p->sites[k].arguments, all, PROBES_EVENT_ARGUMENTS);

		if (count <= most)
			continue;
		most = count;
		memcpy(out, all, sizeof all);
	}
	return most < PROBES_EVENT_ARGUMENTS ? most : PROBES_EVENT_ARGUMENTS;
}

static bool events_is_pointer(const struct probes_argument *a)
{
	return a->parsed && !a->is_float && (a->size == 8 || a->size == -8 || !a->size);
}

static unsigned events_texts(const struct probes_event_options *o)
{
	unsigned texts = 0;

	if (o->condition)
		(void)probes_condition_arguments(o->condition, &texts);
	return texts | o->texts;
}

/* The arguments that a probe must have. */
static unsigned events_needed(const struct probes_event_options *o)
{
	unsigned needed = events_texts(o) | o->arguments, ignored;

	if (o->condition)
		needed |= probes_condition_arguments(o->condition, &ignored);
	return needed;
}

int probes_events_check(struct probes_session *s, const size_t *probes, size_t count,
	const struct probes_event_options *o, struct probes_error *e)
{
	unsigned texts = events_texts(o), needed = events_needed(o), have = 0, pointers = 0;
	struct probes_argument all[PROBES_EVENT_ARGUMENTS];
	size_t most = 0, argument = 0;

	for (size_t i = 0; i < count; i++) {
		const struct probes_probe *p = catalog_probe(&s->catalog, probes[i]);
		size_t n = events_arguments(p, all);

		if (!p->site_count) /* described without them: what it has is not known */
			return 0;
		most = n > most ? n : most;
		for (size_t k = 0; k < n; k++) {
			have |= 1u << k;
			pointers |= (unsigned)events_is_pointer(&all[k]) << k;
		}
	}
	if (__builtin_popcount(texts) > EVENTS_TEXTS) {
		error_set(e, PROBES_USAGE, -EINVAL, "cannot keep so many texts");
		return error_why(e, "an event has at most %d", EVENTS_TEXTS);
	}
	while (argument < 32 && !(needed & ~have & 1u << argument))
		argument++;
	if (argument < 32) {
		error_set(e, PROBES_USAGE, -EINVAL, "there is no arg%zu", argument + 1);
		return count == 1 ? error_why(e, "%s has %zu argument%s",
					    catalog_probe(&s->catalog, probes[0])->name, most,
					    most == 1 ? "" : "s")
				  : error_why(e, "none of these probes has more than %zu", most);
	}
	for (argument = 0; argument < 32 && !(texts & ~pointers & 1u << argument);)
		argument++;
	if (argument == 32)
		return 0;
	error_set(e, PROBES_USAGE, -EINVAL, "arg%zu cannot be a text", argument + 1);
	error_why(e, "no probe that was named has an integer of 8 bytes there, as a pointer is");
	return error_hint(e, "list the probes to see their arguments");
}

/* The address of a symbol of the object; 0: it is unknown. *inside: so many bytes there are its
 * own. */
static uint64_t events_symbol(struct probes_session *s, struct object_probes *h,
	const struct operand_place *place, size_t size, bool *inside)
{
	bool resting = h->file && h->file->fd < 0;
	char name[sizeof((struct probes_argument *)NULL)->place];
	uint64_t vaddr;

	if (!h->file || place->symbol_length >= sizeof name)
		return 0;
	memcpy(name, place->symbol, place->symbol_length);
	name[place->symbol_length] = '\0';
	if (resting && (h->info.gone || !object_wake(h->file, mapped_reopen(&s->who, &h->location,
								      h->info.executable))))
		return 0;
	vaddr = object_symbol(h->file, name);
	*inside = vaddr && object_segment_at(h->file, vaddr + (uint64_t)place->value, size);
	if (resting)
		object_rest(h->file);
	return vaddr ? h->info.bias + vaddr + (uint64_t)place->value : 0;
}

struct events_operand events_operand(
	const struct operand_place *place, const struct probes_argument *a)
{
	static const uint8_t whats[] = {[OPERAND_REGISTER] = EVENTS_REGISTER,
		[OPERAND_CONSTANT] = EVENTS_CONSTANT,
		[OPERAND_MEMORY] = EVENTS_MEMORY,
		[OPERAND_VECTOR] = EVENTS_VECTOR};

	_Static_assert(OPERAND_NONE == EVENTS_NO_REGISTER, "no register is no register");
	return (struct events_operand){.what = whats[place->what],
		.size = a->size ? a->size : 8,
		.base = place->number,
		.index = place->index,
		.scale = place->scale,
		.value = (uint64_t)place->value};
}

/* The same of any argument, in memory named by a symbol, too. */
static struct events_operand events_find(
	struct probes_session *s, struct object_probes *h, const struct probes_argument *a)
{
	struct operand_place place;
	struct events_operand o = {.size = a->size ? a->size : 8};
	bool inside = false;

	if (!a->parsed || !operand_place(a->place, &place))
		return o;
	o = events_operand(&place, a);
	if (place.symbol) {
		o.value = events_symbol(
			s, h, &place, (size_t)(o.size < 0 ? -o.size : o.size), &inside);
		o.what = !o.value ? EVENTS_UNREADABLE
			 : inside && o.base == EVENTS_NO_REGISTER && o.index == EVENTS_NO_REGISTER
				 ? EVENTS_STATIC
				 : EVENTS_MEMORY;
	}
	return o;
}

static void events_tests(
	const struct probes_condition *c, struct events_site *site, const struct events_where *w)
{
	struct condition_test tests[EVENTS_TESTS];
	size_t count = c ? condition_tests(c, tests, EVENTS_TESTS) : 0, kept = 0;

	for (size_t i = 0; i < count; i++) {
		size_t n = tests[i].argument - 1;

		/* A probe without the argument has no events at all. */
		if (n < w->arguments &&
			(w->kinds[n] == PROBES_VALUE_FLOAT ||
				(w->kinds[n] == PROBES_VALUE_UNSIGNED && tests[i].negative)))
			continue;
		site->tests[kept++] = (struct events_test){.argument = (uint8_t)tests[i].argument,
			.compare = (uint8_t)tests[i].compare,
			.number = tests[i].number};
	}
}

void events_describe(struct probes_session *s, struct object_probes *h,
	const struct probes_probe *p, const struct probes_event_options *o,
	struct events_where *where, struct events_site *site)
{
	struct probes_argument all[PROBES_EVENT_ARGUMENTS];
	size_t count =
		probes_arguments(p->sites[where->site].arguments, all, PROBES_EVENT_ARGUMENTS);
	unsigned texts = events_texts(o), calls = 0;
	struct symbols *symbols = o->callers ? detail_symbols(s, h) : NULL;
	struct operand_place place;

	where->arguments =
		(uint8_t)(count < PROBES_EVENT_ARGUMENTS ? count : PROBES_EVENT_ARGUMENTS);
	site->arguments = where->arguments;
	for (size_t i = 0; i < where->arguments; i++) {
		struct events_operand *operand = &site->operands[i];

		*operand = events_find(s, h, &all[i]);
		if ((o->bare || o->arguments) && !(events_needed(o) >> i & 1))
			operand->what = EVENTS_UNREADABLE;
		where->kinds[i] = all[i].is_float     ? PROBES_VALUE_FLOAT
				  : operand->size < 0 ? PROBES_VALUE_SIGNED
						      : PROBES_VALUE_UNSIGNED;
		where->sizes[i] = (uint8_t)(operand->size < 0 ? -operand->size : operand->size);
		calls += operand->what == EVENTS_MEMORY && operand->base != ARCH_STACK_POINTER;
		if (texts >> i & 1 && events_is_pointer(&all[i])) {
			operand->text = where->texts[i] = ++site->texts;
			calls++;
		}
	}
	if (o->callers && site->arguments == PROBES_EVENT_ARGUMENTS)
		where->no_caller = "it has too many arguments";
	else if (o->callers)
		where->no_caller =
			symbols ? symbols_return(symbols, p->sites[where->site].pc, &place)
				: "the symbols of its object cannot be read";
	where->caller = o->callers && !where->no_caller;
	if (where->caller) /* the return address, as one more operand */
		site->operands[site->arguments++] = (struct events_operand){.what = EVENTS_MEMORY,
			.base = place.number,
			.index = EVENTS_NO_REGISTER,
			.scale = 1,
			.size = 8,
			.value = (uint64_t)place.value};
	where->ring = o->stacks             ? EVENTS_WITH_STACK
		      : site->texts         ? EVENTS_WITH_TEXT
		      : site->arguments > 4 ? EVENTS_LONG
					    : EVENTS_SHORT;
	site->ring = where->ring;
	/* A large frame: it lies in another page. */
	if (where->caller && (int64_t)site->operands[where->arguments].value >= TACTICS_PAGE)
		calls++;
	where->cost = (o->stacks ? EVENTS_DRAW_NS : EVENTS_NS) + calls * EVENTS_CALL_NS;
	events_tests(o->condition, site, where);
}
