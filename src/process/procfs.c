#include "process/procfs.h"

#include "base/error.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PROCFS_PATH (PATH_MAX + 64)

struct procfs_text {
	char *bytes;
	size_t capacity, used;
	size_t kept; /* part of `used` that `drop` has seen */
};

/* Remove the unwanted lines among the whole lines read so far. */
static void procfs_drop(struct procfs_text *t, size_t (*drop)(char *, size_t))
{
	size_t whole, left;
	char *from, *last;

	if (!drop || t->used == t->kept)
		return;
	from = t->bytes + t->kept;
	last = memrchr(from, '\n', t->used - t->kept);
	if (!last)
		return;
	whole = (size_t)(last + 1 - from);
	left = drop(from, whole);
	memmove(from + left, from + whole, t->used - t->kept - whole);
	t->used -= whole - left;
	t->kept += left;
}

int procfs_read_open(int fd, size_t (*drop)(char *text, size_t size), char **text, size_t *size)
{
	struct procfs_text t = {0};
	char *larger;
	ssize_t n = 1;
	int r = 0;

	*text = NULL;
	if (size)
		*size = 0;
	while (r == 0 && n > 0) {
		/* Make space for the next read, and the NUL. */
		if (t.capacity - t.used <= 1024 || t.used > PROCFS_MOST) {
			procfs_drop(&t, drop);
			if (t.used > PROCFS_MOST)
				r = -EFBIG;
			if (r == 0 && (!t.capacity || t.used >= t.capacity / 2)) {
				larger = realloc(t.bytes, t.capacity ? 2 * t.capacity : 4096);
				t.bytes = larger ? larger : t.bytes;
				t.capacity = t.capacity ? 2 * t.capacity : 4096;
				r = larger ? 0 : -ENOMEM;
			}
			if (r < 0)
				break;
		}
		n = read(fd, t.bytes + t.used, t.capacity - t.used - 1);
		if (n > 0)
			t.used += (size_t)n;
		else if (n < 0 && errno == EINTR)
			n = 1;
		else if (n < 0)
			r = -errno;
	}
	if (r < 0) {
		free(t.bytes);
		return r;
	}
	procfs_drop(&t, drop);
	t.bytes[t.used] = '\0';
	*text = t.bytes;
	if (size)
		*size = t.used;
	return 0;
}

int procfs_read_lines(int dir, const char *file, size_t (*drop)(char *text, size_t size),
	char **text, size_t *size)
{
	int fd = openat(dir, file, O_RDONLY | O_CLOEXEC), r;

	*text = NULL;
	if (size)
		*size = 0;
	if (fd < 0)
		return -errno;
	r = procfs_read_open(fd, drop, text, size);
	close(fd);
	return r;
}

__attribute__((format(printf, 4, 0))) static int procfs_read_named(
	int dir, char **text, size_t *size, const char *file, va_list args)
{
	char path[PROCFS_PATH];

	vsnprintf(path, sizeof path, file, args);
	return procfs_read_lines(dir, path, NULL, text, size);
}

int procfs_read(int dir, char **text, size_t *size, const char *file, ...)
{
	va_list args;
	int r;

	va_start(args, file);
	r = procfs_read_named(dir, text, size, file, args);
	va_end(args);
	return r;
}

int procfs_open(int dir, int flags, const char *file, ...)
{
	char path[PROCFS_PATH];
	va_list args;
	int fd;

	va_start(args, file);
	vsnprintf(path, sizeof path, file, args);
	va_end(args);
	fd = openat(dir, path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

DIR *procfs_list(int fd)
{
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	int code = errno;

	if (!list && fd >= 0)
		close(fd);
	errno = code;
	return list;
}

/* The text behind "Key:", or NULL. */
static const char *procfs_status_at(const char *status, const char *key)
{
	size_t length = strlen(key);

	while (status && *status) {
		if (!strncmp(status, key, length) && status[length] == ':')
			return status + length + 1;
		status = strchr(status, '\n');
		if (status)
			status++;
	}
	return NULL;
}

long procfs_status(const char *status, const char *key, long otherwise)
{
	const char *at = procfs_status_at(status, key);

	return at ? strtol(at, NULL, 10) : otherwise;
}

long procfs_status_last(const char *status, const char *key, long otherwise)
{
	const char *at = procfs_status_at(status, key);

	/* Skip blanks before each number, but not the end of the line. */
	while (at && *(at += strspn(at, " \t")) >= '0' && *at <= '9')
		otherwise = strtol(at, (char **)&at, 10);
	return otherwise;
}

bool procfs_status_shadow_stack(const char *status)
{
	const char *line = strstr(status, "\nx86_Thread_features:");

	return line && memmem(line + 1, strcspn(line + 1, "\n"), "shstk", 5);
}

size_t procfs_status_numbers(
	const char *status, const char *key, int base, uint64_t *numbers, size_t most)
{
	const char *at = procfs_status_at(status, key);
	size_t n = 0;

	while (at && n < most && isxdigit((unsigned char)*(at += strspn(at, " \t")))) {
		char *end;

		numbers[n++] = strtoull(at, &end, base);
		if (end == at)
			return n - 1;
		at = end;
	}
	return n;
}

uint64_t procfs_status_set(const char *status, const char *key)
{
	uint64_t set = 0;

	procfs_status_numbers(status, key, 16, &set, 1);
	return set;
}

int procfs_parse_stat(const char *text, struct procfs_stat *stat)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	unsigned long long start;
	size_t length;

	memset(stat, 0, sizeof *stat);
	if (!open || !close || close < open)
		return -EBADMSG;
	length = (size_t)(close - open - 1);
	if (length >= sizeof stat->comm)
		length = sizeof stat->comm - 1;
	memcpy(stat->comm, open + 1, length);
	/* 3 state, 4 ppid, 9 flags, 20 num_threads, 22 starttime */
	if (sscanf(close + 1,
		    " %c %d %*d %*d %*d %*d %lu %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %lu %*d "
		    "%llu",
		    &stat->state, &stat->parent, &stat->flags, &stat->threads, &start) != 5)
		return -EBADMSG;
	stat->start_time = start;
	return 0;
}

uint64_t procfs_now(void)
{
	struct timespec t = {0};
	uint64_t ticks = (uint64_t)sysconf(_SC_CLK_TCK);

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * ticks + (uint64_t)t.tv_nsec * ticks / 1000000000;
}

int procfs_stat(int dir, struct procfs_stat *stat, const char *file, ...)
{
	va_list args;
	char *text;
	int r;

	va_start(args, file);
	r = procfs_read_named(dir, &text, NULL, file, args);
	va_end(args);
	if (r == 0)
		r = procfs_parse_stat(text, stat);
	free(text);
	return r;
}

int probes_process_info(pid_t pid, struct probes_process_info *info, struct probes_error *e)
{
	struct procfs_stat stat;
	int r = procfs_stat(AT_FDCWD, &stat, "/proc/%d/stat", pid);

	*info = (struct probes_process_info){.up_seconds = -1, .threads = -1};
	if (r < 0)
		return error_set(e, PROBES_NO_TARGET, r, "cannot read /proc/%d/stat", pid);
	snprintf(info->name, sizeof info->name, "%.15s", stat.comm);
	info->start = stat.start_time;
	info->up_seconds = (long)(procfs_now() / (uint64_t)sysconf(_SC_CLK_TCK) -
				  stat.start_time / (uint64_t)sysconf(_SC_CLK_TCK));
	info->threads = (long)stat.threads;
	info->stopped = stat.state == 'T'; /* t: by a tracer, as by us for a moment */
	return 0;
}

void procfs_name(pid_t pid, char *name, size_t size)
{
	struct procfs_stat stat;

	snprintf(name, size, "%s",
		pid > 0 && procfs_stat(AT_FDCWD, &stat, "/proc/%d/stat", pid) == 0 ? stat.comm
										   : "");
}

pid_t procfs_tracer(int dir, char *name, size_t size, const char *file, ...)
{
	pid_t tracer = 0;
	va_list args;
	char *text;

	va_start(args, file);
	if (procfs_read_named(dir, &text, NULL, file, args) == 0)
		tracer = (pid_t)procfs_status(text, "TracerPid", 0);
	va_end(args);
	free(text);
	procfs_name(tracer, name, size);
	return tracer;
}

const struct procfs_absence *procfs_absence(pid_t pid)
{
	static const struct procfs_absence
		none = {"no such process", "look it up again, it may have ended: ps -e", ""},
		unmounted = {"/proc is not mounted here", "mount -t proc proc /proc", ""},
		hidden = {"/proc does not show it to you (mounted with hidepid)",
			"become root: sudo", "sudo"},
		hidden_from_root = {"/proc does not show it (mounted with hidepid)",
			"mount -o remount,hidepid=0 /proc, or add CAP_SYS_PTRACE", ""};

	if (access("/proc/self/stat", F_OK) < 0)
		return &unmounted;
	if (kill(pid, 0) < 0 && errno != EPERM)
		return &none;
	return geteuid() ? &hidden : &hidden_from_root;
}
