#!/bin/sh
# What is missing in the hits of a process that has ended stays said: sites that were not counted, and the last moment
# where an earlier session made the counters. Where nobody counts any more, there is no rate, and no undo is offered. A process that job
# control has stopped does not look idle.
# Does not cover: forked children that have the counters, too (cli-shared.sh).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
need_zydis
terminal 120 30

# ------------------------------------------------------------- one of two sites was counted
start pairs
start2 pairs
type_command "'$PROBES_TUI' -no-syslog -pid $pid,$pid2"
wait_state 'no switch' 'pairs:end +2 '
text ':stop'
keys Enter
wait_for 'counting may stop the process'
keys '*' H
wait_for 'count end,start: 4 sites in 2 processes'
ask 'run 1 100'
ask2 'run 1 10'
wait_state counted 'pairs:start +2/2 .* 110 '
stop2
wait_state counted 'pairs:start +1/1 .* 110 '
wait_for 'u=undo'
keys u
wait_for 'undone: count end,start'
wait_state 'no switch' 'pairs:start +1 +- .* ~110 '
unseen 'no rate of what nobody counts' 'counted|hits/s'
stop
wait_state gone 'pairs:start +- +- .* ~110 '
keys i
wait_for '^  hits +~110; of a process that has ended, not all sites were counted$'
keys q
keys q
wait_for '^status=0$'

# ------------------------------------------------------------- counters of an earlier session
start pairs
want 0 count -no-syslog -stop -pid "$pid" -for 50ms start,end
type_command "'$PROBES_TUI' -no-syslog -pid $pid -count"
wait_for 'only if all threads stop'
keys y
wait_state counted 'pairs:start +1/1 .* 0 '
wait_state counted 'pairs:end +1/1 .* 0 '
ask 'run 1 100'
wait_state counted 'pairs:start +1/1 .* 100 '
stop
wait_sentence 'has ended; hits of the last 200 ms may be missing, as an earlier session made the counters; r looks'
wait_state gone 'pairs:start +- +- .* ~100 '
keys i
wait_for '^  hits +~100; hits of the last moment of a process may be missing$'
keys q
keys q
wait_for '^status=0$'

# ------------------------------------------------------------- stopped by job control: it only looks idle
start pairs
type_command "'$PROBES_TUI' -no-syslog -pid $pid"
wait_list
unseen 'it runs' STOPPED
kill -STOP "$pid"
wait_for '^ pairs  pid .* STOPPED '
kill -CONT "$pid"
wait_gone STOPPED
keys q
wait_for '^status=0$'
stop

# ------------------------------------------------------------- its own ones, of which nothing is missing
start pairs
type_command "'$PROBES_TUI' -no-syslog -pid $pid -count"
wait_for 'only if all threads stop'
keys y
wait_state counted 'pairs:start +1/1 .* 0 '
wait_state counted 'pairs:end +1/1 .* 0 '
wait_for 'u=undo'
ask 'run 1 100'
stop
wait_state gone 'pairs:start +- +- .* 100 '
unseen 'nothing is missing' 'missing|~'
unseen 'an undo that cannot be' 'u=undo'
keys q
wait_for '^status=0$'
finish
