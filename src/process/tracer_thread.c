/* One thread, one call at a time; an eventfd says that it has returned. */
#include "process/tracer_thread.h"

#include "base/now.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

struct tracer_thread {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t asked;
	int (*work)(void *data, struct probes_error *e); /* NULL: nothing to do */
	void *data;
	struct probes_error *e;
	int result;
	int done; /* eventfd */
	bool quit;
};

/* AddressSanitizer does not notice that a cancelled thread leaves its frames: they stay poisoned.
 */
static void tracer_thread_cancelled(void *data)
{
#ifdef __SANITIZE_ADDRESS__
	pthread_attr_t attributes;
	void *stack;
	size_t size;

	if (pthread_getattr_np(pthread_self(), &attributes))
		return;
	if (!pthread_attr_getstack(&attributes, &stack, &size))
		ASAN_UNPOISON_MEMORY_REGION(stack, size);
	pthread_attr_destroy(&attributes);
#endif
}

static void *tracer_thread_main(void *data)
{
	struct tracer_thread *t = data;

	tracer_thread_must_stay();
	pthread_cleanup_push(tracer_thread_cancelled, NULL);
	pthread_mutex_lock(&t->lock);
	while (!t->quit) {
		if (!t->work) {
			pthread_cond_wait(&t->asked, &t->lock);
			continue;
		}
		pthread_mutex_unlock(&t->lock);
		t->result = t->work(t->data, t->e);
		pthread_mutex_lock(&t->lock);
		t->work = NULL;
		eventfd_write(t->done, 1);
	}
	pthread_mutex_unlock(&t->lock);
	pthread_cleanup_pop(0);
	return NULL;
}

int tracer_thread_new(struct tracer_thread **thread)
{
	struct tracer_thread *t = calloc(1, sizeof *t);
	sigset_t all, before;
	int r;

	*thread = NULL;
	if (!t)
		return -ENOMEM;
	t->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (t->done < 0) {
		r = -errno;
		free(t);
		return r;
	}
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->asked, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&t->thread, NULL, tracer_thread_main, t);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r) {
		close(t->done);
		free(t);
		return -r;
	}
	*thread = t;
	return 0;
}

void tracer_thread_begin(struct tracer_thread *t, int (*work)(void *data, struct probes_error *e),
	void *data, struct probes_error *e)
{
	pthread_mutex_lock(&t->lock);
	t->work = work;
	t->data = data;
	t->e = e;
	pthread_cond_signal(&t->asked);
	pthread_mutex_unlock(&t->lock);
}

bool tracer_thread_done(struct tracer_thread *t, int ms, int *result)
{
	int64_t end = (int64_t)now_ms() + ms, left = ms;
	struct pollfd p = {.fd = t->done, .events = POLLIN};
	eventfd_t count;

	while (poll(&p, 1, ms < 0 ? -1 : (int)left) < 0 && errno == EINTR)
		if (ms >= 0 && (left = end - (int64_t)now_ms()) < 0)
			left = 0;
	if (eventfd_read(t->done, &count) < 0)
		return false;
	pthread_mutex_lock(&t->lock);
	*result = t->result;
	pthread_mutex_unlock(&t->lock);
	return true;
}

int tracer_thread_fd(const struct tracer_thread *t)
{
	return t->done;
}

int tracer_thread_call(struct tracer_thread *t, int (*work)(void *data, struct probes_error *e),
	void *data, struct probes_error *e)
{
	int result = 0;

	tracer_thread_begin(t, work, data, e);
	while (!tracer_thread_done(t, -1, &result))
		;
	return result;
}

void tracer_thread_may_exit(void)
{
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
}

void tracer_thread_must_stay(void)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
}

void tracer_thread_free(struct tracer_thread *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->quit = true;
	pthread_cond_signal(&t->asked);
	pthread_mutex_unlock(&t->lock);
	pthread_cancel(t->thread);
	pthread_join(t->thread, NULL);
	close(t->done);
	pthread_cond_destroy(&t->asked);
	pthread_mutex_destroy(&t->lock);
	free(t);
}
