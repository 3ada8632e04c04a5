/*
 * The private folders that hold journals: several for each user, since a stranger may plant one,
 * and logout may remove one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define RECORDS_PLACES 9

struct records_place {
	char base[200], name[40]; /* the parent folder, and the folder's name in it */
	uid_t owner;
	bool foreign; /* another user may have mounted FUSE there */
};

/* Another user, whose files count if they are of this group. */
struct records_user {
	uid_t id;
	gid_t group;
};

/*
 * Our places, the best first: the one named by PROBES_TUI_RECORDS (absolute) alone; else for root
 * /run/probes-tui; then /tmp/probes-tui-UID, /var/tmp/probes-tui-UID, $XDG_RUNTIME_DIR/probes-tui,
 * /run/user/UID/probes-tui. With `other`, those of that user as well, if we are root and
 * PROBES_TUI_RECORDS is not set. Returns how many, RECORDS_PLACES at most.
 */
size_t records_places(const struct records_user *other, struct records_place *places);

/*
 * Open a file in the folder `dir` of that place. Nothing that another user mounted over one of
 * their files is opened (FUSE: -EXDEV), and nothing waits for a FIFO. A descriptor, or a negative
 * errno.
 */
int records_file(const struct records_place *p, int dir, const char *name, int flags);

/* Its path, for messages. */
void records_path(const struct records_place *p, char *path, size_t size);

/*
 * Open the folder; `make`: create it if missing. Returns a descriptor; -ENOENT if the folder is
 * missing or not private to its user (then it was planted, and holds no records of that user; to
 * `make` it is -EPERM); another negative errno if it may exist but could not be checked.
 */
int records_open(const struct records_place *p, bool make);
