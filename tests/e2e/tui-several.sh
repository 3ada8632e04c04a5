#!/bin/sh
# Several processes: a row sums them, an action goes to each and the result line counts, a state
# that differs is "partial", the end of one is said and the other goes on.
# Does not cover: many workers, processes that are born meanwhile.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
start loop_ocaml2_pie
start2 loop_ocaml2_fixed
terminal 80 24

# two programs: their rows are told apart
type_command "'$PROBES_TUI' -no-syslog -pid $pid,$pid2"
wait_for '^ .*  2 processes '
seen 'both' '^ 16 probes   all off   in 2 objects'
keys e
wait_for ': [0-9]+ sites? in 1 of 2 processes'
keys q
wait_for '^status=0$'
stop2

# one program twice: one row
start2 loop_ocaml2_pie
type_command "'$PROBES_TUI' -no-syslog -pid $pid,$pid2"
wait_for '^ .*  2 processes '
seen 'summed' '^ 8 probes   all off'
seen 'a row' '^> off +ocaml_2:first +0/2 +0 +2 '
keys e
wait_cursor on 'ocaml_2:first +2/2 +1 +2 +you'
seen 'the result line' 'on first: 2 sites in 2 processes, target not stopped'
ask 'step 2'
same 'in the one' "$(value first hits)" 2
ask2 'step 3'
same 'in the other' "$(value first hits)" 3
attach -disable first
wait_cursor partial 'ocaml_2:first +1/2 +0-1 +2 '
keys u
wait_for 'undone: on first'
attach -enable second
wait_state partial 'ocaml_2:second +1/2 +0-1 +2'
keys e
wait_for ' on first: 2 sites in 2 processes'
attach -disable second
stop2
wait_for 'ended; the others go on'
seen 'and the answer to the key' ' on first: 2 sites in 2 processes'
wait_for 'ocaml_2:first +[01]/1 +[01] +1 '
keys q
wait_for '^status=0$'
wait_until disabled state first
# one has ended, and the screen has not looked yet: nothing is left to take back there
start2 loop_ocaml2_pie
type_command "'$PROBES_TUI' -no-syslog -pid $pid,$pid2 -refresh 60"
wait_cursor off 'ocaml_2:first'
keys e
wait_for ' on first: 2 sites in 2 processes'
stop2
keys q
wait_for '^status=0$'
wait_until disabled state first
# both gone: how many, and what became of what was switched there
start2 loop_ocaml2_pie
type_command "'$PROBES_TUI' -no-syslog -pid $pid,$pid2 -refresh 0.2"
wait_cursor off 'ocaml_2:first'
keys e
wait_cursor on 'ocaml_2:first +2/2 +1 +2 +you'
stop2
wait_for '^ loop_ocaml2_pie  1 process '
stop
wait_for 'all 2 processes are gone: what was switched there went with them'
wait_for '^ loop_ocaml2_pie  2 processes .* GONE$'
keys '!'
wait_for 'ocaml_2:first: its process is gone'
keys q
wait_for '^status='
start loop_ocaml2_pie
screen
stop
wait_for '^ 8 probes   no states: gone'
keys q
wait_for '^status='
finish
