/*
 * What a session is about to write, on record before it writes: so that the
 * next run finds what an interrupted one left, and can take back exactly that.
 *
 * One file a session, in a private folder (patch/records.h), named after the process and its start
 * time. It is removed when the session ends normally. No fsync: the page cache survives a killed
 * process, and the target does not survive the machine.
 *
 * Its owner keeps it locked (flock): the lock ends with the owner, and shows in every namespace
 * whether the owner is alive. systemd-tmpfiles spares locked files of any age.
 *
 *   header   "PTUIJ3\0\0", target pid, owner pid (u32 each), target start, target program, owner
 *            start, pid namespace (u64 each), boot id (16 bytes), flags (u32; 1: locked), 0 (u32).
 *            "PTUIJ2\0\0": the format before, which ends before the boot id; its starts are as
 *            the owner's time namespace has them
 *   block    kind, count (u32 each), then `count` writes where the kind is intent or known:
 *   write    address (u64), old, new (u16 each), is_site (u32)
 */
#ifndef PATCH_JOURNAL_H
#define PATCH_JOURNAL_H

#include "base/array.h"
#include "patch/plan.h"
#include "patch/records.h"

struct journal {
	int fd;        /* -1: none */
	size_t length; /* of the whole blocks in it */
	struct records_place place;
	char file[100];
	char path[400]; /* of both, for messages */
};

struct journal_key {
	pid_t target, owner;
	uint64_t target_start, owner_start; /* identity_start; 0: not known */
	uint64_t target_program;            /* see struct identity; 0: not known */
	uint64_t pids;                      /* inode of the pid namespace that the numbers are of */
	uint64_t boot[2];                   /* id of the boot; 0: not known */
};

enum journal_kind { JOURNAL_INTENT = 1, JOURNAL_DONE = 2, JOURNAL_UNDONE = 3, JOURNAL_KNOWN = 4 };

struct journal_write {
	uint64_t address;
	uint16_t old, new_;
	uint32_t is_site;
};

/* What a journal says, in its order. */
struct journal_text {
	struct journal_key key;
	struct array writes; /* struct journal_write: those that are known to be done */
	struct array last;   /* likewise: of intents whose end is not on record */
	size_t length;       /* bytes of the whole blocks; what follows is cut short */
	bool old;            /* of the previous format: see above */
	bool locked;         /* its owner holds a lock on it while the owner is alive */
};

/* Fill in the pid namespace and the boot of a key. */
void journal_here(struct journal_key *key);

/* Start one. 0 or a negative errno: no private folder could be made, disk full. */
int journal_open(struct journal *j, const struct journal_key *key);

struct journal_found;

/*
 * Go on with one that another session left, behind its last whole block: what takes it back is
 * recorded in the same file, so that even a repair that is killed can be repaired. 0 or a negative
 * errno; -ESTALE: another file lies there by now.
 */
int journal_adopt(struct journal *j, const struct journal_found *found);

/* Close, and leave it for a repair: something could not be taken back. */
void journal_leave(struct journal *j);

/* Close and remove: nothing is left to undo. Closing twice is nothing. */
void journal_remove(struct journal *j);

/*
 * Put a plan on record; 0 or a negative errno: then nothing must be written. `only` chooses writes
 * by their index; NULL: all.
 */
int journal_intend(struct journal *j, const struct plan *plan, const bool *only);

/* Its end: carried out, or undone. Without it the process itself says how far the plan came. */
int journal_conclude(struct journal *j, enum journal_kind kind);

/*
 * Settle the intents whose end is not on record: just these of their writes were made, as the
 * process says. To be said before a new intent follows them: what that writes would tell otherwise.
 */
int journal_settle(struct journal *j, const struct journal_write *writes, size_t count);

/*
 * Record writes of which it is unknown whether they were made: a write was made if the process
 * holds its new value, and not if it holds the old one. A repair decides.
 */
int journal_doubt(struct journal *j, const struct journal_write *writes, size_t count);

/*
 * What is true without a plan, in one block: these writes count as made. Their opposites take
 * writes off the record whose object has gone, with all that was written in it.
 */
int journal_add(struct journal *j, const struct journal_write *writes, size_t count);

/*
 * Parse the bytes of a journal. Pure. False: no journal, or lies about its sizes; a block cut
 * short at the end is left out, since nothing was written before it was complete.
 */
bool journal_parse(const void *bytes, size_t size, struct journal_text *text);
void journal_text_done(struct journal_text *text);

/* One that somebody left. */
struct journal_found {
	struct records_place place;
	char file[100];
	uint64_t device, inode;
	bool living; /* its owner lives: only journal_find_all finds such */
	struct journal_text text;
	/* Not empty: it may tell of changes that remain, but why nobody can say; nothing else is
	   known then, except perhaps text.key. */
	char unjudged[160];
};

/*
 * Find all journals of a process (the fields of `target` named target_*) whose owner has ended, or
 * may have ended. `user` owns the process with all its ids, or is NULL: root trusts the journals of
 * this user besides its own, and of nobody else. Removes our own journals of processes that have
 * certainly ended, and of programs that this process ran before an exec. Appends struct
 * journal_found; false when there is no memory.
 */
bool journal_find(const struct journal_key *target, const uid_t *user, struct array *found);

/* The same, with those of living owners: what they hold they will take back themselves. */
bool journal_find_all(const struct journal_key *target, const uid_t *user, struct array *found);
void journal_found_done(struct array *found);

#endif
