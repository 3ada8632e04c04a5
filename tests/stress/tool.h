/* Running probes-tui on the victim of a campaign. */
#ifndef STRESS_TOOL_H
#define STRESS_TOOL_H

#include "killer.h"

#include <stddef.h>
#include <sys/types.h>

struct tool {
	const char *path;
	char output[512];   /* what it printed, appended */
	char journals[512]; /* the folder of its journals */
	char pid[16];       /* of the victim, as a word */
	struct killer_birth birth;
};

/* Its journals and its output go to `folder`. */
void tool_init(struct tool *t, const char *path, const char *folder);
void tool_aim(struct tool *t, pid_t victim);

/* Run a verb with options, separated by blanks; the pid is put behind the verb. NULL: not killed.
 */
struct killer_end tool_run(const struct tool *t, const char *words, const struct killer *k);
/* A fault, with what it printed since the mark, unless its exit status is 0. */
bool tool_succeeded(const struct tool *t, const char *words, struct killer_end end, long mark);
/* Run it; a fault unless its exit status is 0. */
void tool_must(const struct tool *t, const char *words);
/* Start it and go on. */
pid_t tool_start(const struct tool *t, const char *words);

/* Where its output ends now, and whether what it said since then holds a word. */
long tool_mark(const struct tool *t);
bool tool_said(const struct tool *t, long mark, const char *word);

/* How many journals lie in the folder. */
size_t tool_journals(const struct tool *t);
/* Put them aside, under a name with that number. */
void tool_keep_journals(const struct tool *t, unsigned long number);

#endif
