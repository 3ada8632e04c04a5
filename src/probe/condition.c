/*
 * Deciding conditions. What a comparison cannot know is neither true nor false, nor is its
 * negation.
 */
#include "probe/condition.h"

#include "probe/regexp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum condition_answer {
	CONDITION_FALSE,
	CONDITION_TRUE,
	CONDITION_UNKNOWN,    /* the event has no such value */
	CONDITION_UNREADABLE, /* it has one, which could not be read */
};

void probes_condition_free(struct probes_condition *c)
{
	for (size_t i = 0; c && i < c->count; i++) {
		free(c->nodes[i].text);
		regexp_free(c->nodes[i].regexp);
	}
	free(c);
}

unsigned probes_condition_arguments(const struct probes_condition *c, unsigned *texts)
{
	unsigned all = 0;

	*texts = 0;
	for (size_t i = 0; i < c->count; i++) {
		const struct condition_node *node = &c->nodes[i];

		if (!node->argument)
			continue;
		all |= 1u << (node->argument - 1);
		if (node->what == CONDITION_TEXT)
			*texts |= 1u << (node->argument - 1);
	}
	return all;
}

static enum condition_answer condition_compare(const struct condition_node *node, long double value)
{
	unsigned is = value < node->number    ? PROBES_LESS
		      : value == node->number ? PROBES_EQUAL
		      : value > node->number  ? PROBES_GREATER
					      : 0;

	return is & node->compare ? CONDITION_TRUE : CONDITION_FALSE;
}

static enum condition_answer condition_of_number(
	const struct condition_node *node, const struct probes_event *event)
{
	const struct probes_value *value;

	if (node->subject != CONDITION_ARGUMENT) {
		pid_t id = node->subject == CONDITION_TID ? event->tid : event->pid;

		return id ? condition_compare(node, id) : CONDITION_UNREADABLE;
	}
	if (node->argument > event->count)
		return CONDITION_UNKNOWN;
	value = &event->values[node->argument - 1];
	switch (value->kind) {
	case PROBES_VALUE_SIGNED:
		return condition_compare(node, value->number);
	case PROBES_VALUE_UNSIGNED:
		return condition_compare(node, value->bits);
	case PROBES_VALUE_FLOAT:
		return condition_compare(node, value->real);
	default:
		return CONDITION_UNKNOWN;
	}
}

static bool condition_match(const struct condition_node *node, const char *text)
{
	return node->regexp ? regexp_match(node->regexp, text) == 1 : !strcmp(text, node->text);
}

static enum condition_answer condition_of_text(const struct condition_node *node,
	const struct probes_event *event, const struct probes_probe *probe)
{
	const struct probes_value *value = NULL;
	const char *text = event->thread;
	char name[300];
	bool found;

	if (node->subject == CONDITION_PROBE) {
		snprintf(name, sizeof name, "%s:%s", probe->provider, probe->name);
		text = name;
	} else if (node->subject == CONDITION_ARGUMENT) {
		if (node->argument > event->count)
			return CONDITION_UNKNOWN;
		value = &event->values[node->argument - 1];
		text = value->text;
	}
	if (!text || (node->subject == CONDITION_COMM && !*text))
		return !value || (value->asked && value->bits) ? CONDITION_UNREADABLE
							       : CONDITION_UNKNOWN;
	found = condition_match(node, text) ||
		(node->subject == CONDITION_PROBE && condition_match(node, probe->name));
	return found == (node->compare == PROBES_EQUAL) ? CONDITION_TRUE : CONDITION_FALSE;
}

/* At most as deep as there are nodes. */
static enum condition_answer condition_decide(const struct probes_condition *c, size_t at,
	const struct probes_event *event, const struct probes_probe *probe)
{
	const struct condition_node *node = &c->nodes[at];
	enum condition_answer decides = CONDITION_TRUE, left, right;

	switch (node->what) {
	case CONDITION_NUMBER:
		return condition_of_number(node, event);
	case CONDITION_TEXT:
		return condition_of_text(node, event, probe);
	case CONDITION_NOT:
		left = condition_decide(c, node->left, event, probe);
		return left == CONDITION_TRUE    ? CONDITION_FALSE
		       : left == CONDITION_FALSE ? CONDITION_TRUE
						 : left;
	case CONDITION_AND:
		decides = CONDITION_FALSE;
		break;
	default:
		break;
	}
	left = condition_decide(c, node->left, event, probe);
	if (left == decides)
		return left;
	right = condition_decide(c, node->right, event, probe);
	return right == decides || left < CONDITION_UNKNOWN || left < right ? right : left;
}

bool probes_condition_holds(const struct probes_condition *c, const struct probes_event *event,
	const struct probes_probe *probe)
{
	return condition_decide(c, c->root, event, probe) == CONDITION_TRUE;
}

bool probes_condition_undecided(const struct probes_condition *c, const struct probes_event *event,
	const struct probes_probe *probe)
{
	return condition_decide(c, c->root, event, probe) == CONDITION_UNREADABLE;
}

static size_t condition_tests_below(
	const struct probes_condition *c, size_t at, struct condition_test *tests, size_t most)
{
	const struct condition_node *node = &c->nodes[at];
	long double size = node->number < 0 ? -node->number : node->number;
	size_t count;

	if (node->what == CONDITION_AND) {
		count = condition_tests_below(c, node->left, tests, most);
		return count + condition_tests_below(c, node->right, tests + count, most - count);
	}
	if (!most || node->what != CONDITION_NUMBER || node->subject != CONDITION_ARGUMENT ||
		size >= 9.2e18L || size != (long double)(int64_t)size)
		return 0;
	*tests = (struct condition_test){.argument = node->argument,
		.compare = node->compare,
		.negative = node->number < 0,
		.number = (uint64_t)(int64_t)node->number};
	return 1;
}

size_t condition_tests(
	const struct probes_condition *condition, struct condition_test *tests, size_t most)
{
	return condition_tests_below(condition, condition->root, tests, most);
}
