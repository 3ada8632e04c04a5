/*
 * One line of the list: a probe of one object, summed over all processes that
 * have it. Pure.
 */
#ifndef UI_TUI_ROWS_ROW_H
#define UI_TUI_ROWS_ROW_H

#include "probes.h"

#include <stdbool.h>
#include <stdint.h>

/* What the rows of one provider in one object have in common; it belongs to the model. */
struct row_family {
	/* texts are safe for the terminal */
	const char *provider;
	const char *path;       /* of the object */
	const char *object;     /* its file name */
	size_t provider_length; /* of its text */
	bool deleted;           /* the file was removed or replaced */
};

/* As many as there are probes: kept small. */
struct row {
	const char *label; /* "provider:name", safe for the terminal; belongs to the model */
	const struct row_family *family;
	const char *arguments; /* of its first site, raw as noted; belongs to a session */
	uint32_t member;       /* first of the model's members */
	uint32_t tag;          /* 0, or when it was tagged: 1 was first */

	/* summed over its members */
	uint32_t processes; /* how many are alive */
	uint32_t sites;
	uint32_t sites_on;         /* PROBES_NONE: sites have no switch of their own */
	uint32_t ref_min, ref_max; /* PROBES_NONE: none or not read */
	enum probes_state state : 8;
	enum probes_holder holder : 8;
	bool mine; /* all that is on of it in some process, is so by this session */
};

/* The probe's own name: what comes after the provider in the label. */
const char *row_name(const struct row *r);

/* Begin a sum. */
void row_clear(struct row *r);
/* Add one process' probe to it. */
void row_add(struct row *r, const struct probes_live *live, uint32_t sites);

/* Add a row to the sum of a group; begin: it is the first one. Tagged while all are. */
void row_include(struct row *sum, const struct row *r, bool begin);

/* Is it on, wholly or in part, for somebody beside this session? */
bool row_held_by_others(const struct row *r);

#endif
