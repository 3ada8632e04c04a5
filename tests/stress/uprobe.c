/* Source: perf_event_open(2), /sys/bus/event_source/devices/uprobe/format. */
#include "uprobe.h"

#include <limits.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define UPROBE_REF_SHIFT 32

static int uprobe_type(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	int type = -1;

	if (f && fscanf(f, "%d", &type) != 1)
		type = -1;
	if (f)
		fclose(f);
	return type;
}

/* Where an address of the process lies in its file; 0: nowhere. */
static uint64_t uprobe_offset(const struct field *f, uint64_t address)
{
	uint64_t start, end, offset, found = 0;
	char path[64], line[PATH_MAX + 100];
	FILE *maps;

	snprintf(path, sizeof path, "/proc/%d/maps", f->pid);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof line, maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
			address >= start && address < end)
			found = address - start + offset;
	if (maps)
		fclose(maps);
	return found;
}

int uprobe_place_at(const struct field *f, const char *file, uint64_t site, uint64_t semaphore)
{
	struct perf_event_attr attr = {.size = sizeof attr, .disabled = 0};
	uint64_t offset = uprobe_offset(f, site);
	int type = uprobe_type();

	if (type < 0 || !offset)
		return -1;
	attr.type = (unsigned)type;
	attr.config = (semaphore ? uprobe_offset(f, semaphore) : 0) << UPROBE_REF_SHIFT;
	attr.config1 = (uint64_t)(uintptr_t)file;
	attr.config2 = offset;
	return (int)syscall(SYS_perf_event_open, &attr, f->pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int uprobe_place(const struct field *f, const struct truth_probe *p)
{
	char path[64];

	/* The file that runs, whatever lies in its place now. */
	snprintf(path, sizeof path, "/proc/%d/exe", f->pid);
	return uprobe_place_at(f, path, p->sites[0], p->sdt ? p->semaphore : 0);
}
