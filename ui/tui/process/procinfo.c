/*
 * Files of /proc/PID, and the screen's only parser of /proc/PID/stat.
 */
#include "ui/tui/process/procinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

size_t procinfo_file(pid_t pid, const char *name, char *out, size_t size)
{
	char path[64];
	ssize_t n;
	int fd, code;

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	code = fd < 0 ? errno : 0;
	n = fd < 0 ? -1 : read(fd, out, size - 1);
	if (fd >= 0)
		close(fd);
	out[n > 0 ? n : 0] = '\0';
	errno = code;
	return n > 0 ? (size_t)n : 0;
}

bool procinfo_read(struct procinfo *info, pid_t pid)
{
	char stat[1024], *open, *close;
	struct timespec now;

	*info = (struct procinfo){.threads = -1, .up_seconds = -1};
	procinfo_file(pid, "stat", stat, sizeof stat);
	/* "PID (COMM) S ...": comm may contain parentheses; the last one ends it (proc(5)). */
	open = strchr(stat, '(');
	close = strrchr(stat, ')');
	if (!open || !close || close < open)
		return false;
	*close = '\0';
	snprintf(info->comm, sizeof info->comm, "%s", open + 1);
	if (sscanf(close + 1,
		    " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld "
		    "%*d %llu",
		    &info->threads, &info->start) != 2)
		return false;
	clock_gettime(CLOCK_BOOTTIME, &now);
	info->up_seconds =
		(long)now.tv_sec - (long)(info->start / (unsigned long long)sysconf(_SC_CLK_TCK));
	return true;
}

const char *procinfo_span(long seconds, char *out, size_t size)
{
	long minutes = seconds / 60, hours = minutes / 60, days = hours / 24;

	if (seconds < 0)
		snprintf(out, size, "-");
	else if (days)
		snprintf(out, size, "%ldd %ldh", days, hours % 24);
	else if (hours)
		snprintf(out, size, "%ldh %ldm", hours, minutes % 60);
	else if (minutes)
		snprintf(out, size, "%ldm", minutes);
	else
		snprintf(out, size, "<1m");
	return out;
}
