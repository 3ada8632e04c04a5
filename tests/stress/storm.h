/*
 * What the victim of the campaign and its driver share: the table of what the program counted,
 * which the driver also reads out of the program's memory, to compare it with what the program
 * says.
 */
#ifndef STRESS_STORM_H
#define STRESS_STORM_H

#include <stdatomic.h>
#include <stdint.h>

#define STORM_MAGIC 0x6d726f7473u
#define STORM_PLACES 64
#define STORM_SITES 8 /* of one name at most */

struct storm_place {
	char name[24];
	uint32_t sdt;      /* no handler: `ran` says that its semaphore was seen raised */
	atomic_ulong pass; /* came to a site */
	atomic_ulong ran;  /* and the code around the site saw the handler run */
	atomic_ulong hits; /* the handler itself */
};

struct storm_table {
	uint64_t magic;
	uint32_t count, unused;
	atomic_ulong rounds;
	atomic_ulong born;    /* threads */
	atomic_ulong twice;   /* passes of a site after which the handler had run more than once */
	atomic_ulong corrupt; /* passes of a site after which a register differed */
	atomic_ulong lost;    /* activities whose start was recorded and whose end was not */
	atomic_ulong signals; /* of STORM_SIGNAL */
	atomic_ulong continued; /* of SIGCONT */
	atomic_ulong stray;     /* of any other */
	struct storm_place places[STORM_PLACES];
};

/* Queued, so that none is merged with another. */
#define STORM_SIGNAL (SIGRTMIN + 3)
#define STORM_EXEC (SIGRTMIN + 4)

#endif
