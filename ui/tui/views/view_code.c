/*
 * The instructions around each site of a probe, as they are in memory. Several processes run the
 * same file's code: the first process that is still there is shown.
 */
#include "ui/tui/views/view.h"

#include "ui/tui/terminal/text.h"

#include <stdio.h>
#include <string.h>

#define VIEW_CODE_SITES 64        /* shown; more are only counted */
#define VIEW_CODE_INSTRUCTIONS 10 /* around each of them */

static void view_code_instruction(
	struct pager *l, const struct probes_instruction *one, uint64_t site)
{
	char bytes[64] = "", text[4 * sizeof one->text];

	for (uint8_t i = 0; i < one->length && i < sizeof one->bytes; i++)
		text_addf(bytes, sizeof bytes, "%02x ", one->bytes[i]);
	pager_addf(l, one->address == site ? STYLE_TITLE : STYLE_PLAIN, " %c 0x%012llx  %-24s %s",
		one->address == site ? '>' : ' ', (unsigned long long)one->address, bytes,
		text_clean(one->text, text, sizeof text));
}

/* Without a disassembler: the bytes of the site as they were read last. */
static void view_code_site(struct pager *l, struct probes_session *s, size_t probe, uint32_t i)
{
	const struct probes_site *site = &probes_at(s, probe)->sites[i];
	const struct probes_site_live *live = probes_site_live_at(s, probe, i);
	struct probes_instruction around[VIEW_CODE_INSTRUCTIONS],
		bytes = {.address = site->address};
	size_t count = probes_code(s, probe, i, around, VIEW_CODE_INSTRUCTIONS);
	struct probes_site_hits hits = probes_site_hits_at(s, probe, i);
	char where[TEXT_MAX];

	pager_addf(l, STYLE_HEAD, "site %u at 0x%llx  %s", i + 1, (unsigned long long)site->address,
		view_detail_where(s, probe, i, false, where, sizeof where));
	if (hits.counted)
		pager_addf(l, STYLE_COUNTED, "   counted (%s): the %s at > is that of probes-tui",
			probes_tactic_name(hits.tactic),
			hits.tactic == PROBES_TACTIC_KERNEL ? "int3" : "jump");
	for (size_t j = 0; j < count; j++)
		view_code_instruction(l, &around[j], site->address);
	if (!count && live && live->count) {
		bytes.length = live->count;
		memcpy(bytes.bytes, live->bytes, live->count);
		snprintf(bytes.text, sizeof bytes.text, "(no disassembler is built in)");
		view_code_instruction(l, &bytes, site->address);
	} else if (!count) {
		pager_addf(l, STYLE_DIM, "   not readable");
	}
}

static void view_code_build(struct app *a)
{
	struct pager *l = &a->text.pager;
	struct model_member member = model_member_alive(&a->model, a->text.row);
	uint32_t count = probes_at(member.session, member.probe)->site_count;

	view_text_begin(a, "Code of %s", a->model.rows[a->text.row].label);
	if (a->model.processes[member.process].gone) {
		pager_addf(l, STYLE_PLAIN, "it is mapped in no process any more");
		return;
	}
	for (uint32_t i = 0; i < count && i < VIEW_CODE_SITES; i++)
		view_code_site(l, member.session, member.probe, i);
	if (count > VIEW_CODE_SITES)
		pager_addf(l, STYLE_PLAIN, "and %u more sites", count - VIEW_CODE_SITES);
	if (!count)
		pager_addf(l, STYLE_PLAIN, "no sites: the program only looks at the semaphore");
}

const struct view_ops view_code_ops = {
	VIEW_OVERLAY_OPS,
	.build = view_code_build,
};
