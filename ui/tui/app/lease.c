/*
 * How long the lease still runs. Undoes nothing itself (act_leave does).
 */
#include "ui/tui/app/lease.h"

#include "ui/tui/app/births.h"

int64_t lease_left(const struct app *a)
{
	int64_t left = a->last_key_ms + a->lease_ms - app_now_ms();
	size_t probes;

	if (!a->lease_ms || (!model_changed(&a->model) && !births_children(a, &probes)))
		return -1;
	return left > 0 ? left : 0;
}
