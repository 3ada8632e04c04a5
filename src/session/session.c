/*
 * The public calls that open and close a session, and say what it is. Composes the rooms below;
 * holds no rule of its own about notes, bytes or memory.
 */
#include "session/session.h"

#include "base/error.h"
#include "elf/symbols.h"
#include "process/access.h"
#include "process/descriptors.h"
#include "process/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SESSION_SCRIPTS 4      /* scripts whose interpreter is a script: the kernel's limit */
#define SESSION_END_TRIES 1000 /* of a millisecond */
#define SESSION_THREADS 50     /* that may end while we read through them */

/* ---- opening ---- */

struct probes_session *session_new(const struct probes_options *options, struct probes_error *e)
{
	struct probes_session *s = calloc(1, sizeof *s);

	if (!s) {
		error_memory(e, "a session");
		return NULL;
	}
	s->who = (struct identity){.pidfd = -1, .proc = -1, .task = -1, .maps = -1};
	s->memory.fd = -1;
	s->journal.fd = -1;
	s->pagemap = -1;
	s->terms = (struct object_terms){.budget = &s->budget};
	catalog_init(&s->catalog);
	s->followed = ARRAY_OF(char *);
	s->arenas = ARRAY_OF(struct arena);
	s->unproven = ARRAY_OF(struct session_unproven);
	s->entries = ARRAY_OF(struct jumps_entry);
	s->family = ARRAY_OF(pid_t);
	s->undone = ARRAY_OF(struct journal);
	uprobes_init(&s->uprobes);
	if (options) {
		s->read_only = options->read_only;
		s->persistent = options->persistent;
		s->log = (struct log){options->log, options->log_data};
	}
	return s;
}

static int session_add(struct probes_session *s, const struct probes_object *info,
	const struct maps_location *location, struct object *file, const char *why,
	struct probes_error *e)
{
	size_t left_out = file ? file->note_left_out : 0;
	struct object_probes *h = NULL;
	int r;

	if (!budget_take(&s->budget, sizeof *h + strlen(info->path))) {
		object_free(file);
		error_set(e, PROBES_FAILED, -E2BIG, "cannot keep %s", info->path);
		return error_why(e, "the mapped files of the open processes exceed what is kept "
				    "(192 MiB a process, 256 MiB in all)");
	}
	r = object_probes_new(info, file, why, s->process, &h, e);
	if (r < 0)
		return r;
	if (left_out)
		log_say(&s->log, PROBES_LOG_NOTICE, "%s: %s", h->path, h->why);
	if (location)
		h->location = *location;
	if (h->probe_count)
		log_say(&s->log, PROBES_LOG_DEBUG, "%s: %zu probes, bias 0x%llx", h->path,
			h->probe_count, (unsigned long long)h->info.bias);
	return catalog_add(&s->catalog, h) ? 0 : error_memory(e, "a session");
}

int session_add_image(struct probes_session *s, struct image *image, struct probes_error *e)
{
	bool changed = false;
	int r = 0;

	ARRAY_EACH_WHILE(r == 0, struct image_object, o, &image->objects) {
		struct probes_object info = {.path = o->path,
			.bias = o->bias,
			.deleted = o->deleted,
			.executable = o->executable,
			.unread = o->unread,
			.remedy = o->remedy};
		struct object *file = o->file;

		o->file = NULL;
		r = session_add(s, &info, &o->location, file, o->why, e);
		if (r == 0 && !file)
			object_probes_set_build_id(
				catalog_object(&s->catalog, s->catalog.objects.count - 1),
				o->build_id, o->build_id_size);
	}
	if (r == 0)
		r = jumps_learn(s, &image->arenas, e);
	if (r < 0)
		return r;
	if (image->writable.count)
		s->translator = image->translator;
	/* The protection of memory may have changed, and the kernel lets us write even to
	   read-only memory. */
	for (size_t i = 0; image->writable.count && i < s->catalog.objects.count; i++)
		changed |= object_probes_check_writable(
			catalog_object(&s->catalog, i), &image->writable);
	s->changes += changed;
	/* The next read evaluates these probes again. */
	if (changed)
		s->all.baseline_valid = false;
	return 0;
}

static int session_read_maps(
	struct probes_session *s, struct array *known, struct image *image, struct probes_error *e)
{
	int r = image_read_again(&s->who, &s->memory, known, &s->maps_mark, image, e);

	if (r < 0)
		return r;
	/* The maps may be those of another program. */
	r = probes_alive(s, e);
	if (r < 0)
		image_done(image);
	return r;
}

/*
 * Open its identity, its memory and what is mapped; on failure the caller closes what is open. The
 * first readings go through one thread: if that ends meanwhile, repeat them through another.
 */
static int session_attach(
	struct probes_session *s, pid_t pid, struct image *image, struct probes_error *e)
{
	for (int tries = 0;; tries++) {
		int r = identity_open(&s->who, pid, e);

		if (r == 0)
			r = headroom_check_own(s, HEADROOM_OPEN, "open", e);
		if (r < 0)
			return r;
		memory_open(&s->memory, s->who.task, s->who.tid, s->who.tid == pid);
		if (error_is_shortage(s->memory.denied))
			return error_set(e, PROBES_FAILED, s->memory.denied,
				"cannot open the memory of process %d", pid);
		r = image_read(&s->who, &s->memory, image, e);
		if (tries == SESSION_THREADS || identity_thread_lives(&s->who))
			return r;
		if (r == 0)
			image_done(image);
		budget_done(&s->budget);
		memory_close(&s->memory);
		identity_close(&s->who);
	}
}

int session_open(struct probes_session *s, pid_t pid, struct probes_error *e)
{
	struct image image = {.terms = &s->terms};
	int r = session_attach(s, pid, &image, e);

	if (r < 0)
		return r;
	s->process = true;
	s->read_maps = session_read_maps;
	s->path = strdup(ARRAY_AT(&image.objects, struct image_object, 0)->path);
	r = s->path ? headroom_check_image(s, &image, e) : error_memory(e, "a session");
	if (r == 0)
		r = session_add_image(s, &image, e);
	image_done(&image);
	budget_trim(&s->budget);
	/* The readings belong together only if the process still runs the same program. */
	if (r == 0 && identity_execed(&s->who))
		return identity_gone(&s->who, e);
	return r ? r : probes_alive(s, e);
}

int session_finish(struct probes_session *s, int r, struct probes_session **session)
{
	if (r < 0) {
		probes_close(s);
		s = NULL;
	}
	*session = s;
	return r;
}

int probes_open_pid(pid_t pid, const struct probes_options *options,
	struct probes_session **session, struct probes_error *e)
{
	struct probes_session *s = session_new(options, e);

	*session = NULL;
	return s ? session_finish(s, session_open(s, pid, e), session) : e->code;
}

/*
 * Open the file that a path means; of a script its interpreter, in *path. A descriptor, or a
 * negative errno.
 */
static int session_open_program(struct probes_session *s, char **path, struct probes_error *e)
{
	char head[PROGRAM_LINE], name[PROGRAM_LINE], *script = NULL, *next;
	struct stat st;
	int fd = -1, r = 0;

	for (int level = 0; r == 0; level++) {
		fd = open(*path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (fd < 0) {
			error_set(e, errno == EACCES ? PROBES_DENIED : PROBES_NO_TARGET, -errno,
				"cannot open %s", *path);
			r = error_hint(e, "name a file that exists and that you may read");
		} else if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
			close(fd);
			error_set(e, PROBES_NO_TARGET, -ENOEXEC, "cannot read %s", *path);
			error_why(e, "it is not a regular file");
			r = error_hint(e, "name a program or a shared library");
		} else {
			ssize_t n = pread(fd, head, sizeof head, 0);

			if (level == SESSION_SCRIPTS || n <= 0 ||
				!program_interpreter(head, (size_t)n, name))
				break;
			close(fd);
			r = program_find(name, &next, e);
			free(script);
			script = *path;
			*path = r < 0 ? NULL : next;
		}
	}
	if (r < 0 && script)
		error_hint(e, "it is the interpreter of the script %.300s", script);
	if (r == 0 && script)
		log_say(&s->log, PROBES_LOG_NOTICE,
			"%s is a script: these are the probes of its interpreter %s; to see those "
			"of a program that the script executes, start it with trace",
			script, *path);
	free(script);
	return r < 0 ? r : fd;
}

int probes_open_file(const char *file, const struct probes_options *options,
	struct probes_session **session, struct probes_error *e)
{
	struct probes_session *s = session_new(options, e);
	struct probes_object info = {.executable = true};
	int spare = descriptors_spare(0), r, fd = -1;
	struct object *object;

	*session = NULL;
	if (!s)
		return e->code;
	if (spare < 0)
		r = error_set(e, PROBES_FAILED, spare, "cannot open %s", file);
	else
		r = program_find(file, &s->path, e);
	if (r == 0)
		r = fd = session_open_program(s, &s->path, e);
	if (r >= 0) {
		info.path = s->path;
		r = object_read_on(fd, s->path, &s->terms, &object, e);
		if (r == 0)
			r = session_add(s, &info, NULL, object, "", e);
		budget_trim(&s->budget);
	}
	return session_finish(s, r, session);
}

static void session_close_pagemap(struct probes_session *s)
{
	if (s->pagemap >= 0)
		close(s->pagemap);
	s->pagemap = -1;
}

void probes_close(struct probes_session *s)
{
	if (!s)
		return;
	start_free(s->start);
	owner_leave(s);
	if (s->all_ready)
		reader_done(&s->all);
	/* Nothing is left to undo in a process that has ended. */
	if ((s->keep_journal || s->unswept) && identity_alive(&s->who) && memory_alive(&s->memory))
		journal_leave(&s->journal);
	else
		journal_remove(&s->journal);
	journals_swept(&s, 1, true);
	for (size_t i = 0; i < s->catalog.objects.count; i++)
		ownership_end(catalog_object(&s->catalog, i));
	jumps_done(s);
	threads_done(&s->threads);
	array_done(&s->unproven);
	array_done(&s->history);
	array_done(&s->undone);
	uprobes_done(&s->uprobes);
	free(s->latency);
	callers_free(s->callers);
	events_free(s->events);
	catalog_done(&s->catalog);
	budget_done(&s->budget);
	memory_close(&s->memory);
	session_close_pagemap(s);
	identity_close(&s->who);
	for (size_t i = 0; i < s->followed.count; i++)
		free(*ARRAY_AT(&s->followed, char *, i));
	array_done(&s->followed);
	array_done(&s->family);
	free(s->path);
	free(s);
}

int probes_survey(pid_t pid, struct probes_survey *survey, struct probes_error *e)
{
	struct probes_session s = {.who = {.pidfd = -1, .proc = -1, .task = -1, .maps = -1},
		.memory.fd = -1,
		.process = true,
		.terms = {.count = true}};
	struct image image = {.terms = &s.terms};
	int r = session_attach(&s, pid, &image, e);

	*survey = (struct probes_survey){0};
	ARRAY_EACH_WHILE(r == 0, const struct image_object, o, &image.objects) {
		survey->objects++;
		survey->probes += o->probes;
		survey->unread += o->unread;
		survey->more = survey->more || o->more;
		survey->semaphores = survey->semaphores || o->semaphores;
	}
	if (r == 0) {
		image_done(&image);
		r = identity_execed(&s.who) ? identity_gone(&s.who, e) : probes_alive(&s, e);
	}
	memory_close(&s.memory);
	identity_close(&s.who);
	return r;
}

void session_spare(struct probes_session *s)
{
	session_close_pagemap(s);
	for (struct object_probes *h = catalog_first(&s->catalog); s->process && h; h = h->next) {
		symbols_close(h->symbols);
		h->symbols = NULL;
		if (h->file)
			object_rest(h->file);
	}
}

void session_rest(struct probes_session *s)
{
	if (!s->process || s->start || s->who.ended || identity_alive(&s->who))
		return;
	claim_done(&s->claim, &s->who);
	identity_end(&s->who);
	/* Nothing is left to undo there. */
	journal_remove(&s->journal);
	memory_close(&s->memory);
	session_close_pagemap(s);
	uprobes_end(&s->uprobes);
	if (s->all_ready)
		reader_done(&s->all);
	s->all_ready = false;
	for (size_t i = 0; i < s->catalog.objects.count; i++)
		detail_rest(catalog_object(&s->catalog, i));
}

/* ---- facts ---- */

pid_t probes_pid(const struct probes_session *s)
{
	return s->process ? s->who.pid : 0;
}

pid_t probes_ns_pid(const struct probes_session *s)
{
	return s->process ? identity_ns_pid(&s->who) : 0;
}

const char *probes_path(const struct probes_session *s)
{
	return s->path;
}

bool probes_held(const struct probes_session *s)
{
	return s->held;
}

const char *probes_translator(const struct probes_session *s)
{
	return s->translator ? s->translator->name : NULL;
}

int session_guess(const struct probes_session *s, struct probes_error *e)
{
	int number = s->arenas.count && e->status == PROBES_GONE ? identity_killed_by(&s->who) : 0;
	size_t length = strlen(e->why);

	/* Jumps may have led to where no counters are, or are no more; the recorder needs some
	   stack. */
	if (number == SIGSEGV || number == SIGBUS || number == SIGILL)
		snprintf(e->why + length, sizeof e->why - length,
			"; counting may have contributed, if the program unmaps memory that it "
			"did not map itself, runs copies of its own code, runs 32-bit code, uses "
			"stacks of a few kilobytes, or disables the time stamp counter in a "
			"thread (PR_SET_TSC)");
	return e->code;
}

int probes_alive(struct probes_session *s, struct probes_error *e)
{
	if (!s->process || (identity_alive(&s->who) && memory_alive(&s->memory)))
		return 0;
	identity_gone(&s->who, e);
	return session_guess(s, e);
}

enum probes_end probes_end(struct probes_session *s, int *signal)
{
	const struct timespec nap = {.tv_nsec = 1000000};
	struct probes_error gone;

	*signal = 0;
	if (probes_alive(s, &gone) == 0)
		return PROBES_END_NONE;
	/* Its memory goes first, a moment before it has ended. */
	for (int i = 0; i < SESSION_END_TRIES && identity_alive(&s->who); i++) {
		if (identity_execed(&s->who))
			return PROBES_END_EXEC;
		nanosleep(&nap, NULL);
	}
	*signal = identity_killed_by(&s->who);
	return *signal ? PROBES_END_SIGNAL : PROBES_END_EXIT;
}

int session_may_switch(
	struct probes_session *s, bool dry_run, bool undo, bool counts, struct probes_error *e)
{
	if (!s->process) {
		error_set(e, PROBES_USAGE, -EINVAL, "cannot switch probes of a file");
		error_why(e, "only a process has probes that are on or off");
		return error_hint(e, "name a process, or start the program with trace");
	}
	if (s->read_only && !dry_run) {
		error_set(e, PROBES_REFUSED, -EROFS,
			counts ? "cannot count hits" : "cannot switch probes");
		return error_why(e, "this session is read-only");
	}
	/* A translator that came later (DynamoRIO can) must not keep our bytes there. */
	if (s->translator && !undo)
		return translator_refuse(s->translator, s->who.pid, e);
	if (s->memory.fd < 0 && !dry_run && !s->who.ended) {
		error_set(e, PROBES_DENIED, s->memory.denied, "cannot write to process %d",
			s->who.pid);
		return access_explain(s->who.pid, e);
	}
	return probes_alive(s, e);
}

const struct probes_access *probes_access(struct probes_session *s)
{
	if (s->process)
		probes_explain(s->who.pid, &s->access);
	else
		s->access = (struct probes_access){.can_list = true};
	if (s->read_only)
		s->access.can_switch = false;
	return &s->access;
}
