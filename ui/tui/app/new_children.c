/*
 * The group of the engine opens, keeps and undoes; nothing is closed here, since rows and
 * operations may still name a process that is gone.
 */
#include "ui/tui/app/new_children.h"

#include "ui/tui/terminal/text.h"
#include "ui/words/line.h"

#include <stdio.h>

#define NEW_CHILDREN_POLL_MS 1000
#define NEW_CHILDREN_SHARE 20 /* looking may take 1/20 of the time */
#define NEW_CHILDREN_READ 32  /* of whose jumps one poll looks */
#define NEW_CHILDREN_MOST 16  /* children opened by one poll, so that no key waits */

struct new_children {
	struct app *app;
	size_t joined;     /* the list */
	size_t inheritors; /* of these, with probes as this session switched or counted them */
	bool switched;     /* some were more than counted */
	pid_t last;
};

/* Did it inherit more than the counting of hits? */
static bool new_children_switched(struct probes_session *s)
{
	struct probes_error gone;

	(void)!probes_refresh(s, NULL, 0, &gone);
	for (size_t i = 0; i < probes_count(s); i++)
		if (probes_live_at(s, i)->mine_enabled)
			return true;
	return false;
}

static const char *new_children_what(bool switched)
{
	return switched ? "switched" : "counted";
}

static void new_children_born(void *data, const struct probes_member *m)
{
	struct new_children *b = data;

	if (!m->session) {
		app_say_error(b->app, "", &m->error);
	} else if (m->child) {
		app_remark(b->app, REMARK_WARNING, true,
			"forked child %d inherited %zu probe%s that this session had %s; W "
			"or q undoes that there, too",
			(int)m->pid, m->inherited, line_s(m->inherited),
			new_children_what(new_children_switched(m->session)));
	} else {
		model_add(&b->app->model, m->session);
		b->joined++;
		b->inheritors += m->inherited > 0;
		b->switched |= m->inherited && new_children_switched(m->session);
		b->last = m->pid;
	}
}

/* What joined the list, and what leads back where it inherited something. */
static void new_children_say_joined(struct new_children *b)
{
	const char *es = b->joined == 1 ? "" : "es";

	if (!b->inheritors)
		app_remark(b->app, REMARK_NEWS, false, "%zu new process%s, the latest is %d",
			b->joined, es, (int)b->last);
	else
		app_remark(b->app, REMARK_WARNING, true,
			"%zu new process%s, the latest is %d; %zu of them inherited what this "
			"session had %s: W or q undoes that there, too",
			b->joined, es, (int)b->last, b->inheritors, new_children_what(b->switched));
}

static void new_children_look_at_most(struct app *a, size_t most)
{
	bool follow = a->options->tree || a->options->follow;
	struct new_children b = {.app = a};
	struct probes_error ignored; /* the next look tries again */

	if (!a->model.process_count || a->replay)
		return;
	a->new_children_ms = now_ms() + NEW_CHILDREN_POLL_MS;
	if (probes_group_look(a->group, follow, most, new_children_born, &b, &ignored) < 0)
		return;
	if (b.joined) {
		list_update(&a->list);
		app_refresh(a, true);
		new_children_say_joined(&b);
	}
	if (follow) {
		app_title(a); /* some may have ended */
		a->dirty = true;
	}
}

void new_children_look(struct app *a)
{
	new_children_look_at_most(a, SIZE_MAX);
}

/* Children count in the counters of their parents: are their jumps there? Of many, each look reads
 * some. */
static void new_children_look_at_jumps(struct app *a)
{
	for (size_t i = 0; a->group && a->model.counts.counted && i < NEW_CHILDREN_READ; i++) {
		const struct probes_member *m = probes_group_child(a->group, a->new_children_at);
		struct probes_error gone;
		uint32_t first;
		size_t rows;

		a->new_children_at = m ? a->new_children_at + 1 : 0;
		if (!m)
			return;
		if (probes_refresh(m->session, NULL, 0, &gone) < 0)
			continue;
		rows = model_look_child(&a->model, m->session, &first);
		if (rows)
			app_remark(a, REMARK_WARNING, true,
				"forked child %d has lost jumps of %zu probe%s (%s%s): another "
				"program or session removed them; its hits since then may be "
				"missing",
				(int)m->pid, rows, line_s(rows), a->model.rows[first].label,
				rows == 1 ? "" : ", ...");
	}
}

void new_children_poll(struct app *a)
{
	int64_t now = now_ms();

	if (a->frozen || now < a->new_children_ms)
		return;
	new_children_look_at_most(a, NEW_CHILDREN_MOST);
	new_children_look_at_jumps(a);
	a->new_children_ms += (now_ms() - now) * NEW_CHILDREN_SHARE;
}

size_t new_children_children(const struct app *a, size_t *probes)
{
	*probes = 0;
	return a->group ? probes_group_children(a->group, probes) : 0;
}

size_t new_children_inheritors(const struct app *a, size_t from)
{
	size_t count = 0;

	for (size_t i = 0; i < probes_group_count(a->group); i++) {
		const struct probes_member *m = probes_group_at(a->group, i);
		struct probes_error gone;
		size_t at = 0;

		if (!m->inherited || !probes_owned_count(m->session) ||
			probes_alive(m->session, &gone) < 0)
			continue;
		while (at < a->model.process_count && a->model.processes[at].session != m->session)
			at++;
		count += at >= from;
	}
	return count;
}

void new_children_undone(struct app *a, const struct probes_undone *u, const char *verb,
	struct new_children_sum *sum)
{
	struct probes_error unsaid;
	char mark[80];

	if (u->error && u->error->status == PROBES_GONE)
		return;
	if (u->error && !sum->failed++)
		sum->e = *u->error;
	if (!u->error)
		sum->kept += u->kept;
	if (u->error || !u->probes)
		return;
	sum->processes++;
	sum->probes += u->probes;
	snprintf(mark, sizeof mark, "%s: child %d, %zu inherited probe%s undone", verb,
		(int)u->member->pid, u->probes, line_s(u->probes));
	script_mark(&a->script, mark);
	if (u->result && audit_note(&a->audit, verb, u->member->session, u->result, &unsaid) < 0)
		text_clean(unsaid.why, a->message.notice, sizeof a->message.notice);
}

void new_children_say(const struct new_children_sum *sum, char *out, size_t size)
{
	if (sum->processes)
		text_addf(out, size, "undone in %zu forked child%s: %zu probe%s. ", sum->processes,
			sum->processes == 1 ? "" : "ren", sum->probes, line_s(sum->probes));
	if (sum->kept)
		text_addf(out, size, "%zu inherited probe%s could not be undone. ", sum->kept,
			line_s(sum->kept));
}
