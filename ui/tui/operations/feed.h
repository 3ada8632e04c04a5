/*
 * The events of rows, in all processes of the screen that have them: the last ones are kept. That
 * the rows are counted is an operation (operation.h) of its own. The events of a recording come
 * from its file, from its beginning on, as those of processes come from them. Knows rows, sessions
 * and recordings, not the screen.
 */
#pragma once

#include "probes.h"
#include "ui/figures/callers.h"
#include "ui/figures/distribution.h"
#include "ui/recording/replay.h"
#include "ui/tui/rows/model.h"

#define FEED_MOST 10000u /* events that are kept */

struct feed_event {
	uint32_t id;      /* in the order in which they came; never ROWLIST_NONE */
	uint32_t row;     /* of the model, */
	uint32_t process; /* whose session delivered it */
	unsigned epoch;   /* feed.epoch, then */
	struct probes_event event;
	const struct probes_caller *caller; /* as it was recorded; NULL: the session knows it */
	_Alignas(struct probes_caller) char texts[]; /* to which they point */
};

/* A row, in all processes. */
struct feed_row {
	uint32_t row;
	bool over;       /* its events ended, because they cost too much */
	unsigned tried;  /* events of it whose values were taken for addresses of texts */
	unsigned trying; /* how many more in this reading */
};

/* The rows in one process. */
struct feed_part {
	uint32_t process; /* of the model */
	struct probes_session *session;
	size_t *probes; /* in the session, in the order of the rows */
	size_t count;
	size_t *places; /* by probe: index into feed.rows */
	bool on;        /* events of some come now */
	char why[160];  /* why not, safe for the terminal */
};

/* What is asked for. */
struct feed_ask {
	unsigned texts;    /* as probes_event_options.texts */
	const char *where; /* a condition (probes_condition_parse) or NULL */
	bool callers;      /* as probes_event_options.callers */
	bool interrupts;   /* as probes_event_options.interrupts */
};

struct feed;

/* Where the events come from. */
struct feed_ops {
	/* Would these options be accepted in all parts? NULL: yes. */
	int (*check)(const struct feed *f, const struct model *m,
		const struct probes_event_options *options, struct probes_error *e);
	/* Begin by feed.ask and feed.condition; sets feed_part.on. 0, if it began in some part. */
	int (*begin)(struct feed *f, const struct model *m, struct probes_error *e);
	/* Call feed_add for what came; `last`: for what is newest, too. */
	void (*read)(struct feed *f, const struct model *m, bool last);
	/* Set feed.sum. */
	void (*sum)(struct feed *f, const struct model *m);
	/* Never call feed_add for what came and was not read yet; NULL: there is no such thing. */
	void (*forget)(struct feed *f, const struct model *m);
	/* No more of a row (an index of feed.rows); NULL: it costs nothing. */
	void (*drop)(struct feed *f, const struct model *m, size_t place);
	/* No more; what came until then can still be read, where feed_part.on stays. */
	void (*end)(struct feed *f, const struct model *m);
};
extern const struct feed_ops feed_live_ops, feed_recorded_ops;

struct feed {
	const struct feed_ops *ops;
	bool used; /* there is something to show */
	struct feed_row *rows;
	size_t count;
	struct feed_part *parts;
	size_t part_count;
	struct feed_part **part_of; /* by process of the model; NULL: it has none of the rows */

	struct replay *replay;   /* the recording from which they come; NULL: from processes */
	struct replay_pass pass; /* of it */
	bool no_callers;         /* it holds none */
	uint64_t undecided;      /* of its events, by our condition */

	struct feed_ask ask;                /* its text is a copy */
	struct probes_condition *condition; /* NULL: all events */

	struct feed_event **all;   /* a ring of FEED_MOST */
	size_t first, kept;        /* of it */
	uint32_t next;             /* id */
	bool held;                 /* as feed_hold */
	size_t behind;             /* of those kept: came since then, and are not summed up yet */
	struct feed_event **fresh; /* of a reading */
	size_t fresh_count, fresh_capacity;

	struct probes_events before; /* sums of what ended */
	struct probes_events sum;
	bool threads;         /* some event was not of the main thread of its process */
	uint64_t unkept;      /* that came while `held`, and there was no room */
	unsigned offered;     /* arguments that seem to point to texts, as bits (bit 0: arg1) */
	const char *no_calls; /* why memory is not read, somewhere; NULL: it is */
	bool young;           /* values of a forked child could not be read */
	struct trend trend;
	unsigned epoch; /* how often something else was asked for */

	/* What feed_choose has chosen. */
	uint32_t chosen;             /* row */
	struct distribution *values; /* of each of PROBES_EVENT_ARGUMENTS; NULL: no row is chosen */
	struct callers callers;      /* if they are asked for */
	uint64_t summed;             /* events */
	int64_t summed_ns;           /* when the first of them came */
};

void feed_done(struct feed *f);

/*
 * Keep the events of rows in each process that counts them; those of an earlier call end and are
 * dropped. 0, if there are events of some process; else the negative errno of the first that has
 * none, with its error.
 */
PROBES_CHECK int feed_begin(struct feed *f, const struct feed_ops *ops, const struct model *m,
	const uint32_t *rows, size_t count, const struct feed_ask *ask, int64_t ms,
	struct probes_error *e);

/* The same rows, something else is asked for; what was kept stays. On an error that is one of usage
 * nothing changes. */
PROBES_CHECK int feed_change(
	struct feed *f, const struct model *m, const struct feed_ask *ask, struct probes_error *e);

/*
 * Read what came. Where no row is counted any longer, or the process is gone, it ends. True:
 * something came.
 */
bool feed_read(struct feed *f, const struct model *m, int64_t ms);

/* No more events of a row (an index of feed.rows); its hits are still counted. */
void feed_drop(struct feed *f, const struct model *m, size_t place);

/* Stop; what was kept stays. */
void feed_end(struct feed *f, const struct model *m);

/* Keep what there is: what comes does not take its place, and is not summed up until that ends. */
void feed_hold(struct feed *f, const struct model *m, bool held);

/* Forget the events until now, read or not, and what was summed. */
void feed_forget(struct feed *f, const struct model *m, int64_t ms);

/* Are these the events of this row, too? */
bool feed_has(const struct feed *f, uint32_t row);

/* Sum up the values of the arguments of a row, and its callers: of the events that are kept, and
 * came since the last change, and of those that come from now on. Nothing, if that is so already.
 */
void feed_choose(struct feed *f, const struct model *m, uint32_t row);

/* The last event that is summed up; NULL: it is not kept any longer. */
const struct feed_event *feed_last(const struct feed *f);

/* The caller of an event; room: for it. */
const struct probes_caller *feed_caller(
	const struct feed_event *one, const struct model *m, struct probes_caller *room);

/* For feed_ops. An event of a part, whose probe is one of its rows; caller: as it was
 * recorded, or NULL. */
struct feed_row *feed_add(struct feed *f, const struct feed_part *part,
	const struct probes_event *event, const struct probes_caller *caller);
/* Take numbers of events from a sum. */
void feed_subtract(struct probes_events *from, struct probes_events one);
/* Forget the events, and begin the recording anew. */
void feed_reread(struct feed *f);

/* Do events come from some process? */
bool feed_on(const struct feed *f);

/* The i-th of those that are kept, the oldest first. */
const struct feed_event *feed_at(const struct feed *f, size_t i);

/* The event with this id; NULL: it is not kept any longer. */
const struct feed_event *feed_find(const struct feed *f, uint32_t id);
