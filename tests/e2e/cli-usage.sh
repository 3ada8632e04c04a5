#!/bin/sh
# The command line itself: verbs, options, values, the rules of ACTIONS, help and version; each
# wrong call is one line and status 2, and touches nothing.
# Does not cover: what the verbs do (the other cli-*.sh), and the options of the screen.
. "${srcdir:-.}/tests/e2e/lib.sh"

# --- verbs and targets
refuses 2 'nothing to do'
refuses 2 'no such verb; give list, info, attach, trace, count, latency, events, histogram, callers, questions, replay, repair, or none' repair-all -pid 1
refuses 2 'no such verb' "$(printf 'a\033[31m\nb')"
refuses 2 'no process or program is named; usage: probes-tui list' list
refuses 2 'no process is named; usage: probes-tui info' info
refuses 2 'no process is named; usage: probes-tui attach' attach -enable-all
refuses 2 'no program is named; usage: probes-tui trace' trace -enable-all
refuses 2 'give one of' list -pid 1 -tree 1
refuses 2 'give one of' list -pid 1 -prog /bin/true
refuses 2 'no program is started' list -prog /bin/true -- arg

# --- options that a verb does not take, and those that nobody does
refuses 2 '-wait: .*usage: probes-tui attach' attach -pid 1 -enable-all -wait
refuses 2 '-enable-all: ' list -pid 1 -enable-all
refuses 2 '-prog: ' attach -prog /bin/true -enable-all
refuses 2 '-pid: ' trace -prog /bin/true -pid 1 -enable-all
refuses 2 '-dry-run: ' info -pid 1 -dry-run
refuses 2 '-format: ' -pid 1 -format json
refuses 2 'no such option' list -frobnicate
refuses 2 'is not an option' list 41872
refuses 2 'takes no value' list -verbose=3 -pid 1
refuses 2 'value is missing' list -pid
refuses 2 'is empty' list -prog ''
refuses 2 'second value' list -prog a -prog b
refuses 2 'not a format of this verb; give one of text\|json\|csv$' list -pid 1 -format xml
refuses 2 'give one of text\|json\|csv$' count -pid 1 -format=chrome
refuses 2 'give one of text\|json\|chrome$' events -pid 1 -all -format csv

# --- numbers
for bad in 0 -1 +1 abc 1x 0x10 ' 1' 1, ,1 1,,2 99999999999 18446744073709551617 1.5; do
	refuses 2 'is not a process id' list -pid "$bad"
	refuses 2 'is not a process id' info --pid="$bad"
done
refuses 2 'is not a process id' list -tree 0
refuses 2 'is not a process id' list -tree 1,2
refuses 2 'twice' list -pid 1,2,1
refuses 2 'twice' list -pid 1 -pid 1
for bad in 0 0.01 -1 x 1e3 ,5 . 3601; do
	refuses 2 'is not an interval' -pid 1 -refresh "$bad"
done

# --- actions
refuses 2 'no action is given; -enable-all' attach -pid 1
refuses 2 'no program is named' trace
refuses 2 'cannot be combined with -enable ' attach -pid 1 -enable a -enable-all
refuses 2 'cannot be combined' attach -pid 1 -enable-pair a,b -disable c
refuses 2 'cannot be combined' attach -pid 1 -enable-regexp a -disable-all
refuses 2 'cannot be combined' attach -pid 1 -enable-all -disable-all
refuses 2 'given twice' attach -pid 1 -enable-all -enable-all
refuses 2 'given twice' attach -pid 1 -enable-regexp a -enable-regexp b
refuses 2 '"a" is named twice' attach -pid 1 -enable a,a
refuses 2 '"b" is named twice' attach -pid 1 -enable a,b -enable b
refuses 2 'enabled and to be disabled' attach -pid 1 -enable a,b -disable c,b
refuses 2 'are equal' attach -pid 1 -enable-pair a,a
refuses 2 'two probe names' attach -pid 1 -enable-pair a
refuses 2 'two probe names' attach -pid 1 -disable-pair a,b,c
refuses 2 'named twice' attach -pid 1 -enable-pair a,b -enable-pair b,c
refuses 2 'empty probe name' attach -pid 1 -enable a,,b
refuses 2 'empty probe name' attach -pid 1 -disable a,
refuses 2 'is empty' attach -pid 1 -enable ''
refuses 2 'only for a program that is started' -pid 1 -enable a
refuses 2 'no program is started' -pid 1 -hold
refuses 2 'no program is started' -pid 1 -end-program

# --- count: PROBES are words, -all or -regexp
refuses 2 'no process or program is named; usage: probes-tui count' count
refuses 2 'no process or program is named' count a
refuses 2 '-all: cannot be combined with names ' count -pid 1 a -all
refuses 2 '-regexp: cannot be combined with -all ' count -pid 1 -all -regexp a
refuses 2 'PROBES: cannot be combined with -regexp ' count -pid 1 -regexp a b
refuses 2 '-all: given twice' count -pid 1 -all -all
refuses 2 '"a" is named twice' count -pid 1 a b,a
refuses 2 'PROBES: an empty probe name' count -pid 1 a,,b
refuses 2 'PROBES: an empty probe name' count -pid 1 ''
refuses 2 '-enable: ' count -pid 1 -enable a
refuses 2 '-force: ' count -pid 1 -force
refuses 2 'no program is started' count -pid 1 a -- b
refuses 2 'without -stop' count -pid 1 -max-stop 5
refuses 2 '-all: ' attach -pid 1 -all
refuses 2 '-interval: ' attach -pid 1 -enable-all -interval 1
for bad in 0 0.01 -1 x 1e3 3601; do
	refuses 2 'is not an interval' count -pid 1 -interval "$bad"
done
for bad in -1 x 1e3 5%; do
	refuses 2 'is not a percentage' count -pid 1 -max-overhead "$bad"
	refuses 2 'is not a percentage' -pid 1 -max-overhead "$bad"
done
for bad in 10001 0.0001 .; do
	refuses 2 'must be 0, or from 0.001 to 10000' count -pid 1 -max-overhead "$bad"
done
refuses 2 'is a second value' count -pid 1 -output a -o b
refuses 1 'cannot write to /nonexistent/x: No such file' count -pid 1 -o /nonexistent/x

# --- help and version, on standard output, from the one table
for help in -help --help '-?' -h; do
	want 0 "$help"
	has "$help" 'probes-tui attach -pid' "$tmp/out"
	want 0 attach "$help"
	has "attach $help" '^  -enable-pair A,B' "$tmp/out"
	same "columns of $help" "$(awk 'length > 80' "$tmp/out")" ''
	want 0 count "$help"
	has "count $help" '^  -interval TIME' "$tmp/out"
done
want 0 -version
has version '^probes-tui [0-9]' "$tmp/out"

# --- both spellings
want 3 list -pid 2147483647
cp "$tmp/err" "$tmp/single"
for spelling in '-pid=2147483647' '--pid 2147483647' '--pid=2147483647'; do
	want 3 list $spelling
	same "$spelling" "$(cat "$tmp/err")" "$(cat "$tmp/single")"
done

# --- gigatext is accepted, with a notice
run list -gigatext -prog "$VICTIMS/loop_ocaml2_pie"
same 'exit status with -gigatext' "$status" 0
has gigatext 'not needed'
finish
