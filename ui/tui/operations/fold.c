#include "ui/tui/operations/fold.h"

#include "ui/tui/terminal/text.h"

#include <string.h>

/* How many bytes fit into a line. *quoted: is the start, and then the end, in single quotes? */
static size_t fold_fits(const char *s, int columns, bool *quoted)
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

void fold_command(struct pager *p, int style, const char *command, int columns)
{
	bool quoted = false;

	columns = columns > 20 ? columns : 20;
	while (*command) {
		bool reopen = quoted;
		size_t n = fold_fits(command, reopen ? columns - 1 : columns, &quoted);
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

void fold_comment(struct pager *p, int style, const char *text, int columns)
{
	const char *next;

	do {
		size_t n = text_wrap(text, columns > 20 ? columns - 2 : 18, &next);

		pager_addf(p, style, "# %.*s", (int)n, text);
		text = next;
	} while (*text);
}
