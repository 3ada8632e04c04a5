#include "count/install.h"

#include "base/error.h"
#include "count/space.h"
#include "process/inject.h"
#include "process/maps.h"
#include "process/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x10u /* Linux 6.3 */
#endif

#define INSTALL_ANSWERS 64 /* in the page of the cookie: not in its cache line */
#define INSTALL_MEMORY "/memfd:" MAPS_ARENA " (deleted)" /* what a descriptor of it names */

/* Hold what a descriptor of the process is now, without opening it; or a negative errno. */
static int install_hold(const struct install *in, int64_t number)
{
	char path[32];

	snprintf(path, sizeof path, "fd/%lld", (long long)number);
	return identity_openat(in->who, path, O_PATH);
}

/* What a descriptor of the process is now; false: nothing. */
static bool install_look(const struct install *in, int64_t number, struct stat *st)
{
	int held = install_hold(in, number);
	bool known = held >= 0 && fstat(held, st) == 0;

	if (held >= 0)
		close(held);
	return known;
}

static bool install_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/*
 * Open the memory behind a descriptor of the process, if that still is the file of `st`. The
 * process may have put another one in its place, which we may write and the process may not; or one
 * whose pages nobody has reserved (hugetlbfs), so that our reads would end in SIGBUS.
 */
static int install_open(const struct install *in, int64_t number, const struct stat *st, int flags)
{
	struct statfs fs;
	struct stat now;
	int fd, held;

	held = install_hold(in, number);
	if (held < 0)
		return error_is_shortage(held) ? held : -ESTALE;
	if (fstat(held, &now) < 0 || !install_is_same(&now, st) || !S_ISREG(now.st_mode) ||
		now.st_nlink || fstatfs(held, &fs) < 0 || fs.f_type != TMPFS_MAGIC) {
		close(held);
		return -ESTALE;
	}
	fd = procfs_open(AT_FDCWD, flags, "/proc/self/fd/%d", held);
	close(held);
	return fd;
}

/* Open what the process has just made for us: it is empty, and nobody has sealed it. */
static int install_open_memory(const struct install *in, int64_t number, struct stat *made)
{
	struct stat now;
	int fd;

	*made = (struct stat){0};
	if (!install_look(in, number, made))
		return -ESTALE;
	fd = install_open(in, number, made, O_RDWR);
	if (fd >= 0 && (fstat(fd, &now) < 0 || now.st_size || fcntl(fd, F_GET_SEALS) != 0)) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

static int install_replaced(const struct install *in, struct probes_error *e)
{
	error_set(e, PROBES_REFUSED, -ESTALE, "cannot make counters in process %d", in->who->pid);
	error_why(e, "it has put another file in the place of the memory for them");
	return error_hint(e, "try again");
}

static bool install_is_error(int64_t result)
{
	return result < 0 && result > -4096;
}

/* *done: calls that were run, the failed one included. */
static int install_inject(const struct install *in, struct inject_call *calls, size_t count,
	const struct inject_text *text, size_t *done, struct probes_error *e)
{
	const struct inject_process process = {in->who, in->memory, in->held, in->interrupts};
	uint64_t stopped;
	size_t run;
	int r = 0;

	for (*done = 0; r == 0 && *done < count; *done += run) {
		size_t most = count - *done < INJECT_CALLS ? count - *done : INJECT_CALLS;

		r = inject_run(
			&process, calls + *done, most, text, text ? 1 : 0, &run, &stopped, e);
		if (in->held_ns && !in->held)
			*in->held_ns += stopped;
	}
	if (r == 0 || !*done || !install_is_error(calls[*done - 1].result))
		return r;
	/* The process was refused: a shortage is its own, not ours. */
	r = (int)calls[*done - 1].result;
	error_set(e, PROBES_REFUSED, error_is_shortage(r) ? -ENOSPC : r,
		"cannot make counters in process %d", in->who->pid);
	error_why(e, "%s in the process failed: %s",
		calls[*done - 1].number == SYS_mmap ? "mmap" : "a system call", strerror(-r));
	return r;
}

static int install_make_memory(const struct install *in, int64_t *number, struct probes_error *e)
{
	const struct inject_text name = {.text = MAPS_ARENA};
	unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC;
	size_t done;
	int r;

	for (;;) {
		struct inject_call call = {.number = SYS_memfd_create, .arguments = {0, flags}};

		r = install_inject(in, &call, 1, &name, &done, e);
		*number = call.result;
		if (r != -EINVAL || !(flags & MFD_EXEC))
			break;
		flags &= ~MFD_EXEC; /* older kernels do not know it */
	}
	if (r == 0 || !done || e->status != PROBES_REFUSED)
		return r;
	error_why(e, "memfd_create in the process failed: %s", strerror(-r));
	error_hint(e, "%s",
		r == -EMFILE   ? "raise its limit of descriptors (prlimit --nofile)"
		: r == -EACCES ? "vm.memfd_noexec=2 forbids it"
			       : "a limit or a security module may be the cause");
	return e->code;
}

/* Nothing points there yet. */
static void install_unmap(const struct install *in, const struct inject_call *mapped, size_t count)
{
	struct inject_call *calls = calloc(count + 1, sizeof *calls);
	struct probes_error ignored;
	size_t many = 0, done;

	for (size_t i = 0; calls && i < count; i++)
		if (mapped[i].number == SYS_mmap && !install_is_error(mapped[i].result))
			calls[many++] = (struct inject_call){.number = SYS_munmap,
				.arguments = {(uint64_t)mapped[i].result, mapped[i].arguments[1]}};
	if (many)
		(void)install_inject(in, calls, many, NULL, &done, &ignored);
	free(calls);
}

static struct inject_call install_mmap(
	uint64_t address, size_t size, int protection, int flags, int64_t fd, size_t offset)
{
	return (struct inject_call){.number = SYS_mmap,
		.arguments = {address, size, (uint64_t)protection,
			(uint64_t)(flags | MAP_FIXED_NOREPLACE), (uint64_t)fd, offset}};
}

/* Is all of it mapped in the process, and no other file in its place? */
static int install_check(const struct install *in, const struct arena *w, struct probes_error *e)
{
	size_t malformed;
	struct array mappings = ARRAY_OF(struct mapping);
	bool all = false;
	char *maps;
	int r = identity_maps(in->who, NULL, &maps, NULL);

	if (r < 0)
		return error_set(
			e, PROBES_FAILED, r, "cannot read the maps of process %d", in->who->pid);
	if (!maps_parse(maps, &mappings, &malformed))
		r = error_memory(e, "the mappings of a process");
	else
		all = maps_arena_size(&mappings, w->inode) == w->file_size;
	array_done(&mappings);
	free(maps);
	return r < 0 || all ? r : install_replaced(in, e);
}

/* What the process has locked, kB; where that is unknown, all it can be. */
static uint64_t install_locked(const struct install *in)
{
	uint64_t locked = UINT64_MAX;
	char *status = NULL;

	if (identity_read(in->who, "status", &status, NULL) == 0 &&
		!procfs_status_numbers(status, "VmLck", 10, &locked, 1))
		locked = 0;
	free(status);
	return locked;
}

/* Another thread of the process was faster. */
static int install_is_taken(const struct install *in, struct probes_error *e)
{
	error_set(e, PROBES_REFUSED, -EEXIST, "cannot make counters in process %d", in->who->pid);
	error_why(e, "its threads map memory themselves where the counters were to lie");
	return error_hint(e, "try again");
}

/*
 * Run the calls that map an arena. The first one alone, where the process locks memory: whether it
 * locks all that it maps (mlockall(MCL_FUTURE)) is seen by what it has locked then. In that case
 * all of the arena counts as locked, and its limit must leave room for the process. The code, from
 * the call `split` on, comes when the file is sealed. *done: calls that were run, the last one
 * perhaps in vain.
 */
static int install_run(const struct install *in, const struct arena *w, struct inject_call *calls,
	size_t count, size_t split, int file, size_t *done, struct probes_error *e)
{
	const uint64_t locked = install_locked(in);
	const size_t stages[] = {locked > 0, split, count};
	int r = 0;

	for (int i = 0; r == 0 && i < 3; i++) {
		size_t more = 0;

		if (stages[i] > *done)
			r = install_inject(in, calls + *done, stages[i] - *done, NULL, &more, e);
		*done += more;
		if (r == 0 && i == 0 && *done && install_locked(in) > locked)
			r = space_check(in->who, SPACE_LOCKED, TACTICS_OWN_BYTES + w->file_size, e);
		/* Ours, and by our descriptor: there may be a file of the program's now. */
		if (r == 0 && i == 1 && fcntl(file, F_ADD_SEALS, w->seals) < 0)
			r = install_replaced(in, e);
	}
	return r;
}

/*
 * Map an arena that was filled: the data, then, once its `file` is sealed against all that would
 * write to it, the code. A later session knows an arena by its code, if all of it is mapped
 * (arena_read), also if we are killed meanwhile. So the process itself sets its cookie: an arena
 * whose cookie is 0 is taken for one that a fork inherited.
 */
static int install_map(const struct install *in, const struct tactics *t, const struct arena *w,
	const struct array *pages, int64_t fd, int file, struct probes_error *e)
{
	struct inject_call *calls = calloc(pages->count + 6, sizeof *calls);
	size_t count = 0, done = 0, split, end;
	uint64_t cookie;
	int r = calls ? 0 : error_memory(e, "a mapping");

	if (r < 0)
		return r;
	calls[count++] = install_mmap(t->arena, TACTICS_OWN_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	calls[count++] = (struct inject_call){.number = SYS_madvise,
		.arguments = {t->arena, RECORDER_COOKIE_BYTES, MADV_WIPEONFORK}};
	calls[count++] = (struct inject_call){.number = SYS_pread64,
		.arguments = {(uint64_t)fd, t->arena, sizeof(uint64_t),
			offsetof(struct arena_head, cookie)}};
	calls[count++] = install_mmap(w->data, t->data_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		w->file_size - t->data_size);
	split = count;
	calls[count++] =
		install_mmap(w->address, t->code_size, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	/* Pages that follow each other are one mapping. */
	for (size_t i = 0; i < pages->count; i = end) {
		uint64_t first = *ARRAY_AT(pages, uint64_t, i);

		for (end = i + 1; end < pages->count; end++)
			if (*ARRAY_AT(pages, uint64_t, end) != first + (end - i) * TACTICS_PAGE)
				break;
		calls[count++] = install_mmap(first, (end - i) * TACTICS_PAGE,
			PROT_READ | PROT_EXEC, MAP_SHARED, fd, t->code_size + i * TACTICS_PAGE);
	}
	if (count > in->mappings_left) {
		error_set(e, PROBES_REFUSED, -ENOSPC, "cannot make counters in process %d",
			in->who->pid);
		error_why(e, "it would need %zu mappings more, and vm.max_map_count leaves %zu",
			count, in->mappings_left);
		r = error_hint(e, "count fewer probes, or raise vm.max_map_count");
	} else {
		r = install_run(in, w, calls, count, split, file, &done, e);
		if (r == -EEXIST && done)
			r = install_is_taken(in, e);
		else if (done && install_is_error(calls[done - 1].result) &&
			 calls[done - 1].number == SYS_pread64)
			r = install_replaced(in, e);
		else if (done && install_is_error(calls[done - 1].result))
			error_hint(e, "a limit (RLIMIT_AS, memory.max, vm.max_map_count) or a "
				      "security module may be the cause");
		if (r < 0 && r != -EEXIST)
			r = e->code;
	}
	/* A kernel without MAP_FIXED_NOREPLACE (before 4.17) takes the address for a hint. */
	for (size_t i = 0; r == 0 && i < count; i++)
		if (calls[i].number == SYS_mmap &&
			(uint64_t)calls[i].result != calls[i].arguments[0])
			r = install_is_taken(in, e);
	if (r == 0)
		r = install_check(in, w, e);
	if (r == 0 && (!memory_read(in->memory, t->arena, &cookie, sizeof cookie) ||
			      cookie != ARCH_COOKIE_DISTINCT))
		r = install_replaced(in, e);
	if (r < 0)
		install_unmap(in, calls, done);
	free(calls);
	return r;
}

/* Not where it is another file meanwhile: programs close all descriptors, and open their own. */
static int install_close_memory(
	const struct install *in, int64_t number, const struct stat *made, struct probes_error *e)
{
	struct inject_call call = {.number = SYS_close, .arguments = {(uint64_t)number}};
	struct stat st;
	size_t done;

	if (!install_look(in, number, &st) || !install_is_same(&st, made))
		return 0;
	return install_inject(in, &call, 1, NULL, &done, e);
}

/* arch_prctl(2); the header is asm/prctl.h. */
#define INSTALL_GET_THREAD 0x1003

int install_ask(
	const struct install *in, const struct arena *w, uint64_t *pointer, struct probes_error *e)
{
	/* In the page that only the process has. */
	uint64_t place = arena_cookie(w) + INSTALL_ANSWERS, answers[2] = {0};
	struct inject_call calls[] = {
		{.number = SYS_arch_prctl, .arguments = {INSTALL_GET_THREAD, place}},
		{.number = SYS_prctl, .arguments = {PR_GET_TSC, place + 8}},
	};
	size_t done;
	int r = install_inject(in, calls, 2, NULL, &done, e);

	*pointer = 0;
	if (r < 0)
		return r;
	if (!memory_read(in->memory, place, answers, sizeof answers))
		return error_set(
			e, PROBES_FAILED, -EIO, "cannot read counters in process %d", in->who->pid);
	if ((uint32_t)answers[1] == PR_TSC_SIGSEGV) {
		error_set(e, PROBES_REFUSED, -EPERM, "cannot measure times in process %d",
			in->who->pid);
		return error_why(e, "it may not read the time stamp counter (PR_SET_TSC)");
	}
	*pointer = answers[0];
	return 0;
}

int install_tidy(const struct install *in, struct probes_error *e)
{
	DIR *list = procfs_list(identity_openat(in->who, "fd", O_RDONLY | O_DIRECTORY));
	struct dirent *entry;
	struct stat st;
	int r = 0;

	while (r == 0 && list && (entry = readdir(list))) {
		char text[sizeof INSTALL_MEMORY + 1];
		ssize_t length = readlinkat(dirfd(list), entry->d_name, text, sizeof text);
		int64_t number = atoll(entry->d_name);
		int memory = -1, seals = -1;

		if (length == sizeof INSTALL_MEMORY - 1 &&
			!memcmp(text, INSTALL_MEMORY, (size_t)length) &&
			install_look(in, number, &st))
			memory = install_open(in, number, &st, O_RDONLY);
		if (memory < 0)
			continue;
		/* Did a session make it, and not the program? Its seals tell: see arena_make. */
		seals = fcntl(memory, F_GET_SEALS);
		close(memory);
		if (seals >= 0 && (seals ? arena_is_sealed(seals) : !st.st_size))
			r = install_close_memory(in, number, &st, e);
	}
	if (list)
		closedir(list);
	return r;
}

int install_arena(const struct install *in, const struct tactics *t, struct arena *w,
	bool *left_open, struct probes_error *e)
{
	struct probes_error ignored;
	struct array pages = {0};
	int64_t number = -1;
	struct stat made;
	int fd, r;

	*left_open = false;
	*w = (struct arena){0};
	r = install_tidy(in, e);
	if (r == 0)
		r = install_make_memory(in, &number, e);
	if (r < 0)
		return r;
	fd = install_open_memory(in, number, &made);
	r = fd < 0 ? fd
		   : arena_make(w, fd, t, install_locked(in) > 0, in->serial, &in->sealed, &pages);
	w->inode = made.st_ino;
	if (r == -ESTALE)
		install_replaced(in, e);
	else if (r < 0)
		error_set(e, PROBES_FAILED, r, "cannot make counters for process %d", in->who->pid);
	if (r == -EFBIG) {
		error_why(e, "the limit on the size of files is too low");
		error_hint(e, "raise it: ulimit -f unlimited");
	}
	if (r == 0)
		r = install_map(in, t, w, &pages, number, fd, e);
	if (fd >= 0)
		close(fd);
	*left_open = install_close_memory(in, number, &made, r < 0 ? &ignored : e) < 0;
	/* A thread that a killed session left in its call may have got no CPU time until now. */
	*left_open |= install_tidy(in, &ignored) < 0;
	if (r < 0)
		arena_done(w);
	array_done(&pages);
	return r;
}
