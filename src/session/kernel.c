/*
 * The uprobes of a session: at sites where no jump can be written, if the user has asked for them.
 * Decides where one may be placed, places and removes them. No journal records them: the kernel
 * removes them when the session is closed or killed.
 *
 * A uprobe is never placed where memory differs from the file: the kernel would write its
 * breakpoint over our jump or another tool's, and later the byte of the file over it.
 */
#include "session/session.h"

#include "base/error.h"
#include "process/mapped.h"

#include <errno.h>
#include <string.h>

bool kernel_may(const struct object_probes *h, const struct array *places, size_t at)
{
	const struct jumps_place *place = ARRAY_AT(places, struct jumps_place, at);
	const struct probes_site_live *live = &h->site_live[place->site];

	if (!h->file || h->no_code || !live->count || live->bytes[0] != ARCH_NOP ||
		h->original[place->site][0] != ARCH_NOP ||
		!object_segment_at(h->file, h->sites[place->site].pc, 1))
		return false;
	/* In the middle of a neighbour's jump, even a 90 is not a nop. */
	while (at-- > 0) {
		const struct jumps_place *before = ARRAY_AT(places, struct jumps_place, at);
		uint64_t gap = place->address - before->address;

		if (gap >= ARCH_SITE_BYTES)
			break;
		if (gap && gap < h->jumps[before->site].length &&
			(h->site_live[before->site].counted ||
				object_probes_cut_off(h, before->site)))
			return false;
	}
	return true;
}

bool kernel_choose(
	struct probes_session *s, struct object_probes *h, const struct array *places, size_t at)
{
	uint32_t site = ARRAY_AT(places, struct jumps_place, at)->site;
	struct object_jump *j = &h->jumps[site];
	const char *why;

	if (!kernel_may(h, places, at))
		return false;
	why = h->no_uprobe ? h->no_uprobe : uprobes_why_not(&s->uprobes);
	if (why) {
		j->why = why;
		return false;
	}
	j->why = NULL;
	j->tactic = PROBES_TACTIC_KERNEL;
	j->length = 1;
	j->arena = PROBES_NONE;
	memcpy(j->old, h->original[site], sizeof j->old);
	memcpy(j->new_, h->original[site], sizeof j->new_);
	j->new_[0] = ARCH_BREAKPOINT;
	return true;
}

static struct object_jump *kernel_jump(
	const struct probes_session *s, const struct probes_edit *edit, struct object_probes **h)
{
	size_t local;

	*h = catalog_find(&s->catalog, edit->probe, &local);
	return &(*h)->jumps[object_probes_site(*h, &(*h)->probes[local]) + edit->index];
}

static bool kernel_places(const struct probes_edit *edit)
{
	return edit->new_[0] == ARCH_BREAKPOINT;
}

/* Is the byte as the plan expects? If two probes share a site, the first may have changed it. */
static int kernel_check(struct probes_session *s, const struct plan *p, size_t at)
{
	const struct probes_edit *edits = p->uprobes.data;
	uint8_t now[ARCH_SITE_BYTES];

	if (!memory_read(&s->memory, edits[at].address, now, sizeof now))
		return -EBUSY;
	if (now[0] == edits[at].old[0])
		return 0;
	for (size_t i = 0; i < at && now[0] == ARCH_BREAKPOINT; i++)
		if (edits[i].address == edits[at].address && kernel_places(&edits[i]))
			return 0;
	return -EBUSY;
}

/* 0 or a negative errno; -ENXIO: the file is not the mapped one, and the kernel placed nothing. */
static int kernel_place(struct probes_session *s, struct object_probes *h, struct object_jump *j,
	const struct probes_edit *edit)
{
	const struct probes_site *site = &h->sites[j - h->jumps];
	const struct object_segment *segment = object_segment_at(h->file, site->pc, 1);
	bool resting = h->file->fd < 0;
	uint8_t now = 0;
	int r = j->uprobe ? 0 : uprobes_add(&s->uprobes, &j->uprobe);

	/* When descriptors are scarce, the file may have been closed (object_probes_new). */
	if (r == 0 && resting &&
		!object_wake(h->file, mapped_reopen(&s->who, &h->location, h->info.executable)))
		return -ENXIO;
	if (r == 0)
		r = uprobe_attach(&s->uprobes, j->uprobe, identity_thread(&s->who), h->file->fd,
			segment->offset + (site->pc - segment->vaddr));
	if (resting)
		object_rest(h->file);
	if (r < 0)
		return r;
	j->placed = true;
	if (memory_read(&s->memory, edit->address, &now, 1) && now == ARCH_BREAKPOINT)
		return 0;
	return -ENXIO;
}

/* Why a file can have no uprobe; NULL: the failure is not about the file. */
static const char *kernel_why(int code)
{
	switch (code) {
	case -ENXIO:
		return "the kernel placed no uprobe: the mapped file is not the one that can be "
		       "opened (it was replaced, or is on overlayfs)";
	case -EINVAL:
		return "the kernel refuses a uprobe there: another tool may have placed one with "
		       "a different semaphore";
	case -EIO:
	case -ENOTSUP:
		return "the kernel refuses uprobes in its file: the file system does not support "
		       "them";
	default:
		return NULL;
	}
}

static void kernel_remove(struct object_jump *j)
{
	if (j->uprobe)
		uprobe_detach(j->uprobe);
	j->placed = false;
}

int kernel_attach(struct probes_session *s, const struct plan *p, struct probes_error *e)
{
	int r = 0;

	for (size_t i = 0; i < p->uprobes.count && (r == 0 || r == -EBUSY); i++) {
		const struct probes_edit *edit = ARRAY_AT(&p->uprobes, struct probes_edit, i);
		struct object_probes *h;
		struct object_jump *j = kernel_jump(s, edit, &h);
		int one;

		if (!kernel_places(edit))
			continue;
		/* Go on, to find every file that can have none. */
		one = h->no_uprobe ? -EBUSY : kernel_check(s, p, i);
		if (one == 0)
			one = kernel_place(s, h, j, edit);
		if (kernel_why(one))
			h->no_uprobe = kernel_why(one);
		if (one < 0)
			r = h->no_uprobe ? -EBUSY : one;
	}
	s->all.baseline_valid = s->all.baseline_valid && !p->uprobes.count;
	if (r == 0)
		return 0;
	kernel_detach(s, p, true);
	error_set(e, r == -EPERM || r == -EACCES ? PROBES_DENIED : PROBES_FAILED, r,
		"cannot place uprobes in process %d", s->who.pid);
	if (r == -EBUSY)
		error_why(e, "its code is being changed");
	return error_hint(e, "try again, or without uprobes");
}

void kernel_detach(struct probes_session *s, const struct plan *p, bool placed)
{
	ARRAY_EACH(const struct probes_edit, edit, &p->uprobes) {
		struct object_probes *h;
		struct object_jump *j = kernel_jump(s, edit, &h);

		if (kernel_places(edit) == placed)
			kernel_remove(j);
	}
	s->all.baseline_valid = s->all.baseline_valid && !p->uprobes.count;
}

void kernel_drop(struct object_probes *h)
{
	for (size_t i = 0; h->jumps && i < h->site_count; i++)
		kernel_remove(&h->jumps[i]);
}
