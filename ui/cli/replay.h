/* A recording while it is replayed. */
#ifndef UI_CLI_REPLAY_H
#define UI_CLI_REPLAY_H

#include "ui/cli/events_print.h"
#include "ui/cli/latency_print.h"
#include "ui/figures/pairing.h"
#include "ui/recording/recording.h"

struct replay {
	const struct options *options;
	struct recording recording;
	struct probes_condition *filter;
	struct probes_condition **regexps; /* of the actions; NULL: it is a name */
	struct events_print print;
	struct latency_list list;
	struct pairing *pairings; /* with -latency: of the rows */
	struct shown {
		bool chosen, start, end;
		enum pair_role role;
		size_t row; /* of the pair */
	} * shown;          /* by probe; NULL: not chosen yet */
	size_t shown_count;
	uint64_t lost;
	int64_t first_ns, last_ns; /* of the events */
	struct recording_end end;  /* how: NULL: it has none */
};

/* Understand -where and the expressions of -regexp. */
PROBES_CHECK int replay_prepare(struct replay *c, struct probes_error *e);

/*
 * Choose, once all probes are known: before the first event, or at the end. PROBES_USAGE: the
 * recording has no such probe or pair.
 */
PROBES_CHECK int replay_choose(struct replay *c, struct probes_error *e);

/* Free what the two made. */
void replay_choose_done(struct replay *c);

#endif
