/* The ids, capabilities and dumpability of a process, and whom they permit to trace it. */
#include "process/rights.h"

#include "process/procfs.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

bool rights_all(const uint64_t *ids, size_t count, uint64_t id)
{
	for (size_t i = 0; i < count; i++)
		if (ids[i] != id)
			return false;
	return true;
}

bool rights_read(struct rights *r, int dir, const char *prefix)
{
	char file[64], *status;
	struct stat st;
	bool read;

	*r = (struct rights){.uid_map = NULL};
	snprintf(file, sizeof file, "%sstatus", prefix);
	if (fstatat(dir, file, &st, 0) < 0 || procfs_read(dir, &status, NULL, "%s", file) < 0)
		return false;
	read = procfs_status_numbers(status, "Uid", 10, r->uids, 4) == 4 &&
	       procfs_status_numbers(status, "Gid", 10, r->gids, 4) == 4 &&
	       procfs_status_numbers(status, "CapPrm", 16, &r->permitted, 1) == 1 &&
	       procfs_status_numbers(status, "CapEff", 16, &r->effective, 1) == 1;
	/* Its files belong to root if it is not dumpable, but its directory does not
	   (task_dump_owner in fs/proc/base.c); nor do they once its memory is gone. */
	r->dumpable = st.st_uid == r->uids[1] && procfs_status(status, "VmSize", -1) >= 0;
	free(status);
	return procfs_read(dir, &r->uid_map, NULL, "%suid_map", prefix) == 0 && read;
}

bool rights_target(struct rights *r, const struct identity *who)
{
	char prefix[32];

	snprintf(prefix, sizeof prefix, "task/%d/", identity_thread(who));
	return rights_read(r, who->proc, prefix);
}

void rights_done(struct rights *r)
{
	free(r->uid_map);
}

bool rights_permit(
	const struct rights *target, uint64_t user, uint64_t group, uint64_t capabilities)
{
	return target->dumpable && rights_all(target->uids, 3, user) &&
	       rights_all(target->gids, 3, group) && !(target->permitted & ~capabilities);
}

bool rights_user(const struct identity *who, uid_t *user, gid_t *group)
{
	struct rights r = {.uid_map = NULL};
	struct stat ours, its;
	bool below = false, may = rights_target(&r, who) && stat("/proc/self/ns/user", &ours) == 0;
	int fd = may ? identity_openat(who, "ns/user", O_RDONLY) : -1, outer;
	uid_t owner = 0;

	/* Below our user namespace: who made the outermost one around it has all capabilities over
	   it. */
	while ((may = may && fd >= 0 && fstat(fd, &its) == 0) && its.st_ino != ours.st_ino) {
		below = true;
		may = ioctl(fd, NS_GET_OWNER_UID, &owner) == 0;
		outer = ioctl(fd, NS_GET_PARENT);
		close(fd);
		fd = outer;
	}
	if (fd >= 0)
		close(fd);
	*user = (uid_t)r.uids[0];
	*group = (gid_t)r.gids[0];
	may = may && (!below || owner == *user) &&
	      rights_permit(&r, *user, *group, below ? ~(uint64_t)0 : 0);
	rights_done(&r);
	return may;
}
