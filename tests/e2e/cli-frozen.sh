#!/bin/sh
# A target that is stopped by job control and then frozen: to hold it still is given up in time, and
# afterwards it is as it was. The same where it is frozen only.
# Needs the freezer of cgroup v1. Does not cover: that of v2, where a frozen thread can be stopped.
. "${srcdir:-.}/tests/e2e/lib.sh"
freezable || skip 'not root, or no freezer of cgroup v1'
need_switching

# unharmed STATE: whoever is thawed is in that state in the end, and nobody traces it.
unharmed()
{
	thaw
	polls=0
	while [ $polls -lt 5000 ]; do
		now=$(awk '/^(State|TracerPid):/ { print $2 }' "/proc/$pid"/task/*/status | sort -u | paste -s -d ' ' -)
		[ "$now" != "0 $1" ] || break
		polls=$((polls + 1))
	done
	same 'states and tracers' "$now" "0 $1"
}

start loop_ocaml2_pie --threads 2
freeze
want 6 attach -no-syslog -pid "$pid" -stop -max-stop 100 -enable first
has 'why' '3 of 3 threads did not stop in time'
unharmed S
kill -STOP "$pid"
until grep -q '^State:.T' "/proc/$pid/status"; do sleep 0.01; done
freeze
timeout 20 "$PROBES_TUI" attach -no-syslog -pid "$pid" -stop -max-stop 100 -enable first 2>"$tmp/err" </dev/null
same 'exit status' $? 6
has 'why' 'could not all be seized in time: .*frozen.*permit a longer one'
unharmed T
kill -CONT "$pid"
same 'nothing was changed' "$(state first)" disabled
stop
finish
