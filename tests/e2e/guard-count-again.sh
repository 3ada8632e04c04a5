#!/bin/sh
# What one session has mapped into a process, the next ones use again: events, latency and count in turn, with and
# without -stop, on a parent and its forked children, some born between the sessions. From the second turn on none of
# them has a mapping more than before, and their hits are counted.
# Does not cover: libraries that come and go, and more counters than sessions read (unit/test_arena.c).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
need_zydis

# mappings: how many each process has
mappings()
{
	for one in $pid $children; do
		echo "$one $(wc -l <"/proc/$one/maps")"
	done
}

# forks COUNT: they wait, all at the same pair of fifos.
forks()
{
	for _ in $(seq "$1"); do
		ask "fork $tmp/child-in${tab}$tmp/child-out"
		child=$(sed -n 's/^done forked //p' "$tmp/answer")
		children="$children $child"
		started="$started $child"
	done
}

# The sites of each measurement differ from those of the others.
turn()
{
	run events -no-syslog -tree "$pid" -for 1ms -quiet plain
	run latency -no-syslog -tree "$pid" -for 1ms -stop guarded,never
	run count -no-syslog -tree "$pid" -for 1ms -stop
	same "all are counted, turn $1" "$(grep -c 'counting [1-9]' "$tmp/err") $status" "$((1 + $(echo "$children" | wc -w))) 0"
}

start counts
children=
mkfifo "$tmp/child-in" "$tmp/child-out"
exec 8<>"$tmp/child-in" 9<>"$tmp/child-out"
forks 5
turn 1
forks 5
turn 2
mappings >"$tmp/second"
for n in 3; do
	turn "$n"
	mappings >"$tmp/now"
	same "mappings after turn $n" "$(cat "$tmp/now")" "$(cat "$tmp/second")"
done
finish
