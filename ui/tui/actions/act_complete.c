/*
 * Tab in a prompt: of the candidates that begin with the word before the cursor, type what they
 * have in common, and list them.
 */
#include "ui/tui/actions/act.h"

#include "ui/tui/terminal/text.h"

#include <stdio.h>
#include <string.h>

void act_complete_begin(struct act_complete *g, const struct app *a, const char *breaks)
{
	const struct input *in = &a->prompt.input;

	*g = (struct act_complete){.at = in->cursor};
	while (g->at > 0 && !strchr(breaks, in->text[g->at - 1]))
		g->at--;
	g->word = in->text + g->at;
	g->length = in->cursor - g->at;
}

bool act_complete_skip(struct act_complete *g, const char *prefix)
{
	size_t n = strlen(prefix);

	if (n > g->length || strncmp(g->word, prefix, n) != 0)
		return false;
	g->word += n;
	g->length -= n;
	return true;
}

static bool act_complete_listed(const struct act_complete *g, const char *candidate)
{
	size_t n = strlen(candidate);

	for (const char *at = g->names; (at = strstr(at, candidate)); at++)
		if ((at == g->names || at[-1] == ' ') && at[n] == ' ')
			return true;
	return false;
}

void act_complete_offer(struct act_complete *g, const char *candidate)
{
	size_t n = 0;

	if (strncmp(candidate, g->word, g->length) != 0 || act_complete_listed(g, candidate))
		return;
	if (!g->found++)
		snprintf(g->common, sizeof g->common, "%s", candidate);
	while (g->common[n] && g->common[n] == candidate[n])
		n++;
	g->common[n] = '\0';
	text_addf(g->names, sizeof g->names, "%s  ", candidate);
}

void act_complete_end(struct app *a, const struct act_complete *g, const char *after)
{
	const char *more = g->found == 1 ? after : "";
	char typed[2 * INPUT_SIZE] = "";

	if (g->found)
		snprintf(typed, sizeof typed, "%s%s", g->common + g->length, more);
	for (const char *s = typed; *s; s++)
		input_key(&a->prompt.input, (unsigned char)*s);
	a->prompt.why[0] = '\0';
	if (typed[0] && a->prompt.ops->changed)
		a->prompt.ops->changed(a, a->prompt.input.text);
	a->prompt.listed = g->found != 1;
	if (a->prompt.listed)
		snprintf(a->prompt.why, sizeof a->prompt.why, "%s",
			g->found ? g->names : "nothing begins with that");
}
