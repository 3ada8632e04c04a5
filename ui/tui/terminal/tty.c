/*
 * The line to the terminal. Knows bytes and modes, not what they mean.
 */
#include "ui/tui/terminal/tty.h"

#include "ui/tui/terminal/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TTY_PATIENCE_MS 700 /* for a line that has to take the last bytes */

static struct {
	struct termios before, raw;
	FILE *caught;  /* a memfd that is emptied after every frame */
	char *pending; /* read from it, not sent yet */
	size_t first, count, capacity;
	int fd;
	bool shared; /* the descriptor is standard output itself: no other could be had */
} tty = {.fd = -1};

static void tty_make_raw(struct termios *t)
{
	/* as curses' raw(), noecho(), nonl(), but without its waiting for output to drain */
	t->c_iflag &= ~(tcflag_t)(IXON | BRKINT | PARMRK | ICRNL | INLCR | IGNCR | ISTRIP);
	t->c_oflag &= ~(tcflag_t)OPOST;
	t->c_lflag &= ~(tcflag_t)(ICANON | ISIG | IEXTEN | ECHO | ECHONL);
	t->c_cc[VMIN] = 1;
	t->c_cc[VTIME] = 0;
}

static void tty_block(bool yes)
{
	int flags = fcntl(tty.fd, F_GETFL);

	if (tty.shared && flags >= 0)
		fcntl(tty.fd, F_SETFL, yes ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

/* O_NONBLOCK belongs to an open file, which standard output shares with the shell: open another. */
static void tty_open_descriptor(void)
{
	tty.fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	tty.shared = tty.fd < 0; /* after su: the terminal is another user's */
	if (tty.shared)
		tty.fd = 1;
}

FILE *tty_open(void)
{
	int memory = memfd_create("probes-tui screen", MFD_CLOEXEC);

	if (memory < 0 || tcgetattr(0, &tty.before) < 0)
		return NULL;
	tty.caught = fdopen(memory, "w+");
	if (!tty.caught)
		return NULL;
	tty.raw = tty.before;
	tty_make_raw(&tty.raw);
	tty_open_descriptor();
	tty_take();
	return tty.caught;
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

bool tty_close(bool given)
{
	bool sent = !given && tty_flush();

	if (!given)
		tty_release();
	if (!tty.shared)
		close(tty.fd);
	tty.fd = -1;
	fclose(tty.caught);
	free(tty.pending);
	tty.pending = NULL;
	tty.first = tty.count = tty.capacity = 0;
	return sent;
}

/* Move what curses has written behind what is pending. */
static void tty_collect(void)
{
	int memory = fileno(tty.caught);
	off_t size = lseek(memory, 0, SEEK_END);

	if (size <= 0)
		return;
	if (tty.first) {
		memmove(tty.pending, tty.pending + tty.first, tty.count);
		tty.first = 0;
	}
	tty.pending = mem_grow(tty.pending, &tty.capacity, tty.count + (size_t)size, 1);
	if (pread(memory, tty.pending + tty.count, (size_t)size, 0) == size)
		tty.count += (size_t)size;
	if (ftruncate(memory, 0) == 0)
		lseek(memory, 0, SEEK_SET);
}

void tty_send(void)
{
	tty_collect();
	while (tty.count) {
		ssize_t n = write(tty.fd, tty.pending + tty.first, tty.count);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			tty.count = 0; /* hung up: SIGHUP is on its way */
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
	for (int left = TTY_PATIENCE_MS; tty.count && left > 0; left -= 20) {
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
