/*
 * The ownership of an object: what this session changed in it and has not taken
 * back, per resource. Reads the values of the last reading; writes nothing to
 * the process.
 */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

bool ownership_begin(struct object_probes *h, enum plan_resource kind)
{
	struct ownership *a = h->ownership;

	if (!a) {
		a = calloc(1,
			sizeof *a + h->semaphore_count * sizeof *a->changes +
				h->probe_count * (sizeof *a->switch_seq + sizeof *a->parts.torn));
		if (!a)
			return false;
		a->changes = (struct ownership_change *)(a + 1);
		a->switch_seq = (uint32_t *)(a->changes + h->semaphore_count);
		a->parts.torn = (bool *)(a->switch_seq + h->probe_count);
		h->ownership = a;
	}
	return kind == PLAN_RESOURCES || ownership_open_parts(&a->parts, h, kind);
}

void ownership_end(struct object_probes *h)
{
	if (h->ownership)
		ownership_close_parts(&h->ownership->parts);
	free(h->ownership);
	h->ownership = NULL;
}

size_t ownership_count(const struct object_probes *h, enum plan_resource kind)
{
	return kind == PLAN_SEMAPHORE ? h->semaphore_count : h->site_count;
}

bool ownership_open_parts(
	struct plan_parts *parts, const struct object_probes *h, enum plan_resource kind)
{
	if (!parts->of[kind])
		parts->of[kind] = calloc(ownership_count(h, kind) + 1, sizeof *parts->of[kind]);
	return parts->of[kind];
}

void ownership_close_parts(struct plan_parts *parts)
{
	for (enum plan_resource kind = 0; kind < PLAN_RESOURCES; kind++)
		free(parts->of[kind]);
	*parts = (struct plan_parts){.torn = NULL};
}

void ownership_free_parts(struct plan_parts *all, size_t objects)
{
	for (size_t i = 0; all && i < objects; i++)
		ownership_close_parts(&all[i]);
	free(all);
}

uint32_t ownership_size(const struct probes_probe *p, enum plan_resource kind)
{
	return kind == PLAN_SEMAPHORE ? p->semaphore_count : p->site_count;
}

uint32_t ownership_index(const struct object_probes *h, const struct probes_probe *p,
	enum plan_resource kind, uint32_t i)
{
	return kind == PLAN_SEMAPHORE ? object_probes_same(h, object_probes_semaphore(h, p) + i)
				      : (uint32_t)object_probes_site(h, p) + i;
}

int32_t ownership_code_part(const struct probes_probe *p, const struct probes_edit *edit)
{
	return memcmp(edit->new_, kind_of(p)->site->on, ARCH_SWITCH_BYTES) ? -1 : 1;
}

bool ownership_is_jump(const struct object_probes *h, const struct probes_probe *p, uint32_t site,
	const struct probes_edit *edit)
{
	const struct kind_ops *kind = kind_of(p);

	for (unsigned i = 0; i < edit->length && i < ARCH_SITE_BYTES; i++)
		if (edit->new_[i] != h->original[site][i] &&
			!(kind->edit && i == kind->site->switch_at))
			return true;
	return false;
}

struct ownership_resource ownership_resource(
	const struct object_probes *h, size_t local, const struct probes_edit *edit)
{
	const struct probes_probe *p = &h->probes[local];

	if (edit->role == PROBES_ROLE_SEMAPHORE)
		return (struct ownership_resource){.kind = PLAN_SEMAPHORE,
			.index = ownership_index(h, p, PLAN_SEMAPHORE, edit->index),
			.part = edit_delta(edit)};
	if (edit->role == PROBES_ROLE_CODE_ALONE)
		return (struct ownership_resource){.kind = PLAN_CODE,
			.index = ownership_index(h, p, PLAN_CODE, edit->index),
			.part = ownership_code_part(p, edit)};
	if (edit->role == PROBES_ROLE_COUNTER || edit->role == PROBES_ROLE_UPROBE) {
		uint32_t site = ownership_index(h, p, PLAN_COUNTER, edit->index);

		return (struct ownership_resource){.kind = PLAN_COUNTER,
			.index = site,
			.part = ownership_is_jump(h, p, site, edit) ? 1 : -1};
	}
	return (struct ownership_resource){.kind = PLAN_RESOURCES};
}

int32_t ownership_part(const struct object_probes *h, enum plan_resource kind, uint32_t index)
{
	return h->ownership && h->ownership->parts.of[kind] ? h->ownership->parts.of[kind][index]
							    : 0;
}

void ownership_add(struct object_probes *h, const struct ownership_resource *r)
{
	int32_t *parts = r->kind == PLAN_RESOURCES ? NULL : h->ownership->parts.of[r->kind];

	if (parts)
		parts[r->index] += r->part;
}

void ownership_remember(struct object_probes *h, uint32_t slot, const struct probes_edit *edit,
	uint32_t seq, int32_t after)
{
	struct ownership_change *last = &h->ownership->changes[slot];

	if (last->seq == seq)
		last->steps = true;
	else
		*last = (struct ownership_change){.seq = seq,
			.old = (uint16_t)edit_value(edit->old),
			.reconciled = last->reconciled};
	last->new_ = (uint16_t)edit_value(edit->new_);
	last->before = after + (int32_t)last->old - (int32_t)last->new_;
}

void ownership_forget_reconciled(struct object_probes *h, struct plan_parts *undo)
{
	int32_t *parts = undo->of[PLAN_SEMAPHORE];

	for (uint32_t i = 0; h->ownership && parts && i < h->semaphore_count; i++) {
		int32_t held = ownership_part(h, PLAN_SEMAPHORE, i), gone = parts[i] - held;

		/* An operation after the reconciling is wholly owned. */
		if (gone > h->ownership->changes[i].reconciled)
			gone = h->ownership->changes[i].reconciled;
		if (parts[i] > 0 && gone > 0) {
			parts[i] -= gone;
			h->ownership->changes[i].reconciled -= gone;
		}
	}
}

struct probes_edit ownership_edit(
	const struct object_probes *h, enum plan_resource kind, uint32_t index, int32_t part)
{
	if (kind == PLAN_COUNTER) {
		const struct object_jump *j = &h->jumps[index];
		struct probes_edit edit = {.address = h->sites[index].address,
			.length = j->length,
			.role = PROBES_ROLE_COUNTER};

		memcpy(edit.old, part > 0 ? j->old : j->new_, j->length);
		memcpy(edit.new_, part > 0 ? j->new_ : j->old, j->length);
		return edit;
	}
	if (kind == PLAN_CODE) {
		const struct probes_probe *p = &h->probes[object_probes_probe_of(h, true, index)];
		struct probes_edit edit = kind_of(p)->edit(h->sites[index].address, part > 0);

		edit.role = PROBES_ROLE_CODE_ALONE;
		return edit;
	}
	return edit_semaphore(h->semaphores[index].address, part < 0 ? (unsigned)-part : 0,
		part > 0 ? (unsigned)part : 0);
}

bool ownership_owns(const struct object_probes *h, const struct probes_probe *p)
{
	for (enum plan_resource kind = 0; h->ownership && kind < PLAN_RESOURCES; kind++)
		for (uint32_t i = 0; i < ownership_size(p, kind); i++)
			if (ownership_part(h, kind, ownership_index(h, p, kind, i)))
				return true;
	return h->ownership && h->ownership->parts.torn[p - h->probes];
}

void ownership_judge(struct object_probes *h, size_t local)
{
	const struct probes_probe *p = &h->probes[local];
	size_t first = object_probes_site(h, p);
	int32_t counting = h->jumps && p->site_count ? h->jumps[first].raised : 0;
	bool mine = false, enabled = false;
	uint32_t others = 0;

	/* Somebody else may have taken away what this session had raised; then reconcile.c takes it
	   off what is owned. */
	for (uint32_t i = 0; h->ownership && i < p->semaphore_count; i++) {
		uint32_t slot = ownership_index(h, p, PLAN_SEMAPHORE, i), value = h->values[slot];
		int64_t part = ownership_part(h, PLAN_SEMAPHORE, slot), left = value - part;

		if (value == PROBES_NONE)
			continue;
		if (part <= 0)
			left = value;
		if (left > others)
			others = (uint32_t)left;
		if (part <= 0)
			continue;
		mine = mine || value > 0;
		enabled = enabled || (value > 0 && part > counting);
		h->ownership->below = h->ownership->below || left < 0;
	}
	/* A count that others hold is theirs, also where this session made the code follow it. */
	for (uint32_t i = 0; h->ownership && !p->semaphore_count && i < p->site_count; i++) {
		uint32_t site = ownership_index(h, p, PLAN_CODE, i);

		mine = mine || (h->site_live[site].state == PROBES_ON &&
				       ownership_part(h, PLAN_CODE, site) > 0);
		enabled = mine;
	}
	h->live[local].mine = mine;
	h->live[local].mine_enabled = enabled;
	h->live[local].ref_mine = mine && p->semaphore_count ? h->live[local].ref_max - others : 0;
	h->live[local].mine_counted = false;
	for (uint32_t i = 0; i < p->site_count; i++) {
		uint32_t site = ownership_index(h, p, PLAN_COUNTER, i);
		bool written = ownership_part(h, PLAN_COUNTER, site) > 0;

		if (h->jumps)
			h->jumps[site].mine = written;
		if (written && h->site_live[site].counted)
			h->live[local].mine_counted = true;
	}
}

size_t ownership_owned_count(const struct probes_session *s, uint32_t until)
{
	size_t owned = 0;

	for (const struct object_probes *h = catalog_first(&s->catalog); s->switch_seq && h;
		h = h->next) {
		for (size_t k = 0; h->ownership && k < h->probe_count; k++) {
			uint32_t seq = h->ownership->switch_seq[k];

			owned += seq && seq <= until && ownership_owns(h, &h->probes[k]);
		}
	}
	return owned;
}

size_t probes_owned_count(const struct probes_session *s)
{
	return ownership_owned_count(s, UINT32_MAX);
}
