/*
 * Counters of a process, and what says where they count: one memfd for each, mapped shared in the
 * process, so that forked children count in it as well, and that it outlives us.
 *
 *     file      code                             landings   data
 *     process   head | sites | trampolines       anywhere   marks | holders | counters | state
 *               shared, not writable                        shared; before it struct recorder_own
 *
 * Landings: count/tactics.h. The state is the recorder's (count/recorder.h): it has no memory until
 * something is measured. The data is the end of the file: whoever has it mapped can let that
 * mapping grow upwards (mremap(2)), whatever the seals are, and finds nothing there.
 *
 * What is read from a process is untrusted: it, and each forked child, can write to the data. What
 * jumps are is not there.
 */
#pragma once

#include "base/budget.h"
#include "count/tactics.h"
#include "process/memory.h"

#define ARENA_MAGIC "PTUIWINB"
#define ARENA_SITES 100000 /* at most in one arena */

/* It does not end with a NUL; gcc 15 warns of that. */
#if __has_attribute(nonstring)
#define ARENA_NO_STRING __attribute__((nonstring))
#else
#define ARENA_NO_STRING
#endif

/* A site, as in the memory of the process; what changes is in its mark. */
struct arena_site {
	uint64_t address;
	uint64_t counter; /* offset in the data */
	uint64_t base;    /* hits there when the site was last made to count */
	uint8_t tactic;   /* enum probes_tactic */
	uint8_t length;   /* bytes that are replaced */
	uint8_t old[ARCH_SITE_BYTES], new_[ARCH_SITE_BYTES];
	uint8_t behind[ARCH_INSTRUCTION_BYTES]; /* the old bytes from address + 1 on */
	uint8_t left; /* sessions that ended, and left their 1 in the semaphores of the probe */
	uint8_t unused[2];
};

struct arena_mark {
	uint64_t base; /* as above */
	uint8_t left;
	uint8_t unused[7];
};

/*
 * A session that counts in a process, or measures there, as it says itself; one that was killed
 * still says so. Behind the records of all is a bit per record and site: it counts there.
 */
struct arena_holder {
	uint64_t session;   /* ARENA_OWNER; 0: there is none */
	uint64_t start;     /* of the session (identity_start) */
	uint64_t born;      /* likewise of the process: forked children have the same records */
	uint64_t since;     /* likewise: children that are forked later inherit what it counts */
	uint32_t pid, self; /* of the process: as the session sees it, as the process itself does */
	uint32_t number;    /* tells the sessions of one process apart */
	uint16_t states;    /* bits: those of the arena that it has (session/owner.c), and: */
#define ARENA_UNRECORDED 4  /* it has no journal: it has raised the semaphores where it counts */
	uint16_t claimed;   /* it has the claim of this record (process/claim.h) */
};

#define ARENA_HOLDERS 128 /* at once, in a process and its forked children */

struct arena_head {
	ARENA_NO_STRING char magic[8];
	uint64_t data_size, code_size;
	uint64_t recorder; /* offset of the recorder in the code */
	uint64_t site_count;
	uint64_t owner;     /* pid of the session that made it, in its pid namespace */
	uint64_t file_size; /* bytes of the file, each of which is mapped once */
	uint64_t serial;    /* from 1 on: higher than those of all arenas that the process had */
	uint64_t cookie;    /* that the process reads into its page: install_map */
};

struct arena {
	uint64_t address; /* of its code in the process */
	uint64_t data;    /* likewise */
	uint64_t inode;   /* of the memfd: the same one in forked children */
	uint64_t serial;  /* struct arena_head */
	bool inherited;   /* by a fork: other processes may count in it, too */
	pid_t sharer;     /* a forked child that counts in it, too (session/sharers.c); 0: none */
	pid_t sharer_session; /* that counts in that child; 0: none is seen, -1: one of
				 another pid namespace may */
	pid_t rival; /* where another session counts, so that this one may not; 0: none was found */
	pid_t elsewhere; /* its hits are those of that process, which is counted, too; 0: not */
	bool own[2];     /* this session measures in it, reads events (owner_state.c) */
	/* session/holder.c: */
	uint8_t *others;   /* per site: who else counts, as last looked (enum holder_life); NULL:
			      nobody; owned */
	uint8_t *orphaned; /* per site: how many have ended that counted there and had no journal,
			      as last looked; NULL: none; owned */
	struct arena_holder heir; /* of those that count where the process was forked from, the
				      first; 0: none */
	bool *held;               /* per site: this session counts; NULL: nowhere; owned */
	bool announced;           /* more is on record than `held` was after the last change */
	size_t record;            /* number of its record, from 1 on; 0: none */
	bool claimed;
	size_t data_size, code_size;
	size_t recorder; /* struct arena_head */
	size_t site_count;
	struct arena_site *sites; /* by address, as they were checked; owned */
	/* Mapped here as well, if this session made it: the file, as described above. */
	unsigned char *file;
	size_t file_size;
	/* For F_ADD_SEALS, when the process has mapped the data, and nothing else: from then on
	   nobody, not even a forked child with other rights, can make the code writable
	   (memfd_create(2); Linux 5.1). */
	int seals;
	struct array landings; /* struct tactics_landing: of an arena that is mapped here */
	/* Else: a forked child, through which it is read when the process has ended; NULL: none.
	   Owned by session/jumps.c */
	struct memory *survivor;
	/* And per site: is its counter read? */
	bool *watched;
	struct array counters; /* uint64_t: offsets of those that are */
	unsigned char *copy;   /* and these as last read, at their offsets; NULL: there are none */
};

/* Bytes before the counters, and before the recorder. */
size_t arena_head_size(size_t sites);
size_t arena_records_size(size_t sites);

/*
 * Make the file of a planned arena, by a descriptor of an empty one, which may be closed then:
 * code, landings and data. *landing_pages: addresses (uint64_t) in the process, in the order of
 * their pages in the file, which follow the code. `locked`: the process locks what it maps, so that
 * the state has memory at once, which is ours. 0 or a negative errno.
 */
int arena_make(struct arena *w, int fd, const struct tactics *t, bool locked, uint64_t serial,
	const struct recorder_sealed *sealed, struct array *landing_pages);

/* May its hits go to the state of an older one? */
bool arena_knows(const struct arena *w, struct memory *m, const struct arena *older);

/* Are these (F_GET_SEALS) seals that an arena has, from its first ones on? */
bool arena_is_sealed(int seals);

enum arena_found {
	ARENA_FOUND,
	/* It is none, or makes no sense, or a part of it is missing: a jump might lead nowhere,
	 * because that session was killed before it had mapped everything, or the process was
	 * forked then. */
	ARENA_NONE,
	ARENA_LEFT_OUT, /* over the budget, or no memory */
};

/*
 * Read one that another session made; `mapped`: bytes of it that the process has mapped. Its sites
 * are charged before they are read, and stay so: a process may map any number of such files, and
 * make them as large as it likes. NULL: no limit.
 */
enum arena_found arena_read(struct arena *w, struct memory *m, uint64_t address, uint64_t mapped,
	struct budget *budget);
/* Read again what sessions left at the sites. */
void arena_read_left(struct arena *w, struct memory *m);
void arena_done(struct arena *w);

/*
 * From now on read the counter of this site. An arena that is mapped here needs no such call.
 * False: no memory.
 */
bool arena_watch(struct arena *w, size_t site);

/*
 * Read the watched counters of an arena that is not mapped here: up to a thousand separate ones per
 * system call. False: unreadable, or no memory.
 */
bool arena_refresh(struct arena *w, struct memory *m);

/* The hits of a site since its base, at the last refresh, if it is watched, else 0; at present, if
 * it is mapped here. */
uint64_t arena_hits(const struct arena *w, size_t site);

/*
 * May the trampoline of a site be used, whose code from its address on is this now? Not if the
 * trampoline runs another instruction than the one behind the site: another object may be mapped
 * there by now.
 */
bool arena_fits(const struct arena *w, size_t site, const uint8_t *code, size_t size);

/* From now on the site counts from 0, and has no role. Call it while the site does not count. */
void arena_restart(struct arena *w, struct memory *m, size_t site);

/* Read, or write, bytes of its data at an offset. */
bool arena_look(const struct arena *w, struct memory *m, size_t at, void *to, size_t size);
bool arena_write(struct arena *w, struct memory *m, size_t at, const void *bytes, size_t size);

/* ---- who uses it: arena_owner.c ---- */

/* Are hits of other processes among its own? */
static inline bool arena_is_shared(const struct arena *w)
{
	return w->inherited || w->sharer;
}

void arena_set_left(struct arena *w, struct memory *m, size_t site, uint8_t left);

/* All ARENA_HOLDERS. False: unreadable. */
bool arena_read_holders(const struct arena *w, struct memory *m, struct arena_holder *all);

/* Where the session of a record counts: a byte for 8 sites. */
size_t arena_bits_size(const struct arena *w);
bool arena_read_bits(const struct arena *w, struct memory *m, size_t record, uint8_t *bits);

/* The session of a record counts no longer at a site. */
void arena_clear_bit(struct arena *w, struct memory *m, size_t record, size_t site);

/* `bits` NULL: as they are. */
bool arena_set_holder(struct arena *w, struct memory *m, size_t at,
	const struct arena_holder *record, const uint8_t *bits);

/* ---- measuring a pair ---- */

/* What a hit of the site is, from now on. False: it cannot be written. */
bool arena_set_role(
	struct arena *w, struct memory *m, size_t site, const struct recorder_role *role);

/* Its hits are only counted from now on. */
bool arena_clear_role(struct arena *w, struct memory *m, size_t site);

/* Where the state is in the process: struct recorder_role. */
uint64_t arena_state(const struct arena *w);

/* Does it lie where it was mapped, in the program whose memory this is? */
bool arena_lies(const struct arena *w, struct memory *m);

/* Where its cookie is there: count/tactics.h. */
uint64_t arena_cookie(const struct arena *w);
/* What it is now. False: unreadable. */
bool arena_role(const struct arena *w, struct memory *m, size_t site, struct recorder_role *role);

/*
 * Who measures or reads here, as the state says it: a pid and the number of its pid namespace. 0:
 * nobody.
 */
#define ARENA_OWNER(pid, pids) ((uint64_t)(uint32_t)(pids) << 32 | (uint32_t)(pid))

/*
 * Begin with an empty state, in epoch 1. Costs the memory of RECORDER_PAIR_BYTES: ours,
 * if the arena is mapped here, else the process's. False: it cannot be written.
 */
bool arena_measure(struct arena *w, struct memory *m, uint64_t session, uint64_t multiplier);

/* Nobody measures any more. */
void arena_unmeasure(struct arena *w, struct memory *m);

/* Read what was measured; `least` and `most` begin anew if `renew`. False: unreadable. */
bool arena_measured(
	struct arena *w, struct memory *m, bool keyed, bool renew, struct recorder_sum *sum);

/* ---- the state ---- */

/* Read or write bytes of struct recorder_state at an offset. 8 bytes are read at once. */
bool arena_get(const struct arena *w, struct memory *m, size_t at, void *to, size_t size);
bool arena_put(struct arena *w, struct memory *m, size_t at, const void *bytes, size_t size);

/*
 * Give memory to a part of the state that was never used. Whose memory: as arena_measure. What is
 * there stays, if the arena is mapped here; else it becomes 0. False: it cannot be written.
 */
bool arena_open_part(struct arena *w, struct memory *m, size_t at, size_t size);
