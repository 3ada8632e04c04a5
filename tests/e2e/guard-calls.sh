#!/bin/sh
# The system calls of the whole program, counted by strace, with 10,000 probes and 30,000 sites:
# calls that grow with ranges, not with probes; writes that are the plan's and no more; and while
# the target stands still, nothing but looking and writing.
# Not covered: times (make bench); the same without the program (unit/test_guard.c).
. "${srcdir:-.}/tests/e2e/lib.sh"

command -v strace >/dev/null || skip 'no strace'
strace -f -qq -o /dev/null true 2>/dev/null || skip 'strace may not trace here'
need_switching

# A sanitizer cannot look for leaks in what strace traces.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS

start many
probes=10000 sites=30000

# traced ARG...: our program under strace, its calls in $tmp/calls.
traced()
{
	strace -f -qq -o "$tmp/calls" "$PROBES_TUI" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	same "exit status of $* under strace" $? 0
}

# calls NAME: how many of them.
calls()
{
	grep -cE "^[0-9]+ +$1\\(" "$tmp/calls"
}

# at_most WHAT GOT MOST
at_most()
{
	checks=$((checks + 1))
	[ "$2" -le "$3" ] || fail "$1: $2, at most $3 wanted"
}

# --- reading: the states are one call; the rest finds the objects (their headers, their build-ids)
traced info -pid "$pid"
same 'lines of info' "$(wc -l <"$tmp/out" | tr -d ' ')" "$probes"
reads=$(calls process_vm_readv)
# Who may not open what is mapped itself tells each library at its path by its build-id in memory.
opens_mapped && files=0 ||
	files=$(awk '$2 ~ /x/ && $5 && !seen[$5]++ && !/\/many$/' "/proc/$pid/maps" | wc -l)
same 'reads of the process' "$reads" $((1 + files))
same 'writes to the process' "$(calls pwrite64)" 0
same 'ptrace calls of a look' "$(calls ptrace)" 0
# (350; twice as many under a sanitizer, and some for each library: far from one a probe)
at_most 'calls of info' "$(wc -l <"$tmp/calls")" 1500

# --- switching: as many writes as there are sites and counts; two looks for 1,024 of them, and one
# reading before and one after
writes=$((sites + probes))
batches=$(((writes + 1023) / 1024))
traced attach -no-syslog -pid "$pid" -enable-all
same 'writes of a switch' "$(calls pwrite64)" "$writes"
same 'bytes of each write' "$(grep -E '^[0-9]+ +pwrite64\(' "$tmp/calls" | grep -c ', 1, ')" "$writes"
same 'looks of a switch' "$(calls process_vm_readv)" $((reads + 2 * batches + 1))
same 'ptrace calls of a switch' "$(calls ptrace)" 0
at_most 'other calls of a switch' "$(($(wc -l <"$tmp/calls") - writes))" 2500

# --- the same with -stop: between the first look and letting go, looks and writes and nothing else
traced attach -no-syslog -pid "$pid" -disable-all -stop -max-stop 60000
same 'writes of a switch that stops' "$(calls pwrite64)" "$writes"
helper=$(awk '$2 ~ /^ptrace\(PTRACE_SEIZE/ { print $1; exit }' "$tmp/calls")
awk -v helper="$helper" '
	$1 != helper || $2 ~ /^(---|\+\+\+|<\.\.\.)/ { next } # signals, ends, "<... CALL resumed>"
	$2 ~ /^ptrace\(PTRACE_DETACH/ { exit }
	$2 ~ /^process_vm_readv\(/ { still = 1 }
	still { sub(/\(.*/, "", $2); print $2 }' "$tmp/calls" | sort | uniq -c |
	awk '{ print $2, $1 }' >"$tmp/still"
same 'calls while it stands still' "$(paste -s -d ' ' "$tmp/still")" \
	"process_vm_readv $((2 * batches)) pwrite64 $writes"

stop

# --- and the stop itself: all are seized, then all are told, then all are waited for (a tick may have that
# begin anew), and whoever does it gets to run first. One after the other takes a hundred times as long
# where threads spin.
start loop_ocaml2_pie --threads 16
traced attach -no-syslog -pid "$pid" -enable first -stop -max-stop 60000
helper=$(awk '$2 ~ /^ptrace\(PTRACE_SEIZE/ { print $1; exit }' "$tmp/calls")
same 'order of a stop' "$(awk -v helper="$helper" '
	$2 ~ /^sched_setscheduler\(/ && !raised { raised = 1; print "first" }
	$1 != helper { next }
	$2 ~ /PTRACE_GETREGS/ { next }
	match($2, /PTRACE_[A-Z]*/) { print substr($2, RSTART, RLENGTH) }
	$2 ~ /^waitid\(/ && !waited[$3]++ { print "wait" }' "$tmp/calls" | uniq -c | awk '{ print $2, $1 }' | paste -s -d ' ' -)" \
	'first 1 PTRACE_SEIZE 17 PTRACE_INTERRUPT 17 wait 17 PTRACE_DETACH 17'
attach -disable first
stop
finish
