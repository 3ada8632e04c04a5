/*
 * The public calls that open and list. Composes the rooms below; holds no
 * rule of its own about notes, bytes or memory.
 */
#include "session/session.h"

#include "base/error.h"
#include "probe/select.h"
#include "process/access.h"
#include "process/descriptors.h"
#include "process/image.h"
#include "process/privilege.h"
#include "process/start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SESSION_THREADS 50 /* that may end while we read through them */

/* ---- opening ---- */

static struct probes_session *session_new(
	const struct probes_options *options, struct probes_error *e)
{
	struct probes_session *s = calloc(1, sizeof *s);

	if (!s) {
		error_memory(e, "a session");
		return NULL;
	}
	s->who = (struct identity){.pidfd = -1, .proc = -1, .task = -1};
	s->memory.fd = -1;
	s->journal.fd = -1;
	s->pagemap = -1;
	s->terms = (struct object_terms){.budget = &s->budget};
	catalog_init(&s->catalog);
	if (options) {
		s->read_only = options->read_only;
		s->lasting = options->lasting;
		s->log = (struct log){options->log, options->log_data};
	}
	return s;
}

static int session_add(struct probes_session *s, const struct probes_object *info,
	const struct maps_location *location, struct object *file, const char *why,
	struct probes_error *e)
{
	size_t left_out = file ? file->note_left_out : 0;
	struct object_probes *h;
	int r;

	if (!budget_take(&s->budget, sizeof *h + strlen(info->path))) {
		object_free(file);
		error_set(e, PROBES_FAILED, -E2BIG, "cannot keep %s", info->path);
		return error_why(e, "the mapped files of the open processes exceed what probes-tui "
				    "keeps (192 MiB a process, 256 MiB in all)");
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

/* The protection of memory may have changed, and the kernel lets us write even to read-only memory.
 */
static void session_check_writable(struct probes_session *s, const struct array *ranges)
{
	bool changed = false;

	for (size_t i = 0; ranges->count && i < s->catalog.objects.count; i++)
		changed |= object_probes_check_writable(catalog_object(&s->catalog, i), ranges);
	s->changes += changed;
	/* The next read evaluates these probes again. */
	s->all.fresh = s->all.fresh || changed;
}

int session_add_image(struct probes_session *s, struct image *image, struct probes_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < image->objects.count; i++) {
		struct image_object *o = ARRAY_AT(&image->objects, struct image_object, i);
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
		session_check_writable(s, &image->writable);
	return r;
}

/* All that is read at first is read through one thread: should that end meanwhile, another one. */
int session_take_hold(
	struct probes_session *s, pid_t pid, struct image *image, struct probes_error *e)
{
	for (int tries = 0;; tries++) {
		int r = identity_open(&s->who, pid, e);

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

static int session_open_process(struct probes_session *s, pid_t pid, struct probes_error *e)
{
	struct image image = {.terms = &s->terms};
	int r = session_take_hold(s, pid, &image, e);

	if (r < 0)
		return r;
	s->process = true;
	s->verify_again = session_look_again;
	s->path = strdup(ARRAY_AT(&image.objects, struct image_object, 0)->path);
	r = s->path ? session_add_image(s, &image, e) : error_memory(e, "a session");
	image_done(&image);
	budget_trim(&s->budget);
	/* What was read belongs together only if it still is the same program. */
	if (r == 0 && identity_execed(&s->who))
		return identity_gone(&s->who, e);
	return r ? r : probes_alive(s, e);
}

static int session_finish(struct probes_session *s, int r, struct probes_session **session)
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
	return s ? session_finish(s, session_open_process(s, pid, e), session) : e->code;
}

static int session_open_path(struct probes_session *s, const char *path, struct probes_error *e)
{
	struct probes_object info = {.path = path, .executable = true};
	int spare = descriptors_spare(0), fd, r;
	struct object *file;
	struct stat st;

	if (spare < 0)
		return error_set(e, PROBES_FAILED, spare, "cannot open %s", path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		error_set(e, errno == EACCES ? PROBES_DENIED : PROBES_NO_TARGET, -errno,
			"cannot open %s", path);
		return error_hint(e, "name a file that exists and that you may read");
	}
	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
		close(fd);
		error_set(e, PROBES_NO_TARGET, -ENOEXEC, "cannot read %s", path);
		error_why(e, "it is no regular file");
		return error_hint(e, "name a program or a shared library");
	}
	r = object_read_on(fd, path, &s->terms, &file, e);
	if (r < 0)
		return r;
	s->path = strdup(path);
	if (!s->path) {
		object_free(file);
		return error_memory(e, "a session");
	}
	r = session_add(s, &info, NULL, file, "", e);
	budget_trim(&s->budget);
	return r;
}

int probes_open_file(const char *path, const struct probes_options *options,
	struct probes_session **session, struct probes_error *e)
{
	struct probes_session *s = session_new(options, e);

	*session = NULL;
	return s ? session_finish(s, session_open_path(s, path, e), session) : e->code;
}

/* Report, before the program begins, that it runs with other rights than without a tracer. */
static void session_say_privilege(const struct probes_session *s, const char *file)
{
	const char *slash = strrchr(file, '/');
	struct privilege_facts facts;
	char lost[300];

	if (privilege_gather(&s->who, &facts) && privilege_lost(&facts, lost, sizeof lost))
		log_say(&s->log, PROBES_LOG_NOTICE, "%.80s %s", slash ? slash + 1 : file, lost);
}

int probes_start(const struct probes_program *program, const struct probes_options *options,
	struct probes_session **session, struct probes_error *e)
{
	struct probes_session *s = session_new(options, e);
	pid_t pid;
	int r;

	*session = NULL;
	if (!s)
		return e->code;
	r = start_hold(program, &pid, e);
	if (r == 0) {
		r = session_open_process(s, pid, e);
		if (r == 0)
			session_say_privilege(s, program->file);
		else if (e->status == PROBES_DENIED) /* the program has ended: no pid for a hint */
			error_hint(e, "start it by itself and attach as root");
		s->held = true;
		s->who.pid = pid;
	}
	return session_finish(s, r, session);
}

int probes_resume(struct probes_session *s, struct probes_error *e)
{
	if (!s->held)
		return 0;
	s->held = false;
	return start_resume(s->who.pid, e);
}

void probes_close(struct probes_session *s)
{
	if (!s)
		return;
	if (s->held)
		start_kill(s->who.pid);
	if (s->all_ready)
		reader_done(&s->all);
	/* Of a process that has ended nothing is owed. */
	if (s->keep_journal && identity_alive(&s->who) && memory_alive(&s->memory))
		journal_leave(&s->journal);
	else
		journal_remove(&s->journal);
	catalog_done(&s->catalog);
	budget_done(&s->budget);
	memory_close(&s->memory);
	if (s->pagemap >= 0)
		close(s->pagemap);
	identity_close(&s->who);
	free(s->path);
	free(s);
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

int probes_alive(struct probes_session *s, struct probes_error *e)
{
	if (!s->process || (identity_alive(&s->who) && memory_alive(&s->memory)))
		return 0;
	return identity_gone(&s->who, e);
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

size_t probes_object_count(const struct probes_session *s)
{
	return s->catalog.objects.count;
}

const struct probes_object *probes_object_at(const struct probes_session *s, size_t index)
{
	return &catalog_object(&s->catalog, index)->info;
}

size_t probes_count(const struct probes_session *s)
{
	return s->catalog.probe_count;
}

const struct probes_probe *probes_at(const struct probes_session *s, size_t index)
{
	return catalog_probe(&s->catalog, index);
}

const struct probes_live *probes_live_at(const struct probes_session *s, size_t index)
{
	size_t local;
	const struct object_probes *h = catalog_find(&s->catalog, index, &local);

	return &h->live[local];
}

const struct probes_site_live *probes_site_live_at(
	const struct probes_session *s, size_t probe, size_t site)
{
	static const struct probes_site_live unknown;
	size_t local;
	const struct object_probes *h = catalog_find(&s->catalog, probe, &local);

	return s->process ? &h->site_live[object_probes_site(h, &h->probes[local]) + site]
			  : &unknown;
}

uint32_t probes_semaphore_live_at(const struct probes_session *s, size_t probe, size_t semaphore)
{
	size_t local;
	const struct object_probes *h = catalog_find(&s->catalog, probe, &local);

	return s->process ? h->values[object_probes_semaphore(h, &h->probes[local]) + semaphore]
			  : PROBES_NONE;
}

int probes_find(const struct probes_session *s, enum probes_by by, const char *text,
	const struct probes_switch_options *options, size_t **indices, size_t *count,
	struct probes_error *e)
{
	struct array found;
	int r;

	array_init(&found, sizeof(size_t));
	r = select_text(&s->catalog, by, text, options, &found, e);
	*count = r == 0 ? found.count : 0;
	*indices = r == 0 ? array_take(&found) : NULL;
	array_done(&found);
	return r;
}
