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

static void heirs_restore_one(
	struct app *a, struct probes_session *s, const char *verb, struct heirs_sum *sum)
{
	struct probes_swept swept = {.pid = probes_pid(s), .session = s, .probes = probes_mine(s)};
	struct probes_result *r = NULL;
	struct probes_error e = {0};

	if (!swept.probes || !heirs_alive(s))
		return;
	if (probes_restore(s, &r, &e) < 0 && e.status != PROBES_GONE)
		swept.error = &e;
	swept.result = r;
	if (!e.code || swept.error)
		heirs_count_swept(a, &swept, verb, sum);
	probes_result_free(r);
}

void heirs_restore(struct app *a, const char *verb, struct heirs_sum *sum)
{
	for (size_t i = 0; i < a->heir_count; i++)
		heirs_restore_one(a, a->heirs[i], verb, sum);
}

void heirs_say(const struct heirs_sum *sum, char *out, size_t size)
{
	if (sum->processes)
		text_addf(out, size, "taken back in %zu child%s by fork: %zu probe%s. ",
			sum->processes, sum->processes == 1 ? "" : "ren", sum->probes,
			sum->probes == 1 ? "" : "s");
}
