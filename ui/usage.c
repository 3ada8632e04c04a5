/*
 * The help text.
 *
 * Made from the tables of verbs and options, so that it cannot forget one. Must
 * not know any option by name.
 */
#include "ui/usage.h"

static void print_verbs(FILE *out)
{
	fputs("See and switch the statically defined probes of live processes.\n\n", out);
	for (size_t i = 0; i < verbs_table_count; i++)
		fprintf(out, "  probes-tui %s\n      %s\n", verbs_table[i].usage,
			verbs_table[i].help);
	fputs("\nprobes-tui VERB -help shows the options of one verb.\n", out);
}

static void print_option(FILE *out, const struct option_row *row)
{
	int n = fprintf(out, "  -%s", row->name);

	for (size_t i = 0; i < 2 && row->alias[i]; i++)
		n += fprintf(out, ", -%s", row->alias[i]);
	if (row->argument)
		n += fprintf(out, " %s", row->argument);
	fprintf(out, "%*s%s\n", n < 24 ? 24 - n : 2, "", row->help);
}

static const char statuses[] =
	"\nACTIONS are the -enable... and -disable... options. -opt and --opt are equal; a\n"
	"value follows as -opt VALUE or -opt=VALUE; -- ends the options. A probe is\n"
	"spelled provider:name, or name alone.\n"
	"\nExit status: 0 done; 1 done in part or failed; 2 usage, unknown probe, bad\n"
	"expression or pair; 3 no such target, or no probes in it; 4 not permitted; 5 the\n"
	"target went away; 6 refused for safety.\n";

void usage_print(FILE *out, enum verb verb)
{
	const struct verb_row *row = options_verb(verb);

	if (verb == VERB_SCREEN)
		print_verbs(out);
	else
		fprintf(out, "usage: probes-tui %s\n%s\n", row->usage, row->help);
	fprintf(out, "\nOptions%s:\n", verb == VERB_SCREEN ? " of the screen" : "");
	for (size_t i = 0; i < options_table_count; i++)
		if (options_table[i].verbs & verb)
			print_option(out, &options_table[i]);
	fputs(statuses, out);
}
