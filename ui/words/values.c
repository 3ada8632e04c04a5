/*
 * Numbers as people write them. strtol would accept signs and blanks, and the decimal point of
 * strtod depends on the locale.
 */
#include "ui/words/values.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes.h"

#define DIGITS "0123456789"
#define LONGEST_MS (1000 * UINT64_C(3600000))

pid_t values_pid(const char *text, const char **end)
{
	size_t digits = strspn(text, DIGITS);
	unsigned long value;

	*end = text + digits;
	if (digits == 0)
		return 0;
	errno = 0;
	value = strtoul(text, NULL, 10);
	return errno || value > INT_MAX ? 0 : (pid_t)value;
}

bool values_number(const char *text, unsigned least, unsigned most, unsigned *value)
{
	size_t digits = strspn(text, DIGITS);
	unsigned long number;

	if (!digits || text[digits])
		return false;
	errno = 0;
	number = strtoul(text, NULL, 10);
	if (errno || number < least || number > most)
		return false;
	*value = (unsigned)number;
	return true;
}

bool values_argument(const char *text, unsigned most, unsigned *argument)
{
	return !strncmp(text, "arg", 3) && values_number(text + 3, 1, most, argument);
}

bool values_arguments(const char *text, unsigned *arguments)
{
	*arguments = 0;
	for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		char name[16];
		unsigned argument;

		snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
		if (!values_argument(name, PROBES_EVENT_ARGUMENTS, &argument))
			return false;
		*arguments |= 1u << (argument - 1);
	}
	return true;
}

/* A number with at most three decimals, in thousandths; *end is what follows. */
static bool values_thousandths(const char *text, uint64_t *value, const char **end)
{
	size_t whole = strspn(text, DIGITS);
	size_t point = text[whole] == '.';
	size_t part = point ? strspn(text + whole + 1, DIGITS) : 0;

	*end = text + whole + point + part;
	*value = 0;
	if (!(whole + part) || whole > 9 || part > 3)
		return false;
	for (size_t i = 0; i < whole; i++)
		*value = *value * 10 + (uint64_t)(text[i] - '0');
	for (size_t i = 0; i < 3; i++)
		*value = *value * 10 + (i < part ? (uint64_t)(text[whole + 1 + i] - '0') : 0);
	return true;
}

bool values_percent(const char *text, double *percent)
{
	uint64_t thousandths;
	const char *end;

	if (!values_thousandths(text, &thousandths, &end) || *end || thousandths > 10000000)
		return false;
	*percent = (double)thousandths / 1e3;
	return true;
}

bool values_span(const char *text, uint64_t *ms)
{
	static const struct {
		const char *name;
		uint64_t ms;
	} units[] = {{"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
	uint64_t scale = 0, thousandths;
	const char *end;

	if (!values_thousandths(text, &thousandths, &end))
		return false;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(end, units[i].name))
			scale = units[i].ms;
	if (!scale)
		return false;
	*ms = thousandths * scale / 1000;
	return *ms <= LONGEST_MS;
}
