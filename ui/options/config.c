/*
 * The user's configuration files. Knows their syntax only; the option table knows the
 * settings.
 */
#include "ui/options/config.h"

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

void config_lines(char *text, const char *path,
	const char *(*take)(void *data, unsigned line, const char *name, const char *value),
	void *data, void (*report)(void *data, const char *text), void *report_data)
{
	unsigned number = 0;
	char message[1200];

	for (char *next; text; text = next) {
		const char *why = "is not of the form name = value";
		char *name, *value;

		number++;
		next = strchr(text, '\n');
		if (next)
			*next++ = '\0';
		name = config_trim(text);
		if (!*name || *name == '#')
			continue;
		value = strchr(name, '=');
		if (value) {
			*value++ = '\0';
			name = config_trim(name);
			why = take(data, number, name, config_trim(value));
		}
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

static const char *config_take(void *data, unsigned line, const char *name, const char *value)
{
	struct config_target *t = data;

	(void)line;
	return options_set(t->options, name, value, &t->error) < 0 ? t->error.why : NULL;
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

/* The whole file. NULL: see *why, which is NULL if there is no file. */
static char *config_text(const char *path, const char **why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text = NULL;
	struct stat st;
	ssize_t n;

	*why = fd < 0 && errno != ENOENT && errno != ENOTDIR ? strerror(errno) : NULL;
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		*why = "is not a regular file";
	else if (st.st_uid != geteuid() && st.st_uid != 0)
		*why = "belongs to another user: not read";
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

char *config_load(char *path, size_t size, const char *name,
	void (*report)(void *data, const char *text), void *data)
{
	char message[1200], *text;
	const char *why;

	if (!config_path(path, size, "XDG_CONFIG_HOME", ".config", name))
		return NULL;
	text = config_text(path, &why);
	if (!text && why) {
		snprintf(message, sizeof message, "%s: %s", path, why);
		report(data, message);
	}
	return text;
}

void config_read(struct options *o, void (*report)(void *data, const char *text), void *data)
{
	char path[1024];

	o->config = config_load(path, sizeof path, "/config", report, data);
	if (o->config)
		config_apply(o, o->config, path, report, data);
}
