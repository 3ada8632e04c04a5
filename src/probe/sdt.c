/*
 * Probes by sys/sdt.h (DTRACE_PROBE, USDT): a site is a nop, at which a tracer puts a breakpoint;
 * the semaphore, if there is one, guards the code that computes the arguments. Also every provider
 * that no other kind knows.
 */
#include "probe/kind.h"

static const struct kind_provider *sdt_provider(const char *name)
{
	static const struct kind_provider any = {
		.kind = PROBES_SDT, .may_be_absent = true, .limit = KIND_SHARED_LIMIT};

	return &any;
}

static const char *sdt_about(const struct probes_probe *probe)
{
	return probe->semaphore_count ? "sdt: a nop; the program looks at the semaphore"
				      : "sdt: a nop; no semaphore, so there is nothing to switch: "
					"its hits can be counted";
}

static enum probes_state sdt_judge(const uint8_t original[ARCH_SITE_BYTES],
	const uint8_t live[ARCH_SITE_BYTES], unsigned count)
{
	if (count < arch_site_sdt.length)
		return PROBES_UNREADABLE;
	return live[ARCH_HELD_AT] == original[ARCH_HELD_AT] ? PROBES_UNKNOWN : PROBES_FOREIGN;
}

static enum probes_holder sdt_holder(const uint8_t live[ARCH_SITE_BYTES])
{
	return live[ARCH_HELD_AT] == ARCH_BREAKPOINT ? PROBES_HOLDER_INT3 : PROBES_HOLDER_OTHER;
}

const struct kind_ops sdt_ops = {
	.name = "sdt",
	.site = &arch_site_sdt,
	.provider = sdt_provider,
	.about = sdt_about,
	.guarded = true,
	.judge = sdt_judge,
	.holder = sdt_holder,
};
