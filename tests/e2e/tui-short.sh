#!/bin/sh
# The screen with few descriptors: it opens, or reports the shortage; a switch is done completely or not
# at all, and undone on quit. A program that the screen starts gets the original limit.
# Does not cover: shortages that come and go while it runs.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
start loop_ocaml2_pie
off=$(live "$file" multi)
short='probes-tui has no file descriptors left'
terminal 220 24
opened=0

for n in 4 6 8 10 11 12 13 14 15 16 17 18 20 24 32 40; do
	type_command "(ulimit -n $n; exec '$PROBES_TUI' -no-syslog -pid $pid)"
	wait_for '^status=|^  STATE +PROBE|cannot be tried'
	if grep -q 'cannot be tried' "$tmp/screen"; then
		seen "with $n: why" "$short"
		keys q
		wait_for '^status='
	elif grep -q '^status=' "$tmp/screen"; then
		grep -q 'error while loading' "$tmp/screen" && continue
		seen "with $n: why" "$short"
		seen "with $n: its status" '^status=1$'
	else
		opened=$((opened + 1))
		keys /
		text multi
		keys Enter e
		wait_for "$short|^> on +ocaml_2:multi"
		if grep -q "$short" "$tmp/screen"; then
			same "with $n: untouched" "$(live "$file" multi)" "$off"
		fi
		keys q
		wait_for '^status='
		seen "with $n: it ends well" '^status=0$'
	fi
	unseen "with $n: nothing false" 'such process|zombie|ermitted|ermission|it may have ended'
	same "with $n: as it was" "$(live "$file" multi)" "$off"
	same "with $n: no record is left" "$(ls "$PROBES_TUI_RECORDS" | wc -l | tr -d ' ')" 0
done
checks=$((checks + 1))
[ "$opened" -ge 4 ] || fail "it opened with $opened of the limits"
stop

type_command "(ulimit -Sn 300; exec '$PROBES_TUI' -no-syslog -prog '$VICTIMS/loop_ocaml2_pie')"
wait_list
screen=$(ours)
same 'its own limit' "$(awk '/^Max open files/ { print $4 }' "/proc/$screen/limits")" "$(ulimit -Hn)"
for child in $(cat "/proc/$screen/task/$screen/children"); do
	[ "$(cat "/proc/$child/comm")" != loop_ocaml2_pie ] || program=$child
done
same 'the limit of what it starts' "$(awk '/^Max open files/ { print $4 }' "/proc/$program/limits")" 300
keys q
wait_for 'end it'
keys e
wait_for '^status='
finish
