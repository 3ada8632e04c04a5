#!/bin/sh
# Linux 6.18 writes a call over a nop of five bytes, once a uprobe there is hit. A jump whose displacement are those bytes
# would lead anywhere: such a site is refused, with the reason, before bpftrace comes and while it is there; and what the
# kernel has written stays, and goes with bpftrace.
# Does not cover: kernels that write no call.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
command -v bpftrace >/dev/null || skip 'no bpftrace'
command -v python3 >/dev/null || skip 'no python3'
python3 -c 'import os; v = os.uname().release.split("."); exit((int(v[0]), int(v[1])) < (6, 18))' ||
	skip 'this kernel writes no call'

file=$VICTIMS/widenop
start widenop
site=$(run list -pid "$pid"; awk '/victim:widenop/ { getline; print $4; exit }' "$tmp/out")
same 'the bytes of the file' "$(peek "$site" 6)" 900f1f440000

for stop in '' -stop; do
	# shellcheck disable=SC2086 # none, or one
	want 1 count -no-syslog -pid "$pid" -all -for 50ms $stop
	has "a site that is such a nop $stop" 'it is no nop of one byte, in its file either'
	has "without a uprobe $stop" 'a breakpoint or uprobe behind it would crash the process'
	ask 'step 100'
done

# Whoever is counted now does not survive the next lines.
mkfifo "$tmp/uprobes"
bpftrace -p "$pid" -e "BEGIN { printf(\"begun\\n\"); } uprobe:$file:nop_behind { @ = count(); }" \
	>"$tmp/uprobes" 2>"$tmp/bperr" &
tracer=$!
started="$started $tracer"
exec 7<"$tmp/uprobes"
while read -r line <&7 && [ "$line" != begun ]; do :; done
[ "${line:-}" = begun ] || skip "bpftrace does not work here: $(head -n 2 "$tmp/bperr")"
ask 'step 1000'
theirs=$(peek "$site" 6)
case $theirs in
90cc1f440000 | 90e8*) same 'the uprobe is there' 1 1 ;;
*) fail "the uprobe is not there: $theirs" ;;
esac
for stop in '' -stop; do
	# shellcheck disable=SC2086 # none, or one
	want 1 count -no-syslog -pid "$pid" -all -for 50ms $stop
	has "beside a uprobe $stop" 'another tool holds an instruction right behind it'
	same 'what the kernel wrote stays' "$(peek "$site" 6)" "$theirs"
done
ask 'step 1000'
kill -TERM "$tracer"
cat <&7 >"$tmp/counted"
exec 7<&-
gone "$tracer"
has 'bpftrace counted all' '^@: 2000$' "$tmp/counted"
same 'the bytes of the file are back' "$(peek "$site" 6)" 900f1f440000
ask 'step 100'
same 'the process lives' "$(value widenop passes)" 2300
stop

finish
