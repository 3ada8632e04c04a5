#include "count/clock.h"

#include "arch/arch.h"
#include "arch/inline.h"
#include "base/error.h"

#include <errno.h>
#include <time.h>

#define CLOCK_NS 20000000
#define CLOCK_TRIES 32 /* readings of both; the one that took least is right */

struct clock_reading {
	uint64_t ticks;
	int64_t ns;
};

static struct clock_reading clock_read(clockid_t clock)
{
	struct clock_reading best = {0};
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < CLOCK_TRIES; i++) {
		uint64_t before = arch_now();
		struct timespec now;
		uint64_t took;
		int64_t ns;

		clock_gettime(clock, &now);
		took = arch_now() - before;
		ns = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
		if (took < least) {
			least = took;
			best = (struct clock_reading){before + took / 2, ns};
		}
	}
	return best;
}

int clock_calibrate(double *ns_per_tick, struct probes_error *e)
{
	struct timespec rest = {.tv_nsec = CLOCK_NS};
	struct clock_reading begin, end;

	if (!arch_clock_is_steady()) {
		error_set(e, PROBES_REFUSED, -ENOTSUP, "cannot measure times");
		return error_why(e, "the time stamp counter of this processor is not invariant");
	}
	begin = clock_read(CLOCK_MONOTONIC);
	while (nanosleep(&rest, &rest) < 0 && errno == EINTR)
		;
	end = clock_read(CLOCK_MONOTONIC);
	if (end.ticks <= begin.ticks || end.ns <= begin.ns) {
		error_set(e, PROBES_REFUSED, -ENOTSUP, "cannot measure times");
		return error_why(e, "the time stamp counter does not advance");
	}
	*ns_per_tick = (double)(end.ns - begin.ns) / (double)(end.ticks - begin.ticks);
	return 0;
}

void clock_look(uint64_t *ticks, int64_t *real_ns)
{
	struct clock_reading now = clock_read(CLOCK_REALTIME);

	*ticks = now.ticks;
	*real_ns = now.ns;
}
