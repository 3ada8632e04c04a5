/*
 * test.exe: the main program of the demonstration, see gateway.h. It owns the four threads (this
 * one keeps the house), the output and the end. A closed or stuck stdout silences the handlers and
 * stops nothing.
 */
#define _GNU_SOURCE 1 /* pthread_setname_np */
#include "gateway.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sdt.h>
#include <time.h>
#include <unistd.h>

enum {
	VOICE_MS = 400,     /* between two lines of one probe */
	CHORUS_MS = 40,     /* between two lines of any probes */
	PATIENCE_MS = 1500, /* a probe silent for so long need not wait for the others */
};

static atomic_int quiet;
static atomic_long chorus_ms;
static volatile sig_atomic_t ended;

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Whole lines or nothing: writes only where there is room, so that no thread waits for a reader. */
static void put(const char *line, size_t length)
{
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

	if (poll(&out, 1, 0) <= 0)
		return;
	if (out.revents & (POLLERR | POLLNVAL)) {
		atomic_store(&quiet, 1);
		return;
	}
	if (!(out.revents & POLLOUT))
		return;
	if (write(STDOUT_FILENO, line, length) < 0 && errno != EINTR && errno != EAGAIN)
		atomic_store(&quiet, 1);
}

/* Of several threads that come at once, one may speak. */
static int may_speak(struct voice *v)
{
	long now = now_ms();
	long last = atomic_load(&v->last_ms);
	long chorus = atomic_load(&chorus_ms);

	if (last && now - last < VOICE_MS)
		return 0;
	if (now - chorus < CHORUS_MS && last && now - last < PATIENCE_MS)
		return 0;
	if (!atomic_compare_exchange_strong(&v->last_ms, &last, now))
		return 0;
	atomic_store(&chorus_ms, now);
	return 1;
}

void gateway_say(struct voice *v, const char *key1, long x, const char *key2, long y)
{
	char line[256];
	unsigned long silent;
	int n;

	if (atomic_load(&quiet))
		return;
	if (!may_speak(v)) {
		atomic_fetch_add(&v->silent, 1);
		return;
	}
	silent = atomic_exchange(&v->silent, 0);
	if (silent)
		n = snprintf(line, sizeof line, "[%s] %s=%ld %s=%ld (and %lu not shown)\n", v->name,
			key1, x, key2, y, silent);
	else
		n = snprintf(line, sizeof line, "[%s] %s=%ld %s=%ld\n", v->name, key1, x, key2, y);
	put(line, (size_t)n);
}

unsigned gateway_random(unsigned below)
{
	static _Thread_local uint32_t state;

	if (!state)
		state = (uint32_t)(uintptr_t)&state | 1;
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state % below;
}

void gateway_sleep_ms(unsigned ms)
{
	struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};

	while (nanosleep(&t, &t) < 0 && errno == EINTR && !ended)
		;
}

/* One turn of a thread, and the probes that every turn passes; `turn` is a worker's job. */
OCAML_ONCE static void tick(long n, void (*turn)(long))
{
	DTRACE_PROBE1(gateway, tick, n);
	turn(n);
}

OCAML_ONCE static void heartbeat(long n, long threads)
{
	DTRACE_PROBE2(gateway, heartbeat, n, threads);
}

struct worker {
	const char *name;
	void (*turn)(long n);
	unsigned rest_ms;
};

static void *worker_run(void *data)
{
	const struct worker *w = data;

	for (long n = 1; !ended; n++) {
		tick(n, w->turn);
		gateway_sleep_ms(w->rest_ms + gateway_random(w->rest_ms / 2));
	}
	return NULL;
}

static void on_signal(int number)
{
	(void)number;
	ended = 1;
}

/* The workers are born with both signals blocked, so that it is main whose sleep they end. */
static int workers_start(struct worker *workers, size_t count)
{
	struct sigaction act = {.sa_handler = on_signal};
	sigset_t mask, old;

	signal(SIGPIPE, SIG_IGN);
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	sigemptyset(&mask);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGINT);
	pthread_sigmask(SIG_BLOCK, &mask, &old);
	for (size_t i = 0; i < count; i++) {
		pthread_t thread;
		int error = pthread_create(&thread, NULL, worker_run, &workers[i]);

		if (error) {
			fprintf(stderr, "%s: %s\n", workers[i].name, strerror(error));
			return -1;
		}
		pthread_setname_np(thread, workers[i].name);
		pthread_detach(thread);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	static struct worker workers[] = {
		{"sessions", session_turn, 32},
		{"matching", desk_match_turn, 40},
		{"storage", desk_storage_turn, 48},
	};
	char line[64];

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--quiet")) {
			fprintf(stderr, "usage: %s [--quiet]\n", argv[0]);
			return 2;
		}
		atomic_store(&quiet, 1);
	}
	if (workers_start(workers, sizeof workers / sizeof *workers) < 0)
		return 1;
	put(line, (size_t)snprintf(line, sizeof line, "ready %ld\n", (long)getpid()));
	for (long n = 1; !ended; n++) {
		tick(n, desk_upkeep_turn);
		heartbeat(n, 4);
		gateway_sleep_ms(250);
	}
	return 0;
}
