/*
 * Finding the journals of dead sessions. A journal is removed only on proof; a journal that cannot
 * be read, or whose owner may be alive, is reported, since it may record changes that remain.
 */
#include "patch/journal.h"

#include "base/now.h"
#include "process/identity.h"
#include "process/procfs.h"

#include <dirent.h>
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

#define JOURNAL_LARGEST (1u << 28)
#define JOURNAL_DAMAGED "it is damaged"
#define JOURNAL_ELSEWHERE "it was written in another pid namespace: call repair there"
#define JOURNAL_DYING_MS IDENTITY_DYING_MS /* a helper ends with its session, a moment later */

/* What one search spends on the journals of another user, who may plant any number of any size. */
#define JOURNAL_OTHERS 64
#define JOURNAL_OTHERS_BYTES ((size_t)16 << 20)
#define JOURNAL_OTHERS_SECONDS 2

/* One search through the places. */
struct journal_search {
	struct journal_key target;
	const struct records_user *user;
	struct array *found;
	const struct records_place *place;
	int dir;
	/* Of another user: how many and how much was read, and how many were not; since when. */
	size_t others, bytes, unread;
	uint64_t since;
	bool living; /* find those of living owners as well */
	bool fits;   /* false: out of memory */
};

void journal_here(struct journal_key *key)
{
	static const char hex[] = "0123456789abcdef";
	struct stat st;
	size_t size;
	char *text;

	key->pids = stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
	key->boot[0] = key->boot[1] = 0;
	if (procfs_read(AT_FDCWD, &text, &size, "/proc/sys/kernel/random/boot_id") == 0)
		for (size_t i = 0, digits = 0; i < size && digits < 32; i++) {
			const char *at = text[i] ? strchr(hex, text[i]) : NULL;
			uint64_t *half = &key->boot[digits / 16];

			if (at)
				*half = *half << 4 | (uint64_t)(at - hex);
			digits += at != NULL;
		}
	free(text);
}

/* `why`: why its changes are unknown, or NULL. */
static struct journal_found *journal_add_found(
	struct journal_search *s, const char *file, const char *why)
{
	struct journal_found *f = s->fits ? array_add(s->found) : NULL;

	s->fits = f != NULL;
	if (!f)
		return NULL;
	f->place = *s->place;
	snprintf(f->file, sizeof f->file, "%.99s", file);
	snprintf(f->unjudged, sizeof f->unjudged, "%s", why ? why : "");
	return f;
}

/* Start times of PTUIJ2 may be those of another time namespace, and prove nothing. */
static uint64_t journal_start(const struct journal_text *text, uint64_t start)
{
	return text->version == 2 ? 0 : start;
}

/*
 * Is its owner alive? The lock says so in every namespace. If a child that briefly outlives its
 * session holds the lock, wait for the child: the journal of that session must be found.
 */
static enum identity_state journal_owner_lives(
	int fd, const struct journal_text *text, bool same_pids, const char **why)
{
	enum identity_state by_number = IDENTITY_UNKNOWN;

	*why = JOURNAL_ELSEWHERE;
	if (same_pids)
		by_number = identity_settled(
			text->key.owner, journal_start(text, text->key.owner_start), why);
	if (!text->locked)
		return by_number;
	for (int waited = 0; flock(fd, LOCK_SH | LOCK_NB) < 0; waited++) {
		if (errno != EWOULDBLOCK) {
			*why = strerror(errno);
			return IDENTITY_UNKNOWN;
		}
		if (by_number != IDENTITY_ENDED)
			return IDENTITY_LIVES;
		*why = "its session has ended, but a child of that session still locks it";
		if (waited == JOURNAL_DYING_MS)
			return IDENTITY_UNKNOWN;
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	flock(fd, LOCK_UN);
	return IDENTITY_ENDED;
}

/*
 * May a journal of another pid namespace name this process? In its own one, its number there says
 * so: a forked sibling may have the same start and program.
 */
static bool journal_may_name(const struct journal_key *key, pid_t pid)
{
	long number = 0;
	struct stat st;
	char path[64], *text;

	snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)pid);
	if (stat(path, &st) < 0 || st.st_ino != key->pids)
		return true;
	if (procfs_read(AT_FDCWD, &text, NULL, "/proc/%d/status", (int)pid) == 0)
		number = procfs_status_last(text, "NSpid", 0);
	free(text);
	return !number || number == key->target;
}

static bool journal_of_another(const struct journal_search *s)
{
	return s->place->owner != geteuid();
}

/* Read up to `size` bytes; the file may have become shorter. Their number, or a negative errno. */
static ssize_t journal_bytes(int fd, char *bytes, size_t size)
{
	ssize_t done = 0, n = 1;

	while (n > 0 && (size_t)done < size) {
		n = pread(fd, bytes + done, size - (size_t)done, done);
		done += n > 0 ? n : 0;
	}
	return n < 0 ? -errno : done;
}

/* Read and parse the whole file: NULL, or why not. */
static const char *journal_read(
	struct journal_search *s, int fd, const struct stat *st, struct journal_text *text)
{
	bool another = journal_of_another(s);
	size_t left = JOURNAL_OTHERS_BYTES - s->bytes, size = (size_t)st->st_size;
	char *bytes;
	ssize_t n;
	bool parsed;

	if (size >= JOURNAL_LARGEST)
		return strerror(EFBIG);
	if (another && size > left)
		return "it exceeds what is read of another user's journals (16 MiB in all)";
	s->bytes += another ? size : 0;
	bytes = malloc(size + 1);
	if (!bytes)
		return strerror(ENOMEM);
	n = journal_bytes(fd, bytes, size);
	parsed = n >= 0 && journal_parse(bytes, (size_t)n, text);
	free(bytes);
	return n < 0 ? strerror((int)-n) : parsed ? NULL : JOURNAL_DAMAGED;
}

/*
 * Remove a journal, of which only the header was read, that is proven to be obsolete. Read the rest
 * of one of the target whose owner has ended, or, on request, is alive.
 */
static void journal_judge(struct journal_search *s, const char *file, int fd, const struct stat *st,
	const struct journal_text *header)
{
	const struct journal_key *key = &header->key, *target = &s->target;
	bool same_pids = target->pids && key->pids == target->pids, concerned;
	bool same_start = identity_same_start(key->target_start, target->target_start);
	bool starts_known = key->target_start && target->target_start;
	bool programs_known = key->target_program && target->target_program;
	bool other_program = programs_known && key->target_program != target->target_program;
	struct journal_text text = {.length = 0};
	const char *why;
	enum identity_state owner;
	struct journal_found *f;

	if ((key->boot[0] || key->boot[1]) && (target->boot[0] || target->boot[1]) &&
		memcmp(key->boot, target->boot, sizeof key->boot))
		return;
	/* A pid of another pid namespace says nothing, but start time and program are the same in
	   all namespaces. */
	concerned = same_pids ? key->target == target->target && same_start
			      : header->version > 2 && starts_known && same_start &&
					!other_program && journal_may_name(key, target->target);
	/* exec keeps pid and start time: the changes went with the previous program. */
	if (same_pids &&
		((concerned && other_program) ||
			identity_check(key->target, journal_start(header, key->target_start),
				&why) == IDENTITY_ENDED)) {
		if (!journal_of_another(s))
			unlinkat(s->dir, file, 0);
		return;
	}
	if (!concerned)
		return;
	owner = journal_owner_lives(fd, header, same_pids, &why);
	if (owner == IDENTITY_LIVES && !s->living)
		return;
	if (owner == IDENTITY_ENDED && same_pids && !starts_known && !programs_known)
		why = "it may belong to an earlier process with the same number";
	else if (!key->target_program && target->target_program)
		why = "it may belong to a program that this process ran before";
	else if (owner == IDENTITY_LIVES || (owner == IDENTITY_ENDED && same_pids))
		why = journal_read(s, fd, st, &text);
	else if (!same_pids)
		why = JOURNAL_ELSEWHERE;
	f = journal_add_found(s, file, why);
	if (!f || why)
		journal_text_done(&text);
	if (!f)
		return;
	f->device = st->st_dev;
	f->inode = st->st_ino;
	f->living = owner == IDENTITY_LIVES && !why;
	if (!why)
		f->text = text;
	f->text.key = *key;
}

/* Is it worth opening? The name gives the target, its start, the owner and a number. */
static bool journal_named(struct journal_search *s, const char *file, bool *ours)
{
	unsigned long long start;
	unsigned number;
	int pid, owner;

	if (sscanf(file, "%d-%llu-%d-%u", &pid, &start, &owner, &number) != 4 || pid <= 0)
		return false;
	*ours = pid == s->target.target;
	if (!*ours && !(start && identity_same_start(start, s->target.target_start)) &&
		(journal_of_another(s) || !(kill(pid, 0) < 0 && errno == ESRCH)))
		return false;
	if (!journal_of_another(s))
		return true;
	if (s->others < JOURNAL_OTHERS)
		return ++s->others;
	s->unread++;
	return false;
}

static void journal_consider(struct journal_search *s, const char *file)
{
	struct journal_text header = {.length = 0};
	char bytes[JOURNAL_HEADER];
	bool ours;
	int fd, r = 0;
	struct stat st;
	ssize_t n;

	if (!journal_named(s, file, &ours))
		return;
	fd = records_file(s->place, s->dir, file, O_RDONLY);
	if (fd < 0)
		r = fd;
	else if (fstat(fd, &st) < 0)
		r = -errno;
	else if (!S_ISREG(st.st_mode) || st.st_uid != s->place->owner)
		r = -EBADMSG;
	else if (journal_of_another(s) && st.st_gid != s->user->group)
		r = -ENOENT; /* whoever wrote it may not trace the process */
	else if ((n = journal_bytes(fd, bytes, sizeof bytes)) < 0)
		r = (int)n;
	else if (!journal_parse(bytes, (size_t)n, &header))
		r = -EBADMSG;
	if (r == 0)
		journal_judge(s, file, fd, &st, &header);
	else if (ours && r != -ENOENT && r != -ELOOP)
		journal_add_found(s, file,
			r == -EBADMSG ? JOURNAL_DAMAGED
			: r == -EXDEV ? "another file system is mounted over it"
				      : strerror(-r));
	journal_text_done(&header);
	if (fd >= 0)
		close(fd);
}

/* Has the search spent its time on another user's files? They can be many, and locked. */
static bool journal_late(struct journal_search *s)
{
	if (!journal_of_another(s))
		return false;
	s->since = s->since ? s->since : now_ms();
	return now_ms() - s->since >= JOURNAL_OTHERS_SECONDS * 1000;
}

/* Look through the files of the folder `list`, and name what was left out. */
static void journal_look(struct journal_search *s, DIR *list)
{
	struct dirent *entry;
	bool late = false;
	char why[100];

	s->unread = 0;
	for (errno = 0; s->fits && !(late = journal_late(s)) && (entry = readdir(list)); errno = 0)
		journal_consider(s, entry->d_name);
	if (s->fits && late)
		snprintf(why, sizeof why, "not all journals were read within %d s",
			JOURNAL_OTHERS_SECONDS);
	else if (s->fits && s->unread)
		snprintf(why, sizeof why, "unread journals of this process: %zu (limit: %d)",
			s->unread, JOURNAL_OTHERS);
	else if (s->fits && errno)
		snprintf(why, sizeof why, "%s", strerror(errno));
	else
		return;
	journal_add_found(s, "", why);
}

bool journal_find(const struct journal_key *target, const struct records_user *user, bool living,
	struct array *found)
{
	struct journal_search s = {
		.target = *target, .user = user, .found = found, .living = living, .fits = true};
	struct records_place places[RECORDS_PLACES];
	size_t count = records_places(user, places);

	journal_here(&s.target);
	for (size_t i = 0; s.fits && i < count; i++) {
		DIR *list;
		int code;

		s.place = &places[i];
		s.dir = records_open(s.place, false);
		if (s.dir == -ENOENT)
			continue;
		list = procfs_list(s.dir);
		code = s.dir < 0 ? -s.dir : errno;
		if (!list) {
			journal_add_found(&s, "", strerror(code));
			continue;
		}
		journal_look(&s, list);
		closedir(list);
	}
	return s.fits;
}

void journal_found_done(struct array *found)
{
	for (size_t i = 0; i < found->count; i++)
		journal_text_done(&ARRAY_AT(found, struct journal_found, i)->text);
	array_done(found);
}
