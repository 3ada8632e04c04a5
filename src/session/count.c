/*
 * Prepares sites for counting: decides how, and maps what they need. Changes no code of the
 * process.
 */
#include "session/session.h"

#include "base/error.h"
#include "count/install.h"
#include "count/space.h"
#include "process/procfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_GAP 256
#define COUNT_LONGEST (1 << 20)
#define COUNT_TRIES 3 /* the process may map memory itself where we are about to */

/* ---- one object ---- */

/* A window that is made now is newer than all that the process has. */
static uint64_t count_next_serial(const struct probes_session *s)
{
	uint64_t last = 0;

	for (size_t i = 0; i < s->windows.count; i++) {
		uint64_t serial = ARRAY_AT(&s->windows, struct window, i)->serial;

		last = serial > last ? serial : last;
	}
	return last + 1;
}

static int count_add_window(struct probes_session *s, const struct tactics *t, size_t left,
	struct probes_result *figures, struct probes_error *e)
{
	const struct install in = {.who = &s->who,
		.memory = &s->memory,
		.held = s->held ? s->start : NULL,
		.interrupts = t->may_evict,
		.mappings_left = left,
		.serial = count_next_serial(s)};
	int r = room_check_window(s, t, e);
	struct window *w = r < 0 ? NULL : array_add(&s->windows);
	bool left_open;

	if (r == 0)
		r = w ? install_window(&in, t, w, &left_open, e) : error_memory(e, "counters");
	if (r == 0)
		figures->mapped_pages += 1 + w->file_size / TACTICS_PAGE;
	else
		s->windows.count -= w != NULL;
	if (w && left_open && identity_alive(&s->who))
		log_say(&s->log, PROBES_LOG_NOTICE,
			"a descriptor of process %d, of a memfd named " MAPS_WINDOW
			", could not be closed and stays open",
			s->who.pid);
	return r;
}

/* May a jump that is known already be written, as far as the bytes there tell? */
static bool count_known(const struct probes_session *s, const struct object_jump *j,
	const uint8_t *code, size_t size)
{
	if (!j->length || j->window == PROBES_NONE || size < ARCH_SITE_BYTES)
		return false;
	for (unsigned i = 0; i < ARCH_SITE_BYTES; i++)
		if (code[i] != j->old[i] && !(j->vary >> i & 1))
			return false;
	return window_fits(ARRAY_AT(&s->windows, struct window, j->window), j->entry, code, size);
}

static const char *count_why(enum tactics_result result)
{
	const struct tactics_site site = {.result = result};

	return result == TACTICS_PLANNED ? NULL : tactics_why(&site);
}

/* Sites that no jump counts: let the kernel count them, or say whether it or a stop could. */
static void count_rest(struct probes_session *s, struct object_probes *h, const struct change *c,
	const struct array *places, const struct tactics *t, const bool *chosen,
	struct probes_result *figures)
{
	for (size_t i = 0, at = 0; i < places->count; i++) {
		const struct jumps_place *place = ARRAY_AT(places, struct jumps_place, i);

		at += t->sites[at].address != place->address;
		if (!chosen[place->site] || h->site_live[place->site].counted ||
			!h->jumps[place->site].why)
			continue;
		if (c->mode.kernel && kernel_choose(s, h, places, i))
			continue;
		if (t->sites[at].result == TACTICS_NEEDS_STOP)
			figures->stop_sites++;
		else
			figures->kernel_sites += !c->mode.kernel && kernel_may(h, places, i);
	}
}

/* Read the code from each site on. */
static int count_read_code(
	struct probes_session *s, struct tactics_site *sites, size_t count, struct probes_error *e)
{
	size_t *offsets = calloc(count + 1, sizeof *offsets);
	unsigned char *bytes = NULL;
	struct spans spans;
	bool fits = offsets;
	int r = 0;

	spans_init(&spans, COUNT_GAP, COUNT_LONGEST);
	for (size_t i = 0; fits && i < count; i++) {
		offsets[i] = spans_add(&spans, sites[i].address, TACTICS_BYTES);
		fits = offsets[i] != SIZE_MAX;
	}
	bytes = fits ? malloc(spans.total + 1) : NULL;
	if (!bytes)
		r = error_memory(e, "the code of a process");
	else if ((r = s->memory.ops->read(&s->memory, &spans, bytes)) < 0)
		error_set(e, PROBES_FAILED, r, "cannot read the code of process %d", s->who.pid);
	for (size_t i = 0; r == 0 && i < count; i++) {
		sites[i].code_size = (uint8_t)spans_got(&spans, offsets[i], TACTICS_BYTES);
		memcpy(sites[i].code, bytes + offsets[i], sites[i].code_size);
	}
	spans_done(&spans);
	free(bytes);
	free(offsets);
	return r;
}

/* One round: plan the sites that are wanted, and map what they need. */
static int count_plan_object(struct probes_session *s, struct object_probes *h,
	const struct array *places, struct tactics *t, bool dry_run, struct probes_result *figures,
	struct probes_error *e)
{
	struct tactics_space space;
	size_t left = 0, entry = 0;
	int r;

	tactics_space_init(&space);
	r = space_read(&s->who, &space, &left, e);
	/* Each page of landings may be a mapping of its own. */
	left = left > INSTALL_MAPPINGS ? left - INSTALL_MAPPINGS : 0;
	space.room = left < space.room ? left : space.room;
	if (r == 0 && !tactics_plan(t, &space))
		r = error_memory(e, "counters");
	if (r == 0 && t->planned && !dry_run)
		r = count_add_window(s, t, left + INSTALL_MAPPINGS, figures, e);
	for (size_t i = 0; r == 0 && i < t->count; i++) {
		const struct tactics_site *from = &t->sites[i];

		if (!from->wanted)
			continue;
		for (size_t at = jumps_place_at(places, from->address);
			at < places->count &&
			ARRAY_AT(places, struct jumps_place, at)->address == from->address;
			at++) {
			struct object_jump *j =
				&h->jumps[ARRAY_AT(places, struct jumps_place, at)->site];

			/* One that was used before, and is not possible now, may be again. */
			j->why = from->result == TACTICS_PLANNED ? NULL : tactics_why(from);
			if (from->result == TACTICS_PLANNED && dry_run) {
				/* Good for a plan that is not carried out. */
				j->tactic = from->tactic;
				j->length = from->length;
				j->window = PROBES_NONE;
				memcpy(j->old, from->code, sizeof j->old);
				memcpy(j->new_, from->bytes, sizeof j->new_);
			} else if (from->result == TACTICS_PLANNED) {
				jumps_set(s, j, s->windows.count - 1, entry);
			}
		}
		entry += from->result == TACTICS_PLANNED;
	}
	tactics_space_done(&space);
	return r;
}

/* No jump can be written. */
static void count_without_window(
	struct object_probes *h, const struct array *places, const struct tactics *t)
{
	for (size_t i = 0, at = 0; i < places->count; i++) {
		const struct jumps_place *place = ARRAY_AT(places, struct jumps_place, i);

		at += t->sites[at].address != place->address;
		if (t->sites[at].wanted)
			h->jumps[place->site].why = "no counter can be mapped in the process";
	}
}

static bool count_shadow_stack(const struct probes_session *s)
{
	char *status = NULL;
	size_t size;
	bool found;

	if (procfs_read(s->who.proc, "status", &status, &size) < 0)
		return true;
	found = procfs_status_shadow_stack(status);
	free(status);
	return found;
}

/* The sites of the object that the change counts; false: none. */
static bool count_choose(const struct change *c, const struct object_probes *h, bool *chosen)
{
	bool any = false;

	for (size_t i = 0; i < c->chosen->count; i++) {
		const struct selected *one = ARRAY_AT(c->chosen, struct selected, i);
		size_t local = one->probe - h->info.first_probe;
		const struct probes_probe *p;

		if (one->verb != PROBES_COUNT || one->probe < h->info.first_probe ||
			local >= h->probe_count || h->probes[local].broken)
			continue;
		p = &h->probes[local];
		for (uint32_t k = 0; k < p->site_count; k++)
			chosen[object_probes_site(h, p) + k] = any = true;
	}
	return any;
}

/* An OCaml site: where its call leads, by the file, and what decides whether that runs. */
static void count_open_call(const struct object_probes *h, const struct probes_probe *p,
	uint32_t site, struct tactics_site *s)
{
	const struct arch_site *code = kind_of(p)->site;
	uint32_t k = h->sites[site].semaphore;

	s->whole = true;
	s->handler =
		arch_call_target(s->address + code->switch_at, h->original[site] + code->switch_at);
	s->semaphore = k == PROBES_NONE ? 0 : p->semaphores[k].address;
}

/*
 * Describe a site to the planner. True: it is chosen, and no jump is known that could count it;
 * else its jump says why not, or counts from 0 on.
 */
static bool count_wants(struct probes_session *s, struct object_probes *h, const struct change *c,
	const struct jumps_place *place, struct tactics_site *site, bool chosen)
{
	const struct probes_site_live *live = &h->site_live[place->site];
	struct object_jump *j = &h->jumps[place->site];
	const struct probes_probe *p = &h->probes[object_probes_probe_of(h, true, place->site)];

	if (kind_of(p)->edit)
		count_open_call(h, p, place->site, site);
	/* What was left of a jump is neither code to move nor bytes to put back. */
	if (object_probes_cut_off(h, place->site) && site->code_size >= ARCH_SITE_BYTES)
		memcpy(site->code, h->original[place->site], ARCH_SITE_BYTES);
	if (j->window == PROBES_NONE)
		j->length = 0;
	if (!chosen || live->counted)
		return false;
	if (live->state == PROBES_FOREIGN || live->state == PROBES_UNREADABLE) {
		j->why = count_why(live->state == PROBES_FOREIGN ? TACTICS_FOREIGN : TACTICS_SHORT);
		return false;
	}
	if (!count_known(s, j, site->code, site->code_size))
		return true;
	if (j->tactic == PROBES_TACTIC_EVICTED && !c->mode.stop)
		site->result = TACTICS_NEEDS_STOP;
	j->why = count_why(site->result);
	if (!j->why && !c->dry_run)
		window_restart(
			ARRAY_AT(&s->windows, struct window, j->window), &s->memory, j->entry);
	return false;
}

static int count_prepare_object(struct probes_session *s, struct object_probes *h,
	const struct change *c, struct probes_result *figures, struct probes_error *e)
{
	struct tactics t = {.may_evict = c->mode.stop, .shadow_stack = count_shadow_stack(s)};
	bool *chosen = calloc(h->site_count + 1, sizeof *chosen);
	struct array places = {0};
	size_t wanted = 0;
	int r = 0;

	if (!chosen)
		return error_memory(e, "counters");
	if (!count_choose(c, h, chosen)) {
		free(chosen);
		return 0;
	}
	t.sites = jumps_places(s, h, &places) && jumps_open(s, h, &places)
			  ? calloc(places.count + 1, sizeof *t.sites)
			  : NULL;
	if (!t.sites)
		r = error_memory(e, "counters");
	for (size_t i = 0; r == 0 && i < places.count; i++) {
		uint64_t address = ARRAY_AT(&places, struct jumps_place, i)->address;

		if (!t.count || t.sites[t.count - 1].address != address)
			t.sites[t.count++].address = address;
	}
	if (r == 0)
		r = count_read_code(s, t.sites, t.count, e);
	for (size_t i = 0, at = 0; r == 0 && i < places.count; i++) {
		const struct jumps_place *place = ARRAY_AT(&places, struct jumps_place, i);

		at += t.sites[at].address != place->address;
		if (count_wants(s, h, c, place, &t.sites[at], chosen[place->site])) {
			t.sites[at].wanted = true;
			wanted++;
		}
	}
	if (r == 0 && wanted) {
		t.low = t.sites[0].address;
		t.high = t.sites[t.count - 1].address + TACTICS_BYTES;
		t.head_size = window_head_size(wanted);
		for (int tries = 0; tries < COUNT_TRIES; tries++) {
			r = count_plan_object(s, h, &places, &t, c->dry_run, figures, e);
			tactics_done(&t);
			if (r != -EEXIST)
				break;
		}
	}
	/* A uprobe needs nothing that is mapped in the process. */
	if (r < 0 && c->mode.kernel && e->status == PROBES_REFUSED) {
		log_say(&s->log, PROBES_LOG_NOTICE, "%s: %s", e->what, e->why);
		count_without_window(h, &places, &t);
		r = 0;
	}
	if (r == 0)
		count_rest(s, h, c, &places, &t, chosen, figures);
	free(t.sites);
	free(chosen);
	array_done(&places);
	return r;
}

int count_prepare(struct probes_session *s, const struct change *c, struct probes_result *figures,
	struct probes_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->catalog.objects.count; i++) {
		struct object_probes *h = catalog_object(&s->catalog, i);

		if (!h->info.gone && h->site_count)
			r = count_prepare_object(s, h, c, figures, e);
	}
	return r;
}
