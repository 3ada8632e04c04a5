/* Journals on disk. Files are private, made exclusively, and no link is followed. */
#include "patch/journal.h"

#include "patch/journal_format.h"
#include "process/identity.h"
#include "process/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JOURNAL_LARGEST (1u << 28)
#define JOURNAL_PIECE 1024 /* writes put down at once */

/* ---- the directory ---- */

static bool journal_private(int dir)
{
	struct stat st;

	return fstat(dir, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & 077);
}

static int journal_directory(char *path, size_t size)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	char fallback[64];
	int dir;

	snprintf(fallback, sizeof fallback, "/run/user/%u", geteuid());
	if (!runtime || runtime[0] != '/')
		runtime = access(fallback, W_OK) == 0 ? fallback : NULL;
	if (runtime)
		snprintf(path, size, "%s/probes-tui", runtime);
	else
		snprintf(path, size, "/tmp/probes-tui-%u", geteuid());
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -errno;
	dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	if (journal_private(dir))
		return dir;
	close(dir);
	return -EPERM;
}

/* ---- writing ---- */

static int journal_send(struct journal *j, const void *bytes, size_t size)
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

static int journal_create(
	struct journal *j, const char *directory, int dir, const struct journal_key *key)
{
	int r = -EEXIST;

	/* One of that name is from another session of ours, or from another life of our pid. */
	for (unsigned i = 0; r == -EEXIST && i < 10000; i++) {
		char name[100];

		snprintf(name, sizeof name, "%d-%llu-%d-%u", key->target,
			(unsigned long long)key->target_start, key->owner, i);
		r = journal_name(j, dir, name);
		if (r == 0)
			snprintf(j->path, sizeof j->path, "%s/%s", directory, name);
	}
	return r;
}

/*
 * The header is in it before it has a name: of one that is cut short before its header nobody could
 * say whose it is, and it would lie there for ever.
 */
static int journal_begin(struct journal *j, const char *directory, int dir,
	const struct journal_key *key, const struct journal_header *header)
{
	int r;

	j->fd = openat(dir, ".", O_WRONLY | O_APPEND | O_TMPFILE | O_CLOEXEC, 0600);
	if (j->fd >= 0) {
		r = journal_put(j, header, sizeof *header);
		return r ? r : journal_create(j, directory, dir, key);
	}
	/* A file system without nameless files. */
	r = journal_create(j, directory, dir, key);
	return r ? r : journal_put(j, header, sizeof *header);
}

int journal_open(struct journal *j, const struct journal_key *key)
{
	struct journal_header header = {.magic = JOURNAL_MAGIC,
		.target = (uint32_t)key->target,
		.owner = (uint32_t)key->owner,
		.target_start = key->target_start,
		.target_program = key->target_program,
		.owner_start = key->owner_start,
		.pids = key->pids};
	char directory[160];
	int dir = journal_directory(directory, sizeof directory), r;

	*j = (struct journal){.fd = -1};
	if (dir < 0)
		return dir;
	r = journal_begin(j, directory, dir, key, &header);
	close(dir);
	if (r < 0)
		journal_remove(j);
	return r;
}

int journal_adopt(struct journal *j, const char *path, size_t length)
{
	int r = 0;

	j->fd = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	if (j->fd < 0)
		return -errno;
	snprintf(j->path, sizeof j->path, "%s", path);
	j->length = length;
	if (ftruncate(j->fd, (off_t)length) < 0) {
		r = -errno;
		close(j->fd);
		j->fd = -1;
	}
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
	if (j->fd >= 0 && j->path[0])
		unlink(j->path);
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

/* ---- finding ---- */

uint64_t journal_pids(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
}

/* A process whose first thread has ended is no dead one while others go on. */
static bool journal_lives(pid_t pid, uint64_t start)
{
	struct procfs_stat stat;
	char path[64];
	bool lives;
	int proc;

	snprintf(path, sizeof path, "/proc/%d", pid);
	proc = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (proc < 0)
		return false;
	lives = procfs_stat(proc, "stat", &stat) == 0 && stat.start_time == start &&
		((stat.state != 'Z' && stat.state != 'X') || identity_living_thread(proc));
	close(proc);
	return lives;
}

static bool journal_read(int dir, const char *name, struct journal_text *text)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	char *bytes;
	bool good;

	if (fd < 0)
		return false;
	good = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < JOURNAL_LARGEST;
	bytes = good ? malloc((size_t)st.st_size + 1) : NULL;
	good = bytes && read(fd, bytes, (size_t)st.st_size) == st.st_size &&
	       journal_parse(bytes, (size_t)st.st_size, text);
	free(bytes);
	close(fd);
	return good;
}

static bool journal_is_of(const struct journal_key *key, const struct journal_key *target)
{
	return key->target == target->target && key->target_start == target->target_start;
}

/* exec keeps pid and start time: what was written went with the program that was there before. */
static bool journal_outlived(const struct journal_key *key, const struct journal_key *target)
{
	return journal_is_of(key, target) && key->target_program && target->target_program &&
	       key->target_program != target->target_program;
}

/* Keep one that is the target's and whose owner is dead; remove one whose target is gone. */
static bool journal_consider(int dir, const char *directory, const char *name,
	const struct journal_key *target, struct array *found)
{
	struct journal_found *f;
	struct journal_text text;

	if (!journal_read(dir, name, &text))
		return true;
	/* Numbers of another pid namespace (a container that shares the folder) say nothing here.
	 */
	if (text.key.pids == journal_pids() &&
		(!journal_lives(text.key.target, text.key.target_start) ||
			journal_outlived(&text.key, target)))
		unlinkat(dir, name, 0);
	else if (text.key.pids == journal_pids() && journal_is_of(&text.key, target) &&
		 !journal_lives(text.key.owner, text.key.owner_start)) {
		f = array_add(found);
		if (f) {
			snprintf(f->path, sizeof f->path, "%s/%s", directory, name);
			f->text = text;
			return true;
		}
		journal_text_done(&text);
		return false;
	}
	journal_text_done(&text);
	return true;
}

bool journal_find(const struct journal_key *target, struct array *found)
{
	char directory[160];
	int dir = journal_directory(directory, sizeof directory), copy;
	struct dirent *entry;
	bool fits = true;
	DIR *list;

	if (dir < 0)
		return true;
	copy = dup(dir);
	list = copy < 0 ? NULL : fdopendir(copy);
	while (list && fits && (entry = readdir(list)))
		if (entry->d_name[0] != '.')
			fits = journal_consider(dir, directory, entry->d_name, target, found);
	if (list)
		closedir(list);
	else if (copy >= 0)
		close(copy);
	close(dir);
	return fits;
}

void journal_found_done(struct array *found)
{
	for (size_t i = 0; i < found->count; i++)
		journal_text_done(&ARRAY_AT(found, struct journal_found, i)->text);
	array_done(found);
}
