#!/bin/sh
# Counts: several clients hold one probe; disabling what nobody holds; -force; what is refused
# where code and semaphore disagree or another tool holds the byte.
# Does not cover: the upper limits of counts, and two clients at the same instant.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching

# ref NAME: its count, as list says.
ref()
{
	run list -pid "$pid" -quiet
	awk -v name="ocaml_2:$1" '{ sub(/^\[.\] */, "") } $1 == name { print $2, $3 }' "$tmp/out"
}

start loop_ocaml2_pie
attach -enable multi
attach -enable multi
same 'two clients' "$(ref multi)" '5/5 2'
attach -disable multi
same 'one left' "$(ref multi)" '5/5 1'
ask step
same 'still hit' "$(value multi hits)" 5
attach -disable multi
same 'none left' "$(ref multi)" '0/5 0'

# --- a count of 0: an error where the probe was named, skipped elsewhere
before="$(live "$VICTIMS/loop_ocaml2_pie" first)"
for action in '-disable first' '-disable second,first' '-disable-pair work_start,work_end'; do
	run attach -no-syslog -pid "$pid" $action
	same "status of $action" "$([ "$status" -ne 0 ] && echo refused)" refused
	has "$action" '^probes-tui: '
done
for action in '-disable-all' '-disable-regexp fi'; do
	refuses 0 'nothing was switched: [0-9]+ probes? (is|are) off already$' \
		attach -no-syslog -pid "$pid" $action
	silent attach -no-syslog -quiet -pid "$pid" $action
done
same 'untouched' "$(live "$VICTIMS/loop_ocaml2_pie" first)" "$before"

# --- all or nothing: one that cannot be done keeps the other from being done
run attach -no-syslog -pid "$pid" -enable second -disable first
same 'all or nothing' "$([ "$status" -ne 0 ] && echo refused) $(state second)" 'refused disabled'

# --- force sets
attach -enable first
attach -enable first
attach -force -enable first
same 'forced on' "$(ref first)" '1/1 1'
attach -enable first
attach -f -disable first
same 'forced off' "$(ref first)" '0/1 0'
attach -force -disable first
same 'forced off again' "$(ref first)" '0/1 0'

# --- inconsistent: code off, count raised (a tracer that died between)
where=$(address second)
attach -enable second
poke $((where + 1)) 075
same 'inconsistent' "$(state second)" inconsistent
run attach -no-syslog -pid "$pid" -enable second
same 'an inconsistent probe' "$status" 6
has 'why' 'force'
want 1 attach -no-syslog -pid "$pid" -enable-all
has 'not done' 'second'
attach -disable-regexp '[^s].*'
attach -force -enable second
same 'mended by force' "$(ref second)" '1/1 1'
attach -disable second

# --- another tool's byte: never written over
poke $((where + 1)) 314
same 'foreign' "$(state second)" foreign
run attach -no-syslog -pid "$pid" -enable second
same "another tool's byte" "$status" 6
run attach -no-syslog -pid "$pid" -force -enable second
same "another tool's byte, by force" "$status" 6
same 'byte left' "$(peek $((where + 1)) 1)" cc
poke $((where + 1)) 075
# At pc itself another tool is no matter.
poke "$where" 314
attach -enable second
same 'byte at pc left' "$(peek "$where" 2)" cce8
attach -disable second
poke "$where" 220
ask step
same 'after all that' "$(value check corrupt)" 0
stop
finish
