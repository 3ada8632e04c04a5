/*
 * The memory that a switch costs the process, and whether it fits: the kernel copies a page at the
 * first write to it, and charges the copy to the memory cgroup of the process. At the limit the
 * kernel kills that process. Reading must cost nothing. What we allocate ourselves counts as well
 * where the limit is also ours, as in a container: the kernel kills the largest process there,
 * which we are not.
 */
#include "session/session.h"

#include "base/error.h"
#include "base/now.h"
#include "base/order.h"
#include "count/space.h"
#include "process/cgroup.h"
#include "process/descriptors.h"
#include "process/pagemap.h"
#include "process/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Kept free beyond the cost. The kernel accounts exactly to a batch of 64 pages a processor
 * (MEMCG_CHARGE_BATCH in mm/memcontrol.c), new page tables are charged as well where we share the
 * cgroup (one page for 2 MiB of code), and the process itself goes on allocating.
 */
#define HEADROOM_RESERVE (64 * PAGEMAP_PAGE)

#define HEADROOM_HOLDS_NS 50000000 /* about the time to switch 10,000 probes */

/*
 * What we need ourselves for each note; for each site that might be counted, and each that is: a
 * plan, its edits and their record; and to count, whatever the number. doc/performance.md, "Our
 * memory"
 */
#define HEADROOM_NOTE 512
#define HEADROOM_PLACE 256
#define HEADROOM_SITE 1024
#define HEADROOM_COUNT (2 << 20)

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

	ARRAY_EACH(const struct probes_edit, w, edits) {
		bool count = w->role == PROBES_ROLE_SEMAPHORE;

		for (uint8_t k = 0; k < w->length; k++) {
			uint64_t page = (w->address + k) / PAGEMAP_PAGE;

			if (w->old[k] == w->new_[k] || page == last[count])
				continue;
			if (!array_push(pages, &page))
				return error_memory(e, "the pages of a plan");
			last[count] = page;
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
	if (!order_array(pages, 0))
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

/* What is compared with the room, besides pages that are copied. */
struct headroom_need {
	bool maps;    /* the pages map counters; none is copied */
	uint64_t own; /* bytes that we need ourselves */
};

/* The room that decides. */
struct headroom_limit {
	uint64_t left;
	const char *file; /* NULL: unknown */
	bool both;        /* what we need ourselves has to fit as well */
};

/*
 * "copies 4000 pages (15.6 MiB, 256 KiB kept in reserve); /sys/fs/cgroup/x/memory.max has 2.1 MiB
 * left"; NULL: no memory
 */
static char *headroom_words(const struct probes_result *r, const struct headroom_need *need,
	uint64_t reserve, const struct headroom_limit *limit)
{
	char cost[32], size[32], spare[64] = "", ours[160] = "", left[300] = "", *words;
	size_t pages = r->copied_pages;

	if (!pages)
		return strdup("copies no page");
	if (reserve && limit->file)
		snprintf(spare, sizeof spare, ", %s kept in reserve",
			headroom_size(reserve, size, sizeof size));
	if (limit->both)
		snprintf(ours, sizeof ours, ", and %s for %s",
			headroom_size(need->own, size, sizeof size), program_invocation_short_name);
	if (limit->file)
		snprintf(left, sizeof left, "; %s has %s left%s", limit->file,
			headroom_size(limit->left, size, sizeof size),
			limit->both ? " for both" : "");
	if (asprintf(&words, "%s %zu page%s%s (%s%s)%s%s", need->maps ? "needs" : "copies", pages,
		    pages == 1 ? "" : "s", need->maps ? " to map the counters" : "",
		    headroom_size(r->cost_bytes, cost, sizeof cost), spare, ours, left) < 0)
		return NULL;
	return words;
}

static uint64_t headroom_spare(uint64_t left)
{
	return left > HEADROOM_RESERVE ? left - HEADROOM_RESERVE : 0;
}

static int headroom_compare(struct probes_session *s, const struct change *c,
	const struct headroom_need *need, const struct cgroup_headroom *room,
	struct probes_result *r, struct probes_error *e)
{
	struct headroom_limit limit = {.left = room->left, .file = room->limit};
	uint64_t spare = headroom_spare(limit.left);
	uint64_t reserve = c->undo || limit.left == CGROUP_UNLIMITED ? 0 : HEADROOM_RESERVE;

	/* An undo must happen sooner or later: it may use all the room, without a reserve. */
	r->room_bytes = reserve ? spare : limit.left;
	r->no_room = r->cost_bytes > r->room_bytes;
	if (!r->no_room && need->own && r->cost_bytes + need->own > headroom_spare(room->shared)) {
		limit = (struct headroom_limit){room->shared, room->shared_limit, true};
		r->room_bytes = headroom_spare(room->shared);
		r->no_room = true;
	}
	if (r->no_room || c->options.dry_run) {
		r->cost = headroom_words(r, need, reserve, &limit);
		if (!r->cost)
			return error_memory(e, "the limits of a process");
	}
	if (c->options.dry_run)
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
		need->maps ? "map counters" : "write", s->who.pid);
	error_why(e, "that %s", r->cost);
	if (limit.both)
		return error_hint(e, "raise that limit, or run %s in another cgroup",
			program_invocation_short_name);
	return error_hint(e, "%s",
		need->maps ? "raise that limit, or count fewer probes"
		: c->undo  ? "raise that limit, then take back what is still switched"
			   : "raise that limit, or switch fewer probes");
}

int headroom_check(struct probes_session *s, const struct change *c, const struct plan *p,
	struct probes_result *r, struct probes_error *e)
{
	struct array pages = ARRAY_OF(uint64_t);
	struct cgroup_headroom room;
	bool granted;
	int code;

	r->room_bytes = CGROUP_UNLIMITED;
	code = headroom_pages(p, &pages, e);
	granted = !c->options.dry_run && pages.count <= s->headroom_pages &&
		  now_ns() < s->headroom_until;
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
	if (!r->copied_pages && !c->options.dry_run)
		return 0;
	if (cgroup_headroom(&s->who, &room) < 0)
		return error_memory(e, "the limits of a process");
	code = headroom_compare(s, c, &(const struct headroom_need){0}, &room, r, e);
	cgroup_headroom_done(&room);
	return code;
}

int headroom_check_pages(
	struct probes_session *s, size_t pages, uint64_t own, struct probes_error *e)
{
	const struct headroom_need need = {.maps = true, .own = own};
	struct probes_result cost = {.copied_pages = pages};
	const struct change none = {.which = NULL};
	struct cgroup_headroom room;
	int r;

	cost.cost_bytes = (uint64_t)cost.copied_pages * PAGEMAP_PAGE;
	if (cgroup_headroom(&s->who, &room) < 0)
		return error_memory(e, "the limits of a process");
	r = headroom_compare(s, &none, &need, &room, &cost, e);
	free(cost.cost);
	cgroup_headroom_done(&room);
	/* What was granted here is not for what follows. */
	s->headroom_pages = 0;
	return r;
}

int headroom_check_own(
	struct probes_session *s, uint64_t bytes, const char *what, struct probes_error *e)
{
	struct cgroup_headroom room;
	char need[32], spare[32], left[32];
	int r = 0;

	if (cgroup_headroom(&s->who, &room) < 0)
		return error_memory(e, "the limits of a process");
	if (bytes > headroom_spare(room.shared)) {
		error_set(e, PROBES_REFUSED, -ENOSPC, "refused to %s process %d", what, s->who.pid);
		error_why(e, "%s needs %s (%s kept in reserve); %s has %s left for both",
			program_invocation_short_name, headroom_size(bytes, need, sizeof need),
			headroom_size(HEADROOM_RESERVE, spare, sizeof spare), room.shared_limit,
			headroom_size(room.shared, left, sizeof left));
		r = error_hint(e, "raise that limit, or run %s in another cgroup",
			program_invocation_short_name);
	}
	cgroup_headroom_done(&room);
	return r;
}

int headroom_check_image(
	struct probes_session *s, const struct image *image, struct probes_error *e)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < image->objects.count; i++) {
		const struct object *file = ARRAY_AT(&image->objects, struct image_object, i)->file;

		bytes += file ? file->note_count * HEADROOM_NOTE : 0;
	}
	/* A few were granted already, and to look costs more than they. */
	return bytes <= HEADROOM_OPEN ? 0 : headroom_check_own(s, bytes, "open", e);
}

int headroom_check_places(struct probes_session *s, size_t sites, struct probes_error *e)
{
	return headroom_check_own(s, HEADROOM_COUNT + sites * HEADROOM_PLACE, "count hits in", e);
}

/*
 * The memory of an arena is charged to us. The process pays for its tables of pages (one for 2 MiB,
 * when it runs there first, and one for each GiB), for the page that only it has, and for the frame
 * on its stack.
 */
#define HEADROOM_ARENA_PAGES 8

int headroom_check_arena(
	struct probes_session *s, const struct tactics *t, size_t *mapped, struct probes_error *e)
{
	size_t cost = HEADROOM_ARENA_PAGES, landings = 0;
	bool fits = true;
	uint64_t last = UINT64_MAX, own = HEADROOM_COUNT + t->planned * HEADROOM_SITE, locked = 0;
	char *status = NULL;
	struct array pages = ARRAY_OF(uint64_t);
	size_t size;
	int r;

	ARRAY_EACH_WHILE(fits, const struct tactics_landing, landing, &t->landings)
		fits = array_push(&pages, &(uint64_t){landing->address / PAGEMAP_PAGE});
	if (!fits || !order_array(&pages, 0)) {
		array_done(&pages);
		return error_memory(e, "the pages of a plan");
	}
	ARRAY_EACH(const uint64_t, page, &pages) {
		landings += *page != last;
		cost += (*page >> 9 != last >> 9) + (*page >> 18 != last >> 18);
		last = *page;
	}
	array_done(&pages);
	*mapped = (TACTICS_OWN_BYTES + t->data_size + t->code_size) / PAGEMAP_PAGE + landings;
	r = space_check(&s->who, SPACE_ADDRESSES, *mapped * PAGEMAP_PAGE, e);
	own += *mapped * PAGEMAP_PAGE - TACTICS_OWN_BYTES;
	/* Where the process has locked memory, the state has memory at once: arena_make. */
	if (identity_read(&s->who, "status", &status, &size) == 0)
		(void)procfs_status_numbers(status, "VmLck", 10, &locked, 1);
	free(status);
	own -= locked ? 0 : TACTICS_STATE_BYTES;
	return r < 0 ? r : headroom_check_pages(s, cost, own, e);
}
