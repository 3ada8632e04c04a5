#include "ui/words/shell.h"

#include <stdlib.h>
#include <string.h>

#include "probes.h"

/* What no shell treats specially, wherever it stands in a word. */
static const char shell_plain[] = "0123456789abcdefghijklmnopqrstuvwxyz"
				  "ABCDEFGHIJKLMNOPQRSTUVWXYZ_-+=.,:/@%";

void shell_quote(FILE *out, const char *word)
{
	if (*word && !word[strspn(word, shell_plain)]) {
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

void shell_quote_safe(FILE *out, const char *word)
{
	fputs("$'", out);
	for (const char *s = word; *s; s++) {
		if (*s == '\'' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else if (*s >= ' ' && *s <= '~')
			fputc(*s, out);
		else
			fprintf(out, "\\x%02x", (unsigned char)*s);
	}
	fputc('\'', out);
}

void shell_quote_any(FILE *out, const char *word)
{
	size_t length = strlen(word), backslashes = 0;

	/* A backslash is escaped only to tell it from others. */
	for (const char *c = word; *c; c++)
		backslashes += *c == '\\';
	if (probes_escape(word, NULL, 0) == length + backslashes)
		shell_quote(out, word);
	else
		shell_quote_safe(out, word);
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

char shell_open(const char *line)
{
	char quote = '\0';

	for (; *line; line++) {
		if (*line == '\\' && quote != '\'' && line[1])
			line++;
		else if (!quote && (*line == '\'' || *line == '"'))
			quote = *line;
		else if (quote && *line == quote)
			quote = '\0';
	}
	return quote;
}

int shell_unfinished(const char *line, char *buffer, char **words, int max)
{
	size_t length = strlen(line);
	char *closed = malloc(length + 3), *last;
	int count = -1;

	if (!closed)
		return -1;
	/* Any character at the end makes it one of a word: that is taken off again. */
	memcpy(closed, line, length);
	closed[length] = 'x';
	closed[length + 1] = shell_open(line);
	closed[length + 2] = '\0';
	count = shell_split(closed, buffer, words, max);
	free(closed);
	if (count > 0) {
		last = words[count - 1];
		last[strlen(last) - 1] = '\0';
	}
	return count;
}

void shell_continue(FILE *out, const char *text, char quote)
{
	for (; *text; text++) {
		bool plain = (unsigned char)*text >= 0x80 || strchr(shell_plain, *text);

		if (quote == '"' && *text == '!') {
			fputs("\"'!'\"", out); /* a backslash before it would stay */
			continue;
		}
		if (quote == '\'' && *text == '\'')
			fputs("'\\'", out);
		else if (quote == '"' ? strchr("\"$`\\", *text) != NULL : !quote && !plain)
			fputc('\\', out);
		fputc(*text, out);
	}
}
