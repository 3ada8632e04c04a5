/*
 * The kinds of deeds: what there is to choose from, what is permitted here, and how often each was
 * done. Each kind throws its own dice, which follow from the seed.
 */
#ifndef STRESS_KINDS_H
#define STRESS_KINDS_H

#include "campaign.h"

/* Which can be done here; STRESS_KINDS, names with blanks between, narrows them. */
void kinds_init(struct campaign *c, uint64_t seed);
/* Do one deed: chosen by weight, the ones that were not done yet before all others. */
void kinds_do(struct campaign *c, struct dice *dice);
/* The kind at work has done so many more of these. */
void kinds_count(struct campaign *c, const char *what, unsigned long more);
/* A line for each; a permitted one that was never done is said. */
void kinds_print(const struct campaign *c);

#endif
