#!/bin/sh
# Semaphores in memory that must not be written: RELRO, a page that is now read-only or shared. They
# are listed with the reason and never written, not even by -force or before the program begins; a
# count raised before its page was protected stays on record, and is undone when the page is writable
# again. Proof: the victim's own memory, and that the victim keeps running.
# Does not cover: a page that is protected between the look at maps and the write.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
file=$VICTIMS/sealed

# sealed NAME REASON: nothing is written of it, whatever is tried
sealed()
{
	before=$(live "$file" "$1")
	refuses 6 "victim:$1: .*$2" attach -no-syslog -quiet -pid "$pid" -enable "$1"
	refuses 6 "victim:$1: .*$2" attach -no-syslog -quiet -pid "$pid" -force -enable "$1"
	run attach -no-syslog -pid "$pid" -enable-all -force
	same "memory of $1" "$(live "$file" "$1")" "$before"
	want 0 list -pid "$pid"
	has "why, of $1" "broken: .*$2" "$tmp/out"
	run attach -no-syslog -pid "$pid" -disable-all -force
	ask step
	has 'it runs on' '^done 1$' "$tmp/answer"
}

start sealed
sealed relro RELRO
attach -enable page
ask report
same 'a page that may be written' "$(value page sema)" 1
attach -disable page
ask protect
sealed page 'not writable'
ask unprotect
attach -enable open,page
attach -disable open,page
ask share
sealed page 'shared memory'
attach -enable open
ask step
same 'the rest is switched' "$(value open sema)" 1
attach -disable open
stop

# --- protected while it is ours: on record until it may be written
start sealed
hold -enable page,open
ask protect
kill -TERM "$session"
wait "$session"
same 'it fails' $? 1
gone "$session"
has 'it is said' 'victim:page: .*not writable' "$tmp/held"
has 'and what to do' "repair -pid $pid" "$tmp/held"
ask report
same 'nothing was written there' "$(value page sema)" 1
same 'the rest is switched back' "$(value open sema)" 0
want 1 repair -no-syslog -pid "$pid"
ask unprotect
want 0 repair -no-syslog -pid "$pid"
ask report
same 'repaired' "$(value page sema)" 0
stop

# --- before relocation it can be written still: the file says what it will be
run trace -no-syslog -wait -quiet -enable-all -prog "$file" -- --steps 3
has 'it runs' '^relro calls=9$' "$tmp/out"
has 'switched what may be' '^open sema=1$' "$tmp/out"
finish
