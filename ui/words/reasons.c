#include "ui/words/reasons.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ui/words/line.h"
#include "ui/words/report.h"

void reasons_add_one(struct reasons *r, const char *why)
{
	size_t at = 0;

	r->sites++;
	while (at < r->count && strcmp(r->all[at].why, why) != 0)
		at++;
	if (at == REASONS_MOST)
		return;
	r->count += at == r->count;
	r->all[at].why = why;
	r->all[at].sites++;
	for (; at; at--) {
		struct reasons_one *one = &r->all[at], before = one[-1];

		if (before.sites > one->sites ||
			(before.sites == one->sites && strcmp(before.why, one->why) < 0))
			break;
		one[-1] = *one;
		*one = before;
	}
}

void reasons_add(struct reasons *r, const struct probes_session *session, size_t probe)
{
	for (uint32_t k = 0; k < probes_at(session, probe)->site_count; k++) {
		struct probes_site_hits hits = probes_site_hits_at(session, probe, k);

		if (!hits.counted && hits.why)
			reasons_add_one(r, hits.why);
	}
}

void reasons_add_callers(struct reasons *r, const struct probes_session *session, size_t probe)
{
	for (uint32_t k = 0; k < probes_at(session, probe)->site_count; k++) {
		const char *why = probes_events_no_caller(session, probe, k);

		if (why)
			reasons_add_one(r, why);
	}
}

void reasons_tell(const struct reasons *r, const char *probe)
{
	for (const struct reasons_one *one = r->all; one < r->all + r->count; one++)
		report_more("%s%s%zu site%s: %s", probe, *probe ? ", " : "", one->sites,
			line_s(one->sites), one->why);
}

const char *reasons_lost(uint64_t sites, char *out, size_t size)
{
	snprintf(out, size, "%" PRIu64 " site%s lost %s: %s hits from then on are missing", sites,
		line_s(sites), sites == 1 ? "its jump" : "their jumps",
		sites == 1 ? "its" : "their");
	return out;
}

const char *reasons_shared(pid_t shared, char *out, size_t size)
{
	if (shared > 0)
		snprintf(out, size,
			"it shares its counters with process %d: one was forked from the other",
			(int)shared);
	else
		snprintf(out, size,
			"it shares its counters with the process from which it was forked");
	return out;
}
