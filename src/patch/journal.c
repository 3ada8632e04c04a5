/* Journals on disk. Files are private, made exclusively, and no link is followed. */
#include "patch/journal.h"

#include "patch/journal_format.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define JOURNAL_PIECE 1024  /* writes recorded at once */
#define JOURNAL_LOCK_MS 500 /* a test of the lock takes less */

/* ---- writing ---- */

static int journal_write_all(struct journal *j, const void *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = write(j->fd, (const char *)bytes + done, size - done);
		int code = n < 0 ? -errno : -EIO;

		if (code == -EINTR)
			continue;
		if (n <= 0)
			return code;
		done += (size_t)n;
	}
	return 0;
}

/*
 * A write beyond RLIMIT_FSIZE would end us with SIGXFSZ, in the middle of a switch: blocked and
 * taken, it is an error like a full disk (setrlimit(2)).
 */
static int journal_send(struct journal *j, const void *bytes, size_t size)
{
	const struct timespec now = {0};
	sigset_t limit, before;
	int r;

	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &limit, &before);
	r = journal_write_all(j, bytes, size);
	if (r == -EFBIG)
		sigtimedwait(&limit, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

/* A whole block of `size` bytes was sent, or nothing stays: half a block would hide those behind.
 */
static int journal_sent(struct journal *j, int code, size_t size)
{
	if (code < 0)
		return ftruncate(j->fd, (off_t)j->length) < 0 ? -errno : code;
	j->length += size;
	return 0;
}

static int journal_put(struct journal *j, const void *bytes, size_t size)
{
	return journal_sent(j, journal_send(j, bytes, size), size);
}

/* Give it its name; the file must not exist. Without a file yet: make it under that name. */
static int journal_name(struct journal *j, int dir, const char *name)
{
	char self[64];

	if (j->fd < 0) {
		j->fd = openat(dir, name,
			O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		return j->fd < 0 ? -errno : 0;
	}
	snprintf(self, sizeof self, "/proc/self/fd/%d", j->fd);
	return linkat(AT_FDCWD, self, dir, name, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
}

static int journal_create(struct journal *j, int dir, const struct journal_key *key)
{
	int r = -EEXIST;

	/* One of that name is from another session of ours, or from another life of our pid. */
	for (unsigned i = 0; r == -EEXIST && i < 10000; i++) {
		char name[100];

		snprintf(name, sizeof name, "%d-%llu-%d-%u", key->target,
			(unsigned long long)key->target_start, key->owner, i);
		r = journal_name(j, dir, name);
		if (r == 0)
			memcpy(j->file, name, sizeof name);
	}
	return r;
}

/* A file system without locks: the pids and start times in the header must do. */
static int journal_head(struct journal *j, struct journal_header *header)
{
	header->flags = flock(j->fd, LOCK_EX | LOCK_NB) == 0 ? JOURNAL_IS_LOCKED : 0;
	return journal_put(j, header, sizeof *header);
}

/*
 * Take the lock and write the header before the file gets its name: a file cut short before its
 * header could not be attributed to any session, and would stay for ever.
 */
static int journal_begin(
	struct journal *j, int dir, const struct journal_key *key, struct journal_header *header)
{
	int r;

	j->fd = openat(dir, ".", O_WRONLY | O_APPEND | O_TMPFILE | O_CLOEXEC, 0600);
	if (j->fd >= 0) {
		r = journal_head(j, header);
		return r ? r : journal_create(j, dir, key);
	}
	/* A file system without nameless files. */
	r = journal_create(j, dir, key);
	return r ? r : journal_head(j, header);
}

static int journal_open_at(struct journal *j, const struct records_place *place,
	const struct journal_key *key, struct journal_header *header)
{
	char folder[250];
	int dir = records_open(place, true), r;

	*j = (struct journal){.fd = -1, .place = *place};
	if (dir < 0)
		return dir;
	r = journal_begin(j, dir, key, header);
	close(dir);
	records_path(place, folder, sizeof folder);
	snprintf(j->path, sizeof j->path, "%s/%s", folder, j->file);
	if (r < 0)
		journal_remove(j);
	return r;
}

int journal_open(struct journal *j, const struct journal_key *key)
{
	struct journal_header header = {.magic = JOURNAL_MAGIC,
		.target = (uint32_t)key->target,
		.owner = (uint32_t)key->owner,
		.target_start = key->target_start,
		.target_program = key->target_program,
		.owner_start = key->owner_start,
		.pids = key->pids,
		.boot = {key->boot[0], key->boot[1]}};
	struct records_place places[RECORDS_PLACES];
	size_t count = records_places(NULL, places);
	int r = -ENOENT;

	*j = (struct journal){.fd = -1};
	for (size_t i = 0; r < 0 && i < count; i++)
		r = journal_open_at(j, &places[i], key, &header);
	return r;
}

/* Another session that tests the lock holds it for a moment. */
static int journal_lock(int fd)
{
	for (int tries = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; tries++) {
		if (errno != EWOULDBLOCK)
			return 0;
		if (tries == JOURNAL_LOCK_MS)
			return -EBUSY;
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	return 0;
}

int journal_adopt(struct journal *j, const struct journal_found *found)
{
	int dir = records_open(&found->place, false), r = 0;
	char folder[250];
	struct stat st;

	*j = (struct journal){.fd = -1, .length = found->text.length, .place = found->place};
	memcpy(j->file, found->file, sizeof j->file);
	records_path(&found->place, folder, sizeof folder);
	snprintf(j->path, sizeof j->path, "%s/%s", folder, j->file);
	if (dir < 0)
		return dir;
	j->fd = openat(dir, j->file, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (j->fd < 0)
		r = -errno;
	close(dir);
	/* The folder may belong to another user, who can put anything there, even a hard link to a
	 * file that only we may write. */
	if (r == 0 && (fstat(j->fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_nlink != 1 ||
			      st.st_uid != found->place.owner || st.st_dev != found->device ||
			      st.st_ino != found->inode))
		r = -ESTALE;
	if (r == 0)
		r = journal_lock(j->fd);
	if (r == 0 && ftruncate(j->fd, (off_t)j->length) < 0)
		r = -errno;
	if (r < 0)
		journal_leave(j);
	return r;
}

void journal_leave(struct journal *j)
{
	if (j->fd >= 0)
		close(j->fd);
	j->fd = -1;
}

void journal_remove(struct journal *j)
{
	bool there = j->fd >= 0 && j->file[0];
	int dir;

	if (there && j->place.owner == geteuid()) {
		unlink(j->path); /* works without a free descriptor */
	} else if (there) {
		dir = records_open(&j->place, false);
		unlinkat(dir, j->file, 0);
		if (dir >= 0)
			close(dir);
	}
	journal_leave(j);
}

static struct journal_write journal_write_of(const struct probes_write *w)
{
	struct journal_write out = {
		.address = w->address, .old = w->old[0], .new_ = w->new_[0], .is_site = w->is_site};

	if (!w->is_site) {
		out.old |= (uint16_t)(w->old[1] << 8);
		out.new_ |= (uint16_t)(w->new_[1] << 8);
	}
	return out;
}

/* In pieces: memory for all of them would cost more than writing them down. */
static int journal_send_writes(struct journal *j, const struct plan *plan, const bool *only)
{
	struct journal_write piece[JOURNAL_PIECE];
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < plan->writes.count; i++) {
		if (only && !only[i])
			continue;
		piece[n++] = journal_write_of(ARRAY_AT(&plan->writes, struct probes_write, i));
		if (n < JOURNAL_PIECE)
			continue;
		r = journal_send(j, piece, n * sizeof *piece);
		n = 0;
	}
	return r == 0 ? journal_send(j, piece, n * sizeof *piece) : r;
}

int journal_intend(struct journal *j, const struct plan *plan, const bool *only)
{
	struct journal_block block = {.kind = JOURNAL_INTENT};
	int r;

	for (size_t i = 0; i < plan->writes.count; i++)
		block.count += !only || only[i];
	r = journal_send(j, &block, sizeof block);
	if (r == 0)
		r = journal_send_writes(j, plan, only);
	return journal_sent(
		j, r, sizeof block + (size_t)block.count * sizeof(struct journal_write));
}

int journal_conclude(struct journal *j, enum journal_kind kind)
{
	struct journal_block block = {kind, 0};

	return journal_put(j, &block, sizeof block);
}

static int journal_put_writes(
	struct journal *j, enum journal_kind kind, const struct journal_write *writes, size_t count)
{
	const struct journal_block block = {kind, (uint32_t)count};
	size_t size = count * sizeof *writes;
	int r = journal_send(j, &block, sizeof block);

	if (r == 0)
		r = journal_send(j, writes, size);
	return journal_sent(j, r, sizeof block + size);
}

int journal_settle(struct journal *j, const struct journal_write *writes, size_t count)
{
	return journal_put_writes(j, JOURNAL_KNOWN, writes, count);
}

int journal_doubt(struct journal *j, const struct journal_write *writes, size_t count)
{
	return journal_put_writes(j, JOURNAL_INTENT, writes, count);
}

int journal_add(struct journal *j, const struct journal_write *writes, size_t count)
{
	const struct journal_block done = {JOURNAL_DONE, 0};
	size_t size = sizeof done + count * sizeof *writes;
	struct journal_block *block = malloc(size + sizeof done);
	int r;

	if (!block)
		return -ENOMEM;
	*block = (struct journal_block){JOURNAL_INTENT, (uint32_t)count};
	if (count)
		memcpy(block + 1, writes, count * sizeof *writes);
	memcpy((char *)block + size, &done, sizeof done);
	r = journal_put(j, block, size + sizeof done);
	free(block);
	return r;
}
