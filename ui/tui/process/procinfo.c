/*
 * A few numbers from /proc/PID/stat.
 */
#include "ui/tui/process/procinfo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Field n (from 1) of /proc/PID/stat; those from 3 on follow the last ')'. */
static unsigned long long procinfo_field(const char *stat, int n)
{
	const char *s = strrchr(stat, ')');

	for (int i = 2; s && i < n; i++) {
		s = strchr(s + 1, ' ');
	}
	return s ? strtoull(s, NULL, 10) : 0;
}

void procinfo_read(struct procinfo *info, pid_t pid)
{
	char path[64], stat[1024];
	struct timespec now;
	size_t n;
	FILE *f;

	info->up_seconds = info->threads = -1;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return;
	n = fread(stat, 1, sizeof stat - 1, f);
	fclose(f);
	stat[n] = '\0';
	if (!n)
		return;
	clock_gettime(CLOCK_BOOTTIME, &now);
	info->threads = (long)procinfo_field(stat, 20);
	info->up_seconds = (long)now.tv_sec - (long)(procinfo_field(stat, 22) /
						      (unsigned long long)sysconf(_SC_CLK_TCK));
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
