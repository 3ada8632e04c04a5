#!/bin/sh
# The values of the arguments of a probe in its detail, and in the pane of the list: how to get them, the last one, least,
# greatest, how many distinct, texts, a condition, frozen, stopped, another probe. The victim's own rounds say what the
# values are.
# Does not cover: the histogram of an argument (tui-histogram.sh), events (tui-events.sh).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
need_zydis
start logs

terminal 100 44
screen -max-overhead 0
text ':stop'
keys Enter
wait_for 'counting may stop the process'
on few
keys i
wait_for '^Detail of logs:few$'
seen 'how to get them' '^  values +none yet: v records events$'
keys v
wait_for '^Events: logs:few$'
keys q
wait_list
keys i
wait_for '^  events +0 events'
ask 'run 1 4'
ask 'run 1 9'
wait_for '^  arg1 +last 9, min 1, max 9, 9 distinct$'
seen 'how many' '^  values of 13 events since [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}$'
seen 'a negative one' '^  arg2 +last -9, min -9, max -1, 9 distinct$'
ask 'run 1 2'
wait_for '^  arg1 +last 2, min 1, max 9, 9 distinct$'
keys w C-u
text "$tmp/view.txt"
keys Enter
wait_for 'wrote .* to '
has 'the view as a file' 'arg2 +last -2, min -9, max -1, 9 distinct$' "$tmp/view.txt"

# ------------------------------------------------------------- in the pane
keys q
wait_list
wait_for 'arg1 +last 2, min 1, max 9, 9 distinct '
seen 'how many' ' values of 15 events since '

# ------------------------------------------------------------- frozen, and thawed
keys i
wait_for '^  events +15 events'
keys Z
wait_for '^  events +15 events.*; frozen$'
ask 'run 1 20'
keys q i
wait_for '^  events +35 events.*; frozen$'
seen 'nothing moves' '^  arg1 +last 2, min 1, max 9, 9 distinct$'
seen 'nor is counted' '^  values of 15 events since '
keys Z
wait_for '^  arg1 +last 20, min 1, max 20, 20 distinct$'
seen 'all are counted' '^  values of 35 events since '

# ------------------------------------------------------------- the same as in the histogram
keys A
wait_for '^  values    35, 20 distinct, min 1, max 20, '
keys A
wait_for '^Values of logs:few arg2'
wait_for '^  values    35, 20 distinct, min -20, max -1, '

# ------------------------------------------------------------- a condition begins anew
keys '\'
wait_for '^only where:'
text 'arg1 > 7'
keys Enter
wait_for 'showing only events that match, from now on$'
ask 'run 1 9'
wait_for '^  values    2, 2 distinct, min -9, max -8, '
keys q
wait_list
keys i
wait_for '^  arg1 +last 9, min 8, max 9, 2 distinct$'
seen 'the condition' '^  events .*; only where arg1 > 7$'
seen 'since then' '^  values of 2 events since '

# ------------------------------------------------------------- stopped
keys q
wait_list
keys v
wait_for '^Events: logs:few'
keys v
wait_for 'no more: it was stopped'
keys q
wait_list
keys i
wait_for '^  events +37 events; no more: it was stopped; only where'
seen 'they stay' '^  arg1 +last 9, min 8, max 9, 2 distinct$'
keys q
wait_list

# ------------------------------------------------------------- texts; a narrow screen
on say
keys v
wait_for '^Events: logs:say$'
keys s C-u
text 'arg2'
keys Enter
wait_for 'with the texts of arg2'
# Texts are read within half a second of a look at the threads: on a busy machine, in another attempt.
for _ in $(seq 20); do
	ask 'texts 2'
	wait_for '^  20 events'
	[ "$(grep -c '="' "$tmp/screen")" != 14 ] || break
	keys r
	wait_for '^  0 events'
done
keys q
wait_list
keys i
wait_for '^  arg1 +last 19, min 0, max 19, 20 distinct$'
seen 'of texts' '^  arg2 +last .*, 7 distinct, 6 could not be read$'
resize 40 10
wait_for '^Detail of .* 1-7 of '
keys C-d C-d
wait_for '^  arg1 +last 19, min 0, max 19, 20$'
keys q
resize 100 44
wait_list
on few
keys i
wait_for '^Detail of logs:few$'
seen 'no values of another probe' '^  values +none yet: v records'
keys q
wait_list
keys q
wait_for '^status=0$'
stop
finish
