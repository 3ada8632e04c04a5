/*
 * The orders that the list can have.
 */
#include "ui/tui/rows/sort.h"

#include <stdlib.h>
#include <string.h>

static int sort_by_name(const struct row *a, const struct row *b)
{
	int order = strcmp(a->label, b->label);

	return order ? order : strcmp(a->family->path, b->family->path);
}

/* What needs a look comes first. */
static int sort_by_state(const struct row *a, const struct row *b)
{
	static const int rank[] = {
		[PROBES_INCONSISTENT] = 0,
		[PROBES_FOREIGN] = 1,
		[PROBES_PARTIAL] = 2,
		[PROBES_ON] = 3,
		[PROBES_OFF] = 4,
		[PROBES_UNREADABLE] = 5,
		[PROBES_UNKNOWN] = 6,
		[PROBES_UNLOADED] = 7,
	};

	return rank[a->state] - rank[b->state];
}

static int sort_larger_first(uint32_t a, uint32_t b)
{
	/* PROBES_NONE + 1 is 0: what is not known comes last */
	return (a + 1 < b + 1) - (a + 1 > b + 1);
}

static int sort_by_ref(const struct row *a, const struct row *b)
{
	return sort_larger_first(a->ref_max, b->ref_max);
}

static int sort_by_sites(const struct row *a, const struct row *b)
{
	return sort_larger_first(a->sites, b->sites);
}

static int sort_by_processes(const struct row *a, const struct row *b)
{
	return sort_larger_first(a->processes, b->processes);
}

static int sort_by_who(const struct row *a, const struct row *b)
{
	if (a->mine != b->mine)
		return b->mine - a->mine;
	return row_held_by_others(b) - row_held_by_others(a);
}

static int sort_by_object(const struct row *a, const struct row *b)
{
	int order = strcmp(a->family->object, b->family->object);

	return order ? order : strcmp(a->family->path, b->family->path);
}

/* What has none comes last. */
static int sort_by_arguments(const struct row *a, const struct row *b)
{
	if (!*a->arguments || !*b->arguments)
		return !*a->arguments - !*b->arguments;
	return strcmp(a->arguments, b->arguments);
}

struct sort_order {
	const char *name;
	bool live;
	int (*compare)(const struct row *a, const struct row *b);
};

static const struct sort_order sort_orders[SORT_COUNT] = {
	[SORT_NAME] = {.name = "name", .compare = sort_by_name},
	[SORT_STATE] = {.name = "state", .live = true, .compare = sort_by_state},
	[SORT_REF] = {.name = "ref", .live = true, .compare = sort_by_ref},
	[SORT_SITES] = {.name = "sites", .compare = sort_by_sites},
	[SORT_PROCESSES] = {.name = "proc", .live = true, .compare = sort_by_processes},
	[SORT_WHO] = {.name = "who", .live = true, .compare = sort_by_who},
	[SORT_OBJECT] = {.name = "object", .compare = sort_by_object},
	[SORT_ARGUMENTS] = {.name = "arguments", .compare = sort_by_arguments},
};

const char *sort_name(enum sort_key key)
{
	return sort_orders[key].name;
}

bool sort_is_live(enum sort_key key)
{
	return sort_orders[key].live;
}

struct sort_job {
	const struct row *rows;
	int (*compare)(const struct row *a, const struct row *b);
	int sign;
};

static int sort_compare(const void *a, const void *b, void *data)
{
	const struct sort_job *job = data;
	const struct row *x = &job->rows[*(const uint32_t *)a];
	const struct row *y = &job->rows[*(const uint32_t *)b];
	int order = job->sign * job->compare(x, y);

	if (!order && job->compare != sort_by_name)
		order = sort_by_name(x, y);
	return order ? order : (x > y) - (x < y);
}

void sort_rows(const struct row *rows, uint32_t *ids, size_t count, enum sort_key key, bool invert)
{
	struct sort_job job = {
		.rows = rows, .compare = sort_orders[key].compare, .sign = invert ? -1 : 1};

	for (size_t i = 1; i < count; i++) { /* it mostly is in order already */
		if (sort_compare(&ids[i - 1], &ids[i], &job) > 0) {
			qsort_r(ids, count, sizeof *ids, sort_compare, &job);
			return;
		}
	}
}
