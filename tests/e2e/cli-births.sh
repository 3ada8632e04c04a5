#!/bin/sh
# Forked children in which attach -for cannot undo its changes are named with their pids, and are on
# record: others count there, too; the child may not be opened. Also: a child whose parent has ended.
# Does not cover: a child for which no time was left.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching

# Root may open everything, but for this.
plain=
if [ "$(id -u)" = 0 ]; then
	plain='setpriv --bounding-set -sys_ptrace --inh-caps -sys_ptrace'
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
	kill -9 "$session"
	wait "$session" 2>/dev/null
	gone "$session"
	strace -f -qq -o /dev/null -e inject=pidfd_open:delay_enter=200000 \
		"$PROBES_TUI" repair -no-syslog -pid "$pid" >"$tmp/out" 2>"$tmp/err" </dev/null
	same 'a slow repair' "$?" 0
	for child in $born; do
		same "child $child" "$(holds)" '0000 903d'
	done
	# --- no descriptor is left for the child: what remains is still reported
	hold -enable a0
	bear fork
	kill -9 "$session"
	wait "$session" 2>/dev/null
	gone "$session"
	# From one of these calls on, all fail. Opening the parent takes some of them; while that fails, nothing
	# is changed.
	for call in $(seq 2 20); do
		strace -f -qq -o /dev/null -e inject=pidfd_open:error=EMFILE:when="$call+" \
			"$PROBES_TUI" repair -no-syslog -pid "$pid" >"$tmp/out" 2>"$tmp/err" </dev/null
		status=$?
		! grep -q "$child" "$tmp/err" || break
	done
	same 'a repair short of descriptors' "$status" 1
	has 'the cause' "$child.*: probes-tui has no file descriptors left"
	has 'what to do' "repair process $child\$"
	want 0 repair -no-syslog -pid "$child"
	same 'repaired' "$(holds)" '0000 903d'
	exec 3>&- 4<&-
else
	echo 'no strace: not tested: many children, a shortage of descriptors'
fi
finish
