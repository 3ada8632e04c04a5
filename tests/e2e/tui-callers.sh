#!/bin/sh
# Callers on the screen: C on a probe, on one whose events are there already, from events and values and back, r, frozen,
# the event in full, the command line, two processes, unknown callers, a narrow screen. A victim lets functions of known
# names call in known numbers.
# Does not cover: what a caller is (cli-callers.sh), more callers than fit (unit/test_callers.c).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
need_zydis
command -v python3 >/dev/null || skip 'no python3'

# allowed: counting may stop the process
allowed()
{
	text ':stop'
	keys Enter
	wait_for 'counting may stop the process'
}

start_counted named called
terminal 100 30
screen -max-overhead 0
allowed
on called
keys C
wait_for '^Callers of named:called$'
seen 'none yet' '^  callers   0 hits from 0 callers$'
seen 'the keys' '^r Restart .* v Events A Values '
ask 'call 3 2 1'
wait_for '^  callers   6 hits from 3 callers since [0-9:.]+$'
seen 'headings' '^ +HITS   SHARE  CALLER$'
seen 'the first' '^ +3  50\.0 %  alpha\+0x[0-9a-f]+ \(named\.c:[0-9]+\)$'
seen 'the second' '^ +2  33\.3 %  beta\+0x'
seen 'the third' '^ +1  16\.7 %  gamma_\+0x'
same 'most first' "$(sed -n 's/^.*%  \([a-z]*\).*/\1/p' "$tmp/screen" | tr '\n' ' ')" 'alpha beta gamma '
ask 'call 0 0 6'
wait_for '^ +7  58\.3 %  gamma_\+0x'
same 'most first' "$(sed -n 's/^.*%  \([a-z]*\).*/\1/p' "$tmp/screen" | tr '\n' ' ')" 'gamma alpha beta '
keys w C-u
text "$tmp/view.txt"
keys Enter
wait_for 'wrote .* to '
has 'the view as a file' 'Callers of named:called' "$tmp/view.txt"
has 'the view as a file' '^ +7  58\.3 %  gamma_\+0x' "$tmp/view.txt"

# ------------------------------------------------------------- frozen; from nothing on
keys Z
wait_for '^  events +12 events.*; frozen$'
ask 'call 8 0 0'
keys v
wait_for '^  20 events.*; frozen$'
keys C
wait_for '^  callers   12 hits from 3 callers since '
keys Z
wait_for '^  callers   20 hits from 3 callers since '
seen 'all are counted' '^ +11  55\.0 %  alpha\+0x'
keys r
wait_for '^  callers   0 hits from 0 callers$'
ask 'call 1 0 0'
wait_for '^ +1 100\.0 %  alpha\+0x'

# ------------------------------------------------------------- the event; values, and back
keys v
wait_for '^  1 event,'
keys Enter
wait_for '^Event of named:called$'
seen 'its caller' '^  caller +alpha\+0x[0-9a-f]+ \(named\.c:[0-9]+\)$'
keys q
wait_for '^  1 event,'
keys A
wait_for '^Values of named:called arg1'
keys C
wait_for '^Callers of named:called$'
resize 40 10
wait_for 'q Back$'
wait_for '^ +1 100\.0 %  alpha\+0x'
resize 100 30
keys q
wait_for 'still recording: v on the same probes'
keys y
wait_for '^probes-tui events -pid [0-9]+ called -callers -stop -for 10s|^probes-tui events .* -callers '
keys q
wait_list

# ------------------------------------------------------------- events that are there already
keys v
wait_for '^Events: named:called$'
keys v
wait_for 'no more: it was stopped'
keys q
wait_list
keys v
wait_for '^  0 events'
ask 'call 1 1 0'
wait_for '^  2 events'
keys C
wait_for '^  callers   0 hits from 0 callers$'
ask 'call 0 4 0'
wait_for '^ +4 100\.0 %  beta\+0x'
keys q q
wait_for '^status=0$'

# ------------------------------------------------------------- two processes are one table
first=$pid
exec 5>&3 6<&4
start_counted named called
type_command "'$PROBES_TUI' -no-syslog -pid $first,$pid -max-overhead 0"
wait_list
allowed
on called
keys C
wait_for '^Callers of named:called$'
ask 'call 2 0 0'
ask2 'call 3 0 0'
wait_for '^  callers   5 hits from 1 caller since '
seen 'of both' '^ +5 100\.0 %  alpha\+0x'
keys q q
wait_for '^status=0$'
stop
pid2=$first
stop2

# ------------------------------------------------------------- unknown, and why
start_counted named_bare called
screen -max-overhead 0
allowed
on called
keys C
wait_for '^  unknown   at 1 site: there is no unwind information'
ask 'call 4 3 3'
wait_for '^ +10 100\.0 %  \?$'
keys q q
wait_for '^status=0$'
stop
finish
