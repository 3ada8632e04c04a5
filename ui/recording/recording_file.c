/* See recording_file.h. */
#include "ui/recording/recording_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ui/words/report.h"

int recording_file_next(FILE *file, char *line, struct recording *r, struct recording_item *item,
	size_t *bytes, struct probes_error *e)
{
	size_t length = 0;
	int c = getc_unlocked(file);
	const char *why = NULL;

	for (; c != EOF && c != '\n' && length < RECORDING_LINE; c = getc_unlocked(file))
		line[length++] = (char)c;
	*bytes = length + (c == '\n');
	if (ferror(file))
		return probes_failed(e, errno ? -errno : -EIO, "cannot read the recording");
	if (!*bytes && !r->lines)
		why = "it is empty";
	else if (c != EOF && c != '\n')
		why = "a line is too long for a recording";
	if (why)
		return report_set(
			e, PROBES_FAILED, -EINVAL, "the recording cannot be read", "", "%s", why);
	if (!*bytes)
		return 0;
	if (recording_read(r, line, length, item, e) == 0)
		return 1;
	/* The rest of a line is no error of its own: the end is missing. */
	return c == EOF && r->lines > 1 ? 0 : e->code;
}

void recording_file_zone(const struct recording_head *h)
{
	time_t then = (time_t)(h->time_ns / 1000000000);
	struct tm local = {0};
	char zone[64];
	long offset = h->offset < 0 ? -h->offset : h->offset;

	localtime_r(&then, &local);
	if (local.tm_gmtoff != h->offset) {
		/* POSIX counts to the west. */
		snprintf(zone, sizeof zone, "<%c%02ld%02ld>%c%02ld:%02ld",
			h->offset < 0 ? '-' : '+', offset / 3600, offset / 60 % 60,
			h->offset < 0 ? '+' : '-', offset / 3600, offset / 60 % 60);
		setenv("TZ", zone, 1);
		tzset();
	}
}
