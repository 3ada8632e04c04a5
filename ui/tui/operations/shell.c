/*
 * Words and lines for a POSIX shell: quoting, breaking, splitting.
 */
#include "ui/tui/operations/shell.h"

#include "ui/tui/terminal/text.h"

#include <string.h>

void shell_quote(FILE *out, const char *word)
{
	static const char plain[] = "0123456789abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ_-+=.,:/@%";

	if (*word && !word[strspn(word, plain)]) {
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

/* How many bytes fit into a line. *quoted: is the start, and then the end, in single quotes? */
static size_t shell_fits(const char *s, int columns, bool *quoted)
{
	size_t n = 0;
	int used = 0;

	while (s[n] && s[n] != '\n') {
		int width;
		/* keep \\' together: this quote does not end or start quoting */
		size_t bytes = s[n] == '\\' && !*quoted && s[n + 1] ? 2 : text_next(s + n, &width);

		if (bytes == 2 && s[n] == '\\')
			width = 2;
		/* keep room for the continuation: '\\ */
		if (used + width > columns - 2 && strlen(s + n) > 2)
			break;
		if (s[n] == '\'')
			*quoted = !*quoted;
		n += bytes;
		used += width;
	}
	return n;
}

void shell_fold(struct pager *p, int style, const char *command, int columns)
{
	bool quoted = false;

	columns = columns > 20 ? columns : 20;
	while (*command) {
		bool reopen = quoted;
		size_t n = shell_fits(command, reopen ? columns - 1 : columns, &quoted);
		bool ends = !command[n] || command[n] == '\n';

		pager_addf(p, style, "%s%.*s%s", reopen ? "'" : "", (int)n, command,
			ends     ? ""
			: quoted ? "'\\"
				 : "\\");
		command += n + (command[n] == '\n');
		if (ends)
			quoted = false;
	}
}

int shell_split(const char *line, char *buffer, char **words, int max)
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
		words[count++] = buffer;
		for (; *line && (quote || (*line != ' ' && *line != '\t')); line++) {
			if (!quote && (*line == '\'' || *line == '"'))
				quote = *line;
			else if (quote && *line == quote)
				quote = '\0';
			else if (*line == '\\' && quote != '\'' && line[1] &&
				 (!quote || line[1] == '"' || line[1] == '\\'))
				*buffer++ = *++line;
			else
				*buffer++ = *line;
		}
		if (quote)
			return -1;
		*buffer++ = '\0';
		if (*line)
			line++;
	}
}
