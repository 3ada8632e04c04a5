/* See session_world.h. */
#include "session_world.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void session_hear(void *data, enum probes_log_level level, const char *text)
{
	if (level == PROBES_LOG_NOTICE)
		strncat(data, text, 500 - strlen(data));
}

void session_begin(struct session_world *x, const char *setup)
{
	struct probes_error e;
	struct object_probes *h;

	*x = (struct session_world){.runtime = "/tmp/unit-session-XXXXXX"};
	ck_assert_ptr_nonnull(mkdtemp(x->runtime));
	snprintf(x->records, sizeof x->records, "%s/probes-tui", x->runtime);
	ck_assert_int_eq(setenv("PROBES_TUI_RECORDS", x->records, 1), 0);
	world_of(&x->w, script_notes, script_note_count);
	script_setup(&x->w, setup);
	/* What was read to set it up is not known to the session. */
	h = catalog_object(&x->w.catalog, 0);
	for (size_t i = 0; i < h->semaphore_count; i++)
		h->values[i] = PROBES_NONE;
	memset(h->site_live, 0, h->site_count * sizeof *h->site_live);
	x->s.process = true;
	x->s.catalog = x->w.catalog;
	x->s.memory = x->w.fake.memory;
	x->s.memory.fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	x->s.journal.fd = -1;
	x->s.pagemap = -1;
	x->s.undone = ARRAY_OF(struct journal);
	x->s.log = (struct log){session_hear, x->said};
	ck_assert_int_eq(identity_open(&x->s.who, getpid(), &e), 0);
	x->before = fake_snapshot(&x->w.fake);
	fake_reset(&x->w.fake);
}

void session_end(struct session_world *x)
{
	journal_remove(&x->s.journal);
	rmdir(x->records);
	rmdir(x->runtime);
	if (x->s.all_ready)
		reader_done(&x->s.all);
	for (size_t i = 0; i < x->s.catalog.objects.count; i++)
		ownership_end(catalog_object(&x->s.catalog, i));
	threads_done(&x->s.threads);
	array_done(&x->s.unproven);
	array_done(&x->s.history);
	journals_swept(&(struct probes_session *){&x->s}, 1, true);
	array_done(&x->s.undone);
	identity_close(&x->s.who);
	close(x->s.memory.fd);
	budget_done(&x->s.budget);
	if (x->s.pagemap >= 0)
		close(x->s.pagemap);
	free(x->before);
	world_end(&x->w);
}

int session_do(struct session_world *x, enum probes_verb verb, const char *name,
	const struct probes_switch_options *o, struct probes_result **result,
	struct probes_error *e)
{
	const struct probes_action a = {.verb = verb, .by = PROBES_BY_NAME, .text = name};

	return probes_switch(&x->s, &a, 1, o, result, e);
}

void session_must(struct session_world *x, enum probes_verb verb, const char *name)
{
	struct probes_result *r = NULL;
	struct probes_error e = {0};

	ck_assert_msg(session_do(x, verb, name, NULL, &r, &e) == 0, "%s: %s", e.what, e.why);
	ck_assert_uint_eq(r->done, 1);
	probes_result_free(r);
}

void session_must_restore(struct session_world *x)
{
	struct probes_result *r = NULL;
	struct probes_error e = {0};

	ck_assert_msg(probes_restore(&x->s, &r, &e) == 0, "%s: %s", e.what, e.why);
	probes_result_free(r);
}

bool session_as_found(const struct session_world *x)
{
	return fake_same(&x->w.fake, x->before);
}

void session_leave_record(const struct session_world *x, uint64_t count, enum journal_kind kind,
	unsigned old, unsigned new_)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct journal_key key = {.target = x->s.who.pid,
			.target_start = x->s.who.start_time,
			.target_program = x->s.who.program,
			.owner = getpid(),
			.owner_start = 1};
		struct probes_edit edit = edit_semaphore(WORLD_BIAS + WORLD_DATA(count), old, new_);
		const struct array edits = {.data = &edit, .count = 1, .size = sizeof edit};
		struct journal j;

		journal_here(&key);
		_exit(journal_open(&j, &key) < 0 || journal_record(&j, kind, &edits, NULL) < 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
