/* Tests the limit on descriptors. Leaves nothing open. */
#include "process/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A switch needs: the journal, its folder, maps, an object. */
#define DESCRIPTORS_MORE 8
/* A session holds 3, and one for each object with probes; when descriptors are scarce, 2. */
#define DESCRIPTORS_AMPLE 8 /* ample while less than 1/8 of the limit is in use */

int descriptors_spare(int more)
{
	int held[DESCRIPTORS_SPARE + DESCRIPTORS_MORE], count = 0, code = 0;

	/* A descriptor that needs no file. */
	held[0] = (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (held[0] < 0)
		return errno == EMFILE || errno == ENFILE ? -errno : 0;
	for (count = 1; code == 0 && count < DESCRIPTORS_SPARE + more &&
			count < DESCRIPTORS_SPARE + DESCRIPTORS_MORE;
		count++) {
		held[count] = fcntl(held[0], F_DUPFD_CLOEXEC, 0);
		if (held[count] < 0)
			code = -errno;
	}
	for (int i = 0; i < count; i++)
		if (held[i] >= 0)
			close(held[i]);
	return code;
}

bool descriptors_scarce(int fd)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
	       (rlim_t)fd >= limit.rlim_cur / DESCRIPTORS_AMPLE;
}
