/* Libraries that a process opens while it is measured: which of their probes the call asked for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes.h"
#include "ui/cli/explain.h"
#include "ui/options/options.h"

struct later {
	const struct options *options;
	const struct probes_group *group;
	struct tally *ends; /* of the processes: PROBES_FAILED if hits are missing */
	bool many;          /* errors name the process */
	/* Measure the probes of an action, too. Returns the exit status. NULL: none is. */
	int (*more)(
		void *data, const struct probes_member *member, const struct probes_action *action);
	void *data; /* for the call */

	/* From here on zeroed. */
	struct later_process {
		size_t probes; /* of its session that were looked at */
		size_t begun;  /* so often it began to measure more */
		bool closed;   /* it closed a library that was measured, and may open it again */
	} * processes;         /* of the group */
	size_t count;
	size_t said, unsaid; /* libraries */
	int64_t next_ms;     /* not before: now_ms */
	bool complained;     /* a process could not be searched */
};

/* The probes that a member of the group has now are not later ones. False: no memory. */
bool later_begin(struct later *l, size_t member);

/*
 * Search all processes, measure what is new, and say what is not, or
 * since when. last: nothing more is begun.
 */
void later_look(struct later *l, bool last);

/* Is there a process to wait for, though nothing may be left to measure at present? */
bool later_waits(const struct later *l);

void later_done(struct later *l);
