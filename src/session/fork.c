/*
 * Forked children: which session's process a child is a copy of, and which of the session's changes
 * the copy holds. Owns these two decisions; group.c and sweep.c search the processes.
 */
#include "session/group.h"

#include "base/error.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- the parent ---- */

/*
 * exec puts random addresses into the auxiliary vector, and fork copies the vector: its hash
 * (struct identity) is known even of a parent that has ended.
 */
const struct probes_session *fork_origin(struct probes_session *const *sessions, size_t count,
	const struct tree_link *link, uint64_t *program)
{
	const struct probes_session *found = NULL;
	bool read = false;

	*program = 0;
	for (size_t i = 0; i < count; i++) {
		const struct probes_session *s = sessions[i];

		if (!s->process || !s->first_switch_ticks ||
			link->start_time < s->first_switch_ticks)
			continue;
		if (!read) {
			errno = 0;
			*program = identity_program(link->pid);
			if (!*program && errno != EACCES && errno != EPERM &&
				!error_is_shortage(-errno))
				return NULL;
			read = true;
		}
		if (*program && *program != s->who.program)
			continue;
		if (s->who.pid == link->parent)
			return s;
		found = found ? found : s;
	}
	return found;
}

#define FORK_THREADS 100 /* that may end while two processes are compared */

bool fork_is_child(const struct probes_session *child, const struct probes_session *parent)
{
	const struct identity *a = &child->who, *b = &parent->who;

	if (!child->process || !parent->process || !parent->first_switch_ticks ||
		a->start_time < parent->first_switch_ticks || !a->program ||
		a->program != b->program)
		return false;
	/*
	 * The child of a vfork runs in its parent's memory, where a change must be undone only
	 * once. A parent that has ended shares no memory. kcmp compares threads, and the thread
	 * that stands for a process whose leader has ended may end, too.
	 */
	for (int i = 0; i < FORK_THREADS && identity_alive(a) && identity_alive(b); i++) {
		long differs =
			syscall(SYS_kcmp, identity_thread(a), identity_thread(b), KCMP_VM, 0, 0);

		if (differs >= 0 || errno != ESRCH)
			return differs > 0;
	}
	return !identity_alive(b);
}

bool fork_is_after(uint64_t start_time, const struct probes_session *parent)
{
	return start_time > parent->last_switch_ticks + SESSION_BIRTH;
}

/* ---- what it holds ---- */

/* A child, and what it inherited. */
struct fork_child {
	struct probes_session *child;
	const struct probes_session *parent;
	bool after;          /* see fork_is_after */
	struct array writes; /* struct probes_edit: the session's part in the child */
	struct array *doubt; /* the same, where it is unknown whether the session has a part */
};

static bool fork_add(struct array *to, struct probes_edit edit)
{
	return array_push(to, &edit);
}

/* Every site of a probe, switched on. */
static bool fork_add_sites(struct array *to, const struct probes_probe *p)
{
	for (uint32_t i = 0; kind_switches(p) && i < p->site_count; i++)
		if (!fork_add(to, kind_of(p)->edit(p->sites[i].address, true)))
			return false;
	return true;
}

/* Was the child forked before a repair began? */
static bool fork_is_early(const struct fork_child *f)
{
	return f->child->who.start_time < f->parent->history_ticks;
}

/* The session's last change of a count; NULL: it never changed the count. */
static const struct ownership_change *fork_change(const struct object_probes *h, uint32_t slot)
{
	return h->ownership->changes[slot].seq ? &h->ownership->changes[slot] : NULL;
}

/*
 * A child that was forked before a repair holds a count of that time. `value`: now, after the
 * repair of its own records, which is taken off.
 */
static bool fork_remembers(const struct fork_child *f, const struct object_probes *to,
	uint32_t slot, uint32_t value, int32_t *part)
{
	const struct ownership_change *own = fork_change(to, slot);
	int32_t undone = own ? (int32_t)own->old - (int32_t)own->new_ : 0;

	if (!fork_is_early(f) || !history_part(f->parent, to->semaphores[slot].address,
					 (uint32_t)((int32_t)value + undone), part))
		return false;
	*part -= undone;
	*part = *part > (int32_t)value ? (int32_t)value : *part;
	return true;
}

/*
 * fork and each of our writes take mmap_lock (dup_mmap, access_remote_vm): a child is a copy of its
 * parent between two writes. So a count that the session's last change took from `old` to `new` has
 * one of these values, or one between, in a child that was born meanwhile, and the session's part
 * is the one before or after the change. *known is false for any other value: others count there.
 */
static int32_t fork_part(const struct fork_child *f, const struct object_probes *from,
	uint32_t slot, uint32_t value, bool *known)
{
	const struct ownership_change *c = fork_change(from, slot);
	int32_t now = ownership_part(from, PLAN_SEMAPHORE, slot);

	*known = true;
	/* What was forked before a repair holds no count of after it: it is equal by chance. And
	   nothing that was added is in a count of 0. */
	if (fork_is_early(f)) {
		if (!value && (!c || c->before >= 0))
			return 0;
	} else if (value == from->values[slot] || (c && value == c->new_)) {
		return now;
	}
	if (c && !f->after) {
		bool up = c->new_ > c->old;

		if (value == c->old)
			return c->before;
		if (c->steps && (up ? value > c->old && value < c->new_
				    : value < c->old && value > c->new_))
			return c->before + (int32_t)value - (int32_t)c->old;
	}
	*known = f->after && !now;
	return 0;
}

/*
 * Add the values of a count without and with the session's part that the child may hold. `found`:
 * what it does hold, PROBES_NONE: unknown.
 */
static bool fork_doubt(const struct probes_session *parent, const struct object_probes *from,
	uint32_t slot, uint32_t found, struct array *doubt)
{
	const struct ownership_change *c = fork_change(from, slot);
	int32_t now = ownership_part(from, PLAN_SEMAPHORE, slot);
	int64_t value = from->values[slot] == PROBES_NONE ? 0 : from->values[slot];
	uint64_t address = from->semaphores[slot].address;
	int32_t most = history_most(parent, address);

	if (now)
		return fork_add(
			doubt, edit_semaphore(address, (unsigned)(value - now), (unsigned)value));
	if (c && c->before > 0 && found == c->new_)
		return fork_add(doubt,
			edit_semaphore(address,
				found > (uint32_t)c->before ? found - (uint32_t)c->before : 0,
				found));
	if (c && c->before)
		return fork_add(doubt, edit_semaphore(address, c->new_, c->old));
	/* An earlier repair has undone it in the parent. */
	if (!c && most)
		return fork_add(
			doubt, edit_semaphore(address, (unsigned)value, (unsigned)(value + most)));
	return true;
}

/* Do a site's code and its count disagree? */
static bool fork_disagrees(const struct object_probes *h, const struct probes_probe *p, uint32_t i)
{
	enum probes_state state = h->site_live[object_probes_site(h, p) + i].state;
	uint32_t k = p->sites[i].semaphore;
	uint32_t value =
		k == PROBES_NONE ? PROBES_NONE : h->values[object_probes_semaphore(h, p) + k];

	return value != PROBES_NONE && (state == PROBES_ON || state == PROBES_OFF) &&
	       (state == PROBES_ON) != (value > 0);
}

/* Make a part of a resource one of the child's session. False: no memory. */
static bool fork_own(
	struct fork_child *f, struct object_probes *to, const struct ownership_resource *r)
{
	if (!ownership_begin(to, r->kind) ||
		!fork_add(&f->writes, ownership_edit(to, r->kind, r->index, r->part)))
		return false;
	ownership_add(to, r);
	return true;
}

/* Make what `to` inherited of `from` a change of the child's session. False: no memory. */
static bool fork_take(
	struct fork_child *f, struct object_probes *to, const struct object_probes *from)
{
	if (!ownership_begin(to, PLAN_SEMAPHORE))
		return false;
	for (uint32_t i = 0; i < from->semaphore_count; i++) {
		bool known = true;
		int32_t part;

		if (object_probes_same(from, i) != i || ownership_part(to, PLAN_SEMAPHORE, i) ||
			to->values[i] == PROBES_NONE ||
			(!ownership_part(from, PLAN_SEMAPHORE, i) && !fork_change(from, i) &&
				!history_most(f->parent, from->semaphores[i].address)))
			continue;
		if (!fork_remembers(f, to, i, to->values[i], &part))
			part = fork_part(f, from, i, to->values[i], &known);
		if (!known && !fork_doubt(f->parent, from, i, to->values[i], f->doubt))
			return false;
		to->ownership->parts.of[PLAN_SEMAPHORE][i] = part;
		if (part && !fork_add(&f->writes, ownership_edit(to, PLAN_SEMAPHORE, i, part)))
			return false;
	}
	for (size_t i = 0; i < to->probe_count; i++) {
		const struct probes_probe *p = &to->probes[i];
		bool torn = false;

		/* Sites and counts need several writes: a child born between them is torn, and its
		   sites must follow its counts. */
		for (uint32_t k = 0; k < p->site_count; k++)
			torn = torn || fork_disagrees(to, p, k);
		if (from->ownership->switch_seq[i] && !f->after && torn) {
			to->ownership->parts.torn[i] = true;
			if (!fork_add_sites(&f->writes, p))
				return false;
		}
		/* The byte itself says whether the child has the code's part. An undo would leave
		   it where it agrees with the count (plan_restore). */
		for (uint32_t k = 0; torn && k < p->site_count; k++) {
			uint32_t site = ownership_index(to, p, PLAN_CODE, k);
			struct ownership_resource code = {.kind = PLAN_CODE,
				.index = site,
				.part = ownership_part(from, PLAN_CODE, site)};
			enum probes_state state = to->site_live[site].state;

			if (!code.part || ownership_part(to, PLAN_CODE, site) ||
				state != (code.part > 0 ? PROBES_ON : PROBES_OFF))
				continue;
			if (!fork_own(f, to, &code))
				return false;
		}
		for (uint32_t k = 0; k < p->site_count; k++) {
			struct ownership_resource jump = {.kind = PLAN_COUNTER,
				.index = ownership_index(to, p, PLAN_COUNTER, k),
				.part = 1};

			/* Forked with the session's jump, that somebody has removed here, not
			 * there? */
			if (f->after && to->jumps && from->jumps && from->jumps[jump.index].mine &&
				from->site_live[jump.index].counted &&
				!to->site_live[jump.index].counted &&
				to->site_live[jump.index].state != PROBES_UNREADABLE)
				to->jumps[jump.index].missed = true;
			/* A repair of one child is none of what lives in another one. */
			if (!to->site_live[jump.index].counted ||
				ownership_part(to, PLAN_COUNTER, jump.index) ||
				(f->parent->repaired && to->jumps[jump.index].shared) ||
				(ownership_part(from, PLAN_COUNTER, jump.index) <= 0 &&
					(f->after || !from->ownership->parts.of[PLAN_COUNTER])))
				continue;
			if (!fork_own(f, to, &jump))
				return false;
		}
		/* Undo in the parent's order: latest first. */
		if (ownership_owns(to, p))
			to->ownership->switch_seq[i] = from->ownership->switch_seq[i];
	}
	return true;
}

static bool fork_same_object(const struct object_probes *a, const struct object_probes *b)
{
	return a->info.bias == b->info.bias && !strcmp(a->path, b->path) &&
	       a->location.inode == b->location.inode && a->location.major == b->location.major &&
	       a->location.minor == b->location.minor && a->probe_count == b->probe_count &&
	       a->semaphore_count == b->semaphore_count && !a->info.gone && !b->info.gone;
}

int fork_inherit(struct probes_session *child, struct probes_session *parent, bool after,
	struct array *doubt, size_t *count, struct probes_error *e)
{
	struct fork_child f = {.child = child, .parent = parent, .doubt = doubt};
	int r, recorded;

	*count = 0;
	/* A repair that finds nothing to undo in the parent is no change. */
	f.after = after && !fork_is_early(&f);
	if (!fork_is_child(child, parent))
		return 0;
	jumps_share(child, parent);
	if (child->read_only)
		return 0;
	r = read_probes(child, NULL, 0, e);
	if (r == 0)
		r = read_probes(parent, NULL, 0, e);
	/* For a parent that has ended, the last read still shows what its children inherited. */
	if (r < 0 && (e->status != PROBES_GONE || probes_alive(child, e) < 0))
		return r;
	r = 0;
	owner_look(child);
	f.writes = ARRAY_OF(struct probes_edit);
	for (const struct object_probes *from = catalog_first(&parent->catalog); from;
		from = from->next) {
		for (size_t k = 0; r == 0 && from->ownership && k < child->catalog.objects.count;
			k++) {
			struct object_probes *to = catalog_object(&child->catalog, k);

			if (fork_same_object(to, from) && !fork_take(&f, to, from))
				r = error_memory(e, "what a child inherited");
		}
	}
	if (child->switch_seq < parent->switch_seq)
		child->switch_seq = parent->switch_seq;
	if (f.writes.count) {
		recorded = journals_begin(child);
		if (recorded == 0)
			recorded = journal_record(&child->journal, JOURNAL_MADE, &f.writes, NULL);
		if (recorded < 0)
			log_say(&child->log, PROBES_LOG_NOTICE,
				"no journal can be kept of what process %d inherited (%s)",
				child->who.pid, strerror(-recorded));
		child->first_switch_ticks = child->who.start_time;
		child->inherited_seq = child->switch_seq;
		child->all.baseline_valid = false;
		owner_reconcile(child);
		*count = probes_owned_count(child);
	}
	array_done(&f.writes);
	return r;
}

bool fork_counted(const struct probes_session *parent)
{
	for (const struct object_probes *h = catalog_first(&parent->catalog); h; h = h->next)
		if (h->ownership && h->ownership->parts.of[PLAN_COUNTER])
			return true;
	return false;
}

bool fork_doubt_all(const struct probes_session *parent, struct array *doubt)
{
	for (const struct object_probes *h = catalog_first(&parent->catalog); h; h = h->next) {
		for (uint32_t k = 0; h->ownership && !h->info.gone && k < h->semaphore_count; k++)
			if (object_probes_same(h, k) == k &&
				!fork_doubt(parent, h, k, PROBES_NONE, doubt))
				return false;
		for (size_t k = 0; h->ownership && !h->info.gone && k < h->probe_count; k++)
			if (h->ownership->switch_seq[k] && !fork_add_sites(doubt, &h->probes[k]))
				return false;
	}
	return true;
}
