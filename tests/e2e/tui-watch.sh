#!/bin/sh
# A screen that only watches: TOTAL is what another session counted since this screen saw its count,
# and a count that began anew does not bring back the hits of one that ended.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
need_zydis

# count_begin: another session counts; interrupted: it ends.
count_begin()
{
	"$PROBES_TUI" count -no-syslog -stop -pid "$pid" plain >/dev/null 2>"$tmp/held" &
	session=$!
	started="$started $session"
	session_says 'counting 1 of 1 site '
}

start sdt_plain
terminal 120 30
screen
text /plain
keys Enter
wait_cursor 'no switch' 'victim:plain '
for round in 1 2; do
	count_begin
	wait_cursor counted 'victim:plain +.* 0 '
	for i in 1 2 3; do
		ask 'step 1'
	done
	wait_cursor any "victim:plain +.* 3 "
	interrupted TERM 143
	wait_cursor 'no switch' 'victim:plain '
done

# A screen that comes later begins at 0, and the first one goes on.
count_begin
ask 'step 1'
wait_cursor any 'victim:plain +.* 1 '
keys q
wait_for '^status=0$'
screen
text /plain
keys Enter
wait_cursor any 'victim:plain +.* 0 '
ask 'step 1'
wait_cursor any 'victim:plain +.* 1 '
text '\hits>1'
keys Enter
wait_for 'no probe|0 shown|0 of'
keys '\' C-u Enter
wait_cursor any 'victim:plain '
keys i
wait_for '^  hits +1,'
interrupted TERM 143
keys q q
wait_for '^status=0$'
finish
