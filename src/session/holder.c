/*
 * Who counts in a process, and who measures there. Each session says so in a record, in the arenas
 * of the process, where only who may trace it can write. Whether that session lives, its pid and
 * start time say; in another pid namespace, where they mean nothing, the claim on its record does,
 * as far as it can: anybody may lock a pidfd (process/claim.h). So it is with a record without a
 * start time, which may name any process.
 */
#include "session/session.h"

#include "process/procfs.h"
#include "process/tree.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t holder_self(void)
{
	struct stat st;
	uint32_t pids = stat("/proc/self/ns/pid", &st) == 0 ? (uint32_t)st.st_ino : 0;

	return ARENA_OWNER(getpid(), pids);
}

/* Neighbours would merge into one lock. */
static uint64_t holder_claim(const struct arena *w, size_t record)
{
	return (w->serial * ARENA_HOLDERS + record) * 2;
}

/* Is there anything that must be on record? */
static bool holder_uses(const struct arena *w)
{
	if (w->own[OWNER_PAIR] || w->own[OWNER_EVENTS])
		return true;
	for (size_t i = 0; w->held && i < w->site_count; i++)
		if (w->held[i])
			return true;
	return false;
}

/* What the session would say. */
static struct arena_holder holder_record(struct probes_session *s, const struct arena *w)
{
	static _Atomic uint32_t last;
	struct procfs_stat stat;

	if (!s->number)
		s->number = atomic_fetch_add(&last, 1) + 1;
	return (struct arena_holder){.session = holder_self(),
		.start = procfs_stat(AT_FDCWD, &stat, "/proc/self/stat") == 0
				 ? identity_start(stat.start_time)
				 : 0,
		.born = identity_start(s->who.start_time),
		.since = s->first_switch_ticks ? identity_start(s->first_switch_ticks) : 0,
		.pid = (uint32_t)s->who.pid,
		.self = (uint32_t)identity_ns_pid(&s->who),
		.number = s->number,
		.states = (uint16_t)(w->own[OWNER_PAIR] << OWNER_PAIR |
				     w->own[OWNER_EVENTS] << OWNER_EVENTS |
				     (s->unrecorded ? ARENA_UNRECORDED : 0)),
		.claimed = w->claimed};
}

/* Are they about the same process? */
static bool holder_same_process(const struct arena_holder *a, const struct arena_holder *b)
{
	return a->self == b->self && identity_same_start(a->born, b->born);
}

static bool holder_same(const struct arena_holder *a, const struct arena_holder *b)
{
	return a->session == b->session && identity_same_start(a->start, b->start) &&
	       a->number == b->number && holder_same_process(a, b);
}

/* Is it that of another session, on the same process? */
static bool holder_is_other(const struct arena_holder *r, const struct arena_holder *mine)
{
	return r->session && holder_same_process(r, mine) && !holder_same(r, mine);
}

/* ---- who lives ---- */

/* Do its numbers say whether it lives? */
static bool holder_is_near(const struct arena_holder *mine, const struct arena_holder *r)
{
	return r->session >> 32 == mine->session >> 32 && (r->start || !mine->start);
}

/* A session of our pid namespace that knows not even its own start time proves itself by a lock. */
static bool holder_is_forged(const struct arena_holder *mine, const struct arena_holder *r)
{
	return r->session >> 32 == mine->session >> 32 && !holder_is_near(mine, r) && !r->claimed;
}

static enum holder_life holder_judge(struct probes_session *s, const struct arena *w,
	const struct arena_holder *mine, const struct arena_holder *all, size_t at)
{
	const struct arena_holder *r = &all[at];
	bool ours = holder_is_near(mine, r);
	/* The claims on another process are not seen from here. */
	bool claimed = r->claimed && holder_same_process(r, mine);
	pid_t pid = (pid_t)(uint32_t)r->session;
	const char *why;

	if (pid <= 0 || holder_is_forged(mine, r))
		return HOLDER_NONE;
	switch (ours ? identity_check(pid, r->start, &why) : IDENTITY_UNKNOWN) {
	case IDENTITY_LIVES:
		return HOLDER_LIVES;
	case IDENTITY_ENDED:
		return HOLDER_NONE;
	default:
		break;
	}
	if (claimed && !claim_is_held(&s->claim, &s->who, holder_claim(w, at)))
		return HOLDER_NONE;
	if (ours)
		return HOLDER_LIVES;
	if (!holder_same_process(r, mine))
		return HOLDER_NONE;
	return claimed ? HOLDER_CLAIMS : HOLDER_UNKNOWN;
}

/*
 * Does the session of a record live that is about another process, as the claim on that one says?
 * It says nothing here by its number, so that its process is looked for. `number`: of the claim.
 * `links`: gathered at the first need (struct tree_link).
 */
static enum holder_life holder_judge_kin(
	struct array *links, const struct arena_holder *r, uint64_t number)
{
	enum holder_life life = HOLDER_UNSEEN;

	if (!r->claimed)
		return life;
	if (!links->count && tree_gather(links) < 0)
		links->count = 0;
	ARRAY_EACH_WHILE(life == HOLDER_UNSEEN && r->born, const struct tree_link, link, links) {
		struct identity who = {.pid = link->pid, .pidfd = -1, .task = -1, .maps = -1};
		struct claim claim = {.opened = false};
		struct procfs_stat stat;

		if (!identity_same_start(identity_start(link->start_time), r->born))
			continue;
		who.proc =
			procfs_open(AT_FDCWD, O_RDONLY | O_DIRECTORY, "/proc/%d", (int)link->pid);
		if (who.proc < 0)
			continue;
		/* Its number in its own pid namespace is the same everywhere. */
		if (identity_ns_pid(&who) == (pid_t)r->self) {
			bool held = claim_is_held(&claim, &who, number);

			/* Else the number may be that of another process by now. */
			if (claim.fd >= 0 && procfs_stat(who.proc, &stat, "stat") == 0)
				life = held ? HOLDER_CLAIMS : HOLDER_NONE;
			claim_done(&claim, &who);
		}
		close(who.proc);
	}
	return life;
}

enum holder_life holder_of_state(
	struct probes_session *s, const struct arena *w, enum owner_state state, pid_t *pid)
{
	struct arena_holder all[ARENA_HOLDERS], mine = holder_record(s, w);
	enum holder_life greatest = HOLDER_NONE;

	/* One that was not read has no site. */
	if (!w->site_count || !arena_read_holders(w, &s->memory, all))
		return HOLDER_NONE;
	for (size_t i = 0; i < ARENA_HOLDERS; i++) {
		enum holder_life life;

		if (!(all[i].states >> state & 1) || holder_same(&all[i], &mine))
			continue;
		life = holder_judge(s, w, &mine, all, i);
		if (life > greatest) {
			greatest = life;
			*pid = (pid_t)(uint32_t)all[i].session;
		}
	}
	return greatest;
}

void holder_reconcile(struct probes_session *s)
{
	struct arena_holder all[ARENA_HOLDERS];
	uint64_t self = holder_self(), last = 0;
	const char *why;

	ARRAY_EACH(const struct arena, w, &s->arenas) {
		if (!w->site_count || !arena_read_holders(w, &s->memory, all))
			continue;
		for (size_t k = 0; k < ARENA_HOLDERS; k++) {
			pid_t pid = (pid_t)(uint32_t)all[k].session;

			if (pid <= 0 || all[k].session == self || all[k].session == last ||
				all[k].session >> 32 != self >> 32)
				continue;
			last = all[k].session;
			(void)identity_settled(pid, all[k].start, &why);
		}
	}
}

/* ---- what this session says ---- */

/* The place of its record, or for one; ARENA_HOLDERS: there is none. */
static size_t holder_place(struct probes_session *s, struct arena *w,
	const struct arena_holder *mine, const struct arena_holder *all)
{
	size_t at = w->record ? w->record - 1 : 0;

	if (w->record && holder_same(&all[at], mine))
		return at;
	w->record = 0;
	w->claimed = false;
	/* Sessions on other processes may look at the same time. */
	for (size_t i = 0; i < ARENA_HOLDERS; i++) {
		const struct arena_holder *r = &all[at = (mine->self + i) % ARENA_HOLDERS];
		bool near = holder_is_near(mine, r);
		const char *why;

		/* That of another process may be overwritten, too: children come and go. */
		if (!r->session ||
			((near || holder_same_process(r, mine)) &&
				holder_judge(s, w, mine, all, at) == HOLDER_NONE) ||
			(near && identity_check((pid_t)r->pid, r->born, &why) == IDENTITY_ENDED))
			return at;
	}
	return ARENA_HOLDERS;
}

bool holder_say(struct probes_session *s, struct arena *w)
{
	struct arena_holder all[ARENA_HOLDERS], mine = holder_record(s, w), none = {0};
	bool any = holder_uses(w), said;
	uint8_t *bits;
	size_t at;

	if (!any && !w->record)
		return true;
	if (!arena_read_holders(w, &s->memory, all))
		return false;
	at = holder_place(s, w, &mine, all);
	if (at == ARENA_HOLDERS || (!any && !w->record))
		return !any;
	if (!any) {
		said = arena_set_holder(w, &s->memory, at, &none, NULL);
		claim_drop(&s->claim, holder_claim(w, at));
		w->record = 0;
		w->claimed = false;
		return said;
	}
	w->claimed = w->claimed || claim_take(&s->claim, &s->who, holder_claim(w, at));
	mine.claimed = w->claimed;
	bits = calloc(1, arena_bits_size(w) + 1);
	for (size_t i = 0; bits && w->held && i < w->site_count; i++)
		bits[i / 8] |= (uint8_t)(w->held[i] << i % 8);
	said = bits && arena_set_holder(w, &s->memory, at, &mine, bits);
	free(bits);
	w->record = at + 1;
	return said;
}

void holder_keep(struct probes_session *s)
{
	ARRAY_EACH(struct arena, w, &s->arenas)
		if (!w->claimed && holder_uses(w))
			(void)holder_say(s, w);
}

/* ---- what others say ---- */

/*
 * A forked child inherits the jumps of its parent, and a session that counts in that one looks for
 * such children from time to time (fork_origin): until it finds this process, its record there
 * speaks for it.
 */
static enum holder_life holder_will_inherit(const struct arena *w, const struct arena_holder *mine,
	const struct arena_holder *all, size_t at, struct array *links)
{
	const struct arena_holder *r = &all[at];
	const char *why;

	/* What this caller's own sessions do with a child, their group knows. */
	if (!r->session || !r->since || r->since > mine->born || r->session == mine->session ||
		holder_same_process(r, mine) || holder_is_forged(mine, r))
		return HOLDER_NONE;
	if (!holder_is_near(mine, r))
		return holder_judge_kin(links, r, holder_claim(w, at));
	return identity_check((pid_t)(uint32_t)r->session, r->start, &why) == IDENTITY_ENDED
		       ? HOLDER_NONE
		       : HOLDER_INHERITS;
}

void holder_look(struct probes_session *s, struct arena *w, struct array *links)
{
	struct arena_holder all[ARENA_HOLDERS], mine = holder_record(s, w);
	uint8_t *bits = calloc(1, arena_bits_size(w) + 1);

	free(w->others);
	free(w->orphaned);
	w->heir = (struct arena_holder){0};
	w->others = calloc(1, w->site_count + 1);
	w->orphaned = calloc(1, w->site_count + 1);
	if (!w->others || !w->orphaned || !bits || !w->site_count ||
		!arena_read_holders(w, &s->memory, all))
		goto end;
	/* A session on a forked child may have taken the same place at the same moment. */
	if (w->record && !holder_same(&all[w->record - 1], &mine))
		(void)holder_say(s, w);
	for (size_t i = 0; i < ARENA_HOLDERS; i++) {
		enum holder_life life;

		if (holder_is_other(&all[i], &mine)) {
			life = holder_judge(s, w, &mine, all, i);
		} else {
			life = holder_will_inherit(w, &mine, all, i, links);
			if (life == HOLDER_NONE)
				continue;
			if (life == HOLDER_INHERITS &&
				(!w->heir.session || all[i].since < w->heir.since))
				w->heir = all[i];
		}
		if (!arena_read_bits(w, &s->memory, i, bits))
			continue;
		for (size_t k = 0; life == HOLDER_NONE && all[i].states & ARENA_UNRECORDED &&
				   k < w->site_count;
			k++)
			w->orphaned[k] += bits[k / 8] >> k % 8 & 1;
		for (size_t k = 0; k < w->site_count; k++)
			if (bits[k / 8] >> k % 8 & 1 && w->others[k] < life)
				w->others[k] = (uint8_t)life;
	}
end:
	free(bits);
}

void holder_forget_orphaned(struct probes_session *s, struct arena *w, size_t site)
{
	struct arena_holder all[ARENA_HOLDERS], mine = holder_record(s, w);

	if (!w->orphaned || !w->orphaned[site] || !arena_read_holders(w, &s->memory, all))
		return;
	w->orphaned[site] = 0;
	for (size_t i = 0; i < ARENA_HOLDERS; i++)
		if (all[i].states & ARENA_UNRECORDED && holder_is_other(&all[i], &mine) &&
			holder_judge(s, w, &mine, all, i) == HOLDER_NONE)
			arena_clear_bit(w, &s->memory, i, site);
}

/* ---- who counts where other processes count, too ---- */

bool holder_in_family(const struct probes_session *s, pid_t pid)
{
	for (size_t i = 0; i < s->family.count; i++)
		if (*ARRAY_AT(&s->family, pid_t, i) == pid)
			return true;
	return false;
}

bool holder_find_rival(
	struct probes_session *s, struct arena *w, size_t site, struct arena_holder *rival)
{
	struct arena_holder all[ARENA_HOLDERS], mine = holder_record(s, w);
	uint8_t *bits = calloc(1, arena_bits_size(w) + 1);
	bool found = false;
	const char *why;

	if (!bits || !w->site_count || !arena_read_holders(w, &s->memory, all)) {
		free(bits);
		return false;
	}
	for (size_t i = 0; !found && i < ARENA_HOLDERS; i++) {
		const struct arena_holder *r = &all[i];
		bool near = holder_is_near(&mine, r);

		if (!r->session || r->session == mine.session || holder_is_forged(&mine, r) ||
			holder_same_process(r, &mine) ||
			/* Forked while this session counts, it shares its counters in any case. */
			(mine.since && r->born && r->born >= mine.since) ||
			(near && (holder_in_family(s, (pid_t)r->pid) ||
					 identity_check((pid_t)(uint32_t)r->session, r->start,
						 &why) == IDENTITY_ENDED)) ||
			!arena_read_bits(w, &s->memory, i, bits))
			continue;
		for (size_t k = 0; !found && k < w->site_count; k++)
			found = (k == site || (site == SIZE_MAX && w->held && w->held[k])) &&
				bits[k / 8] >> k % 8 & 1;
		*rival = *r;
		if (!near)
			rival->session = 0;
	}
	free(bits);
	return found;
}

pid_t holder_of_child(struct probes_session *s, const struct arena *w, pid_t pid,
	uint64_t start_time, struct array *links)
{
	struct arena_holder all[ARENA_HOLDERS], mine = holder_record(s, w);
	uint64_t born = identity_start(start_time);
	pid_t found = 0;
	const char *why;

	if (!arena_read_holders(w, &s->memory, all))
		return 0;
	for (size_t i = 0; i < ARENA_HOLDERS; i++) {
		const struct arena_holder *r = &all[i];
		pid_t session = (pid_t)(uint32_t)r->session;
		bool own = holder_same_process(r, &mine), near = holder_is_near(&mine, r);
		bool its = (!near || r->pid == (uint32_t)pid) && identity_same_start(r->born, born);
		/* Its session may not have found the child yet. */
		bool inherits = own && r->since && born && r->since <= born;

		if (!r->session || r->session == mine.session || (!its && !inherits) ||
			holder_is_forged(&mine, r))
			continue;
		if (near && identity_check(session, r->start, &why) == IDENTITY_LIVES)
			return session;
		if (!near && (own ? holder_judge(s, w, &mine, all, i)
				  : holder_judge_kin(links, r, holder_claim(w, i))) != HOLDER_NONE)
			found = -1;
	}
	return found;
}

/* ---- all that live ---- */

bool holder_add(struct array *all, pid_t pid, bool elsewhere)
{
	struct probes_other *one;

	for (size_t i = 0; i < all->count; i++) {
		one = ARRAY_AT(all, struct probes_other, i);
		if (one->pid == pid && one->elsewhere == elsewhere)
			return true;
	}
	one = pid == getpid() && !elsewhere ? NULL : array_add(all);
	if (!one)
		return pid == getpid();
	*one = (struct probes_other){.pid = pid, .elsewhere = elsewhere};
	if (!elsewhere) {
		procfs_name(pid, one->name, sizeof one->name);
		one->dying = identity_dying(pid);
	}
	return true;
}

bool holder_add_arena(struct probes_session *s, const struct arena *w, struct array *all)
{
	struct arena_holder records[ARENA_HOLDERS], mine = holder_record(s, w);
	bool fits = true;

	if (!w->site_count || !arena_read_holders(w, &s->memory, records))
		return true;
	for (size_t i = 0; fits && i < ARENA_HOLDERS; i++) {
		enum holder_life life;

		if (!holder_is_other(&records[i], &mine))
			continue;
		life = holder_judge(s, w, &mine, records, i);
		if (life == HOLDER_LIVES || life == HOLDER_CLAIMS)
			fits = holder_add(
				all, (pid_t)(uint32_t)records[i].session, life == HOLDER_CLAIMS);
	}
	return fits;
}
