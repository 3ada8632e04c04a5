/*
 * The user's configuration file: $XDG_CONFIG_HOME/probes-tui/config, else
 * ~/.config/probes-tui/config. Lines of `name = value`; # starts a comment.
 * Every setting is also an option, and the command line wins. Never written.
 */
#pragma once

#include "ui/options/options.h"

/*
 * Apply the file to the options that the command line did not set. A missing file is no
 * error. Each error is passed to `report` as "FILE:LINE: WHY"; the other lines still apply. What
 * cannot be read or understood may be read-only = yes, and is taken for that.
 */
void config_read(struct options *o, void (*report)(void *data, const char *text), void *data);

/*
 * Apply a text with the file's syntax. The text is modified and must live as long as the
 * options. `path` is used in error messages only.
 */
void config_apply(struct options *o, char *text, const char *path,
	void (*report)(void *data, const char *text), void *data);

/*
 * Any text of such lines: `take` gets each, and returns NULL, or why it is wrong; that is reported,
 * and so is a line without a value, which is NULL.
 */
void config_lines(char *text, const char *path,
	const char *(*take)(void *data, unsigned line, const char *name, const char *value),
	void *data, void (*report)(void *data, const char *text), void *report_data);

/*
 * The text of a file beside the configuration file, such as "/config", and its path. The caller
 * frees it. NULL: there is none, or it could not be read, which is reported; *unread: it is ours.
 */
char *config_load(char *path, size_t size, const char *name, bool *unread,
	void (*report)(void *data, const char *text), void *data);

/*
 * The path of a file or directory of probes-tui according to the XDG base directories:
 * "$variable/probes-tui" "name", else "~/below_home/probes-tui" "name". False: neither variable
 * holds an absolute path, or it does not fit.
 */
bool config_path(
	char *path, size_t size, const char *variable, const char *below_home, const char *name);
