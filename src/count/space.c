#include "count/space.h"

#include "base/error.h"
#include "process/maps.h"
#include "process/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define SPACE_PAGE ((uint64_t)TACTICS_PAGE)
#define SPACE_MAX_MAPS 65530 /* vm.max_map_count, unless it says otherwise */
#define SPACE_SPARE 16       /* mappings: what stays for the process, one in so many */
#define SPACE_START_BRK 47   /* its field in stat: proc_pid_stat(5) */

/* The soft limit of the stack, bytes. */
static uint64_t space_stack_limit(const char *limits)
{
	static const char key[] = "Max stack size";
	const char *line = strstr(limits, key);
	char *end;
	unsigned long long limit = line ? strtoull(line + sizeof key - 1, &end, 10) : 0;

	if (!line || end == line + sizeof key - 1 || limit > SPACE_STACK_MOST)
		return SPACE_STACK_MOST;
	return limit;
}

/* Where the heap begins; 0: unknown. */
static uint64_t space_start_brk(const char *stat)
{
	const char *at = strrchr(stat, ')');

	/* The field behind the name is the third. */
	for (int field = 2; at && field < SPACE_START_BRK; field++) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	return at ? strtoull(at, NULL, 10) : 0;
}

static uint64_t space_below(uint64_t address, uint64_t size)
{
	return address > size ? (address - size) & -SPACE_PAGE : 0;
}

bool space_parse(struct tactics_space *space, char *maps, const char *limits, const char *stat,
	size_t *mappings)
{
	uint64_t brk = space_start_brk(stat) & -SPACE_PAGE;
	uint64_t stack = space_stack_limit(limits) + SPACE_STACK;
	struct array list;
	size_t malformed;
	bool fits;

	array_init(&list, sizeof(struct mapping));
	fits = maps_parse(maps, &list, &malformed);
	*mappings = list.count;
	for (size_t i = 0; fits && i < list.count; i++) {
		const struct mapping *m = ARRAY_AT(&list, struct mapping, i);

		fits = tactics_take(space, m->start, m->end);
		if (fits && !strcmp(m->path, "[heap]"))
			fits = tactics_take(space, m->start, m->end + SPACE_HEAP);
		if (fits && !strcmp(m->path, "[stack]"))
			fits = tactics_take(space, space_below(m->end, stack), m->end);
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
	int r = procfs_read(who->task, "maps", &maps, &size);

	if (r == 0)
		r = procfs_read(who->proc, "limits", &limits, &size);
	if (r == 0)
		r = procfs_read(who->proc, "stat", &stat, &size);
	if (r < 0) {
		error_set(e, PROBES_FAILED, r, "cannot read the maps of process %d", who->pid);
	} else if (!space_parse(space, maps, limits, stat, &mappings)) {
		r = error_memory(e, "the mappings of a process");
	}
	if (procfs_read(AT_FDCWD, "/proc/sys/vm/max_map_count", &most, &size) == 0)
		max = strtoull(most, NULL, 10);
	max -= max / SPACE_SPARE;
	*mappings_left = mappings < max ? max - mappings : 0;
	free(maps);
	free(limits);
	free(stat);
	free(most);
	return r;
}

int space_windows(const struct identity *who, struct array *windows, struct probes_error *e)
{
	struct array list;
	char *maps = NULL;
	size_t size, malformed;
	int r = procfs_read_lines(who->task, "maps", maps_drop_anonymous, &maps, &size);

	array_init(&list, sizeof(struct mapping));
	if (r < 0)
		error_set(e, PROBES_FAILED, r, "cannot read the maps of process %d", who->pid);
	else if (!maps_parse(maps, &list, &malformed) || !maps_windows(&list, windows))
		r = error_memory(e, "the mappings of a process");
	array_done(&list);
	free(maps);
	return r;
}
