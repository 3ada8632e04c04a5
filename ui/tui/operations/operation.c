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

static struct operation *operation_new(const struct model *m)
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

/*
 * The probes of one process that a step means, in its order. A session is one
 * party: what it holds on already is not raised again.
 */
static size_t *operation_indices(const struct model *m, size_t process,
	const struct operation_plan *plan, size_t number, size_t *count, size_t *already)
{
	const struct operation_step *step = &plan->steps[number];
	size_t *indices = NULL, capacity = 0;
	struct model_member member;

	*count = 0;
	for (size_t i = 0; i < step->count; i++) {
		for (uint32_t at = m->rows[step->ids[i]].member; model_next(m, &at, &member);) {
			if (member.process != process)
				continue;
			if (step->verb == PROBES_ENABLE && !plan->force &&
				probes_live_at(m->processes[process].session, member.probe)->mine) {
				++*already;
				continue;
			}
			indices = mem_grow(indices, &capacity, *count + 1, sizeof *indices);
			indices[(*count)++] = member.probe;
		}
	}
	return indices;
}

static int operation_steps_in_process(struct model *m, size_t process,
	const struct operation_plan *plan, struct operation *d, struct probes_result **result,
	struct probes_error *e)
{
	struct probes_action *actions = mem_array(plan->count, sizeof *actions);
	struct probes_switch_options options = {.dry_run = plan->dry_run, .force = plan->force};
	size_t n = 0;
	int status = 0;

	for (size_t i = 0; i < plan->count; i++) {
		struct probes_action *a = &actions[n];

		a->verb = plan->steps[i].verb;
		a->by = PROBES_BY_INDEX;
		a->named = plan->named;
		a->indices = operation_indices(m, process, plan, i, &a->count, &d->sum.already);
		n += a->count > 0;
	}
	if (n)
		status = probes_switch(
			m->processes[process].session, actions, n, &options, result, e);
	for (size_t i = 0; i < n; i++)
		free((void *)actions[i].indices);
	free(actions);
	return status;
}

/* Would this raise what the session holds on already? A session is one party. */
static bool operation_is_mine(struct probes_session *s, const struct probes_item *item)
{
	return item->verb == PROBES_ENABLE && item->outcome == PROBES_DONE &&
	       probes_live_at(s, item->probe)->mine;
}

/* What a command line chose, one by one, without what is the session's already. */
static int operation_items_in_process(struct probes_session *s, const struct probes_result *chosen,
	const struct probes_switch_options *options, struct operation *d,
	struct probes_result **result, struct probes_error *e)
{
	struct probes_action *actions = mem_array(chosen->item_count, sizeof *actions);
	size_t *indices = mem_array(chosen->item_count, sizeof *indices), n = 0;
	int status = 0;

	for (size_t i = 0; i < chosen->item_count; i++) {
		const struct probes_item *item = &chosen->items[i];

		if (operation_is_mine(s, item)) {
			d->sum.already++;
		} else if (item->outcome == PROBES_DONE) {
			indices[n] = item->probe;
			actions[n] = (struct probes_action){.verb = item->verb,
				.by = PROBES_BY_INDEX,
				.indices = &indices[n],
				.count = 1};
			n++;
		}
	}
	if (n)
		status = probes_switch(s, actions, n, options, result, e);
	free(actions);
	free(indices);
	return status;
}

static int operation_command_in_process(struct probes_session *s, const struct operation_plan *plan,
	struct operation *d, struct probes_result **result, struct probes_error *e)
{
	const struct actions *todo = &plan->command->actions;
	struct probes_switch_options options = options_switch(plan->command);
	struct probes_result *chosen = NULL;
	bool mine = false;
	int status;

	options.dry_run = true;
	status = probes_switch(s, todo->items, todo->count, &options, &chosen, e);
	for (size_t i = 0; !status && !options.force && i < chosen->item_count; i++)
		mine |= operation_is_mine(s, &chosen->items[i]);
	options.dry_run = plan->dry_run || plan->command->dry_run;
	if (status < 0 || (options.dry_run && !mine)) {
		*result = chosen;
		return status;
	}
	status = mine ? operation_items_in_process(s, chosen, &options, d, result, e)
		      : probes_switch(s, todo->items, todo->count, &options, result, e);
	probes_result_free(chosen);
	return status;
}

static int operation_in_process(struct model *m, size_t process, const struct operation_plan *plan,
	struct operation *d, struct probes_result **result, struct probes_error *e)
{
	*result = NULL;
	if (plan->command)
		return operation_command_in_process(
			m->processes[process].session, plan, d, result, e);
	return operation_steps_in_process(m, process, plan, d, result, e);
}

static bool operation_is_dry(const struct operation_plan *plan)
{
	return plan->dry_run || (plan->command && plan->command->dry_run);
}

/* What a deed switched in an heir is no mere inheritance any more: W leaves it alone. */
static void operation_choose(struct model_process *p, const struct probes_result *done)
{
	size_t count = probes_count(p->session), before = p->chosen_size;

	if (!p->heir || !done || !done->item_count)
		return;
	if (before < count) {
		p->chosen = mem_grow(p->chosen, &p->chosen_size, count, sizeof *p->chosen);
		memset(p->chosen + before, 0, p->chosen_size - before);
	}
	for (size_t i = 0; i < done->item_count; i++)
		if (done->items[i].outcome == PROBES_DONE)
			p->chosen[done->items[i].probe] = true;
}

int operation_do(struct model *m, const struct operation_plan *plan, struct operation **deed,
	struct probes_error *e)
{
	struct operation *d = *deed = operation_new(m);
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
		status = operation_in_process(m, i, plan, d, &r, &one);
		status = operation_take(d, i, r, status, &one, e);
		if (!status && !operation_is_dry(plan))
			operation_choose(&m->processes[i], r);
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

int operation_restore(struct model *m, struct operation **deed, struct probes_error *e)
{
	struct operation *d = *deed = operation_new(m);
	int first = 0;

	for (size_t i = 0; i < m->process_count; i++) {
		struct probes_result *r = NULL;
		struct probes_error one = {0};
		int status;

		if (m->processes[i].gone || !probes_owned_count(m->processes[i].session))
			continue;
		status = probes_restore(m->processes[i].session, &r, &one);
		if (status < 0 && one.status == PROBES_GONE) { /* nothing left to undo */
			probes_result_free(r);
			continue;
		}
		status = operation_take(d, i, r, status, &one, e);
		first = first ? first : status;
	}
	return first;
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

static void operation_say_stop(const struct operation_sum *s, char *out, size_t size)
{
	if (!s->stopped_ns)
		text_addf(out, size, ", target not stopped");
	else
		text_addf(out, size, ", target stopped %.3f ms", (double)s->stopped_ns / 1e6);
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
	if (n)
		operation_say_stop(s, out, size);
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
