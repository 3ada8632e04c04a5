#!/bin/sh
# latency: the histogram is that of a victim that reads the clock before and after both probes, so that each
# figure lies between two of its own: with 1, 4 and 64 threads, in forked children, by key across threads. What
# is not matched is what the victim did: nested starts, ends that longjmp passes over, threads that die, a
# signal handler inside of pairs. It takes over from count and from a killed session, and leaves the code as found.
# `start` can be counted in every layout, `end` with -stop.
# Does not cover: what runs in the process by itself (unit/test_recorder.c).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
need_zydis
command -v python3 >/dev/null || skip 'no python3'

# --- helpers

# measuring ARG...: in the background, INT and QUIT as they are in the foreground; $session.
measuring()
{
	in_background latency -max-overhead 0 -stop "$@"
	session_says 'measuring pairs:start'
}

# total EXPRESSION: of python, about the last line of the result
total()
{
	python3 -c 'import json, sys
t = [json.loads(line) for line in open(sys.argv[1])][-1]
print(eval(sys.argv[2]))' "$tmp/result" "$1"
}

# unmatched WHAT OPEN ENDS STARTS NESTED LOST
unmatched()
{
	same "$1: not matched" "$(total '"%d %d %d %d %d" % (t["open"], t["end_without_start"],
		t["start_without_end"], t["nested"], t["lost"])')" "$2 $3 $4 $5 $6"
}

# agrees WHAT: as the log of the victim says. Two clocks are compared: a bound may be off by 2 per mille and 2 ns.
agrees()
{
	ask "log $tmp/log"
	same "$1: the log" "$(python3 - "$tmp/result" "$tmp/log" <<'END'
import bisect, json, sys
t = [json.loads(line) for line in open(sys.argv[1])][-1]
pairs = [tuple(map(int, line.split())) for line in open(sys.argv[2])]
inner, outer = sorted(p[0] for p in pairs), sorted(p[1] for p in pairs)
below, bad = 0, []
if t["matched"] != len(pairs) or sum(b["count"] for b in t["buckets"]) != len(pairs):
    bad.append("%d matched of %d" % (t["matched"], len(pairs)))
for b in t["buckets"]:
    below += b["count"]
    to = b["to_ns"]
    least = bisect.bisect_left(outer, to * 0.998 - 2)
    most = bisect.bisect_left(inner, to * 1.002 + 2)
    if not least <= below <= most:
        bad.append("%d below %d ns, not %d to %d" % (below, to, least, most))
def lies(name, value, least, most):
    if not least * 0.998 - 2 <= value <= most * 1.002 + 2:
        bad.append("%s %d, not %d to %d" % (name, value, least, most))
lies("min", t["min_ns"], inner[0], outer[0])
lies("max", t["max_ns"], inner[-1], outer[-1])
lies("mean", t["mean_ns"], sum(inner) // len(inner) - 1, sum(outer) // len(outer) + 1)
for name, share in ("p50_ns", 0.5), ("p90_ns", 0.9), ("p99_ns", 0.99):
    at = int(share * (len(pairs) - 1))
    lies(name, t[name], inner[at] * 0.875, outer[min(at + 1, len(outer) - 1)] * 1.125)
print("; ".join(bad) or "agrees")
END
)" agrees
}

start pairs
remember "$VICTIMS/pairs"

# --- durations
for threads in 1 4 64; do
	ask zero
	measuring -pid "$pid" -format json start,end
	ask "run $threads $((32000 / threads))"
	interrupted
	agrees "$threads threads"
	unmatched "$threads threads" 0 0 0 0 0
	as_found "$threads threads"
done
declared latency "$tmp/result"
same 'keys of JSON' "$(total '" ".join(sorted(k for k in t if k != "buckets"))')" \
	"by end end_without_start events_lost events_undecided lost matched max_ns mean_ns min_ns nested open over_budget p50_ns p90_ns p999_ns \
p99_ns pid prog seconds site_count sites_counted sites_lost start start_without_end stopped_ms table"

# --- what is not matched
measuring -pid "$pid" -format json start,end
ask 'nested 3'
ask 'ends 4'
ask 'left 5'
interrupted
same 'the outermost' "$(total 't["matched"]')" 1
unmatched 'nested, ends, left' 1 4 4 3 0
measuring -pid "$pid" -format json start,end
ask 'died 5'
ask 'run 1 10'
interrupted
same 'the thread after dead ones' "$(total 't["matched"]')" 10
unmatched 'threads that die' 0 0 5 0 0
measuring -pid "$pid" -format json start,end
ask 'signal 20'
interrupted
same 'a handler: no start is lost' "$(total '(t["matched"] >= 20000, t["open"] + t["end_without_start"] +
	t["start_without_end"] + t["lost"])')" '(True, 0)'

# --- children
ask zero
measuring -pid "$pid" -format json start,end
ask 'children 5 2000'
interrupted
same 'children are measured' "$(total 't["matched"]')" 10000
unmatched 'children' 0 0 0 0 0

# --- by key
for key in arg1 arg2; do
	measuring -pid "$pid" -format json start,end -by "$key"
	ask 'keys 8 50'
	interrupted
	same "by $key: across threads" "$(total '"%d %s" % (t["matched"], t["by"])')" "400 $key"
	unmatched "by $key" 0 0 0 0 0
done
measuring -pid "$pid" -format json start,end -by thread
ask 'keys 2 10'
interrupted
same 'by thread, they are not matched' "$(total 't["matched"] + t["start_without_end"] + t["open"]')" 20

# --- other formats
measuring -pid "$pid" -interval 0.1 start,end
ask 'run 1 1000'
shown=0 until=$(($(date +%s) + 60))
while [ "$shown" -lt 1000 ] && kill -0 "$session" && [ "$(date +%s)" -lt "$until" ]; do
	# An interval may end while it runs.
	shown=$(awk '$1 ~ /^[0-9]+\.[0-9]+$/ { n += $2 } END { print n + 0 }' "$tmp/result")
done
same 'pairs of all intervals' "$shown" 1000
interrupted
has 'text' '^ +[0-9.]+ us - +[0-9.]+ us +[0-9]+  \|#+ *\|$' "$tmp/result"
has 'its intervals' '^ +TIME +PAIRS +PAIRS/s +P50 +P90 +P99 +P99.9 +MAX +MEAN$' "$tmp/result"
has 'its total' '^ +1000 +[0-9.]+( +[0-9.]+ (ns|us|ms|s)){7}$' "$tmp/result"
same 'fits into 80 columns' "$(awk 'length > 80' "$tmp/result")" ''
measuring -pid "$pid" -format csv start,end
ask 'run 1 1000'
interrupted
same 'CSV' "$(tail -n 1 "$tmp/result" | cut -d, -f 1-5,7-12)" "total,$pid,pairs:start,pairs:end,thread,1000,0,0,0,0,0"

# --- what costs too much: measuring ends, and the time told is that of the measuring. The last option wins.
ask zero
measuring -pid "$pid" -format json -max-overhead 0.1 -for 60s start,end
echo 'run 1 400000' >&3
wait "$session"
same 'too much: exit status' $? 0
gone "$session"
has 'too much: why' 'no longer measured: [0-9.]+ pairs/s at about 100 ns each cost an estimated' "$tmp/held"
same 'too much: the time is not that of -for' "$(total '(t["over_budget"], t["seconds"] < 30)')" '(True, True)'
read -r _ <&4
as_found 'too much'

# --- we need little stack: where that ends, we would end with jumps in the process
(ulimit -s 1024 && exec "$PROBES_TUI" latency -no-syslog -stop -for 50ms -pid "$pid" start,end) >"$tmp/out" 2>&1
same 'a stack of 1 MiB' $? 0
as_found 'a stack of 1 MiB'

# --- what others left, or do
env --default-signal=INT "$PROBES_TUI" count -no-syslog -stop -pid "$pid" -for 50ms >/dev/null 2>&1
measuring -pid "$pid" -format json start,end
run latency -no-syslog -stop -pid "$pid" start,end
same 'a second one' "$status" 6
has 'its reason' "process $session \\(probes-tui\\) is already measuring times there; wait for it to end, or quit it\$" "$tmp/err"
ask 'run 1 100'
kill -9 "$session"
wait "$session" 2>/dev/null
gone "$session"
ask 'run 1 100'
want 0 repair -no-syslog -pid "$pid"
as_found 'killed'
ask zero
measuring -pid "$pid" -format json start,end
ask 'run 4 500'
interrupted
agrees 'after a killed one'
unmatched 'after a killed one' 0 0 0 0 0
run count -no-syslog -stop -pid "$pid" -for 50ms start
same 'count after it' "$status" 0
as_found 'count after it'

# --- bad input changes nothing
want 2 latency -no-syslog -log "$tmp/audit" -stop -pid "$pid" start,end -by arg3
has 'no such argument' 'cannot match by arg3: (start|end) has 2 arguments'
same 'nothing was counted for it' "$(grep pairs: "$tmp/audit" 2>/dev/null)" ''
want 2 latency -no-syslog -pid "$pid" start,end -by tid
want 2 latency -no-syslog -pid "$pid" start,start
want 2 latency -no-syslog -pid "$pid" start
has 'no end is given' 'START,END: needs two probe names'
want 2 latency -no-syslog -pid "$pid" start,nosuch
want 2 latency -no-syslog -pid "$pid"
as_found 'bad input'

# --- start and end are in two arenas, since one of them was counted alone before; both orders
for first in end start; do
	stop
	start pairs
	remember "$VICTIMS/pairs"
	run count -no-syslog -stop -pid "$pid" -for 50ms "$first"
	same "$first first: exit status" "$status" 0
	ask zero
	measuring -pid "$pid" -format json start,end
	ask 'run 4 500'
	ask 'children 3 500'
	interrupted
	same "$first first: all are matched" "$(total 't["matched"]')" 3500
	unmatched "$first first" 0 0 0 0 0
	as_found "$first first"
	ask zero
	measuring -pid "$pid" -format json start,end
	ask 'run 4 500'
	interrupted
	agrees "$first first"
done

# A child that was born between the two has the older one alone. It jumps there (as if nobody had taken that
# back): its hits come, and do it no harm.
stop
start pairs
in_background count -stop -pid "$pid" end
session_says 'counting 1 of 1 site'
forked child
exec 8>"$tmp/child-in" 9<"$tmp/child-out"
read -r _ <&9
site=$(($(bias "$VICTIMS/pairs") + $(notes "$VICTIMS/pairs" | awk '$2 == "end" { print $3 }')))
jump=$(peek "$site" 5)
kill -9 "$session"
wait "$session" 2>/dev/null
want 0 repair -no-syslog -pid "$pid"
parent=$pid
pid=$child
for byte in $(echo "$jump" | sed 's/../& /g'); do
	poke "$site" "$(printf %o "0x$byte")"
	site=$((site + 1))
done
pid=$parent
measuring -pid "$pid" -format json start,end
echo 'run 2 100' >&8
read_answer 9
ask 'run 1 500'
interrupted
same 'the child ended nothing' "$(total 't["matched"], t["end_without_start"]')" '(500, 200)'
echo quit >&8
exec 8>&- 9<&-

# --- a program that it starts, and that ends
stop
fifos
"$PROBES_TUI" latency -no-syslog -stop -max-overhead 0 -format json -o "$tmp/result" \
	-prog "$VICTIMS/pairs" start,end <"$tmp/in" >"$tmp/answers" 2>"$tmp/held" &
session=$!
started="$started $session"
exec 3>"$tmp/in" 4<"$tmp/answers"
read -r _ pid _ <&4
session_says 'measuring pairs:start'
ask 'run 1 500'
echo quit >&3
exec 3>&- 4<&-
wait "$session"
same 'the status of the program' $? 0
gone "$session"
same 'a program, to its end' "$(total 't["matched"]')" 500
finish
