/*
 * Scanning the processes. Counts the probes of each; switches nothing,
 * stops nothing, keeps nothing open.
 */
#include "ui/tui/process/scan.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCAN_ROUND_MS 2000 /* between the end of a round and the next one */

void scan_done(struct scan *s)
{
	free(s->all);
	free(s->pids);
	*s = (struct scan){.comm = s->comm};
}

/* ------------------------------------------------------------- what /proc says */

static size_t scan_read(pid_t pid, const char *name, char *out, size_t size)
{
	char path[64];
	ssize_t n;
	int fd, code;

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	code = fd < 0 ? errno : 0;
	n = fd < 0 ? -1 : read(fd, out, size - 1);
	if (fd >= 0)
		close(fd);
	out[n > 0 ? n : 0] = '\0';
	errno = code;
	return n > 0 ? (size_t)n : 0;
}

/* "pid (comm) S ...": the name may hold anything, the last parenthesis ends it. */
bool scan_identify(pid_t pid, struct scan_identity *id)
{
	char stat[1024], *open, *close;

	scan_read(pid, "stat", stat, sizeof stat);
	open = strchr(stat, '(');
	close = strrchr(stat, ')');
	if (!open || !close || close < open)
		return false;
	*close = '\0';
	snprintf(id->comm, sizeof id->comm, "%s", open + 1);
	id->pid = pid;
	return sscanf(close + 1,
		       " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
		       "%*d %llu",
		       &id->start) == 1;
}

bool scan_same(const struct scan_identity *a, const struct scan_identity *b)
{
	return a->pid == b->pid && a->start == b->start && !strcmp(a->comm, b->comm);
}

static void scan_user(struct scan_process *p)
{
	static uid_t last = (uid_t)-1; /* neighbours often belong to one user */
	static char name[sizeof p->user];
	const struct passwd *pw;
	struct stat st;
	char path[64];

	snprintf(path, sizeof path, "/proc/%d", (int)p->id.pid);
	if (stat(path, &st) < 0)
		return;
	if (st.st_uid != last) {
		pw = getpwuid(st.st_uid);
		snprintf(name, sizeof name, "%u", (unsigned)st.st_uid);
		if (pw)
			text_clean(pw->pw_name, name, sizeof name);
		last = st.st_uid;
	}
	memcpy(p->user, name, sizeof name);
}

/* What was called, without its folder, and with what. */
static void scan_command(struct scan_process *p)
{
	char raw[4 * sizeof p->command], bracketed[32];
	size_t n = scan_read(p->id.pid, "cmdline", raw, sizeof raw);
	const char *program = text_base(raw); /* of the first word: the others are behind a NUL */
	size_t skipped = n && *program ? (size_t)(program - raw) : 0;

	while (n > skipped && !raw[n - 1])
		n--;
	for (size_t i = skipped; i < n; i++)
		raw[i] = raw[i] ? raw[i] : ' ';
	raw[n] = '\0';
	snprintf(bracketed, sizeof bracketed, "[%s]", p->id.comm);
	text_clean(n ? raw + skipped : bracketed, p->command, sizeof p->command);
	snprintf(p->all, sizeof p->all, "%d %s %s", (int)p->id.pid, p->user, p->command);
}

/* ------------------------------------------------------------- one process */

/* Is it a shortage of descriptors or memory? Such an error says nothing about the process. */
static bool scan_troubled(struct scan *s, const struct probes_error *e)
{
	if (!probes_is_shortage(e))
		return false;
	s->trouble = *e;
	return true;
}

/* False: it ended meanwhile, or descriptors or memory ran out. */
static bool scan_look(struct scan *s, struct scan_process *p)
{
	struct probes_survey survey;
	struct probes_access access;
	struct probes_error e = {0};

	scan_user(p);
	scan_command(p);
	if (probes_survey(p->id.pid, &survey, &e) < 0) {
		if (scan_troubled(s, &e))
			return false;
		p->kind = e.status == PROBES_DENIED ? SCAN_DENIED : SCAN_NONE;
		return e.status != PROBES_GONE;
	}
	p->probes = survey.probes;
	p->more = survey.more;
	p->unread = survey.unread;
	probes_explain(p->id.pid, &access);
	p->kind = p->probes || p->unread ? SCAN_PROBES : access.can_list ? SCAN_NONE : SCAN_DENIED;
	p->may_read = access.can_read;
	p->may_switch = access.can_switch;
	return true;
}

static void scan_count(struct scan *s, const struct scan_process *p, int by)
{
	size_t *count = p->kind == SCAN_PROBES ? &s->listed
			: p->kind == SCAN_NONE ? &s->none
					       : &s->denied;

	*count += (size_t)by;
	s->unread += p->kind == SCAN_PROBES && p->unread ? (size_t)by : 0;
}

static struct scan_process *scan_known(struct scan *s, const struct scan_process *like)
{
	for (size_t i = 0; i < s->count; i++) {
		struct scan_process *p = &s->all[i];

		if (!p->gone && scan_same(&p->id, &like->id))
			return p;
	}
	return NULL;
}

static bool scan_visit(struct scan *s, pid_t pid)
{
	struct scan_process p = {0}, *known;

	if (pid == getpid())
		return false;
	if (!scan_identify(pid, &p.id)) {
		struct probes_error e;

		probes_failed(&e, -errno, "cannot scan the processes");
		return scan_troubled(s, &e);
	}
	if (s->comm && strncmp(p.id.comm, s->comm, sizeof p.id.comm - 1))
		return false;
	known = scan_known(s, &p);
	if (known) {
		known->round = s->rounds + 1;
		return false;
	}
	if (!scan_look(s, &p))
		return false;
	p.round = s->rounds + 1;
	s->all = mem_grow(s->all, &s->capacity, s->count + 1, sizeof *s->all);
	s->all[s->count++] = p;
	scan_count(s, &p, 1);
	return true;
}

/* ---------------------------------------------------------------- rounds */

/* Those that this round has not seen are gone. */
static bool scan_finish(struct scan *s, int64_t now_ms)
{
	bool changed = s->rounds == 0 || s->trouble.code;

	s->rounds++;
	s->next_ms = now_ms + SCAN_ROUND_MS;
	for (size_t i = 0; i < s->count; i++) {
		if (s->all[i].gone || s->all[i].round == s->rounds || s->trouble.code)
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
		s->trouble = (struct probes_error){0};
		if (!s->pids)
			scan_troubled(s, &e);
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
