#!/bin/sh
# Several processes in one call: -pid N,N, -tree N and -comm NAME; one that fails does not keep the others from
# being done, and has its own line; the exit status says done in part.
# Does not cover: processes that come and go while the call runs.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
start loop_ocaml2_pie
start2 loop_ocaml1_pie

silent attach -no-syslog -pid "$pid,$pid2" -enable multi
ask step
same 'the first' "$(value multi hits)" 5
ask2 step
same 'the second' "$(value multi hits)" 5

want 0 info -pid "$pid,$pid2"
has 'whose row' "^$pid multi enabled$" "$tmp/out"
has 'whose row' "^$pid2 from_start enabled$" "$tmp/out"
want 0 list -pid "$pid" -pid "$pid2"
has 'title' "^pid $pid /.*loop_ocaml2_pie$" "$tmp/out"
has 'title' "^pid $pid2 /.*loop_ocaml1_pie$" "$tmp/out"
want 0 list -pid "$pid,$pid2" -format json
has 'an array' '^\[\{"pid": ' "$tmp/out"
want 0 list -pid "$pid,$pid2" -format csv
same 'one header' "$(grep -c '^pid,' "$tmp/out")" 1

# --- one of them has no such probe: it alone fails
want 1 attach -no-syslog -pid "$pid,$pid2" -disable from_start
has 'its line' "pid $pid: "
same 'the other is done' "$("$PROBES_TUI" info -pid "$pid2" | grep -c 'from_start disabled')" 1
want 1 attach -no-syslog -pid "2147483646,$pid" -disable multi
has 'its line' '2147483646'
ask step
same 'the other is done' "$(value multi hits)" 5

# --- all fail alike
want 3 attach -no-syslog -pid 2147483646,2147483647 -enable-all
same 'a line each' "$(grep -c '^probes-tui: ' "$tmp/err")" 2
want 2 attach -no-syslog -pid "$pid,$pid2" -enable no_such_probe

# --- a tree: this shell, which has no probes and is passed over, and its children
silent attach -no-syslog -tree $$ -enable second
ask step
same 'a child' "$(value second hits)" 1
ask2 step
same 'the other child' "$(value second hits)" 1
want 0 info -tree "$pid"
has 'a tree of one' "^$pid second enabled$" "$tmp/out"
refuses 3 2147483647 info -tree 2147483647
stop
stop2

# --- by name: one that only ours have; longer than the 15 bytes that the kernel keeps of it
name=victim$$
cp "$VICTIMS/loop_ocaml2_pie" "$tmp/$name"
cp "$VICTIMS/loop_ocaml2_pie" "$tmp/${name}_of_a_long_name"
VICTIMS=$tmp
start "$name"
start2 "${name}_of_a_long_name"
silent attach -no-syslog -comm "$name" -enable multi
same 'that one' "$(state multi)" enabled
want 0 info -comm "$name"
has 'says which' "^$pid multi enabled$" "$tmp/out"
same 'only that one' "$(grep -cv "^$pid " "$tmp/out")" 0
want 0 info -comm "${name}_of_a_long_name"
same 'only the other one' "$(grep -cv "^$pid2 " "$tmp/out")" 0
refuses 3 'no process has this name' list -comm "no_$name"
refuses 2 'give one of' list -comm "$name" -pid "$pid"
stop
stop2
finish
