/* The public call that delivers events: reads the rings, orders what came, decodes it. */
#include "session/events.h"

#include "base/error.h"
#include "base/now.h"
#include "base/order.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EVENTS_PATIENCE_NS 500000000 /* with a thread that fills a record, and was interrupted */
#define EVENTS_LAST_TRIES 100        /* of a millisecond, for the same at the end */
#define EVENTS_PERMIT_NS 100000000   /* between two permissions of stacks */
#define EVENTS_LOOK_NS 100000000     /* between two looks at what is mapped, for stacks */
#define EVENTS_SHORT_MARK_NS 500000  /* marks that are nearer say nothing about the rate */

/* ---- reading the rings ---- */

/* Keep a record; false: no memory. */
static bool events_keep(struct events *ev, uint32_t arena, const struct events_reader *r,
	const struct events_entry *record)
{
	size_t size = events_shapes[r->ring].size;
	struct events_pending *p;

	if (!array_reserve(&ev->bytes, size) || !array_reserve(&ev->pending, 1))
		return false;
	p = array_add(&ev->pending);
	*p = (struct events_pending){.ticks = record->ticks,
		.at = ev->bytes.count,
		.arena = arena,
		.ring = (uint8_t)r->ring};
	memcpy((char *)ev->bytes.data + ev->bytes.count, record, size);
	ev->bytes.count += size;
	return true;
}

/* Judge records that were read twice; false: one of them is waited for. */
static bool events_sort_out(
	struct events *ev, uint32_t arena, enum events_ring ring, size_t count, bool last)
{
	struct events_arena *ew = ARRAY_AT(&ev->arenas, struct events_arena, arena);
	struct events_reader *r = &ew->readers[ring];
	size_t size = events_shapes[ring].size;

	for (size_t i = 0; i < count; i++) {
		const struct events_entry *record =
			(const struct events_entry *)(ev->copy + i * size);
		const struct events_entry *again =
			(const struct events_entry *)(ev->again + i * size);
		bool waited = r->next < ew->stuck[ring];
		bool give_up = last ||
			       (waited && (int64_t)now_ns() - ew->since[ring] > EVENTS_PATIENCE_NS);

		switch (events_take(r, record, again->mark, give_up)) {
		case EVENTS_WHOLE:
			if (record->site < ew->sites.count && events_keep(ev, arena, r, record))
				break;
			r->got--;
			r->lost++;
			break;
		case EVENTS_WAITING:
			events_left_note(ev, again->mark);
			if (!waited) {
				ew->stuck[ring] = r->head;
				ew->since[ring] = (int64_t)now_ns();
			}
			return false;
		case EVENTS_LOST:
			events_left_note(ev, again->mark);
			break;
		case EVENTS_OTHER:
			break;
		}
	}
	return true;
}

/* Read what came. False: unreadable, or a record is waited for: *waiting. */
static bool events_read_ring(struct probes_session *s, struct events *ev, uint32_t arena,
	enum events_ring ring, bool last, bool *waiting)
{
	struct events_arena *ew = ARRAY_AT(&ev->arenas, struct events_arena, arena);
	struct arena *w = ARRAY_AT(&s->arenas, struct arena, ew->arena);
	struct memory *m = jumps_memory(s, w);
	const struct events_shape *shape = &events_shapes[ring];
	struct events_reader *r = &ew->readers[ring];
	size_t state = offsetof(struct recorder_state, events), left;
	uint64_t head;

	if (!events_head(s, ew, ring, &head))
		return false;
	for (left = events_range(r, head); left;) {
		size_t to_end = shape->records - (size_t)(r->next & (shape->records - 1));
		size_t count = left < to_end ? left : to_end;
		size_t at = state + events_at(r, r->next);

		if (!arena_get(w, m, at, ev->copy, count * shape->size) ||
			!arena_get(w, m, at, ev->again, count * shape->size))
			return false;
		if (!events_sort_out(ev, arena, ring, count, last)) {
			*waiting = true;
			return false;
		}
		left -= count;
	}
	return true;
}

/* Read all rings. Returns whether a record is waited for. */
static bool events_read_rings(struct probes_session *s, struct events *ev, bool last)
{
	bool waiting = false;

	for (uint32_t i = 0; i < ev->arenas.count; i++) {
		const struct events_arena *ew = ARRAY_AT(&ev->arenas, struct events_arena, i);

		for (enum events_ring ring = 0; ring < EVENTS_RINGS; ring++)
			if (ew->rings >> ring & 1)
				(void)events_read_ring(s, ev, i, ring, last, &waiting);
	}
	return waiting;
}

/* ---- stacks ---- */

#define EVENTS_STATE(member) \
	(offsetof(struct recorder_state, events) + offsetof(struct events_state, member))

/*
 * Permit as many stacks as are wanted in the time that has passed; they are drawn from all hits
 * alike, by the number of hits that there were lately.
 */
static void events_permit_stacks(struct probes_session *s, struct events *ev, int64_t now)
{
	double seconds = (double)(now - ev->permitted) / 1e9;
	uint64_t all = 0, chance = UINT64_C(1) << 32;
	struct events_heads heads;

	if (!ev->stacks || now - ev->permitted < EVENTS_PERMIT_NS)
		return;
	ARRAY_EACH(struct events_arena, ew, &ev->arenas) {
		struct arena *w = ARRAY_AT(&s->arenas, struct arena, ew->arena);
		uint64_t left;

		if (!arena_get(w, &s->memory, EVENTS_STATE(rings[EVENTS_WITH_STACK]), &heads,
			    sizeof heads))
			continue;
		all += heads.hits - ew->hits;
		ew->hits = heads.hits;
		left = heads.left + (uint64_t)(ev->stacks * seconds + 0.5);
		left = !ev->permitted ? 0 : left < ev->stacks ? left : ev->stacks;
		(void)arena_put(w, &s->memory, EVENTS_STATE(rings[EVENTS_WITH_STACK].left), &left,
			sizeof left);
	}
	if (ev->permitted)
		ev->rate = ((double)all / seconds + ev->rate) / (ev->rate > 0 ? 2 : 1);
	if (ev->rate > ev->stacks)
		chance = (uint64_t)(ev->stacks / ev->rate * (double)chance);
	ARRAY_EACH(const struct events_arena, ew, &ev->arenas)
		(void)arena_put(ARRAY_AT(&s->arenas, struct arena, ew->arena), &s->memory,
			EVENTS_STATE(chance), &chance, sizeof chance);
	ev->permitted = now;
}

/*
 * The real time of a record. Between two readings it is proportional to the ticks: so the order of
 * events is that of their times, also where the clock was set.
 */
static int64_t events_time(const struct events *ev, uint64_t ticks)
{
	const struct events_mark *from = &ev->marks[ticks >= ev->marks[1].ticks], *to = from + 1;
	int64_t elapsed = (int64_t)(ticks - to->ticks);
	double rate = ev->ns_per_tick;

	if (to->ticks > from->ticks && to->real_ns - from->real_ns > EVENTS_SHORT_MARK_NS)
		rate = (double)(to->real_ns - from->real_ns) / (double)(to->ticks - from->ticks);
	return to->real_ns + (int64_t)((double)elapsed * rate);
}

/* ---- delivering ---- */

static void events_decode_value(struct events *ev, const struct events_where *where, size_t i,
	const struct events_pending *from, const struct events_entry *record,
	struct probes_value *value)
{
	const struct events_reader as = {.ring = from->ring};
	size_t length = 0;
	const char *text;

	value->size = (int8_t)where->sizes[i];
	value->asked = where->texts[i] > 0;
	if (i >= record->arguments || !(record->known >> i & 1))
		return;
	value->kind = where->kinds[i];
	value->bits = record->values[i];
	if (value->kind == PROBES_VALUE_FLOAT && value->size == 4) {
		uint32_t bits = (uint32_t)value->bits;
		float real;

		memcpy(&real, &bits, sizeof real);
		value->real = (double)real;
	}
	text = events_text(&as, record, where->texts[i], &length);
	if (!text)
		return;
	value->cut = !memchr(text, '\0', length);
	memcpy(ev->texts[i], text, length);
	ev->texts[i][length] = '\0';
	value->text = ev->texts[i];
}

static void events_decode(struct probes_session *s, struct events *ev,
	const struct events_pending *from, const struct events_where *where, int64_t now,
	struct probes_event *event)
{
	/* Their sizes are multiples of its alignment. */
	const struct events_entry *record =
		(const struct events_entry *)(const void *)((char *)ev->bytes.data + from->at);
	const struct events_reader as = {.ring = from->ring};
	const struct events_stack *stack = events_stack(&as, record);
	const struct events_thread *thread;
	const struct object_probes *h;
	size_t local;

	thread = events_thread_of(s, ev, from, record, now);
	*event = (struct probes_event){.probe = where->probe,
		.site = where->site,
		.time_ns = events_time(ev, from->ticks),
		.pid = thread->pid,
		.tid = thread->tid,
		.thread = thread->name,
		.unproven = !(record->flags & EVENTS_CALLS),
		.count = where->arguments};
	/* Children have their own reasons. */
	event->late = event->unproven && !record->process && events_thread_late(ev, from->ticks);
	if (where->caller && record->arguments > where->arguments &&
		record->known >> where->arguments & 1)
		event->caller = record->values[where->arguments];
	for (size_t i = 0; i < event->count; i++)
		events_decode_value(ev, where, i, from, record, &event->values[i]);
	if (!stack)
		return;
	event->stack_why = "other objects were mapped meanwhile";
	if (ev->mapped[0] || ev->mapped[1])
		return;
	h = catalog_find(&s->catalog, where->probe, &local);
	stack_callers(s, stack, h->info.bias + h->probes[local].sites[where->site].pc, event);
}

/* Forget the first `count` of those that are pending, and their records. */
static void events_forget(struct events *ev, size_t count)
{
	struct events_pending *all = ev->pending.data;
	size_t left = ev->pending.count - count, size = 0;
	char *bytes;

	if (!count)
		return;
	for (size_t i = count; i < ev->pending.count; i++)
		size += events_shapes[all[i].ring].size;
	bytes = left ? malloc(size) : NULL;
	if (left && !bytes)
		left = 0; /* they are lost */
	size = 0;
	for (size_t i = 0; i < left; i++) {
		struct events_pending *p = &all[i];

		*p = all[count + i];
		memcpy(bytes + size, (char *)ev->bytes.data + p->at, events_shapes[p->ring].size);
		p->at = size;
		size += events_shapes[p->ring].size;
	}
	if (left) {
		array_done(&ev->bytes);
		ev->bytes = ARRAY_OF(char);
		ev->bytes.data = bytes;
		ev->bytes.capacity = size;
	}
	ev->bytes.count = left ? size : 0;
	ev->pending.count = left;
}

/* False: no more are wanted. */
static bool events_deliver_one(struct probes_session *s, struct events *ev,
	const struct events_pending *from, int64_t now, probes_event_fn *each, void *data)
{
	const struct events_arena *w = ARRAY_AT(&ev->arenas, struct events_arena, from->arena);
	const struct events_entry *record =
		(const struct events_entry *)(const void *)((char *)ev->bytes.data + from->at);
	const struct events_where *where = ARRAY_AT(&w->sites, struct events_where, record->site);
	bool told = events_told(w, where), on = true;

	for (; on && where; where = where->next
					    ? ARRAY_AT(&w->sites, struct events_where, where->next)
					    : NULL) {
		const struct probes_probe *probe;
		struct probes_event event;

		/* One that was dropped, while others are not. */
		if (told && !where->cost)
			continue;
		events_decode(s, ev, from, where, now, &event);
		probe = catalog_probe(&s->catalog, event.probe);
		if (ev->condition && !probes_condition_holds(ev->condition, &event, probe)) {
			ev->sum.rejected++;
			ev->sum.undecided +=
				probes_condition_undecided(ev->condition, &event, probe);
			continue;
		}
		ev->sum.delivered++;
		on = each(data, &event);
	}
	return on;
}

static void events_deliver(struct probes_session *s, struct events *ev, uint64_t until,
	uint64_t newest, probes_event_fn *each, void *data)
{
	int64_t now = (int64_t)now_ns();
	bool on = true;
	size_t i;

	/* The program can write any time there. */
	for (i = 0; i < ev->pending.count; i++) {
		struct events_pending *from = ARRAY_AT(&ev->pending, struct events_pending, i);

		from->ticks = from->ticks < ev->began ? ev->began
			      : from->ticks > newest  ? newest
						      : from->ticks;
	}
	if (!order_array(&ev->pending, offsetof(struct events_pending, ticks)))
		return;
	for (i = 0; on && i < ev->pending.count; i++) {
		const struct events_pending *from =
			ARRAY_AT(&ev->pending, struct events_pending, i);

		if (from->ticks >= until)
			break;
		on = events_deliver_one(s, ev, from, now, each, data);
	}
	events_forget(ev, i);
}

uint64_t probes_events_clock(void)
{
	struct events_mark now;

	clock_look(&now.ticks, &now.real_ns);
	return now.ticks;
}

void probes_events_round(struct probes_session *s, uint64_t now)
{
	if (!s->events)
		return;
	s->events->rounds[0] = s->events->rounds[1];
	s->events->rounds[1] = now;
}

void probes_events_reset(struct probes_session *s)
{
	struct events *ev = s->events;

	if (!ev || !ev->on)
		return;
	events_forget(ev, ev->pending.count);
	ev->sum = (struct probes_events){0};
	clock_look(&ev->marks[2].ticks, &ev->marks[2].real_ns);
	ev->marks[0] = ev->marks[1] = ev->marks[2];
	ev->began = ev->marks[2].ticks;
	for (uint32_t i = 0; i < ev->arenas.count; i++)
		(void)events_skip(s, ARRAY_AT(&ev->arenas, struct events_arena, i),
			ARRAY_AT(&ev->arenas, struct events_arena, i)->readers->generation);
}

int probes_events_read(struct probes_session *s, bool last, probes_event_fn *each, void *data,
	struct probes_error *e)
{
	struct events *ev = s->events;
	struct timespec nap = {.tv_nsec = 1000000};
	struct events_mark mark;
	uint64_t until;
	int r;

	if (!ev) {
		error_set(e, PROBES_USAGE, -EINVAL, "cannot read events of process %d", s->who.pid);
		return error_why(e, "none were kept");
	}
	r = probes_alive(s, e);
	if (r == 0 && ev->on) {
		(void)events_thread_permit(s, ev, (int64_t)now_ns());
		events_permit_stacks(s, ev, (int64_t)now_ns());
		events_left_free(s, ev, (int64_t)now_ns());
	}
	holder_keep(s);
	clock_look(&mark.ticks, &mark.real_ns);
	ev->marks[0] = ev->marks[1];
	ev->marks[1] = ev->marks[2];
	ev->marks[2] = mark;
	for (int i = 0; events_read_rings(s, ev, last && i == EVENTS_LAST_TRIES) && last; i++)
		nanosleep(&nap, NULL);
	clock_look(&mark.ticks, &mark.real_ns);
	/* What is mapped is read after the hits that are to be delivered, and not too often: until
	   then it is too early to deliver them. */
	if (ev->stacks) {
		if (!ev->pending.count ||
			(!last && (int64_t)now_ns() - ev->looked < EVENTS_LOOK_NS))
			return r;
		ev->looked = (int64_t)now_ns();
		ev->mapped[0] = ev->mapped[1]; /* some that came before were left waiting then */
		ev->mapped[1] = stack_look(s);
	}
	until = ev->rounds[1] ? ev->rounds[0] : ev->marks[1].ticks;
	events_deliver(s, ev, last ? UINT64_MAX : until, mark.ticks, each, data);
	return r;
}

struct probes_events probes_events(const struct probes_session *s)
{
	struct probes_events sum = {0};

	if (!s->events)
		return sum;
	sum = s->events->sum;
	sum.no_calls = s->events->no_calls;
	sum.calls = !sum.no_calls;
	for (size_t i = 0; i < s->events->arenas.count; i++)
		for (size_t k = 0; k < EVENTS_RINGS; k++) {
			const struct events_reader *r =
				&ARRAY_AT(&s->events->arenas, struct events_arena, i)->readers[k];

			sum.lost += r->lost;
			sum.unfinished += r->unfinished;
		}
	return sum;
}

size_t probes_text_at(struct probes_session *s, uint64_t address, char *text, size_t size)
{
	size_t length = 0;

	/* Up to the end of a page: the next one may not be mapped. */
	while (length + 1 < size && !memchr(text, '\0', length)) {
		size_t room = size - 1 - length;
		size_t rest = TACTICS_PAGE - (size_t)((address + length) % TACTICS_PAGE);
		size_t part = rest < room ? rest : room;

		if (!memory_read(&s->memory, address + length, text + length, part))
			break;
		length += part;
	}
	if (size)
		text[length] = '\0';
	return size ? strlen(text) : 0;
}
