#!/bin/sh
# A postgres under pgbench (select only). Prints "ready PID". Each line on
# stdin, a number of milliseconds, is answered by its work in about that time: transactions a second, and
# a second of processor time of the backend, whose PID it is. The end of stdin ends it. 77: it is not here.
set -eu
round=200 # transactions of a script
user=bench
. "$(dirname "$0")/../postgres.sh"
client=
trap '[ -z "$client" ] || kill "$client"; stop_postgres; rm -f "$data.log"' EXIT

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
