/* Where notices of the engine go: to a callback of the caller, or nowhere. */
#pragma once

#include "probes.h"

struct log {
	void (*sink)(void *data, enum probes_log_level level, const char *text);
	void *data;
};

void log_say(const struct log *log, enum probes_log_level level, const char *text, ...)
	__attribute__((format(printf, 3, 4)));
