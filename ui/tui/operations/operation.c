#include "ui/tui/operations/operation.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/line.h"
#include "ui/words/reasons.h"
#include "ui/words/states.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPERATION_LISTED 3 /* probes that are counted are named if they are no more */
#define OPERATION_NAMES 22 /* columns that the names of an operation may take */

struct operation *operation_new(const struct model *m)
{
	struct operation *op = mem_alloc(sizeof *op);

	op->count = m->process_count;
	op->results = mem_array(op->count, sizeof(struct probes_result *));
	return op;
}

void operation_free(struct operation *op)
{
	if (!op)
		return;
	for (size_t i = 0; i < op->count; i++)
		probes_result_free(op->results[i]);
	free(op->results);
	free(op->line);
	free(op);
}

bool operation_wrote(const struct operation *op)
{
	return op->sum.sites || op->sum.semaphores;
}

/*
 * Add the outcome of one process. status: of the engine's call; if it failed, nothing was changed
 * in the process, and its result is freed. Returns status.
 */
static int operation_take(struct operation *op, size_t process, struct probes_result *r, int status,
	const struct probes_error *e, struct probes_error *first)
{
	struct operation_sum *s = &op->sum;

	for (size_t i = 0; r && i < r->item_count; i++) {
		s->force_helps |= r->items[i].force_helps;
		if (r->items[i].outcome == PROBES_NOT_DONE && !s->why[0])
			text_clean(r->items[i].why, s->why, sizeof s->why);
	}
	if (r) {
		s->stop_sites += r->stop_sites;
		s->kernel_sites += r->kernel_sites;
		s->uprobe_sites += r->uprobe_sites;
	}
	for (int i = 0; r && i < PROBES_SKIPS; i++)
		s->skips[i] += r->skips[i];
	if (status < 0) {
		bool idle = status == -EALREADY;

		if (!s->failed_processes && !(idle && s->idle_processes))
			*first = *e;
		s->idle_processes += idle;
		s->failed_processes += !idle;
		probes_result_free(r);
		return status;
	}
	op->results[process] = r;
	s->processes++;
	if (!r)
		return 0;
	s->done += r->done;
	s->already += r->already;
	s->refused += r->not_done;
	s->sites += r->sites;
	s->written += r->edit_count > 0;
	s->sites_counted += r->counted_sites;
	s->sites_left += r->uncounted_sites;
	s->pages += r->mapped_pages;
	for (size_t i = 0; i < r->item_count; i++) {
		bool done = r->items[i].outcome == PROBES_DONE;

		s->counted += done && r->items[i].verb == PROBES_COUNT;
		s->uncounted += done && r->items[i].verb == PROBES_UNCOUNT;
	}
	if (r->stopped_ns > s->stopped_ns)
		s->stopped_ns = r->stopped_ns;
	if (r->held_ns > s->held_ns)
		s->held_ns = r->held_ns;
	for (size_t i = 0; i < r->edit_count; i++)
		s->semaphores += r->edits[i].role == PROBES_ROLE_SEMAPHORE;
	return 0;
}

/* Of probes that are counted, many are not named. */
static bool operation_is_numbered(const struct operation_plan *plan)
{
	return !plan->command && plan->verb >= PROBES_COUNT &&
	       plan->steps[0].count + plan->steps[1].count > OPERATION_LISTED;
}

static int operation_in_process(struct model *m, size_t process, const struct operation_plan *plan,
	struct probes_result **result, struct probes_error *e)
{
	struct probes_session *s = m->processes[process].session;
	struct probes_switch_options options =
		plan->command ? options_switch(plan->command) : plan->options;
	struct probes_action actions[OPERATION_STEPS];
	size_t n = 0;
	int status = 0;

	*result = NULL;
	options.once = true;
	options.dry_run |= plan->options.dry_run;
	if (plan->command)
		return probes_switch(s, plan->command->actions.items, plan->command->actions.count,
			&options, result, e);
	for (size_t i = 0; i < OPERATION_STEPS; i++) {
		struct probes_action *a = &actions[n];

		*a = (struct probes_action){
			.verb = plan->verb, .by = PROBES_BY_INDEX, .named = plan->named};
		a->indices = model_probes_of(
			m, process, plan->steps[i].ids, plan->steps[i].count, &a->count);
		n += a->count > 0;
	}
	if (n)
		status = probes_switch(s, actions, n, &options, result, e);
	for (size_t i = 0; i < n; i++)
		free((void *)actions[i].indices);
	return status;
}

int operation_do(struct model *m, const struct operation_plan *plan, struct operation **operation,
	struct probes_error *e)
{
	struct operation *op = *operation = operation_new(m);
	int first = 0;

	m->switched = m->switched || !plan->options.dry_run;
	operation_name(m, plan, op->what, sizeof op->what);
	op->force = plan->command ? plan->command->force : plan->options.force;
	op->keep = plan->options.keep_counts;
	op->pair = plan->steps[1].count;
	op->sum.numbered = operation_is_numbered(plan);
	if (plan->command && asprintf(&op->line, " %s\n", plan->text) < 0)
		abort();
	for (size_t i = 0; i < m->process_count; i++) {
		struct probes_result *r;
		struct probes_error one = {0};
		int status;

		if (m->processes[i].gone)
			continue;
		status = operation_in_process(m, i, plan, &r, &one);
		status = operation_take(op, i, r, status, &one, e);
		first = first && first != -EALREADY ? first : status ? status : first;
	}
	return first;
}

int operation_revert(struct model *m, const struct operation *done, struct operation **operation,
	struct probes_error *e)
{
	struct operation *op = *operation = operation_new(m);
	int first = 0;

	snprintf(op->what, sizeof op->what, "%s", done->what);
	op->reverts = true;
	op->sum.numbered = done->sum.numbered;
	for (size_t i = 0; i < m->process_count && i < done->count; i++) {
		struct probes_result *r = NULL;
		struct probes_error one = {0};
		int status;

		if (!done->results[i] || m->processes[i].gone)
			continue;
		status = probes_revert(m->processes[i].session, done->results[i], &r, &one);
		status = operation_take(op, i, r, status, &one, e);
		first = first && first != -EALREADY ? first : status ? status : first;
	}
	return first;
}

int operation_undone(struct operation *op, const struct model *m, struct probes_undone *u,
	struct probes_error *first)
{
	size_t i = 0;
	int status;

	op->reverts = true;
	if (u->error && u->error->status == PROBES_GONE)
		return 0; /* nothing is left to undo */
	while (i < op->count && m->processes[i].session != u->member->session)
		i++;
	if (i == op->count)
		return 0;
	status = operation_take(op, i, u->result, u->error ? u->error->code : 0, u->error, first);
	u->result = NULL;
	return status;
}

struct operation *operation_of(
	const struct model *m, struct probes_result *result, const char *what)
{
	struct operation *op = operation_new(m);

	snprintf(op->what, sizeof op->what, "%s", what);
	operation_take(op, 0, result, 0, NULL, NULL);
	return op;
}

const char *operation_verb(enum probes_verb verb)
{
	static const char *const words[] = {[PROBES_ENABLE] = "on",
		[PROBES_DISABLE] = "off",
		[PROBES_COUNT] = "count",
		[PROBES_UNCOUNT] = "uncount"};

	return words[verb];
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
	snprintf(what, size, "%s%s ", plan->options.force ? "force " : "",
		operation_verb(plan->verb));
	for (size_t i = 0; i < OPERATION_STEPS; i++)
		total += plan->steps[i].count;
	if (operation_is_numbered(plan)) {
		text_addf(what, size, "%zu probes", total);
		return;
	}
	for (size_t i = 0; i < OPERATION_STEPS; i++)
		for (size_t j = 0; j < plan->steps[i].count; j++) {
			const char *name = row_name(&m->rows[plan->steps[i].ids[j]]);

			used += text_width(name) + 1;
			if (shown > 1 && used > OPERATION_NAMES)
				break;
			text_addf(what, size, "%s%.60s", shown++ ? "," : "", name);
		}
	if (total > shown)
		text_addf(what, size, " +%zu more", total - shown);
}

#define OPERATION_SHOWN 2 /* reasons that are said */

const char *operation_left(
	const struct model *m, const struct operation *op, char *out, size_t size)
{
	struct reasons reasons = {0};
	size_t said = 0;
	char why[160];

	for (size_t i = 0; i < op->count; i++) {
		const struct probes_result *r = op->results[i];

		for (size_t j = 0; r && j < r->item_count; j++)
			if (r->items[j].verb == PROBES_COUNT)
				reasons_add(&reasons, m->processes[i].session, r->items[j].probe);
	}
	out[0] = '\0';
	for (size_t i = 0; i < reasons.count && i < OPERATION_SHOWN; i++) {
		text_addf(out, size, "%s%zu: %s", i ? "; " : "", reasons.all[i].sites,
			text_clean(reasons.all[i].why, why, sizeof why));
		said += reasons.all[i].sites;
	}
	if (reasons.sites > said)
		text_addf(out, size, "; %zu for other reasons", reasons.sites - said);
	return out;
}

const char *operation_say(const struct operation_sum *s, char *out, size_t size)
{
	size_t n = s->sites ? s->sites : s->semaphores;
	char skips[STATES_SKIPS];

	out[0] = '\0';
	if (s->counted && s->sites_left && n)
		text_addf(out, size, "%zu of %zu sites", s->sites_counted,
			s->sites_counted + s->sites_left);
	else if (n)
		text_addf(out, size, "%zu %s%s", n, s->sites ? "site" : "semaphore", line_s(n));
	else if (s->counted && s->sites_counted)
		text_addf(out, size, "%zu site%s, with counters that were there already",
			s->sites_counted, line_s(s->sites_counted));
	else
		text_addf(out, size, "nothing was changed");
	if (n && s->numbered && s->uncounted && s->processes == 1) /* the others were left alone */
		text_addf(out, size, " of %zu probe%s", s->uncounted, line_s(s->uncounted));
	if (n && s->written < s->processes)
		text_addf(out, size, " in %zu of %zu processes", s->written, s->processes);
	else if (s->processes > 1)
		text_addf(out, size, " in %zu processes", s->processes);
	if (n && s->stopped_ns)
		text_addf(out, size, ", target stopped %.*f ms", s->stopped_ns < 1000000 ? 2 : 1,
			(double)s->stopped_ns / 1e6);
	else if (n && s->held_ns)
		text_addf(out, size, ", one thread held %.*f ms", s->held_ns < 1000000 ? 2 : 1,
			(double)s->held_ns / 1e6);
	else if (n)
		text_addf(out, size, ", target not stopped");
	if (s->already)
		text_addf(out, size, "; %zu on by you already", s->already);
	if (s->counted) /* operation_left says what is left */
		return out;
	if (states_skips(s->skips, skips, sizeof skips)[0])
		text_addf(out, size, "; %s", skips);
	if (s->refused)
		text_addf(out, size, "; %zu not done (%s%s)", s->refused,
			s->refused == 1 ? "" : "the first: ", s->why);
	return out;
}
