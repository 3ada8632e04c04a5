#!/bin/sh
# The values of an argument on the screen: A on a probe, again for the next argument, from the events and back, texts,
# a condition, r, w, a probe without arguments, a narrow screen. The victim's own rounds say what the values are.
# Does not cover: the figures in each detail (unit/test_distribution.c, cli-histogram.sh), events (tui-events.sh).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
need_zydis
start logs

terminal 100 40
screen -max-overhead 0
text ':stop'
keys Enter
wait_for 'counting may stop the process'
on few
keys A
wait_for '^Values of logs:few arg1'
seen 'none yet' '^  values    0, 0 distinct$'
seen 'the keys' '^r Restart .* A Next argument '
ask 'run 1 4'
ask 'run 1 9'
wait_for '^  values    13, 9 distinct, min 1, max 9, mean 4\.23077$'
seen 'a range' '^  \[1, 2\) +2 +15\.4 % +█+'
seen 'the longest' '^  \[4, 8\) +5 +38\.5 % +█+$'
seen 'the last' '^  \[8, 16\) +2 +15\.4 % '
seen 'a value' '^ +2 +15\.4 %  1$'
seen 'a rare one' '^ +1 +7\.7 %  9$'
same 'the shares' "$(grep -Ec '^  \[' "$tmp/screen")" 4
keys A
wait_for '^Values of logs:few arg2'
wait_for '^  values    13, 9 distinct, min -9, max -1, mean -4\.23077$'
seen 'a range' '^  \[-8, -4\) +4 '
keys w C-u
text "$tmp/view.txt"
keys Enter
wait_for 'wrote .* to '
has 'the view as a file' 'Values of logs:few arg2' "$tmp/view.txt"
has 'the view as a file' 'min -9, max -1' "$tmp/view.txt"

# ------------------------------------------------------------- a condition, and from nothing on
keys '\'
wait_for '^only where:'
text 'arg1 > 7'
keys Enter
wait_for 'showing only events that match, from now on$'
wait_for '^  values    0, 0 distinct$'
ask 'run 1 9'
wait_for '^  values    2, 2 distinct, min -9, max -8, mean -8\.5; since [0-9:.]+$'
keys r
wait_for 'reset: the list is empty'
wait_for '^  values    0, 0 distinct$'
keys '\' C-u Enter
wait_for 'showing all events, from now on$'

# ------------------------------------------------------------- frozen
ask 'run 1 9'
wait_for '^  values    9, 9 distinct, '
keys Z
wait_for '^  events +9 events.*; frozen$'
ask 'run 1 9'
keys r
wait_for '^  events +0 events.*; frozen$'
seen 'no old values' '^  values    0, 0 distinct$'
keys Z
wait_for 'thawed$'
seen 'nor when thawed' '^  values    0, 0 distinct$'
# Hits that are not read yet are forgotten, too.
hit_and_reset()
{
	ask 'run 1 9'
	keys r
}
late hit_and_reset
wait_for 'reset: the list is empty'

# ------------------------------------------------------------- to the events and back
ask 'run 1 3'
wait_for '^  values    3, 3 distinct, '
keys v
wait_for '^Events: logs:few'
keys A
wait_for '^Values of logs:few arg2'
wait_for '^  values    3, 3 distinct, '
keys q
wait_for 'still recording: v on the same probes'
wait_state counted 'logs:few '
keys A
wait_for '^  values    3, 3 distinct, '
keys q
wait_list

# ------------------------------------------------------------- texts
on say
keys A
wait_for '^Values of logs:say arg1'
keys A
wait_for '^Values of logs:say arg2'
keys s C-u
text 'arg2'
keys Enter
wait_for 'with the texts of arg2'
# Texts are read within half a second of a look at the threads: on a busy machine, in another attempt.
for _ in $(seq 20); do
	ask 'texts 2'
	wait_for '^  events +20 events'
	! grep -q '^  values    14, 7 distinct$' "$tmp/screen" || break
	keys r
	wait_for '^  events +0 events'
done
wait_for '^  values    14, 7 distinct$'
seen 'what could not be read' '^  missing   6 could not be read$'
seen 'a text' '^ +2 +14\.3 %  "select 1"$'
seen 'a hostile one' '^ +2 +14\.3 %  ".*x1b\[31m"$'
resize 40 10
wait_for 'q Back$'
wait_for '^  values    14, 7 distinct$'
keys q q
wait_for '^status=0$'
stop

# ------------------------------------------------------------- nothing to count
terminal 100 30
start loop_ocaml2_pie
screen -max-overhead 0
on sema_only
keys A
wait_for 'ocaml_2:sema_only has no arguments'
keys q
wait_for '^status=0$'
stop
finish
