/*
 * The settings that a person keeps: $XDG_CONFIG_HOME/probes-tui/config (else
 * ~/.config/probes-tui/config), lines of `name = value`, # begins a comment.
 * Every setting is an option, too, and the command line wins. Only read.
 */
#ifndef UI_CONFIG_H
#define UI_CONFIG_H

#include "ui/options.h"

#include <stddef.h>

/*
 * Apply it to what the command line left open. A file that is not there is no
 * mistake. Each mistake is handed to `wrong` as "FILE:LINE: WHY"; the other
 * lines still hold.
 */
void config_read(struct options *o, void (*wrong)(void *data, const char *text), void *data);

/* The same for a text; it is written into, and must live as long as the options. `path` is for
 * the mistakes. */
void config_apply(struct options *o, char *text, const char *path,
	void (*wrong)(void *data, const char *text), void *data);

#endif
