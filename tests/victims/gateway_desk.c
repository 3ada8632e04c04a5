/*
 * The market's side of test.exe, see gateway.h: matching, storage and the upkeep of the process;
 * one probe by semaphore alone, and one that is never hit.
 */
#include "gateway.h"

GATEWAY_PROBE(match_start, "book", "orders");
GATEWAY_PROBE(match_end, "book", "fills");
GATEWAY_PROBE(fill_send, "book", "quantity");
GATEWAY_PROBE(quote_update, "book", "price");
GATEWAY_PROBE(db_query__entry, "table", "rows");
GATEWAY_PROBE(db_query__return, "table", "took_ms");
GATEWAY_PROBE(gc_begin, "number", "heap_kb");
GATEWAY_PROBE(gc_end, "number", "freed_kb");
GATEWAY_PROBE(config_reload, "version", "keys");
GATEWAY_PROBE(engine_panic, "code", "thread");

OCAML_HANDLER void handle_req_retry(long x, long y);
OCAML_PROBE_DEFINE(req_retry);
OCAML_SEMAPHORE_DEFINE(audit_trail);

OCAML_ONCE void desk_retry(long id)
{
	OCAML_PROBE_HIT(req_retry, id, 4);
}

OCAML_ONCE void desk_match_turn(long n)
{
	long book = n % 12;
	long fills = gateway_random(4);

	OCAML_PROBE_HIT(quote_update, book, 10000 + gateway_random(500));
	OCAML_PROBE_HIT(match_start, book, 2 + gateway_random(30));
	gateway_sleep_ms(1);
	for (long i = 0; i < fills; i++)
		OCAML_PROBE_HIT(fill_send, book, 100 * (i + 1));
	OCAML_PROBE_HIT(match_end, book, fills);
	/* Never true, and gcc cannot know. */
	if (n < 0)
		OCAML_PROBE_HIT(engine_panic, n, 0);
}

OCAML_ONCE void desk_storage_turn(long n)
{
	static struct voice audit = {.name = "audit_trail"};
	long table = n % 5;
	unsigned ms = 2 + gateway_random(12);

	OCAML_PROBE_HIT(db_query__entry, table, 1 + gateway_random(50));
	gateway_sleep_ms(ms);
	OCAML_PROBE_HIT(db_query__return, table, ms);
	wire_queue(gateway_random(20));
	if (OCAML_PROBE_IS_ENABLED(audit_trail))
		gateway_say(&audit, "table", table, "turn", n);
}

OCAML_ONCE void desk_upkeep_turn(long n)
{
	OCAML_PROBE_HIT(gc_begin, n, 4096 + gateway_random(1024));
	gateway_sleep_ms(2 + gateway_random(3));
	OCAML_PROBE_HIT(gc_end, n, gateway_random(1024));
	if (n % 40 == 20)
		OCAML_PROBE_HIT(config_reload, n / 40 + 1, 31);
}
