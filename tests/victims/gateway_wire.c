/*
 * The network's side of test.exe, see gateway.h: probes of sys/sdt.h guarded by semaphores, which
 * also print while theirs is raised. The definition below makes every probe of a unit want one, so
 * those without live in gateway.c.
 */
#define _SDT_HAS_SEMAPHORES 1
#include "gateway.h"

#include <sys/sdt.h>

#define SEMAPHORE __attribute__((section(".probes"), used)) static volatile unsigned short

SEMAPHORE gateway_packet__in_semaphore;
SEMAPHORE gateway_packet__out_semaphore;
SEMAPHORE gateway_queue__depth_semaphore;

OCAML_ONCE void wire_in(long id, long bytes)
{
	static struct voice voice = {.name = "packet__in"};

	if (!gateway_packet__in_semaphore)
		return;
	DTRACE_PROBE2(gateway, packet__in, id, bytes);
	gateway_say(&voice, "id", id, "bytes", bytes);
}

OCAML_ONCE void wire_out(long id, long bytes)
{
	static struct voice voice = {.name = "packet__out"};

	if (!gateway_packet__out_semaphore)
		return;
	DTRACE_PROBE2(gateway, packet__out, id, bytes);
	gateway_say(&voice, "id", id, "bytes", bytes);
}

OCAML_ONCE void wire_queue(long depth)
{
	static struct voice voice = {.name = "queue__depth"};

	if (!gateway_queue__depth_semaphore)
		return;
	DTRACE_PROBE1(gateway, queue__depth, depth);
	gateway_say(&voice, "depth", depth, "limit", 512);
}
