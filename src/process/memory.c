/* Reading and writing another process without stopping it. Source: process_vm_readv(2),
 * proc_pid_mem(5). */
#include "process/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#define MEMORY_RANGES 1024 /* IOV_MAX: ranges per call */
#define MEMORY_PAGE 4096

/* Read one span through /proc/PID/mem; -ESRCH when the process has gone. */
static int memory_read_one(struct memory *m, struct span *span, unsigned char *buffer)
{
	span->got = 0;
	while (span->got < span->length) {
		ssize_t n = pread(m->fd, buffer + span->offset + span->got,
			span->length - span->got, (off_t)(span->address + span->got));

		if (n == 0)
			return -ESRCH;
		if (n < 0)
			break;
		span->got += (size_t)n;
	}
	return 0;
}

/* Read all spans through /proc/PID/mem: our seccomp filter may deny process_vm_readv. */
static int memory_read_slowly(struct memory *m, struct spans *spans, unsigned char *buffer)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < spans->list.count; i++)
		r = memory_read_one(m, ARRAY_AT(&spans->list, struct span, i), buffer);
	return r;
}

static int memory_read_live(struct memory *m, struct spans *spans, unsigned char *buffer)
{
	struct span *list = spans->list.data;
	size_t count = spans->list.count, at = 0;

	if (!m->pid && m->fd < 0)
		return -ESRCH;
	if (!m->pid)
		return memory_read_slowly(m, spans, buffer);
	while (at < count) {
		struct iovec local[MEMORY_RANGES], remote[MEMORY_RANGES];
		size_t n = 0, left;
		ssize_t moved;

		/* process_vm_readv would copy its pages: process/pagemap.h. */
		if (list[at].shared && m->fd >= 0) {
			int r = memory_read_one(m, &list[at++], buffer);

			if (r < 0)
				return r;
			continue;
		}
		for (; n < MEMORY_RANGES && at + n < count && !(n && list[at + n].shared); n++) {
			struct span *s = &list[at + n];

			local[n] = (struct iovec){buffer + s->offset, s->length};
			remote[n] = (struct iovec){(void *)(uintptr_t)s->address, s->length};
			s->got = 0;
		}
		moved = process_vm_readv(m->pid, local, n, remote, n, 0);
		/* ESRCH: this thread has ended, but others may still use the memory. */
		if (moved < 0 && m->fd >= 0 &&
			(errno == EPERM || errno == ENOSYS || errno == ESRCH))
			return memory_read_slowly(m, spans, buffer);
		if (moved < 0 && errno != EFAULT)
			return -errno;
		left = moved < 0 ? 0 : (size_t)moved;
		for (; n && left >= list[at].length; n--) {
			list[at].got = list[at].length;
			left -= list[at++].length;
		}
		/* Skip the span that faulted, which may be read in part. */
		if (n)
			list[at++].got = left;
	}
	return 0;
}

static int memory_put(struct memory *m, uint64_t address, const void *bytes, size_t length)
{
	ssize_t n;

	do
		n = pwrite(m->fd, bytes, length, (off_t)address);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		return -ESRCH;
	return n < 0 ? -errno : (int)n;
}

/* A count across a page boundary may be written by half if the second page is not mapped. */
static int memory_write_live(struct memory *m, uint64_t address, const void *bytes, size_t length)
{
	uint64_t room = MEMORY_PAGE - address % MEMORY_PAGE;
	unsigned char before[8];
	int n;

	if (m->fd < 0)
		return m->denied;
	if (room < length && (length > sizeof before || !memory_read(m, address, before, length)))
		return -EFAULT;
	n = memory_put(m, address, bytes, length);
	if (n < 0 || (size_t)n == length)
		return n < 0 ? n : 0;
	memory_put(m, address, before, (size_t)n);
	return -EIO;
}

static const struct memory_ops memory_live_ops = {
	.read = memory_read_live,
	.write = memory_write_live,
};

void memory_open(struct memory *m, int task, pid_t tid, bool leader)
{
	*m = (struct memory){.ops = &memory_live_ops, .pid = tid};
	m->fd = openat(task, "mem", O_RDWR | O_CLOEXEC);
	m->denied = m->fd < 0 ? -errno : 0;
	if (m->fd >= 0 && !leader)
		m->pid = 0;
}

void memory_close(struct memory *m)
{
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
	/* Its pid may soon be that of another process. */
	m->pid = 0;
	m->denied = -ESRCH;
}

bool memory_alive(const struct memory *m)
{
	char byte;

	/* Address 0 is not mapped: EIO while the address space exists, then 0 bytes. */
	return m->fd < 0 || pread(m->fd, &byte, 1, 0) != 0;
}

bool memory_read(struct memory *m, uint64_t address, void *to, size_t length)
{
	/* Must not allocate: callers may hold the process stopped. */
	struct span span = {.address = address, .length = length};
	struct spans one = {.list = {.data = &span, .count = 1, .capacity = 1, .size = sizeof span},
		.total = length};

	return m->ops->read(m, &one, to) == 0 && span.got == length;
}
