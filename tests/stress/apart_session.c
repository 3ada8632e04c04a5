/* Sessions of our own that look at a victim apart: of the library, and of the tool. */
#include "apart.h"

#include "deeds.h"
#include "fault.h"
#include "hits.h"
#include "kinds.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART_ENTER "/usr/bin/nsenter"

/* ----------------------------------------------------- of the library */

/* The probes that are counted as a whole, and their hits. */
struct apart_truth apart_counted(struct probes_session *s, bool *all)
{
	struct apart_truth t = {0};
	struct probes_error e;

	*all = true;
	if (probes_refresh(s, NULL, 0, &e) < 0 || probes_read_hits(s, &e) < 0) {
		fault("%s: %s", e.what, e.why);
		*all = false;
		return t;
	}
	for (size_t i = 0; i < probes_count(s); i++) {
		struct probes_hits h = probes_hits(s, i);

		*all = *all && h.counted == probes_at(s, i)->site_count;
		*(strcmp(probes_at(s, i)->name, "hit") ? &t.says : &t.hits) = h.hits;
	}
	return t;
}

static void apart_compare(struct campaign *c, const char *who, struct apart_truth got,
	struct apart_truth wanted, bool exact)
{
	if (exact ? got.hits != wanted.hits || got.says != wanted.says
		  : got.hits > wanted.hits || got.says > wanted.says)
		fault("%s: %lu and %lu hits, %s %lu and %lu", who, got.hits, got.says,
			exact ? "there were" : "there were no more than", wanted.hits, wanted.says);
	kinds_count(c, exact ? "sums agreed" : "sums not too high", 1);
}

static struct apart_truth apart_since(struct apart_truth now, struct apart_truth then)
{
	return (struct apart_truth){now.hits - then.hits, now.says - then.says};
}

/* A session of the library; it may close and leave its counters. */
void apart_counts(struct campaign *c, struct apart *a)
{
	bool stop = dice_once_in(c->dice, 2), leaves = dice_once_in(c->dice, 3), all;
	struct probes_session *s = hits_open(a->f.pid);
	struct apart_truth then, now, first;

	fault_doing(" counted%s%s", stop ? " with a stop" : "", leaves ? ", closed and left" : "");
	if (!hits_act(s, PROBES_COUNT, PROBES_BY_ALL, c->dice, stop)) {
		kinds_count(c, "refused", 1);
		probes_close(s);
		return;
	}
	first = apart_counted(s, &all);
	then = apart_truth(a);
	a->unlike = false;
	a->session = s;
	apart_deeds(c, a);
	a->session = NULL;
	if (!a->dead) {
		now = apart_counted(s, &all);
		if (all)
			apart_compare(c, "counted", apart_since(now, first),
				apart_since(apart_truth(a), then), !a->unlike);
	}
	a->left = a->left || leaves;
	if (!leaves && a->processes)
		apart_go(a);
	if (!leaves)
		hits_restore(s);
	probes_close(s);
}

/* --------------------------------------------------------- of the tool */

static const struct apart_way {
	const char *words;
	bool reads_time;
} apart_ways[] = {
	{"count -max-overhead 0 -format json -all", false},
	{"latency -max-overhead 0 hit,say", true},
	/* More often: what reads texts makes system calls. */
	{"events -max-overhead 0 -format json say -str arg2", true},
	{"events -max-overhead 0 -format json say -str arg2", true},
	{"events -max-overhead 0 -format json say -str arg2", true},
	{"events -max-overhead 0 -format json -all", true},
	{"callers -max-overhead 0 say", true},
	{"callers -max-overhead 0 -stack hit", true},
};
#define APART_WAYS (sizeof apart_ways / sizeof *apart_ways)

/* Our tool and its output, which is a file of its own. */
struct apart_session {
	pid_t pid;
	char words[DEED_WORDS], output[600];
};

static void apart_begin(struct campaign *c, struct apart *a, struct apart_session *s, bool inside)
{
	const char *argv[40];
	char text[DEED_WORDS], pid[16], *rest = text;
	size_t n = 0;

	snprintf(s->output, sizeof s->output, "%s/apart-%lu%s", c->folder, c->rounds,
		inside ? "-inside" : "");
	unlink(s->output);
	if (inside)
		for (const char *const *word = (const char *const[]){APART_ENTER, "-t", a->tool.pid,
			     "-p", "-m", NULL};
			*word; word++)
			argv[n++] = *word;
	snprintf(text, sizeof text, "%s", s->words);
	snprintf(pid, sizeof pid, "%d", inside ? 1 : a->f.pid);
	argv[n++] = c->tool.path;
	argv[n++] = strtok_r(rest, " ", &rest);
	argv[n++] = "-no-syslog";
	argv[n++] = dice_once_in(c->dice, 3) ? "-tree" : "-pid";
	argv[n++] = pid;
	fault_doing(" %s%s %s", s->words, inside ? " inside" : "", argv[n - 2]);
	while (n < 39 && (argv[n] = strtok_r(rest, " ", &rest)))
		n++;
	argv[n] = NULL;
	s->pid = killer_start((char *const *)argv, &a->tool.birth, s->output);
}

/* What its output says; NULL: nothing like it. The caller frees it. */
static char *apart_said(const struct apart_session *s, const char *what)
{
	FILE *file = fopen(s->output, "re");
	char *line = NULL;
	size_t size = 0;

	while (file && getline(&line, &size, file) > 0)
		if (strstr(line, what)) {
			fclose(file);
			return line;
		}
	if (file)
		fclose(file);
	free(line);
	return NULL;
}

static bool apart_says(const struct apart_session *s, const char *what)
{
	char *line = apart_said(s, what);

	free(line);
	return line;
}

static void apart_show(const struct apart_session *s)
{
	FILE *file = fopen(s->output, "re");
	char line[400];
	int most = 20;

	while (file && most && fgets(line, sizeof line, file))
		if (*line != '{' && most-- > 0)
			printf("    | %s", line);
	if (file)
		fclose(file);
}

/* Until it counts; false: it has ended before, which is a fault unless it was refused. */
static bool apart_counting(struct campaign *c, struct apart_session *s)
{
	long until = field_now() + DEED_PATIENCE_MS;
	int status = 0;

	while (field_now() < until) {
		bool begun = apart_says(s, "counting ") || apart_says(s, "measuring ");

		if (waitpid(s->pid, &status, WNOHANG) == s->pid) {
			if (!WIFEXITED(status) || WEXITSTATUS(status) != PROBES_REFUSED) {
				fault("%s: status %x", s->words, (unsigned)status);
				apart_show(s);
			}
			kinds_count(c, "refused", 1);
			unlink(s->output);
			return false;
		}
		if (begun)
			return true;
		field_nap(2000);
	}
	fault("%s: does not begin", s->words);
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	return false;
}

/* Each child of clone(2) says its own pid. */
static void apart_check_texts(const struct apart *a, const struct apart_session *s)
{
	FILE *file = fopen(s->output, "re");
	char *line = NULL;
	size_t size = 0;

	while (file && getline(&line, &size, file) > 0) {
		char *text = strstr(line, "\"text\":\"of "), *pid = strstr(line, "\"pid\":");

		if (!a->init && text && pid && text[11] != 't' && atoi(text + 11) != atoi(pid + 6))
			fault("an event of another: %s", line);
	}
	free(line);
	if (file)
		fclose(file);
}

/* Poke until events are kept: the first of all is there then. */
static void apart_keeping(struct apart *a, const struct apart_session *s)
{
	long until = field_now() + DEED_PATIENCE_MS;
	siginfo_t ended = {0};

	while (!a->dead && !ended.si_pid && !apart_says(s, "\"args\"")) {
		if (field_now() > until) {
			fault("%s: keeps no event", s->words);
			return;
		}
		apart_ask(a, "step 1");
		field_nap(2000);
		waitid(P_PID, (id_t)s->pid, &ended, WEXITED | WNOHANG | WNOWAIT);
	}
}

/* Kept, lost or only counted: all that were, between the two times at which it began and ended. */
static void apart_check_events(struct campaign *c, const struct apart_session *s,
	struct apart_truth most, struct apart_truth least, bool exact)
{
	char *line = apart_said(s, "{\"events\":");
	unsigned long kept = 0, lost = 0, counted = 0, sum;
	bool all = strstr(s->words, "-all");

	if (!line ||
		sscanf(line, "{\"events\":%lu,\"lost\":%lu,\"undecided\":%*u,\"only_counted\":%lu",
			&kept, &lost, &counted) != 3) {
		fault("%s: no total", s->words);
		apart_show(s);
	}
	free(line);
	sum = kept + lost + counted;
	if (sum > most.says + (all ? most.hits : 0) ||
		(exact && sum < least.says + (all ? least.hits : 0)))
		fault("%s: %lu events, %lu lost, %lu only counted; there were %lu to %lu", s->words,
			kept, lost, counted, least.says + (all ? least.hits : 0),
			most.says + (all ? most.hits : 0));
	kinds_count(c, "sums of events", 1);
}

/* The number of hits of a probe in a table; NULL: it is not there. */
static const char *apart_hits(const char *line, const char *name)
{
	static const char field[] = "\"hits\":";
	const char *probe = strstr(line, name), *hits = probe ? strstr(probe, field) : NULL;

	return hits ? hits + sizeof field - 1 : NULL;
}

static void apart_check_counts(
	struct campaign *c, const struct apart_session *s, struct apart_truth wanted, bool exact)
{
	char *line = apart_said(s, "\"table\":\"total\"");
	const char *hit = line ? apart_hits(line, "\"name\":\"hit\"") : NULL;
	const char *say = line ? apart_hits(line, "\"name\":\"say\"") : NULL;

	if (!hit || !say) {
		fault("%s: no total", s->words);
		apart_show(s);
	} else {
		apart_compare(c, s->words,
			(struct apart_truth){strtoul(hit, NULL, 10), strtoul(say, NULL, 10)},
			wanted, exact);
	}
	free(line);
}

/* One session from begin to end, killed or not; the other one looks from inside the namespace. */
void apart_session(struct campaign *c, struct apart *a)
{
	const struct apart_way *way = &apart_ways[dice_roll(c->dice, APART_WAYS)];
	bool killed = dice_once_in(c->dice, 3), fresh = !a->left, exact, refused;
	struct apart_session s, other = {.pid = 0};
	struct apart_truth then, first, now;
	int status = -1;

	/* Threads that are there already are looked at when the session begins. */
	snprintf(s.words, sizeof s.words, "%s%s", way->words,
		dice_once_in(c->dice, 2) ? " -stop -max-stop 20000" : "");
	then = apart_truth(a);
	apart_begin(c, a, &s, false);
	if (!apart_counting(c, &s))
		return;
	if (!strncmp(s.words, "events", 6))
		apart_keeping(a, &s);
	first = apart_truth(a);
	a->unlike = false;
	a->reading = way->reads_time;
	if (a->init && access(APART_ENTER, X_OK) == 0 && dice_once_in(c->dice, 2)) {
		way = &apart_ways[dice_roll(c->dice, APART_WAYS)];
		snprintf(other.words, sizeof other.words, "%s -for %ums", way->words,
			1 + dice_roll(c->dice, 400));
		a->reading = true;
		apart_begin(c, a, &other, true);
		kinds_count(c, "sessions inside", 1);
	}
	apart_deeds(c, a);
	if (killed)
		field_nap(dice_roll(c->dice, 3000));
	if (!killed && a->processes)
		apart_go(a);
	fault_doing(killed ? " killed" : " interrupted");
	kill(s.pid, killed ? SIGKILL : SIGINT);
	waitpid(s.pid, &status, 0);
	/* Measuring is refused when sites are counted already. */
	refused = !killed && status == PROBES_REFUSED << 8;
	if (!killed && !a->dead && !refused && status != (128 + SIGINT) << 8) {
		fault("%s: status %x", s.words, (unsigned)status);
		apart_show(&s);
	}
	/* In part (1), where the one outside counts already. */
	if (other.pid && waitpid(other.pid, &status, 0) == other.pid && !a->dead && status &&
		status != 1 << 8 && status != PROBES_REFUSED << 8) {
		fault("%s inside: status %x", other.words, (unsigned)status);
		apart_show(&other);
	}
	a->left = a->left || killed;
	a->reading = false;
	exact = fresh && !a->unlike && !other.pid;
	now = apart_truth(a);
	if (!killed && !a->dead && !refused && !strncmp(s.words, "count", 5) &&
		apart_says(&s, "counting 2 of 2 sites"))
		apart_check_counts(c, &s, apart_since(now, then), exact);
	if (!killed && !a->dead && !refused && !strncmp(s.words, "events", 6))
		apart_check_events(c, &s, apart_since(now, then), apart_since(now, first), exact);
	apart_check_texts(a, &s);
	kinds_count(c, killed ? "sessions killed" : "sessions", 1);
	if (!killed)
		unlink(s.output);
	unlink(other.output);
}
