/* Instruction bytes of probe sites, x86-64. */
#include "probe/site.h"

#include <string.h>

#define SITE_NOP 0x90
#define SITE_CMP 0x3d
#define SITE_CALL 0xe8

static const struct site_provider site_providers[] = {
	{.name = "ocaml", .kind = PROBES_OCAML, .limit = SITE_SHARED_LIMIT},
	{.name = "ocaml.1",
		.kind = PROBES_OCAML,
		.count_offset = 2,
		.one_semaphore = true,
		.limit = 0xffff},
	{.name = "ocaml_1",
		.kind = PROBES_OCAML,
		.count_offset = 2,
		.one_semaphore = true,
		.limit = 0xffff},
	{.name = "ocaml_2",
		.kind = PROBES_OCAML,
		.count_offset = 2,
		.one_semaphore = true,
		.may_be_absent = true,
		.limit = 0xffff},
	{.name = NULL, .kind = PROBES_SDT, .may_be_absent = true, .limit = SITE_SHARED_LIMIT},
};

const struct site_provider *site_provider(const char *provider)
{
	const struct site_provider *p = site_providers;

	while (p->name && strcmp(p->name, provider))
		p++;
	return p;
}

bool site_is_ocaml(const uint8_t bytes[SITE_BYTES])
{
	return bytes[0] == SITE_NOP &&
	       (bytes[SITE_SWITCH] == SITE_CMP || bytes[SITE_SWITCH] == SITE_CALL);
}

uint8_t site_switch_byte(bool on)
{
	return on ? SITE_CALL : SITE_CMP;
}

void site_assume(const uint8_t live[SITE_BYTES], uint8_t original[SITE_BYTES])
{
	memcpy(original, live, SITE_BYTES);
	original[0] = SITE_NOP;
}

static enum probes_state site_judge_ocaml(const uint8_t *original, const uint8_t *live)
{
	if (memcmp(live + SITE_SWITCH + 1, original + SITE_SWITCH + 1, SITE_FOLLOWING))
		return PROBES_FOREIGN;
	switch (live[SITE_SWITCH]) {
	case SITE_CMP:
		return PROBES_OFF;
	case SITE_CALL:
		return PROBES_ON;
	default:
		return PROBES_FOREIGN;
	}
}

enum probes_state site_judge(enum probes_kind kind, const uint8_t original[SITE_BYTES],
	const uint8_t *live, unsigned count)
{
	if (kind == PROBES_OCAML)
		return count < SITE_BYTES ? PROBES_UNREADABLE : site_judge_ocaml(original, live);
	if (count < 1)
		return PROBES_UNREADABLE;
	return live[0] == original[0] ? PROBES_UNKNOWN : PROBES_FOREIGN;
}

const char *site_holder(enum probes_kind kind, const uint8_t *live)
{
	return live[kind == PROBES_OCAML ? SITE_SWITCH : 0] == SITE_INT3 ? "int3" : "other";
}
