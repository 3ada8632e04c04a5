/*
 * Prepares sites for counting: decides how, and maps what they need. Changes no code of the
 * process.
 */
#include "session/session.h"

#include "base/error.h"
#include "base/now.h"
#include "count/install.h"
#include "count/space.h"
#include "elf/unwind.h"
#include "process/procfs.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define COUNT_SIGNAL(number) (UINT64_C(1) << ((number)-1)) /* in SigCgt */
#define COUNT_WATCH_MS 1000
#define COUNT_GAP 256
#define COUNT_LONGEST (1 << 20)
#define COUNT_TRIES 5 /* the process may map memory itself where we are about to */
#define COUNT_ROOM (UINT64_C(16) << 20) /* stays free above, from the second try on */

/* ---- one object ---- */

/* The ranges of the object that are mapped while its code is: where the kernel reads nothing,
 * neither do we. */
static void count_statics(const struct object_probes *h, struct arch_range statics[EVENTS_STATICS])
{
	size_t count = 0;

	for (size_t i = 0; h->file && i < h->file->segment_count && count < EVENTS_STATICS; i++) {
		const struct object_segment *s = &h->file->segments[i];

		if (s->readable)
			statics[count++] = (struct arch_range){h->info.bias + s->vaddr, s->memsz};
	}
}

static int count_add_arena(struct probes_session *s, const struct object_probes *h,
	const struct tactics *t, size_t left, uint64_t *held_ns, struct probes_error *e)
{
	struct install in = {.who = &s->who,
		.memory = &s->memory,
		.held = s->held ? s->start : NULL,
		.interrupts = t->may_evict,
		.mappings_left = left,
		.held_ns = held_ns};
	struct arena *w;
	bool left_open = false;
	size_t known = 0;
	int r;

	ARRAY_EACH(const struct arena, older, &s->arenas) {
		in.serial = older->serial > in.serial ? older->serial : in.serial;
		if (older->site_count && known < RECORDER_OLDER)
			in.sealed.older[known++] =
				(struct recorder_place){arena_state(older), arena_cookie(older)};
	}
	in.serial++; /* it is newer than all that the process has */
	count_statics(h, in.sealed.statics);
	w = array_add(&s->arenas);
	r = w ? install_arena(&in, t, w, &left_open, e) : error_memory(e, "counters");
	if (r == 0)
		r = jumps_index(s, s->arenas.count - 1, e);
	else
		s->arenas.count -= w != NULL;
	if (w && left_open && identity_alive(&s->who))
		log_say(&s->log, PROBES_LOG_NOTICE,
			"a descriptor of process %d, of a memfd named " MAPS_ARENA
			", could not be closed and stays open",
			s->who.pid);
	return r;
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
		if (c->options.kernel && kernel_choose(s, h, places, i))
			continue;
		if (t->sites[at].result == TACTICS_NEEDS_STOP)
			figures->stop_sites++;
		else
			figures->kernel_sites += !c->options.kernel && kernel_may(h, places, i);
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
	size_t left = 0, entry = 0, mapped = 0;
	int r;

	tactics_space_init(&space);
	r = space_read(&s->who, &space, &left, e);
	/* Each page of landings may be a mapping of its own. */
	left = left > INSTALL_MAPPINGS ? left - INSTALL_MAPPINGS : 0;
	space.room = left < space.room ? left : space.room;
	if (r == 0 && !tactics_plan(t, &space))
		r = error_memory(e, "counters");
	if (r == 0 && t->planned)
		r = jumps_check_known(s, e);
	if (r == 0 && t->planned)
		r = headroom_check_arena(s, t, &mapped, e);
	if (r == 0 && t->planned && !dry_run)
		r = count_add_arena(s, h, t, left + INSTALL_MAPPINGS, &figures->held_ns, e);
	figures->mapped_pages += r == 0 ? mapped : 0;
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
			/* What it inherited lies where its own would: better shared than none. */
			if (j->why &&
				jumps_choose(s, h, ARRAY_AT(places, struct jumps_place, at)->site,
					from->code, from->code_size, true) &&
				j->tactic != PROBES_TACTIC_EVICTED)
				j->why = sharers_keep_out(s, j->arena, j->entry, dry_run);
			if (from->result == TACTICS_PLANNED && dry_run) {
				/* Good for a plan that is not carried out. */
				j->tactic = from->tactic;
				j->length = from->length;
				j->arena = PROBES_NONE;
				memcpy(j->old, from->code, sizeof j->old);
				memcpy(j->new_, from->bytes, sizeof j->new_);
			} else if (from->result == TACTICS_PLANNED) {
				jumps_set(s, j, s->arenas.count - 1, entry);
				if (from->tactic == PROBES_TACTIC_EVICTED)
					s->may_fault |= tactics_faults(from);
			}
		}
		entry += from->result == TACTICS_PLANNED;
	}
	tactics_space_done(&space);
	return r;
}

/* No jump can be written. */
static void count_without_arena(
	struct object_probes *h, const struct array *places, const struct tactics *t)
{
	for (size_t i = 0, at = 0; i < places->count; i++) {
		const struct jumps_place *place = ARRAY_AT(places, struct jumps_place, i);

		at += t->sites[at].address != place->address;
		if (t->sites[at].wanted)
			h->jumps[place->site].why = "no counter can be mapped in the process";
	}
}

/* What the process handles: ARCH_FAULTS_*. */
static uint8_t count_handled(const char *status)
{
	uint64_t caught = procfs_status_set(status, "SigCgt");
	unsigned handled = 0;

	if (caught & (COUNT_SIGNAL(SIGSEGV) | COUNT_SIGNAL(SIGBUS)))
		handled |= ARCH_FAULTS_MEMORY | ARCH_FAULTS_POINTER;
	if (caught & COUNT_SIGNAL(SIGFPE))
		handled |= ARCH_FAULTS_DIVISION;
	return (uint8_t)handled;
}

/* Is any displaced instruction executed in its new place? */
static bool count_displaces(const struct probes_session *s)
{
	for (const struct object_probes *h = catalog_first(&s->catalog); h; h = h->next)
		for (size_t k = 0; h->jumps && !h->info.gone && k < h->site_count; k++)
			if (h->jumps[k].tactic == PROBES_TACTIC_EVICTED && h->site_live[k].counted)
				return true;
	return false;
}

void count_watch(struct probes_session *s)
{
	/* Whether rbp was a frame pointer was not asked while nothing was handled. */
	unsigned unexpected = s->may_fault & (ARCH_FAULTS_MEMORY | ARCH_FAULTS_DIVISION);
	uint64_t now = unexpected ? now_ms() : 0;
	char *status = NULL;

	if (!unexpected || now < s->watch_at)
		return;
	s->watch_at = now + COUNT_WATCH_MS;
	if (!count_displaces(s))
		s->may_fault = 0;
	else if (procfs_read(s->who.proc, &status, NULL, "status") == 0 &&
		 count_handled(status) & unexpected) {
		s->may_fault = 0;
		log_say(&s->log, PROBES_LOG_NOTICE,
			"process %d installed a signal handler after counting began: if a counted "
			"instruction faults, the handler gets a wrong address; stop counting and "
			"start again, which leaves those instructions out",
			s->who.pid);
	}
	free(status);
}

/* What the planner must know: what the process checks, which faults it handles; the kernel. */
static void count_look(const struct probes_session *s, struct tactics *t)
{
	unsigned major, minor;
	struct utsname name;
	char *status = NULL;

	/* Kernels after 6.x: their patches are for 10 bytes. */
	t->wide_nop = 10;
	if (uname(&name) == 0 && sscanf(name.release, "%u.%u", &major, &minor) == 2 && major <= 6)
		t->wide_nop = major == 6 && minor >= 18 ? 5 : 0;
	t->shadow_stack = true;
	t->handled = ARCH_FAULTS_MEMORY | ARCH_FAULTS_POINTER | ARCH_FAULTS_DIVISION;
	if (procfs_read(s->who.proc, &status, NULL, "status") == 0) {
		t->shadow_stack = procfs_status_shadow_stack(status);
		/* A program that has not begun may install any handler. */
		if (!s->held)
			t->handled = count_handled(status);
	}
	free(status);
}

/* Find the sites where rbp is the frame pointer, if that matters: the file is opened for it. */
static int count_frames(struct probes_session *s, struct object_probes *h,
	const struct array *places, struct tactics *t, struct probes_error *e)
{
	uint64_t *pcs = calloc(places->count + 1, sizeof *pcs);
	bool *framed = calloc(places->count + 1, sizeof *framed), any = false;
	int fd;

	if (!pcs || !framed) {
		free(pcs);
		free(framed);
		return error_memory(e, "counters");
	}
	for (size_t i = 0; i < t->count; i++)
		any = any || tactics_faults(&t->sites[i]) & ARCH_FAULTS_POINTER;
	for (size_t i = 0; any && i < places->count; i++)
		pcs[i] = h->sites[ARRAY_AT(places, struct jumps_place, i)->site].pc;
	fd = any ? detail_open(s, h) : -1;
	if (fd >= 0) {
		unwind_framed(fd, h->path, pcs, places->count, framed);
		close(fd);
	}
	for (size_t i = 0, at = 0; any && i < places->count; i++) {
		at += t->sites[at].address != ARRAY_AT(places, struct jumps_place, i)->address;
		t->sites[at].framed = framed[i];
	}
	free(framed);
	free(pcs);
	return 0;
}

/* The sites of the object that the change counts; false: none. */
static bool count_choose(const struct change *c, const struct object_probes *h, bool *chosen)
{
	bool any = false;

	ARRAY_EACH(const struct selected, one, c->chosen) {
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

/*
 * Describe a site to the planner. True: it is chosen, and no jump is known that could count it;
 * else its jump says why not, or counts from 0 on.
 */
static bool count_wants(struct probes_session *s, struct object_probes *h, const struct change *c,
	const struct jumps_place *place, const struct tactics *t, struct tactics_site *site,
	bool chosen)
{
	const struct probes_site_live *live = &h->site_live[place->site];
	struct object_jump *j = &h->jumps[place->site];
	const struct probes_probe *p = &h->probes[object_probes_probe_of(h, true, place->site)];
	uint32_t k = h->sites[place->site].semaphore;

	/* A call: where it leads, by the file, and what decides whether that runs. */
	if (kind_of(p)->call) {
		size_t at = kind_of(p)->site->switch_at;

		site->whole = true;
		site->handler = arch_call_target(site->address + at, h->original[place->site] + at);
		site->semaphore = k == PROBES_NONE ? 0 : p->semaphores[k].address;
	}
	/* What was left of a jump is neither code to move nor bytes to put back. */
	if (object_probes_cut_off(h, place->site) && site->code_size >= ARCH_SITE_BYTES)
		memcpy(site->code, h->original[place->site], ARCH_SITE_BYTES);
	if (j->arena == PROBES_NONE)
		j->length = 0;
	if (!chosen || live->counted)
		return false;
	if (live->state == PROBES_FOREIGN || live->state == PROBES_UNREADABLE) {
		j->why = count_why(live->state == PROBES_FOREIGN ? TACTICS_FOREIGN : TACTICS_SHORT);
		return false;
	}
	if (!h->no_code && h->original[place->site][0] != ARCH_NOP) {
		j->why = count_why(TACTICS_NO_NOP);
		return false;
	}
	/* A uprobe that the kernel has made a call is neither code to displace nor to rely on. */
	if (!kind_of(p)->call && site->code_size >= ARCH_SITE_BYTES &&
		arch_is_replaced(h->original[place->site], site->code, j->vary)) {
		j->why = count_why(TACTICS_BREAKPOINT);
		return false;
	}
	if (!jumps_choose(s, h, place->site, site->code, site->code_size, false))
		return true;
	if (j->tactic == PROBES_TACTIC_EVICTED && tactics_faults(site) & t->handled)
		site->result = TACTICS_FAULTS;
	else if (j->tactic == PROBES_TACTIC_EVICTED && !c->options.atomically)
		site->result = TACTICS_NEEDS_STOP;
	j->why = count_why(site->result);
	if (!j->why && !c->options.dry_run && j->tactic == PROBES_TACTIC_EVICTED)
		s->may_fault |= tactics_faults(site);
	if (!j->why && !c->options.dry_run) {
		arena_restart(ARRAY_AT(&s->arenas, struct arena, j->arena), &s->memory, j->entry);
		j->base = 0;
	}
	return false;
}

static int count_prepare_object(struct probes_session *s, struct object_probes *h,
	const struct change *c, struct probes_result *figures, struct probes_error *e)
{
	struct tactics t = {.may_evict = c->options.atomically};
	bool *chosen = calloc(h->site_count + 1, sizeof *chosen);
	struct array places = {0};
	size_t wanted = 0;
	bool any = chosen && count_choose(c, h, chosen);
	int r = any ? headroom_check_places(s, h->site_count, e) : 0;

	if (!any || r < 0) {
		r = chosen ? r : error_memory(e, "counters");
		free(chosen);
		return r;
	}
	count_look(s, &t);
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
	if (r == 0 && t.handled & ARCH_FAULTS_POINTER)
		r = count_frames(s, h, &places, &t, e);
	for (size_t i = 0, at = 0; r == 0 && i < places.count; i++) {
		const struct jumps_place *place = ARRAY_AT(&places, struct jumps_place, i);

		at += t.sites[at].address != place->address;
		if (count_wants(s, h, c, place, &t, &t.sites[at], chosen[place->site])) {
			t.sites[at].wanted = true;
			wanted++;
		}
	}
	/* An arena is mapped by a thread that a tracer holds, and no thread of ours can trace us
	 * (ptrace(2): not one of the same thread group). */
	if (r == 0 && wanted && s->who.pid == getpid()) {
		error_set(e, PROBES_REFUSED, -EPERM, "cannot count the hits of process %d",
			s->who.pid);
		error_why(e, "it is the caller, and a process cannot trace itself");
		r = error_hint(e, "count from another process, such as a forked child");
	}
	if (r == 0 && wanted) {
		t.low = t.sites[0].address;
		t.high = t.sites[t.count - 1].address + TACTICS_BYTES;
		t.head_size = arena_head_size(wanted);
		t.records_size = arena_records_size(wanted);
		for (int tries = 0; tries < COUNT_TRIES; tries++) {
			r = count_plan_object(s, h, &places, &t, c->options.dry_run, figures, e);
			tactics_done(&t);
			if (r != -EEXIST)
				break;
			t.gap = t.gap ? 4 * t.gap : COUNT_ROOM;
		}
	}
	/* A uprobe needs nothing that is mapped in the process. */
	if (r < 0 && c->options.kernel && e->status == PROBES_REFUSED) {
		log_say(&s->log, PROBES_LOG_NOTICE, "%s: %s", e->what, e->why);
		count_without_arena(h, &places, &t);
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

	for (struct object_probes *h = catalog_first(&s->catalog); r == 0 && h; h = h->next)
		if (!h->info.gone && h->site_count)
			r = count_prepare_object(s, h, c, figures, e);
	if (r == 0 && !c->options.dry_run && s->arenas.count)
		(void)proofs_begin(s, false);
	return r;
}
