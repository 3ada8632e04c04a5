#!/bin/sh
# latency on a postgres under pgbench: the queries that it finds are those that pgbench made, and take as long as
# pgbench says of each, but for the way between the two. Backends are born meanwhile, by fork.
# Does not cover: short queries, of which that way is the larger part.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
need_zydis
command -v python3 >/dev/null || skip 'no python3'
for tool in initdb postgres pgbench; do
	ls /usr/lib/postgresql/*/bin/$tool >/dev/null 2>&1 || command -v $tool >/dev/null || skip "no $tool"
done
[ "$(id -u)" != 0 ] || setpriv --reuid postgres --regid postgres --clear-groups true 2>/dev/null ||
	skip 'may not run a program as postgres'
here=$(cd "${srcdir:-.}" && pwd)
user=latency server=

# Whether both sites can be counted depends on where the kernel has put it: another one then.
tries=0
until grep -q 'count 2 of 2 sites' "$tmp/err" 2>/dev/null; do
	[ -z "$server" ] || { stop_postgres >/dev/null 2>&1; rm -f "$data.log"; }
	tries=$((tries + 1))
	[ "$tries" -le 8 ] || skip 'query__start and query__done cannot be counted in this postgres'
	. "$here/tests/postgres.sh"
	trap 'stop_postgres >/dev/null 2>&1; rm -f "$data.log"; cleanup' EXIT
	readlink "/proc/$server/exe" >/dev/null || skip 'the executable of somebody else cannot be opened'
	readelf -n "/proc/$server/exe" 2>/dev/null | grep -q query__done || skip 'this postgres was built without probes'
	run count -dry-run -no-syslog -stop -pid "$server" query__start,query__done
	[ "$status" != 4 ] || skip "may not trace postgres: $(head -n 1 "$tmp/err")"
done

env --default-signal=INT "$PROBES_TUI" latency -no-syslog -stop -max-overhead 0 -format json -pid "$server" \
	query__start,query__done >"$tmp/result" 2>"$tmp/held" </dev/null &
session=$!
started="$started $session"
session_says 'measuring postgresql:query__start'
echo 'select pg_sleep(0.05);' >"$data/sleep.sql"
pgbench -n -c 2 -t 50 -f "$data/sleep.sql" -l --log-prefix="$data/each" >"$data/said" 2>&1
same 'pgbench: exit status' $? 0
interrupted
# A median does not move when the machine is busy for a moment; ours is off by at most an eighth.
checks=$((checks + 1))
python3 - "$tmp/result" "$data"/each.* <<'END' || fail "not as pgbench says: $(cat "$data/said")"
import json, sys
t = [json.loads(line) for line in open(sys.argv[1])][-1]
each = sorted(int(line.split()[2]) for name in sys.argv[2:] for line in open(name))
median = each[len(each) // 2] * 1000
print("pgbench: %d queries, median %.3f ms, mean %.3f ms; latency: %d, %.3f ms, %.3f ms" % (len(each),
    median / 1e6, sum(each) / len(each) / 1e3, t["matched"], t["p50_ns"] / 1e6, t["mean_ns"] / 1e6))
sys.exit(not (len(each) == 100 and 100 <= t["matched"] <= 110 and t["lost"] == 0 and
    median * 0.8 <= t["p50_ns"] <= median * 1.125 and t["mean_ns"] <= sum(each) / len(each) * 1000 * 1.05))
END
finish
