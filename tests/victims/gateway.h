/*
 * What the units of test.exe share. test.exe is the demonstration: an order gateway that does
 * nothing, at a modest pace, with the probes that such a program would have. Its OCaml handlers
 * print a line each, never more than an eye can follow.
 */
#ifndef VICTIM_GATEWAY_H
#define VICTIM_GATEWAY_H

#include "ocaml_probe.h"

#include <stdatomic.h>

/* The output of one probe: when it last printed, and how many hits were kept silent since. */
struct voice {
	const char *name;
	atomic_long last_ms;
	atomic_ulong silent;
};

/* `[name] key1=x key2=y`, or nothing when this probe or all together print too fast. */
void gateway_say(struct voice *v, const char *key1, long x, const char *key2, long y);

/* At file scope: the probe, and a handler that says its two arguments under these keys. */
#define GATEWAY_PROBE(probe, key1, key2)                      \
	OCAML_PROBE_DEFINE(probe);                            \
	OCAML_HANDLER void handle_##probe(long x, long y)     \
	{                                                     \
		static struct voice voice = {.name = #probe}; \
		gateway_say(&voice, key1, x, key2, y);        \
	}                                                     \
	struct gateway_probe_##probe

/* Each thread's own numbers: less than `below`. */
unsigned gateway_random(unsigned below);

void gateway_sleep_ms(unsigned ms);

/* One turn of each of the four threads. */
void session_turn(long n);
void desk_match_turn(long n);
void desk_storage_turn(long n);
void desk_upkeep_turn(long n);

/* Another try of a request, from the desk's side of the gateway. */
void desk_retry(long id);

/* Probes of sys/sdt.h with semaphores. */
void wire_in(long id, long bytes);
void wire_out(long id, long bytes);
void wire_queue(long depth);

#endif
