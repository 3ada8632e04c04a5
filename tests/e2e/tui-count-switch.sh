#!/bin/sh
# Counting beside switching: both raise the semaphore, and each takes its own back. What a person switches on stays on
# when the count ends, by H, by Q and a repair, by Q and the next count; what a third party counts, too. d takes away
# what e added, and not what the count needs; a pair likewise. Q says which counters stay. A question of what
# to do in a process closes when the process ends. The semaphore in the victim is the proof.
# Does not cover: OCaml probes, whose counting raises nothing, and force (unit suite "plan_count").
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
need_zydis
start sdt_sema
terminal 120 30

# semaphore WHAT WANTED
semaphore()
{
	ask report
	same "$1: its semaphore" "$(value single sema)" "$2"
}

# begin: the screen, the cursor on the probe; it need not ask
begin()
{
	screen "$@"
	text ':stop'
	keys Enter
	wait_for 'counting may stop the process'
	text /single
	keys Enter
}

# leave KEY
leave()
{
	keys "$1"
	wait_for '^status=0$'
}

# ------------------------------------------------------------- e, then the count ends
begin
wait_cursor off 'victim:single '
keys H
wait_cursor 'on #' 'victim:single +2/2 +1 .* you '
keys e
wait_for ' on single: 1 semaphore'
wait_cursor 'on #' 'victim:single +2/2 +2 .* you '
semaphore 'both' 2
keys e
wait_for '1 on by you already'
semaphore 'once' 2
keys H
wait_for 'uncount single: 2 sites'
wait_cursor on 'victim:single +0*/*2* +1 .*you '
semaphore 'the count has ended' 1
keys d
wait_cursor off 'victim:single '
semaphore 'off' 0

# ------------------------------------------------------------- e before the count; d before its end
keys e
wait_cursor on 'victim:single '
keys H
wait_cursor 'on #' 'victim:single +2/2 +2 .* you '
keys d
wait_for ' off single: 1 semaphore'
wait_cursor 'on #' 'victim:single +2/2 +1 .* you '
keys d
wait_for 'off single: it is on only because its hits are counted; H ends that'
semaphore 'what the count needs' 1
keys H
wait_cursor off 'victim:single '
semaphore 'nobody is left' 0
keys u
wait_for 'undone: uncount single'
semaphore 'undone' 1
keys u
wait_for 'undone: off single'
semaphore 'undone twice' 2
leave q
semaphore 'q' 0

# ------------------------------------------------------------- both at once, and pairs: those that are tagged
begin
wait_cursor off 'victim:single '
keys '*' H
# One lies before a nop of five bytes, which Linux 6.18 may replace.
wait_for 'count private,shared,single: (6|5 of 6) sites'
wait_state 'on #' 'victim:shared +2/2 +1 .* you '
keys d
wait_for 'off private,shared,single: nothing was changed; 3 probes are on only to be counted; H ends that'
keys e
wait_for 'on private,shared,single: 4 semaphores'
keys H
wait_for 'uncount private,shared,single: [56] sites'
wait_state on 'victim:shared '
semaphore 'all' 1
leave q
semaphore 'q after all' 0
begin
wait_cursor off 'victim:single '
keys Space
on victim:shared
keys Space H
wait_state 'on #' 'victim:single +2/2 +1 .* you '
keys p
wait_for ' on .*2 semaphores'
keys H
wait_for 'uncount .*: 4 sites'
semaphore 'a pair' 1
keys H
wait_state 'on #' 'victim:single +2/2 +2 .* you '
keys p
wait_for ' off .*2 semaphores'
wait_state 'on #' 'victim:single +2/2 +1 .* you '
semaphore 'a pair is off' 1
leave q
semaphore 'q after a pair' 0

# ------------------------------------------------------------- others
begin
wait_cursor off 'victim:single '
keys H
wait_cursor 'on #' 'victim:single +2/2 +1 .* you '
attach -enable single
wait_cursor 'on #' 'victim:single +2/2 +2 .* you\+1 '
keys H
wait_cursor on 'victim:single .* other '
semaphore 'theirs' 1
attach -disable single
wait_cursor off 'victim:single '
keys H
wait_cursor 'on #' 'victim:single +2/2 +1 .* you '
attach -disable single
wait_for '^>[+ ]off # +victim:single +2/2 +0 '
attach -enable single
wait_cursor 'on #' 'victim:single +2/2 +1 .* other '
keys H
wait_for 'uncount single: 2 sites'
semaphore 'what a third party counts, once ours was taken away' 1
leave q
semaphore 'and q' 1
attach -disable single

# ------------------------------------------------------------- Q, and how the counters end
for next in repair count; do
	begin
	wait_cursor off 'victim:single '
	keys H
	wait_cursor 'on #' 'victim:single +2/2 +1 .* you '
	keys e
	wait_cursor 'on #' 'victim:single +2/2 +2 .* you '
	leave Q
	seen 'probes stay' 'left 1 probe as this session switched it\.'
	seen 'counters stay' "2 sites of process $pid are still counted: probes-tui repair -pid $pid removes the counters, as does"
	semaphore "Q, $next" 2
	if [ "$next" = repair ]; then
		want 0 repair -no-syslog -pid "$pid"
	else
		want 0 count -no-syslog -pid "$pid" -stop -for 50ms single
	fi
	semaphore "the counters have gone by $next" 1
	run list -pid "$pid"
	checks=$((checks + 1))
	! grep -q 'left counters' "$tmp/err" || fail "counters are left: $(cat "$tmp/err")"
	attach -disable single
done
begin
wait_cursor off 'victim:single '
leave Q
unseen 'nothing was counted' 'still counted'
stop

# ------------------------------------------------------------- a question, and what it is about ends
start sdt_sema
begin
keys H
wait_cursor 'on #' 'victim:single +2/2 '
keys H
wait_cursor off 'victim:single '
leave q
screen
keys '*' H
wait_for 'only if all threads stop for'
stop
wait_gone 'only if all threads stop for'
wait_sentence 'process [0-9]+ has ended; hits of the last 200 ms may be missing, as an earlier session made the counters; r looks for it again'
leave q

type_command "'$PROBES_TUI' -no-syslog -prog '$VICTIMS/early' -- wait"
wait_list
pid=$(sed -n 's/^ *early  pid \([0-9]*\).*/\1/p' "$tmp/screen")
keys q
wait_for "Process $pid is still running"
kill -9 "$pid"
wait_gone 'is still running'
wait_for "process $pid was killed by signal 9"
leave q
finish
