/*
 * Sources: perf_event_open(2), bpf(2), /sys/bus/event_source/devices/uprobe, linux/bpf.h,
 * kernel/trace/trace_uprobe.c (uprobe_perf_filter: one mm; __uprobe_perf_func: the program runs
 * before the event looks for its thread).
 *
 * Events that new threads inherit (perf_event_attr.inherit) would break the process: for each new
 * thread the kernel reads the path of the uprobe again, now from the memory of the process, and
 * pthread_create fails with EFAULT. Events for a processor instead of a thread would put the
 * breakpoint into every process that maps the file.
 */
#include "count/uprobe.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define UPROBE_TYPE "/sys/bus/event_source/devices/uprobe/type"

struct uprobes_map {
	int fd;
	uint64_t *counters;
};

static int uprobe_bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	int r = (int)syscall(SYS_bpf, command, attr, sizeof *attr);

	return r < 0 ? -errno : r;
}

/*
 * The program: lock; counter += 1.
 *
 *     r1 = address of the counter    two instructions
 *     r2 = 1
 *     lock *(u64 *)r1 += r2
 *     r0 = 0                         the event itself does not count
 *     exit
 */
static int uprobe_load(const struct uprobe *one)
{
	const struct bpf_insn program[] = {
		{.code = BPF_LD | BPF_DW | BPF_IMM,
			.dst_reg = BPF_REG_1,
			.src_reg = BPF_PSEUDO_MAP_VALUE,
			.imm = one->map},
		{.imm = (int32_t)one->at},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = 1},
		{.code = BPF_STX | BPF_XADD | BPF_DW, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_2},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_KPROBE,
		.insns = (uintptr_t)program,
		.insn_cnt = sizeof program / sizeof *program,
		.license = (uintptr_t) "Dual MIT/GPL",
		.prog_name = "probes_tui"};

	return uprobe_bpf(BPF_PROG_LOAD, &attr);
}

void uprobes_init(struct uprobes *u)
{
	*u = (struct uprobes){.ready = false};
	u->all = ARRAY_OF(struct uprobe *);
	u->maps = ARRAY_OF(struct uprobes_map);
}

void uprobes_end(struct uprobes *u)
{
	for (size_t i = 0; i < u->all.count; i++)
		uprobe_detach(*ARRAY_AT(&u->all, struct uprobe *, i));
	ARRAY_EACH(struct uprobes_map, map, &u->maps) {
		if (map->fd >= 0)
			close(map->fd);
		map->fd = -1;
	}
}

void uprobes_done(struct uprobes *u)
{
	uprobes_end(u);
	for (size_t i = 0; i < u->all.count; i++)
		free(*ARRAY_AT(&u->all, struct uprobe *, i));
	for (size_t i = 0; i < u->maps.count; i++)
		munmap(ARRAY_AT(&u->maps, struct uprobes_map, i)->counters,
			UPROBE_COUNTERS * sizeof(uint64_t));
	array_done(&u->all);
	array_done(&u->maps);
}

int uprobes_add(struct uprobes *u, struct uprobe **made)
{
	uint32_t slot = (uint32_t)(u->all.count % UPROBE_COUNTERS);
	/* A map has one value, an array of counters: so a program can address each of them. */
	union bpf_attr attr = {.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = sizeof(uint32_t),
		.value_size = UPROBE_COUNTERS * sizeof(uint64_t),
		.max_entries = 1,
		.map_flags = BPF_F_MMAPABLE,
		.map_name = "probes_tui"};
	const struct uprobes_map *map;
	struct uprobe *one;

	if (!array_reserve(&u->all, 1) || !array_reserve(&u->maps, 1))
		return -ENOMEM;
	if (u->all.count / UPROBE_COUNTERS == u->maps.count) {
		struct uprobes_map fresh = {.fd = uprobe_bpf(BPF_MAP_CREATE, &attr)};
		int code;

		if (fresh.fd < 0)
			return fresh.fd;
		fresh.counters = mmap(NULL, UPROBE_COUNTERS * sizeof *fresh.counters,
			PROT_READ | PROT_WRITE, MAP_SHARED, fresh.fd, 0);
		if (fresh.counters == MAP_FAILED) {
			code = -errno;
			close(fresh.fd);
			return code;
		}
		*(struct uprobes_map *)array_add(&u->maps) = fresh;
	}
	map = ARRAY_AT(&u->maps, struct uprobes_map, u->maps.count - 1);
	one = malloc(sizeof *one);
	if (!one)
		return -ENOMEM;
	*one = (struct uprobe){.event = -1,
		.map = map->fd,
		.at = slot * (uint32_t)sizeof *map->counters,
		.counter = &map->counters[slot]};
	*(struct uprobe **)array_add(&u->all) = *made = one;
	return 0;
}

const char *uprobes_why_not(struct uprobes *u)
{
	struct uprobe *one;
	FILE *f;
	int r;

	if (u->ready)
		return NULL;
	f = fopen(UPROBE_TYPE, "re");
	if (!f || fscanf(f, "%d", &u->type) != 1)
		u->type = -1;
	if (f)
		fclose(f);
	if (u->type < 0)
		return "the kernel has no uprobe events (CONFIG_UPROBE_EVENTS), or " UPROBE_TYPE
		       " cannot be read here";
	/* Only for the test. The next uprobes_add uses the same counter again. */
	r = uprobes_add(u, &one);
	if (r == 0) {
		r = uprobe_load(one);
		if (r >= 0)
			close(r);
		u->all.count--;
		free(one);
	}
	if (r == -EPERM || r == -EACCES)
		return "a uprobe needs root, or CAP_PERFMON and CAP_BPF";
	if (r == -ENOSYS)
		return "the kernel has no BPF (CONFIG_BPF_SYSCALL), which counts the hits of "
		       "uprobes";
	if (r == -EMFILE || r == -ENFILE)
		return "no descriptor is free for a uprobe (ulimit -n)";
	u->ready = r >= 0;
	return r < 0 ? "the kernel refuses the BPF program that counts the hits of uprobes" : NULL;
}

int uprobe_attach(const struct uprobes *u, struct uprobe *one, pid_t tid, int file, uint64_t offset)
{
	struct perf_event_attr attr = {
		.size = sizeof attr, .type = (uint32_t)u->type, .config2 = offset};
	int program = uprobe_load(one), r = 0;
	char path[64];

	if (program < 0)
		return program;
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	attr.config1 = (uintptr_t)path;
	__atomic_store_n(one->counter, 0, __ATOMIC_RELAXED);
	one->event = (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (one->event < 0 || ioctl(one->event, PERF_EVENT_IOC_SET_BPF, program) < 0)
		r = -errno;
	if (r < 0)
		uprobe_detach(one);
	/* The event keeps it loaded. */
	close(program);
	return r;
}

void uprobe_detach(struct uprobe *one)
{
	if (one->event >= 0)
		close(one->event);
	one->event = -1;
}

uint64_t uprobe_hits(const struct uprobe *one)
{
	return __atomic_load_n(one->counter, __ATOMIC_RELAXED);
}
