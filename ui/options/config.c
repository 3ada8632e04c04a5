#include "ui/options/config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONFIG_SIZE 65536

static char *config_trim(char *text)
{
	size_t n;

	text += strspn(text, " \t\r");
	n = strlen(text);
	while (n && strchr(" \t\r", text[n - 1]))
		text[--n] = '\0';
	return text;
}

void config_lines(char *text, const char *path,
	const char *(*take)(void *data, unsigned line, const char *name, const char *value),
	void *data, void (*report)(void *data, const char *text), void *report_data)
{
	unsigned number = 0;
	char message[1200];

	for (char *next; text; text = next) {
		const char *why;
		char *name, *value;

		number++;
		next = strchr(text, '\n');
		if (next)
			*next++ = '\0';
		name = config_trim(text);
		if (!*name || *name == '#')
			continue;
		value = strchr(name, '=');
		if (value)
			*value++ = '\0';
		name = config_trim(name);
		why = take(data, number, name, value ? config_trim(value) : NULL);
		if (!value)
			why = "is not of the form name = value";
		if (!why)
			continue;
		snprintf(message, sizeof message, "%s:%u: %s: %s", path, number, name, why);
		report(report_data, message);
	}
}

struct config_target {
	struct options *options;
	struct probes_error error;
};

/* A line about read-only that makes no sense was meant to keep us from writing. */
static const char *config_take(void *data, unsigned line, const char *name, const char *value)
{
	struct config_target *t = data;
	bool wrong = !value || options_set(t->options, name, value, &t->error) < 0;

	if (wrong && !strncmp(name, "read-only", 9))
		options_forbid(t->options);
	return wrong && value ? t->error.why : NULL;
}

void config_apply(struct options *o, char *text, const char *path,
	void (*report)(void *data, const char *text), void *data)
{
	struct config_target t = {.options = o};

	config_lines(text, path, config_take, &t, report, data);
}

bool config_path(
	char *path, size_t size, const char *variable, const char *below_home, const char *name)
{
	const char *base = getenv(variable), *home = getenv("HOME");
	int n = -1;

	if (base && base[0] == '/')
		n = snprintf(path, size, "%s/probes-tui%s", base, name);
	else if (home && home[0] == '/')
		n = snprintf(path, size, "%s/%s/probes-tui%s", home, below_home, name);
	return n >= 0 && (size_t)n < size;
}

/*
 * Is it out of reach in a folder of another user ($HOME kept by su)? Then no file there is ours.
 * One that we have locked ourselves may hold what we meant to forbid.
 */
static bool config_of_another(const char *path)
{
	char folder[PATH_MAX];
	struct stat st;

	snprintf(folder, sizeof folder, "%s", path);
	while (stat(folder, &st) < 0) {
		char *slash = strrchr(folder, '/');

		if (errno != EACCES || !slash || slash == folder)
			return false;
		*slash = '\0';
	}
	return strcmp(folder, path) != 0 && st.st_uid != geteuid();
}

/* The whole file. NULL: see *why, which is NULL if there is no file; *ours: it should have been
 * read. */
static char *config_text(const char *path, const char **why, bool *ours)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st = {.st_mode = 0}, link;
	size_t size = 0;
	char *text = NULL;
	ssize_t n = 1;
	bool foreign;

	*why = fd < 0 && errno != ENOENT && errno != ENOTDIR ? strerror(errno) : NULL;
	*ours = fd >= 0 || errno != EACCES || !config_of_another(path);
	if (fd < 0)
		return NULL;
	/* Also a file of ours or of root's to which a stranger's link leads: its text may be
	 * theirs. */
	foreign = fstat(fd, &st) < 0 || lstat(path, &link) < 0 ||
		  (st.st_uid != geteuid() && st.st_uid != 0) ||
		  (link.st_uid != geteuid() && link.st_uid != 0);
	if (!S_ISREG(st.st_mode))
		*why = "is not a regular file";
	else if (foreign)
		*why = "belongs to another user: not read";
	else if (!(text = calloc(1, CONFIG_SIZE)))
		*why = strerror(ENOMEM);
	*ours = !foreign;
	while (text && n > 0 && size < CONFIG_SIZE) {
		n = read(fd, text + size, CONFIG_SIZE - size);
		size += n > 0 ? (size_t)n : 0;
	}
	if (n < 0)
		*why = strerror(errno);
	else if (size == CONFIG_SIZE)
		*why = "is too long for settings";
	else if (text && strlen(text) < size)
		*why = "holds binary data";
	close(fd);
	if (*why) {
		free(text);
		text = NULL;
	}
	return text;
}

char *config_load(char *path, size_t size, const char *name, bool *unread,
	void (*report)(void *data, const char *text), void *data)
{
	char message[PATH_MAX + 200], *text;
	const char *why;

	*unread = false;
	if (!config_path(path, size, "XDG_CONFIG_HOME", ".config", name))
		return NULL;
	text = config_text(path, &why, unread);
	*unread = *unread && !text && why;
	if (!text && why) {
		snprintf(message, sizeof message, "%s: %s", path, why);
		report(data, message);
	}
	return text;
}

void config_read(struct options *o, void (*report)(void *data, const char *text), void *data)
{
	char path[PATH_MAX];
	bool unread;

	o->config = config_load(path, sizeof path, "/config", &unread, report, data);
	if (o->config)
		config_apply(o, o->config, path, report, data);
	else if (unread && options_forbid(o))
		report(data, "it may forbid changes, so none are made; -read-only=no allows them");
}
