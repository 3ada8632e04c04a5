/* Comparing the victim with what must be so. */
#include "truth.h"

#include "fault.h"
#include "probes.h"

#include <stdarg.h>
#include <string.h>

#define TRUTH_NOP 0x90
#define TRUTH_TRAP 0xcc
#define TRUTH_CMP 0x3d
#define TRUTH_CALL 0xe8

/* --------------------------------------------------------------- learning */

static void truth_add(struct truth *t, const struct field_report *r, const struct probes_probe *p)
{
	struct truth_probe *out = &t->probes[t->count++];

	*out = (struct truth_probe){.sdt = p->kind == PROBES_SDT};
	snprintf(out->name, sizeof out->name, "%s", p->name);
	if (p->broken || p->semaphore_count != 1 || p->site_count > STORM_SITES || !p->site_count)
		fault_fatal(
			"the engine says of %s: %s", p->name, p->broken ? p->broken : "too many");
	out->semaphore = p->semaphores[0].address;
	for (; out->site_count < p->site_count; out->site_count++)
		out->sites[out->site_count] = p->sites[out->site_count].address;
	while (out->place < r->said.count && strcmp(r->said.places[out->place].name, p->name) != 0)
		out->place++;
	if (out->place == r->said.count)
		fault_fatal("the victim has no place %s", p->name);
}

void truth_learn(struct truth *t, const struct field *f)
{
	struct probes_session *s;
	struct field_report r;
	struct probes_error e;
	struct field asked = *f;

	t->count = 0;
	field_pause(&asked);
	field_report(&asked, &r);
	field_go(&asked);
	if (probes_open_pid(f->pid, NULL, &s, &e) < 0)
		fault_fatal("%s: %s", e.what, e.why);
	for (size_t i = 0; i < probes_count(s) && i < STORM_PLACES; i++)
		if (probes_object_at(s, probes_at(s, i)->object)->executable)
			truth_add(t, &r, probes_at(s, i));
	probes_close(s);
	if (t->count != r.said.count)
		fault_fatal("%zu probes found, the victim has %u", t->count, r.said.count);
}

size_t truth_find(const struct truth *t, const char *name)
{
	for (size_t i = 0; i < t->count; i++)
		if (!strcmp(t->probes[i].name, name))
			return i;
	fault_fatal("no probe %s", name);
}

/* ----------------------------------------------------------------- counts */

static unsigned truth_theirs(const struct truth_probe *p)
{
	return p->sdt ? p->theirs : 0;
}

void truth_read(const struct truth *t, const struct field *f, truth_counts counts)
{
	for (size_t i = 0; i < t->count; i++) {
		unsigned short value;

		if (!field_peek(f, t->probes[i].semaphore, &value, sizeof value))
			fault_fatal("cannot read the count of %s", t->probes[i].name);
		counts[i] = value - truth_theirs(&t->probes[i]);
	}
}

void truth_get(const struct truth *t, truth_counts counts)
{
	for (size_t i = 0; i < t->count; i++)
		counts[i] = t->probes[i].count;
}

void truth_set(struct truth *t, const truth_counts counts)
{
	for (size_t i = 0; i < t->count; i++) {
		struct truth_probe *p = &t->probes[i];

		if (p->count != counts[i])
			truth_enter(p, "switched to %u", counts[i]);
		p->count = counts[i];
	}
}

bool truth_equal(const struct truth *t, const truth_counts a, const truth_counts b)
{
	return !memcmp(a, b, t->count * sizeof *a);
}

/* --------------------------------------------------------------- accounts */

void truth_open_accounts(struct truth *t)
{
	for (size_t i = 0; i < t->count; i++)
		snprintf(t->probes[i].account, sizeof t->probes[i].account, "it was %u",
			t->probes[i].count);
}

void truth_enter(struct truth_probe *p, const char *format, ...)
{
	size_t length = strlen(p->account);
	va_list arguments;

	snprintf(p->account + length, sizeof p->account - length, ", ");
	length = strlen(p->account);
	va_start(arguments, format);
	vsnprintf(p->account + length, sizeof p->account - length, format, arguments);
	va_end(arguments);
}

bool truth_act(struct truth_probe *p, const char *who, bool up, bool force)
{
	unsigned theirs = truth_theirs(p), value = p->count + theirs, to;

	to = force ? up : up ? value + 1 : value ? value - 1 : 0;
	if ((!force && !up && value == 0) || to < theirs)
		return false;
	p->count = to - theirs;
	truth_enter(p, "%s %s%s: %u", who, up ? "enables" : "disables", force ? " by force" : "",
		p->count);
	return true;
}

size_t truth_take_back(struct truth *t, truth_hold hold, const truth_hold other)
{
	size_t stay = 0;

	for (size_t i = 0; i < t->count; i++) {
		struct truth_probe *p = &t->probes[i];
		int theirs = (int)truth_theirs(p), value = (int)p->count + theirs;
		int to = value - hold[i] < 0 ? 0 : value - hold[i];

		if (!hold[i])
			continue;
		/* Whoever lowered it will raise it again: only then is our part there to take. */
		if (hold[i] > 0 && value < hold[i] && other && other[i] < 0) {
			truth_enter(p, "%+d stays until the other has ended", hold[i]);
			stay++;
			continue;
		}
		if (hold[i] > 0 && to < theirs) {
			truth_enter(p, "%+d stays on record", hold[i]);
			stay++;
			continue;
		}
		p->count = (unsigned)(to - theirs);
		truth_enter(p, "%+d is taken back: %u", hold[i], p->count);
		hold[i] = 0;
	}
	return stay;
}

/* ------------------------------------------------------------------ bytes */

static unsigned truth_first(const struct truth_probe *p, size_t site)
{
	return p->theirs && site == 0 ? TRUTH_TRAP : TRUTH_NOP;
}

static unsigned truth_second(const struct truth_probe *p)
{
	return p->count ? TRUTH_CALL : TRUTH_CMP;
}

static void truth_check_probe(const struct truth_probe *p, const struct field *f)
{
	unsigned short value = 0;

	if (!field_peek(f, p->semaphore, &value, sizeof value) ||
		value != p->count + truth_theirs(p))
		fault("%s: its count is %u, it should be %u (%s; uprobes: %u)", p->name, value,
			p->count + truth_theirs(p), p->account, p->theirs);
	for (size_t i = 0; i < p->site_count; i++) {
		unsigned char bytes[2] = {0};

		if (!field_peek(f, p->sites[i], bytes, sizeof bytes) ||
			bytes[0] != truth_first(p, i) || (!p->sdt && bytes[1] != truth_second(p)))
			fault("%s: site %zu holds %02x %02x while its count is %u", p->name, i,
				bytes[0], bytes[1], p->count);
	}
}

const char *truth_differs(const struct truth *t, const struct field *f)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct truth_probe *p = &t->probes[i];
		unsigned char bytes[2] = {0};
		unsigned short value = 0;

		if (!field_peek(f, p->semaphore, &value, sizeof value) ||
			value != p->count + truth_theirs(p))
			return p->name;
		for (size_t k = 0; k < p->site_count; k++)
			if (!field_peek(f, p->sites[k], bytes, sizeof bytes) ||
				bytes[0] != truth_first(p, k) ||
				(!p->sdt && bytes[1] != truth_second(p)))
				return p->name;
	}
	return NULL;
}

/* Is this what a byte of the code should be that differs from what it was? */
static bool truth_explains(const struct truth *t, const struct field_code *c)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct truth_probe *p = &t->probes[i];

		for (size_t k = 0; k < p->site_count; k++)
			if ((c->address == p->sites[k] && c->is == truth_first(p, k)) ||
				(c->address == p->sites[k] + 1 && !p->sdt &&
					c->is == truth_second(p)))
				return true;
	}
	return false;
}

void truth_check(const struct truth *t, const struct field *f, const struct field_report *r)
{
	for (size_t i = 0; i < t->count; i++)
		truth_check_probe(&t->probes[i], f);
	for (size_t i = 0; i < r->code_count; i++)
		if (!truth_explains(t, &r->code[i]))
			fault("its code at %lx was %02x and is %02x", r->code[i].address,
				r->code[i].was, r->code[i].is);
	if (r->read.twice || r->read.corrupt || r->read.stray)
		fault("handlers ran twice: %lu, registers corrupted: %lu, stray signals: %lu",
			r->read.twice, r->read.corrupt, r->read.stray);
}

void truth_check_hits(
	const struct truth *t, const struct field_report *before, const struct field_report *after)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct truth_probe *p = &t->probes[i];
		const struct storm_place *a = &before->read.places[p->place];
		const struct storm_place *b = &after->read.places[p->place];
		unsigned long passes = b->pass - a->pass;
		unsigned long wanted = p->count + truth_theirs(p) ? passes : 0;

		if (b->ran - a->ran != wanted)
			fault("%s: passed %lu times, and its handler ran %lu times; its count is "
			      "%u",
				p->name, passes, b->ran - a->ran, p->count);
	}
}
