/* Journals on disk. Files are private, made exclusively, and no link is followed. */
#include "patch/journal.h"

#include "process/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JOURNAL_MAGIC "PTUIJ1\0"
#define JOURNAL_LARGEST (1u << 28)

struct journal_header {
	char magic[8];
	uint32_t target, owner;
	uint64_t target_start, owner_start;
};

struct journal_block {
	uint32_t kind, count;
};

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

static int journal_put(struct journal *j, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size) {
		ssize_t n = write(j->fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

int journal_open(struct journal *j, const struct journal_key *key)
{
	struct journal_header header = {.magic = JOURNAL_MAGIC,
		.target = (uint32_t)key->target,
		.owner = (uint32_t)key->owner,
		.target_start = key->target_start,
		.owner_start = key->owner_start};
	char directory[160], name[80];
	int dir = journal_directory(directory, sizeof directory), r;
	static unsigned sessions; /* several of one process on one target */

	j->fd = -1;
	if (dir < 0)
		return dir;
	snprintf(name, sizeof name, "%d-%llu-%d-%u", key->target,
		(unsigned long long)key->target_start, key->owner, sessions++);
	/* A file of that name is from another life of our pid: its owner is gone. */
	j->fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	r = j->fd < 0 ? -errno : 0;
	close(dir);
	snprintf(j->path, sizeof j->path, "%s/%s", directory, name);
	if (r == 0)
		r = journal_put(j, &header, sizeof header);
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
	if (ftruncate(j->fd, (off_t)length) < 0) {
		r = -errno;
		close(j->fd);
		j->fd = -1;
	}
	return r;
}

void journal_remove(struct journal *j)
{
	if (j->fd < 0)
		return;
	unlink(j->path);
	close(j->fd);
	j->fd = -1;
}

int journal_intend(struct journal *j, const struct plan *plan)
{
	size_t count = plan->writes.count;
	struct journal_block *block = malloc(sizeof *block + count * sizeof(struct journal_write));
	struct journal_write *writes = block ? (void *)(block + 1) : NULL;
	int r = -ENOMEM;

	if (!block)
		return r;
	*block = (struct journal_block){JOURNAL_INTENT, (uint32_t)count};
	for (size_t i = 0; i < count; i++) {
		const struct plan_write *w = ARRAY_AT(&plan->writes, struct plan_write, i);

		writes[i] = (struct journal_write){
			.address = w->address,
			.old = w->old[0],
			.new_ = w->new_[0],
			.is_site = w->is_site,
		};
		if (!w->is_site) {
			writes[i].old |= (uint16_t)(w->old[1] << 8);
			writes[i].new_ |= (uint16_t)(w->new_[1] << 8);
		}
	}
	r = journal_put(j, block, sizeof *block + count * sizeof *writes);
	free(block);
	return r;
}

int journal_conclude(struct journal *j, enum journal_kind kind)
{
	struct journal_block block = {kind, 0};

	return journal_put(j, &block, sizeof block);
}

/* ---- reading ---- */

static bool journal_append(struct array *to, const struct array *from)
{
	if (!array_reserve(to, from->count))
		return false;
	for (size_t i = 0; i < from->count; i++)
		*(struct journal_write *)array_add(to) = *ARRAY_AT(from, struct journal_write, i);
	return true;
}

/* One block at *at; false at the end or where it is cut short. */
static bool journal_block(
	const char *bytes, size_t size, size_t *at, struct journal_text *text, bool *good)
{
	struct journal_block block;
	size_t length;

	if (size - *at < sizeof block)
		return false;
	memcpy(&block, bytes + *at, sizeof block);
	length = (size_t)block.count * sizeof(struct journal_write);
	if (size - *at - sizeof block < length)
		return false;
	*at += sizeof block;
	if (block.kind == JOURNAL_DONE)
		*good = journal_append(&text->writes, &text->last);
	if (block.kind == JOURNAL_DONE || block.kind == JOURNAL_UNDONE ||
		block.kind == JOURNAL_INTENT)
		text->last.count = 0;
	else
		*good = false;
	if (block.kind == JOURNAL_INTENT && array_reserve(&text->last, block.count) && length) {
		memcpy(text->last.data, bytes + *at, length);
		text->last.count = block.count;
	}
	*at += length;
	return *good;
}

bool journal_parse(const void *bytes, size_t size, struct journal_text *text)
{
	struct journal_header header;
	size_t at = sizeof header;
	bool good = true;

	array_init(&text->writes, sizeof(struct journal_write));
	array_init(&text->last, sizeof(struct journal_write));
	if (size < sizeof header)
		return false;
	memcpy(&header, bytes, sizeof header);
	if (memcmp(header.magic, JOURNAL_MAGIC, sizeof header.magic))
		return false;
	text->key = (struct journal_key){
		(pid_t)header.target, (pid_t)header.owner, header.target_start, header.owner_start};
	while (journal_block(bytes, size, &at, text, &good))
		;
	text->length = at;
	if (!good)
		journal_text_done(text);
	return good;
}

void journal_text_done(struct journal_text *text)
{
	array_done(&text->writes);
	array_done(&text->last);
}

/* ---- finding ---- */

static bool journal_lives(pid_t pid, uint64_t start)
{
	struct procfs_stat stat;
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	return procfs_stat(AT_FDCWD, path, &stat) == 0 && stat.start_time == start &&
	       stat.state != 'Z' && stat.state != 'X';
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

/* Keep one that is the target's and whose owner is dead; remove one whose target is gone. */
static bool journal_consider(int dir, const char *directory, const char *name, pid_t target,
	uint64_t target_start, struct array *found)
{
	struct journal_found *f;
	struct journal_text text;

	if (!journal_read(dir, name, &text))
		return true;
	if (!journal_lives(text.key.target, text.key.target_start))
		unlinkat(dir, name, 0);
	else if (text.key.target == target && text.key.target_start == target_start &&
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

bool journal_find(pid_t target, uint64_t target_start, struct array *found)
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
			fits = journal_consider(
				dir, directory, entry->d_name, target, target_start, found);
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
