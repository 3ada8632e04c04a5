#!/bin/sh
# A target that is frozen by its cgroup, or stopped by job control and then frozen: to hold it still, or to run a system
# call in it, is given up in time, the reason is named, and afterwards it is as it was. By cgroup v2, where a frozen
# thread can be stopped, but runs nothing.
# Needs the freezer of cgroup v1; v2 if it is mounted. Does not cover: a cgroup that we cannot see.
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
has 'why' 'its cgroup has frozen it \(freezer\); thaw it, or try without a stop$'
want 6 count -no-syslog -pid "$pid" -for 50ms
has 'why' 'its cgroup has frozen it \(freezer\); thaw it, then try again$'
unharmed S
kill -STOP "$pid"
until grep -q '^State:.T' "/proc/$pid/status"; do sleep 0.01; done
freeze
timeout 20 "$PROBES_TUI" attach -no-syslog -pid "$pid" -stop -max-stop 100 -enable first 2>"$tmp/err" </dev/null
same 'exit status' $? 6
has 'why' 'its cgroup has frozen it \(freezer\); thaw it, or try without a stop$'
unharmed T
kill -CONT "$pid"
same 'nothing was changed' "$(state first)" disabled

# --- version 2
unified=$(awk '{ for (i = 7; i < NF - 2; i++) if ($i == "-" && $(i + 1) == "cgroup2") { print $5; exit } }' /proc/self/mountinfo)
second=$unified/probes-tui-$$
if [ "$unified" ] && mkdir "$second" 2>/dev/null && [ -w "$second/cgroup.freeze" ]; then
	trap 'thaw; cleanup; wait; rmdir "$group" "$second"' EXIT
	thaw()
	{
		echo 0 >"$second/cgroup.freeze"
	}
	echo "$pid" >"$second/cgroup.procs" && echo 1 >"$second/cgroup.freeze"
	until grep -q 'frozen 1' "$second/cgroup.events"; do sleep 0.01; done
	want 6 count -no-syslog -pid "$pid" -for 50ms
	has 'why' 'its cgroup has frozen it \(freezer\); thaw it, then try again$'
	unharmed S
else
	echo 'no cgroup v2 here: not tried'
fi
stop
finish
