#!/bin/sh
# Several processes are measured from one time on, when the last of them is ready: what hits before that is in no figure
# of latency, events, histogram, callers, stacks or a recording, since no time passes for it, and the session says that
# it counts afterwards. Between two processes the session is held by a lock on the second one.
# Does not cover: count, whose processes have a time each (cli-count.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
. "${srcdir:-.}/tests/e2e/strangers.sh"
need_switching
need_zydis
command -v python3 >/dev/null || skip 'no python3'

counted()
{
	"$PROBES_TUI" list -pid "$pid" | grep -q ' hits 0 '
}

# measured VERB ARG...: 100 hits of the first process before the second one is ready, 10 of each when both are.
measured()
{
	verb=$1
	shift
	locked '' "$pid2" both || skip 'a process of ours cannot be locked'
	in_background "$verb" -max-overhead 0 -stop -pid "$pid,$pid2" "$@" 7>&-
	session_until 'the first process to be counted' counted
	ask 'run 1 100'
	unlocked
	session_says "in process $pid2"
	ask 'run 1 10'
	ask2 'run 1 10'
	kill -INT "$session"
	wait "$session"
	gone "$session"
}

# of WHAT WANTED EXPRESSION [FILE]: of python, about the lines
of()
{
	same "$1" "$(python3 -c 'import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
print(eval(sys.argv[2]))' "${4:-$tmp/result}" "$3")" "$2"
}

mkfifo "$tmp/lock"
cp "$VICTIMS/../stress/locker" "$tmp/locker"
start pairs
start2 pairs

measured latency -format json start,end
of latency '[10, 10]' '[l["matched"] for l in lines if l["table"] == "total"]'
measured latency -format json -record "$tmp/latency.rec" -output "$tmp/table" start,end
want 0 replay -format json "$tmp/latency.rec"
of 'latency, recorded' '[10, 10]' '[l["matched"] for l in lines if l["table"] == "total"]' "$tmp/out"
measured events -format json -record "$tmp/events.rec" start
of events '(20, 0)' 'sum("time_ns" in l for l in lines), lines[-1]["lost"]'
of 'events fit into their time' True \
	'(lambda t: (max(t) - min(t)) / 1e9 <= lines[-1]["seconds"])([l["time_ns"] for l in lines if "time_ns" in l])'
want 0 replay -format json "$tmp/events.rec"
of 'events, recorded' 20 'sum("time_ns" in l for l in lines)' "$tmp/out"
measured histogram -format json start arg1
of histogram '[10, 10]' '[l["events"] for l in lines if l["table"] == "total"]'
measured callers -format json start
of callers 20 'lines[-1]["events"]'
measured callers -stack -format json start
of stacks 20 'lines[-1]["hits"]'
stop
stop2
finish
