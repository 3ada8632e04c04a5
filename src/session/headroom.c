/*
 * The memory that a switch costs the process, and whether it fits: the kernel copies a page at the
 * first write to it, and charges the copy to the memory cgroup of the process. At the limit the
 * kernel kills that process. Reading must cost nothing.
 */
#include "session/session.h"

#include "base/error.h"
#include "base/now.h"
#include "base/order.h"
#include "count/space.h"
#include "process/cgroup.h"
#include "process/descriptors.h"
#include "process/pagemap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * Kept free beyond the cost. The kernel accounts exactly to a batch of 64 pages a processor
 * (MEMCG_CHARGE_BATCH in mm/memcontrol.c), new page tables are charged as well where we share the
 * cgroup (one page for 2 MiB of code), and the process itself goes on allocating.
 */
#define HEADROOM_RESERVE (64 * PAGEMAP_PAGE)

#define HEADROOM_HOLDS_NS 50000000 /* about the time to switch 10,000 probes */

/* Open pagemap; false: it cannot be read. */
static bool headroom_open_pagemap(struct probes_session *s)
{
	if (s->pagemap < 0)
		s->pagemap = identity_openat(&s->who, "pagemap", O_RDONLY);
	return s->pagemap >= 0;
}

/* Keep pagemap open, unless descriptors are scarce. */
static void headroom_rest_pagemap(struct probes_session *s)
{
	if (s->pagemap < 0 || !descriptors_scarce(s->pagemap))
		return;
	close(s->pagemap);
	s->pagemap = -1;
}

/* ---- reading ---- */

int headroom_fetch(struct probes_session *s, struct reader *reader, bool *changed)
{
	uint64_t now = now_ns();

	if (s->memory.fd >= 0 && now >= reader->marked_until && headroom_open_pagemap(s)) {
		for (size_t i = 0; i < reader->pieces.count; i++)
			pagemap_mark(s->pagemap,
				&ARRAY_AT(&reader->pieces, struct reader_piece, i)->spans);
		reader->marked_until = now + HEADROOM_HOLDS_NS;
		headroom_rest_pagemap(s);
	}
	return reader_fetch(reader, &s->catalog, &s->memory, changed);
}

/* ---- the pages of a plan ---- */

/* Append the page numbers of all bytes that edits change. */
static int headroom_pages_of(const struct array *edits, struct array *pages, struct probes_error *e)
{
	/* The last page of counts, of code: neighbours mostly share a page. */
	uint64_t last[2] = {0, 0};

	for (size_t i = 0; i < edits->count; i++) {
		const struct probes_edit *w = ARRAY_AT(edits, struct probes_edit, i);
		bool count = w->role == PROBES_ROLE_SEMAPHORE;

		for (uint8_t k = 0; k < w->length; k++) {
			uint64_t page = (w->address + k) / PAGEMAP_PAGE, *slot;

			if (w->old[k] == w->new_[k] || page == last[count])
				continue;
			slot = array_add(pages);
			if (!slot)
				return error_memory(e, "the pages of a plan");
			last[count] = *slot = page;
		}
	}
	return 0;
}

/* Distinct, ascending page numbers of all bytes that a plan changes. */
static int headroom_pages(const struct plan *p, struct array *pages, struct probes_error *e)
{
	size_t distinct = 0;
	int r = headroom_pages_of(&p->edits, pages, e);

	if (r == 0)
		r = headroom_pages_of(&p->uprobes, pages, e);
	if (r < 0)
		return r;
	if (!order_by_number(pages->data, pages->count, pages->size, 0))
		return error_memory(e, "the pages of a plan");
	for (size_t i = 0; i < pages->count; i++) {
		uint64_t page = *ARRAY_AT(pages, uint64_t, i);

		if (!distinct || *ARRAY_AT(pages, uint64_t, distinct - 1) != page)
			*ARRAY_AT(pages, uint64_t, distinct++) = page;
	}
	pages->count = distinct;
	return 0;
}

/* ---- the comparison ---- */

/* "15.6 MiB" */
static const char *headroom_size(uint64_t bytes, char *out, size_t size)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
	double n = (double)bytes / 1024;
	size_t unit = 0;

	while (n >= 1024 && unit + 1 < sizeof units / sizeof *units) {
		n /= 1024;
		unit++;
	}
	snprintf(out, size, unit ? "%.1f %s" : "%.0f %s", n, units[unit]);
	return out;
}

/*
 * "needs 15.6 MiB to copy 4000 pages, with 256 KiB to spare; 2.1 MiB are left under
 * /sys/fs/cgroup/x/memory.max"; NULL: no memory
 */
static char *headroom_words(const struct probes_result *r, bool maps, uint64_t reserve,
	const struct cgroup_headroom *room)
{
	char cost[32], spare[48] = "", left[32], *words;
	const char *limit = room->limit;
	int n;

	if (!r->copied_pages)
		return strdup("needs no memory: no page is copied");
	headroom_size(r->cost_bytes, cost, sizeof cost);
	headroom_size(room->left, left, sizeof left);
	if (reserve && limit)
		snprintf(spare, sizeof spare, ", with %s to spare",
			headroom_size(reserve, (char[32]){0}, 32));
	n = asprintf(&words, "needs %s %s %zu page%s%s%s%s%s%s%s", cost, maps ? "for" : "to copy",
		r->copied_pages, r->copied_pages == 1 ? "" : "s",
		maps ? " that map the counters" : "", spare, limit ? "; " : "", limit ? left : "",
		limit ? " are left under " : "", limit ? limit : "");
	return n < 0 ? NULL : words;
}

/* `maps`: the memory is for an arena that is mapped; no page is copied. */
static int headroom_compare(struct probes_session *s, const struct change *c, bool maps,
	const struct cgroup_headroom *room, struct probes_result *r, struct probes_error *e)
{
	uint64_t left = room->left;
	uint64_t spare = left > HEADROOM_RESERVE ? left - HEADROOM_RESERVE : 0;
	uint64_t reserve = c->undo || left == CGROUP_UNLIMITED ? 0 : HEADROOM_RESERVE;

	/* An undo must happen sooner or later: it may use all the room, without a reserve. */
	r->room_bytes = reserve ? spare : left;
	r->no_room = r->cost_bytes > r->room_bytes;
	if (r->no_room || c->dry_run) {
		r->cost = headroom_words(r, maps, reserve, room);
		if (!r->cost)
			return error_memory(e, "the limits of a process");
	}
	if (c->dry_run)
		return 0;
	if (!r->no_room) {
		/* The check stays valid for a moment: a long plan takes longer from its check to
		   its last write. */
		s->headroom_pages =
			(spare > r->cost_bytes ? spare - r->cost_bytes : 0) / PAGEMAP_PAGE;
		s->headroom_until = now_ns() + HEADROOM_HOLDS_NS;
		return 0;
	}
	error_set(e, PROBES_REFUSED, -ENOSPC, "refused to %s in process %d",
		maps ? "map counters" : "write", s->who.pid);
	error_why(e, "that %s", r->cost);
	return error_hint(e, "%s",
		maps      ? "raise that limit, or count fewer probes"
		: c->undo ? "raise that limit, then take back what is still switched"
			  : "raise that limit, or switch fewer probes");
}

int headroom_check(struct probes_session *s, const struct change *c, const struct plan *p,
	struct probes_result *r, struct probes_error *e)
{
	struct array pages;
	struct cgroup_headroom room;
	bool granted;
	int code;

	r->room_bytes = CGROUP_UNLIMITED;
	array_init(&pages, sizeof(uint64_t));
	code = headroom_pages(p, &pages, e);
	granted = !c->dry_run && pages.count <= s->headroom_pages && now_ns() < s->headroom_until;
	if (code < 0 || !pages.count || granted) {
		s->headroom_pages -= code == 0 ? pages.count : 0;
		array_done(&pages);
		return code;
	}
	if (headroom_open_pagemap(s))
		r->copied_pages = pagemap_count(s->pagemap, pages.data, pages.count);
	else
		/* An undo writes to pages that were written, and so copied, before. */
		r->copied_pages = c->undo ? 0 : pages.count;
	headroom_rest_pagemap(s);
	array_done(&pages);
	r->cost_bytes = (uint64_t)r->copied_pages * PAGEMAP_PAGE;
	/* Reading what is left costs more than a small switch: only where it matters. */
	if (!r->copied_pages && !c->dry_run)
		return 0;
	if (cgroup_headroom(&s->who, &room) < 0)
		return error_memory(e, "the limits of a process");
	code = headroom_compare(s, c, false, &room, r, e);
	cgroup_headroom_done(&room);
	return code;
}

int headroom_check_pages(struct probes_session *s, size_t pages, struct probes_error *e)
{
	struct probes_result cost = {.copied_pages = pages};
	const struct change none = {.which = NULL};
	struct cgroup_headroom room;
	int r;

	cost.cost_bytes = (uint64_t)cost.copied_pages * PAGEMAP_PAGE;
	if (cgroup_headroom(&s->who, &room) < 0)
		return error_memory(e, "the limits of a process");
	r = headroom_compare(s, &none, true, &room, &cost, e);
	free(cost.cost);
	cgroup_headroom_done(&room);
	/* What was granted here is not for what follows. */
	s->headroom_pages = 0;
	return r;
}

/*
 * The memory of an arena is ours. The process pays for its tables of pages (one for 2 MiB, when it
 * runs there first, and one for each GiB), for the page that only it has, and for the frame on its
 * stack.
 */
#define HEADROOM_ARENA_PAGES 8

int headroom_check_arena(struct probes_session *s, const struct tactics *t, struct probes_error *e)
{
	size_t cost = HEADROOM_ARENA_PAGES, landings = 0;
	uint64_t last = UINT64_MAX;
	struct array pages;
	int r;

	array_init(&pages, sizeof(uint64_t));
	for (size_t i = 0; i < t->landings.count; i++) {
		uint64_t *slot = array_add(&pages);

		if (!slot)
			break;
		*slot = ARRAY_AT(&t->landings, struct tactics_landing, i)->address / PAGEMAP_PAGE;
	}
	if (pages.count != t->landings.count ||
		!order_by_number(pages.data, pages.count, pages.size, 0)) {
		array_done(&pages);
		return error_memory(e, "the pages of a plan");
	}
	for (size_t i = 0; i < pages.count; i++) {
		uint64_t page = *ARRAY_AT(&pages, uint64_t, i);

		landings += page != last;
		cost += (page >> 9 != last >> 9) + (page >> 18 != last >> 18);
		last = page;
	}
	array_done(&pages);
	r = space_check(&s->who, SPACE_ADDRESSES,
		t->data_size + t->code_size + (1 + landings) * PAGEMAP_PAGE, e);
	return r < 0 ? r : headroom_check_pages(s, cost, e);
}
