/*
 * The children that inherited: who they are, and taking back. Finding them is
 * workers.c's.
 */
#include "ui/tui/heirs.h"

#include "ui/tui/mem.h"
#include "ui/tui/text.h"

#include <stdio.h>
#include <stdlib.h>

void heirs_add(struct app *a, struct probes_session *session)
{
	a->heirs = mem_grow(a->heirs, &a->heir_capacity, a->heir_count + 1, sizeof *a->heirs);
	a->heirs[a->heir_count++] = session;
}

void heirs_done(struct app *a)
{
	for (size_t i = 0; i < a->heir_count; i++)
		probes_close(a->heirs[i]);
	free(a->heirs);
	a->heirs = NULL;
	a->heir_count = a->heir_capacity = 0;
}

static bool heirs_alive(struct probes_session *s)
{
	struct probes_error ignored;

	return probes_alive(s, &ignored) == 0;
}

void heirs_forget_dead(struct app *a)
{
	size_t kept = 0;

	for (size_t i = 0; i < a->heir_count; i++) {
		if (heirs_alive(a->heirs[i]))
			a->heirs[kept++] = a->heirs[i];
		else
			probes_close(a->heirs[i]);
	}
	a->heir_count = kept;
}

bool heirs_has(const struct app *a, pid_t pid)
{
	for (size_t i = 0; i < a->heir_count; i++)
		if (probes_pid(a->heirs[i]) == pid && heirs_alive(a->heirs[i]))
			return true;
	return false;
}

size_t heirs_count(const struct app *a)
{
	size_t count = 0;

	for (size_t i = 0; i < a->heir_count; i++)
		count += probes_mine(a->heirs[i]) && heirs_alive(a->heirs[i]);
	return count;
}

size_t heirs_changed(const struct app *a)
{
	size_t probes = 0;

	for (size_t i = 0; i < a->heir_count; i++)
		if (heirs_alive(a->heirs[i]))
			probes += probes_mine(a->heirs[i]);
	return probes;
}

void heirs_count_swept(
	struct app *a, const struct probes_swept *swept, const char *verb, struct heirs_sum *sum)
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
		text_clean(unsaid.why, a->notice, sizeof a->notice);
}

/* What is taken back, and how: all that a session holds, or (chosen) some of its probes. */
static void heirs_restore_one(struct app *a, struct probes_session *s,
	const struct probes_action *chosen, const char *verb, struct heirs_sum *sum)
{
	struct probes_swept swept = {.pid = probes_pid(s), .session = s};
	struct probes_result *r = NULL;
	struct probes_error e = {0};
	size_t meant = chosen ? chosen->count : probes_mine(s), before = probes_mine(s);
	int status;

	if (!meant || !heirs_alive(s))
		return;
	status = chosen ? probes_switch(s, chosen, 1, NULL, &r, &e) : probes_restore(s, &r, &e);
	if (status < 0 && e.status != PROBES_GONE)
		swept.error = &e;
	swept.result = r;
	if (before > probes_mine(s))
		swept.probes = before - probes_mine(s);
	if (status == 0 && meant > swept.probes)
		sum->kept += meant - swept.probes;
	if (!status || swept.error)
		heirs_count_swept(a, &swept, verb, sum);
	probes_result_free(r);
}

void heirs_restore(struct app *a, const char *verb, struct heirs_sum *sum)
{
	sum->kept = 0;
	for (size_t i = 0; i < a->heir_count; i++)
		heirs_restore_one(a, a->heirs[i], NULL, verb, sum);
}

static bool heirs_inherited(const struct model_process *p, size_t probe)
{
	return !(probe < p->chosen_size && p->chosen[probe]) &&
	       probes_live_at(p->session, probe)->mine;
}

static void heirs_restore_inherited(
	struct app *a, const struct model_process *p, const char *verb, struct heirs_sum *sum)
{
	struct probes_action off = {.verb = PROBES_DISABLE, .by = PROBES_BY_INDEX};
	size_t count = probes_count(p->session), *indices = mem_array(count, sizeof *indices);
	struct probes_error gone;

	/* The screen may be frozen. */
	if (probes_refresh(p->session, NULL, 0, &gone) < 0)
		count = 0;
	for (size_t i = 0; i < count; i++)
		if (heirs_inherited(p, i))
			indices[off.count++] = i;
	off.indices = indices;
	heirs_restore_one(a, p->session, &off, verb, sum);
	free(indices);
}

void heirs_restore_joined(struct app *a, const char *verb, struct heirs_sum *sum)
{
	for (size_t i = 0; i < a->model.process_count; i++) {
		const struct model_process *p = &a->model.processes[i];

		if (!p->heir || p->gone || !probes_mine(p->session))
			continue;
		if (p->chosen)
			heirs_restore_inherited(a, p, verb, sum);
		else
			heirs_restore_one(a, p->session, NULL, verb, sum);
	}
}

size_t heirs_joined(const struct app *a)
{
	size_t count = 0;

	for (size_t i = 0; i < a->model.process_count; i++) {
		const struct model_process *p = &a->model.processes[i];

		count += p->heir && !p->gone && probes_mine(p->session) && heirs_alive(p->session);
	}
	return count;
}

void heirs_say(const struct heirs_sum *sum, char *out, size_t size)
{
	if (sum->processes)
		text_addf(out, size, "taken back in %zu child%s by fork: %zu probe%s. ",
			sum->processes, sum->processes == 1 ? "" : "ren", sum->probes,
			sum->probes == 1 ? "" : "s");
	if (sum->kept)
		text_addf(out, size, "%zu inherited probe%s could not be taken back. ", sum->kept,
			sum->kept == 1 ? "" : "s");
}
