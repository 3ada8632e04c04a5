#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ui/output/rows.h"
#include "ui/words/report.h"

static int reserve(
	struct rows *rows, struct probes_session *session, size_t count, struct probes_error *e)
{
	*rows = (struct rows){.session = session, .items = calloc(count + 1, sizeof *rows->items)};
	if (rows->items)
		return 0;
	return probes_failed(e, -ENOMEM, "cannot list the probes");
}

int rows_chosen(struct rows *rows, struct probes_session *session, const struct options *o,
	struct probes_error *e)
{
	const struct probes_switch_options narrow = {.provider = o->provider, .object = o->object};
	size_t *indices, count;
	int r = probes_find(session, PROBES_BY_ALL, NULL, &narrow, &indices, &count, e);

	if (r < 0)
		return r;
	r = reserve(rows, session, count, e);
	for (size_t i = 0; r == 0 && i < count; i++)
		rows->items[rows->count++].probe = indices[i];
	free(indices);
	return r;
}

int rows_acted(struct rows *rows, struct probes_session *session,
	const struct probes_result *result, struct probes_error *e)
{
	int r = reserve(rows, session, result->item_count, e);

	if (r)
		return r;
	for (size_t i = 0; i < result->item_count; i++)
		rows->items[rows->count++] = (struct rows_one){
			.probe = result->items[i].probe,
			.item = &result->items[i],
		};
	rows->result = result;
	return 0;
}

void rows_read_hits(struct rows *rows)
{
	struct probes_error ignored; /* the states were read: what remains is unknown hits */

	for (size_t i = 0; rows->live && !rows->hits && i < rows->count; i++)
		rows->hits = probes_live_at(rows->session, rows->items[i].probe)->sites_counted;
	rows->hits = rows->hits && probes_read_hits(rows->session, &ignored) == 0;
}

int rows_refresh(struct rows *rows, struct probes_error *e)
{
	size_t *which = calloc(rows->count + 1, sizeof *which);
	int r;

	if (!which)
		return probes_failed(e, -ENOMEM, "cannot read the states");
	for (size_t i = 0; i < rows->count; i++)
		which[i] = rows->items[i].probe;
	r = probes_refresh(rows->session, which, rows->count, e);
	rows->live = r == 0;
	free(which);
	rows_read_hits(rows);
	return r;
}

void rows_done(struct rows *rows)
{
	free(rows->items);
	*rows = (struct rows){0};
}

bool rows_hits(const struct rows *rows, size_t probe, struct probes_hits *hits)
{
	*hits = rows->hits ? probes_hits(rows->session, probe) : (struct probes_hits){0};
	return hits->counted;
}

const char *rows_role(enum probes_role role)
{
	return role == PROBES_ROLE_SEMAPHORE ? "semaphore"
	       : role == PROBES_ROLE_COUNTER ? "jump"
	       : role == PROBES_ROLE_UPROBE  ? "uprobe"
					     : "site";
}

const char *rows_outcome(enum probes_outcome outcome)
{
	static const char *const names[] = {
		[PROBES_DONE] = "ok",
		[PROBES_SKIPPED] = "skipped",
		[PROBES_NOT_DONE] = "failed",
	};

	return names[outcome];
}

enum probes_state rows_state(const struct rows *rows, size_t probe)
{
	enum probes_state state = probes_live_at(rows->session, probe)->state;

	return rows->live || state == PROBES_NO_SWITCH ? state : PROBES_UNKNOWN;
}

bool rows_ref(const struct rows *rows, size_t probe, uint32_t *ref)
{
	const struct probes_live *live = probes_live_at(rows->session, probe);

	*ref = live->ref_min;
	return rows->live && live->ref_min != PROBES_NONE && live->ref_min == live->ref_max;
}
