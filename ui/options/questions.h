/*
 * Ready questions: what people want to know of well-known programs, and the calls of probes-tui
 * that answer it. They are data: ui/options/questions.conf, and the user's own file in the same
 * form.
 */
#pragma once

#include "probes.h"
#include "ui/options/options.h"

#define QUESTIONS_WORDS 32

struct question {
	const char *name;
	const char *call; /* a verb and the rest of a call, but for its process */
	const char *note; /* NULL: none */
	const char *source;
};

/* All zero is an empty list. */
struct questions {
	struct question *all;
	size_t count;
	char *texts[2]; /* of which they are made */
};

/* ui/options/questions.conf, made C by make. */
extern const char questions_known[];

/*
 * Read both files. What is wrong in one of them is reported as "FILE:LINE: NAME: WHY", and the
 * question left out. 0 or -ENOMEM. Call questions_done in either case.
 */
PROBES_CHECK int questions_load(
	struct questions *q, void (*report)(void *data, const char *text), void *data);
void questions_done(struct questions *q);

/* Parse the call as if it were about process 1; `buffer`: strlen(call) + 1 bytes. Call options_done
 * in either case. */
PROBES_CHECK int questions_parse(
	const struct question *q, char *buffer, struct options *o, struct probes_error *e);

/* Has the session each probe that the call names? */
bool questions_fit(const struct question *q, const struct probes_session *session);
