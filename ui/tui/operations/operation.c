/*
 * Deeds: from rows to one probes_switch per process, and back.
 */
#include "ui/tui/operations/operation.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPERATION_NAMES 22 /* columns that the names of a deed may take */

struct operation *operation_new(const struct model *m)
{
	struct operation *d = mem_alloc(sizeof *d);

	d->count = m->process_count;
	d->results = mem_array(d->count, sizeof(struct probes_result *));
	return d;
}

void operation_free(struct operation *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->count; i++)
		probes_result_free(d->results[i]);
	free(d->results);
	free(d->line);
	free(d);
}

bool operation_wrote(const struct operation *d)
{
	return d->sum.sites || d->sum.semaphores;
}

/* Take the outcome of one process into the deed; status is what the engine answered. */
static int operation_take(struct operation *d, size_t process, struct probes_result *r, int status,
	const struct probes_error *e, struct probes_error *first)
{
	struct operation_sum *s = &d->sum;

	if (status < 0) {
		if (!s->failed_processes++)
			*first = *e;
		for (size_t i = 0; r && i < r->item_count && !s->why[0]; i++)
			if (r->items[i].outcome != PROBES_DONE)
				text_clean(r->items[i].why, s->why, sizeof s->why);
		probes_result_free(r); /* nothing of it was kept in the process */
		return status;
	}
	d->results[process] = r;
	s->processes++;
	if (!r)
		return 0;
	s->done += r->done;
	s->skipped += r->skipped;
	s->already += r->already;
	s->refused += r->not_done;
	s->sites += r->sites;
	s->written += r->edit_count > 0;
	if (r->stopped_ns > s->stopped_ns)
		s->stopped_ns = r->stopped_ns;
	for (size_t i = 0; i < r->edit_count; i++)
		s->semaphores += r->edits[i].role == PROBES_ROLE_SEMAPHORE;
	for (size_t i = 0; i < r->item_count && !s->why[0]; i++) {
		if (r->items[i].outcome != PROBES_DONE)
			text_clean(r->items[i].why, s->why, sizeof s->why);
	}
	return 0;
}

/* The probes of one process that a step means, in its order. */
static size_t *operation_indices(
	const struct model *m, size_t process, const struct operation_step *step, size_t *count)
{
	size_t *indices = NULL, capacity = 0;
	struct model_member member;

	*count = 0;
	for (size_t i = 0; i < step->count; i++) {
		for (uint32_t at = m->rows[step->ids[i]].member; model_next(m, &at, &member);) {
			if (member.process != process)
				continue;
			indices = mem_grow(indices, &capacity, *count + 1, sizeof *indices);
			indices[(*count)++] = member.probe;
		}
	}
	return indices;
}

static int operation_in_process(struct model *m, size_t process, const struct operation_plan *plan,
	struct probes_result **result, struct probes_error *e)
{
	struct probes_session *s = m->processes[process].session;
	struct probes_switch_options options = {.force = plan->force};
	struct probes_action *actions;
	size_t n = 0;
	int status = 0;

	*result = NULL;
	if (plan->command)
		options = options_switch(plan->command);
	options.once = true;
	options.dry_run |= plan->dry_run;
	if (plan->command)
		return probes_switch(s, plan->command->actions.items, plan->command->actions.count,
			&options, result, e);
	actions = mem_array(plan->count, sizeof *actions);
	for (size_t i = 0; i < plan->count; i++) {
		struct probes_action *a = &actions[n];

		*a = (struct probes_action){
			.verb = plan->steps[i].verb, .by = PROBES_BY_INDEX, .named = plan->named};
		a->indices = operation_indices(m, process, &plan->steps[i], &a->count);
		n += a->count > 0;
	}
	if (n)
		status = probes_switch(s, actions, n, &options, result, e);
	for (size_t i = 0; i < n; i++)
		free((void *)actions[i].indices);
	free(actions);
	return status;
}

int operation_do(struct model *m, const struct operation_plan *plan, struct operation **operation,
	struct probes_error *e)
{
	struct operation *d = *operation = operation_new(m);
	int first = 0;

	m->switched = m->switched || !plan->dry_run;
	operation_name(m, plan, d->what, sizeof d->what);
	d->force = plan->force || (plan->command && plan->command->force);
	d->pair = plan->pair;
	if (plan->command && asprintf(&d->line, " %s\n", plan->text) < 0)
		abort();
	for (size_t i = 0; i < m->process_count; i++) {
		struct probes_result *r;
		struct probes_error one = {0};
		int status;

		if (m->processes[i].gone)
			continue;
		status = operation_in_process(m, i, plan, &r, &one);
		status = operation_take(d, i, r, status, &one, e);
		first = first ? first : status;
	}
	return first;
}

int operation_revert(struct model *m, const struct operation *done, struct operation **deed,
	struct probes_error *e)
{
	struct operation *d = *deed = operation_new(m);
	int first = 0;

	snprintf(d->what, sizeof d->what, "%s", done->what);
	for (size_t i = 0; i < m->process_count && i < done->count; i++) {
		struct probes_result *r = NULL;
		struct probes_error one = {0};
		int status;

		if (!done->results[i] || m->processes[i].gone)
			continue;
		status = probes_revert(m->processes[i].session, done->results[i], &r, &one);
		status = operation_take(d, i, r, status, &one, e);
		first = first ? first : status;
	}
	return first;
}

int operation_undone(struct operation *d, const struct model *m, struct probes_undone *u,
	struct probes_error *first)
{
	size_t i = 0;
	int status;

	if (u->error && u->error->status == PROBES_GONE)
		return 0; /* nothing is left to undo */
	while (i < d->count && m->processes[i].session != u->member->session)
		i++;
	if (i == d->count)
		return 0;
	status = operation_take(d, i, u->result, u->error ? u->error->code : 0, u->error, first);
	u->result = NULL;
	return status;
}

struct operation *operation_of(
	const struct model *m, struct probes_result *result, const char *what)
{
	struct operation *d = operation_new(m);

	snprintf(d->what, sizeof d->what, "%s", what);
	operation_take(d, 0, result, 0, NULL, NULL);
	return d;
}

void operation_name(
	const struct model *m, const struct operation_plan *plan, char *what, size_t size)
{
	size_t total = 0, shown = 0;
	int used = 0;

	if (plan->command) {
		text_clean(plan->text, what, size);
		return;
	}
	snprintf(what, size, "%s%s ", plan->force ? "force " : "",
		plan->steps[0].verb == PROBES_ENABLE ? "on" : "off");
	for (size_t i = 0; i < plan->count; i++)
		total += plan->steps[i].count;
	for (size_t i = 0; i < plan->count; i++) {
		for (size_t j = 0; j < plan->steps[i].count; j++) {
			const char *name = row_name(&m->rows[plan->steps[i].ids[j]]);

			used += text_width(name) + 1;
			if (shown > 1 && used > OPERATION_NAMES)
				break;
			text_addf(what, size, "%s%.60s", shown++ ? "," : "", name);
		}
	}
	if (total > shown)
		text_addf(what, size, " +%zu more", total - shown);
}

const char *operation_say(const struct operation_sum *s, char *out, size_t size)
{
	size_t n = s->sites ? s->sites : s->semaphores;

	out[0] = '\0';
	if (n)
		text_addf(out, size, "%zu %s%s", n, s->sites ? "site" : "semaphore",
			n == 1 ? "" : "s");
	else
		text_addf(out, size, "nothing was changed");
	if (n && s->written < s->processes)
		text_addf(out, size, " in %zu of %zu processes", s->written, s->processes);
	else if (s->processes > 1)
		text_addf(out, size, " in %zu processes", s->processes);
	if (n && s->stopped_ns)
		text_addf(out, size, ", target stopped %.3f ms", (double)s->stopped_ns / 1e6);
	else if (n)
		text_addf(out, size, ", target not stopped");
	if (s->already)
		text_addf(out, size, "; on already by this session: %zu", s->already);
	if (s->skipped)
		text_addf(out, size, "; %zu skipped", s->skipped);
	if (s->refused)
		text_addf(out, size, "; %zu not done", s->refused);
	if (s->why[0])
		text_addf(out, size, " (%s)", s->why);
	return out;
}
