/* The time of CLOCK_MONOTONIC. */
#pragma once

#include <stdint.h>
#include <time.h>

static inline int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t now_ms(void)
{
	return now_ns() / 1000000;
}
