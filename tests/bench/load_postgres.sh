#!/bin/sh
# A postgres under pgbench (select only), in $BENCH_DIR/postgres. Prints "ready PID". Each line on
# stdin, a number of milliseconds, is answered by its work in about that time: transactions a second, and
# a second of processor time of the backend, whose PID it is. The end of stdin ends it. 77: it is not here.
set -eu
round=200 # transactions of a script
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
server= client=
trap '[ -z "$client" ] || kill "$client"; [ -z "$server" ] || kill -INT "$server"; wait "$shell"; rm -rf "$data" "$data.log"' EXIT
export PGHOST="$data" PGUSER=bench PGDATABASE=postgres
tries=0
until pgbench -i -q -s 1 >>"$data.log" 2>&1; do
	tries=$((tries + 1))
	[ "$tries" -lt 50 ] || exit 1
	sleep 0.2
done

server=$(head -n 1 "$data/db/postmaster.pid")

# A script of pgbench is a number of transactions. Before each it says so, and waits: the same backend
# works for all turns, and rests between them.
mkfifo done go
exec 3<>done 4<>go
cat >meet <<'END'
echo done >done
read -r _ <go
END
{
	echo '\shell sh meet'
	for _ in $(seq "$round"); do
		echo '\set aid random(1, 100000)'
		echo 'SELECT abalance FROM pgbench_accounts WHERE aid = :aid;'
	done
} >script
pgbench -n -c 1 -f script -T 1000000 >"$data.log" 2>&1 &
client=$!
read -r _ <&3
backend=$(pgrep -P "$server" -f '^postgres: bench ')

# ns
used()
{
	cut -d ' ' -f 1 "/proc/$backend/schedstat"
}

echo "ready $backend"
while read -r ms; do
	scripts=$((ms * 10 / round + 1))
	before=$(used)
	begin=$(date +%s%N)
	for _ in $(seq "$scripts"); do
		echo go
	done >&4
	for _ in $(seq "$scripts"); do
		read -r _ <&3
	done
	time=$(($(date +%s%N) - begin))
	used=$(($(used) - before))
	echo "$((scripts * round * 1000000000 / time)) $((scripts * round * 1000000000 / used))"
done
