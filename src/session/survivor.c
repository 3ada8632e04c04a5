/*
 * An arena that is not mapped here is read through the process. Where that has ended, its forked
 * children go on counting there, and have it mapped at the same address: it is read through one of
 * them.
 */
#include "session/session.h"

#include "count/space.h"
#include "process/procfs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Open the memory of a process, if that has the arena. */
static bool survivor_open(struct memory *m, pid_t pid, const struct arena *w)
{
	int proc = procfs_open(AT_FDCWD, O_PATH | O_DIRECTORY, "/proc/%d", (int)pid);
	bool maps;

	if (proc < 0)
		return false;
	memory_open(m, proc, pid, true);
	/* The pid may be that of another process by now; the memfd is not. */
	maps = m->fd >= 0 && space_has_arena(proc, w->inode, w->address) > 0;
	if (!maps)
		memory_close(m);
	close(proc);
	return maps;
}

static void survivor_close(struct arena *w)
{
	if (w->survivor)
		memory_close(w->survivor);
	free(w->survivor);
	w->survivor = NULL;
}

struct memory *survivor_memory(struct probes_session *s, struct arena *w)
{
	if (w->file || !s->process || (!s->who.ended && memory_alive(&s->memory)))
		return &s->memory;
	if (w->survivor && memory_alive(w->survivor))
		return w->survivor;
	survivor_close(w);
	w->survivor = s->family.count ? calloc(1, sizeof *w->survivor) : NULL;
	for (size_t i = 0; w->survivor && i < s->family.count; i++)
		if (survivor_open(w->survivor, *ARRAY_AT(&s->family, pid_t, i), w))
			return w->survivor;
	free(w->survivor);
	w->survivor = NULL;
	return &s->memory;
}

void survivor_done(struct probes_session *s)
{
	for (size_t i = 0; i < s->arenas.count; i++)
		survivor_close(ARRAY_AT(&s->arenas, struct arena, i));
}
