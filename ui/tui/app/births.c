/*
 * Births: when to look for them, and what the screen says of them. The engine's group opens, keeps
 * and undoes; nothing is closed here, since rows and operations may still name a process that is
 * gone.
 */
#include "ui/tui/app/births.h"

#include "ui/tui/terminal/text.h"

#include <stdio.h>

#define BIRTHS_POLL_MS 1000
#define BIRTHS_SHARE 20 /* looking may take 1/20 of the time */
#define BIRTHS_MOST 16  /* children opened by one poll, so that no key waits */

/* ------------------------------------------------------------------- looking */

struct births {
	struct app *app;
	size_t joined; /* the list */
	size_t heirs;  /* of these, with probes as this session switched them */
	pid_t last;
};

static void births_born(void *data, const struct probes_member *m)
{
	struct births *b = data;

	if (!m->session) {
		app_say_error(b->app, "", &m->error);
	} else if (m->child) {
		app_remark(b->app, REMARK_WARNING, true,
			"forked child %d inherited %zu probe%s that this session had switched; W "
			"or q undoes that there, too",
			(int)m->pid, m->inherited, m->inherited == 1 ? "" : "s");
	} else {
		model_add(&b->app->model, m->session);
		b->joined++;
		b->heirs += m->inherited > 0;
		b->last = m->pid;
	}
}

/* What joined the list, and what leads back where it inherited something. */
static void births_say_joined(struct births *b)
{
	const char *es = b->joined == 1 ? "" : "es";

	if (!b->heirs)
		app_remark(b->app, REMARK_NEWS, false, "%zu new process%s, the latest is %d",
			b->joined, es, (int)b->last);
	else
		app_remark(b->app, REMARK_WARNING, true,
			"%zu new process%s, the latest is %d; %zu inherited probes that this "
			"session had switched: W or q undoes that there, too",
			b->joined, es, (int)b->last, b->heirs);
}

static void births_look_at_most(struct app *a, size_t most)
{
	bool follow = a->options->tree || a->options->follow;
	struct births b = {.app = a};
	struct probes_error ignored; /* the next look tries again */

	if (!a->model.process_count || a->replay)
		return;
	a->births_ms = app_now_ms() + BIRTHS_POLL_MS;
	if (probes_group_look(a->group, follow, most, births_born, &b, &ignored) < 0)
		return;
	if (b.joined) {
		list_update(&a->list);
		app_refresh(a, true);
		births_say_joined(&b);
	}
	if (follow) {
		app_title(a); /* some may have ended */
		a->dirty = true;
	}
}

void births_look(struct app *a)
{
	births_look_at_most(a, SIZE_MAX);
}

void births_poll(struct app *a)
{
	int64_t now = app_now_ms();

	if (a->frozen || now < a->births_ms)
		return;
	births_look_at_most(a, BIRTHS_MOST);
	a->births_ms += (app_now_ms() - now) * BIRTHS_SHARE;
}

size_t births_children(const struct app *a, size_t *probes)
{
	*probes = 0;
	return a->group ? probes_group_children(a->group, probes) : 0;
}

size_t births_heirs(const struct app *a, size_t from)
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

/* ------------------------------------------------------------------- undoing */

void births_undone(
	struct app *a, const struct probes_undone *u, const char *verb, struct births_sum *sum)
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
	snprintf(mark, sizeof mark, "%s: child %d, %zu inherited probes undone", verb,
		(int)u->member->pid, u->probes);
	record_mark(&a->record, mark);
	if (u->result && audit_note(&a->audit, verb, u->member->session, u->result, &unsaid) < 0)
		text_clean(unsaid.why, a->message.notice, sizeof a->message.notice);
}

void births_say(const struct births_sum *sum, char *out, size_t size)
{
	if (sum->processes)
		text_addf(out, size, "undone in %zu forked child%s: %zu probe%s. ", sum->processes,
			sum->processes == 1 ? "" : "ren", sum->probes, sum->probes == 1 ? "" : "s");
	if (sum->kept)
		text_addf(out, size, "%zu inherited probe%s could not be undone. ", sum->kept,
			sum->kept == 1 ? "" : "s");
}
