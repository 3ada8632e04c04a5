/*
 * Several sessions as one party. Owns the members, the forked children that inherited something,
 * and the search for processes that were born; fork.c decides what a child inherited, sweep.c
 * searches after an undo.
 */
#include "session/group.h"

#include "base/error.h"
#include "process/descriptors.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct probes_group {
	struct probes_options options;
	pid_t root;            /* of the tree that was opened; 0: none */
	bool followed;         /* descendants were looked for */
	struct array members;  /* struct probes_member * */
	struct array children; /* likewise */
	struct array passed;   /* struct tree_link: processes that are not opened again */
};

/* ---- members ---- */

int probes_group_new(
	const struct probes_options *options, struct probes_group **group, struct probes_error *e)
{
	struct probes_group *g = *group = calloc(1, sizeof *g);

	if (!g)
		return error_memory(e, "a group");
	if (options)
		g->options = *options;
	g->members = ARRAY_OF(struct probes_member *);
	g->children = ARRAY_OF(struct probes_member *);
	g->passed = ARRAY_OF(struct tree_link);
	return 0;
}

static struct probes_member *group_at(const struct array *list, size_t index)
{
	return *ARRAY_AT(list, struct probes_member *, index);
}

/* Members first. NULL: there are no more. */
static struct probes_member *group_any(const struct probes_group *g, size_t index)
{
	if (index < g->members.count)
		return group_at(&g->members, index);
	index -= g->members.count;
	return index < g->children.count ? group_at(&g->children, index) : NULL;
}

static void group_free(struct probes_member *m)
{
	if (m)
		probes_close(m->session);
	free(m);
}

void probes_group_close(struct probes_group *g)
{
	struct probes_member *m;

	if (!g)
		return;
	for (size_t i = 0; (m = group_any(g, i)); i++)
		group_free(m);
	array_done(&g->members);
	array_done(&g->children);
	array_done(&g->passed);
	free(g);
}

/*
 * Takes the member, also on failure. Counters that it shares with a member, since one of them is
 * the other's forked child, are those of the first.
 */
static int group_keep(struct array *list, struct probes_member *m, struct probes_error *e)
{
	for (size_t i = 0; m->session && m->session->arenas.count && i < list->count; i++) {
		struct probes_session *other = group_at(list, i)->session;

		if (other)
			jumps_share(m->session, other);
	}
	if (array_push(list, &m))
		return 0;
	group_free(m);
	return error_memory(e, "a group");
}

int probes_group_open(
	struct probes_group *g, const pid_t *pids, size_t count, bool found, struct probes_error *e)
{
	struct probes_member *first = NULL, *m;
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++) {
		if (found && pids[i] == getpid())
			continue;
		m = calloc(1, sizeof *m);
		if (!m) {
			r = error_memory(e, "a group");
			break;
		}
		m->pid = pids[i];
		r = probes_open_pid(m->pid, &g->options, &m->session, &m->error);
		if (!found || (r == 0 && probes_count(m->session)) ||
			(r < 0 && m->error.status != PROBES_NO_TARGET &&
				m->error.status != PROBES_GONE)) {
			r = group_keep(&g->members, m, e);
			continue;
		}
		r = 0;
		if (first)
			group_free(m);
		else
			first = m;
	}
	if (r == 0 && first && !g->members.count)
		return group_keep(&g->members, first, e);
	if (r == 0 && found && count && !g->members.count) {
		error_set(e, PROBES_NO_TARGET, -ESRCH, "cannot find a process with probes");
		error_why(e, "process %d is %s itself, and there is no other", getpid(),
			program_invocation_short_name);
		r = error_hint(e, "name it by its pid to see its own probes");
	}
	group_free(first);
	return r;
}

int probes_group_open_file(struct probes_group *g, const char *path, struct probes_error *e)
{
	struct probes_member *m = calloc(1, sizeof *m);

	if (!m)
		return error_memory(e, "a group");
	if (probes_open_file(path, &g->options, &m->session, &m->error) < 0)
		m->session = NULL;
	return group_keep(&g->members, m, e);
}

int probes_group_open_tree(struct probes_group *g, pid_t root, struct probes_error *e)
{
	size_t count;
	pid_t *pids;
	int r = probes_tree(root, &pids, &count, e);

	if (r < 0)
		return r;
	g->root = root;
	r = probes_group_open(g, pids, count, true, e);
	free(pids);
	return r;
}

int probes_group_add(struct probes_group *g, struct probes_session *session, struct probes_error *e)
{
	struct probes_member *m = calloc(1, sizeof *m);

	if (!m || !array_reserve(&g->members, 1)) {
		free(m);
		return error_memory(e, "a group");
	}
	m->pid = probes_pid(session);
	m->session = session;
	return group_keep(&g->members, m, e);
}

size_t probes_group_count(const struct probes_group *g)
{
	return g->members.count;
}

const struct probes_member *probes_group_at(const struct probes_group *g, size_t index)
{
	return group_at(&g->members, index);
}

const struct probes_member *probes_group_child(const struct probes_group *g, size_t index)
{
	return index < g->children.count ? group_at(&g->children, index) : NULL;
}

static bool group_lives(const struct probes_member *m)
{
	struct probes_error ignored;

	return m->session && probes_alive(m->session, &ignored) == 0;
}

static bool group_holds(const struct probes_member *m)
{
	return m->session && probes_owned_count(m->session) && group_lives(m);
}

size_t probes_group_children(const struct probes_group *g, size_t *probes)
{
	size_t count = 0;

	*probes = 0;
	for (size_t i = 0; i < g->children.count; i++) {
		const struct probes_member *m = group_at(&g->children, i);

		if (!group_holds(m))
			continue;
		count++;
		*probes += probes_owned_count(m->session);
	}
	return count;
}

bool probes_group_holds(const struct probes_group *g)
{
	const struct probes_member *m;
	bool any = false;

	for (size_t i = 0; (m = group_any(g, i)); i++) {
		if (m->session)
			latency_keep(m->session);
		any = any || group_holds(m);
	}
	return any;
}

/* All sessions, also of processes that have ended: their children may live. NULL: no memory. */
static struct probes_session **group_sessions(const struct probes_group *g, size_t *count)
{
	struct probes_session **all =
		calloc(g->members.count + g->children.count + 1, sizeof(struct probes_session *));
	const struct probes_member *m;

	*count = 0;
	for (size_t i = 0; all && (m = group_any(g, i)); i++)
		if (m->session)
			all[(*count)++] = m->session;
	return all;
}

/* Where descriptors are short, close those of other sessions that can be opened again. */
static void group_spare(struct probes_session *const *sessions, size_t count)
{
	if (descriptors_spare(0) == 0)
		return;
	for (size_t i = 0; i < count; i++)
		session_spare(sessions[i]);
}

/* ---- births ---- */

struct group_look {
	struct probes_group *group;
	void (*born)(void *data, const struct probes_member *member);
	void *data;
	struct probes_session **sessions; /* before this look */
	size_t session_count;
};

/* Is it the caller, a living process of the group, or one that was looked at before? */
static bool group_knows(const struct probes_group *g, const struct tree_link *link)
{
	const struct probes_member *m;

	ARRAY_EACH(const struct tree_link, p, &g->passed)
		if (p->pid == link->pid && p->start_time == link->start_time &&
			!strcmp(p->comm, link->comm)) /* exec mostly changes it */
			return true;
	for (size_t i = 0; (m = group_any(g, i)); i++)
		if (m->pid == link->pid && group_lives(m))
			return true;
	return link->pid == getpid();
}

/* Open a process that was born, and keep it or pass over it; returns whether it could be opened.
 * `listed`: as a member. */
static bool group_take(struct group_look *l, const struct tree_link *link, bool listed)
{
	struct probes_group *g = l->group;
	struct probes_member *m;
	struct probes_error ignored;
	struct array doubt = ARRAY_OF(struct probes_edit);
	bool opened, keep;
	size_t first;
	int r;

	m = calloc(1, sizeof *m);
	if (!m)
		return false;
	m->pid = link->pid;
	m->child = !listed;
	group_spare(l->sessions, l->session_count);
	/* Those that are needed to undo stay free: the sweep opens one child after the other. */
	r = descriptors_spare(DESCRIPTORS_SPARE);
	if (r < 0)
		error_set(&m->error, PROBES_FAILED, r, "cannot open process %d", m->pid);
	opened = r == 0 && probes_open_pid(m->pid, &g->options, &m->session, &m->error) == 0;
	if (!opened && probes_is_shortage(&m->error)) {
		l->born(l->data, m); /* a later look may have more descriptors */
		group_free(m);
		return false;
	}
	for (size_t i = 0; opened && i < l->session_count && !m->inherited; i++)
		if (fork_inherit(m->session, l->sessions[i],
			    fork_is_after(m->session->who.start_time, l->sessions[i]), &doubt,
			    &m->inherited, &ignored) < 0)
			m->inherited = 0;
	keep = opened && (listed ? probes_count(m->session)
				 : m->inherited || probes_lost_sites(m->session, &first));
	if (keep) {
		m->session->parts_unknown = doubt.count;
		if (group_keep(listed ? &g->members : &g->children, m, &ignored) == 0 &&
			(listed || m->inherited))
			l->born(l->data, m);
	} else {
		if (opened || m->error.status != PROBES_GONE)
			(void)array_push(&g->passed, link); /* else it is only opened again */
		group_free(m);
	}
	array_done(&doubt);
	return opened;
}

/* Descendants become members. Those that the first look finds below members are left out. */
static int group_follow(struct group_look *l, const struct array *links, struct probes_error *e)
{
	struct probes_group *g = l->group;
	size_t roots = g->root ? 1 : g->members.count, count;
	pid_t *pids = calloc(links->count + 1, sizeof *pids);

	if (!pids)
		return error_memory(e, "a group");
	for (size_t i = 0; i < roots; i++) {
		if (!g->root && !group_lives(group_at(&g->members, i)))
			continue;
		count = tree_descendants(links->data, links->count,
			g->root ? g->root : group_at(&g->members, i)->pid, pids);
		for (size_t k = 0; k < count; k++) {
			const struct tree_link *link = links->data;

			while (link->pid != pids[k])
				link++;
			if (!g->root && !g->followed)
				(void)array_push(&g->passed, link);
			else if (!group_knows(g, link))
				group_take(l, link, true);
		}
	}
	g->followed = true;
	free(pids);
	return 0;
}

int probes_group_look(struct probes_group *g, bool follow, size_t most,
	void (*born)(void *data, const struct probes_member *member), void *data,
	struct probes_error *e)
{
	struct group_look l = {.group = g, .born = born, .data = data};
	struct array links = ARRAY_OF(struct tree_link);
	bool switched = false;
	size_t kept = 0;
	uint64_t program;
	int r;

	for (size_t i = 0; i < g->members.count; i++)
		if (group_at(&g->members, i)->session)
			session_rest(group_at(&g->members, i)->session);
	/* In a child that has ended nothing is left to undo. */
	for (size_t i = 0; i < g->children.count; i++)
		if (group_lives(group_at(&g->children, i)))
			*ARRAY_AT(&g->children, struct probes_member *, kept++) =
				group_at(&g->children, i);
		else
			group_free(group_at(&g->children, i));
	g->children.count = kept;
	l.sessions = group_sessions(g, &l.session_count);
	for (size_t i = 0; l.sessions && i < l.session_count; i++)
		switched = switched || l.sessions[i]->first_switch_ticks;
	if (l.sessions && !switched && !follow) {
		free(l.sessions);
		return 0;
	}
	if (l.sessions)
		group_spare(l.sessions, l.session_count);
	/* Without a free descriptor a program could not be read, and a child would be missed. */
	r = l.sessions ? descriptors_spare(0) : -ENOMEM;
	if (r == 0)
		r = tree_gather(&links);
	if (r < 0)
		error_set(e, PROBES_FAILED, r, "cannot look for children");
	if (r == 0 && follow)
		r = group_follow(&l, &links, e);
	ARRAY_EACH_WHILE(r == 0 && most, const struct tree_link, link, &links)
		if (link->forked && !group_knows(g, link) &&
			fork_origin(l.sessions, l.session_count, link, &program) && program &&
			group_take(&l, link, follow) && !follow)
			most--;
	kept = 0;
	for (size_t i = 0; i < g->passed.count; i++)
		if (kill(ARRAY_AT(&g->passed, struct tree_link, i)->pid, 0) == 0 || errno != ESRCH)
			*ARRAY_AT(&g->passed, struct tree_link, kept++) =
				*ARRAY_AT(&g->passed, struct tree_link, i);
	g->passed.count = kept;
	array_done(&links);
	free(l.sessions);
	return r;
}

/* ---- undoing ---- */

static void group_undo(struct probes_member *m, uint32_t until, probes_undone_fn *each, void *data)
{
	struct probes_undone u = {.member = m};
	size_t before = ownership_owned_count(m->session, until);
	struct probes_error e;

	if (!before)
		return;
	if (switch_restore_until(m->session, until, &u.result, &e) < 0)
		u.error = &e;
	u.kept = ownership_owned_count(m->session, until);
	u.probes = before > u.kept ? before - u.kept : 0;
	each(data, &u);
	probes_result_free(u.result);
}

void probes_group_restore_inherited(struct probes_group *g, probes_undone_fn *each, void *data)
{
	struct probes_member *m;

	for (size_t i = 0; (m = group_any(g, i)); i++)
		if (m->inherited && group_lives(m))
			group_undo(m, m->session->inherited_seq, each, data);
}

int probes_group_sweep(
	struct probes_group *g, probes_undone_fn *each, void *data, struct probes_error *e)
{
	size_t count;
	struct probes_session **sessions = group_sessions(g, &count);
	int r;

	if (sessions)
		group_spare(sessions, count);
	r = sessions ? sweep_run(sessions, count, &g->options, each, data, e)
		     : error_memory(e, "a sweep");

	free(sessions);
	return r;
}

int probes_group_restore(struct probes_group *g, unsigned lock_timeout_ms, probes_undone_fn *each,
	void *data, struct probes_error *e)
{
	struct probes_member *m;

	for (size_t i = 0; (m = group_any(g, i)); i++) {
		if (!m->session)
			continue;
		probes_set_lock_timeout(m->session, lock_timeout_ms);
		group_undo(m, UINT32_MAX, each, data);
		probes_set_lock_timeout(m->session, 0);
	}
	return probes_group_sweep(g, each, data, e);
}
