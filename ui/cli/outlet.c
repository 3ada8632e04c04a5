#include "ui/cli/outlet.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ui/cli/signals.h"
#include "ui/words/now.h"
#include "ui/words/report.h"

#define TICK_MS 50       /* between two looks for signals */
#define PATIENCE_MS 1000 /* with a reader that takes nothing, after a signal */

struct outlet {
	FILE *stream; /* what is printed to; NULL: none */
	int fd;       /* of whoever called us */
	int own;      /* the same, opened so that no write waits; -1: could not be; fd: none does */
	int error;    /* errno of the first failure; 0: none */
	char *kept;
	size_t size;
};

/* Of the output, and of standard error. */
static struct outlet outlets[2];
static int64_t outlet_time = INT64_MAX;
static bool outlet_keeps; /* nothing waits */

/* May a write wait for its reader? Once not, never again until the next time is set. */
static bool may_wait(void)
{
	if (now_ms() >= outlet_time || signals_pending())
		outlet_keeps = true;
	return !outlet_keeps;
}

/* Write what there is room for. -1: an error; EAGAIN: there is no room. */
static ssize_t put(const struct outlet *o, const char *bytes, size_t size)
{
	struct pollfd reader = {.fd = o->fd, .events = POLLOUT};

	if (o->own >= 0)
		return write(o->own, bytes, size);
	/* A pipe that says that it has room has it for so many. */
	if (poll(&reader, 1, 0) > 0)
		return write(o->fd, bytes, size < PIPE_BUF ? size : PIPE_BUF);
	errno = EAGAIN;
	return -1;
}

/* Write until there is no room, and the next call of `wait` says so. Returns how much. */
static size_t pass(struct outlet *o, const char *bytes, size_t size, bool (*wait)(size_t done))
{
	size_t done = 0;

	while (done < size && !o->error) {
		ssize_t n = put(o, bytes + done, size - done);
		struct pollfd reader = {.fd = o->own < 0 ? o->fd : o->own, .events = POLLOUT};

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EAGAIN && errno != EINTR)
			o->error = errno;
		else if (!wait(done))
			break;
		else
			poll(&reader, 1, TICK_MS);
	}
	return done;
}

static bool wait_for_room(size_t done)
{
	return may_wait();
}

static bool keep(struct outlet *o, const char *bytes, size_t size)
{
	char *all = size ? realloc(o->kept, o->size + size) : o->kept;

	if (size && !all) {
		o->error = ENOMEM;
		return false;
	}
	o->kept = all;
	if (size)
		memcpy(o->kept + o->size, bytes, size);
	o->size += size;
	return true;
}

static ssize_t take(void *cookie, const char *bytes, size_t size)
{
	struct outlet *o = cookie;
	size_t done = pass(o, o->kept, o->size, wait_for_room);

	o->size -= done;
	if (done && o->size)
		memmove(o->kept, o->kept + done, o->size);
	done = o->size ? 0 : pass(o, bytes, size, wait_for_room);

	if (!o->error && keep(o, bytes + done, size - done))
		return (ssize_t)size;
	errno = o->error;
	return 0;
}

static int shut(void *cookie)
{
	struct outlet *o = cookie;

	if (o->own != o->fd && o->own >= 0)
		close(o->own);
	o->stream = NULL;
	return close(o->fd);
}

static void outlet_open(struct outlet *o, FILE *file)
{
	static const cookie_io_functions_t calls = {.write = take, .close = shut};
	char path[40];
	struct stat st;

	o->fd = o->own = fileno(file);
	fflush(file);
	o->stream = fopencookie(o, "w", calls);
	if (!o->stream)
		return;
	/* Whoever shares our descriptor must not find it changed. */
	snprintf(path, sizeof path, "/proc/self/fd/%d", o->fd);
	if (fstat(o->fd, &st) == 0 &&
		(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || isatty(o->fd)))
		o->own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	setvbuf(o->stream, NULL, _IOLBF, BUFSIZ);
}

FILE *outlet_begin(FILE *file)
{
	struct outlet *errors = &outlets[1], *o = file == stderr ? errors : &outlets[0];

	if (o->stream == file)
		return file;
	outlet_open(errors, stderr);
	if (errors->stream)
		report_to(errors->stream);
	if (o != errors)
		outlet_open(o, file);
	if (o != errors && o->stream && !isatty(o->fd))
		setvbuf(o->stream, NULL, _IOFBF, BUFSIZ);
	return o->stream ? o->stream : file;
}

void outlet_until(int64_t end)
{
	outlet_time = end;
	outlet_keeps = false;
}

void outlet_keep(void)
{
	outlet_keeps = true;
}

bool outlet_waits(FILE *file)
{
	bool waits = false;

	for (struct outlet *o = outlets; o < outlets + 2; o++) {
		if (o->stream && o->size)
			take(o, NULL, 0);
		waits = waits || (o->stream == file && o->size && !o->error);
	}
	return waits;
}

static int outlet_signal; /* that ended the call */

/* `done` is how much the reader took since this waiting began. */
static bool wait_for_reader(size_t done)
{
	static int64_t since;
	static size_t before = SIZE_MAX;

	if (!outlet_signal)
		outlet_signal = signals_pending();
	if (done != before || !outlet_signal)
		since = now_ms();
	before = done;
	return now_ms() - since < PATIENCE_MS;
}

void outlet_end(int *sig)
{
	size_t dropped = 0;

	outlet_signal = *sig;
	for (struct outlet *o = outlets; o < outlets + 2; o++) {
		size_t done;

		if (!o->stream || o->error)
			continue;
		outlet_keeps = true; /* so that this is put behind what is kept already */
		fflush(o->stream);
		done = pass(o, o->kept, o->size, wait_for_reader);
		dropped += o == outlets ? o->size - done : 0;
		free(o->kept);
		o->kept = NULL;
		o->size = 0;
	}
	*sig = outlet_signal;
	outlet_time = INT64_MAX;
	/* Messages are all that follows: a reader that stood still gets what it has room for. */
	outlet_keeps = outlet_signal != 0;
	if (dropped)
		report_line("nobody read the output: %zu bytes of it were dropped", dropped);
}

int outlet_descriptor(FILE *file)
{
	for (struct outlet *o = outlets; o < outlets + 2; o++)
		if (o->stream && o->stream == file)
			return o->fd;
	return fileno(file);
}

int outlet_written(FILE *file)
{
	int failed = fflush(file) ? errno : 0;

	for (struct outlet *o = outlets; o < outlets + 2; o++)
		if (o->stream && o->stream == file)
			return o->error;
	return failed;
}
