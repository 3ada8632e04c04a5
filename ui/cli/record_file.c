#include "ui/cli/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "ui/output/outbuf.h"
#include "ui/words/report.h"

bool record_file_goes_on(const struct record_file *r)
{
	return r->file && !r->code;
}

void record_file_flush(struct record_file *r)
{
	struct lines *l = &r->lines;

	if (!record_file_goes_on(r))
		return;
	lines_sort(l);
	for (size_t i = 0; i < l->count; i++)
		fwrite(l->text + l->all[i].at, 1, l->all[i].length, r->file);
	if (l->failed)
		r->code = ENOMEM;
	else if (fflush(r->file) != 0 || ferror(r->file))
		r->code = errno ? errno : EIO;
	lines_clear(l);
	if (!r->code) {
		r->size = ftello(r->file);
		return;
	}
	report_line("cannot write to %s: %s; the recording ends here%s%s", outbuf_safe(r->path),
		strerror(r->code), *report_write_hint(r->code) ? "; " : "",
		report_write_hint(r->code));
	/* No line is left that ends in its middle. */
	(void)!ftruncate(fileno(r->file), r->size);
}

void record_file_flush_lost(struct record_file *r, uint64_t lost)
{
	if (!record_file_goes_on(r))
		return;
	if (lost > r->lost)
		recording_put_lost(&r->lines, lost);
	r->lost = lost;
	if (r->lines.count)
		record_file_flush(r);
}

int record_file_open(struct record_file *r, const struct options *o, const char *of)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY;
	struct recording_head head = {.of = of, .version = PROBES_VERSION};
	struct utsname host = {0};
	struct timespec now;
	struct tm local;
	int fd;

	*r = (struct record_file){.path = o->record};
	if (!o->record)
		return PROBES_OK;
	if (!strcmp(o->record, "-")) {
		report_line("cannot record to -: a recording is a file; name one, or print the "
			    "events with -format json");
		return PROBES_USAGE;
	}
	fd = open(o->record, flags, 0600);
	r->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!r->file) {
		report_line("cannot record to %s: %s%s", outbuf_safe(o->record), strerror(errno),
			errno == EEXIST ? "; name a new file" : "");
		if (fd >= 0)
			close(fd);
		return PROBES_FAILED;
	}
	uname(&host);
	clock_gettime(CLOCK_REALTIME, &now);
	head.host = host.nodename;
	head.kernel = host.release;
	head.time_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	if (localtime_r(&now.tv_sec, &local))
		head.offset = local.tm_gmtoff;
	recording_put_head(&r->lines, &head);
	record_file_flush(r);
	return r->code ? record_file_close(r, NULL, PROBES_FAILED) : PROBES_OK;
}

/* The number of the object in the recording; it is described when it first comes. */
static size_t object_number(
	struct record_file *r, struct probes_session *session, size_t object, size_t *known)
{
	const struct probes_object *o = probes_object_at(session, object);
	struct recording_object line = {
		.process = r->processes, .path = o->path, .build_id = o->build_id, .bias = o->bias};

	if (!known[object]) {
		recording_put_object(&r->lines, r->objects, &line);
		known[object] = ++r->objects;
	}
	return known[object] - 1;
}

void record_file_describe(struct record_file *r, struct probes_session *session,
	const size_t *probes, size_t count, size_t *numbers)
{
	struct recording_process process = {
		.pid = probes_pid(session), .comm = "", .program = probes_path(session)};
	struct probes_process_info info;
	struct probes_error e;
	size_t *known;

	if (!record_file_goes_on(r))
		return;
	known = calloc(probes_object_count(session) + 1, sizeof *known);
	if (probes_process_info(process.pid, &info, &e) == 0) {
		process.comm = info.name;
		process.start = info.start;
	}
	recording_put_process(&r->lines, r->processes, &process);
	for (size_t i = 0; known && i < count; i++) {
		const struct probes_probe *p = probes_at(session, probes[i]);

		numbers[i] = r->probes++;
		recording_put_probe(
			&r->lines, numbers[i], object_number(r, session, p->object, known), p);
		for (uint32_t k = 0; k < p->site_count; k++) {
			struct probes_source where = {0};
			struct probes_described_site names = {0};

			probes_source(session, probes[i], k, &where);
			for (unsigned n = 0; n < PROBES_EVENT_ARGUMENTS; n++)
				names.names[n] = probes_argument_name(session, probes[i], k, n + 1);
			recording_put_site(&r->lines, k, numbers[i], &p->sites[k], &where, &names);
		}
	}
	r->lines.failed = r->lines.failed || !known;
	free(known);
	r->processes++;
	record_file_flush(r);
}

int record_file_close(struct record_file *r, const struct recording_end *end, int status)
{
	struct stat made, there;
	char what[300];

	if (!r->file)
		return status;
	if (end)
		recording_put_end(&r->lines, end);
	record_file_flush(r);
	/* Nothing is left of a call that recorded nothing. */
	if (!end && fstat(fileno(r->file), &made) == 0 && lstat(r->path, &there) == 0 &&
		made.st_dev == there.st_dev && made.st_ino == there.st_ino)
		unlink(r->path);
	if (fclose(r->file) != 0 && !r->code) {
		r->code = errno;
		snprintf(what, sizeof what, "to %s", outbuf_safe(r->path));
		report_unwritten(what, r->code);
	}
	r->file = NULL;
	lines_done(&r->lines);
	return status || !r->code ? status : PROBES_FAILED;
}
