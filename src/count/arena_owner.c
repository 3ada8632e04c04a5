/* What an arena says about the sessions that use it, what they measure there, and about older ones.
 */
#include "count/arena.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

bool arena_knows(const struct arena *w, struct memory *m, const struct arena *older)
{
	struct recorder_sealed all = {0};
	size_t at = w->recorder + recorder_sealed_at();
	bool known = false;

	if (w->file)
		memcpy(&all, w->file + at, sizeof all);
	else if (!memory_read(m, w->address + at, &all, sizeof all))
		return false;
	for (size_t i = 0; i < RECORDER_OLDER; i++)
		known = known || all.older[i].state == arena_state(older);
	return known;
}

void arena_set_left(struct arena *w, struct memory *m, size_t site, uint8_t left)
{
	struct arena_site *s = &w->sites[site];

	/* What is left in a family of processes is left in each: none of its children clears it. */
	if (s->left == left || arena_is_shared(w))
		return;
	s->left = left;
	(void)arena_write(w, m,
		site * sizeof(struct arena_mark) + offsetof(struct arena_mark, left), &left,
		sizeof left);
}

static size_t arena_holders_at(const struct arena *w)
{
	return w->site_count * sizeof(struct arena_mark);
}

size_t arena_bits_size(const struct arena *w)
{
	return (w->site_count + 7) / 8;
}

static size_t arena_bits_at(const struct arena *w, size_t record)
{
	return arena_holders_at(w) + ARENA_HOLDERS * sizeof(struct arena_holder) +
	       record * arena_bits_size(w);
}

bool arena_read_holders(const struct arena *w, struct memory *m, struct arena_holder *all)
{
	return arena_look(w, m, arena_holders_at(w), all, ARENA_HOLDERS * sizeof *all);
}

bool arena_read_bits(const struct arena *w, struct memory *m, size_t record, uint8_t *bits)
{
	return arena_look(w, m, arena_bits_at(w, record), bits, arena_bits_size(w));
}

void arena_clear_bit(struct arena *w, struct memory *m, size_t record, size_t site)
{
	size_t at = arena_bits_at(w, record) + site / 8;
	uint8_t bits;

	if (!arena_look(w, m, at, &bits, sizeof bits) || !(bits >> site % 8 & 1))
		return;
	bits &= (uint8_t) ~(1u << site % 8);
	(void)arena_write(w, m, at, &bits, sizeof bits);
}

bool arena_set_holder(struct arena *w, struct memory *m, size_t at,
	const struct arena_holder *record, const uint8_t *bits)
{
	/* A record is believed with its bits. */
	return (!bits || arena_write(w, m, arena_bits_at(w, at), bits, arena_bits_size(w))) &&
	       arena_write(w, m, arena_holders_at(w) + at * sizeof *record, record, sizeof *record);
}

/* ---- measuring a pair ---- */

bool arena_measure(struct arena *w, struct memory *m, uint64_t session, uint64_t multiplier)
{
	/* Children that live keep their numbers. */
	size_t first = offsetof(struct recorder_state, children), rest = first + sizeof(uint64_t);
	struct recorder_state *state = calloc(1, sizeof *state); /* mostly untouched */
	bool done = false;

	if (state) {
		state->epoch = 1;
		state->multiplier = multiplier;
		state->session = session;
		done = arena_put(w, m, 0, state, first) &&
		       arena_put(w, m, rest, (const unsigned char *)state + rest,
			       RECORDER_PAIR_BYTES - rest);
	}
	free(state);
	return done;
}

void arena_unmeasure(struct arena *w, struct memory *m)
{
	const uint64_t none = 0;

	(void)arena_put(w, m, offsetof(struct recorder_state, session), &none, sizeof none);
}

bool arena_measured(
	struct arena *w, struct memory *m, bool keyed, bool renew, struct recorder_sum *sum)
{
	struct recorder_state *copy = w->file ? NULL : malloc(RECORDER_PAIR_BYTES);
	bool done = w->file || (copy && arena_get(w, m, 0, copy, RECORDER_PAIR_BYTES));
	const struct recorder_state *state =
		w->file ? (const struct recorder_state *)(w->file + w->file_size -
							  TACTICS_STATE_BYTES)
			: copy;
	uint64_t next;

	if (done) {
		recorder_read(state, keyed, sum);
		next = state->epoch + 1;
	}
	if (done && renew)
		done = arena_put(w, m, offsetof(struct recorder_state, epoch), &next, sizeof next);
	free(copy);
	return done;
}
