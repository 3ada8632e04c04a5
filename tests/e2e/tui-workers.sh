#!/bin/sh
# A tree of processes: new descendants join the rows as they are born, those that end leave them, the
# detail shows each, one action goes to all. A single target that has ended is said, and r looks again.
# Does not cover: hundreds of workers.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
victim=$VICTIMS/loop_ocaml2_pie
mkfifo "$tmp/boss" "$tmp/stdin"
sh <"$tmp/boss" &
boss=$!
started="$started $boss"
exec 8<>"$tmp/stdin" 9>"$tmp/boss"

# born: one more worker; $worker
born()
{
	rm -f "$tmp/worker"
	echo "'$victim' <'$tmp/stdin' >'$tmp/worker' &" >&9
	wait_until ready sh -c "cut -c 1-5 '$tmp/worker' 2>/dev/null"
	worker=$(cut -c 7- "$tmp/worker")
	started="$started $worker"
}

terminal 80 24
born
one=$worker
born
two=$worker
type_command "'$PROBES_TUI' -no-syslog -tree $boss"
wait_for '^ .*  2 processes '
wait_cursor off 'ocaml_2:first +0/2 +0 +2 '
keys e
wait_cursor on 'ocaml_2:first +2/2 +1 +2 +you'
echo 'sleep 1000 &' >&9
born
three=$worker
wait_for '1 new process, the latest is '
seen 'named' "new process(es)?, the latest is $three"
wait_for '^ .*  3 processes '
wait_cursor partial 'ocaml_2:first +2/3 +0-1 +3 '
keys e
wait_cursor on 'ocaml_2:first +3/3 +1 +3 +you'
seen 'counted' 'on first: 1 site'
keys i
wait_for '^Detail of ocaml_2:first'
keys G
wait_for "^Process $one"
keys q

kill -9 "$two"
wait_for "process $two was killed: signal 9 "
wait_for '^ .*  2 processes '
wait_cursor on 'ocaml_2:first +2/2 +1 +2 +you'

# why it ended stays, whatever happens by itself, until a key is answered
born
four=$worker
wait_for '^ .*  3 processes '
seen 'not hidden by a birth' "^[0-9:]{8} process $two was killed: signal 9 \(Killed\); the others go on"
kill -9 "$four"
wait_for "^[0-9:]{8} process $four was killed: signal 9 "
seen 'nor by another end' "^[0-9:]{8} process $two was killed: signal 9 "
wait_for '^ .*  2 processes '
keys F7
wait_for 'leaves priorities alone'
unseen 'an answer has the line for itself' 'was killed'
keys q
wait_for '^status=0$'
pid=$one
same 'undone' "$(state first)" disabled
pid=$three
same 'undone in the newborn' "$(state first)" disabled

pid=$one
type_command "'$PROBES_TUI' -no-syslog -pid $one"
wait_cursor off 'ocaml_2:first'
keys r
wait_for 'the target is still running|is held at its start'
kill -9 "$one"
wait_for "process $one was killed: signal 9 .*; r looks for it again"
wait_for ' GONE$'
seen 'the footer' 'r REOPEN'
keys r
wait_for "still gone: process $one was killed: signal 9 \(Killed\)\$"
keys L
wait_for 'nothing can be measured: '
keys H
wait_for 'nothing can be counted: '
keys e
wait_for "nothing can be switched: process $one was killed: signal 9 \(Killed\)\$"
keys q
wait_for '^status=0$'
kill -9 $(cat "/proc/$boss/task/$boss/children")
exec 9>&-
finish
