#include "ui/tui/terminal/tty.h"

#include "ui/tui/terminal/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TTY_FLUSH_MS 700 /* how long tty_flush waits for a stalled terminal */

static struct {
	struct termios before, raw;
	FILE *frame;   /* a memfd that curses writes to; emptied after every frame */
	char *pending; /* moved from there, not sent yet */
	size_t first, count, capacity;
	int fd;
	bool shared; /* fd is standard output itself: it could not be reopened */
} tty = {.fd = -1};

/* Set or clear O_NONBLOCK where fd is standard output. */
static void tty_block(bool yes)
{
	int flags = fcntl(tty.fd, F_GETFL);

	if (tty.shared && flags >= 0)
		fcntl(tty.fd, F_SETFL, yes ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

FILE *tty_open(void)
{
	int memory = memfd_create("probes-tui screen", MFD_CLOEXEC);
	struct termios *raw = &tty.raw;

	if (memory < 0 || tcgetattr(0, &tty.before) < 0)
		return NULL;
	tty.frame = fdopen(memory, "w+");
	if (!tty.frame)
		return NULL;
	/* As curses' raw(), noecho() and nonl(), which would wait for the output to drain. */
	*raw = tty.before;
	raw->c_iflag &= ~(tcflag_t)(IXON | BRKINT | PARMRK | ICRNL | INLCR | IGNCR | ISTRIP);
	raw->c_oflag &= ~(tcflag_t)OPOST;
	raw->c_lflag &= ~(tcflag_t)(ICANON | ISIG | IEXTEN | ECHO | ECHONL);
	raw->c_cc[VMIN] = 1;
	raw->c_cc[VTIME] = 0;
	/* O_NONBLOCK belongs to the open file, which the shell shares: open another one. */
	tty.fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	tty.shared = tty.fd < 0; /* after su(1) the terminal belongs to another user */
	if (tty.shared)
		tty.fd = 1;
	tty_take();
	return tty.frame;
}

void tty_take(void)
{
	tty_block(false);
	tcsetattr(0, TCSANOW, &tty.raw);
}

void tty_release(void)
{
	tty_block(true);
	tcsetattr(0, TCSANOW, &tty.before);
}

bool tty_close(bool released)
{
	bool sent = !released && tty_flush();

	if (!released)
		tty_release();
	if (!tty.shared)
		close(tty.fd);
	tty.fd = -1;
	fclose(tty.frame);
	free(tty.pending);
	tty.pending = NULL;
	tty.first = tty.count = tty.capacity = 0;
	return sent;
}

void tty_put(const char *sequence)
{
	fputs(sequence, tty.frame);
	fflush(tty.frame);
}

void tty_send(void)
{
	int memory = fileno(tty.frame);
	off_t size = lseek(memory, 0, SEEK_END);

	if (size > 0) {
		if (tty.first)
			memmove(tty.pending, tty.pending + tty.first, tty.count);
		tty.first = 0;
		tty.pending = mem_grow(tty.pending, &tty.capacity, tty.count + (size_t)size, 1);
		if (pread(memory, tty.pending + tty.count, (size_t)size, 0) == size)
			tty.count += (size_t)size;
		if (ftruncate(memory, 0) == 0)
			lseek(memory, 0, SEEK_SET);
	}
	while (tty.count) {
		ssize_t n = write(tty.fd, tty.pending + tty.first, tty.count);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			tty.count = 0; /* hung up: SIGHUP follows */
		if (n <= 0)
			return;
		tty.first += (size_t)n;
		tty.count -= (size_t)n;
	}
	tty.first = 0;
}

bool tty_busy(void)
{
	return tty.count > 0;
}

bool tty_flush(void)
{
	struct pollfd out = {.fd = tty.fd, .events = POLLOUT};

	tty_send();
	for (int ms = TTY_FLUSH_MS; tty.count && ms > 0; ms -= 20) {
		poll(&out, 1, 20);
		tty_send();
	}
	return !tty.count;
}

int tty_fd(void)
{
	return tty.fd;
}

const struct termios *tty_before(void)
{
	return &tty.before;
}
