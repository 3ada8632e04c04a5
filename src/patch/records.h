/*
 * Where journals lie: private folders, a few for each user, since one may be planted by a stranger
 * or go with a login.
 */
#ifndef PATCH_RECORDS_H
#define PATCH_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define RECORDS_PLACES 9

struct records_place {
	char base[200], name[40]; /* the folder, and the one that it lies in */
	uid_t owner;
	bool foreign; /* somebody else's file system may lie there: FUSE */
};

/*
 * Our places, the best first: the one named by PROBES_TUI_RECORDS (absolute) alone; else for root
 * /run/probes-tui; then /tmp/probes-tui-UID, /var/tmp/probes-tui-UID, $XDG_RUNTIME_DIR/probes-tui,
 * /run/user/UID/probes-tui. With `other` those of that user as well, where we are root and ours are
 * not named. Returns how many, RECORDS_PLACES at most.
 */
size_t records_places(const uid_t *other, struct records_place *places);

/* Its path, for messages. */
void records_path(const struct records_place *p, char *path, size_t size);

/*
 * Open the folder; `make` it where it is not there. A descriptor, -ENOENT where there is none, or
 * where it is not its user's alone: then it was planted, and nothing of that user lies in it.
 * Another negative errno: it may be there and could not be looked at.
 */
int records_open(const struct records_place *p, bool make);

#endif
