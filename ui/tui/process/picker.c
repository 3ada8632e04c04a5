#include "ui/tui/process/picker.h"

#include "ui/options/cmdline.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the scan: it switches nothing, stops nothing, keeps nothing open ---- */

#define SCAN_ROUND_MS 2000 /* pause between rounds */

bool scan_identify(pid_t pid, struct scan_identity *id)
{
	struct probes_process_info info;
	struct probes_error e;

	if (probes_process_info(pid, &info, &e) < 0) {
		errno = -e.code;
		return false;
	}
	id->pid = pid;
	id->start = info.start;
	memcpy(id->comm, info.name, sizeof id->comm);
	return true;
}

bool scan_same(const struct scan_identity *a, const struct scan_identity *b)
{
	return a->pid == b->pid && a->start == b->start && !strcmp(a->comm, b->comm);
}

/* Fill the texts of a process: user, command without its directory, both for filters. */
static void scan_describe(struct scan_process *p)
{
	static uid_t last = (uid_t)-1; /* consecutive processes often belong to one user */
	static char name[sizeof p->user];
	char raw[4 * sizeof p->command], path[64];
	const struct passwd *pw;
	struct stat st;

	snprintf(path, sizeof path, "/proc/%d", (int)p->id.pid);
	if (stat(path, &st) == 0) {
		if (st.st_uid != last) {
			pw = getpwuid(st.st_uid);
			snprintf(name, sizeof name, "%u", (unsigned)st.st_uid);
			if (pw)
				text_clean(pw->pw_name, name, sizeof name);
			last = st.st_uid;
		}
		memcpy(p->user, name, sizeof name);
	}
	cmdline_read(p->id.pid, p->id.comm, raw, sizeof raw);
	text_clean(raw, p->command, sizeof p->command);
	snprintf(p->all, sizeof p->all, "%d %s %s", (int)p->id.pid, p->user, p->command);
}

/* True and noted: a shortage of descriptors or memory, which says nothing about the process. */
static bool scan_shortage(struct scan *s, const struct probes_error *e)
{
	if (!probes_is_shortage(e))
		return false;
	s->shortage = *e;
	return true;
}

/* Add a process to the counts (1), or subtract it (-1). */
static void scan_count(struct scan *s, const struct scan_process *p, int by)
{
	size_t *count = p->kind == SCAN_PROBES ? &s->listed
			: p->kind == SCAN_NONE ? &s->none
					       : &s->denied;

	*count += (size_t)by;
	s->unread += p->kind == SCAN_PROBES && p->unread ? (size_t)by : 0;
}

/* Look at one process. True: the list changed. */
static bool scan_visit(struct scan *s, pid_t pid)
{
	struct scan_process p = {.round = s->rounds + 1};
	struct probes_survey survey;
	struct probes_access access;
	struct probes_error e = {0};

	if (pid == getpid())
		return false;
	if (!scan_identify(pid, &p.id)) {
		probes_failed(&e, -errno, "cannot scan the processes");
		return scan_shortage(s, &e);
	}
	if (s->comm && strncmp(p.id.comm, s->comm, sizeof p.id.comm - 1))
		return false;
	for (size_t i = 0; i < s->count; i++) {
		if (!s->all[i].gone && scan_same(&s->all[i].id, &p.id)) {
			s->all[i].round = p.round;
			return false;
		}
	}
	scan_describe(&p);
	if (probes_survey(pid, &survey, &e) < 0) {
		if (scan_shortage(s, &e) || e.status == PROBES_GONE)
			return false;
		p.kind = e.status == PROBES_DENIED ? SCAN_DENIED : SCAN_NONE;
	} else {
		p.probes = survey.probes;
		p.more = survey.more;
		p.unread = survey.unread;
		probes_explain(pid, &access);
		p.kind = p.probes || p.unread ? SCAN_PROBES
			 : access.can_list    ? SCAN_NONE
					      : SCAN_DENIED;
		p.may_read = access.can_read;
		p.may_count = access.can_switch;
		p.may_switch = access.can_switch && (survey.semaphores || survey.unread);
	}
	s->all = mem_grow(s->all, &s->capacity, s->count + 1, sizeof *s->all);
	s->all[s->count++] = p;
	scan_count(s, &p, 1);
	return true;
}

/* End a round: processes that it did not see are gone. */
static bool scan_finish(struct scan *s, int64_t now_ms)
{
	bool changed = s->rounds == 0 || s->shortage.code;

	s->rounds++;
	s->next_ms = now_ms + SCAN_ROUND_MS;
	for (size_t i = 0; i < s->count; i++) {
		if (s->all[i].gone || s->all[i].round == s->rounds || s->shortage.code)
			continue;
		s->all[i].gone = true;
		s->all[i].tagged = false;
		scan_count(s, &s->all[i], -1);
		changed = true;
	}
	free(s->pids);
	s->pids = NULL;
	s->pid_count = s->pid_at = 0;
	return changed;
}

bool scan_step(struct scan *s, int64_t now_ms)
{
	struct probes_error e = {0};

	if (!s->pids) {
		if (now_ms < s->next_ms)
			return false;
		if (probes_processes(&s->pids, &s->pid_count, &e) < 0)
			s->pid_count = 0;
		s->pid_at = 0;
		s->shortage = (struct probes_error){0};
		if (!s->pids)
			scan_shortage(s, &e);
		if (!s->pids)
			return scan_finish(s, now_ms);
	}
	if (s->pid_at >= s->pid_count)
		return scan_finish(s, now_ms);
	return scan_visit(s, s->pids[s->pid_at++]);
}

int64_t scan_wait(const struct scan *s, int64_t now_ms)
{
	return s->pids || now_ms >= s->next_ms ? 0 : s->next_ms - now_ms;
}

/* ---- the list ---- */

void picker_init(struct picker *p, const char *comm)
{
	char why[8];

	memset(p, 0, sizeof *p);
	p->used = true;
	p->scan.comm = comm;
	rowlist_init(&p->rows);
	p->filter = filter_parse("", why, sizeof why);
}

void picker_done(struct picker *p)
{
	if (!p->used)
		return;
	free(p->scan.all);
	free(p->scan.pids);
	rowlist_done(&p->rows);
	filter_free(p->filter);
	search_done(&p->search);
	memset(p, 0, sizeof *p);
}

static int picker_compare(const void *a, const void *b, void *data)
{
	const struct scan_process *all = data;
	pid_t x = all[*(const uint32_t *)a].id.pid, y = all[*(const uint32_t *)b].id.pid;

	return (x > y) - (x < y);
}

void picker_update(struct picker *p)
{
	uint32_t *ids = mem_array(p->scan.count, sizeof *ids);
	size_t count = 0;

	for (size_t i = 0; i < p->scan.count; i++) {
		const struct scan_process *one = &p->scan.all[i];
		struct filter_subject subject = {.text = one->all,
			.provider = "",
			.object = one->command,
			.tagged = one->tagged};

		if (!one->gone && one->kind == SCAN_PROBES && filter_match(p->filter, &subject))
			ids[count++] = (uint32_t)i;
	}
	qsort_r(ids, count, sizeof *ids, picker_compare, p->scan.all);
	rowlist_set(&p->rows, ids, count);
	free(ids);
}

int picker_filter(struct picker *p, const char *text, char *why, size_t size)
{
	if (filter_replace(&p->filter, text, why, size) < 0)
		return -1;
	picker_update(p);
	return 0;
}

const struct scan_process *picker_current(const struct picker *p)
{
	uint32_t id = rowlist_current(&p->rows);

	return id == ROWLIST_NONE ? NULL : &p->scan.all[id];
}

size_t picker_chosen(const struct picker *p, struct scan_identity **chosen)
{
	const struct scan_process *current = picker_current(p);
	size_t count = 0;

	*chosen = mem_array(p->rows.count, sizeof **chosen);
	for (size_t i = 0; i < p->rows.count; i++) {
		const struct scan_process *one = &p->scan.all[p->rows.ids[i]];

		if (one->tagged)
			(*chosen)[count++] = one->id;
	}
	if (!count && current)
		(*chosen)[count++] = current->id;
	return count;
}

void picker_tag(struct picker *p)
{
	uint32_t id = rowlist_current(&p->rows);

	if (id == ROWLIST_NONE)
		return;
	p->scan.all[id].tagged = !p->scan.all[id].tagged;
	rowlist_move(&p->rows, 1);
}

void picker_tag_shown(struct picker *p)
{
	for (size_t i = 0; i < p->rows.count; i++)
		p->scan.all[p->rows.ids[i]].tagged = true;
}

void picker_untag(struct picker *p)
{
	for (size_t i = 0; i < p->scan.count; i++)
		p->scan.all[i].tagged = false;
	picker_update(p); /* the filter may be for tagged ones */
}
