/* Saying what went wrong, with what was done before it. */
#include "fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned long fault_count;

static char story[16384];
static bool told;

__attribute__((format(printf, 1, 0))) static void tell(const char *format, va_list arguments)
{
	size_t length = strlen(story);

	vsnprintf(story + length, sizeof story - length, format, arguments);
	length = strlen(story);
	snprintf(story + length, sizeof story - length, "\n");
}

void fault_begin(const char *format, ...)
{
	va_list arguments;

	story[0] = '\0';
	told = false;
	va_start(arguments, format);
	tell(format, arguments);
	va_end(arguments);
}

void fault_doing(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	tell(format, arguments);
	va_end(arguments);
}

void fault(const char *format, ...)
{
	va_list arguments;

	fault_count++;
	if (!told)
		printf("---- %s", story);
	told = true;
	printf("FAULT: ");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	fflush(stdout);
}

void fault_fatal(const char *format, ...)
{
	int code = errno;
	va_list arguments;

	printf("---- %s", story);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf(" (%s)\n", strerror(code));
	exit(99);
}
