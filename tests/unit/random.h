/* Numbers that look random and are the same in each run (xorshift64). */
#ifndef UNIT_RANDOM_H
#define UNIT_RANDOM_H

#include <stdint.h>

#define RANDOM_SEED UINT64_C(88172645463325252)

static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

#endif
