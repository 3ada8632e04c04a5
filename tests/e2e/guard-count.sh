#!/bin/sh
# Where counting must refuse: each time a sentence says what, why and what to try, no byte of the
# code has changed, no descriptor and no tracer is left, and the process goes on.
# Does not cover: shadow stacks (unit/test_tactics.c), full memory cgroups, 32-bit programs (cli-access.sh).
. "${srcdir:-.}/tests/e2e/obstacle.sh"
need_switching
need_zydis

# --- as it should be, and sites that are too near each other
begin
tally stop
counts 'no obstacle' 'punned=1/1 0 ' 'evicted=1/1 0 ' 'near=0/2 0 another site is too near'
tally
counts 'without a stop, by what is mapped' 'punned=1/1 0 ' 'evicted=0/1 0 it can be counted only if all threads stop for a moment'
unharmed 'no obstacle'
stop
begin
tally
counts 'never stopped' 'punned=1/1 0 ' 'evicted=0/1 0 it can be counted only if all threads stop for a moment'
unharmed 'never stopped'
stop

# --- an instruction that may fault is not executed elsewhere, where the process looks at the address
begin
tally stop
counts 'nobody handles a fault' 'load=1/1 0 '
ask recover
tally stop
counts 'a handler of SIGSEGV' 'evicted=1/1 0 ' \
	"load=0/1 0 the instruction after it can fault, and the program's signal handler would then see the wrong address"
# Of an earlier session, too; and while others are counted.
mkfifo "$tmp/go"
"$VICTIMS/../e2e/tally" "$pid" stop wait >"$tmp/out" 2>"$tmp/err" <"$tmp/go" &
counting=$!
exec 7>"$tmp/go"
until grep -q counting "$tmp/out"; do kill -0 $counting || break; done
ask 'step 3'
same 'each fault was caught' "$(value all passes) $(value all caught)" '3 3'
exec 7>&-
wait $counting
same 'exit status of counting the others' $? 0
rm "$tmp/go"
has 'the others were counted' '^evicted 1/1 3 $' "$tmp/out"
unharmed 'a handler of SIGSEGV' 4
stop

# One that is installed while the process is counted.
begin
in_background count -stop -pid "$pid" -all
session_says 'counting [0-9]* of'
checks=$((checks + 1))
! grep -q handler "$tmp/held" || fail 'a handler before there is one'
ask recover
session_says "process $pid installed a signal handler after counting began"
interrupted INT 130
ask 'step 1'
same 'its own instruction faults again' "$(value all caught)" 1
unharmed 'a handler that came later' 2
stop

# --- nothing can be run in it
begin
ask seccomp
no seccomp 6 'cannot run a system call in process [0-9]+: (a|its) seccomp filter .*; (start it without|leave this process out|try as root)' stop
same 'nothing is mapped' "$(mappings)" 0
unharmed seccomp
stop
begin
ask epoll
no epoll 6 'waits in epoll_wait, which would return too early; try again while it works, or allow its threads to be stopped'
same 'nothing is mapped' "$(mappings)" 0
ask step # wakes it
same 'it was not woken before' "$(sed -n 1p "$tmp/answer")" 'waited 1'
unharmed epoll 2
stop
begin
ask epoll
tally stop
counts 'epoll, with a stop' 'punned=1/1 0 ' 'evicted=1/1 0 '
read -r word <&4
same 'the loop sees EINTR' "$word" 'waited -1'
ask step
unharmed 'epoll, with a stop' 2
stop
begin
ask loop
run latency -no-syslog -stop -pid "$pid" punned,evicted -for 50ms
same 'latency, with a stop, of a loop that waits in epoll' "$status $(grep -c 'would return too early' "$tmp/err")" '0 0'
ask step
unharmed 'latency of a loop' 2
stop
for how in '' stop; do
	# shellcheck disable=SC2086 # no word, or one
	"$VICTIMS/../e2e/tally" self $how >"$tmp/out" 2>"$tmp/err"
	same "a process cannot count itself $how" "$?" 6
	has 'and why' 'process [0-9]+: it is the caller, and a process cannot trace itself; count from another process'
done
for stack in coroutine beside; do
	begin
	ask $stack
	no $stack 6 'too little stack, or a stack of an unknown kind; try again'
	same 'nothing is mapped' "$(mappings)" 0
	ask step
	unharmed $stack 2
	stop
done
begin
kill -STOP "$pid"
until grep -q '^State:.T' "/proc/$pid/status"; do sleep 0.01; done
no 'stopped by job control' 6 'stopped by job control; continue it \(kill -CONT\)' stop
same 'it is still stopped' "$(awk '/^State:/ { print $2 }' "/proc/$pid/status")" T
kill -CONT "$pid"
same 'nothing is mapped' "$(mappings)" 0
unharmed 'stopped by job control'
stop
begin
ask traced
no traced 4 'process [0-9]+ \(obstacle\) traces it already; let the other tool go first' stop
same 'nothing is mapped' "$(mappings)" 0
unharmed traced
stop

# --- not all of it can be stopped: what needs no stop is counted
begin --threads 2
ask traced
no 'a traced thread' 4 'cannot stop process .*traces it already; try without a stop' stop
unharmed 'a traced thread'
tally
counts 'a traced thread' 'punned=1/1 0 '
unharmed 'a traced thread' 2
stop
begin --threads 2
mkfifo "$tmp/wait"
echo "vfork $tmp/wait" >&3
until grep -q '^State:.D' "/proc/$pid/status"; do sleep 0.01; done
no vfork 6 'cannot stop process .*1 of 3 threads did not stop in time: uninterruptible, or in vfork; try without a stop' stop
tally
counts 'vfork' 'punned=1/1 0 '
: >"$tmp/wait"
read_answer 4
unharmed vfork
stop
begin
ask relative
relative=$(sed -n 's/^relative pid=//p' "$tmp/answer")
started="$started $relative"
no 'a relative' 6 "cannot stop process $pid: process $relative \\(obstacle\\) runs in the same memory .*; try again when one of them has ended, or without a stop" stop
unharmed 'a relative'
tally
counts 'a relative' 'punned=1/1 0 '
unharmed 'a relative' 2
kill -9 "$relative"
until tally stop && [ "$status" = 0 ]; do sleep 0.01; done
counts 'no relative any more' 'evicted=1/1 0 '
unharmed 'no relative any more' 3

# It comes while a site is evicted: that site is left as it is, on record, until it has gone.
mkfifo "$tmp/go"
"$VICTIMS/../e2e/tally" "$pid" stop wait >"$tmp/out" 2>"$tmp/err" <"$tmp/go" &
counting=$!
exec 7>"$tmp/go"
until grep -q counting "$tmp/out"; do sleep 0.01; kill -0 $counting || break; done
ask relative
relative=$(sed -n 's/^relative pid=//p' "$tmp/answer")
started="$started $relative"
exec 7>&-
wait $counting
same 'it cannot be taken back' $? 6
has 'why, and not what nobody can do now' \
	"process $relative \\(obstacle\\) runs in the same memory.*; jumps of several bytes are removed only while all threads are stopped: try"
checks=$((checks + 1))
[ "$(code)" != "$before" ] || fail 'it was taken back'
ask step
kill -9 "$relative"
until run repair -no-syslog -pid "$pid" && [ "$status" = 0 ]; do sleep 0.01; done
unharmed 'repaired' 5
stop

# --- its limits
# What a limit only just permits would make the next mapping of the process fail.
for limit in 'memory 8 address space RLIMIT_AS as' 'lock 8 locked memory RLIMIT_MEMLOCK memlock'; do
	# shellcheck disable=SC2086 # words
	set -- $limit
	begin
	ask "$1 $2"
	same "$5 is set" "$(cat "$tmp/answer")" done
	for how in stop dry; do
		[ "$1 $how" != 'lock dry' ] || continue # seen when the first page is locked
		no "$5" 6 "cannot make counters in process $pid: they need 7\\.[0-9] MiB of its $3 $4; $5 leaves [78]\\.[0-9] MiB, and counters may take only a quarter of that; raise the limit \(prlimit --pid $pid --$6=\.\.\.\), or let the kernel count" $how
	done
	same 'nothing is mapped' "$(mappings)" 0
	ask 'map 5'
	same 'it maps what it needs' "$(cat "$tmp/answer")" done
	unharmed "$5"
	stop
	begin
	ask "$1 100"
	if grep -q done "$tmp/answer"; then # only root may raise the second
		tally stop
		counts "enough of $5" 'punned=1/1 0 ' 'evicted=1/1 0 '
		ask 'map 75'
		same 'three quarters are left' "$(cat "$tmp/answer")" done
		unharmed "enough of $5"
	fi
	stop
done
begin
ask 'pin 2'
tally stop
counts 'what it does not lock is not limited' 'evicted=1/1 0 '
unharmed 'one locked page'
stop
begin
ask files
no RLIMIT_NOFILE 6 'memfd_create in the process failed: Too many open files; raise its limit of descriptors' stop
same 'nothing is mapped' "$(mappings)" 0
unharmed RLIMIT_NOFILE
stop
most=$(cat /proc/sys/vm/max_map_count)
if [ "$most" -le 262144 ]; then
	begin
	ask "mappings $((most - 200))"
	tally stop
	counts vm.max_map_count 'punned=0/1 0 it would need more mappings than the process may have'
	same 'nothing is mapped' "$(mappings)" 0
	unharmed vm.max_map_count
	stop
fi

# --- code that cannot be written
begin
ask share
no 'shared code' 1 'cannot write at 0x[0-9a-f]+: .*shared mappings'
unharmed 'shared code'
stop

# --- a foreign byte
begin
punned=$((0x$(notes "$file" | awk '$2 == "punned" { sub("0x", "", $3); print $3 }')))
for at in $punned $((punned + 1)); do
	old=$(peek "$at" 1)
	poke "$at" 314
	changed=$(code)
	tally stop
	[ "$at" = "$punned" ] && why='another tool .*' || why='another tool holds an instruction right behind it.*'
	counts "a breakpoint at $at" "punned=0/1 0 .*$why" 'evicted=1/1 0 '
	same 'it is left alone' "$(code)" "$changed"
	poke "$at" "$(printf %o "0x$old")"
done
unharmed 'a breakpoint'
stop

# --- not permitted
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	begin
	lend "$VICTIMS/../../libprobes.so.0"
	lend "$VICTIMS/../e2e/tally"
	LD_LIBRARY_PATH=$tmp setpriv --reuid 65534 --clear-groups --inh-caps=-all "$lent" "$pid" >"$tmp/out" 2>"$tmp/err" </dev/null
	same 'somebody else' $? 4
	unharmed 'somebody else'
	stop
fi

# --- too few descriptors of ours: all of it, or nothing
begin
good=0
for n in $(seq 4 24); do
	(
		ulimit -n "$n" || exit 99
		exec "$VICTIMS/../e2e/tally" "$pid" stop
	) >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	! grep -q 'error while loading' "$tmp/err" || continue
	if [ "$status" = 0 ]; then
		has "counted with $n" '^evicted 1/1 0 $' "$tmp/out"
		good=$((good + 1))
	else
		has "with $n" 'tally has no file descriptors left'
		same "nothing is mapped with $n" "$(mappings)" 0
	fi
	same "descriptors with $n" "$(find "/proc/$pid/fd" -lname '*memfd:probes-tui*' | wc -l)" 0
	same "code with $n" "$(code)" "$before"
done
checks=$((checks + 1))
[ "$good" -gt 0 ] || fail 'no limit was enough'
unharmed 'few descriptors'
stop
finish
