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

int uprobe_place(const struct field *f, const struct truth_probe *p)
{
	uint64_t site = uprobe_offset(f, p->sites[0]);
	uint64_t count = p->sdt ? uprobe_offset(f, p->semaphore) : 0;
	struct perf_event_attr attr = {.size = sizeof attr, .disabled = 0};
	int type = uprobe_type();
	char path[64];

	/* The file that runs, whatever lies in its place now. */
	snprintf(path, sizeof path, "/proc/%d/exe", f->pid);
	if (type < 0 || !site)
		return -1;
	attr.type = (unsigned)type;
	attr.config = count << UPROBE_REF_SHIFT;
	attr.config1 = (uint64_t)(uintptr_t)path;
	attr.config2 = site;
	return (int)syscall(SYS_perf_event_open, &attr, f->pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}
