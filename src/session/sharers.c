/*
 * Two processes that count in the same counters, because one was forked from the other: the hits of
 * one would be taken for those of the other. Finds forked children whose jumps lead to counters
 * that this session is about to use, and keeps its own process out of the counters in which another
 * session counts a relative.
 */
#include "session/session.h"

#include "count/space.h"
#include "process/procfs.h"
#include "process/tree.h"

#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SHARERS_GAP 256
#define SHARERS_LONGEST (1 << 20)
#define SHARERS_KEPT_OUT \
	"its jump would lead to counters in which another session counts a relative by fork"
#define SHARERS_MAY_BE                                                                             \
	"its jump would lead to counters in which a session in another pid namespace may count a " \
	"relative by fork"

/* Children that are forked while this session counts there share its counters in any case. */
static bool sharers_matter(const struct arena *w)
{
	bool held = !w->site_count || w->inherited;

	for (size_t i = 0; w->held && !held && i < w->site_count; i++)
		held = w->held[i];
	return !held;
}

/* Does one of its sites lead a process, which has it mapped, to its counter? Yes, if unreadable. */
static bool sharers_jump(const struct arena *w, struct memory *m)
{
	size_t *offsets = calloc(w->site_count + 1, sizeof *offsets);
	unsigned char *bytes = NULL;
	struct spans spans;
	bool good = offsets, jumps = false;

	spans_init(&spans, SHARERS_GAP, SHARERS_LONGEST);
	for (size_t i = 0; good && i < w->site_count; i++) {
		offsets[i] = spans_add(&spans, w->sites[i].address, ARCH_SITE_BYTES);
		good = offsets[i] != SIZE_MAX;
	}
	bytes = good ? malloc(spans.total + 1) : NULL;
	good = bytes && m->ops->read(m, &spans, bytes) == 0;
	for (size_t i = 0; good && !jumps && i < w->site_count; i++) {
		const struct arena_site *site = &w->sites[i];

		jumps = spans_got(&spans, offsets[i], site->length) == site->length &&
			!memcmp(bytes + offsets[i], site->new_, site->length);
	}
	spans_done(&spans);
	free(bytes);
	free(offsets);
	return !good || jumps;
}

static void sharers_say(struct probes_session *s, const struct arena *w)
{
	char name[64];

	if (w->sharer_session > 0)
		procfs_name(w->sharer_session, name, sizeof name);
	if (w->sharer_session < 0)
		log_say(&s->log, PROBES_LOG_NOTICE,
			"process %d: a session in another pid namespace may count in its forked "
			"child %d, in the same counters; wait for it to end",
			s->who.pid, (int)w->sharer);
	else if (w->sharer_session)
		log_say(&s->log, PROBES_LOG_NOTICE,
			"process %d: process %d (%s) counts in its forked child %d, in the same "
			"counters; wait for it to end, or use -tree",
			s->who.pid, (int)w->sharer_session, name, (int)w->sharer);
	else
		log_say(&s->log, PROBES_LOG_NOTICE,
			"process %d: its forked child %d still counts in its counters, since a "
			"session was killed or left them; to end that, repair process %d",
			s->who.pid, (int)w->sharer, (int)w->sharer);
}

static void sharers_examine(
	struct probes_session *s, const struct tree_link *link, struct array *links)
{
	pid_t pid = link->pid;
	const struct arena *any = NULL;
	struct identity who = {.proc = -1, .maps = -1};
	struct probes_error ignored;
	struct array found = ARRAY_OF(struct maps_arena);
	struct memory memory;

	who.proc = who.task = procfs_open(AT_FDCWD, O_PATH | O_DIRECTORY, "/proc/%d", (int)pid);
	if (who.proc < 0)
		return;
	memory_open(&memory, who.proc, pid, true);
	if (space_arenas(&who, &found, &ignored) < 0)
		found.count = 0; /* it has ended */
	ARRAY_EACH(struct arena, w, &s->arenas) {
		bool maps = false;

		for (size_t k = 0; !w->sharer && sharers_matter(w) && k < found.count; k++)
			maps = maps || ARRAY_AT(&found, struct maps_arena, k)->inode == w->inode;
		if (maps && sharers_jump(w, &memory)) {
			w->sharer = pid;
			w->sharer_session = holder_of_child(s, w, pid, link->start_time, links);
			any = any && any->sharer_session ? any : w;
		}
	}
	if (any)
		sharers_say(s, any);
	array_done(&found);
	memory_close(&memory);
	close(who.proc);
}

void sharers_look(struct probes_session *s)
{
	struct array links = ARRAY_OF(struct tree_link);
	bool any = false;

	ARRAY_EACH(struct arena, w, &s->arenas) {
		if (!sharers_matter(w))
			continue;
		w->sharer = w->sharer_session = 0;
		any = true;
	}
	if (any && tree_gather(&links) < 0)
		links.count = 0;
	ARRAY_EACH(const struct tree_link, link, &links) {
		/*
		 * What was forked from it since is younger, and a copy of the same program. Its
		 * hits may be known to be elsewhere, or the process's own: it runs in the memory of
		 * the process (vfork), with its code; or a session of this caller has it open.
		 */
		if (link->forked && link->pid != s->who.pid &&
			link->start_time >= s->who.start_time &&
			syscall(SYS_kcmp, identity_thread(&s->who), link->pid, KCMP_VM, 0, 0) &&
			!holder_in_family(s, link->pid) &&
			identity_program(link->pid) == s->who.program)
			sharers_examine(s, link, &links);
	}
	array_done(&links);
}

void sharers_look_again(struct probes_session *s)
{
	struct arena_holder rival;

	ARRAY_EACH(struct arena, w, &s->arenas) {
		if (!w->held || arena_is_shared(w) || w->elsewhere ||
			!holder_find_rival(s, w, SIZE_MAX, &rival) || !rival.session)
			continue;
		w->sharer = (pid_t)rival.pid;
		w->sharer_session = (pid_t)(uint32_t)rival.session;
		sharers_say(s, w);
	}
}

/* What is not announced is not seen by a session that begins at the same moment. */
const char *sharers_keep_out(struct probes_session *s, size_t arena, size_t site, bool dry_run)
{
	struct arena *w = ARRAY_AT(&s->arenas, struct arena, arena);
	struct arena_holder rival;
	char name[64];
	pid_t said;

	if (!w->held)
		w->held = calloc(w->site_count + 1, sizeof *w->held);
	if (!w->held)
		return "out of memory";
	if (!dry_run && !w->held[site]) {
		w->held[site] = w->announced = true;
		(void)holder_say(s, w);
	}
	if (!holder_find_rival(s, w, site, &rival))
		return NULL;
	if (!dry_run) {
		w->held[site] = false;
		(void)holder_say(s, w);
	}
	/* The number of a process elsewhere is none here. */
	said = rival.session ? (pid_t)rival.pid : -1;
	if (w->rival == said)
		return rival.session ? SHARERS_KEPT_OUT : SHARERS_MAY_BE;
	w->rival = said;
	if (rival.session)
		procfs_name((pid_t)(uint32_t)rival.session, name, sizeof name);
	if (!rival.session)
		log_say(&s->log, PROBES_LOG_NOTICE,
			"process %d: its jumps would lead to counters in which a session in "
			"another pid namespace, which cannot be seen from here, may count a "
			"relative by fork; wait for it to end, call repair there if it has ended, "
			"or allow the threads to be stopped",
			s->who.pid);
	else
		log_say(&s->log, PROBES_LOG_NOTICE,
			"process %d: its jumps would lead to counters in which process %d (%s) "
			"counts process %d, a relative by fork; wait for it to end, or allow the "
			"threads to be stopped",
			s->who.pid, (int)(uint32_t)rival.session, name, (int)rival.pid);
	return rival.session ? SHARERS_KEPT_OUT : SHARERS_MAY_BE;
}
