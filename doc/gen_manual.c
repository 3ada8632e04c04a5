/*
 * Parts of the manual page, in troff's man macros, and the keys in Markdown.
 *
 * Owns how text is kept from being read as troff or Markdown.
 */
#include <ctype.h>
#include <string.h>

#include "doc/gen.h"
#include "ui/options/options.h"
#include "ui/output/fields.h"
#include "ui/tui/app/request.h"
#include "ui/words/states.h"

/* ------------------------------------------------------------------- troff */

/* What troff would read as something else than the character. */
static void put_char(FILE *out, char c)
{
	static const struct {
		char c;
		const char *troff;
	} names[] = {{'-', "\\-"}, {'\\', "\\e"}, {'^', "\\(ha"}, {'~', "\\(ti"}, {'\'', "\\(aq"},
		{'`', "\\(ga"}, {'"', "\\(dq"}};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].c == c) {
			fputs(names[i].troff, out);
			return;
		}
	fputc(c, out);
}

static void put_length(FILE *out, const char *text, size_t length)
{
	if (length && text[0] == '.')
		fputs("\\&", out);
	for (size_t i = 0; i < length; i++)
		put_char(out, text[i]);
}

static void put(FILE *out, const char *text)
{
	put_length(out, text, strlen(text));
}

static void put_in(FILE *out, char font, const char *text, size_t length)
{
	fprintf(out, "\\f%c", font);
	put_length(out, text, length);
	fputs("\\fR", out);
}

/* How a verb is called: options bold, what stands for something else italic. */
static void put_usage(FILE *out, const char *usage)
{
	while (*usage) {
		size_t length = strcspn(usage, " ");

		if (usage[0] == '-' || islower((unsigned char)usage[0]))
			put_in(out, 'B', usage, length);
		else if (isupper((unsigned char)usage[0]))
			put_in(out, 'I', usage, length);
		else
			put_length(out, usage, length);
		usage += length;
		if (*usage)
			fputc(*usage++, out);
	}
	fputc('\n', out);
}

static void put_synopsis(FILE *out)
{
	for (size_t i = 0; i < verbs_table_count; i++) {
		fputs(i ? ".br\n.B probes\\-tui\n" : ".B probes\\-tui\n", out);
		put_usage(out, verbs_table[i].usage);
	}
}

static void put_verbs(FILE *out)
{
	for (size_t i = 0; i < verbs_table_count; i++) {
		fputs(".TP\n", out);
		put_in(out, 'B', *verbs_table[i].name ? verbs_table[i].name : "(no verb)",
			strlen(*verbs_table[i].name ? verbs_table[i].name : "(no verb)"));
		fputc('\n', out);
		put(out, verbs_table[i].help);
		fputs(".\n", out);
	}
}

/* ----------------------------------------------------------------- options */

static void put_takers(FILE *out, unsigned verbs)
{
	const char *gap = "";

	fputs("(", out);
	for (size_t i = 0; i < verbs_table_count; i++) {
		if (!(verbs & verbs_table[i].verb))
			continue;
		fprintf(out, "%s%s", gap, *verbs_table[i].name ? verbs_table[i].name : "screen");
		gap = ", ";
	}
	fputs(")\n", out);
}

static void put_option(FILE *out, const struct option_row *row)
{
	const char *names[] = {row->name, row->alias[0], row->alias[1]};

	fputs(".TP\n", out);
	for (size_t i = 0; i < 3 && names[i]; i++) {
		fputs(i ? ", \\fB\\-" : "\\fB\\-", out);
		put(out, names[i]);
		fputs("\\fR", out);
	}
	if (row->argument) {
		fputc(' ', out);
		put_in(out, 'I', row->argument, strlen(row->argument));
	}
	fputc('\n', out);
	put(out, row->help);
	fputs(".\n", out);
	put_takers(out, row->verbs);
}

static void put_options(FILE *out)
{
	for (size_t i = 0; i < options_table_count; i++)
		put_option(out, &options_table[i]);
}

/* The options that the configuration file accepts, and the form of their values. */
static void put_settings(FILE *out)
{
	for (size_t i = 0; i < options_table_count; i++) {
		const struct option_row *row = &options_table[i];
		const char *value = row->argument ? row->argument : "yes|no";

		if (!(row->verbs & VERB_SETTING))
			continue;
		fputs(".TP\n", out);
		put_in(out, 'B', row->name, strlen(row->name));
		fputs(" = ", out);
		put_in(out, 'I', value, strlen(value));
		fputc('\n', out);
		put(out, row->help);
		fputs(".\n", out);
	}
}

/* The words and marks of states. */
static void put_states(FILE *out)
{
	for (int s = 0; s < STATES_COUNT; s++) {
		const char *word = probes_state_name((enum probes_state)s);

		fputs(".TP\n", out);
		put_in(out, 'B', word, strlen(word));
		fputs(" \\&", out);
		put(out, states[s].mark);
		if (strcmp(states[s].word, word) != 0) {
			fputs(" (screen: ", out);
			put(out, states[s].word);
			fputc(')', out);
		}
		fputc('\n', out);
		put(out, states[s].help);
		fputs(".\n", out);
	}
}

/* ------------------------------------------------------------------ fields */

static void put_field(FILE *out, const struct field_row *row)
{
	static const char *const types[] = {[TYPE_TEXT] = "text",
		[TYPE_NUMBER] = "number",
		[TYPE_TRUTH] = "true or false",
		[TYPE_TEXTS] = "array of texts",
		[TYPE_OBJECT] = "object",
		[TYPE_OBJECTS] = "array of objects"};
	const char *gap = "(";

	fprintf(out, ".TP\n\\fB%s\\fR, %s\n", row->name, types[row->type]);
	put(out, row->help);
	fputs(".\n", out);
	for (int i = 0; i < SCHEMAS_COUNT; i++)
		if (row->schemas >> i & 1) {
			fputs(gap, out);
			put(out, schemas[i].name);
			gap = ", ";
		}
	fputs(")\n", out);
}

static void put_fields(FILE *out)
{
	for (int f = FIELD_none + 1; f < FIELDS_COUNT; f++)
		put_field(out, &fields[f]);
}

/* -------------------------------------------------------------------- keys */

/* What one key is in Markdown. */
static void markdown_key(FILE *out, const char *key, size_t length)
{
	fprintf(out, "`%.*s`", (int)length, key);
}

/* Every key of a request, parted by blanks, each put by `one`. */
static void each_key(FILE *out, enum request r, void (*one)(FILE *, const char *, size_t))
{
	char keys[64];

	for (const char *at = request_keys(r, keys, sizeof keys); *at;) {
		size_t length = strcspn(at, " ");

		one(out, at, length);
		at += length;
		if (*at)
			fputc(*at++, out);
	}
}

static void troff_key(FILE *out, const char *key, size_t length)
{
	put_in(out, 'B', key, length);
}

/* The screens on which a request can be made. */
static void put_screens(FILE *out, unsigned where)
{
	static const struct {
		unsigned where;
		const char *name;
	} screens[] = {{IN_LIST, "list"}, {IN_DETAIL, "detail"}, {IN_TEXT, "texts"},
		{IN_OUTPUT, "output"}, {IN_PAIRS, "pairs"}, {IN_INCONSISTENT, "inconsistent"},
		{IN_LATENCY, "latency"}, {IN_EVENTS, "events"}, {IN_HISTOGRAM, "values"},
		{IN_CALLERS, "callers"}, {IN_PICKER, "processes"}, {IN_DENIED, "denied"}};
	const size_t count = sizeof screens / sizeof *screens;
	unsigned shown = where;
	const char *gap = "";
	size_t absent = 0;

	for (size_t i = 0; i < count; i++)
		absent += !(where & screens[i].where);
	if (absent <= 2) {
		shown = ~where;
		gap = absent ? "all but " : "all";
	}
	for (size_t i = 0; i < count; i++)
		if (shown & screens[i].where) {
			fprintf(out, "%s%s", gap, screens[i].name);
			gap = ", ";
		}
	if (!absent)
		fputs(gap, out);
}

/* Does a key of it do something else on other screens? */
static bool is_shared(enum request r)
{
	for (int other = REQUEST_NONE + 1; other < REQUEST_COUNT; other++)
		for (int i = 0; i < REQUEST_KEYS && request_info(r)->keys[i]; i++)
			for (int k = 0; other != (int)r && k < REQUEST_KEYS; k++)
				if (request_info((enum request)other)->keys[k] ==
					request_info(r)->keys[i])
					return true;
	return false;
}

static void put_section(FILE *out, enum request_section section)
{
	fputs(".SS ", out);
	put(out, request_section(section));
	fputc('\n', out);
	for (int r = REQUEST_NONE + 1; r < REQUEST_COUNT; r++) {
		const struct request_info *info = request_info((enum request)r);

		if (info->section != section)
			continue;
		fputs(".TP\n", out);
		each_key(out, (enum request)r, troff_key);
		if (is_shared((enum request)r)) {
			fputs(" (", out);
			put_screens(out, info->where);
			fputc(')', out);
		}
		fputc('\n', out);
		put(out, info->help);
		fputs(".\n", out);
	}
}

static void put_keys(FILE *out)
{
	for (int s = 0; s < SECTION_COUNT; s++)
		put_section(out, (enum request_section)s);
}

static void markdown_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("|\\*_<>`~", *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

static void markdown_section(FILE *out, enum request_section section)
{
	for (int r = REQUEST_NONE + 1; r < REQUEST_COUNT; r++) {
		const struct request_info *info = request_info((enum request)r);

		if (info->section != section)
			continue;
		fputs("| ", out);
		each_key(out, (enum request)r, markdown_key);
		fputs(" | ", out);
		put_screens(out, info->where);
		fputs(" | ", out);
		markdown_text(out, info->help);
		fputs(" |\n", out);
	}
}

void gen_keys(FILE *out)
{
	fputs("| key | on the screens | does |\n|---|---|---|\n", out);
	for (int s = 0; s < SECTION_COUNT; s++)
		markdown_section(out, (enum request_section)s);
}

/* --------------------------------------------------------------- the whole */

void gen_manual(FILE *template, FILE *out)
{
	static const struct {
		const char *marker;
		void (*put)(FILE *out);
	} parts[] = {{"@SYNOPSIS@\n", put_synopsis}, {"@VERBS@\n", put_verbs},
		{"@OPTIONS@\n", put_options}, {"@SETTINGS@\n", put_settings},
		{"@STATES@\n", put_states}, {"@KEYS@\n", put_keys}, {"@FIELDS@\n", put_fields}};
	char line[1024];

	while (fgets(line, sizeof line, template)) {
		size_t i = 0;

		while (i < sizeof parts / sizeof *parts && strcmp(line, parts[i].marker))
			i++;
		if (i < sizeof parts / sizeof *parts)
			parts[i].put(out);
		else
			fputs(line, out);
	}
}
