/* Formats notices for the sink of the caller; the engine itself prints nothing. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void log_say(const struct log *log, enum probes_log_level level, const char *text, ...)
{
	char line[512];
	va_list args;

	if (!log->sink)
		return;
	va_start(args, text);
	vsnprintf(line, sizeof line, text, args);
	va_end(args);
	log->sink(log->data, level, line);
}
