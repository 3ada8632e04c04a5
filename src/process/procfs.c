/* Reading and parsing the small text files of /proc. Source: proc(5). */
#include "process/procfs.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int procfs_read_all(int fd, char **text, size_t *size)
{
	size_t capacity = 4096, used = 0;
	char *buffer = malloc(capacity);

	while (buffer) {
		ssize_t n = read(fd, buffer + used, capacity - used - 1);
		char *larger;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int code = -errno;

			free(buffer);
			return code;
		}
		used += (size_t)n;
		if (n == 0) {
			buffer[used] = '\0';
			*text = buffer;
			*size = used;
			return 0;
		}
		if (capacity - used > 1024)
			continue;
		larger = realloc(buffer, capacity *= 2);
		if (!larger)
			free(buffer);
		buffer = larger;
	}
	return -ENOMEM;
}

int procfs_read(int dir, const char *file, char **text, size_t *size)
{
	int fd = openat(dir, file, O_RDONLY | O_CLOEXEC);
	int r;

	*text = NULL;
	*size = 0;
	if (fd < 0)
		return -errno;
	r = procfs_read_all(fd, text, size);
	close(fd);
	return r;
}

/* What follows "Key:", or NULL. */
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

	/* Blanks lie before each; the end of the line must not be stepped over. */
	while (at && *(at += strspn(at, " \t")) >= '0' && *at <= '9')
		otherwise = strtol(at, (char **)&at, 10);
	return otherwise;
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

int procfs_stat(int dir, const char *file, struct procfs_stat *stat)
{
	char *text;
	size_t size;
	int r = procfs_read(dir, file, &text, &size);

	if (r == 0)
		r = procfs_parse_stat(text, stat);
	free(text);
	return r;
}

void procfs_name(pid_t pid, char *name, size_t size)
{
	struct procfs_stat stat;
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	snprintf(name, size, "%s",
		pid > 0 && procfs_stat(AT_FDCWD, path, &stat) == 0 ? stat.comm : "");
}

pid_t procfs_tracer(int dir, const char *file, char *name, size_t size)
{
	size_t length;
	pid_t tracer = 0;
	char *text;

	if (procfs_read(dir, file, &text, &length) == 0)
		tracer = (pid_t)procfs_status(text, "TracerPid", 0);
	free(text);
	procfs_name(tracer, name, size);
	return tracer;
}

int procfs_auxv(int dir, unsigned long type, uint64_t *value)
{
	size_t size;
	char *text;
	int r = procfs_read(dir, "auxv", &text, &size);

	*value = 0;
	for (size_t at = 0; at + 16 <= size; at += 16) {
		uint64_t pair[2];

		memcpy(pair, text + at, sizeof pair);
		if (pair[0] == type)
			*value = pair[1];
	}
	free(text);
	return error_is_shortage(r) ? r : 0;
}
