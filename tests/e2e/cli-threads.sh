#!/bin/sh
# Targets whose threads make things hard: the first one has ended, 256 spin, they come and go by the
# hundred while they are to be stopped, one waits for a child by vfork and cannot be stopped at all.
# Does not cover: targets that end or exec meanwhile (stress/endings.sh), signals and job control
# (cli-stop.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
storm=../stress/storm

# left_alone WHAT: no thread is stopped or traced. One that was let go may not have run yet.
left_alone()
{
	polls=0
	while [ $polls -lt 5000 ]; do
		held=$(cat "/proc/$pid"/task/*/status 2>/dev/null |
			grep -cE '^State:.[Tt]|^TracerPid:.[1-9]')
		[ "$held" -gt 0 ] || break
		polls=$((polls + 1))
	done
	same "threads held $1" "$held" 0
}

# all WORD: every probe of the storm is so.
all()
{
	run info -pid "$pid"
	same "all are $1" "$(awk -v word="$1" '$2 == word' "$tmp/out" | wc -l | tr -d ' ')" 34
}

# --- the first thread has ended; the others, too, one after the other
start $storm --threads 16 --leader-dies
until grep -q '^State:.Z' "/proc/$pid/status"; do sleep 0.01; done
attach -enable-all
all enabled
want 0 attach -no-syslog -quiet -pid "$pid" -stop -max-stop 20000 -disable-all
all disabled
left_alone 'without a leader'
"$PROBES_TUI" attach -no-syslog -quiet -pid "$pid" -enable-all -for 1h 2>"$tmp/held" </dev/null &
session=$!
started="$started $session"
until [ "$(state work_start)" = enabled ]; do sleep 0.01; done
{
	kill -9 $session
	wait $session
} 2>/dev/null
gone $session
want 0 repair -no-syslog -pid "$pid"
has 'repaired' "undid what session $session left behind"
all disabled
# Its descriptors are those of the others: ours is opened in it, filled, and closed.
for _ in 1 2; do
	run count -no-syslog -pid "$pid" -for 1ms -all
	same 'counted without a leader' "$status" 0
	has 'how many' '^probes-tui: counting [1-9][0-9]* of 38 sites of 34 probes'
done
same 'descriptors of ours' \
	"$(find "/proc/$pid"/task/*/fd -lname '*memfd:probes-tui*' 2>/dev/null | wc -l | tr -d ' ')" 0
stop

# --- the one it was opened by has ended before a count begins
start $storm --threads 16 --leader-dies --short-lives
until grep -q '^State:.Z' "/proc/$pid/status"; do sleep 0.01; done
for _ in 1 2 3 4 5; do
	run count -no-syslog -pid "$pid" -for 1ms -all
	same 'counted among short lives' "$status" 0
	has 'how many among them' '^probes-tui: counting [1-9][0-9]* of 38 sites of 34 probes'
done
stop

# --- threads are born and die while all are to be stopped
start $storm --threads 64
failed=0
for _ in 1 2 3 4 5 6 7 8 9 10; do
	for action in -enable-all -disable-all; do
		run attach -no-syslog -quiet -pid "$pid" -stop -max-stop 20000 $action
		[ "$status" = 0 ] || failed=$((failed + 1))
	done
done
same 'calls that failed' "$failed" 0
left_alone 'among births'
all disabled
stop

# --- 256 that never rest
start loop_ocaml2_pie --loop --threads 256
want 0 attach -no-syslog -pid "$pid" -stop -max-stop 60000 -enable multi
has 'how long' 'stopped for [0-9.]+ ms'
left_alone 'of 256'
ask report
same 'registers' "$(value check corrupt)" 0
stop

# --- one cannot be stopped: refused in time, nothing changed, all go on
start $storm --threads 4 --vfork
until grep -q '^State:.D' "/proc/$pid"/task/*/status 2>/dev/null; do sleep 0.01; done
want 6 attach -no-syslog -pid "$pid" -stop -max-stop 300 -enable-all
has 'why' '1 of [0-9]+ threads did not stop in time: uninterruptible, or in vfork'
left_alone 'beside a vfork'
all disabled
attach -enable-all
all enabled
stop
finish
