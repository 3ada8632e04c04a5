/*
 * Conditions on events. They are parsed into a tree of nodes by recursive descent: or, and, not,
 * brackets, comparisons. What a comparison cannot know is neither true nor false, nor is its
 * negation.
 */
#include "probe/condition.h"

#include "base/error.h"
#include "probe/regexp.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONDITION_NODES 200
#define CONDITION_DEPTH 32

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

enum condition_answer { CONDITION_FALSE, CONDITION_TRUE, CONDITION_UNKNOWN };

/* ---- parsing ---- */

struct condition_parser {
	struct probes_condition *c;
	const char *text, *at;
	unsigned depth;
	struct probes_error *e; /* filled once: `failed` */
	bool failed;
};

static size_t condition_fail(struct condition_parser *p, const char *at, const char *why)
{
	if (!p->failed) {
		error_set(p->e, PROBES_USAGE, -EINVAL, "bad condition '%s'", p->text);
		error_why(p->e, "%s at character %zu", why, (size_t)(at - p->text) + 1);
		error_hint(p->e,
			"write it like: arg1 > 100 and not (tid == 12 or arg2 ~ \"select .*\")");
	}
	p->failed = true;
	return 0;
}

static void condition_blanks(struct condition_parser *p)
{
	p->at += strspn(p->at, " \t\n");
}

/* Go on behind a word, or a sign; false: something else is there. */
static bool condition_take(struct condition_parser *p, const char *word)
{
	size_t length = strlen(word);

	condition_blanks(p);
	if (strncmp(p->at, word, length) ||
		(isalpha((unsigned char)*word) && isalnum((unsigned char)p->at[length])))
		return false;
	p->at += length;
	return true;
}

static struct condition_node *condition_add(struct condition_parser *p, enum condition_what what)
{
	struct condition_node *node;

	if (p->c->count == CONDITION_NODES) {
		condition_fail(p, p->at, "too long");
		return NULL;
	}
	node = &p->c->nodes[p->c->count++];
	*node = (struct condition_node){.what = what};
	return node;
}

static bool condition_subject(struct condition_parser *p, struct condition_node *node)
{
	static const char *const names[] = {[CONDITION_TID] = "tid",
		[CONDITION_PID] = "pid",
		[CONDITION_COMM] = "comm",
		[CONDITION_PROBE] = "probe"};
	char *end;

	condition_blanks(p);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (condition_take(p, names[i])) {
			node->subject = (enum condition_subject)i;
			return true;
		}
	if (strncmp(p->at, "arg", 3) || !isdigit((unsigned char)p->at[3]))
		return false;
	node->subject = CONDITION_ARGUMENT;
	node->argument = (unsigned)strtoul(p->at + 3, &end, 10);
	if (!node->argument || node->argument > PROBES_EVENT_ARGUMENTS || end > p->at + 5) {
		condition_fail(p, p->at, "no such argument");
		return false;
	}
	p->at = end;
	return true;
}

/* A number: -12, 0x1f, 2.5. False: something else is there. */
static bool condition_number(struct condition_parser *p, long double *number)
{
	const char *at = p->at + (*p->at == '-');
	bool negative = at > p->at;
	uint64_t whole;
	char *end;

	if (!isdigit((unsigned char)*at))
		return false;
	errno = 0;
	whole = strtoull(at, &end, at[0] == '0' && (at[1] | 32) == 'x' ? 16 : 10);
	*number = (long double)whole;
	if (*end == '.') {
		long double part = 1;

		for (end++; isdigit((unsigned char)*end); end++)
			*number += (part /= 10) * (*end - '0');
	}
	if (errno || isalnum((unsigned char)*end) || *end == '_' || *end == '.') {
		condition_fail(p, p->at, "bad number");
		return false;
	}
	if (negative)
		*number = -*number;
	p->at = end;
	return true;
}

/* A word, or what stands between quotes, where \" is a quote. NULL: failed. */
static char *condition_text(struct condition_parser *p)
{
	bool quoted = *p->at == '"';
	const char *from = p->at;
	char *text = malloc(strlen(p->at) + 1);
	size_t length = 0;
	int depth = 0;

	if (!text) {
		error_memory(p->e, "a condition");
		p->failed = true;
		return NULL;
	}
	for (p->at += quoted; *p->at; p->at++) {
		if (quoted && *p->at == '"')
			break;
		if (!quoted) {
			depth += (*p->at == '(') - (*p->at == ')');
			if (isspace((unsigned char)*p->at) || depth < 0)
				break;
		}
		if (quoted && p->at[0] == '\\' && p->at[1] == '"')
			p->at++;
		text[length++] = *p->at;
	}
	text[length] = '\0';
	if (quoted ? !*p->at : !length) {
		condition_fail(p, from, quoted ? "the quote is not closed" : "expected a text");
		free(text);
		return NULL;
	}
	p->at += quoted;
	return text;
}

static bool condition_operator(
	struct condition_parser *p, struct condition_node *node, bool *search, bool *negated)
{
	static const struct {
		const char *sign;
		enum probes_compare compare;
	} signs[] = {{"==", PROBES_EQUAL}, {"!=", PROBES_UNEQUAL}, {"<=", PROBES_LESS_EQUAL},
		{">=", PROBES_GREATER_EQUAL}, {"<", PROBES_LESS}, {">", PROBES_GREATER},
		{"=", PROBES_EQUAL}};

	*negated = condition_take(p, "!~");
	*search = *negated || condition_take(p, "~");
	if (*search)
		return true;
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		if (condition_take(p, signs[i].sign)) {
			node->compare = signs[i].compare;
			return true;
		}
	condition_fail(p, p->at, "expected one of == != < <= > >= ~ !~");
	return false;
}

/* subject OPERATOR value. Returns the index of its node. */
static size_t condition_comparison(struct condition_parser *p)
{
	struct condition_node *node = condition_add(p, CONDITION_TEXT), *negation;
	size_t at = p->c->count - 1;
	bool search, negated;
	const char *value;
	bool is_text;

	if (!node)
		return 0;
	if (!condition_subject(p, node))
		return condition_fail(p, p->at, "expected argN, tid, pid, comm or probe");
	if (!condition_operator(p, node, &search, &negated))
		return 0;
	condition_blanks(p);
	value = p->at;
	is_text = search || node->subject == CONDITION_COMM || node->subject == CONDITION_PROBE ||
		  (node->subject == CONDITION_ARGUMENT && *p->at == '"');
	if (search && node->subject < CONDITION_COMM)
		return condition_fail(p, value, "~ compares texts, not numbers");
	if (!is_text) {
		node->what = CONDITION_NUMBER;
		if (!condition_number(p, &node->number) && !p->failed)
			return condition_fail(p, value, "expected a number (put a text in quotes)");
		return at;
	}
	if (!search && node->compare != PROBES_EQUAL && node->compare != PROBES_UNEQUAL)
		return condition_fail(
			p, value, "a text is not less or greater: use ==, !=, ~ or !~");
	node->text = condition_text(p);
	if (node->text && search) {
		/* Its own error is better than ours. */
		if (regexp_compile(node->text, false, &node->regexp, p->e) < 0)
			p->failed = true;
		node->compare = PROBES_EQUAL;
	}
	if (!negated || p->failed)
		return at;
	negation = condition_add(p, CONDITION_NOT);
	if (negation)
		negation->left = at;
	return p->c->count - 1;
}

static size_t condition_or(struct condition_parser *p);

static size_t condition_not(struct condition_parser *p)
{
	struct condition_node *node;
	size_t inner;

	if (++p->depth > CONDITION_DEPTH)
		return condition_fail(p, p->at, "too deep");
	if (condition_take(p, "not")) {
		inner = condition_not(p);
		node = p->failed ? NULL : condition_add(p, CONDITION_NOT);
		if (node)
			node->left = inner;
		inner = p->c->count - 1;
	} else if (condition_take(p, "(")) {
		inner = condition_or(p);
		if (!p->failed && !condition_take(p, ")"))
			condition_fail(p, p->at, "a bracket is not closed");
	} else {
		inner = condition_comparison(p);
	}
	p->depth--;
	return inner;
}

static size_t condition_chain(struct condition_parser *p, enum condition_what what,
	const char *word, size_t (*inner)(struct condition_parser *p))
{
	size_t left = inner(p);

	while (!p->failed && condition_take(p, word)) {
		size_t right = inner(p);
		struct condition_node *node = p->failed ? NULL : condition_add(p, what);

		if (!node)
			return 0;
		node->left = left;
		node->right = right;
		left = p->c->count - 1;
	}
	return left;
}

static size_t condition_and(struct condition_parser *p)
{
	return condition_chain(p, CONDITION_AND, "and", condition_not);
}

static size_t condition_or(struct condition_parser *p)
{
	return condition_chain(p, CONDITION_OR, "or", condition_and);
}

int probes_condition_parse(
	const char *text, struct probes_condition **condition, struct probes_error *e)
{
	struct condition_parser p = {.c = calloc(1, sizeof *p.c), .text = text, .at = text, .e = e};

	if (!p.c)
		return error_memory(e, "a condition");
	p.c->root = condition_or(&p);
	condition_blanks(&p);
	if (!p.failed && *p.at)
		condition_fail(&p, p.at, "expected 'and' or 'or'");
	if (p.failed) {
		probes_condition_free(p.c);
		return e->code;
	}
	*condition = p.c;
	return 0;
}

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

/* ---- deciding ---- */

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

		return id ? condition_compare(node, id) : CONDITION_UNKNOWN;
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
	const char *text = event->thread;
	char name[300];
	bool found;

	if (node->subject == CONDITION_ARGUMENT)
		text = node->argument <= event->count ? event->values[node->argument - 1].text
						      : NULL;
	if (!text || (node->subject == CONDITION_COMM && !*text))
		return CONDITION_UNKNOWN;
	if (node->subject == CONDITION_PROBE) {
		snprintf(name, sizeof name, "%s:%s", probe->provider, probe->name);
		found = condition_match(node, name) || condition_match(node, probe->name);
	} else {
		found = condition_match(node, text);
	}
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
		return left == CONDITION_UNKNOWN ? left
		       : left == CONDITION_TRUE  ? CONDITION_FALSE
						 : CONDITION_TRUE;
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
	return right == decides || left != CONDITION_UNKNOWN ? right : left;
}

bool probes_condition_holds(const struct probes_condition *c, const struct probes_event *event,
	const struct probes_probe *probe)
{
	return condition_decide(c, c->root, event, probe) == CONDITION_TRUE;
}

static bool condition_lacks(const struct condition_node *node, const struct probes_event *event)
{
	const struct probes_value *value;

	if (node->what != CONDITION_NUMBER && node->what != CONDITION_TEXT)
		return false;
	switch (node->subject) {
	case CONDITION_PID:
		return !event->pid;
	case CONDITION_TID:
		return !event->tid;
	case CONDITION_COMM:
		return !event->thread || !*event->thread;
	case CONDITION_ARGUMENT:
		if (node->what != CONDITION_TEXT || node->argument > event->count)
			return false;
		value = &event->values[node->argument - 1];
		return value->asked && value->bits && !value->text;
	default:
		return false;
	}
}

bool condition_undecided(const struct probes_condition *c, const struct probes_event *event,
	const struct probes_probe *probe)
{
	bool lacks = false;

	for (size_t i = 0; i < c->count; i++)
		lacks = lacks || condition_lacks(&c->nodes[i], event);
	return lacks && condition_decide(c, c->root, event, probe) == CONDITION_UNKNOWN;
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
