#include "ui/figures/latency.h"

#include <inttypes.h>
#include <stdio.h>

#include "ui/figures/counting.h"
#include "ui/words/line.h"

const char *latency_time(uint64_t ns, char *out, size_t size)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	char number[48];
	size_t i = 0;

	if (ns < 1000) {
		snprintf(out, size, "%" PRIu64 " ns", ns);
		return out;
	}
	/* Never "1000 us": what the rounding would make so has the next unit. */
	while (i < 2 && (double)ns / units[i].ns >= 999.5)
		i++;
	snprintf(out, size, "%s %s",
		counting_number((double)ns / units[i].ns,
			(double)ns / units[i].ns < 9.995   ? 2
			: (double)ns / units[i].ns < 99.95 ? 1
							   : 0,
			number, sizeof number),
		units[i].unit);
	return out;
}

const char *latency_key(unsigned argument, char *out, size_t size)
{
	snprintf(out, size, argument ? "arg%u" : "thread", argument);
	return out;
}

const char *const latency_names[LATENCY_FIGURES] = {[LATENCY_MIN] = "min",
	[LATENCY_P50] = "p50",
	[LATENCY_P90] = "p90",
	[LATENCY_P99] = "p99",
	[LATENCY_P999] = "p99.9",
	[LATENCY_MAX] = "max",
	[LATENCY_MEAN] = "mean"};

void latency_figures(const struct probes_latency *l, uint64_t figures[LATENCY_FIGURES])
{
	static const double shares[] = {[LATENCY_P50] = 0.5,
		[LATENCY_P90] = 0.9,
		[LATENCY_P99] = 0.99,
		[LATENCY_P999] = 0.999};

	for (int i = LATENCY_P50; i <= LATENCY_P999; i++)
		figures[i] = probes_latency_quantile(l, shares[i]);
	figures[LATENCY_MIN] = l->min_ns;
	figures[LATENCY_MAX] = l->max_ns;
	figures[LATENCY_MEAN] = l->matched ? l->sum_ns / l->matched : 0;
}

const char *latency_unmatched(const struct probes_latency *l, char *out, size_t size)
{
	const struct {
		uint64_t count;
		const char *one, *many;
	} all[] = {
		{l->open, "still open", "still open"},
		{l->end_without_start, "end without start", "ends without start"},
		{l->start_without_end, "start without end", "starts without end"},
		{l->nested, "nested", "nested"},
		{l->lost, "lost", "lost"},
	};
	struct line text = {.text = out, .size = size};

	if (size)
		*out = '\0';
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].count)
			line_add(&text, "%s%" PRIu64 " %s", text.length ? ", " : "", all[i].count,
				all[i].count == 1 ? all[i].one : all[i].many);
	return out;
}

size_t latency_rows(const struct probes_latency *l, struct latency_row rows[LATENCY_ROWS])
{
	struct latency_row all[LATENCY_ROWS] = {0};
	size_t first = LATENCY_ROWS, last = 0, count = 0;

	for (size_t i = 0; i < PROBES_LATENCY_BUCKETS; i++) {
		uint64_t from = probes_latency_from(i);
		size_t power = 0;

		while (from >> power > 1)
			power++;
		if (!l->buckets[i] || power >= LATENCY_ROWS)
			continue;
		all[power].count += l->buckets[i];
		first = power < first ? power : first;
		last = power;
	}
	for (size_t i = first; i <= last && first < LATENCY_ROWS; i++) {
		rows[count] = all[i];
		rows[count].from = i ? UINT64_C(1) << i : 0;
		rows[count++].to = probes_latency_from(PROBES_LATENCY_BUCKETS - 1) >> i > 1
					   ? UINT64_C(2) << i
					   : UINT64_MAX;
	}
	return count;
}
