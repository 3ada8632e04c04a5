/*
 * The public calls about children by fork: finding those that were born with
 * what a session had switched on, and taking that over for undoing.
 */
#include "session/session.h"

#include "base/error.h"
#include "process/descriptors.h"
#include "process/tree.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- finding ---- */

static bool fork_is_origin(struct probes_session *const *sessions, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (sessions[i]->process && sessions[i]->who.pid == pid)
			return true;
	return false;
}

/*
 * exec puts random addresses into the auxiliary vector, and fork copies the vector: its hash
 * (struct identity) is known even of a parent that has ended.
 */
static bool fork_descends(
	struct probes_session *const *sessions, size_t count, const struct tree_link *link)
{
	uint64_t program = 0;
	bool same = false;

	for (size_t i = 0; i < count && !same; i++) {
		const struct probes_session *s = sessions[i];

		if (!s->process || !s->first_switch_ticks ||
			link->start_time < s->first_switch_ticks || !s->who.program)
			continue;
		if (!program)
			program = identity_program(link->pid);
		same = program == s->who.program;
		if (!program)
			break;
	}
	return same;
}

static bool fork_any_switched(struct probes_session *const *sessions, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (sessions[i]->process && sessions[i]->first_switch_ticks)
			return true;
	return false;
}

int probes_forked(struct probes_session *const *sessions, size_t count, pid_t **pids, size_t *found,
	struct probes_error *e)
{
	struct array links;
	int r;

	*pids = NULL;
	*found = 0;
	if (!fork_any_switched(sessions, count))
		return 0;
	/* Without a free descriptor a mark could not be read, and a child would be missed. */
	r = descriptors_spare(0);
	if (r < 0)
		return error_set(e, PROBES_FAILED, r, "cannot look for children");
	array_init(&links, sizeof(struct tree_link));
	r = tree_gather(&links);
	*pids = r == 0 ? calloc(links.count + 1, sizeof **pids) : NULL;
	for (size_t i = 0; *pids && i < links.count; i++) {
		const struct tree_link *link = ARRAY_AT(&links, struct tree_link, i);

		if (link->forked && !fork_is_origin(sessions, count, link->pid) &&
			fork_descends(sessions, count, link))
			(*pids)[(*found)++] = link->pid;
	}
	array_done(&links);
	if (*pids)
		return 0;
	return error_set(e, PROBES_FAILED, r ? r : -ENOMEM, "cannot look for children");
}

/* ---- taking over ---- */

#define FORK_THREADS 100 /* that may end while two processes are compared */

/* A thread for kcmp(2): that of `who`, or another one if it has ended. */
static pid_t fork_thread(const struct identity *who)
{
	return identity_thread_lives(who) ? who->tid : identity_living_thread(who->proc);
}

/*
 * The child of a vfork runs in its parent's memory, where a change must be undone only once. A
 * parent that has ended shares no memory. kcmp compares threads, and the thread that stands for a
 * process whose leader has ended may end, too.
 */
static bool fork_has_own_memory(const struct probes_session *a, const struct probes_session *b)
{
	for (int i = 0; i < FORK_THREADS && identity_alive(&a->who) && identity_alive(&b->who);
		i++) {
		long differs = syscall(
			SYS_kcmp, fork_thread(&a->who), fork_thread(&b->who), KCMP_VM, 0, 0);

		if (differs >= 0 || errno != ESRCH)
			return differs > 0;
	}
	return !identity_alive(&b->who);
}

bool session_is_child(const struct probes_session *child, const struct probes_session *parent)
{
	return child->process && parent->process && parent->first_switch_ticks &&
	       child->who.start_time >= parent->first_switch_ticks && child->who.program &&
	       child->who.program == parent->who.program && fork_has_own_memory(child, parent);
}

static bool fork_same_object(const struct object_probes *a, const struct object_probes *b)
{
	return a->info.bias == b->info.bias && !strcmp(a->path, b->path) &&
	       a->location.inode == b->location.inode && a->location.major == b->location.major &&
	       a->location.minor == b->location.minor && a->probe_count == b->probe_count &&
	       a->semaphore_count == b->semaphore_count && !a->info.gone && !b->info.gone;
}

/* A child, and what it inherited. */
struct fork_heir {
	struct probes_session *child;
	const struct probes_session *parent;
	bool after;          /* born after the parent's last change */
	struct array writes; /* struct probes_edit: our part in it */
	struct array *doubt; /* the same, where it is unknown whether it is ours */
};

static bool fork_add(struct array *to, struct probes_edit edit)
{
	struct probes_edit *slot = array_add(to);

	if (slot)
		*slot = edit;
	return slot;
}

/*
 * fork and each of our writes take mmap_lock (dup_mmap, access_remote_vm): a child is a copy of its
 * parent between two writes. So a count that our last change took from `old` to `new` has one of
 * these values in a child that was born meanwhile, and our part of it is that before or that after
 * the change. *known is false for any other value: others count there.
 */
static int32_t fork_part(const struct fork_heir *heir, const struct object_probes *from,
	size_t slot, uint32_t value, bool *known)
{
	const struct object_probes_change *c = from->changes ? &from->changes[slot] : NULL;
	int32_t now = from->net[slot];

	*known = true;
	if (value == from->values[slot] || (c && c->serial && value == c->new_))
		return now;
	if (c && c->serial && !heir->after) {
		bool up = c->new_ > c->old;

		if (value == c->old)
			return c->before;
		if (c->steps && (up ? value > c->old && value < c->new_
				    : value < c->old && value > c->new_))
			return c->before + (int32_t)value - (int32_t)c->old;
	}
	*known = heir->after && !now;
	return 0;
}

/* The values of the count without and with the part of ours that it may hold. */
static bool fork_doubt(const struct object_probes *from, size_t slot, struct array *doubt)
{
	const struct object_probes_change *c = from->changes ? &from->changes[slot] : NULL;
	int32_t now = from->net[slot];
	int64_t value = from->values[slot] == PROBES_NONE ? 0 : from->values[slot];
	uint64_t address = from->semaphores[slot].address;

	if (now)
		return fork_add(
			doubt, edit_semaphore(address, (unsigned)(value - now), (unsigned)value));
	if (c && c->serial && c->before)
		return fork_add(doubt, edit_semaphore(address, c->new_, c->old));
	return true;
}

static bool fork_take_counts(
	struct fork_heir *heir, struct object_probes *to, const struct object_probes *from)
{
	for (size_t i = 0; i < from->semaphore_count; i++) {
		bool known = true;
		int32_t part;

		if (object_probes_same(from, i) != i || to->net[i] ||
			to->values[i] == PROBES_NONE ||
			(!from->net[i] && !(from->changes && from->changes[i].serial)))
			continue;
		part = fork_part(heir, from, i, to->values[i], &known);
		if (!known && !fork_doubt(from, i, heir->doubt))
			return false;
		if (!part)
			continue;
		to->net[i] = part;
		if (!fork_add(&heir->writes,
			    edit_semaphore(to->semaphores[i].address,
				    part < 0 ? (unsigned)-part : 0, part > 0 ? (unsigned)part : 0)))
			return false;
	}
	return true;
}

static bool fork_is_torn(const struct object_probes *h, const struct probes_probe *p)
{
	for (uint32_t i = 0; i < p->site_count; i++) {
		enum probes_state state = h->site_live[object_probes_site(h, p) + i].state;
		uint32_t k = p->sites[i].semaphore, value;

		value = k == PROBES_NONE ? PROBES_NONE
					 : h->values[object_probes_semaphore(h, p) + k];
		if (value != PROBES_NONE && (state == PROBES_ON || state == PROBES_OFF) &&
			(state == PROBES_ON) != (value > 0))
			return true;
	}
	return false;
}

/* Sites and counts need several writes: in a child born between them, make the sites follow. */
static bool fork_take_torn(
	struct fork_heir *heir, struct object_probes *to, const struct object_probes *from)
{
	for (size_t i = 0; i < to->probe_count; i++) {
		const struct probes_probe *p = &to->probes[i];

		if (!from->switch_seq[i] || heir->after || !fork_is_torn(to, p))
			continue;
		if (!to->torn)
			to->torn = calloc(to->probe_count + 1, sizeof *to->torn);
		if (!to->torn)
			return false;
		to->torn[i] = true;
		for (uint32_t k = 0; k < p->site_count; k++)
			if (!fork_add(&heir->writes, kind_of(p)->edit(p->sites[k].address, true)))
				return false;
	}
	return true;
}

/* Put each on the child's record. */
static bool fork_take(
	struct fork_heir *heir, struct object_probes *to, const struct object_probes *from)
{
	if (!fork_take_counts(heir, to, from) || !fork_take_torn(heir, to, from))
		return false;
	/* So that what was switched last is undone first here, too. */
	for (size_t i = 0; i < to->probe_count; i++)
		if (session_owns(to, &to->probes[i]))
			to->switch_seq[i] = from->switch_seq[i];
	return true;
}

static int fork_take_all(struct fork_heir *heir, struct probes_error *e)
{
	for (size_t i = 0; i < heir->parent->catalog.objects.count; i++) {
		const struct object_probes *from = catalog_object(&heir->parent->catalog, i);

		for (size_t k = 0; from->net && k < heir->child->catalog.objects.count; k++) {
			struct object_probes *to = catalog_object(&heir->child->catalog, k);

			if (to->net && fork_same_object(to, from) && !fork_take(heir, to, from))
				return error_memory(e, "what a child inherited");
		}
	}
	if (heir->child->switch_seq < heir->parent->switch_seq)
		heir->child->switch_seq = heir->parent->switch_seq;
	return 0;
}

static void fork_record(struct probes_session *child, const struct array *writes)
{
	int r = session_begin_journal(child);

	if (r == 0)
		r = journal_record(&child->journal, JOURNAL_MADE, writes, NULL);
	if (r < 0)
		log_say(&child->log, PROBES_LOG_NOTICE,
			"no journal can be kept of what process %d inherited (%s)", child->who.pid,
			strerror(-r));
}

int session_inherit(struct probes_session *child, struct probes_session *parent, bool after,
	struct array *doubt, size_t *count, struct probes_error *e)
{
	struct fork_heir heir = {.child = child, .parent = parent, .after = after, .doubt = doubt};
	int r;

	*count = 0;
	if (child->read_only || !session_is_child(child, parent))
		return 0;
	r = session_read(child, NULL, 0, e);
	if (r == 0)
		r = session_read(parent, NULL, 0, e);
	/* For a parent that has ended, the last read still shows what its children inherited. */
	if (r < 0 && (e->status != PROBES_GONE || probes_alive(child, e) < 0))
		return r;
	array_init(&heir.writes, sizeof(struct probes_edit));
	r = fork_take_all(&heir, e);
	if (heir.writes.count) {
		fork_record(child, &heir.writes);
		child->first_switch_ticks = child->who.start_time;
		child->all.fresh = true;
		*count = probes_owned_count(child);
	}
	array_done(&heir.writes);
	return r;
}

int probes_inherit(struct probes_session *child, struct probes_session *parent, size_t *count,
	struct probes_error *e)
{
	bool after = child->process && child->who.start_time > parent->changed_at + SESSION_BIRTH;
	struct array doubt;
	int r;

	array_init(&doubt, sizeof(struct probes_edit));
	r = session_inherit(child, parent, after, &doubt, count, e);
	child->doubtful = child->doubtful || doubt.count;
	array_done(&doubt);
	return r;
}

bool session_doubt_all(const struct probes_session *parent, struct array *doubt)
{
	for (size_t i = 0; i < parent->catalog.objects.count; i++) {
		const struct object_probes *h = catalog_object(&parent->catalog, i);

		for (size_t k = 0; h->net && !h->info.gone && k < h->semaphore_count; k++)
			if (object_probes_same(h, k) == k && !fork_doubt(h, k, doubt))
				return false;
		for (size_t k = 0; h->net && !h->info.gone && k < h->probe_count; k++) {
			const struct probes_probe *p = &h->probes[k];

			if (!h->switch_seq[k] || !kind_of(p)->edit)
				continue;
			for (uint32_t n = 0; n < p->site_count; n++)
				if (!fork_add(doubt, kind_of(p)->edit(p->sites[n].address, true)))
					return false;
		}
	}
	return true;
}
