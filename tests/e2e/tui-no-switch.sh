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
wait_for 'none can be switched: '
wait_for '^ sdt, no semaphore: H counts its hits '
keys t g
wait_for '^ group: Space acts on all [0-9]+; h l fold'
keys t
poke $(($(bias "$file") + site)) 314
wait_state foreign 'victim:plain +1 +- '
wait_for 'none can be switched: '
unseen 'no right that helps nobody' 'list read switch'
keys '*' e
wait_for 'no probe here can be switched: none has a semaphore'
unseen 'no question' 'Type y'
keys U /
text plain
keys Enter
wait_cursor foreign 'victim:plain '
keys H
wait_for '^ sdt, no semaphore, cannot be counted \(i=why\) '
keys y
wait_for '^# nothing to switch here'
keys q i
wait_for '^  sites +1$'
seen 'who can trace it' 'tools +y shows commands for bpftrace, gdb and perf'
keys q q
wait_for '^status=0$'

# ------------------------------------------------- beside a process that has switches
# The traced probe is not switched: nobody is asked for it, and it is not counted.
start2 sdt_sema
type_command "'$PROBES_TUI' -no-syslog -pid $pid,$pid2"
wait_list
wait_for 'list read switch'
wait_state foreign 'victim:plain '
keys '*' e
wait_for 'on .*: [0-9]+ (semaphore|site)s? in 1 of 2 processes, .*; 7 probes have no semaphore'
unseen 'no question' 'Type y'
attach2()
{
	silent attach -no-syslog -pid "$pid2" "$@"
}
attach2 -enable-all
keys d
wait_for 'Switch off ([0-9]+) probes?, [0-9]+ sites?\? \1 held by another party'
keys Enter
wait_for 'not done: nothing was changed'
attach2 -disable-all
keys q
wait_for '^status=0$'
stop2

# --- nor is a key offered for what has ended
poke $(($(bias "$VICTIMS/sdt_plain") + site)) 220
screen
wait_for '^ sdt, no semaphore: H counts its hits '
stop
wait_state gone 'victim:'
wait_for '^ sdt, no semaphore( |$)'
finish
