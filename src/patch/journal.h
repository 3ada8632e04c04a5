/*
 * What a session is about to write, on record before it writes, so that a later run can find what
 * an interrupted session left, and undo exactly that.
 *
 * One file a session, in a private folder (patch/records.h), named after the process and its start
 * time. It is removed when the session ends normally. No fsync: the page cache survives a killed
 * process, and the target does not survive the machine.
 *
 * Its owner keeps it locked (flock): the lock ends with the owner, and shows in every namespace
 * whether the owner is alive. systemd-tmpfiles spares locked files of any age.
 *
 *   header   "PTUIJ4\0\0", target pid, owner pid (u32 each), target start, target program, owner
 *            start, pid namespace (u64 each), boot id (16 bytes), flags (u32; 1: locked), 0 (u32)
 *   block    kind, size (u32 each), then `size` bytes of edits
 *   edit     address (u64), role, length (u8 each), old, new (`length` bytes each)
 *
 * Older versions are read, and a repair appends blocks of this version to them. "PTUIJ3": its
 * blocks of kind 1 (intent) and 4 (known) give the number of their edits, each: address (u64), old,
 * new (u16 each), 1 for the byte of a site or 0 for a semaphore (u32). "PTUIJ2": likewise, and its
 * header ends before the boot id; its start times are those of the owner's time namespace.
 */
#pragma once

#include "base/array.h"
#include "patch/edit.h"
#include "patch/records.h"

#define JOURNAL_HEADER 72   /* bytes */
#define JOURNAL_HEADER_2 48 /* of PTUIJ2 */

struct journal {
	int fd;        /* -1: none */
	size_t length; /* of the whole blocks in it */
	struct records_place place;
	char file[100];
	char path[400]; /* of both, for messages */
};

/* Laid out as in the header of a file. */
struct journal_key {
	pid_t target, owner;
	uint64_t target_start;   /* identity_start; 0: not known */
	uint64_t target_program; /* see struct identity; 0: not known */
	uint64_t owner_start;    /* as target_start */
	uint64_t pids;           /* inode of the pid namespace that the numbers are of */
	uint64_t boot[2];        /* id of the boot; 0: not known */
};

/*
 * What a block says. Kinds 1 and 4 are those of older versions.
 *
 * intent   these edits are about to be made. If no end follows, an edit was made if the process
 *          holds its new value, and not if it holds the old one: a repair decides
 * done     the newest intent was made
 * undone   the newest intent was not made, or undone
 * known    of all intents without an end, just these edits were made. Comes before a new intent,
 *          whose writes would change what the process tells
 * made     these edits count as made, whatever the intents say. The opposites of edits take those
 *          off the record whose object was unloaded
 * decided  of the intents without an end, these edits were made, and those whose opposites are here
 *          were not, in their order. Another session says so before its own writes change what the
 *          process tells
 */
enum journal_kind {
	JOURNAL_DONE = 2,
	JOURNAL_UNDONE = 3,
	JOURNAL_INTENT = 5,
	JOURNAL_KNOWN = 6,
	JOURNAL_MADE = 7,
	JOURNAL_DECIDED = 8
};

/* The content of a journal. The edits have no probe and no index. */
struct journal_text {
	struct journal_key key;
	struct array made;    /* struct probes_edit: known to be made */
	struct array pending; /* struct probes_edit: of intents without an end */
	size_t length;        /* bytes up to the end of the last whole block */
	unsigned version;     /* 2 to 4 */
	bool locked;          /* the owner holds a lock on it while the owner is alive */
};

/* Its edits, those that were made before the pending ones. NULL: there are no more. */
static inline const struct probes_edit *journal_edit_at(const struct journal_text *text, size_t i)
{
	if (i < text->made.count)
		return ARRAY_AT(&text->made, struct probes_edit, i);
	i -= text->made.count;
	return i < text->pending.count ? ARRAY_AT(&text->pending, struct probes_edit, i) : NULL;
}

/* Fill in the pid namespace and the boot of a key. */
void journal_here(struct journal_key *key);

/*
 * Begin a journal. 0 or a negative errno: no private folder could be made, disk full. Then j->place
 * is the first folder with that errno; one that is merely missing is blamed only if all are.
 */
int journal_open(struct journal *j, const struct journal_key *key);

struct journal_found;

/*
 * Append to a journal that another session left, after its last whole block: a repair is recorded
 * in the journal that it repairs, so that a repair that is killed can be repaired. 0 or a negative
 * errno; -ESTALE: the file was replaced since it was found; -EMLINK: it has other names.
 */
int journal_adopt(struct journal *j, const struct journal_found *found);

/* Close, and leave the file for a repair. */
void journal_leave(struct journal *j);

/* Remove the file of a journal that was left. */
void journal_unlink(const struct journal *j);

/* Close and remove: nothing remains to be undone. Does nothing to a journal that is closed. */
void journal_remove(struct journal *j);

/*
 * Append a block: all `edits` (struct probes_edit; NULL: none), or those whose `only` is true. 0 or
 * a negative errno: then the block is not on record, and nothing must be written in the process.
 */
int journal_record(
	struct journal *j, enum journal_kind kind, const struct array *edits, const bool *only);

/*
 * Parse the bytes of a journal. Pure; every byte is untrusted. False: no journal, or malformed. A
 * block that is cut short at the end is ignored, since nothing was written before it was complete.
 */
bool journal_parse(const void *bytes, size_t size, struct journal_text *text);
void journal_text_done(struct journal_text *text);

/* A journal that was found. */
struct journal_found {
	struct records_place place;
	char file[100];
	uint64_t device, inode;
	bool living; /* its owner is alive: only if `living` was asked for */
	struct journal_text text;
	/* Not empty: why it is unknown whether its changes remain. Then at most text.key is set. */
	char unjudged[160];
};

/*
 * Find all journals of a process (the fields of `target` named target_*) whose owner has ended, or
 * may have ended. `user` may trace the process (rights_user), or is NULL: root trusts the journals
 * of this user besides its own, and of nobody else, and reads a limited number of them. Removes our
 * own journals of processes that have certainly ended, and of programs that this process ran before
 * an exec. `living`: find also the journals of living owners, who will undo their changes
 * themselves. Appends struct journal_found; false when there is no memory.
 */
bool journal_find(const struct journal_key *target, const struct records_user *user, bool living,
	struct array *found);
void journal_found_done(struct array *found);
