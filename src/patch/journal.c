/*
 * One journal: the file and its format, read and written. Files are private, created exclusively,
 * and no link is followed. Reading (journal_parse) is pure.
 */
#include "patch/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define JOURNAL_IS_LOCKED 1 /* flag of a header: the owner holds a lock while it is alive */
#define JOURNAL_LOCK_MS 500 /* a test of the lock takes less */
#define JOURNAL_PIECE 16384 /* bytes written at once */

#define JOURNAL_EDIT 10 /* bytes of an edit without old and new */
#define JOURNAL_EDIT_MOST (JOURNAL_EDIT + 2 * PROBES_EDIT_BYTES)

/* Kinds of PTUIJ2 and PTUIJ3, and their edit. */
#define JOURNAL_INTENT_3 1
#define JOURNAL_KNOWN_3 4

struct journal_edit_3 {
	uint64_t address;
	uint16_t old, new_;
	uint32_t is_site;
};

struct journal_header {
	char magic[8];
	struct journal_key key;
	uint32_t flags, unused;
};

_Static_assert(sizeof(struct journal_header) == JOURNAL_HEADER, "the header of PTUIJ3 and PTUIJ4");
_Static_assert(
	offsetof(struct journal_header, key.boot) == JOURNAL_HEADER_2, "the header of PTUIJ2");

struct journal_block {
	uint32_t kind;
	uint32_t size; /* of its edits, in bytes; before PTUIJ4: their number */
};

/* ---- writing ---- */

/*
 * A write beyond RLIMIT_FSIZE raises SIGXFSZ, which would end the caller in the middle of a switch.
 * Blocked and consumed, it is an error like a full disk (setrlimit(2)).
 */
static int journal_write(struct journal *j, const void *bytes, size_t size)
{
	const struct timespec now = {0};
	sigset_t limit, before;
	size_t done = 0;
	int r = 0;

	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &limit, &before);
	while (r == 0 && done < size) {
		ssize_t n = write(j->fd, (const char *)bytes + done, size - done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			r = n < 0 ? -errno : -EIO;
	}
	if (r == -EFBIG)
		sigtimedwait(&limit, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

/* Account for `size` bytes; or, after an error, cut off what was written of them: the blocks after
 * half a block could not be read. */
static int journal_written(struct journal *j, int code, size_t size)
{
	if (code < 0)
		return ftruncate(j->fd, (off_t)j->length) < 0 ? -errno : code;
	j->length += size;
	return 0;
}

int journal_record(
	struct journal *j, enum journal_kind kind, const struct array *edits, const bool *only)
{
	struct journal_block block = {.kind = kind};
	size_t count = edits ? edits->count : 0, size = 0, at = sizeof block;
	uint8_t piece[JOURNAL_PIECE];
	int r = 0;

	for (size_t i = 0; i < count; i++)
		if (!only || only[i])
			size += JOURNAL_EDIT +
				2 * (size_t)ARRAY_AT(edits, struct probes_edit, i)->length;
	if (size > UINT32_MAX)
		return -EFBIG;
	block.size = (uint32_t)size;
	memcpy(piece, &block, sizeof block);
	for (size_t i = 0; r == 0 && i < count; i++) {
		const struct probes_edit *edit = ARRAY_AT(edits, struct probes_edit, i);

		if (only && !only[i])
			continue;
		if (sizeof piece - at < JOURNAL_EDIT_MOST) {
			r = journal_write(j, piece, at);
			at = 0;
		}
		memcpy(piece + at, &edit->address, sizeof edit->address);
		piece[at + 8] = edit->role;
		piece[at + 9] = edit->length;
		at += JOURNAL_EDIT;
		memcpy(piece + at, edit->old, edit->length);
		memcpy(piece + at + edit->length, edit->new_, edit->length);
		at += 2 * (size_t)edit->length;
	}
	if (r == 0)
		r = journal_write(j, piece, at);
	return journal_written(j, r, sizeof block + size);
}

/* ---- files ---- */

/* Give the file a name that does not exist yet; without a file, create one under that name. */
static int journal_create(struct journal *j, int dir, const struct journal_key *key)
{
	char self[64];
	bool done = false;

	snprintf(self, sizeof self, "/proc/self/fd/%d", j->fd);
	/* Names that exist are of other sessions of this process, or of a process that had this pid
	 * before. */
	for (unsigned i = 0; !done && i < 10000; i++) {
		snprintf(j->file, sizeof j->file, "%d-%llu-%d-%u", key->target,
			(unsigned long long)key->target_start, key->owner, i);
		if (j->fd >= 0)
			done = linkat(AT_FDCWD, self, dir, j->file, AT_SYMLINK_FOLLOW) == 0;
		else
			done = (j->fd = openat(dir, j->file,
					O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW |
						O_CLOEXEC,
					0600)) >= 0;
		if (!done && errno != EEXIST)
			break;
	}
	if (done)
		return 0;
	*j->file = '\0';
	return -errno;
}

/* On a file system without locks, the pids and start times in the header have to do. */
static int journal_head(struct journal *j, struct journal_header *header)
{
	header->flags = flock(j->fd, LOCK_EX | LOCK_NB) == 0 ? JOURNAL_IS_LOCKED : 0;
	return journal_written(j, journal_write(j, header, sizeof *header), sizeof *header);
}

static void journal_set_path(struct journal *j)
{
	char folder[250];

	records_path(&j->place, folder, sizeof folder);
	snprintf(j->path, sizeof j->path, "%s/%s", folder, j->file);
}

/* In an open folder, which is closed. */
static int journal_begin(struct journal *j, int dir, const struct journal_key *key)
{
	struct journal_header header = {.magic = "PTUIJ4", .key = *key};
	bool nameless;
	int r;

	/* Take the lock and write the header before the file gets its name, where the file system
	   can: a file that is cut short before its header could not be attributed to any session,
	   and would stay forever. */
	j->fd = openat(dir, ".", O_WRONLY | O_APPEND | O_TMPFILE | O_CLOEXEC, 0600);
	nameless = j->fd >= 0;
	r = nameless ? journal_head(j, &header) : journal_create(j, dir, key);
	if (r == 0)
		r = nameless ? journal_create(j, dir, key) : journal_head(j, &header);
	close(dir);
	journal_set_path(j);
	if (r < 0)
		journal_remove(j);
	return r;
}

int journal_open(struct journal *j, const struct journal_key *key)
{
	struct records_place places[RECORDS_PLACES];
	size_t count = records_places(NULL, places), blamed = 0;
	int r = -ENOENT, why = -ENOENT;

	*j = (struct journal){.fd = -1};
	for (size_t i = 0; r < 0 && i < count; i++) {
		int dir = records_open(&places[i], true);

		*j = (struct journal){.fd = -1, .place = places[i]};
		r = dir;
		if (dir >= 0)
			r = journal_begin(j, dir, key);
		/* That one of many folders is missing explains nothing. */
		if (r < 0 && r != -ENOENT && why == -ENOENT) {
			why = r;
			blamed = i;
		}
	}
	if (r == 0)
		return 0;
	*j = (struct journal){.fd = -1, .place = places[blamed]};
	return why;
}

int journal_adopt(struct journal *j, const struct journal_found *found)
{
	int dir = records_open(&found->place, false), r = 0;
	struct stat st;

	*j = (struct journal){.fd = -1, .length = found->text.length, .place = found->place};
	memcpy(j->file, found->file, sizeof j->file);
	journal_set_path(j);
	if (dir < 0)
		return dir;
	j->fd = records_file(&found->place, dir, j->file, O_WRONLY | O_APPEND);
	if (j->fd < 0)
		r = j->fd;
	close(dir);
	/* The folder may belong to another user, who can put anything there, even a hard link to a
	 * file that only we may write. */
	if (r == 0 &&
		(fstat(j->fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != found->place.owner ||
			st.st_dev != found->device || st.st_ino != found->inode))
		r = -ESTALE;
	else if (r == 0 && st.st_nlink != 1)
		r = -EMLINK;
	/* A session that tests the lock holds it for a moment. A file system without locks: go on.
	 */
	for (int tries = 0; r == 0 && flock(j->fd, LOCK_EX | LOCK_NB) < 0; tries++) {
		if (errno != EWOULDBLOCK)
			break;
		if (tries == JOURNAL_LOCK_MS)
			r = -EBUSY;
		else
			nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
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

void journal_unlink(const struct journal *j)
{
	int dir;

	if (j->place.owner == geteuid()) {
		unlink(j->path); /* works without a free descriptor */
	} else {
		dir = records_open(&j->place, false);
		unlinkat(dir, j->file, 0);
		if (dir >= 0)
			close(dir);
	}
}

void journal_remove(struct journal *j)
{
	if (j->fd >= 0 && j->file[0])
		journal_unlink(j);
	journal_leave(j);
}

/* ---- reading ---- */

/* Decode the edit at `bytes`. Returns its size there; 0: malformed. */
static size_t journal_edit(const uint8_t *bytes, size_t size, bool old, struct probes_edit *edit)
{
	struct journal_edit_3 before;

	if (old) {
		if (size < sizeof before)
			return 0;
		memcpy(&before, bytes, sizeof before);
		*edit = edit_semaphore(before.address, before.old, before.new_);
		if (!before.is_site)
			return sizeof before;
		edit->role = PROBES_ROLE_CODE;
		edit->length = 1;
		return before.is_site > 1 || edit->old[1] || edit->new_[1] ? 0 : sizeof before;
	}
	if (size < JOURNAL_EDIT)
		return 0;
	memcpy(&edit->address, bytes, sizeof edit->address);
	edit->role = bytes[8];
	edit->length = bytes[9];
	if (edit->role == PROBES_ROLE_SEMAPHORE ? edit->length != 2 : !edit->length)
		return 0;
	if (edit->role < PROBES_ROLE_CODE || edit->role > PROBES_ROLE_COUNTER)
		return 0;
	if (edit->length > PROBES_EDIT_BYTES || size - JOURNAL_EDIT < 2 * (size_t)edit->length)
		return 0;
	memcpy(edit->old, bytes + JOURNAL_EDIT, edit->length);
	memcpy(edit->new_, bytes + JOURNAL_EDIT + edit->length, edit->length);
	return JOURNAL_EDIT + 2 * (size_t)edit->length;
}

/* Append the edits of a block. */
static bool journal_edits(struct array *to, const uint8_t *bytes, size_t size, bool old)
{
	for (size_t at = 0, length; at < size; at += length) {
		struct probes_edit *edit = array_add(to);

		length = edit ? journal_edit(bytes + at, size - at, old, edit) : 0;
		if (!length)
			return false;
	}
	return true;
}

/* Is it the same edit, or its opposite? */
static bool journal_is(const struct probes_edit *a, const struct probes_edit *b, bool opposite)
{
	return a->address == b->address && a->role == b->role && a->length == b->length &&
	       !memcmp(a->old, opposite ? b->new_ : b->old, a->length) &&
	       !memcmp(a->new_, opposite ? b->old : b->new_, a->length);
}

/* Pending edits are made, or not, if they are the next ones of a block. */
static bool journal_decided(struct journal_text *text, const uint8_t *bytes, size_t size)
{
	struct array decided = ARRAY_OF(struct probes_edit);
	size_t at = 0, left = 0;
	bool good;

	good = journal_edits(&decided, bytes, size, false) &&
	       array_reserve(&text->made, text->pending.count);
	ARRAY_EACH_WHILE(good, const struct probes_edit, edit, &text->pending) {
		const struct probes_edit *next =
			at < decided.count ? ARRAY_AT(&decided, struct probes_edit, at) : NULL;
		bool made = next && journal_is(edit, next, false);

		if (made)
			*(struct probes_edit *)array_add(&text->made) = *edit;
		if (made || (next && journal_is(edit, next, true)))
			at++;
		else
			*ARRAY_AT(&text->pending, struct probes_edit, left++) = *edit;
	}
	if (good)
		text->pending.count = left;
	array_done(&decided);
	return good;
}

/* Add a block to the text. `*newest`: where the newest intent begins among the pending edits. */
static bool journal_take(
	struct journal_text *text, uint32_t kind, const uint8_t *bytes, size_t size, size_t *newest)
{
	size_t before = *newest;

	*newest = text->pending.count;
	switch (kind) {
	case JOURNAL_INTENT_3:
	case JOURNAL_INTENT:
		return journal_edits(&text->pending, bytes, size, kind == JOURNAL_INTENT_3);
	case JOURNAL_KNOWN_3:
	case JOURNAL_KNOWN:
		*newest = text->pending.count = 0;
		return journal_edits(&text->made, bytes, size, kind == JOURNAL_KNOWN_3);
	case JOURNAL_MADE:
		return journal_edits(&text->made, bytes, size, false);
	case JOURNAL_DECIDED:
		*newest = 0;
		return journal_decided(text, bytes, size);
	case JOURNAL_DONE:
		for (size_t i = before; i < text->pending.count; i++)
			if (!array_push(
				    &text->made, ARRAY_AT(&text->pending, struct probes_edit, i)))
				return false;
		break;
	case JOURNAL_UNDONE:
		break;
	default:
		return false;
	}
	*newest = text->pending.count = before;
	return size == 0;
}

bool journal_parse(const void *bytes, size_t size, struct journal_text *text)
{
	static const char *const magics[] = {"PTUIJ2\0", "PTUIJ3\0", "PTUIJ4\0"};
	struct journal_header header = {.flags = 0};
	size_t newest = 0, length = 0;
	struct journal_block block;

	*text = (struct journal_text){0};
	text->made = ARRAY_OF(struct probes_edit);
	text->pending = ARRAY_OF(struct probes_edit);
	for (unsigned i = 0; i < 3 && size >= JOURNAL_HEADER_2; i++)
		if (!memcmp(bytes, magics[i], sizeof header.magic))
			text->version = i + 2;
	text->length = text->version == 2 ? JOURNAL_HEADER_2 : JOURNAL_HEADER;
	if (!text->version || size < text->length)
		return false;
	memcpy(&header, bytes, text->length);
	text->key = header.key;
	text->locked = header.flags & JOURNAL_IS_LOCKED;
	for (; size - text->length >= sizeof block; text->length += sizeof block + length) {
		const uint8_t *at = (const uint8_t *)bytes + text->length;

		memcpy(&block, at, sizeof block);
		length = block.size;
		if (block.kind == JOURNAL_INTENT_3 || block.kind == JOURNAL_KNOWN_3)
			length *= sizeof(struct journal_edit_3);
		if (size - text->length - sizeof block < length)
			break;
		if (!journal_take(text, block.kind, at + sizeof block, length, &newest)) {
			journal_text_done(text);
			return false;
		}
	}
	return true;
}

void journal_text_done(struct journal_text *text)
{
	array_done(&text->made);
	array_done(&text->pending);
}
