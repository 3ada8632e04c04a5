/* Chance that can be repeated: all choices of a run follow from its seed. */
#ifndef STRESS_DICE_H
#define STRESS_DICE_H

#include <stdbool.h>
#include <stdint.h>

struct dice {
	uint64_t state;
};

static inline struct dice dice_of(uint64_t seed)
{
	return (struct dice){seed * 0x9e3779b97f4a7c15u + 1};
}

/* 0 to below - 1. (xorshift64*) */
static inline unsigned dice_roll(struct dice *d, unsigned below)
{
	d->state ^= d->state >> 12;
	d->state ^= d->state << 25;
	d->state ^= d->state >> 27;
	return (unsigned)((d->state * 0x2545f4914f6cdd1du >> 33) % below);
}

/* Once in `times`. */
static inline bool dice_once_in(struct dice *d, unsigned times)
{
	return dice_roll(d, times) == 0;
}

#endif
