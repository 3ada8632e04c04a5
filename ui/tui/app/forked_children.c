/*
 * The children that inherited: who they are, and taking back. Finding them is
 * workers.c's.
 */
#include "ui/tui/app/forked_children.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"

#include <stdio.h>
#include <stdlib.h>

void forked_children_add(struct app *a, struct probes_session *session)
{
	a->heirs = mem_grow(a->heirs, &a->heir_capacity, a->heir_count + 1, sizeof *a->heirs);
	a->heirs[a->heir_count++] = session;
}

void forked_children_done(struct app *a)
{
	for (size_t i = 0; i < a->heir_count; i++)
		probes_close(a->heirs[i]);
	free(a->heirs);
	a->heirs = NULL;
	a->heir_count = a->heir_capacity = 0;
}

static bool forked_children_alive(struct probes_session *s)
{
	struct probes_error ignored;

	return probes_alive(s, &ignored) == 0;
}

void forked_children_forget_dead(struct app *a)
{
	size_t kept = 0;

	for (size_t i = 0; i < a->heir_count; i++) {
		if (forked_children_alive(a->heirs[i]))
			a->heirs[kept++] = a->heirs[i];
		else
			probes_close(a->heirs[i]);
	}
	a->heir_count = kept;
}

bool forked_children_has(const struct app *a, pid_t pid)
{
	for (size_t i = 0; i < a->heir_count; i++)
		if (probes_pid(a->heirs[i]) == pid && forked_children_alive(a->heirs[i]))
			return true;
	return false;
}

size_t forked_children_count(const struct app *a)
{
	size_t count = 0;

	for (size_t i = 0; i < a->heir_count; i++)
		count += probes_owned_count(a->heirs[i]) && forked_children_alive(a->heirs[i]);
	return count;
}

size_t forked_children_changed(const struct app *a)
{
	size_t probes = 0;

	for (size_t i = 0; i < a->heir_count; i++)
		if (forked_children_alive(a->heirs[i]))
			probes += probes_owned_count(a->heirs[i]);
	return probes;
}

void forked_children_count_swept(struct app *a, const struct probes_swept *swept, const char *verb,
	struct forked_children_sum *sum)
{
	const struct probes_result *r = swept->result;
	struct probes_error unsaid;
	char mark[80];

	if (swept->error && !sum->failed++)
		sum->e = *swept->error;
	if (swept->error || !swept->probes)
		return;
	sum->processes++;
	sum->probes += swept->probes;
	snprintf(mark, sizeof mark, "%s: child %d, %zu inherited probes taken back", verb,
		(int)swept->pid, swept->probes);
	record_mark(&a->record, mark);
	if (r && audit_note(&a->audit, verb, swept->session, r, &unsaid) < 0)
		text_clean(unsaid.why, a->message.notice, sizeof a->message.notice);
}

/* What is taken back, and how: all that a session holds, or (chosen) some of its probes. */
static void forked_children_restore_one(struct app *a, struct probes_session *s,
	const struct probes_action *chosen, const char *verb, struct forked_children_sum *sum)
{
	struct probes_swept swept = {.pid = probes_pid(s), .session = s};
	struct probes_result *r = NULL;
	struct probes_error e = {0};
	size_t meant = chosen ? chosen->count : probes_owned_count(s),
	       before = probes_owned_count(s);
	int status;

	if (!meant || !forked_children_alive(s))
		return;
	status = chosen ? probes_switch(s, chosen, 1, NULL, &r, &e) : probes_restore(s, &r, &e);
	if (status < 0 && e.status != PROBES_GONE)
		swept.error = &e;
	swept.result = r;
	if (before > probes_owned_count(s))
		swept.probes = before - probes_owned_count(s);
	if (status == 0 && meant > swept.probes)
		sum->kept += meant - swept.probes;
	if (!status || swept.error)
		forked_children_count_swept(a, &swept, verb, sum);
	probes_result_free(r);
}

void forked_children_restore(struct app *a, const char *verb, struct forked_children_sum *sum)
{
	sum->kept = 0;
	for (size_t i = 0; i < a->heir_count; i++)
		forked_children_restore_one(a, a->heirs[i], NULL, verb, sum);
}

static bool forked_children_inherited(const struct model_process *p, size_t probe)
{
	return !(probe < p->chosen_size && p->chosen[probe]) &&
	       probes_live_at(p->session, probe)->mine;
}

static void forked_children_restore_inherited(struct app *a, const struct model_process *p,
	const char *verb, struct forked_children_sum *sum)
{
	struct probes_action off = {.verb = PROBES_DISABLE, .by = PROBES_BY_INDEX};
	size_t count = probes_count(p->session), *indices = mem_array(count, sizeof *indices);
	struct probes_error gone;

	/* The screen may be frozen. */
	if (probes_refresh(p->session, NULL, 0, &gone) < 0)
		count = 0;
	for (size_t i = 0; i < count; i++)
		if (forked_children_inherited(p, i))
			indices[off.count++] = i;
	off.indices = indices;
	forked_children_restore_one(a, p->session, &off, verb, sum);
	free(indices);
}

void forked_children_restore_joined(
	struct app *a, const char *verb, struct forked_children_sum *sum)
{
	for (size_t i = 0; i < a->model.process_count; i++) {
		const struct model_process *p = &a->model.processes[i];

		if (!p->heir || p->gone || !probes_owned_count(p->session))
			continue;
		if (p->chosen)
			forked_children_restore_inherited(a, p, verb, sum);
		else
			forked_children_restore_one(a, p->session, NULL, verb, sum);
	}
}

size_t forked_children_joined(const struct app *a)
{
	size_t count = 0;

	for (size_t i = 0; i < a->model.process_count; i++) {
		const struct model_process *p = &a->model.processes[i];

		count += p->heir && !p->gone && probes_owned_count(p->session) &&
			 forked_children_alive(p->session);
	}
	return count;
}

void forked_children_say(const struct forked_children_sum *sum, char *out, size_t size)
{
	if (sum->processes)
		text_addf(out, size, "taken back in %zu child%s by fork: %zu probe%s. ",
			sum->processes, sum->processes == 1 ? "" : "ren", sum->probes,
			sum->probes == 1 ? "" : "s");
	if (sum->kept)
		text_addf(out, size, "%zu inherited probe%s could not be taken back. ", sum->kept,
			sum->kept == 1 ? "" : "s");
}
