/*
 * Words and lines for a POSIX shell: quoting, breaking, splitting.
 */
#include "ui/tui/operations/shell.h"

#include "ui/tui/terminal/text.h"

#include <string.h>

static bool shell_is_plain(const char *word)
{
	for (const char *s = word; *s; s++) {
		if (!(*s >= '0' && *s <= '9') && !(*s >= 'a' && *s <= 'z') &&
			!(*s >= 'A' && *s <= 'Z') && !strchr("_-+=.,:/@%", *s))
			return false;
	}
	return *word;
}

void shell_quote(FILE *out, const char *word)
{
	if (shell_is_plain(word)) {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (const char *s = word; *s; s++) {
		if (*s == '\'')
			fputs("'\\''", out);
		else
			fputc(*s, out);
	}
	fputc('\'', out);
}

/* How much of a line fits; *quoted: whether its end is within single quotes. */
static size_t shell_fits(const char *s, int columns, bool *quoted)
{
	size_t n = 0;
	int used = 0;

	while (s[n] && s[n] != '\n') {
		int width;
		/* \' stays together: what follows a backslash is no quote */
		size_t bytes = s[n] == '\\' && !*quoted && s[n + 1] ? 2 : text_next(s + n, &width);

		if (bytes == 2 && s[n] == '\\')
			width = 2;
		/* room for what ends the line: '\ */
		if (used + width > columns - 2 && strlen(s + n) > 2)
			break;
		if (s[n] == '\'')
			*quoted = !*quoted;
		n += bytes;
		used += width;
	}
	return n;
}

void shell_fold(struct pager *l, int style, const char *command, int columns)
{
	bool quoted = false;

	columns = columns > 20 ? columns : 20;
	while (*command) {
		bool before = quoted;
		size_t n = shell_fits(command, before ? columns - 1 : columns, &quoted);
		bool ends = !command[n] || command[n] == '\n';

		pager_addf(l, style, "%s%.*s%s", before ? "'" : "", (int)n, command,
			ends     ? ""
			: quoted ? "'\\"
				 : "\\");
		command += n + (command[n] == '\n');
		if (ends)
			quoted = false;
	}
}

int shell_split(const char *line, char *room, char **words, int max)
{
	int count = 0;

	for (;;) {
		char quote = '\0';

		while (*line == ' ' || *line == '\t')
			line++;
		if (!*line)
			return count;
		if (count == max)
			return -1;
		words[count++] = room;
		for (; *line && (quote || (*line != ' ' && *line != '\t')); line++) {
			if (!quote && (*line == '\'' || *line == '"'))
				quote = *line;
			else if (quote && *line == quote)
				quote = '\0';
			else if (*line == '\\' && quote != '\'' && line[1] &&
				 (!quote || line[1] == '"' || line[1] == '\\'))
				*room++ = *++line;
			else
				*room++ = *line;
		}
		if (quote)
			return -1;
		*room++ = '\0';
		if (*line)
			line++;
	}
}
