#!/bin/sh
# Killed sessions that raised the same semaphore, and a process that forks before, between or after them: a repair of
# the process lowers exactly what they raised, in it and in its children, says so once for each, and leaves to a living
# session what is its. What cannot be decided stays as it is, on record, and is no success. The semaphore in memory
# is the proof.
# Does not cover: a child that is forked while a repair writes (unit/test_group.c), counters left by Q (count-owner.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
need_zydis
. "${srcdir:-.}/tests/e2e/counting.sh"

# began: a victim; $where: its semaphore
began()
{
	start counts
	where=$(($(bias "$VICTIMS/counts") + $(notes "$VICTIMS/counts" | awk '$2 == "guarded" { print $4; exit }')))
	child=none
}

# at PID: the semaphore there.   put PID OCTAL
at()
{
	parent=$pid
	pid=$1
	peek "$where" 1
	pid=$parent
}

put()
{
	parent=$pid
	pid=$1
	poke "$where" "$2"
	pid=$parent
}

# raised: a session raises it, by $kind. live: it goes on, $living; dead: it is killed.
raised()
{
	case $kind in
	attach) hold -enable guarded ;;
	count) counting -pid "$pid" -stop guarded ;;
	esac
}

live()
{
	raised
	living=$session
}

dead()
{
	raised
	{
		kill -9 "$session"
		wait "$session"
	} 2>/dev/null
	gone "$session"
}

# fork: a child; $child. The next tick is another one than that of its birth (100 a second).
forks=0
fork()
{
	forks=$((forks + 1))
	forked "child$forks"
	tick=$(cut -d ' ' -f 1 /proc/uptime)
	while [ "$(cut -d ' ' -f 1 /proc/uptime)" = "$tick" ]; do :; done
}

# ends: the session that lives ends.
ends()
{
	kill -TERM "$living"
	wait "$living"
	gone "$living"
}

# repaired STATUS PID PARENT CHILD: a repair, and the semaphores after it.
repaired()
{
	want "$1" repair -no-syslog -pid "$2"
	same "$case: the semaphores after a repair of $2" "$(at "$pid") $(at "$child")" "$3 $4"
}

# whole: nothing is left, and nobody says so.
whole()
{
	repaired 0 "$child" 00 00
	has "$case: nothing more in the child" "pid $child: nothing to repair"
	repaired 0 "$pid" 00 00
	has "$case: nothing more" "pid $pid: nothing to repair"
	same "$case: nothing on record" "$(ls "$PROBES_TUI_RECORDS")" ''
	kill -9 "$child"
	stop
}

# --- what happens, and the semaphore after the repair, in the process and in the child
for kind in attach count; do
	while IFS=: read -r steps wanted; do
		case="$kind, $steps"
		began
		for step in $steps; do
			$step
		done </dev/null
		# shellcheck disable=SC2086 # two words
		repaired 0 "$pid" $wanted
		same "$case: the child is told of once" "$(grep -c "^probes-tui: pid $child: forked child" "$tmp/err")" 1
		same "$case: who raised it is known" "$(grep -c 'still raised' "$tmp/err")" 0
		has "$case: one probe" "pid $pid: undid what sessions? .* left behind: 1 probe"
		has "$case: one probe in the child" "pid $child: forked child: undid what it inherited: 1 probe"
		case $steps in *live*) ends ;; esac
		whole
	done <<END
dead fork:00 00
dead dead fork:00 00
dead dead dead fork:00 00
dead fork dead:00 00
live dead fork:01 01
dead live fork:01 01
live dead dead fork:01 01
dead fork live:01 00
dead fork dead live:01 00
END
done

# --- a child and its child; the child is repaired first; it has ended
for kind in attach count; do
	case="$kind, grandchild"
	began
	dead
	dead
	fork
	mkfifo "$tmp/grand-in" "$tmp/grand-out"
	exec 8>"$tmp/child$forks-in" 9<"$tmp/child$forks-out"
	read -r _ <&9
	echo "fork $tmp/grand-in$tab$tmp/grand-out" >&8
	read -r _ _ grand <&9
	started="$started $grand"
	same "$case: before" "$(at "$grand")" 02
	repaired 0 "$pid" 00 00
	same "$case: the grandchild" "$(at "$grand")" 00
	same "$case: told of once" "$(grep -c "pid $grand: forked child" "$tmp/err")" 1
	kill -9 "$grand"
	rm "$tmp/grand-in" "$tmp/grand-out"
	whole
	exec 8>&- 9<&-

	case="$kind, child first"
	began
	dead
	dead
	fork
	run repair -no-syslog -pid "$child"
	same "$case: its semaphore is not its own affair" "$(at "$pid") $(at "$child")" '02 02'
	repaired 0 "$pid" 00 00
	whole

	case="$kind, child ended"
	began
	dead
	dead
	fork
	kill -9 "$child"
	want 0 repair -no-syslog -pid "$pid"
	same "$case" "$(at "$pid") $(ls "$PROBES_TUI_RECORDS")" '00 '
	same "$case: nothing is said of it" "$(grep -c "$child" "$tmp/err")" 0
	stop
done

# --- the whole tree: the child is also a process of its own, whose jumps are nobody's
for order in tree parent,child child,parent; do
	case="both, $order"
	began
	kind=attach
	dead
	counting -pid "$pid" plain
	{
		kill -9 "$session"
		wait "$session"
	} 2>/dev/null
	gone "$session"
	fork
	same "$case: before" "$(at "$pid") $(at "$child")" '01 01'
	case $order in
	tree) set -- -tree "$pid" ;;
	*child) set -- -pid "$pid,$child" ;;
	*) set -- -pid "$child,$pid" ;;
	esac
	want 0 repair -no-syslog "$@"
	same "$case: the semaphores" "$(at "$pid") $(at "$child")" '00 00'
	has "$case: said" "pid $child: forked child: undid what it inherited: 1 probe"
	whole
done

# --- one session counted both, and the child is older than that: it inherited nothing, and is repaired all the same
case='both counted'
began
fork
exec 8>"$tmp/child$forks-in" 9<"$tmp/child$forks-out"
read -r _ <&9
counting -pid "$pid,$child" -stop guarded
session_says "in process $child"
{
	kill -9 "$session"
	wait "$session"
} 2>/dev/null
gone "$session"
same "$case: before" "$(at "$pid") $(at "$child")" '01 01'
want 0 repair -no-syslog -pid "$pid" -format json
same "$case: the semaphores" "$(at "$pid") $(at "$child")" '00 00'
same "$case: JSON of the one that was named" "$(python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["pid"])' "$tmp/out")" "$pid"
has "$case: said of the parent" "pid $pid: undid what session $session left behind: 1 probe"
# Start times have 10 ms: within one tick, the child may have been born after it.
has "$case: said of the child" "pid $child: (undid what session $session left behind|forked child: undid what it inherited): 1 probe"
whole
exec 8>&- 9<&-

# --- the child has changed its semaphore: what is in doubt stays on record until that is over
for kind in attach count; do
	case="$kind, child raised it"
	began
	dead
	dead
	fork
	put "$child" 3
	repaired 1 "$pid" 00 03
	has "$case: said" "others count there, too: 1 count may or may not include our part"
	same "$case: not that nobody knows" "$(grep -c 'still raised' "$tmp/err")" 0
	for again in 1 2; do
		repaired 1 "$child" 00 03
		has "$case: said of the child, $again" 'guarded: its count is 3, neither 0 nor 2: others count there, too'
		has "$case: what to do, $again" "pid $child: 1 probe could not be repaired now; call repair again"
	done
	want 0 info -pid "$child"
	has "$case: it is still on record" "pid $child: a session .* was interrupted"
	put "$child" 2
	repaired 0 "$child" 00 00
	whole

	case="$kind, child lowered it"
	began
	dead
	dead
	fork
	put "$child" 1
	repaired 0 "$pid" 00 00
	whole

	# Between, somebody who keeps no record raised that of the parent: what the child has may be either's.
	case="$kind, fork, then no record"
	began
	dead
	fork
	attach -quiet -enable guarded
	repaired 1 "$pid" 01 01
	has "$case: said" "others count there, too: 1 count may or may not include our part"
	repaired 0 "$child" 01 00
	attach -quiet -disable guarded
	whole
done

# --- a session that is killed in the middle of a switch, and others count there: its record stays, too (the record is
# that of a child in doubt, of which the last part has shown it); a clean session has removed what a killed one left
kind=count
for probe in plain guarded; do
	began
	counting -pid "$pid" -stop "$probe"
	{
		kill -9 "$session"
		wait "$session"
	} 2>/dev/null
	gone "$session"
	want 0 list -pid "$pid"
	has "$probe: told" "an interrupted session \\(pid $session\\) left [1-3] changes?;"
	want 0 count -no-syslog -max-overhead 0 -pid "$pid" -stop -for 50ms "$probe"
	want 0 list -pid "$pid"
	case $probe in
	plain) same "$probe: no longer told" "$(grep -c interrupted "$tmp/err")" 0 ;;
	guarded) has "$probe: the semaphore is left" "an interrupted session \\(pid $session\\) left 1 change;" ;;
	esac
	want 0 repair -no-syslog -pid "$pid"
	want 0 repair -no-syslog -pid "$pid"
	has "$probe: nothing more" 'nothing to repair'
	stop
done
finish
