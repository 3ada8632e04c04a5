#include "count/space.h"

#include "base/error.h"
#include "process/capability.h"
#include "process/maps.h"
#include "process/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPACE_PAGE ((uint64_t)TACTICS_PAGE)
#define SPACE_MAX_MAPS 65530 /* vm.max_map_count, unless it says otherwise */
#define SPACE_SPARE 16       /* mappings: what stays for the process, one in so many */
#define SPACE_SHARE 4        /* of what a limit leaves: we take at most one part */
#define SPACE_START_BRK 47   /* its field in stat: proc_pid_stat(5) */

/* A soft limit, bytes; false: none, or unknown. */
static bool space_limit(const char *limits, const char *name, uint64_t *limit)
{
	const char *line = strstr(limits, name);
	char *end;

	if (!line)
		return false;
	*limit = strtoull(line + strlen(name), &end, 10);
	return end != line + strlen(name);
}

bool space_parse(struct tactics_space *space, char *maps, const char *limits, const char *stat,
	size_t *mappings)
{
	const char *at = strrchr(stat, ')');
	uint64_t stack, brk, below = 0;
	struct array list = ARRAY_OF(struct mapping);
	size_t malformed;
	bool fits;

	if (!space_limit(limits, "Max stack size", &stack) || stack > SPACE_STACK_MOST)
		stack = SPACE_STACK_MOST;
	stack += SPACE_STACK;
	/* Where the heap begins. The field behind the name is the third. */
	for (int field = 2; at && field < SPACE_START_BRK; field++) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	brk = at ? strtoull(at, NULL, 10) & -SPACE_PAGE : 0;
	fits = maps_parse(maps, &list, &malformed);
	*mappings = list.count;
	ARRAY_EACH_WHILE(fits, const struct mapping, m, &list) {
		fits = tactics_take(space, m->start, m->end);
		if (fits && !strcmp(m->path, "[heap]"))
			fits = tactics_take(space, m->start, m->end + SPACE_HEAP);
		else if (fits && !strcmp(m->path, "[stack]"))
			fits = tactics_take(
				space, m->end > stack ? (m->end - stack) & -SPACE_PAGE : 0, m->end);
		/* Any other may be a stack by MAP_GROWSDOWN: only smaps would tell. */
		else if (fits && m->writable && !m->shared && !m->inode && m->start > below)
			fits = tactics_take(space,
				m->start - below > stack ? (m->start - stack) & -SPACE_PAGE : below,
				m->start);
		below = m->end;
	}
	/* Before the first malloc there is no heap. */
	if (fits && brk)
		fits = tactics_take(space, brk, brk + SPACE_HEAP);
	array_done(&list);
	return fits;
}

int space_read(const struct identity *who, struct tactics_space *space, size_t *mappings_left,
	struct probes_error *e)
{
	char *maps = NULL, *limits = NULL, *stat = NULL, *most = NULL;
	size_t size, mappings = 0, max = SPACE_MAX_MAPS;
	int r = identity_maps(who, NULL, &maps, &size);

	if (r == 0)
		r = procfs_read(who->proc, &limits, &size, "limits");
	if (r == 0)
		r = identity_read(who, "stat", &stat, &size);
	if (r < 0) {
		error_set(e, PROBES_FAILED, r, "cannot read the maps of process %d", who->pid);
	} else if (!space_parse(space, maps, limits, stat, &mappings)) {
		r = error_memory(e, "the mappings of a process");
	}
	if (procfs_read(AT_FDCWD, &most, &size, "/proc/sys/vm/max_map_count") == 0)
		max = strtoull(most, NULL, 10);
	max -= max / SPACE_SPARE;
	*mappings_left = mappings < max ? max - mappings : 0;
	free(maps);
	free(limits);
	free(stat);
	free(most);
	return r;
}

bool space_spares(const char *limits, const char *status, enum space_limit which, uint64_t bytes,
	uint64_t *left)
{
	bool locked = which == SPACE_LOCKED;
	uint64_t limit, used = 0;

	*left = UINT64_MAX;
	if (!space_limit(limits, locked ? "Max locked memory" : "Max address space", &limit) ||
		!procfs_status_numbers(status, locked ? "VmLck" : "VmSize", 10, &used, 1))
		return true;
	used *= 1024;
	*left = used < limit ? limit - used : 0;
	return bytes <= *left / SPACE_SHARE;
}

/* Does no limit on locked memory apply? A capability counts in the first user namespace only. */
static bool space_may_lock(const struct identity *who, const char *status)
{
	unsigned long first, outside, count;
	char *map = NULL;
	bool may = capability_in(procfs_status_set(status, "CapEff"), CAPABILITY_IPC_LOCK) &&
		   procfs_read(who->proc, &map, NULL, "uid_map") == 0 &&
		   sscanf(map, "%lu %lu %lu", &first, &outside, &count) == 3 && !first &&
		   !outside && count == UINT32_MAX;

	free(map);
	return may;
}

int space_check(
	const struct identity *who, enum space_limit which, uint64_t bytes, struct probes_error *e)
{
	const double mib = 1 << 20;
	bool locked = which == SPACE_LOCKED;
	char *limits = NULL, *status = NULL;
	uint64_t left;
	int r = 0;

	/* What cannot be read refuses nothing: the mapping itself fails at the limit. */
	if (procfs_read(who->proc, &limits, NULL, "limits") == 0 &&
		identity_read(who, "status", &status, NULL) == 0 &&
		!(locked && space_may_lock(who, status)) &&
		!space_spares(limits, status, which, bytes, &left)) {
		r = error_set(
			e, PROBES_REFUSED, -ENOSPC, "cannot make counters in process %d", who->pid);
		error_why(e,
			"they need %.1f MiB of its %s; %s leaves %.1f MiB, and counters may take "
			"only a quarter of that",
			(double)bytes / mib, locked ? "locked memory" : "address space",
			locked ? "RLIMIT_MEMLOCK" : "RLIMIT_AS", (double)left / mib);
		error_hint(e,
			"raise the limit (prlimit --pid %d --%s=...), or let the kernel count the "
			"hits, as root",
			who->pid, locked ? "memlock" : "as");
	}
	free(limits);
	free(status);
	return r;
}

int space_arenas(const struct identity *who, struct array *arenas, struct probes_error *e)
{
	struct array list = ARRAY_OF(struct mapping);
	char *maps = NULL;
	size_t malformed;
	int r = identity_maps(who, maps_drop_anonymous, &maps, NULL);

	if (r < 0)
		error_set(e, PROBES_FAILED, r, "cannot read the maps of process %d", who->pid);
	else if (!maps_parse(maps, &list, &malformed) || !maps_arenas(&list, arenas))
		r = error_memory(e, "the mappings of a process");
	array_done(&list);
	free(maps);
	return r;
}

int space_has_arena(int proc, uint64_t inode, uint64_t address)
{
	struct identity who = {.proc = proc, .task = proc, .maps = -1};
	struct probes_error ignored;
	struct array arenas = ARRAY_OF(struct maps_arena);
	int r;

	r = space_arenas(&who, &arenas, &ignored);
	ARRAY_EACH_WHILE(r == 0, const struct maps_arena, one, &arenas) {
		r = one->inode == inode && (!address || one->address == address);
	}
	array_done(&arenas);
	return r;
}
