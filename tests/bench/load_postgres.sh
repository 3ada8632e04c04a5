#!/bin/sh
# A postgres under pgbench (select only), in $BENCH_DIR/postgres. Prints "ready PID". Each line on
# stdin, a number of milliseconds, is answered by its work in about that time: transactions a second, and
# a second of processor time of the backends. The end of stdin ends it. 77: it is not here.
set -eu
: "${BENCH_DIR:?}"
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
export PATH="$PATH:${bin:-/usr/lib/postgresql/bin}"
for tool in initdb postgres pgbench; do
	command -v "$tool" >/dev/null || exit 77
done
data=$(mktemp -d /tmp/bench-postgres.XXXXXX)
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
as initdb -D "$data/db" -A trust -U bench >"$data.log" 2>&1
as postgres -D "$data/db" -k "$data" -h '' >>"$data.log" 2>&1 &
shell=$!
server=
trap '[ -z "$server" ] || kill -INT "$server"; wait "$shell"; rm -rf "$data" "$data.log"' EXIT
export PGHOST="$data" PGUSER=bench PGDATABASE=postgres
tries=0
until pgbench -i -q -s 1 >>"$data.log" 2>&1; do
	tries=$((tries + 1))
	[ "$tries" -lt 50 ] || exit 1
	sleep 0.2
done

server=$(head -n 1 "$data/db/postmaster.pid")

# Ticks of the children that postgres has waited for.
used()
{
	sed 's/.*) //' "/proc/$server/stat" | cut -d ' ' -f 14,15 | tr ' ' + | sed 's/.*/echo $((&))/' | sh
}

echo "ready $server"
while read -r ms; do
	before=$(used)
	pgbench -n -S -c 2 -j 1 -t "$((ms * 4))" >"$data.log" 2>&1 || exit 1
	sleep 0.05 # the backends end
	after=$(used)
	awk -v ticks="$((after - before))" -v hz="$(getconf CLK_TCK)" '
		/number of transactions actually/ { n = $NF; sub("/.*", "", n) }
		/^tps/ { tps = $3 }
		END { printf "%.0f %.0f\n", tps, n * hz / (ticks ? ticks : 1) }' "$data.log"
done
