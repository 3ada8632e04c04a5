#include "process/claim.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool claim_open(struct claim *c, const struct identity *who)
{
	if (c->opened)
		return c->fd >= 0;
	c->opened = true;
	/* identity.c closes its own where descriptors are scarce. */
	c->fd = who->pidfd >= 0 ? who->pidfd : (int)syscall(SYS_pidfd_open, who->pid, 0);
	c->base = (uint64_t)identity_ns_pid(who) % (1 << 22) * CLAIM_NUMBERS;
	return c->fd >= 0;
}

static struct flock claim_range(const struct claim *c, short type, uint64_t number)
{
	return (struct flock){.l_type = type,
		.l_whence = SEEK_SET,
		.l_start = (off_t)(c->base + number % CLAIM_NUMBERS),
		.l_len = 1};
}

bool claim_take(struct claim *c, const struct identity *who, uint64_t number)
{
	struct flock lock;

	if (!claim_open(c, who))
		return false;
	lock = claim_range(c, F_WRLCK, number);
	return fcntl(c->fd, F_OFD_SETLK, &lock) == 0;
}

void claim_drop(struct claim *c, uint64_t number)
{
	struct flock lock = claim_range(c, F_UNLCK, number);

	if (c->opened && c->fd >= 0)
		(void)fcntl(c->fd, F_OFD_SETLK, &lock);
}

bool claim_is_held(struct claim *c, const struct identity *who, uint64_t number)
{
	struct flock asked, lock;

	if (!claim_open(c, who))
		return true;
	lock = asked = claim_range(c, F_WRLCK, number);
	return fcntl(c->fd, F_OFD_GETLK, &lock) < 0 ||
	       (lock.l_type == F_WRLCK && lock.l_start == asked.l_start &&
		       lock.l_len == asked.l_len);
}

void claim_done(struct claim *c, const struct identity *who)
{
	if (c->opened && c->fd >= 0 && c->fd != who->pidfd)
		close(c->fd);
	*c = (struct claim){.opened = false};
}
