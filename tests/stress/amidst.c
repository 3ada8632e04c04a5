/*
 * Uprobes amidst taking back: they come and go at the very sites while -for ends, while a session
 * restores, while a repair runs. Often somebody has taken the holder's count away before, so
 * that what is there is the kernel's alone. Whatever the order: no uprobe loses its count or its
 * byte, all of them can be removed, and in the end each count is what its account says.
 */
#include "deeds.h"
#include "fault.h"
#include "holder.h"
#include "kinds.h"
#include "probes.h"
#include "uprobe.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process that places and removes uprobes until it is told to stop. */
struct churn {
	pid_t pid;
	int socket;
	unsigned char there[STORM_PLACES]; /* once it has stopped */
};

static void churn_run(const struct campaign *c, const struct holder *h, int socket)
{
	struct dice dice = *c->dice;
	int fds[HOLDER_PROBES];
	unsigned char there[STORM_PLACES] = {0};
	char byte;

	memset(fds, -1, sizeof fds);
	while (poll(&(struct pollfd){.fd = socket, .events = POLLIN}, 1, 0) == 0) {
		size_t i = dice_roll(&dice, (unsigned)h->count);

		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = fds[i] >= 0 ? -1 : uprobe_place(&c->field, &c->truth.probes[h->which[i]]);
		field_nap(dice_roll(&dice, 1500));
	}
	for (size_t i = 0; i < h->count; i++)
		there[h->which[i]] = fds[i] >= 0;
	/* What is there stays until the socket is closed. */
	if (read(socket, &byte, 1) != 1 ||
		write(socket, there, sizeof there) != (ssize_t)sizeof there ||
		read(socket, &byte, 1) != 0)
		_exit(1);
	_exit(0);
}

static void churn_start(struct campaign *c, const struct holder *h, struct churn *churn)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		fault_fatal("no socket");
	fflush(stdout);
	churn->pid = fork();
	if (churn->pid == 0) {
		close(ends[1]);
		churn_run(c, h, ends[0]);
	}
	close(ends[0]);
	churn->socket = ends[1];
	dice_roll(c->dice, 2);
}

static void churn_stop(struct campaign *c, struct churn *churn)
{
	if (write(churn->socket, "s", 1) != 1 ||
		read(churn->socket, churn->there, sizeof churn->there) !=
			(ssize_t)sizeof churn->there)
		fault_fatal("the uprobes' process does not answer");
	for (size_t i = 0; i < c->truth.count; i++)
		if (churn->there[i])
			fault_doing("  a uprobe is left on %s", c->truth.probes[i].name);
}

static void churn_end(struct churn *churn)
{
	int status = -1;

	close(churn->socket);
	waitpid(churn->pid, &status, 0);
	if (status)
		fault("the uprobes' process ended with status %x", (unsigned)status);
}

/*
 * With the uprobes that are there now: each count is taken back or, where the holder said that
 * something stays on record, still held; and none holds less than its uprobe.
 */
static void check_amidst(const struct campaign *c, const struct holder *h,
	const struct churn *churn, const truth_counts back, bool all)
{
	for (size_t i = 0; i < h->count; i++) {
		size_t k = h->which[i];
		const struct truth_probe *p = &c->truth.probes[k];
		unsigned theirs = p->sdt && churn->there[k];
		unsigned short value = 0;
		unsigned char byte = 0;

		if (!field_peek(&c->field, p->semaphore, &value, sizeof value) ||
			!field_peek(&c->field, p->sites[0], &byte, 1))
			fault_fatal("cannot read the count of %s", p->name);
		if (value < theirs)
			fault("%s: a uprobe is there, and its count is %u (%s)", p->name, value,
				p->account);
		else if (value - theirs != back[k] && (all || value - theirs != p->count))
			fault("%s: its count is %u, of which %u is a uprobe's; %u should be left "
			      "(%s)%s",
				p->name, value, theirs, back[k], p->account,
				all ? "" : ", unless it is on record");
		if (churn->there[k] != (byte == 0xcc))
			fault("%s: a uprobe is %s, its first byte is %02x", p->name,
				churn->there[k] ? "there" : "not there", byte);
	}
}

/* Before the uprobes come: they will be the only ones who count there. */
static void take_away(struct campaign *c, const struct holder *h)
{
	for (size_t i = 0; i < h->count; i++) {
		struct truth_probe *p = &c->truth.probes[h->which[i]];
		struct deed_call call = {.words = "attach"};

		if (!dice_once_in(c->dice, 2) || !truth_act(p, "a colleague", false, false))
			continue;
		deed_add(&call, " -disable %s", p->name);
		fault_doing("  a colleague: %s", call.words);
		tool_must(&c->tool, call.words);
	}
}

/* Nobody holds: others switch, and force off, what uprobes come to and leave. */
static void switch_amidst(struct campaign *c, const struct holder *h)
{
	static const char *const ways[] = {"-enable", "-disable", "-disable -force"};
	size_t way = dice_roll(c->dice, 3);
	struct deed_call call = {.words = "attach"};
	bool lowest = true;
	int status;

	for (size_t i = 0; i < h->count; i++)
		lowest = lowest && c->truth.probes[h->which[i]].count;
	if (way == 1 && !lowest)
		way = 0;
	deed_add(&call, " %s", way == 2 ? "-force -disable" : ways[way]);
	for (size_t i = 0; i < h->count; i++)
		deed_add(&call, "%s%s", i ? "," : " ", c->truth.probes[h->which[i]].name);
	status = tool_run(&c->tool, call.words, NULL).status;
	fault_doing("  %s: status %x", call.words, (unsigned)status);
	if (status && (way != 2 || (status != PROBES_REFUSED << 8 && status != PROBES_FAILED << 8)))
		fault("%s: status %x", call.words, (unsigned)status);
	/* Refused, it changed nothing: a uprobe was there. */
	for (size_t i = 0; i < h->count && !status; i++) {
		struct truth_probe *p = &c->truth.probes[h->which[i]];

		p->count = way == 2 ? 0 : way == 1 ? p->count - 1 : p->count + 1;
		truth_enter(p, "%s: %u", ways[way], p->count);
	}
}

static void deed_amidst_switching(struct campaign *c)
{
	struct holder h = {.count = 0};
	unsigned calls = 1 + dice_roll(c->dice, 3);
	struct churn churn;

	for (size_t i = 0; i < 2; i++)
		h.which[h.count++] = truth_find(&c->truth, i ? "wire" : "gate");
	if (dice_once_in(c->dice, 2))
		h.which[h.count++] = truth_find(&c->truth, "many");
	churn_start(c, &h, &churn);
	while (calls--)
		switch_amidst(c, &h);
	churn_stop(c, &churn);
	for (size_t i = 0; i < c->truth.count; i++)
		c->truth.probes[i].theirs = churn.there[i];
	inspect_victim(&c->truth, &c->field);
	churn_end(&churn);
	for (size_t i = 0; i < c->truth.count; i++)
		c->truth.probes[i].theirs = 0;
	fault_doing("  the uprobes are gone");
	inspect_victim(&c->truth, &c->field);
}

static void deed_amidst_taking_back(struct campaign *c)
{
	truth_counts held, back;
	struct churn churn;
	struct holder h;
	bool all;

	holder_begin(c, &h);
	take_away(c, &h);
	/* Without uprobes nothing stays. */
	truth_get(&c->truth, held);
	truth_take_back(&c->truth, h.hold, NULL);
	truth_get(&c->truth, back);
	for (size_t i = 0; i < c->truth.count; i++)
		c->truth.probes[i].count = held[i];
	churn_start(c, &h, &churn);
	field_nap(dice_roll(c->dice, 4000));
	holder_tell(c, &h);
	all = holder_end(c, &h);
	if (!all && dice_once_in(c->dice, 2)) {
		fault_doing("  repair, amidst them");
		tool_run(&c->tool, "repair", NULL);
	}
	churn_stop(c, &churn);
	check_amidst(c, &h, &churn, back, all);
	churn_end(&churn);
	kinds_count(c, all ? "all taken back" : "something left on record", 1);
	fault_doing("  the uprobes are gone");
	if (tool_journals(&c->tool)) {
		fault_doing("  repair");
		tool_must(&c->tool, "repair");
	}
	for (size_t i = 0; i < c->truth.count; i++)
		c->truth.probes[i].count = back[i];
	inspect_victim(&c->truth, &c->field);
}

void deed_amidst(struct campaign *c)
{
	if (c->leader_dies) {
		kinds_count(c, "not done without a leader", 1);
		return;
	}
	deed_no_uprobes(c);
	if (dice_once_in(c->dice, 3))
		deed_amidst_switching(c);
	else
		deed_amidst_taking_back(c);
}
