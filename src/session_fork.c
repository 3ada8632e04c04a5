/*
 * The public calls about children by fork: finding those that were born with
 * what a session had switched on, and taking that over for undoing.
 */
#include "session.h"

#include "base/error.h"
#include "process/descriptors.h"
#include "process/procfs.h"
#include "process/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- the mark of a fork ---- */

/* The auxiliary vector: addresses chosen at random by exec. fork copies it. */
struct fork_mark {
	char *text; /* NULL: it could not be read */
	size_t size;
};

static struct fork_mark fork_mark_of(int dir, const char *file)
{
	struct fork_mark m;

	if (procfs_read(dir, file, &m.text, &m.size) < 0)
		m.size = 0;
	return m;
}

static bool fork_same(const struct fork_mark *a, const struct fork_mark *b)
{
	return a->size && a->size == b->size && !memcmp(a->text, b->text, a->size);
}

/* ---- finding ---- */

/* A process that switches, for one look. */
struct fork_origin {
	const struct probes_session *session;
	struct fork_mark mark;
};

static bool fork_is_origin(const struct array *origins, pid_t pid)
{
	for (size_t i = 0; i < origins->count; i++)
		if (ARRAY_AT(origins, struct fork_origin, i)->session->who.pid == pid)
			return true;
	return false;
}

static bool fork_descends(const struct array *origins, const struct tree_link *link)
{
	struct fork_mark mark = {0};
	bool same = false;

	for (size_t i = 0; i < origins->count && !same; i++) {
		const struct fork_origin *o = ARRAY_AT(origins, struct fork_origin, i);
		char path[64];

		if (link->start_time < o->session->since || !o->mark.size)
			continue;
		if (!mark.text) {
			snprintf(path, sizeof path, "/proc/%d/auxv", link->pid);
			mark = fork_mark_of(AT_FDCWD, path);
		}
		same = fork_same(&mark, &o->mark);
	}
	free(mark.text);
	return same;
}

static int fork_origins(struct probes_session *const *sessions, size_t count, struct array *origins,
	struct probes_error *e)
{
	int r;

	for (size_t i = 0; i < count; i++) {
		struct fork_origin *o;

		if (!sessions[i]->process || !sessions[i]->since)
			continue;
		/* A mark that could not be read for want of a descriptor would hide a child. */
		if (!origins->count && (r = descriptors_spare(0)) < 0)
			return error_set(e, PROBES_FAILED, r, "cannot look for children");
		o = array_add(origins);
		if (!o)
			return error_memory(e, "a look at children");
		o->session = sessions[i];
		o->mark = fork_mark_of(sessions[i]->who.task, "auxv");
	}
	return 0;
}

static int fork_find(
	const struct array *origins, pid_t **pids, size_t *found, struct probes_error *e)
{
	struct array links;
	int r;

	array_init(&links, sizeof(struct tree_link));
	r = tree_gather(&links);
	*pids = r == 0 ? calloc(links.count + 1, sizeof **pids) : NULL;
	for (size_t i = 0; *pids && i < links.count; i++) {
		const struct tree_link *link = ARRAY_AT(&links, struct tree_link, i);

		if (!fork_is_origin(origins, link->pid) && fork_descends(origins, link))
			(*pids)[(*found)++] = link->pid;
	}
	array_done(&links);
	if (*pids)
		return 0;
	return error_set(e, PROBES_FAILED, r ? r : -ENOMEM, "cannot look for children");
}

int probes_forked(struct probes_session *const *sessions, size_t count, pid_t **pids, size_t *found,
	struct probes_error *e)
{
	struct array origins;
	int r;

	*pids = NULL;
	*found = 0;
	array_init(&origins, sizeof(struct fork_origin));
	r = fork_origins(sessions, count, &origins, e);
	if (r == 0 && origins.count)
		r = fork_find(&origins, pids, found, e);
	for (size_t i = 0; i < origins.count; i++)
		free(ARRAY_AT(&origins, struct fork_origin, i)->mark.text);
	array_done(&origins);
	return r;
}

/* ---- taking over ---- */

/* A vfork's child runs in its parent's memory: what is written there is written once. */
static bool fork_has_own_memory(const struct probes_session *a, const struct probes_session *b)
{
	return syscall(SYS_kcmp, a->who.tid, b->who.tid, KCMP_VM, 0, 0) > 0;
}

static bool fork_is_child(const struct probes_session *child, const struct probes_session *parent)
{
	struct fork_mark a, b;
	bool same;

	if (!child->process || !parent->process || !parent->since ||
		child->who.start_time < parent->since || !fork_has_own_memory(child, parent))
		return false;
	a = fork_mark_of(child->who.task, "auxv");
	b = fork_mark_of(parent->who.task, "auxv");
	same = fork_same(&a, &b);
	free(a.text);
	free(b.text);
	return same;
}

static bool fork_same_object(const struct holding *a, const struct holding *b)
{
	return a->info.bias == b->info.bias && !strcmp(a->path, b->path) &&
	       a->place.inode == b->place.inode && a->place.major == b->place.major &&
	       a->place.minor == b->place.minor && a->probe_count == b->probe_count &&
	       a->semaphore_count == b->semaphore_count && !a->info.gone && !b->info.gone;
}

/* What is the same in both; each goes on the child's record. */
static bool fork_take(struct holding *child, const struct holding *parent, struct array *writes)
{
	for (size_t i = 0; i < parent->semaphore_count; i++) {
		int32_t net = parent->net[i];
		struct journal_write *w;

		if (!net || child->net[i] || child->values[i] == PROBES_NONE ||
			child->values[i] != parent->values[i])
			continue;
		w = array_add(writes);
		if (!w)
			return false;
		child->net[i] = net;
		w->address = child->semaphores[i].address;
		*(net > 0 ? &w->new_ : &w->old) = (uint16_t)(net > 0 ? net : -net);
	}
	/* So that what was switched last is undone first here, too. */
	for (size_t i = 0; i < child->probe_count; i++)
		if (session_owns(child, &child->probes[i]))
			child->stamp[i] = parent->stamp[i];
	return true;
}

static int fork_take_all(struct probes_session *child, const struct probes_session *parent,
	struct array *writes, struct probes_error *e)
{
	for (size_t i = 0; i < parent->catalog.holdings.count; i++) {
		const struct holding *from = catalog_holding(&parent->catalog, i);

		for (size_t k = 0; from->net && k < child->catalog.holdings.count; k++) {
			struct holding *to = catalog_holding(&child->catalog, k);

			if (to->net && fork_same_object(to, from) && !fork_take(to, from, writes))
				return error_memory(e, "what a child inherited");
		}
	}
	if (child->stamp < parent->stamp)
		child->stamp = parent->stamp;
	return 0;
}

static void fork_record(struct probes_session *child, const struct array *writes)
{
	int r = session_begin_journal(child);

	if (r == 0)
		r = journal_add(&child->journal, writes->data, writes->count);
	if (r < 0)
		log_say(&child->log, PROBES_LOG_NOTICE,
			"no journal can be kept of what process %d inherited (%s)", child->who.pid,
			strerror(-r));
}

int probes_inherit(struct probes_session *child, struct probes_session *parent, size_t *count,
	struct probes_error *e)
{
	struct array writes;
	int r;

	*count = 0;
	if (child->read_only || !fork_is_child(child, parent))
		return 0;
	r = session_read(child, NULL, 0, e);
	if (r == 0)
		r = session_read(parent, NULL, 0, e);
	if (r < 0)
		return r;
	array_init(&writes, sizeof(struct journal_write));
	r = fork_take_all(child, parent, &writes, e);
	if (writes.count) {
		fork_record(child, &writes);
		child->since = child->who.start_time;
		child->all.fresh = true;
		*count = probes_mine(child);
	}
	array_done(&writes);
	return r;
}
