#!/bin/sh
# Counting in a process that works against it: it replaces the memory for the counters, has decoys
# of it, writes noise into it, unmaps it. We neither crash nor lie, and harm nothing.
. "${srcdir:-.}/tests/e2e/obstacle.sh"
need_switching
need_zydis

# --- another file in the place of the memory: refused, or we were faster
start obstacle
before=$(code)
ask replace
for _ in $(seq 20); do
	tally stop
	[ "$status" = 0 ] || {
		same 'status' "$status" 6
		has 'sentence' 'cannot make counters in process [0-9]+: (it has put another file in the place of the memory for them|mmap in the process failed: .*); '
	}
	same 'code' "$(code)" "$before"
done
ask step
same 'it goes on' "$(value all passes)" 1
stop

# --- decoys
start obstacle
before=$(code)
ask decoy
tally stop
same 'decoys' "$status $(cat "$tmp/err")" '0 '
has 'counted beside decoys' '^evicted 1/1 0 $' "$tmp/out"
same 'code' "$(code)" "$before"
run list -pid "$pid" -quiet
same 'list' "$status" 0
ask step
stop

# --- memory of that name that is the program's own: it stays open
start obstacle
ask own
tally stop
has 'counted beside its own' '^evicted 1/1 0 $' "$tmp/out"
run repair -no-syslog -pid "$pid"
same 'its own descriptors' "$(find "/proc/$pid/fd" -lname '*memfd:probes-tui*' | wc -l)" 2
ask step
stop

# --- noise in the data of an arena, while it is counted, and for the next session
start obstacle
before=$(code)
tally stop
for _ in 1 2 3; do
	ask scribble
	tally stop
	# The records of sessions are noise, too: none seems free.
	same 'noise' "$status $(grep -v 'it cannot be put on record' "$tmp/err")" '0 '
	has 'counted again' '^evicted 1/1 [0-9]+ $' "$tmp/out"
	same 'code' "$(code)" "$before"
done
ask step
same 'it goes on' "$(value all passes)" 1
stop

# --- the landings are gone: a session that finds the arena must not jump there
start obstacle
before=$(code)
tally stop
ask unmap
tally stop wait
same 'unmapped' "$status $(cat "$tmp/err")" '0 '
has 'counted again' '^evicted 1/1 0 $' "$tmp/out"
same 'code' "$(code)" "$before"
mkfifo "$tmp/go"
"$VICTIMS/../e2e/tally" "$pid" stop wait >"$tmp/out" 2>"$tmp/err" <"$tmp/go" &
counting=$!
exec 7>"$tmp/go"
until grep -q counting "$tmp/out"; do sleep 0.01; kill -0 $counting || break; done
ask step
same 'it lives' "$(value all passes)" 1
exec 7>&-
wait $counting
same 'status' $? 0
has 'its hit' '^evicted 1/1 1 $' "$tmp/out"
same 'code' "$(code)" "$before"
stop
# --- it unmaps what it does not know while its hits are counted: that cannot be prevented, but it is said
start obstacle
in_background count -stop -pid "$pid" -all
session_says 'counting [0-9]* of'
ask forget
echo step >&3
wait "$pid"
same 'it dies' $? 139
gone "$pid"
exec 3>&- 4<&-
wait "$session"
gone "$session"
has 'how it ended, and what may be the cause' "the process has crashed: signal 11 \(Segmentation fault\); counting may have contributed, if the program unmaps memory that it did not map itself, runs copies of its own code, runs 32-bit code, uses stacks of a few kilobytes, or disables the time stamp counter in a thread \\(PR_SET_TSC\\); nothing" "$tmp/held"
finish
