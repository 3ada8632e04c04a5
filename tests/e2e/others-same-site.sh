#!/bin/sh
# Others at the same site: bpftrace's uprobe, a cc at the first byte, and the kernel's own count of an
# sdt semaphore. We see it, count beside it, and both go on working.
# Does not cover: an int3 on the byte that switches (cli-counts.sh); perf; a uprobe that comes or goes
# between our reading and writing.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
. "${srcdir:-.}/tests/e2e/uprobes.sh"

# --- theirs first, ours beside it, theirs gone first
file=$VICTIMS/sdt_sema
start sdt_sema
if uprobes victim:shared; then
	theirs=$(mark shared | awk '{ print $NF }')
	same 'a uprobe is seen' "$(mark shared)" "[X] -/2 $theirs"
	# Taken away under it, the kernel could never remove it again.
	want 6 attach -no-syslog -pid "$pid" -disable shared
	has 'its count is not ours to take' 'may own all of its count'
	want 1 attach -no-syslog -quiet -pid "$pid" -disable-all
	same 'it keeps its count' "$(mark shared)" "[X] -/2 $theirs"
	attach -enable shared
	same 'counted beside it' "$(mark shared)" "[X] -/2 $((theirs + 1))"
	uprobes_end
	same 'theirs is gone, ours stays' "$(mark shared)" '[*] -/2 1'
	attach -disable shared
	same 'nothing is left' "$(mark shared)" '[ ] -/2 0'
else
	echo "bpftrace does not work here: $(head -n 2 "$tmp/bperr")"
	gone "$tracer"
fi
stop

# --- at an OCaml site the first byte is theirs, the second ours: both work
file=$VICTIMS/loop_ocaml2_pie
start loop_ocaml2_pie
attach -enable first
if uprobes ocaml_2:first; then
	first=$(run list -pid "$pid"; awk '/ocaml_2:first /{ getline; print $4; exit }' "$tmp/out")
	same 'theirs is at pc' "$(peek "$first" 1)" cc
	same 'ours is on beside it' "$(mark first)" '[*] 1/1 1'
	ask 'step 3'
	same 'the handler runs' "$(value first hits)" 3
	attach -disable first
	same 'off beside it' "$(mark first)" '[ ] 0/1 0'
	attach -enable first
	uprobes_end
	has 'bpftrace counted too' 'first\]: 3' "$tmp/counted"
	same 'theirs is gone' "$(peek "$first" 2)" 90e8
	same 'ours stays' "$(mark first)" '[*] 1/1 1'
	ask 'step 2'
	same 'the handler still runs' "$(value first hits)" 5
else
	gone "$tracer"
fi
stop

finish
