#!/bin/sh
# Counters that were inherited by fork, on the screen: where a living session counts in the parent, a child shows no
# number, and why; what Q left in a parent is lowered in each of its children once. A child that shares the counters
# of its parent has events where the parent has. A child that lost a jump makes the total a part.
# Does not cover: the command line (cli-family.sh).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
need_zydis
. "${srcdir:-.}/tests/e2e/counting.sh"
start counts
parent=$pid

# semaphore PID: its count
semaphore()
{
	pid=$1
	bytes | awk '$2 == "semaphore" { print $3; exit }'
	pid=$parent
}

# --- Q leaves counters, and what they raised; two children inherit both
terminal 120 30
screen
text /guarded
keys Enter
wait_cursor off 'counts:guarded'
keys H
wait_for 'counts:guarded +2/2 +1 .* you '
keys Q
wait_for '^status=0$'
forked a
a=$child
exec 5>"$tmp/a-in" 6<"$tmp/a-out"
read -r _ <&6
forked b
b=$child
exec 7>"$tmp/b-in" 8<"$tmp/b-out"
read -r _ <&8
for each in "$a" "$b"; do
	same 'inherited' "$(semaphore "$each")" 0100
	want 0 count -no-syslog -pid "$each" -stop -for 50ms guarded
	same 'lowered' "$(semaphore "$each")" 0000
	want 0 repair -no-syslog -pid "$each"
	has 'nothing is left' 'nothing to repair'
done
want 0 repair -no-syslog -pid "$parent"
same 'the parent' "$(semaphore "$parent")" 0000

# --- a living session counts in the parent: no number of a child looks like its own
counting -pid "$parent" -stop -format json guarded
first=$session
forked c
exec 5>&- 6<&- 5>"$tmp/c-in" 6<"$tmp/c-out"
read -r _ <&6
kill -STOP "$first"
ask zero
ask 'run 1 100'
pid=$child
screen
pid=$parent
text /guarded
keys Enter
wait_for '# +counts:guarded +2/2 +1 +- +- +other '
keys H
wait_for '# +counts:guarded +2/2 +2 +- +- +you\+1 '
keys Enter
wait_for 'hits +not known: another process has the same counters'
wait_for "hits not known: it shares its counters with process $parent: one was forked from the other"
keys q
wait_for '# +counts:guarded +2/2 +2 +- +- +you\+1 '
keys q
wait_for '^status=0$'
same 'what the living session raised stays' "$(semaphore "$child")" 0100
kill -CONT "$first"
session=$first
interrupted INT 130
same 'every hit of the living session' "$(json 'total["guarded"]["hits"]')" "$(value guarded hits)"
same 'the child' "$(semaphore "$child")" 0000
same 'the parent' "$(semaphore "$parent")" 0000
exec 5>&- 6<&- 7>&- 8<&-
stop

# --- a child shares the counters of its parent, where a pair is measured: neither gives events, rather than the child none
start pairs
type_command "'$PROBES_TUI' -no-syslog -max-overhead 0 -tree $pid"
wait_list
keys '*' H
wait_for 'only if all threads stop|2 of 2 sites|counted +pairs:end'
! grep -q 'only if all' "$tmp/screen" || keys y
wait_state counted 'pairs:start +1/1'
wait_state counted 'pairs:end +1/1'
forked d
exec 5>"$tmp/d-in" 6<"$tmp/d-out"
read -r _ <&6
wait_state counted 'pairs:start +2/2'
keys L
wait_for '^Latency: pairs:start -> end'
wait_for "its pairs are among those of process $pid"
keys q
wait_list
keys v
wait_sentence 'no events: L is measuring (start|end): press L to see it, L again to stop'
keys q
wait_for '^status=0$'
exec 5>&- 6<&-
stop

# --- somebody puts the byte of the file back in a child that counts for its parent: the total is not called complete
start pairs
type_command "'$PROBES_TUI' -no-syslog -max-overhead 0 -pid $pid"
wait_list
text ':stop'
keys Enter
wait_for 'counting may stop the process'
keys '*' H
wait_state counted 'pairs:start +1/1'
forked e
wait_sentence "forked child $child inherited 2 probes"
ask 'run 1 10'
wait_state counted 'pairs:start +1/1 .* 10 '
spoil "$child"
wait_sentence "forked child $child has lost jumps of 1 probe .pairs:start.: another program or session removed them"
wait_state counted 'pairs:start +1/1 .* ~10 '
wait_state counted 'pairs:end +1/1 .* 10 '
unseen 'the other probe is complete' 'pairs:end.*~'
keys G i
wait_sentence 'hits +~10, now .*; a forked child lost a jump: its hits may be missing'
keys q
wait_list
kill -KILL "$child"
keys q
wait_for '^status=0$'
stop
finish
