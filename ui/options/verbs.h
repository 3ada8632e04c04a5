/*
 * The verbs: one row each. A verb has a file ui/cli/NAME.c with the function NAME_run, and is a
 * bit, so that an option can name the verbs, or the group of verbs below, that accept it.
 */
#pragma once

#define VERBS_TARGETS "-pid N[,N] | -tree N | -comm NAME"

/* X(NAME, name, what follows it in a call, what it does), in the order of the help. */
#define VERBS(X)                                                                                  \
	X(LIST, list, VERBS_TARGETS " | -prog FILE", "every probe with its sites and semaphores") \
	X(INFO, info, VERBS_TARGETS, "one line per probe: NAME enabled")                          \
	X(ATTACH, attach, VERBS_TARGETS " ACTIONS", "switch probes in running processes")         \
	X(TRACE, trace, "-prog FILE [ACTIONS] [-- ARGS]",                                         \
		"start a program with probes on from the start (all, if no action is given)")     \
	X(COUNT, count, VERBS_TARGETS " | -prog FILE [PROBES]",                                   \
		"count the hits of probes (all, if none is named), until ^C, -for or the end")    \
	X(LATENCY, latency, VERBS_TARGETS " | -prog FILE START,END",                              \
		"measure the time from one probe to another, until ^C, -for or the end")          \
	X(QUESTIONS, questions, VERBS_TARGETS " | -prog FILE",                                    \
		"common questions about such programs, with commands that answer them")           \
	X(EVENTS, events, VERBS_TARGETS " | -prog FILE PROBES",                                   \
		"print every hit with its time, thread and arguments, until ^C, -for or the "     \
		"end")                                                                            \
	X(HISTOGRAM, histogram, VERBS_TARGETS " | -prog FILE PROBE argN",                         \
		"the distribution of an argument, until ^C, -for or the end")                     \
	X(REPLAY, replay, "FILE [PROBES] [-latency START,END | -histogram argN | -callers]",      \
		"show what events or latency recorded with -record; print it if anything but "    \
		"FILE is given, or standard output is not a terminal")                            \
	X(CALLERS, callers, VERBS_TARGETS " | -prog FILE PROBES",                                 \
		"count who calls the functions that hit probes, until ^C, -for or the end")       \
	X(REPAIR, repair, VERBS_TARGETS, "undo what interrupted runs left in running processes")

enum {
#define VERB_NUMBER(NAME, ...) VERB_NUMBER_##NAME,
	VERBS(VERB_NUMBER)
#undef VERB_NUMBER
		VERB_NUMBERS
};

/* What to do. */
enum verb {
	VERB_SCREEN = 1, /* no verb */
#define VERB_BIT(NAME, ...) VERB_##NAME = 2 << VERB_NUMBER_##NAME,
	VERBS(VERB_BIT)
#undef VERB_BIT
		VERB_SETTING =
			2
			<< VERB_NUMBERS, /* not a verb: the configuration file accepts the option */
	VERB_MEASURE = VERB_COUNT | VERB_LATENCY | VERB_EVENTS | VERB_HISTOGRAM | VERB_CALLERS,

	/* Groups of verbs that accept the same options. A new verb joins those that fit. */
	VERB_ALL = VERB_SETTING - 1,
	VERB_PIDS = VERB_ALL & ~(VERB_TRACE | VERB_REPLAY),
	VERB_PROGS = VERB_SCREEN | VERB_LIST | VERB_TRACE | VERB_MEASURE | VERB_QUESTIONS,
	VERB_SWITCH = VERB_SCREEN | VERB_ATTACH | VERB_TRACE,
	VERB_CHANGE = VERB_SWITCH | VERB_MEASURE | VERB_REPAIR,
	VERB_OUTPUT = VERB_LIST | VERB_INFO | VERB_ATTACH | VERB_TRACE | VERB_MEASURE | VERB_REPAIR,
	VERB_SHOW = VERB_SCREEN | VERB_REPLAY | VERB_SETTING,
	VERB_CHOOSE = VERB_SWITCH | VERB_LIST | VERB_INFO | VERB_MEASURE | VERB_REPLAY,
};
