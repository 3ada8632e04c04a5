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
#define JOURNAL_DYING_MS 1000 /* a helper ends with its session, a moment later */

/* One search through the places. */
struct journal_search {
	struct journal_key target;
	struct array *found;
	const struct records_place *place;
	int dir;
	bool living; /* those of living owners are wanted, too */
	bool fits;   /* in memory, so far */
};

/* ---- here and now ---- */

static void journal_boot(uint64_t boot[2])
{
	size_t size;
	char *text;

	boot[0] = boot[1] = 0;
	if (procfs_read(AT_FDCWD, "/proc/sys/kernel/random/boot_id", &text, &size) == 0)
		for (size_t i = 0, digits = 0; i < size && digits < 32; i++) {
			const char *hex = "0123456789abcdef", *at = strchr(hex, text[i]);

			if (at && text[i])
				boot[digits / 16] = boot[digits / 16] << 4 | (uint64_t)(at - hex);
			digits += at && text[i];
		}
	free(text);
}

void journal_here(struct journal_key *key)
{
	struct stat st;

	key->pids = stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
	journal_boot(key->boot);
}

static bool journal_known(const uint64_t boot[2])
{
	return boot[0] || boot[1];
}

/* ---- what is found ---- */

static struct journal_found *journal_add_found(struct journal_search *s, const char *file)
{
	struct journal_found *f = s->fits ? array_add(s->found) : NULL;

	s->fits = f != NULL;
	if (f) {
		*f = (struct journal_found){.place = *s->place};
		snprintf(f->file, sizeof f->file, "%.99s", file);
	}
	return f;
}

static struct journal_found *journal_unjudged(
	struct journal_search *s, const char *file, const char *why)
{
	struct journal_found *f = journal_add_found(s, file);

	if (f)
		snprintf(f->unjudged, sizeof f->unjudged, "%s", why);
	return f;
}

/* ---- whose it is ---- */

/* Start times in an old journal may be those of another time namespace: they prove nothing. */
static uint64_t journal_start(const struct journal_text *text, uint64_t start)
{
	return text->old ? 0 : start;
}

static bool journal_is_of(const struct journal_text *text, const struct journal_key *target)
{
	return text->key.target == target->target &&
	       identity_same_start(text->key.target_start, target->target_start);
}

static bool journal_same_program(const struct journal_key *key, const struct journal_key *target)
{
	return !key->target_program || !target->target_program ||
	       key->target_program == target->target_program;
}

/* Does more than the pid identify the process: the start time or the program? */
static bool journal_certain(const struct journal_key *key, const struct journal_key *target)
{
	return (key->target_start && target->target_start) ||
	       (key->target_program && key->target_program == target->target_program);
}

static bool journal_same_boot(const struct journal_key *key, const struct journal_key *here)
{
	return !journal_known(key->boot) || !journal_known(here->boot) ||
	       !memcmp(key->boot, here->boot, sizeof key->boot);
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
		by_number = identity_check(
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

/* ---- one file ---- */

static int journal_read(int fd, uid_t owner, struct stat *st, struct journal_text *text)
{
	char *bytes;
	ssize_t n;
	int r = 0;

	if (fstat(fd, st) < 0)
		return -errno;
	if (!S_ISREG(st->st_mode) || st->st_uid != owner || st->st_size >= JOURNAL_LARGEST)
		return -EBADMSG;
	bytes = malloc((size_t)st->st_size + 1);
	if (!bytes)
		return -ENOMEM;
	n = read(fd, bytes, (size_t)st->st_size);
	if (n < 0)
		r = -errno;
	else if (!journal_parse(bytes, (size_t)n, text))
		r = -EBADMSG;
	free(bytes);
	return r;
}

/* Its pids are of our pid namespace. True: the journal is proven to be obsolete. */
static bool journal_is_over(const struct journal_search *s, const struct journal_text *text)
{
	const char *ignored;

	/* exec keeps pid and start time: the changes went with the previous program. */
	if (journal_is_of(text, &s->target) && !journal_same_program(&text->key, &s->target))
		return true;
	return identity_check(text->key.target, journal_start(text, text->key.target_start),
		       &ignored) == IDENTITY_ENDED;
}

/*
 * Is it a journal of the target? A pid of another pid namespace says nothing, but start time and
 * program are the same in all namespaces.
 */
static bool journal_concerns(
	const struct journal_search *s, const struct journal_text *text, bool same_pids)
{
	if (same_pids)
		return journal_is_of(text, &s->target);
	return !text->old && text->key.target_start && s->target.target_start &&
	       identity_same_start(text->key.target_start, s->target.target_start) &&
	       journal_same_program(&text->key, &s->target);
}

/* Keep the text of a journal whose owner is dead; of a living one, too, where that was asked for.
 */
static void journal_judge(struct journal_search *s, const char *file, int fd, const struct stat *st,
	struct journal_text *text)
{
	bool same_pids = s->target.pids && text->key.pids == s->target.pids;
	bool ours = s->place->owner == geteuid();
	const char *why;
	enum identity_state owner;
	struct journal_found *f = NULL;

	if (!journal_same_boot(&text->key, &s->target))
		return;
	if (same_pids && journal_is_over(s, text)) {
		if (ours)
			unlinkat(s->dir, file, 0);
		return;
	}
	if (!journal_concerns(s, text, same_pids))
		return;
	owner = journal_owner_lives(fd, text, same_pids, &why);
	if (owner == IDENTITY_LIVES && !s->living)
		return;
	if (owner == IDENTITY_LIVES)
		why = NULL;
	else if (!same_pids)
		why = JOURNAL_ELSEWHERE;
	else if (owner == IDENTITY_ENDED && !journal_certain(&text->key, &s->target))
		why = "it may belong to an earlier process with the same number";
	else if (owner == IDENTITY_ENDED)
		why = NULL;
	if (why)
		f = journal_unjudged(s, file, why);
	else
		f = journal_add_found(s, file);
	if (!f)
		return;
	f->device = st->st_dev;
	f->inode = st->st_ino;
	f->living = owner == IDENTITY_LIVES;
	if (*f->unjudged) {
		f->text.key = text->key;
		return;
	}
	f->text = *text;
	*text = (struct journal_text){.length = 0};
}

/* Read the file name: target, its start, owner, a number. Opening every file would cost too much.
 */
static bool journal_worth_a_look(const struct journal_search *s, const char *file, bool *target)
{
	unsigned long long start;
	int pid, owner;
	unsigned number;

	*target = false;
	if (sscanf(file, "%d-%llu-%d-%u", &pid, &start, &owner, &number) != 4 || pid <= 0)
		return false;
	*target = pid == s->target.target;
	return *target || (start && identity_same_start(start, s->target.target_start)) ||
	       (kill(pid, 0) < 0 && errno == ESRCH);
}

static void journal_consider(struct journal_search *s, const char *file)
{
	struct journal_text text = {.length = 0};
	struct stat st;
	bool target;
	int fd, r;

	if (!journal_worth_a_look(s, file, &target))
		return;
	fd = openat(s->dir, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	r = fd < 0 ? -errno : journal_read(fd, s->place->owner, &st, &text);
	if (r == 0)
		journal_judge(s, file, fd, &st, &text);
	else if (target && r != -ENOENT && r != -ELOOP)
		journal_unjudged(s, file, r == -EBADMSG ? "it is damaged" : strerror(-r));
	journal_text_done(&text);
	if (fd >= 0)
		close(fd);
}

/* ---- all of them ---- */

static void journal_search(struct journal_search *s)
{
	struct dirent *entry;
	DIR *list;
	int code;

	s->dir = records_open(s->place, false);
	if (s->dir == -ENOENT)
		return;
	list = s->dir < 0 ? NULL : fdopendir(s->dir);
	code = s->dir < 0 ? -s->dir : errno;
	if (!list) {
		journal_unjudged(s, "", strerror(code));
		if (s->dir >= 0)
			close(s->dir);
		return;
	}
	for (errno = 0; s->fits && (entry = readdir(list)); errno = 0)
		journal_consider(s, entry->d_name);
	if (s->fits && errno)
		journal_unjudged(s, "", strerror(errno));
	closedir(list);
}

static bool journal_find_some(
	const struct journal_key *target, const uid_t *user, bool living, struct array *found)
{
	struct journal_search s = {
		.target = *target, .found = found, .living = living, .fits = true};
	struct records_place places[RECORDS_PLACES];
	size_t count = records_places(user, places);

	journal_here(&s.target);
	for (size_t i = 0; s.fits && i < count; i++) {
		s.place = &places[i];
		journal_search(&s);
	}
	return s.fits;
}

bool journal_find(const struct journal_key *target, const uid_t *user, struct array *found)
{
	return journal_find_some(target, user, false, found);
}

bool journal_find_all(const struct journal_key *target, const uid_t *user, struct array *found)
{
	return journal_find_some(target, user, true, found);
}

void journal_found_done(struct array *found)
{
	for (size_t i = 0; i < found->count; i++)
		journal_text_done(&ARRAY_AT(found, struct journal_found, i)->text);
	array_done(found);
}
