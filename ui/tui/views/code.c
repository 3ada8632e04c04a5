/*
 * The code view's text. In several processes the code is the same file's: one
 * process is shown, the first that is still there.
 */
#include "ui/tui/views/code.h"

#include "ui/tui/terminal/text.h"
#include "ui/tui/views/detail.h"

#include <stdio.h>
#include <string.h>

#define CODE_SITES 64        /* shown; more are only counted */
#define CODE_INSTRUCTIONS 10 /* around each of them */

static void code_instruction(struct pager *l, const struct probes_instruction *one, uint64_t site)
{
	char bytes[64] = "", text[4 * sizeof one->text];

	for (uint8_t i = 0; i < one->length && i < sizeof one->bytes; i++)
		text_addf(bytes, sizeof bytes, "%02x ", one->bytes[i]);
	pager_addf(l, one->address == site ? STYLE_TITLE : STYLE_PLAIN, " %c 0x%012llx  %-24s %s",
		one->address == site ? '>' : ' ', (unsigned long long)one->address, bytes,
		text_clean(one->text, text, sizeof text));
}

/* Without instructions: the bytes of the site itself, as they were read last. */
static void code_bytes(struct pager *l, struct probes_session *s, size_t probe, uint32_t i)
{
	const struct probes_site_live *live = probes_site_live_at(s, probe, i);
	struct probes_instruction bytes = {.address = probes_at(s, probe)->sites[i].address};

	if (!live || !live->count) {
		pager_addf(l, STYLE_DIM, "   not readable");
		return;
	}
	bytes.length = live->count;
	memcpy(bytes.bytes, live->bytes, live->count);
	snprintf(bytes.text, sizeof bytes.text, "(no disassembler is built in)");
	code_instruction(l, &bytes, bytes.address);
}

static void code_site(struct pager *l, struct probes_session *s, size_t probe, uint32_t i)
{
	const struct probes_site *site = &probes_at(s, probe)->sites[i];
	struct probes_instruction around[CODE_INSTRUCTIONS];
	size_t count = probes_code(s, probe, i, around, CODE_INSTRUCTIONS);
	char where[TEXT_MAX];

	pager_addf(l, STYLE_HEAD, "site %u at 0x%llx  %s", i + 1, (unsigned long long)site->address,
		detail_where(s, probe, i, where, sizeof where));
	for (size_t j = 0; j < count; j++)
		code_instruction(l, &around[j], site->address);
	if (!count)
		code_bytes(l, s, probe, i);
}

void code_build(struct pager *l, const struct model *m, uint32_t row)
{
	struct model_member member;

	for (uint32_t at = m->rows[row].member; model_next(m, &at, &member);) {
		const struct model_process *p = &m->processes[member.process];
		uint32_t probe = member.probe, count = probes_at(p->session, probe)->site_count;

		if (p->gone)
			continue;
		for (uint32_t i = 0; i < count && i < CODE_SITES; i++)
			code_site(l, p->session, probe, i);
		if (count > CODE_SITES)
			pager_addf(l, STYLE_PLAIN, "and %u more sites", count - CODE_SITES);
		if (!count)
			pager_addf(l, STYLE_PLAIN,
				"no sites: the program only looks at the semaphore");
		return;
	}
	pager_addf(l, STYLE_PLAIN, "no process has it any more");
}
