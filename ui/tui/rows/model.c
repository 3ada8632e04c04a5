/* The processes and their probes as rows. Reads by libprobes; makes all texts safe, once. */
#include "ui/tui/rows/model.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/probe_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define MODEL_BLOCK 65536

/* Texts live as long as the model, in blocks that only fill up. */
struct model_block {
	struct model_block *next;
	size_t used;
	_Alignas(max_align_t) char bytes[MODEL_BLOCK];
};

void model_init(struct model *m)
{
	memset(m, 0, sizeof *m);
}

void model_done(struct model *m)
{
	while (m->texts) {
		struct model_block *next = m->texts->next;

		free(m->texts);
		m->texts = next;
	}
	free(m->processes);
	free(m->rows);
	free(m->members);
	free(m->runs);
	free(m->table);
	free(m->measured);
	model_init(m);
}

static void *model_take(struct model *m, size_t size, size_t alignment)
{
	struct model_block *b = m->texts;
	size_t at = b ? (b->used + alignment - 1) / alignment * alignment : 0;

	if (!b || at + size > MODEL_BLOCK) {
		b = mem_alloc(sizeof *b);
		b->next = m->texts;
		m->texts = b;
		at = 0;
	}
	b->used = at + size;
	return b->bytes + at;
}

static char *model_keep(struct model *m, const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(model_take(m, size, 1), text, size);
}

/* ----------------------------------------------------------------- identity */

static size_t model_slot(
	const struct model *m, const char *object, const char *provider, const char *name)
{
	uint64_t h = XXH3_64bits(object, strlen(object));
	size_t at;

	h = XXH3_64bits_withSeed(provider, strlen(provider), h);
	at = XXH3_64bits_withSeed(name, strlen(name), h) % m->table_size;
	for (; m->table[at] != MODEL_NONE; at = (at + 1) % m->table_size) {
		const struct row *r = &m->rows[m->table[at]];

		if (!strcmp(row_name(r), name) && !strcmp(r->family->provider, provider) &&
			!strcmp(r->family->path, object))
			break;
	}
	return at;
}

uint32_t model_find(
	const struct model *m, const char *object, const char *provider, const char *name)
{
	return m->table_size ? m->table[model_slot(m, object, provider, name)] : MODEL_NONE;
}

/* --------------------------------------------------------------- the rows */

/* The object and provider of the rows that model_extend is adding. */
struct model_origin {
	const struct probes_object *object;
	const char *provider; /* raw */
	struct row_family *family;
};

/* Make a text safe. A text that is cut ends in a hash, to differ from others cut there. */
static void model_text(const char *raw, char *out, size_t size)
{
	size_t at = size - 32;

	text_clean(raw, out, size);
	if (strlen(out) + 16 <= size)
		return;
	while (at > 0 && ((unsigned char)out[at] & 0xc0) == 0x80) /* not within a character */
		at--;
	snprintf(out + at, 32, "~%08zx", (size_t)XXH3_64bits(raw, strlen(raw)) & 0xffffffff);
}

/* Probes are sorted by object and provider: mostly the family is the one before. */
static void model_family(struct model *m, struct model_origin *o,
	const struct probes_object *object, const char *provider)
{
	char path[TEXT_MAX], text[TEXT_MAX / 4];
	struct row_family *f;

	if (o->object == object && !strcmp(o->provider, provider))
		return;
	model_text(object->path, path, sizeof path);
	model_text(provider, text, sizeof text);
	f = model_take(m, sizeof *f, _Alignof(struct row_family));
	*f = (struct row_family){.path = model_keep(m, path),
		.provider = model_keep(m, text),
		.provider_length = strlen(text),
		.deleted = object->deleted};
	f->object = probe_name_base(f->path);
	if (text_width(f->object) + 1 > m->widest_object)
		m->widest_object = text_width(f->object) + 1;
	*o = (struct model_origin){.object = object, .provider = provider, .family = f};
}

static uint32_t model_new_row(
	struct model *m, const struct row_family *f, const char *name, const char *arguments)
{
	char text[TEXT_MAX];
	struct row *r;

	m->rows = mem_grow(m->rows, &m->row_capacity, m->row_count + 1, sizeof *m->rows);
	r = &m->rows[m->row_count];
	snprintf(text, sizeof text, "%s:%s", f->provider, name);
	*r = (struct row){.label = model_keep(m, text),
		.family = f,
		.arguments = arguments,
		.member = MODEL_NONE};
	m->argued |= arguments && *arguments;
	if (text_width(r->label) > m->widest)
		m->widest = text_width(r->label);
	if (text_width(row_name(r)) > m->widest_name)
		m->widest_name = text_width(row_name(r));
	return (uint32_t)m->row_count++;
}

bool model_next(const struct model *m, uint32_t *at, struct model_member *member)
{
	size_t low = 0, high = m->run_count;
	uint32_t u = *at;

	if (u == MODEL_NONE)
		return false;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (m->runs[middle].first <= u)
			low = middle;
		else
			high = middle;
	}
	*member = m->runs[low].of;
	member->probe += u - m->runs[low].first;
	*at = m->members[u];
	return true;
}

struct model_member model_member(const struct model *m, uint32_t row)
{
	uint32_t at = m->rows[row].member;
	struct model_member member = {0};

	model_next(m, &at, &member);
	return member;
}

void model_add(struct model *m, struct probes_session *session)
{
	m->processes = mem_grow(
		m->processes, &m->process_capacity, m->process_count + 1, sizeof *m->processes);
	m->processes[m->process_count++] =
		(struct model_process){.session = session, .pid = probes_pid(session)};
	model_extend(m, m->process_count - 1, 0);
}

void model_extend(struct model *m, size_t process, size_t first)
{
	struct probes_session *session = m->processes[process].session;
	struct model_origin origin = {0};
	size_t count = probes_count(session), rows = m->row_count + count - first;
	char name[TEXT_MAX / 2];

	for (size_t *i = &m->processes[process].objects; *i < probes_object_count(session); ++*i)
		m->counts.left_out += probes_object_at(session, *i)->left_out +
				      probes_object_at(session, *i)->malformed;
	if (rows * 4 >= m->table_size * 3) {
		m->table_size = rows * 3 / 2 + 64;
		free(m->table);
		m->table = mem_array(m->table_size, sizeof *m->table);
		memset(m->table, 0xff, m->table_size * sizeof *m->table);
		for (uint32_t i = 0; i < m->row_count; i++) {
			const struct row *r = &m->rows[i];

			m->table[model_slot(m, r->family->path, r->family->provider, row_name(r))] =
				i;
		}
	}
	if (first < count) {
		m->runs = mem_grow(m->runs, &m->run_capacity, m->run_count + 1, sizeof *m->runs);
		m->runs[m->run_count++] = (struct model_run){.first = (uint32_t)m->member_count,
			.of = {.process = (uint32_t)process, .probe = (uint32_t)first}};
	}
	for (size_t i = first; i < count; i++) {
		const struct probes_probe *p = probes_at(session, i);
		const struct probes_object *object = probes_object_at(session, p->object);
		bool other_object = origin.object != object;
		size_t slot;
		struct row *r;

		model_family(m, &origin, object, p->provider);
		model_text(p->name, name, sizeof name);
		slot = model_slot(m, origin.family->path, origin.family->provider, name);
		if (m->table[slot] == MODEL_NONE) {
			m->table[slot] = model_new_row(m, origin.family, name, p->arguments);
			m->counts.objects += other_object;
		}
		r = &m->rows[m->table[slot]];
		m->members = mem_grow(
			m->members, &m->member_capacity, m->member_count + 1, sizeof *m->members);
		m->members[m->member_count] = r->member;
		r->member = (uint32_t)m->member_count++;
		m->counts.switchable += p->semaphore_count && !r->switchable;
		r->switchable |= p->semaphore_count > 0;
	}
}

static bool model_unloaded(const struct model *m, const struct model_member *u)
{
	return probes_live_at(m->processes[u->process].session, u->probe)->state == PROBES_UNLOADED;
}

void model_drop_unloaded(struct model *m)
{
	struct model_member member;

	for (size_t i = 0; i < m->row_count; i++) {
		uint32_t *link = &m->rows[i].member, last = *link, at = *link;

		while (model_next(m, &at, &member)) {
			last = *link;
			if (model_unloaded(m, &member))
				*link = at;
			else
				link = &m->members[last];
		}
		/* No process has it any more: the row stays, as PROBES_UNLOADED. */
		if (m->rows[i].member == MODEL_NONE && last != MODEL_NONE) {
			m->members[last] = MODEL_NONE;
			m->rows[i].member = last;
		}
	}
}

void model_mark_deleted(struct model *m)
{
	for (size_t i = 0; i < m->row_count; i++) {
		struct model_member u = model_member(m, (uint32_t)i);
		struct probes_session *s = m->processes[u.process].session;

		/* The model owns the families; const is for the rows. */
		((struct row_family *)m->rows[i].family)->deleted =
			probes_object_at(s, probes_at(s, u.probe)->object)->deleted;
	}
}

/* -------------------------------------------------------------- the states */

/* From now on the row has a trend. */
static void model_measure(struct model *m, struct row *r)
{
	r->trend = model_take(m, sizeof *r->trend, _Alignof(struct trend));
	trend_begin(r->trend);
	m->measured = mem_grow(
		m->measured, &m->measured_capacity, m->measured_count + 1, sizeof *m->measured);
	m->measured[m->measured_count++] = (uint32_t)(r - m->rows);
}

/* Of a process that has ended: its hits stay. counted: those of the row were until now. */
static void model_sum_gone(
	struct row *r, const struct model_process *p, uint32_t probe, bool counted)
{
	uint32_t sites = probes_live_at(p->session, probe)->sites_counted;

	r->counted |= sites > 0;
	r->missed_sites |= p->ending && counted && sites < probes_at(p->session, probe)->site_count;
}

/* Of a row that was counted: which jumps of this session are gone? Where an int3 covers one, it
 * comes back, or is lost then; but its hits are still to be shown. */
static void model_sum_lost(struct row *r, const struct probes_session *s, uint32_t probe)
{
	for (uint32_t i = 0; r->trend && i < probes_at(s, probe)->site_count; i++) {
		enum probes_state state = probes_site_live_at(s, probe, i)->state;

		if (!probes_site_lost(s, probe, i) || state == PROBES_UNREADABLE)
			continue;
		r->counted = true;
		r->sites_lost += state != PROBES_FOREIGN;
	}
}

static void model_sum(struct model *m, struct row *r)
{
	struct model_member member;
	uint32_t at = r->member;
	bool counted = r->counted, vanished = r->sites_lost && !r->sites_counted;

	row_clear(r);
	while (model_next(m, &at, &member)) {
		const struct model_process *p = &m->processes[member.process];

		if (p->recorded)
			row_add_recorded(r, p->recorded->kept[member.probe],
				probes_at(p->session, member.probe)->site_count,
				!p->recorded->latency);
		else if (p->gone)
			model_sum_gone(r, p, member.probe, counted);
		else if (!model_unloaded(m, &member)) {
			row_add(r, probes_live_at(p->session, member.probe),
				probes_at(p->session, member.probe)->site_count);
			model_sum_lost(r, p->session, member.probe);
		}
	}
	if (r->counted && !r->trend)
		model_measure(m, r);
	else if (!r->counted && r->trend)
		trend_begin(r->trend);
	if (!r->counted)
		r->missed_sites = r->missed_end = r->missed_child = r->missed_jump = false;
	if (vanished && r->sites_counted) /* it is counted anew, from 0 */
		r->missed_jump = false;
	if (r->sites_lost && !r->missed_jump && !m->lost.rows++)
		m->lost.first = (uint32_t)(r - m->rows);
	r->missed_jump |= r->sites_lost > 0;
	if (!r->processes) { /* no process has it any more */
		r->state = PROBES_UNLOADED;
		r->sites_on = PROBES_NONE;
	}
	if (r->sites > m->most_sites)
		m->most_sites = r->sites;
}

size_t *model_probes_of(
	const struct model *m, size_t process, const uint32_t *ids, size_t count, size_t *found)
{
	size_t *which = NULL, capacity = 0;
	struct model_member member;

	*found = 0;
	for (size_t i = 0; i < count; i++)
		for (uint32_t at = m->rows[ids[i]].member; model_next(m, &at, &member);) {
			if (member.process != process)
				continue;
			which = mem_grow(which, &capacity, *found + 1, sizeof *which);
			which[(*found)++] = member.probe;
		}
	return which;
}

/* Read the states of one process: of these rows, or of all. True: the process has just ended. */
static bool model_read(struct model *m, size_t process, const uint32_t *ids, size_t count)
{
	struct model_process *p = &m->processes[process];
	size_t *which = NULL, n = 0;
	int status;

	if (p->gone || p->recorded)
		return false;
	if (ids)
		which = model_probes_of(m, process, ids, count, &n);
	if (ids && !n)
		return false;
	status = probes_refresh(p->session, which, n, &p->error);
	free(which);
	p->unread = status < 0 && p->error.status != PROBES_GONE;
	p->gone = p->ending = status < 0 && p->error.status == PROBES_GONE;
	return p->gone;
}

static void model_count(struct model *m)
{
	struct model_counts c = {.objects = m->counts.objects,
		.left_out = m->counts.left_out,
		.switchable = m->counts.switchable};

	for (const struct row *r = m->rows; r < m->rows + m->row_count; r++) {
		c.sites += r->sites;
		c.states[r->state]++;
		c.on_mine += r->state == PROBES_ON && r->mine;
		c.counted += r->counted;
		c.counted_now += r->sites_counted > 0;
	}
	m->counts = c;
}

bool model_refresh(struct model *m, const uint32_t *ids, size_t count)
{
	bool changed = false, ended = false, moved = false;

	for (size_t i = 0; i < m->process_count; i++)
		ended |= model_read(m, i, ids, count);
	if (ended) /* every row may have a part in the process */
		ids = NULL;
	for (size_t i = 0; !ids && i < m->process_count; i++) {
		struct model_process *p = &m->processes[i];
		uint64_t changes = probes_changes(p->session);

		moved |= !p->summed || p->changes != changes;
		p->changes = changes;
		p->summed = true;
	}
	/* To sum up 100,000 rows four times a second would be most of the cost of an idle screen.
	 */
	if (!ids && !ended && !moved)
		return false;
	if (!ids)
		count = m->row_count;
	for (size_t i = 0; i < count; i++) {
		struct row *r = &m->rows[ids ? ids[i] : i], old = *r;

		model_sum(m, r);
		changed |= row_differs(r, &old);
	}
	for (size_t i = 0; ended && i < m->process_count; i++)
		m->processes[i].ending = false;
	if (changed)
		model_count(m);
	return changed || ended;
}

size_t model_alive(const struct model *m)
{
	size_t alive = 0;

	for (size_t i = 0; i < m->process_count; i++)
		alive += !m->processes[i].gone;
	return alive;
}

bool model_switchable(const struct model *m)
{
	return m->counts.switchable || !m->row_count;
}

size_t model_changed(const struct model *m)
{
	struct probes_error ended;
	size_t changed = 0;

	for (size_t i = 0; i < m->process_count; i++) {
		const struct model_process *p = &m->processes[i];
		size_t owned = p->gone ? 0 : probes_owned_count(p->session);

		/* It may have ended since the last reading. */
		if (owned && probes_alive(p->session, &ended) == 0)
			changed += owned;
	}
	return changed;
}

void model_tag(struct model *m, uint32_t id, bool yes)
{
	struct row *r = &m->rows[id];

	if (yes == (r->tag > 0))
		return;
	r->tag = yes ? ++m->last_tag : 0;
	m->tagged += yes ? 1 : (uint32_t)-1;
}
