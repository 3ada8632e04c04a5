/*
 * Probes of OCaml programs ([%probe "name" handler]): a site is a compare that one byte turns into
 * a call of the handler's wrapper, and a semaphore counts who wants that.
 */
#include "probe/kind.h"

#include <string.h>

#define OCAML_LATER \
	.kind = PROBES_OCAML, .count_offset = 2, .one_semaphore = true, .limit = UINT16_MAX

/* By version of the compiler (ocaml-probes, runtime/caml/probes.h). */
static const struct kind_provider ocaml_providers[] = {
	{.name = "ocaml", .kind = PROBES_OCAML, .limit = KIND_SHARED_LIMIT},
	{.name = "ocaml.1", OCAML_LATER},
	{.name = "ocaml_1", OCAML_LATER},
	{.name = "ocaml_2", .may_be_absent = true, OCAML_LATER},
};

static const struct kind_provider *ocaml_provider(const char *name)
{
	for (size_t i = 0; i < sizeof ocaml_providers / sizeof *ocaml_providers; i++)
		if (!strcmp(ocaml_providers[i].name, name))
			return &ocaml_providers[i];
	return NULL;
}

static const char *ocaml_about(const struct probes_probe *probe)
{
	return "OCaml: one byte of a site turns a compare into a call";
}

static const char *ocaml_mismatch(const uint8_t original[ARCH_SITE_BYTES])
{
	return arch_is_site(&arch_site_ocaml, original)
		       ? NULL
		       : "the code at one of its sites is not an OCaml probe";
}

/* A probe may be on in its file: the live byte decides, whatever the file holds. */
static enum probes_state ocaml_judge(const uint8_t original[ARCH_SITE_BYTES],
	const uint8_t live[ARCH_SITE_BYTES], unsigned count)
{
	const struct arch_site *site = &arch_site_ocaml;

	if (count < site->length)
		return PROBES_UNREADABLE;
	if (memcmp(live + site->fixed_at, original + site->fixed_at, ARCH_FIXED_BYTES))
		return PROBES_FOREIGN;
	if (!memcmp(live + site->switch_at, site->off, ARCH_SWITCH_BYTES))
		return PROBES_OFF;
	return memcmp(live + site->switch_at, site->on, ARCH_SWITCH_BYTES) ? PROBES_FOREIGN
									   : PROBES_ON;
}

static enum probes_holder ocaml_holder(const uint8_t live[ARCH_SITE_BYTES])
{
	return live[arch_site_ocaml.switch_at] == ARCH_BREAKPOINT ? PROBES_HOLDER_INT3
								  : PROBES_HOLDER_OTHER;
}

static struct probes_edit ocaml_edit(uint64_t address, bool on)
{
	const struct arch_site *site = &arch_site_ocaml;
	struct probes_edit edit = {.address = address + site->switch_at,
		.length = ARCH_SWITCH_BYTES,
		.role = PROBES_ROLE_CODE};

	memcpy(edit.old, on ? site->off : site->on, ARCH_SWITCH_BYTES);
	memcpy(edit.new_, on ? site->on : site->off, ARCH_SWITCH_BYTES);
	return edit;
}

const struct kind_ops ocaml_ops = {
	.name = "OCaml",
	.site = &arch_site_ocaml,
	.provider = ocaml_provider,
	.about = ocaml_about,
	.own_semaphore = true,
	.call = true,
	.mismatch = ocaml_mismatch,
	.judge = ocaml_judge,
	.holder = ocaml_holder,
	.edit = ocaml_edit,
};
