/*
 * The clients' side of test.exe, see gateway.h: connections, and the way of one request through
 * risk check, cache and order book, as one thread of a real gateway would walk it.
 */
#include "gateway.h"

GATEWAY_PROBE(conn_open, "client", "port");
GATEWAY_PROBE(conn_close, "client", "requests");
GATEWAY_PROBE(req_start, "id", "client");
GATEWAY_PROBE(req_done, "id", "status");
GATEWAY_PROBE(req_retry, "id", "reason");
GATEWAY_PROBE(req_abort, "id", "client");
GATEWAY_PROBE(risk_check_begin, "id", "limit");
GATEWAY_PROBE(risk_check_end, "id", "verdict");
GATEWAY_PROBE(cache_hit, "key", "age_ms");
GATEWAY_PROBE(cache_miss, "key", "size");
GATEWAY_PROBE(order_accept, "id", "quantity");
GATEWAY_PROBE(order_reject, "id", "code");
GATEWAY_PROBE(order_cancel, "id", "rest");
GATEWAY_PROBE(throttle_hit, "client", "rate");

enum { CLIENT_REQUESTS = 200 };

OCAML_ONCE static void connection(long n, long client)
{
	if (n % CLIENT_REQUESTS == 1)
		OCAML_PROBE_HIT(conn_open, client, 40000 + client);
	if (n % CLIENT_REQUESTS == 0)
		OCAML_PROBE_HIT(conn_close, client, CLIENT_REQUESTS);
	if (gateway_random(150) == 0)
		OCAML_PROBE_HIT(throttle_hit, client, 25);
}

OCAML_ONCE static long risk_check(long id)
{
	long verdict = gateway_random(30) != 0;

	OCAML_PROBE_HIT(risk_check_begin, id, 1000000);
	gateway_sleep_ms(1 + gateway_random(2));
	OCAML_PROBE_HIT(risk_check_end, id, verdict);
	return verdict;
}

OCAML_ONCE static void look_up(long id)
{
	long key = id % 97;

	if (gateway_random(5))
		OCAML_PROBE_HIT(cache_hit, key, gateway_random(900));
	else
		OCAML_PROBE_HIT(cache_miss, key, 64 + gateway_random(2000));
}

/* Three of the four sites of req_retry; the fourth is the desk's. */
OCAML_ONCE static void retry(long id)
{
	switch (gateway_random(60)) {
	case 0:
		OCAML_PROBE_HIT(req_retry, id, 1);
		break;
	case 1:
		OCAML_PROBE_HIT(req_retry, id, 2);
		break;
	case 2:
		OCAML_PROBE_HIT(req_retry, id, 3);
		break;
	case 3:
		desk_retry(id);
		break;
	default:
		break;
	}
}

OCAML_ONCE static long place_order(long id, long verdict)
{
	if (!verdict) {
		OCAML_PROBE_HIT(order_reject, id, 17);
		return 1;
	}
	OCAML_PROBE_HIT(order_accept, id, 100 * (1 + gateway_random(9)));
	if (gateway_random(12) == 0)
		OCAML_PROBE_HIT(order_cancel, id, gateway_random(100));
	return 0;
}

OCAML_ONCE void session_turn(long n)
{
	long id = 100000 + n;
	long client = 1 + n / CLIENT_REQUESTS % 40;
	long status;

	connection(n, client);
	wire_in(id, 120 + gateway_random(80));
	OCAML_PROBE_HIT(req_start, id, client);
	retry(id);
	look_up(id);
	status = place_order(id, risk_check(id));
	if (gateway_random(250) == 0)
		OCAML_PROBE_HIT(req_abort, id, client);
	OCAML_PROBE_HIT(req_done, id, status);
	wire_out(id, 60 + gateway_random(40));
}
