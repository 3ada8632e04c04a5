/*
 * The line to the terminal. Knows bytes and modes, not what they mean.
 */
#include "ui/tui/line.h"

#include "ui/tui/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LINE_PATIENCE_MS 700 /* for a line that has to take the last bytes */

static struct {
	struct termios before, raw;
	FILE *caught;  /* a memfd that is emptied after every frame */
	char *pending; /* read from it, not sent yet */
	size_t first, count, capacity;
	int fd;
	bool shared; /* the descriptor is standard output itself: no other could be had */
} line = {.fd = -1};

static void line_make_raw(struct termios *t)
{
	/* as curses' raw(), noecho(), nonl(), but without its waiting for output to drain */
	t->c_iflag &= ~(tcflag_t)(IXON | BRKINT | PARMRK | ICRNL | INLCR | IGNCR | ISTRIP);
	t->c_oflag &= ~(tcflag_t)OPOST;
	t->c_lflag &= ~(tcflag_t)(ICANON | ISIG | IEXTEN | ECHO | ECHONL);
	t->c_cc[VMIN] = 1;
	t->c_cc[VTIME] = 0;
}

static void line_block(bool yes)
{
	int flags = fcntl(line.fd, F_GETFL);

	if (line.shared && flags >= 0)
		fcntl(line.fd, F_SETFL, yes ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

/* O_NONBLOCK belongs to an open file, which standard output shares with the shell: open another. */
static void line_open_descriptor(void)
{
	line.fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	line.shared = line.fd < 0; /* after su: the terminal is another user's */
	if (line.shared)
		line.fd = 1;
}

FILE *line_open(void)
{
	int memory = memfd_create("probes-tui screen", MFD_CLOEXEC);

	if (memory < 0 || tcgetattr(0, &line.before) < 0)
		return NULL;
	line.caught = fdopen(memory, "w+");
	if (!line.caught)
		return NULL;
	line.raw = line.before;
	line_make_raw(&line.raw);
	line_open_descriptor();
	line_take();
	return line.caught;
}

void line_take(void)
{
	line_block(false);
	tcsetattr(0, TCSANOW, &line.raw);
}

void line_release(void)
{
	line_block(true);
	tcsetattr(0, TCSANOW, &line.before);
}

bool line_close(bool given)
{
	bool sent = !given && line_flush();

	if (!given)
		line_release();
	if (!line.shared)
		close(line.fd);
	line.fd = -1;
	fclose(line.caught);
	free(line.pending);
	line.pending = NULL;
	line.first = line.count = line.capacity = 0;
	return sent;
}

/* Move what curses has written behind what is pending. */
static void line_collect(void)
{
	int memory = fileno(line.caught);
	off_t size = lseek(memory, 0, SEEK_END);

	if (size <= 0)
		return;
	if (line.first) {
		memmove(line.pending, line.pending + line.first, line.count);
		line.first = 0;
	}
	line.pending = mem_grow(line.pending, &line.capacity, line.count + (size_t)size, 1);
	if (pread(memory, line.pending + line.count, (size_t)size, 0) == size)
		line.count += (size_t)size;
	if (ftruncate(memory, 0) == 0)
		lseek(memory, 0, SEEK_SET);
}

void line_send(void)
{
	line_collect();
	while (line.count) {
		ssize_t n = write(line.fd, line.pending + line.first, line.count);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			line.count = 0; /* hung up: SIGHUP is on its way */
		if (n <= 0)
			return;
		line.first += (size_t)n;
		line.count -= (size_t)n;
	}
	line.first = 0;
}

bool line_busy(void)
{
	return line.count > 0;
}

bool line_flush(void)
{
	struct pollfd out = {.fd = line.fd, .events = POLLOUT};

	line_send();
	for (int left = LINE_PATIENCE_MS; line.count && left > 0; left -= 20) {
		poll(&out, 1, 20);
		line_send();
	}
	return !line.count;
}

int line_fd(void)
{
	return line.fd;
}

const struct termios *line_before(void)
{
	return &line.before;
}
