#!/bin/sh
# Probes without a switch, also while another tool traces one of them: what the header, the keys, the
# questions and the detail say of them.
# Does not cover: how such a probe is recognized (unit tests), the commands of other tools (handover.sh).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
start sdt_plain
terminal 120 30
screen

file=$VICTIMS/sdt_plain
site=$(notes "$file" | awk '$2 == "plain" { print $3; exit }')
wait_state 'no switch' 'victim:plain +1 +- '
wait_for 'none can be switched: y shows commands that trace them'
poke $(($(bias "$file") + site)) 314
wait_state foreign 'victim:plain +1 +- '
wait_for 'none can be switched: y shows commands that trace them'
unseen 'no right that helps nobody' 'list read switch'
keys '*' e
wait_for '[0-9:]+ no probe here can be switched: none has a semaphore or an OCaml site; y shows'
keys Escape
wait_gone 'no probe here can be switched'
unseen 'no question' 'Type y'
keys d
wait_for 'no probe here can be switched'
unseen 'no question' 'Type y'
keys U /
text plain
keys Enter
wait_cursor foreign 'victim:plain '
keys y
wait_for '^# nothing to switch here'
keys q i
wait_for '^  sites +1$'
seen 'who can trace it' 'hand-over +y shows'
keys q q
wait_for '^status=0$'
stop
finish
