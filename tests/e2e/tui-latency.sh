#!/bin/sh
# How long a pair takes, on the screen: L on a probe and its partner, on two tagged ones, in the list of pairs; the
# figures of a victim that knows them; r, q, L again, undo, another pair, two processes, a process that ends,
# read-only, the budget, the script, the question before a stop, a narrow screen. The code of the victim is the proof
# that nothing is left.
# Does not cover: whether the durations are right (cli-latency.sh, unit/test_recorder.c).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
need_zydis
start pairs
remember "$VICTIMS/pairs"

# measures: L, and the view is there, whether or not it asks for a stop before
measures()
{
	keys L
	wait_for '^Latency: |only if all threads stop'
	! grep -q 'only if all' "$tmp/screen" || keys y
	wait_for '^Latency: '
}

# ------------------------------------------------------------- a probe and its partner
terminal 100 30
screen -log "'$tmp/log'" -max-overhead 0
text '/end'
keys Enter
wait_cursor 'no switch' 'pairs:end '
keys L
wait_for '1 more site can be counted only if all threads stop'
keys n
wait_sentence 'Not stopped; you will not be asked again'
wait_state counted 'pairs:start '
wait_state 'no switch' 'pairs:end '
keys u
wait_for 'undone: count end,start: 1 site'
code_as_found 'not stopped'
text ':stop'
keys Enter
wait_for 'counting may stop the process'
keys L
wait_for '^Latency: pairs:start -> end$'
seen 'how' '^  measured  by thread, for [0-9.]+ s$'
seen 'no pair yet' '^  pairs     0, 0\.0 a second'
seen 'no duration yet' '^  duration  p50 - +p90 - +p99 - +p99\.9 -$'
seen 'the keys' '^r Restart L Stop '
ask 'run 2 500'
wait_for '^  pairs     1000, '
seen 'percentiles' '^  duration  p50 [0-9.]+ [num]s +p90 [0-9.]+ [num]s +p99 [0-9.]+ [num]s +p99\.9 [0-9.]+ [num]s$'
seen 'the rest' '^ +min [0-9.]+ [num]s +mean [0-9.]+ [num]s +max [0-9.]+ m?u?n?s$'
seen 'all are matched' '^  unmatched 0 still open, 0 ends without start, 0 starts without end, 0 nested, 0 lost$'
seen 'a histogram' '^ +DURATION +PAIRS +SHARE$'
seen 'its bars' '^ +[0-9.]+ [num]s - +[0-9.]+ [num]s +[0-9]+ +[0-9.]+ % +█+.* p50'
same 'every pair is in a bar' "$(awk '/ s? - .* % / { sum += $7 } / - .* % / { n += $6 } END { print n }' "$tmp/screen")" 1000
ask 'ends 3'
wait_for '^  unmatched 0 still open, 3 ends without start, '
ask 'nested 2'
wait_for '^  unmatched 0 still open, 3 ends without start, 0 starts without end, 2 nested, 0 lost$'

# ------------------------------------------------------------- from 0 on, and back and forth
keys r
wait_for 'restarted from 0'
wait_for '^  pairs     0, '
seen 'nothing is left' '^  unmatched 0 still open, 0 ends without start, 0 starts without end, 0 nested, 0 lost$'
ask 'run 1 10'
wait_for '^  pairs     10, '
keys q
wait_for 'still measuring pairs:start -> end: L shows it again'
wait_state counted 'pairs:start '
ask 'run 1 10'
keys '?'
wait_for '^Help'
keys q
wait_list
keys L
wait_for '^  pairs     20, '
keys '?'
wait_for '^Help'
seen 'what ends it' '^  L +stop measuring'
keys q
wait_for '^  pairs     20, '
keys w C-u
text "$tmp/view.txt"
keys Enter
wait_for 'wrote .* to '
has 'the view as a file' 'Latency: pairs:start -> end$' "$tmp/view.txt"
has 'the view as a file' '^  pairs     20, ' "$tmp/view.txt"

# ------------------------------------------------------------- undo ends it; it is shown so
keys q
wait_list
keys u
wait_for 'undone: count end,start'
code_as_found 'undone'
keys L
wait_for '^  pairs     0, '
ask 'run 1 7'
wait_for '^  pairs     7, '
keys L
wait_for 'uncount start,end: 2 sites'
wait_for '^  measured  for [0-9.]+ s, no longer: it was stopped \(r restarts\)$'
unseen 'nothing is left to stop' 'L Stop'
keys e
wait_for 'e does nothing here'
keys j
wait_gone 'does nothing here'
seen 'its figures stay, and none is of now' '^  pairs     7, [0-9.]+k? a second$'
code_as_found 'ended'
keys r
wait_for '^  measured  by thread, '
wait_for '^  pairs     0, '
ask 'run 1 8'
wait_for '^  pairs     8, '
keys q
wait_list
keys H
wait_for 'uncount (start|end|2 probes)'
keys L
wait_for '^Latency'
ask 'run 1 9'
wait_for '^  pairs     9, '
keys q

# ------------------------------------------------------------- the record
wait_list
keys S C-u
text "$tmp/script"
keys Enter
wait_until 0 sh -c "test -s '$tmp/script'; echo \$?"
has 'the script' '^probes-tui latency -pid "\$pid" pairs:start,pairs:end( -stop)? -for 10s$' "$tmp/script"
same 'no count of its own' "$(grep -c '^probes-tui count' "$tmp/script")" 0
keys q
wait_for 'undid this session.s changes: 2 sites'
wait_for '^status=0$'
code_as_found 'quit'

# ------------------------------------------------------------- what H counted before stays counted
screen -max-overhead 0
text '/start'
keys Enter
wait_cursor 'no switch' 'pairs:start '
keys H
wait_cursor counted 'pairs:start '
measures
wait_for '^Latency: pairs:start -> end$'
ask 'run 3 100'
wait_for '^  pairs     300, '
keys L
wait_for '^  measured  for [0-9.]+ s, no longer: '
keys q
wait_state counted 'pairs:start '
wait_state 'no switch' 'pairs:end '
keys q
wait_for '^status=0$'
code_as_found 'what H counted'

# ------------------------------------------------------------- what H counts already: u does not undo H in the view
screen -max-overhead 0
keys '*' H
wait_for 'only if all threads stop|^ *[+].*counted +pairs:end'
! grep -q 'only if all' "$tmp/screen" || keys y
wait_state counted 'pairs:start '
wait_state counted 'pairs:end '
keys L
wait_for '^Latency: '
seen 'measuring has begun' 'measuring begins; the probes were counted already$'
keys u
wait_for 'this view changed nothing: q first, then u undoes the change before it$'
ask 'run 1 5'
wait_for '^  pairs     5, '
keys q v
wait_sentence 'no events: L is measuring (start|end): press L to see it, L again to stop'
keys L L
wait_for 'measuring has stopped; counting goes on'
keys q v
wait_for 'recording begins; the probes were counted already$'
keys u
wait_for 'this view changed nothing'
keys q u
wait_for 'undone: count '
keys q
wait_for '^status=0$'

# ------------------------------------------------------------- u in the view does what the result line says
screen -max-overhead 0 -refresh 60
measures
wait_for 'u=undo'
ask 'run 1 5'
keys u
wait_for 'undone: count (end,start|start,end)'
wait_for '^  measured  for [0-9.]+ s, no longer: no longer counted'
seen 'the last pairs' '^  pairs     5, '
code_as_found 'undone in the view'
# What passed since the last reading counts as well, however long ago that was.
keys r
wait_for '^  measured  by thread, '
ask 'run 1 6'
keys L
wait_for '^  measured  for [0-9.]+ s, no longer: it was stopped'
seen 'the rate is of the whole time' '^  pairs     6, ([0-9.]*[1-9][0-9.]*)k? a second$'
keys q q
wait_for '^status=0$'

# ------------------------------------------------------------- read-only, and too often
screen -read-only
keys '*' L
wait_for 'read-only: nothing is switched'
keys q
wait_for '^status=0$'
screen -max-overhead 0.01
measures
ask 'run 4 300000'
wait_for 'no longer (measured|counted): estimated to'
wait_for '^  measured  for [0-9.]+ s, no longer: '
keys q q
wait_for '^status=0$'
code_as_found 'too often'

# ------------------------------------------------------------- several processes; one ends
start2 pairs
type_command "'$PROBES_TUI' -no-syslog -max-overhead 0 -pid $pid,$pid2"
wait_list
measures
wait_for '^  measured  by thread, .* in 2 of 2 processes$'
ask 'run 1 100'
ask2 'run 2 100'
wait_for '^  pairs     300, '
wait_for "^ +$pid +100 "
wait_for "^ +$pid2 +200 "
stop2
wait_for '^  measured  by thread, .* in 1 of 2 processes$'
wait_for "^ +$pid2 +200 .* the process is gone\$"
seen 'its pairs stay' '^  pairs     300, '
resize 40 10
wait_for '^  pairs     300, '
seen 'the keys' 'q Back$'
keys q q
wait_for '^status=0$'
code_as_found 'two processes'
stop

# ------------------------------------------------------------- partners by their names; the list of pairs
terminal 80 24
start loop_ocaml2_pie
file=$VICTIMS/loop_ocaml2_pie
screen -max-overhead 0
text '/work_end'
keys Enter
wait_cursor off 'ocaml_2:work_end '
measures
wait_for '^Latency: ocaml_2:work_start -> work_end$'
ask 'step 20'
wait_for '^  pairs     20, '
same 'no handler runs' "$(value work_start hits)" 0
keys q P
wait_for '^Pairs: 1'
keys y
wait_for "^probes-tui latency -pid $pid ocaml_2:work_start,ocaml_2:work_end\$"
keys q
wait_for '^Pairs: 1'
keys L
wait_for '^  pairs     20, '
keys L
wait_for '^  measured  for [0-9.]+ s, no longer: '
keys q q
wait_for '^status=0$'
stop

# ------------------------------------------------------------- a pair of which one half may need a stop
start counts
screen -max-overhead 0
text '/plain'
keys Enter
wait_cursor 'no switch' 'counts:plain '
keys L
wait_for 'no partner by name'
for name in plain many; do
	text "/~:$name\$"
	keys Enter
	wait_cursor 'no switch' "counts:$name "
	keys Space
done
measures
wait_for '^Latency: counts:plain -> counts:many|^Latency: counts:plain -> many'
ask 'run 1 100'
wait_for '^  pairs     100, '
keys q q
wait_for '^status=0$'
stop

# ------------------------------------------------------------- two processes, one of which another session measures
start pairs
start2 pairs
in_background latency -max-overhead 0 -stop -pid "$pid2" start,end
session_says 'measuring'
type_command "'$PROBES_TUI' -no-syslog -pid $pid,$pid2"
wait_list
text /end
keys Enter
wait_cursor any 'pairs:end '
measures
ask 'run 1 10'
wait_for "^ +$pid +10 "
wait_for "^ +$pid2 +- +- +- +- +"
keys q q
wait_for '^status=0$'
interrupted INT
stop2
stop
finish
