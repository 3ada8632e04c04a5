#include "ui/figures/counting.h"

#include "ui/words/line.h"

#include <stdio.h>

double counting_rate(uint64_t hits, int64_t ns)
{
	return ns > 0 ? (double)hits * 1e9 / (double)ns : 0;
}

double counting_overhead(uint64_t hits, double hit_ns, int64_t ns)
{
	return ns > 0 ? (double)hits * hit_ns * 100 / (double)ns : 0;
}

bool counting_exceeds(uint64_t hits, double hit_ns, int64_t ns, double max_percent)
{
	return max_percent > 0 && counting_overhead(hits, hit_ns, ns) > max_percent;
}

const char *counting_number(double value, int decimals, char *out, size_t size)
{
	int length = snprintf(out, size, "%.*f", decimals, value);

	/* printf's point may be any character. */
	if (decimals && length > decimals && (size_t)length < size)
		out[length - decimals - 1] = '.';
	return out;
}

const char *counting_rate_text(double rate, char *out, size_t size)
{
	/* Never "1000.0": what the rounding would make so has no decimal either. */
	return counting_number(rate, rate < 999.95 ? 1 : 0, out, size);
}

const char *counting_over_text(const char *what, uint64_t hits, double hit_ns, int64_t ns,
	double max_percent, char *out, size_t size)
{
	char rate[48], cost[48];

	snprintf(out, size,
		"%s %ss/s at about %.0f ns each cost an estimated %s %% of a core, and "
		"-max-overhead is %g",
		counting_rate_text(counting_rate(hits, ns), rate, sizeof rate), what, hit_ns,
		counting_rate_text(counting_overhead(hits, hit_ns, ns), cost, sizeof cost),
		max_percent);
	return out;
}

struct counting counting_of(pid_t pid, const struct probes_result *result)
{
	return (struct counting){
		.pid = pid,
		.probes = result->done + result->not_done + result->skips[PROBES_SKIP_COUNTED],
		.already = result->skips[PROBES_SKIP_COUNTED],
		.sites = result->counted_sites + result->uncounted_sites,
		.counted = result->counted_sites,
		.stop_sites = result->stop_sites,
		.kernel_sites = result->kernel_sites,
		.uprobe_sites = result->uprobe_sites,
		.mapped_pages = result->mapped_pages,
		.stopped_ns = result->stopped_ns,
		.dry_run = result->dry_run,
	};
}

const char *counting_text(const struct counting *c, char *out, size_t size)
{
	struct line l = {out, size, 0};
	char ms[32];

	line_add(&l, "%s %zu of %zu site%s of %zu probe%s in process %d",
		c->dry_run ? "would count" : "counting", c->counted, c->sites, line_s(c->sites),
		c->probes, line_s(c->probes), (int)c->pid);
	if (c->already)
		line_add(&l, ", %zu of them counted already", c->already);
	if (c->dry_run)
		line_add(&l, ", map %zu KiB%s", c->mapped_pages * 4,
			c->stops ? ", stop all threads meanwhile" : "");
	if (c->stopped_ns)
		line_add(&l, "; it was stopped for %s ms",
			counting_number((double)c->stopped_ns / 1e6, 3, ms, sizeof ms));
	if (c->uprobe_sites)
		line_add(&l, "; %zu by uprobe (an int3 in this process only)", c->uprobe_sites);
	if (c->stop_sites)
		line_add(&l, "; -stop would count %zu more", c->stop_sites);
	if (c->kernel_sites)
		line_add(&l, "; -kernel, as root, %s%zu more", c->stop_sites ? "" : "would count ",
			c->kernel_sites);
	return out;
}

int counting_site_compare(const void *x, const void *y)
{
	const struct counting_site *a = x, *b = y;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

bool counting_child_lost(const struct probes_session *child, size_t probe, size_t site, bool last)
{
	enum probes_state state = probes_site_live_at(child, probe, site)->state;

	return probes_site_lost(child, probe, site) && state != PROBES_UNREADABLE &&
	       (last || state != PROBES_FOREIGN);
}
