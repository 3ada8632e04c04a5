#!/bin/sh
# Counters that were inherited by fork, on the screen: where a living session counts in the parent, a child shows no
# number, and why; what Q left in a parent is lowered in each of its children once.
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
wait_for "hits not known: it shares its counters with process $parent, from which it was forked"
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
finish
