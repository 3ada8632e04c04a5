/*
 * Completions for bash, zsh and fish.
 *
 * Owns what each shell offers after an option, by what its value is called.
 * Probes' names are not completed: that would look into a process at a Tab.
 */
#include <ctype.h>
#include <string.h>

#include "doc/gen.h"
#include "ui/options.h"

enum value { VALUE_NONE, VALUE_TEXT, VALUE_PROCESS, VALUE_COMM, VALUE_FILE, VALUE_WORDS };

static enum value value_of(const struct option_row *row)
{
	const char *name = row->argument;

	if (!name)
		return VALUE_NONE;
	if (strchr(name, '|'))
		return VALUE_WORDS;
	if (name[0] == 'N' && !isalpha((unsigned char)name[1]))
		return VALUE_PROCESS;
	if (!strcmp(name, "NAME"))
		return VALUE_COMM;
	return strcmp(name, "FILE") ? VALUE_TEXT : VALUE_FILE;
}

static void put_head(FILE *out, const char *shell)
{
	fprintf(out,
		"# %s completion for probes-tui. Made by doc/make-docs.sh from the table of "
		"options:\n"
		"# change nothing here.\n",
		shell);
}

/* "a|b" as "a b". */
static void put_words(FILE *out, const char *words)
{
	for (; *words; words++)
		fputc(*words == '|' ? ' ' : *words, out);
}

/* Calls one(out, name, row) for the names of an option, but for those that a shell would expand. */
static void each_name(FILE *out, const struct option_row *row,
	void (*one)(FILE *, const char *, const struct option_row *))
{
	one(out, row->name, row);
	for (size_t i = 0; i < 2 && row->alias[i]; i++)
		if (isalnum((unsigned char)row->alias[i][0]))
			one(out, row->alias[i], row);
}

/* -------------------------------------------------------------------- bash */

/* The options whose value is of one kind, as a pattern of case. */
static bool bash_pattern(FILE *out, enum value value, const char *words)
{
	const char *gap = "";

	for (size_t i = 0; i < options_table_count; i++) {
		const struct option_row *row = &options_table[i];

		if (value_of(row) != value || (words && strcmp(row->argument, words)))
			continue;
		fprintf(out, "%s-%s | --%s", gap, row->name, row->name);
		gap = " | ";
	}
	fputs(*gap ? ")\n" : "", out);
	return *gap;
}

static void bash_values(FILE *out)
{
	fputs("\tcase $prev in\n\t", out);
	bash_pattern(out, VALUE_PROCESS, NULL);
	fputs("\t\t_probes_tui_last \"$(ps -eo pid=)\"\n\t\treturn ;;\n\t", out);
	bash_pattern(out, VALUE_COMM, NULL);
	fputs("\t\tmapfile -t COMPREPLY < <(compgen -W \"$(ps -eo comm=)\" -- \"$cur\")\n"
	      "\t\treturn ;;\n\t",
		out);
	bash_pattern(out, VALUE_FILE, NULL);
	fputs("\t\tcompopt -o filenames\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n\t\treturn ;;\n",
		out);
	for (size_t i = 0; i < options_table_count; i++) {
		const struct option_row *row = &options_table[i];

		if (value_of(row) != VALUE_WORDS)
			continue;
		fprintf(out, "\t-%s | --%s)\n\t\tmapfile -t COMPREPLY < <(compgen -W \"", row->name,
			row->name);
		put_words(out, row->argument);
		fputs("\" -- \"$cur\")\n\t\treturn ;;\n", out);
	}
	fputs("\t", out);
	bash_pattern(out, VALUE_TEXT, NULL);
	fputs("\t\treturn ;;\n\tesac\n", out);
}

static void bash_options(FILE *out)
{
	fputs("\tcase $verb in\n", out);
	for (size_t i = 0; i < verbs_table_count; i++) {
		const char *gap = "";

		fprintf(out, "\t%s)\n\t\twords=\"",
			*verbs_table[i].name ? verbs_table[i].name : "''");
		for (size_t k = 0; k < options_table_count; k++) {
			if (!(options_table[k].verbs & verbs_table[i].verb))
				continue;
			fprintf(out, "%s-%s", gap, options_table[k].name);
			gap = " ";
		}
		fputs("\" ;;\n", out);
	}
	fputs("\tesac\n", out);
}

/* "list | info" or "list info" */
static void put_verbs(FILE *out, const char *between)
{
	const char *gap = "";

	for (size_t i = 0; i < verbs_table_count; i++) {
		if (!*verbs_table[i].name)
			continue;
		fprintf(out, "%s%s", gap, verbs_table[i].name);
		gap = between;
	}
}

void gen_bash(FILE *out)
{
	put_head(out, "bash");
	fputs("\n# One of these words after the last comma of what was typed.\n"
	      "_probes_tui_last()\n{\n"
	      "\tlocal before=${cur%\"${cur##*,}\"}\n\n"
	      "\tmapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$1\" -- \"${cur##*,}\")\n"
	      "}\n\n"
	      "_probes_tui()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
	      "\tlocal verb= words=\n\n"
	      "\tCOMPREPLY=()\n"
	      "\tif [ \"$COMP_CWORD\" -gt 1 ]; then\n\t\tcase ${COMP_WORDS[1]} in\n\t\t",
		out);
	put_verbs(out, " | ");
	fputs(") verb=${COMP_WORDS[1]} ;;\n\t\tesac\n\tfi\n", out);
	bash_values(out);
	bash_options(out);
	fputs("\tcase $cur in\n\t--*) words=\"--${words// -/ --}\" words=${words/#---/--} ;;\n"
	      "\t*) [ \"$COMP_CWORD\" -gt 1 ] || words=\"",
		out);
	put_verbs(out, " ");
	fputs(" $words\" ;;\n\tesac\n"
	      "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n}\n\n"
	      "complete -o default -F _probes_tui probes-tui\n",
		out);
}

/* --------------------------------------------------------------------- zsh */

/* Text within an option's specification and single quotes; what is special there gets a backslash.
 */
static void zsh_text(FILE *out, const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\'", out);
		else if (strchr(special, *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

static void zsh_option(FILE *out, const char *name, const struct option_row *row)
{
	fprintf(out, "\t\t\t'*-%s[", name);
	zsh_text(out, row->help, "[]:\\");
	fputc(']', out);
	if (row->argument) {
		fputc(':', out);
		zsh_text(out, row->argument, ":\\");
		fputc(':', out);
	}
	switch (value_of(row)) {
	case VALUE_PROCESS:
		fputs("_sequence _pids", out);
		break;
	case VALUE_COMM:
		fputs("_process_names -a", out);
		break;
	case VALUE_FILE:
		fputs("_files", out);
		break;
	case VALUE_WORDS:
		fputc('(', out);
		put_words(out, row->argument);
		fputc(')', out);
		break;
	default:
		break;
	}
	fputs("'\n", out);
}

static void zsh_verb(FILE *out, const struct verb_row *verb)
{
	fprintf(out, "\t%s)\n\t\tspecs=(\n", *verb->name ? verb->name : "''");
	for (size_t i = 0; i < options_table_count; i++)
		if (options_table[i].verbs & verb->verb)
			each_name(out, &options_table[i], zsh_option);
	fputs("\t\t) ;;\n", out);
}

void gen_zsh(FILE *out)
{
	fputs("#compdef probes-tui\n", out);
	put_head(out, "zsh");
	fputs("\n_probes_tui()\n{\n\tlocal verb=\n\tlocal -a specs verbs\n\n\tverbs=(\n", out);
	for (size_t i = 0; i < verbs_table_count; i++) {
		if (!*verbs_table[i].name)
			continue;
		fprintf(out, "\t\t'%s:", verbs_table[i].name);
		zsh_text(out, verbs_table[i].help, ":\\");
		fputs("'\n", out);
	}
	fputs("\t)\n\tif (( CURRENT > 2 )) && (( ${verbs[(I)${words[2]}:*]} )); then\n"
	      "\t\tverb=$words[2]\n\t\tshift words\n\t\t(( CURRENT-- ))\n\tfi\n"
	      "\tcase $verb in\n",
		out);
	for (size_t i = 0; i < verbs_table_count; i++)
		zsh_verb(out, &verbs_table[i]);
	fputs("\tesac\n"
	      "\tif [[ -z $verb ]] && (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
	      "\t\t_describe -t verbs verb verbs\n\t\treturn\n\tfi\n"
	      "\t_arguments : $specs '*::argument:_files'\n}\n\n_probes_tui \"$@\"\n",
		out);
}

/* -------------------------------------------------------------------- fish */

static void fish_text(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('\'', out);
}

static void fish_verbs(FILE *out, unsigned verbs)
{
	fputs("__probes_tui_verb", out);
	for (size_t i = 0; i < verbs_table_count; i++)
		if (verbs & verbs_table[i].verb)
			fprintf(out, " %s", *verbs_table[i].name ? verbs_table[i].name : "screen");
}

static void fish_value(FILE *out, const struct option_row *row)
{
	switch (value_of(row)) {
	case VALUE_NONE:
		break;
	case VALUE_PROCESS:
		fputs(" -x -a '(__fish_complete_list , __fish_complete_pids)'", out);
		break;
	case VALUE_COMM:
		fputs(" -x -a '(ps -eo comm=)'", out);
		break;
	case VALUE_FILE:
		fputs(" -r -F", out);
		break;
	case VALUE_WORDS:
		fputs(" -x -a '", out);
		put_words(out, row->argument);
		fputc('\'', out);
		break;
	case VALUE_TEXT:
		fputs(" -x", out);
		break;
	}
}

/* -o: with one dash, however long; -s would let the short ones be joined. */
static void fish_option(FILE *out, const char *name, const struct option_row *row)
{
	fputs("complete -c probes-tui -n '", out);
	fish_verbs(out, row->verbs);
	fprintf(out, "' -o '%s'", name);
	fish_value(out, row);
	fputs(" -d ", out);
	fish_text(out, row->help);
	fputc('\n', out);
}

void gen_fish(FILE *out)
{
	put_head(out, "fish");
	fputs("\n# Whether the verb that was given, or else the screen, is one of these.\n"
	      "function __probes_tui_verb\n"
	      "\tset -l words (commandline -opc)\n"
	      "\tif test (count $words) -gt 1; and contains -- $words[2] ",
		out);
	put_verbs(out, " ");
	fputs("\n\t\tcontains -- $words[2] $argv\n\telse\n\t\tcontains -- screen $argv\n\tend\n"
	      "end\n\ncomplete -c probes-tui -f\n",
		out);
	for (size_t i = 0; i < verbs_table_count; i++) {
		if (!*verbs_table[i].name)
			continue;
		fprintf(out,
			"complete -c probes-tui -n 'test (count (commandline -opc)) -eq 1' -a %s "
			"-d ",
			verbs_table[i].name);
		fish_text(out, verbs_table[i].help);
		fputc('\n', out);
	}
	for (size_t i = 0; i < options_table_count; i++)
		each_name(out, &options_table[i], fish_option);
}
