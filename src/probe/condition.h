/* Conditions on events: condition_parse.c makes a tree of a text, condition.c decides. Pure. */
#pragma once

#include "probes.h"

#define CONDITION_NODES 200

enum condition_what {
	CONDITION_OR,
	CONDITION_AND,
	CONDITION_NOT,
	CONDITION_NUMBER,
	CONDITION_TEXT
};

enum condition_subject {
	CONDITION_TID,
	CONDITION_PID,
	CONDITION_COMM,
	CONDITION_PROBE,
	CONDITION_ARGUMENT
};

struct condition_node {
	enum condition_what what;
	size_t left, right; /* of or, and; not: left */
	enum condition_subject subject;
	unsigned argument; /* from 1 on */
	enum probes_compare compare;
	long double number; /* holds every int64_t and uint64_t */
	char *text;
	struct regexp *regexp; /* instead of the text */
};

struct probes_condition {
	struct condition_node nodes[CONDITION_NODES];
	size_t count, root;
};

/* A comparison of an argument with a whole number, which must be true. */
struct condition_test {
	unsigned argument; /* from 1 on */
	enum probes_compare compare;
	bool negative;
	uint64_t number; /* its bits, as a signed or unsigned number of 64 bits */
};

/* Those that are known, at most `most`; the condition may hold more than these. */
size_t condition_tests(
	const struct probes_condition *condition, struct condition_test *tests, size_t most);
