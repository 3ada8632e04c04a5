/*
 * Parsing conditions into a tree of nodes, by recursive descent: or, and, not, brackets,
 * comparisons.
 */
#include "probe/condition.h"

#include "base/error.h"
#include "probe/regexp.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CONDITION_DEPTH 32

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
