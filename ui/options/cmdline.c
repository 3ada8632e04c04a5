#include "ui/options/cmdline.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ui/words/probe_name.h"

void cmdline_read(pid_t pid, const char *comm, char *out, size_t size)
{
	const char *program;
	size_t n, skipped;
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -1 : read(fd, out, size - 1);
	if (fd >= 0)
		close(fd);
	n = got > 0 ? (size_t)got : 0;
	out[n] = '\0';
	program = probe_name_base(out); /* of argv[0]: a NUL follows each word */
	skipped = n && *program ? (size_t)(program - out) : 0;
	while (n > skipped && !out[n - 1])
		n--;
	for (size_t i = skipped; i < n; i++)
		out[i] = out[i] ? out[i] : ' ';
	out[n] = '\0';
	if (n)
		memmove(out, out + skipped, n - skipped + 1);
	else
		snprintf(out, size, "[%s]", comm);
}
