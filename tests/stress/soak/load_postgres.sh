#!/bin/sh
# A load for soak.sh: a postgres of its own. Each line N on stdin is N transactions of each of two
# pgbench clients; the answer is twice N, and 0: the transactions that failed. 77: it is not here.
set -eu
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
export PATH="$PATH:${bin:-/usr/lib/postgresql/bin}"
for tool in initdb postgres pgbench; do
	command -v "$tool" >/dev/null || exit 77
done
data=$(mktemp -d /tmp/soak-postgres.XXXXXX)
as()
{
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid postgres --regid postgres --clear-groups -- "$@"
	else
		"$@"
	fi
}
[ "$(id -u)" != 0 ] || chown postgres "$data"
cd "$data"
as initdb -D "$data/db" -A trust -U soak >"$data.log" 2>&1
as postgres -D "$data/db" -k "$data" -h '' >>"$data.log" 2>&1 &
shell=$!
server=
trap '[ -z "$server" ] || kill -INT "$server"; wait "$shell"; rm -rf "$data" "$data.said"' EXIT
export PGHOST="$data" PGUSER=soak PGDATABASE=postgres
tries=0
until pgbench -i -q -s 1 >>"$data.log" 2>&1; do
	tries=$((tries + 1))
	[ "$tries" -lt 50 ] || exit 1
	sleep 0.2
done
server=$(head -n 1 "$data/db/postmaster.pid")

echo "ready $server 1500"
while read -r count; do
	pgbench -n -S -c 2 -j 1 -t "$count" >"$data.said" 2>&1 || cat "$data.said" >&2
	sed -n 's/^number of failed transactions: \([0-9]*\).*/failed \1/p
		s/^number of transactions actually processed: \([0-9]*\).*/done \1/p' "$data.said" |
		awk '/done/ { done = $2 } /failed/ { failed = $2 } END { print done + 0, failed + 0 }'
done
if grep -E 'PANIC|was terminated by signal|server process .* exited with' "$data.log" >&2; then
	exit 1
fi
rm -f "$data.log"
