/*
 * Finding the journals of dead sessions. A journal is removed only on proof; a journal that cannot
 * be read, or whose owner may be alive, is reported, since it may record changes that remain.
 */
#include "patch/journal.h"

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
#define JOURNAL_ELSEWHERE "it was written in another pid namespace: call repair there"
#define JOURNAL_DYING_MS IDENTITY_DYING_MS /* a helper ends with its session, a moment later */

/* One search through the places. */
struct journal_search {
	struct journal_key target;
	struct array *found;
	const struct records_place *place;
	int dir;
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
	if (procfs_read(AT_FDCWD, "/proc/sys/kernel/random/boot_id", &text, &size) == 0)
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
	size_t size;

	snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)pid);
	if (stat(path, &st) < 0 || st.st_ino != key->pids)
		return true;
	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	if (procfs_read(AT_FDCWD, path, &text, &size) == 0)
		number = procfs_status_last(text, "NSpid", 0);
	free(text);
	return !number || number == key->target;
}

/*
 * Remove a journal that is proven to be obsolete, and keep the text of one of the target whose
 * owner has ended, or, on request, is alive.
 */
static void journal_judge(struct journal_search *s, const char *file, int fd, const struct stat *st,
	struct journal_text *text)
{
	const struct journal_key *key = &text->key, *target = &s->target;
	bool same_pids = target->pids && key->pids == target->pids, concerned;
	bool same_start = identity_same_start(key->target_start, target->target_start);
	bool starts_known = key->target_start && target->target_start;
	bool programs_known = key->target_program && target->target_program;
	bool other_program = programs_known && key->target_program != target->target_program;
	const char *why;
	enum identity_state owner;
	struct journal_found *f;

	if ((key->boot[0] || key->boot[1]) && (target->boot[0] || target->boot[1]) &&
		memcmp(key->boot, target->boot, sizeof key->boot))
		return;
	/* A pid of another pid namespace says nothing, but start time and program are the same in
	   all namespaces. */
	concerned = same_pids ? key->target == target->target && same_start
			      : text->version > 2 && starts_known && same_start && !other_program &&
					journal_may_name(key, target->target);
	/* exec keeps pid and start time: the changes went with the previous program. */
	if (same_pids && ((concerned && other_program) ||
				 identity_check(key->target, journal_start(text, key->target_start),
					 &why) == IDENTITY_ENDED)) {
		if (s->place->owner == geteuid())
			unlinkat(s->dir, file, 0);
		return;
	}
	if (!concerned)
		return;
	owner = journal_owner_lives(fd, text, same_pids, &why);
	if (owner == IDENTITY_LIVES && !s->living)
		return;
	if (owner == IDENTITY_ENDED && same_pids && !starts_known && !programs_known)
		why = "it may belong to an earlier process with the same number";
	else if (owner == IDENTITY_LIVES || (owner == IDENTITY_ENDED && same_pids))
		why = NULL;
	else if (!same_pids)
		why = JOURNAL_ELSEWHERE;
	f = journal_add_found(s, file, why);
	if (!f)
		return;
	f->device = st->st_dev;
	f->inode = st->st_ino;
	f->living = owner == IDENTITY_LIVES;
	f->text.key = *key;
	if (why)
		return;
	f->text = *text;
	*text = (struct journal_text){.length = 0};
}

static void journal_consider(struct journal_search *s, const char *file)
{
	struct journal_text text = {.length = 0};
	unsigned long long start;
	unsigned number;
	int pid, owner, fd, r = 0;
	char *bytes = NULL;
	struct stat st;
	ssize_t n;

	/* Opening every file would cost too much: the name gives the target, its start, the owner
	   and a number. */
	if (sscanf(file, "%d-%llu-%d-%u", &pid, &start, &owner, &number) != 4 || pid <= 0)
		return;
	if (pid != s->target.target &&
		!(start && identity_same_start(start, s->target.target_start)) &&
		!(kill(pid, 0) < 0 && errno == ESRCH))
		return;
	fd = openat(s->dir, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		r = -errno;
	else if (!S_ISREG(st.st_mode) || st.st_uid != s->place->owner ||
		 st.st_size >= JOURNAL_LARGEST)
		r = -EBADMSG;
	else if (!(bytes = malloc((size_t)st.st_size + 1)))
		r = -ENOMEM;
	else if ((n = read(fd, bytes, (size_t)st.st_size)) < 0)
		r = -errno;
	else if (!journal_parse(bytes, (size_t)n, &text))
		r = -EBADMSG;
	free(bytes);
	if (r == 0)
		journal_judge(s, file, fd, &st, &text);
	else if (pid == s->target.target && r != -ENOENT && r != -ELOOP)
		journal_add_found(s, file, r == -EBADMSG ? "it is damaged" : strerror(-r));
	journal_text_done(&text);
	if (fd >= 0)
		close(fd);
}

bool journal_find(
	const struct journal_key *target, const uid_t *user, bool living, struct array *found)
{
	struct journal_search s = {
		.target = *target, .found = found, .living = living, .fits = true};
	struct records_place places[RECORDS_PLACES];
	size_t count = records_places(user, places);

	journal_here(&s.target);
	for (size_t i = 0; s.fits && i < count; i++) {
		struct dirent *entry;
		DIR *list;
		int code;

		s.place = &places[i];
		s.dir = records_open(s.place, false);
		if (s.dir == -ENOENT)
			continue;
		list = s.dir < 0 ? NULL : fdopendir(s.dir);
		code = s.dir < 0 ? -s.dir : errno;
		if (!list) {
			journal_add_found(&s, "", strerror(code));
			if (s.dir >= 0)
				close(s.dir);
			continue;
		}
		for (errno = 0; s.fits && (entry = readdir(list)); errno = 0)
			journal_consider(&s, entry->d_name);
		if (s.fits && errno)
			journal_add_found(&s, "", strerror(errno));
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
