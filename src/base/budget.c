/* One sum for the whole program. */
#include "base/budget.h"

#include <stdatomic.h>

#define BUDGET_PIECE ((size_t)64 << 10) /* taken at once, so that few calls change the sum */

static atomic_size_t budget_sum;

static bool budget_take_of(struct budget *b, size_t bytes, size_t parts)
{
	const size_t session = BUDGET_SESSION / 16 * parts, small = BUDGET_SMALL / 16 * parts;
	size_t want, most, sum;

	if (bytes <= b->credit) {
		b->credit -= bytes;
		return true;
	}
	want = bytes - b->credit;
	if (want > session || b->taken > session - want)
		return false;
	if (want < BUDGET_PIECE && b->taken <= session - BUDGET_PIECE)
		want = BUDGET_PIECE;
	most = b->taken + want <= small ? BUDGET_ALL : BUDGET_ALL - BUDGET_RESERVE;
	most = most / 16 * parts;
	sum = atomic_load(&budget_sum);
	do
		if (want > most || sum > most - want)
			return false;
	while (!atomic_compare_exchange_weak(&budget_sum, &sum, sum + want));
	b->taken += want;
	b->credit += want - bytes;
	return true;
}

bool budget_take(struct budget *b, size_t bytes)
{
	return budget_take_of(b, bytes, 16);
}

bool budget_take_some(struct budget *b, size_t bytes)
{
	return budget_take_of(b, bytes, 15);
}

void budget_trim(struct budget *b)
{
	atomic_fetch_sub(&budget_sum, b->credit);
	b->taken -= b->credit;
	b->credit = 0;
}

void budget_done(struct budget *b)
{
	atomic_fetch_sub(&budget_sum, b->taken);
	*b = (struct budget){0};
}
