#!/bin/sh
# Forked children in which attach -for cannot undo its changes are named with their pids, and are on
# record: others count there, too; the child may not be opened. Also: a child whose parent has ended.
# Does not cover: a child for which no time was left.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching

# Root may open everything, but for this.
plain=
if [ "$(id -u)" = 0 ]; then
	for drop in -sys_ptrace,-sys_admin,-perfmon -sys_ptrace,-sys_admin; do # perfmon is new
		plain="setpriv --bounding-set $drop --inh-caps $drop"
		! $plain true 2>/dev/null || break
	done
	$plain true 2>/dev/null || skip 'setpriv cannot drop a capability'
	hold_as=$plain
fi

# breeder: $pid
breeder()
{
	fifos
	$plain "$VICTIMS/../stress/breeder" <"$tmp/in" >"$tmp/answers" &
	started="$started $!"
	exec 3>"$tmp/in" 4<"$tmp/answers"
	read -r word pid <&4
	same 'first word' "$word" ready
	ask places
	count=$(awk '/^count/ { print "0x" $2; exit }' "$tmp/answer")
	site=$(awk '/^count/ { print "0x" $4; exit }' "$tmp/answer")
}

# bear WORD...: $child
bear()
{
	echo "$*" >&3
	read -r word child <&4
	same 'born' "$word" born
	started="$started $child"
}

# holds: count and code of the first probe in the child
holds()
{
	parent=$pid
	pid=$child
	echo "$(peek "$count" 2) $(peek "$site" 2)"
	pid=$parent
}

# stranger: a forked process that may not be read, and whose parent is another one
stranger()
{
	mkfifo "$tmp/in2" "$tmp/answers2"
	$plain "$VICTIMS/../stress/breeder" <"$tmp/in2" >"$tmp/answers2" &
	started="$started $!"
	exec 5>"$tmp/in2" 6<"$tmp/answers2"
	read -r word _ <&6
	same 'first word of a stranger' "$word" ready
	echo hide >&5
	read -r word stranger <&6
	same 'a stranger' "$word" born
	started="$started $stranger"
}

# killed: the session
killed()
{
	kill -9 "$session"
	wait "$session" 2>/dev/null
	gone "$session"
}

# repair_under OPTION...: of strace; $status
repair_under()
{
	$plain strace -f -qq -o /dev/null "$@" \
		"$PROBES_TUI" repair -no-syslog -pid "$pid" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}

# --- many: one is named, the others are summed up
breeder
hold -enable a0
born=
for _ in 1 2 3 4; do
	bear fork
	born="$born $child"
done
interrupted TERM 143
same 'one is named' "$(grep -c 'forked child, inherited 1 switched probe$' "$tmp/held")" 1
has 'the others' '^probes-tui: 3 more forked children inherited switched probes \(-verbose names each\)$' "$tmp/held"
has 'and undone' '^probes-tui: 3 more forked children switched back: 3 probes, 3 sites in total$' "$tmp/held"
for child in $born; do
	same "child $child" "$(holds)" '0000 903d'
	kill "$child"
done
exec 3>&- 4<&-

# --- others count in the child
breeder
hold -enable a0
bear fork 2
interrupted TERM 1
same 'the parent is off' "$(state a0)" disabled
has 'said' "pid $child: .*others count there|process $child.*others count there" "$tmp/held"
has 'what to do' "repair process $child\$" "$tmp/held"
same 'left as it is' "$(holds)" '0300 90e8'
want 0 info -pid "$child"
has 'on record' "a session \\(pid $session\\) was interrupted"
pid_parent=$pid
pid=$child
poke "$count" 1
pid=$pid_parent
want 0 repair -no-syslog -pid "$child"
same 'taken back when they have gone' "$(holds)" '0000 903d'

# --- it cannot be opened
hold -enable a0
bear hide
interrupted TERM 1
same 'the parent is off' "$(state a0)" disabled
has 'said' "process $child" "$tmp/held"
has 'what to do' "repair process $child" "$tmp/held"
if [ -n "$plain" ] && capable 19; then
	same 'left as it is' "$(holds)" '0100 90e8'
	want 0 repair -no-syslog -pid "$child"
	same 'taken back by who may' "$(holds)" '0000 903d'
fi

# --- its parent has ended
hold -enable a0
bear grand
kill -9 "$pid"
kill "$session" # it may have seen that end already
wait "$session"
case $? in
0 | 143) ;;
*) fail "the session ended with $?" ;;
esac
gone "$session"
same 'taken back in who outlived it' "$(holds)" '0000 903d'
kill "$child"
exec 3>&- 4<&-

# --- many children, and a slow machine: all are undone, though it takes longer than SWEEP_MS (src/session/sweep.c)
if command -v strace >/dev/null && strace -f -qq -o /dev/null true 2>/dev/null; then
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
	export ASAN_OPTIONS
	breeder
	hold -enable a0
	born=
	for _ in 1 2 3 4 5 6 7 8 9; do
		bear fork
		born="$born $child"
	done
	killed
	repair_under -e inject=pidfd_open:delay_enter=200000
	same 'a slow repair' "$status" 0
	for child in $born; do
		same "child $child" "$(holds)" '0000 903d'
	done
	# --- no descriptor is left for the child, while a stranger who is no child of it may not be read either
	hold -enable a0
	stranger
	bear fork
	killed
	# From one of these calls on, all fail. Opening the parent takes some of them; while that fails, nothing
	# is changed.
	call=1
	awaits 'a repair of the parent'
	until [ "$(peek "$site" 2)" = 903d ] || overdue; do
		call=$((call + 1))
		repair_under -e inject=pidfd_open:error=EMFILE:when="$call+"
	done
	same 'a repair short of descriptors' "$status" 1
	has 'the cause' "$child.*: probes-tui has no file descriptors left"
	has 'what to do' "repair process $child\$"
	want 0 repair -no-syslog -pid "$child"
	same 'repaired' "$(holds)" '0000 903d'

	# --- for a moment none is left, just when the program of the child is read
	hold -enable a0
	bear fork
	killed
	repair_under -P "/proc/$child" -o "$tmp/calls" -e trace=openat
	same 'repaired at once' "$status, $(holds)" '0, 0000 903d'
	hold -enable a0
	bear fork
	killed
	repair_under -P "/proc/$child" -e inject=openat:error=EMFILE:when="$(grep -n '"auxv"' "$tmp/calls" | sed 's/:.*//;q')"
	same 'a repair that cannot read a program' "$status" 1
	has 'what to do without a program' "cannot open process $child: .* no file descriptors left.*repair process $child\$"
	want 0 repair -no-syslog -pid "$pid" # the record is of the child alone
	has 'repaired by the name of its parent' "^probes-tui: pid $child: undid what"
	same 'nothing is said of the parent' "$(grep -c "pid $pid:" "$tmp/err")" 0
	same 'repaired without a program' "$(holds)" '0000 903d'

	# --- no descriptor is left, nor can a record of the child be made: that of its parent stays
	hold -enable a0
	bear fork
	killed
	repair_under -e inject=pidfd_open:error=EMFILE:when="$call+" -e inject=linkat:error=ENOSPC
	same 'a repair short of descriptors and space' "$status" 1
	has 'what to do without a record' "cannot open process $child: .*repair process ($child|$pid again)\$"
	want 0 repair -no-syslog -pid "$(sed -n 's/.*repair process \([0-9]*\).*/\1/p' "$tmp/err")"
	same 'repaired without a record' "$(holds)" '0000 903d'
	same 'no record is left' "$(ls "$PROBES_TUI_RECORDS")" ''

	# --- the children cannot be looked for, or the repair is killed while it does: the record stays until that is done
	for end in error=EMFILE signal=KILL; do
		hold -enable a0
		bear fork
		killed
		repair_under -P /proc -e inject=openat:"$end"
		case $end in
		error*)
			same 'a repair that finds no children' "$status" 1
			has 'the cause' 'cannot look for children: probes-tui has no file descriptors left'
			has 'what to do' "repair process $pid\$"
			;;
		esac
		same "$end: the parent is repaired, the child is not" "$(peek "$site" 2), $(holds)" '903d, 0100 90e8'
		want 0 repair -no-syslog -pid "$pid"
		has "$end: said of the child" "pid $child: forked child: undid what it inherited: 1 probe, 1 site"
		same "$end: the child is repaired" "$(holds)" '0000 903d'
		same "$end: nothing on record" "$(ls "$PROBES_TUI_RECORDS")" ''
	done

	# --- the same at the end of a session; others count in the child since
	hold_as="$plain strace -D -f -qq -o /dev/null -P /proc -e inject=openat:error=EMFILE"
	hold -enable a0
	bear fork 2
	interrupted TERM 1
	has 'the session said what to do' "cannot look for children.*repair process $pid\$" "$tmp/held"
	same 'the session left the child' "$(peek "$site" 2), $(holds)" '903d, 0300 90e8'
	want 1 repair -no-syslog -pid "$pid"
	has 'others count there' "process $child.*others count there.*repair process $child\$"
	parent=$pid pid=$child
	poke "$count" 1
	pid=$parent
	want 0 repair -no-syslog -pid "$child"
	same 'taken back when they have gone, too' "$(holds)" '0000 903d'
	same 'nothing is left on record' "$(ls "$PROBES_TUI_RECORDS")" ''
	exec 3>&- 4<&-
else
	echo 'no strace: not tested: many children, a shortage of descriptors'
fi
finish
