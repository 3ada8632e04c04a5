#!/bin/sh
# Children come and go: the screen closes what it had opened of those that have ended; and where it has
# too few descriptors to hold all children that counters were copied to, it undoes them one by one.
# Does not cover: children born continuously (tui-births.sh, stress/births.sh).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
mkfifo "$tmp/cin" "$tmp/cout"
exec 5<>"$tmp/cin" 6<>"$tmp/cout"

# children N: the victim forks; they share two fifos.
children()
{
	for _ in $(seq "$1"); do
		echo "fork $tmp/cin$tab$tmp/cout" >&3
		read -r word child <&6
		same 'first word of a child' "$word" ready
		started="$started $child"
		all="$all $child"
		read_answer 4
	done
}

end_children()
{
	for child in $all; do
		kill -KILL "$child"
	done
	all=
}

descriptors()
{
	ls "/proc/$(ours)/fd" | wc -l | tr -d ' '
}

all=
start sdt_plain
terminal 100 24
type_command "'$PROBES_TUI' -no-syslog -tree $pid -refresh 0.2 -count -stop"
wait_for '^[> ] counted '
before=$(descriptors)
for _ in 1 2; do
	children 3
	wait_for '^ .*  4 processes '
	end_children
	wait_for '^ .*  1 process '
	wait_until "$before" descriptors
done
keys q
wait_for '^status=0$'
stop

start sdt_plain
type_command "(ulimit -n 30; exec '$PROBES_TUI' -no-syslog -pid $pid -refresh 60 -count -stop)"
wait_for '^[> ] counted '
children 12
keys q
wait_for '^status=0$'
# How many of the sites a jump can reach depends on the addresses that the program got.
seen 'it is said' "undid this session's changes: [0-9]+ sites.* undone in 12 forked children: 84 probes"
for child in $all; do
	"$PROBES_TUI" repair -pid "$child" >"$tmp/repaired" 2>&1
	has "child $child is as it was" 'nothing to repair' "$tmp/repaired"
done
end_children
stop
finish
