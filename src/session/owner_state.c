/*
 * What follows from who measures (session/holder.c): the state of an arena, in which a pair is
 * measured or events are kept, has one owner at a time.
 */
#include "session/session.h"

#include "base/error.h"
#include "process/procfs.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

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

pid_t owner_of_state(struct probes_session *s, const struct arena *w, enum owner_state state)
{
	pid_t pid;

	switch (holder_of_state(s, w, state, &pid)) {
	case HOLDER_NONE:
		return 0;
	case HOLDER_LIVES:
		return pid;
	default:
		return -1;
	}
}

/* Refuse because another session has a state. */
static int owner_refuse(const struct probes_session *s, enum owner_state wanted,
	enum owner_state held, enum holder_life life, pid_t other, struct probes_error *e)
{
	char name[64];

	error_set(e, PROBES_REFUSED, -EBUSY, "cannot %s of process %d", owner_does[wanted].cannot,
		s->who.pid);
	switch (life) {
	case HOLDER_LIVES:
		if (other == getpid()) {
			error_why(e, "another session of this program %s there",
				owner_does[held].does);
			return error_hint(e, "end it first");
		}
		procfs_name(other, name, sizeof name);
		error_why(e, "process %d (%s) %s there", (int)other, name, owner_does[held].does);
		return error_hint(e, "wait for it to end, or quit it");
	case HOLDER_CLAIMS:
		error_why(e,
			"a session in another pid namespace (process %d there) %s there: it is on "
			"record, and a lock says that it lives",
			(int)other, owner_does[held].does);
		return error_hint(e, "wait for it to end, or quit it");
	default:
		error_why(e,
			"a session in another pid namespace (process %d there) is on record, and "
			"whether it lives cannot be seen from here: " HOLDER_LOCKED,
			(int)other);
		return error_hint(
			e, "wait for it to end, or quit it; if it has ended, call repair there");
	}
}

/*
 * Hits of these sites go to the state of an arena that no other session has: one that was killed
 * gave them their roles. Else they would be taken for hits of what begins now.
 */
static void owner_forget_roles(struct probes_session *s, const struct arena *w)
{
	bool left = false;

	/* A session is named before it gives the first role, and until it has taken the last. */
	for (enum owner_state state = OWNER_PAIR; state <= OWNER_EVENTS; state++) {
		uint64_t session = 1; /* also where it cannot be read */

		(void)arena_get(w, &s->memory, owner_at(state), &session, sizeof session);
		left = left || (!w->own[state] && session);
	}
	ARRAY_EACH_WHILE(left, struct arena, from, &s->arenas) {
		struct recorder_role role;

		for (size_t k = 0; k < from->site_count; k++)
			if (arena_role(from, &s->memory, k, &role) && role.what != RECORDER_NONE &&
				!w->own[role.what == RECORDER_EVENT ? OWNER_EVENTS : OWNER_PAIR] &&
				(role.older.state ? role.older.state == arena_state(w) : from == w))
				(void)arena_clear_role(from, &s->memory, k);
	}
}

/* Under the lock: of two sessions that take it at once the second one sees the first. */
int owner_take(struct probes_session *s, struct arena *w, enum owner_state state, uint64_t *self,
	struct probes_error *e)
{
	/* Both states use what is known of the threads, which one session at a time keeps. */
	const enum owner_state both[2] = {state, OWNER_EVENTS - state};
	enum holder_life life = HOLDER_NONE;
	pid_t other = 0;
	int r = lock_take(&s->lock, &s->who, s->memory.fd, SESSION_LOCK_MS, e);

	if (r < 0)
		return r;
	for (size_t i = 0; life == HOLDER_NONE && i < 2; i++) {
		life = holder_of_state(s, w, both[i], &other);
		if (life != HOLDER_NONE)
			r = owner_refuse(s, state, both[i], life, other, e);
	}
	if (r == 0) {
		owner_forget_roles(s, w);
		w->own[state] = true;
		if (!holder_say(s, w)) {
			w->own[state] = false;
			r = error_set(e, PROBES_REFUSED, -EBUSY, "cannot %s of process %d",
				owner_does[state].cannot, s->who.pid);
			error_why(e,
				"it cannot be put on record: %d sessions are, on this process and "
				"its forked children, or the record cannot be written",
				ARENA_HOLDERS);
			error_hint(e, "quit one of them");
		}
	}
	lock_release(&s->lock, &s->who, s->memory.fd);
	*self = holder_self();
	return r;
}

bool owner_is_ours(struct probes_session *s, const struct arena *w, enum owner_state state)
{
	uint64_t session = 0;

	return arena_get(w, &s->memory, owner_at(state), &session, sizeof session) &&
	       session == holder_self();
}

void owner_give(struct probes_session *s, struct arena *w, enum owner_state state)
{
	if (!w->own[state])
		return;
	w->own[state] = false;
	(void)holder_say(s, w);
}

int owner_unwritable(const struct probes_session *s, struct probes_error *e)
{
	return error_set(e, PROBES_FAILED, -EIO, "cannot write to process %d", s->who.pid);
}

void owner_leave_states(struct probes_session *s, struct arena *w)
{
	const uint64_t none = 0;

	for (enum owner_state state = OWNER_PAIR; state <= OWNER_EVENTS; state++) {
		if (w->own[state])
			(void)arena_put(w, &s->memory, owner_at(state), &none, sizeof none);
		w->own[state] = false;
	}
}
