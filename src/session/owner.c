/*
 * Who counts and who measures. A session claims each site where it counts; the last one that counts
 * there removes the jump. A jump that nobody claims is taken over by whoever wants it. The state of
 * a window, in which a pair is measured or events are kept, has one owner at a time.
 */
#include "session/session.h"

#include "base/error.h"
#include "process/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The numbers of a window (process/claim.h): its sites, then its states. */
#define OWNER_NUMBERS (1 << 18)
#define OWNER_STATES (1 << 17)

_Static_assert(WINDOW_SITES <= OWNER_STATES, "each site has a number");

static uint64_t owner_number(const struct window *w, size_t number)
{
	return w->serial % (CLAIM_NUMBERS / OWNER_NUMBERS) * OWNER_NUMBERS + number;
}

/* The window in which a site counts; NULL: none. */
static struct window *owner_window(const struct probes_session *s, const struct object_jump *j)
{
	if (!j->length || j->tactic == PROBES_TACTIC_KERNEL || j->window == PROBES_NONE)
		return NULL;
	return ARRAY_AT(&s->windows, struct window, j->window);
}

/* ---- states ---- */

static uint64_t owner_number_of(const struct window *w, enum owner_state state)
{
	return owner_number(w, OWNER_STATES + state);
}

static const struct {
	const char *cannot, *does;
} owner_does[] = {
	[OWNER_PAIR] = {"measure times", "is already measuring times"},
	[OWNER_EVENTS] = {"record events", "is already recording events"},
};

/* Where a state records its session. */
static size_t owner_at(enum owner_state state)
{
	return state == OWNER_PAIR ? offsetof(struct recorder_state, session)
				   : offsetof(struct recorder_state, events) +
					     offsetof(struct events_state, session);
}

static uint32_t owner_pids(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? (uint32_t)st.st_ino : 0;
}

/*
 * The record says who it is, and the claim whether that session lives, also where its number means
 * nothing to us. A process by fork has the same state, and claims of its own: there the number and
 * the start time decide.
 */
static pid_t owner_judge(
	struct probes_session *s, const struct window *w, enum owner_state state, bool claimed)
{
	uint64_t session = 0;
	const char *why;
	pid_t pid;

	/* One that was not read has no site. */
	if (w->site_count)
		(void)window_get(w, &s->memory, owner_at(state), &session, sizeof session);
	pid = (pid_t)(uint32_t)session;
	if (!session || pid <= 0)
		return 0;
	if (session >> 32 != owner_pids())
		return claimed ? -1 : 0;
	if (pid == getpid())
		return claimed ? pid : 0;
	switch (identity_check(pid, window_began(w, &s->memory, state), &why)) {
	case IDENTITY_LIVES:
		return pid;
	case IDENTITY_ENDED:
		return 0;
	default:
		return claimed ? pid : 0;
	}
}

pid_t owner_of_state(struct probes_session *s, struct window *w, enum owner_state state)
{
	return owner_judge(
		s, w, state, claim_taken(&s->claim, &s->who, owner_number_of(w, state), 1));
}

int owner_take(struct probes_session *s, struct window *w, enum owner_state state, uint64_t *self,
	struct probes_error *e)
{
	bool claimed = !claim_take(&s->claim, &s->who, owner_number_of(w, state), 1, true);
	pid_t other = owner_judge(s, w, state, claimed);
	enum owner_state held = state;
	struct procfs_stat stat;
	char name[64];

	/* Both states use what is known of the threads, which one session at a time keeps. */
	if (!other && (other = owner_of_state(s, w, OWNER_EVENTS - state)))
		held = OWNER_EVENTS - state;
	if (other) {
		if (!claimed)
			claim_drop(&s->claim, owner_number_of(w, state), 1);
		error_set(e, PROBES_REFUSED, -EBUSY, "cannot %s of process %d",
			owner_does[state].cannot, s->who.pid);
		if (other < 0) {
			error_why(e, "a session in another pid namespace %s there",
				owner_does[held].does);
			return error_hint(e, "wait for it to end, or quit it");
		}
		procfs_name(other, name, sizeof name);
		error_why(e, "process %d (%s) %s there", (int)other, name, owner_does[held].does);
		return error_hint(e, "wait for it to end, or quit it");
	}
	w->own[state] = true;
	*self = WINDOW_OWNER(getpid(), owner_pids());
	window_set_began(w, &s->memory, state,
		procfs_stat(AT_FDCWD, "/proc/self/stat", &stat) == 0
			? identity_start(stat.start_time)
			: 0);
	return 0;
}

void owner_give(struct probes_session *s, struct window *w, enum owner_state state)
{
	if (w->own[state])
		claim_drop(&s->claim, owner_number_of(w, state), 1);
	w->own[state] = false;
}

/* ---- sites ---- */

/*
 * Anybody can lock a pidfd, so that a claim alone says nothing: the window must say as well that
 * another session counts.
 */
static bool owner_shares(struct probes_session *s, const struct window *w, size_t entry)
{
	return w->sites[entry].holders > (w->held && w->held[entry]) &&
	       claim_taken(&s->claim, &s->who, owner_number(w, entry), 1);
}

void owner_look(struct probes_session *s)
{
	for (size_t i = 0; i < s->windows.count; i++) {
		struct window *w = ARRAY_AT(&s->windows, struct window, i);

		window_read_holders(w, &s->memory);
		w->shared = w->site_count &&
			    claim_taken(&s->claim, &s->who, owner_number(w, 0), w->site_count);
	}
	for (size_t i = 0; i < s->catalog.objects.count; i++) {
		const struct object_probes *h = catalog_object(&s->catalog, i);

		for (size_t k = 0; h->jumps && k < h->site_count; k++) {
			const struct window *w = owner_window(s, &h->jumps[k]);

			h->jumps[k].shared =
				w && w->shared && owner_shares(s, w, h->jumps[k].entry);
		}
	}
}

bool owner_has_none(const struct object_probes *h, uint32_t site)
{
	const struct object_jump *j = &h->jumps[site];

	return h->site_live[site].counted && !j->mine && !j->shared && j->length &&
	       j->tactic != PROBES_TACTIC_KERNEL && j->window != PROBES_NONE;
}

bool owner_inherit(struct probes_session *s, struct object_probes *h, size_t local)
{
	const struct probes_probe *p = &h->probes[local];
	size_t first = object_probes_site(h, p), semaphores = object_probes_semaphore(h, p);
	uint32_t left = 0;

	for (uint32_t k = 0; h->jumps && k < p->site_count; k++) {
		const struct window *w = owner_window(s, &h->jumps[first + k]);

		if (w && owner_has_none(h, (uint32_t)first + k) &&
			w->sites[h->jumps[first + k].entry].left > left)
			left = w->sites[h->jumps[first + k].entry].left;
	}
	/* Others may have taken it away. */
	for (uint32_t i = 0; left && i < p->semaphore_count; i++)
		left = h->values[semaphores + i] < left ? h->values[semaphores + i] : left;
	if (kind_of(p)->edit || !p->semaphore_count || !left)
		return true;
	if (!account_begin(h, PLAN_SEMAPHORE))
		return false;
	for (uint32_t i = 0; i < p->semaphore_count; i++) {
		struct account_resource more = {.kind = PLAN_SEMAPHORE,
			.index = account_index(h, p, PLAN_SEMAPHORE, i),
			.part = (int32_t)left};

		if (more.index == semaphores + i)
			account_add(h, &more);
	}
	h->jumps[first].raised = (uint8_t)left;
	for (uint32_t k = 0; k < p->site_count; k++) {
		const struct object_jump *j = &h->jumps[first + k];
		struct window *w = owner_window(s, j);

		if (w)
			window_set_holders(w, &s->memory, j->entry, w->sites[j->entry].holders, 0);
	}
	return true;
}

bool owner_adopt(struct probes_session *s, struct object_probes *h, size_t local, bool dry_run)
{
	size_t first = object_probes_site(h, &h->probes[local]);

	for (uint32_t k = 0; h->jumps && k < h->probes[local].site_count; k++) {
		struct object_jump *j = &h->jumps[first + k];
		struct account_resource one = {
			.kind = PLAN_COUNTER, .index = (uint32_t)first + k, .part = 1};

		if (!owner_has_none(h, (uint32_t)first + k))
			continue;
		j->mine = h->live[local].mine_counted = true;
		if (dry_run)
			continue;
		if (!account_begin(h, PLAN_COUNTER))
			return false;
		account_add(h, &one);
		j->taken = true;
		h->account->switch_seq[local] = ++s->switch_seq;
	}
	return true;
}

/* What a session that was killed measured there is measured no longer. */
static void owner_forget_role(struct probes_session *s, const struct object_jump *j)
{
	struct window *w = owner_window(s, j);
	uint8_t role = RECORDER_NONE;

	if (!j->shared && window_role(w, &s->memory, j->entry, &role) && role != RECORDER_NONE &&
		!owner_judge(s, w, OWNER_PAIR, true) && !owner_judge(s, w, OWNER_EVENTS, true))
		(void)window_set_role(w, &s->memory, j->entry,
			&(const struct recorder_role){.what = RECORDER_NONE});
}

static bool owner_count(struct probes_session *s, struct object_probes *h, size_t local)
{
	const struct probes_probe *p = &h->probes[local];
	size_t first = object_probes_site(h, p);

	for (uint32_t k = 0; h->jumps && k < p->site_count; k++) {
		struct account_resource one = {
			.kind = PLAN_COUNTER, .index = (uint32_t)first + k, .part = 1};

		if (!h->site_live[first + k].counted || !owner_window(s, &h->jumps[first + k]) ||
			account_part(h, PLAN_COUNTER, (uint32_t)first + k) > 0)
			continue;
		if (!account_begin(h, PLAN_COUNTER))
			return false;
		account_add(h, &one);
		h->jumps[first + k].taken = true;
		owner_forget_role(s, &h->jumps[first + k]);
	}
	/* Its children by fork inherit what it counts, written by whomever. */
	if (!s->first_switch_ticks)
		s->first_switch_ticks = procfs_now();
	if (!kind_of(p)->edit && p->semaphore_count && h->jumps && !h->jumps[first].raised)
		h->jumps[first].raised = 1;
	return true;
}

bool owner_begin(struct probes_session *s, const struct array *chosen, bool dry_run)
{
	bool fits = true;
	size_t local;

	owner_look(s);
	for (size_t i = 0; fits && chosen && i < chosen->count; i++) {
		const struct selected *one = ARRAY_AT(chosen, struct selected, i);
		struct object_probes *h = catalog_find(&s->catalog, one->probe, &local);

		if (one->verb != PROBES_COUNT && one->verb != PROBES_UNCOUNT)
			continue;
		fits = dry_run || owner_inherit(s, h, local);
		if (fits && one->verb == PROBES_UNCOUNT)
			fits = owner_adopt(s, h, local, dry_run);
	}
	return fits;
}

bool owner_end(struct probes_session *s, const struct probes_result *r)
{
	size_t local;

	for (size_t i = 0; i < r->item_count; i++) {
		struct object_probes *h = catalog_find(&s->catalog, r->items[i].probe, &local);
		const struct probes_probe *p = &h->probes[local];

		if (r->items[i].outcome != PROBES_DONE)
			continue;
		if (r->items[i].verb == PROBES_COUNT) {
			if (!account_begin(h, PLAN_COUNTER) || !owner_count(s, h, local))
				return false;
			h->account->switch_seq[local] = ++s->switch_seq;
		}
		for (uint32_t k = 0; r->items[i].verb == PROBES_UNCOUNT && k < p->site_count; k++)
			h->account->parts.of[PLAN_COUNTER][account_index(h, p, PLAN_COUNTER, k)] =
				0;
		account_judge(h, local);
	}
	return true;
}

/* One run of sites that are to be claimed, or no longer. */
static void owner_change(
	struct probes_session *s, struct window *w, size_t from, size_t to, const bool *taken)
{
	bool on = !w->held[from];

	if (on)
		(void)claim_take(&s->claim, &s->who, owner_number(w, from), to - from, false);
	else
		claim_drop(&s->claim, owner_number(w, from), to - from);
	for (size_t i = from; i < to; i++) {
		uint8_t holders = w->sites[i].holders, left = w->sites[i].left;

		w->held[i] = on;
		/* Those that were killed stay among them: it never becomes too small. */
		if (holders < UINT8_MAX)
			holders = (uint8_t)(holders + (on ? 1 : holders ? -1 : 0));
		window_set_holders(w, &s->memory, i, holders, on && !taken[i] ? 0 : left);
	}
}

/* `wanted`, `taken`: per site. */
static void owner_settle_window(
	struct probes_session *s, struct window *w, const bool *wanted, const bool *taken)
{
	bool fresh = false;

	for (size_t from = 0, to; from < w->site_count; from = to) {
		to = from + 1;
		if (w->held[from] == wanted[from])
			continue;
		while (to < w->site_count && w->held[to] == w->held[from] &&
			wanted[to] == wanted[from])
			to++;
		if (!fresh)
			window_read_holders(w, &s->memory);
		fresh = true;
		owner_change(s, w, from, to, taken);
	}
}

void owner_settle(struct probes_session *s)
{
	for (size_t i = 0; i < s->windows.count; i++) {
		struct window *w = ARRAY_AT(&s->windows, struct window, i);
		bool *wanted = calloc(2 * w->site_count + 1, sizeof *wanted), any = w->held;
		bool *taken = wanted ? wanted + w->site_count : NULL;

		for (size_t o = 0; wanted && o < s->catalog.objects.count; o++) {
			const struct object_probes *h = catalog_object(&s->catalog, o);

			for (uint32_t k = 0; h->jumps && h->account && k < h->site_count; k++) {
				struct object_jump *j = &h->jumps[k];

				if (owner_window(s, j) != w)
					continue;
				if (account_part(h, PLAN_COUNTER, k) <= 0) {
					j->taken = false;
					continue;
				}
				any = wanted[j->entry] = true;
				taken[j->entry] = j->taken;
			}
		}
		if (any && !w->held)
			w->held = calloc(w->site_count + 1, sizeof *w->held);
		if (wanted && w->held)
			owner_settle_window(s, w, wanted, taken);
		free(wanted);
	}
	for (size_t i = 0; i < s->catalog.objects.count; i++) {
		const struct object_probes *h = catalog_object(&s->catalog, i);

		for (size_t k = 0; h->jumps && k < h->probe_count; k++) {
			size_t first = object_probes_site(h, &h->probes[k]);
			bool counts = false;

			for (uint32_t m = 0; m < h->probes[k].site_count; m++)
				counts = counts ||
					 account_part(h, PLAN_COUNTER, (uint32_t)first + m) > 0;
			if (!counts && h->probes[k].site_count)
				h->jumps[first].raised = 0;
		}
	}
}

void owner_leave(struct probes_session *s)
{
	const uint64_t none = 0;
	bool alive = s->process && s->windows.count && identity_alive(&s->who) &&
		     memory_alive(&s->memory);

	for (size_t i = 0; alive && i < s->windows.count; i++) {
		struct window *w = ARRAY_AT(&s->windows, struct window, i);

		window_read_holders(w, &s->memory);
		for (enum owner_state state = OWNER_PAIR; state <= OWNER_EVENTS; state++)
			if (w->own[state])
				(void)window_put(
					w, &s->memory, owner_at(state), &none, sizeof none);
	}
	for (size_t i = 0; alive && i < s->catalog.objects.count; i++) {
		const struct object_probes *h = catalog_object(&s->catalog, i);

		for (size_t k = 0; h->jumps && k < h->site_count; k++) {
			size_t probe = object_probes_probe_of(h, true, (uint32_t)k);
			unsigned raised = h->jumps[object_probes_site(h, &h->probes[probe])].raised;
			struct window *w = owner_window(s, &h->jumps[k]);
			struct window_site *site;

			if (!w || !w->held || !w->held[h->jumps[k].entry])
				continue;
			site = &w->sites[h->jumps[k].entry];
			/* A journal that stays says what this session raised. */
			if (s->keep_journal || site->left + raised > UINT8_MAX)
				raised = 0;
			window_set_holders(w, &s->memory, h->jumps[k].entry,
				(uint8_t)(site->holders - (site->holders > 0)),
				(uint8_t)(site->left + raised));
		}
	}
	claim_done(&s->claim, &s->who);
}
