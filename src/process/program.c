#include "process/program.h"

#include "base/error.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRAM_PATH "/bin:/usr/bin" /* execvp(3), where PATH is unset */

/* A regular file; `executable`: that we may execute. */
static bool program_is(const char *path, bool executable)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       (!executable || access(path, X_OK) == 0);
}

/* DIRECTORY/file; NULL: no memory. An empty directory is the current one: execvp(3). */
static char *program_join(const char *directory, size_t length, const char *file)
{
	char *path;

	if (!length)
		return program_join(".", 1, file);
	return asprintf(&path, "%.*s/%s", (int)length, directory, file) < 0 ? NULL : path;
}

int program_find(const char *file, char **path, struct probes_error *e)
{
	const char *list = getenv("PATH"), *end;
	char here[256];

	*path = strchr(file, '/') ? strdup(file) : program_join(".", 1, file);
	if (*path && (strchr(file, '/') || program_is(*path, false)))
		return 0;
	list = list ? list : PROGRAM_PATH;
	for (const char *at = list; *path; at = end + 1) {
		free(*path);
		end = strchrnul(at, ':');
		*path = program_join(at, (size_t)(end - at), file);
		if (*path && program_is(*path, true))
			return 0;
		if (!*end)
			break;
	}
	if (!*path)
		return error_memory(e, "the path of a program");
	free(*path);
	*path = NULL;
	error_set(e, PROBES_NO_TARGET, -ENOENT, "cannot find %s", file);
	error_why(e,
		"not found in the current directory (%.150s), nor as a program in PATH (%.250s)",
		getcwd(here, sizeof here) ? here : "?", list);
	return error_hint(e, "give its path, with a slash");
}

bool program_is_elf(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char head[SELFMAG];
	bool is = fd >= 0 && read(fd, head, sizeof head) == sizeof head &&
		  !memcmp(head, ELFMAG, sizeof head);

	if (fd >= 0)
		close(fd);
	return is;
}

static bool program_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The next word; 0: none. */
static size_t program_word(const char **at, const char *end, const char **word)
{
	while (*at < end && program_blank(**at))
		++*at;
	*word = *at;
	while (*at < end && !program_blank(**at))
		++*at;
	return (size_t)(*at - *word);
}

size_t program_interpreter(const char *head, size_t size, char name[PROGRAM_LINE])
{
	const char *at = head + 2, *end, *word, *base;
	size_t length;

	if (size > PROGRAM_LINE)
		size = PROGRAM_LINE;
	if (size < 3 || head[0] != '#' || head[1] != '!')
		return 0;
	end = memchr(head, '\n', size);
	end = end ? end : memchr(head, '\0', size);
	end = end ? end : head + size;
	length = program_word(&at, end, &word);
	base = memrchr(word, '/', length);
	base = base ? base + 1 : word;
	if (word + length - base == 3 && !memcmp(base, "env", 3)) {
		bool skip;

		do {
			length = program_word(&at, end, &word);
			/* -S and what follows it in the same word are the command itself. */
			if (length > 2 && word[0] == '-' && word[1] == 'S') {
				word += 2;
				length -= 2;
			}
			skip = length && (word[0] == '-' || memchr(word, '=', length));
			/* Its value is the next word: env(1), coreutils and busybox. */
			if (skip && length == 2 && word[0] == '-' && strchr("uCP", word[1]))
				program_word(&at, end, &base);
		} while (skip);
	}
	if (memchr(word, '\0', length))
		return 0;
	memcpy(name, word, length);
	name[length] = '\0';
	return length;
}
