#include "ui/options/options.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char file[] = "/proc/self/oom_score_adj", highest[] = "1000";

void oom_score_raise(char before[OOM_SCORE_TEXT])
{
	int fd = open(file, O_RDWR | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, before, OOM_SCORE_TEXT - 1);

	before[n > 0 ? n : 0] = '\0';
	if (n > 0 && write(fd, highest, strlen(highest)) < 0)
		before[0] = '\0';
	if (fd >= 0)
		close(fd);
}

void oom_score_put_back(const char *before)
{
	int fd = *before ? open(file, O_WRONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	(void)!write(fd, before, strlen(before));
	close(fd);
}
