/*
 * The settings that a person keeps. Knows lines; what settings there are is
 * the option table's matter.
 */
#include "ui/config.h"

#include <errno.h>
#include <fcntl.h>
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

/* One line; NULL, or why it is wrong. */
static const char *config_line(struct options *o, char *text, struct probes_error *e)
{
	char *name = config_trim(text), *value;

	if (!*name || *name == '#')
		return NULL;
	value = strchr(name, '=');
	if (!value)
		return "is not of the form name = value";
	*value++ = '\0';
	if (options_set(o, config_trim(name), config_trim(value), e) < 0)
		return e->why;
	return NULL;
}

void config_apply(struct options *o, char *text, const char *path,
	void (*wrong)(void *data, const char *text), void *data)
{
	struct probes_error e = {0};
	unsigned number = 0;
	char said[1200];

	for (char *next; text; text = next) {
		const char *why;

		number++;
		next = strchr(text, '\n');
		if (next)
			*next++ = '\0';
		why = config_line(o, text, &e);
		if (!why)
			continue;
		snprintf(said, sizeof said, "%s:%u: %s: %s", path, number, config_trim(text), why);
		wrong(data, said);
	}
}

static bool config_path(char *path, size_t size)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && config[0] == '/')
		return snprintf(path, size, "%s/probes-tui/config", config) < (int)size;
	if (home && home[0] == '/')
		return snprintf(path, size, "%s/.config/probes-tui/config", home) < (int)size;
	return false;
}

/* The whole file, or NULL and why; *why NULL: there is none. */
static char *config_load(const char *path, const char **why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text = NULL;
	struct stat st;
	ssize_t n;

	*why = fd < 0 && errno != ENOENT && errno != ENOTDIR ? strerror(errno) : NULL;
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		*why = "is no regular file";
	else if (st.st_uid != geteuid() && st.st_uid != 0)
		*why = "belongs to somebody else, so it is not read";
	else if (st.st_size >= CONFIG_SIZE)
		*why = "is too long for settings";
	else if (!(text = calloc(1, CONFIG_SIZE)))
		*why = strerror(ENOMEM);
	n = text ? read(fd, text, CONFIG_SIZE - 1) : 0;
	if (n < 0)
		*why = strerror(errno);
	else if (text && strlen(text) < (size_t)n)
		*why = "holds binary data";
	close(fd);
	if (*why) {
		free(text);
		text = NULL;
	}
	return text;
}

void config_read(struct options *o, void (*wrong)(void *data, const char *text), void *data)
{
	char path[1024], said[1200];
	const char *why;

	if (!config_path(path, sizeof path))
		return;
	o->config = config_load(path, &why);
	if (o->config) {
		config_apply(o, o->config, path, wrong, data);
	} else if (why) {
		snprintf(said, sizeof said, "%s: %s", path, why);
		wrong(data, said);
	}
}
