/*
 * Hits over time. Cells begin at multiples of TREND_CELL_MS, the same for all rows: so trends can
 * be summed, and a sparkline moves by whole columns.
 */
#include "ui/tui/rows/trend.h"

#include "ui/tui/terminal/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void trend_begin(struct trend *t)
{
	memset(t, 0, sizeof *t);
	t->rate = -1;
}

static int64_t trend_later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Spread hits over the cells from the last sample to ms, evenly. */
static void trend_spread(struct trend *t, int64_t ms, uint64_t hits)
{
	int64_t last = t->ms / TREND_CELL_MS, newest = ms / TREND_CELL_MS;
	double each = (double)hits / (double)(ms - t->ms);

	/* Cells that fall out of the minute are those that are written next. */
	for (int64_t i = trend_later(last + 1, newest - TREND_CELLS + 1); i <= newest; i++)
		t->cells[i % TREND_CELLS] = 0;
	for (int64_t i = trend_later(last, newest - TREND_CELLS + 1); i <= newest; i++) {
		int64_t from = trend_later(t->ms, i * TREND_CELL_MS), to = (i + 1) * TREND_CELL_MS;

		t->cells[i % TREND_CELLS] += (float)(each * (double)((to < ms ? to : ms) - from));
	}
}

void trend_read(struct trend *t, int64_t ms, uint64_t total)
{
	uint64_t hits;

	t->total = total;
	if (!t->ms) {
		t->rate = -1;
		t->sampled = total;
		t->first_ms = t->ms = ms;
		return;
	}
	if (ms - t->ms < TREND_LEAST_MS)
		return;
	/* A counter that is smaller than before began again. */
	hits = total >= t->sampled ? total - t->sampled : total;
	t->rate = (double)hits * 1000 / (double)(ms - t->ms);
	trend_spread(t, ms, hits);
	t->sampled = total;
	t->ms = ms;
}

void trend_rest(struct trend *t)
{
	t->rate = -1;
}

void trend_add(struct trend *sum, const struct trend *part)
{
	if (!part->ms)
		return;
	if (!sum->ms) {
		*sum = *part;
		return;
	}
	sum->total += part->total;
	if (part->rate >= 0)
		sum->rate = part->rate + (sum->rate > 0 ? sum->rate : 0);
	if (part->first_ms < sum->first_ms)
		sum->first_ms = part->first_ms;
	if (part->ms > sum->ms)
		sum->ms = part->ms;
	for (int i = 0; i < TREND_CELLS; i++)
		sum->cells[i] += part->cells[i];
}

double trend_rate(const struct trend *t)
{
	return t->ms ? t->rate : -1;
}

/* Hits a second in a column: cells first to first + per - 1; -1: nothing was read then. */
static double trend_column(const struct trend *t, int64_t first, int per)
{
	int64_t from = trend_later(first * TREND_CELL_MS, t->first_ms);
	int64_t to = (first + per) * TREND_CELL_MS, newest = t->ms / TREND_CELL_MS;
	double hits = 0;

	to = to < t->ms ? to : t->ms;
	if (to <= from)
		return -1;
	for (int64_t i = first; i < first + per; i++)
		if (i >= 0 && i <= newest && i > newest - TREND_CELLS)
			hits += (double)t->cells[i % TREND_CELLS];
	return hits * 1000 / (double)(to - from);
}

const char *trend_spark(const struct trend *t, int width, char *out, size_t size)
{
	/* A dot for none at all. */
	static const char *const blocks[2][9] = {
		{".", "_", ":", "-", "=", "+", "*", "%", "#"},
		{"\u00b7", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587",
			"\u2588"},
	};
	int per = width >= TREND_CELLS ? 1 : (TREND_CELLS + width - 1) / width;
	int columns = TREND_CELLS / per;
	/* Columns of several cells begin at multiples, too: each keeps its cells. */
	int64_t newest = t->ms / TREND_CELL_MS / per;
	double rates[TREND_CELLS], most = 0;

	out[0] = '\0';
	text_addf(out, size, "%*s", width - columns, "");
	for (int i = 0; i < columns; i++) {
		rates[i] = t->ms ? trend_column(t, (newest - columns + 1 + i) * per, per) : -1;
		most = rates[i] > most ? rates[i] : most;
	}
	for (int i = 0; i < columns; i++) {
		int high = rates[i] > 0 ? 1 + (int)(rates[i] / most * 7.999) : 0;

		text_addf(out, size, "%s",
			rates[i] < 0 ? " " : blocks[text_is_utf8()][high > 8 ? 8 : high]);
	}
	return out;
}

const char *trend_human(double n, char *out, size_t size)
{
	static const char units[] = " kMGTPE";
	size_t unit = 0;

	if (n > 0 && n < 0.1) {
		snprintf(out, size, "<0.1");
		return out;
	}
	for (; n >= 999.5 && units[unit + 1]; unit++)
		n /= 1000;
	if (n == 0 || n >= (unit ? 99.95 : 9.95))
		snprintf(out, size, "%.0f", n);
	else
		snprintf(out, size, "%.1f", n);
	if (unit)
		text_addf(out, size, "%c", units[unit]);
	return out;
}

const char *trend_exact(uint64_t n, int width, char *out, size_t size)
{
	if (snprintf(out, size, "%" PRIu64, n) > width)
		trend_human((double)n, out, size);
	return out;
}
