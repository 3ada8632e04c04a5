#!/bin/sh
# histogram: the distribution of an argument is that of a victim that logs its hits: numbers of every kind, texts from
# good and bad pointers, threads; -where; two processes; intervals add up to the total; what is lost, or does not fit, is
# counted; texts are escaped in every format; bad input changes nothing.
# Does not cover: buckets in detail (unit/test_distribution.c); how events are kept (cli-events.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
command -v python3 >/dev/null || skip 'no python3'

# --- helpers

# distribution ARG...: in the background, INT and QUIT as they are in the foreground; $session.
distribution()
{
	in_background histogram -max-overhead 0 -stop -interval 50ms "$@"
	# From the first table on, events are kept.
	until [ "$(wc -l <"$tmp/result")" -gt 2 ]; do
		kill -0 "$session" 2>/dev/null || {
			fail "the session ended: $(cat "$tmp/held")"
			finish
		}
		sleep 0.01
	done
	ask zero
}

# too_much PROBE ARGUMENT: until it was given up, since it cost more than -max-overhead; $tmp/held says so.
too_much()
{
	in_background histogram -stop -pid "$pid" -format json "$@" -interval 50ms -max-overhead 0.1
	until grep -q . "$tmp/result"; do
		kill -0 "$session" 2>/dev/null || break
		sleep 0.01
	done
	ask 'run 1 200000'
	session_says 'no more events'
	interrupted
}

# total EXPRESSION: of python; t is the last line of the result, l all lines
total()
{
	python3 -c 'import json, sys
l = [json.loads(line) for line in open(sys.argv[1])]
t = l[-1]
print(eval(sys.argv[2]))' "$tmp/result" "$1"
}

# agrees WHAT PROBE N: the total is the distribution of argument N in the log of the victim.
agrees()
{
	ask "log $tmp/log"
	same "$1: the log" "$(python3 - "$tmp/result" "$tmp/log" "$2" "$3" <<'END'
import json, sys, collections
t = [json.loads(line) for line in open(sys.argv[1])][-1]
probe, n = sys.argv[3], int(sys.argv[4])
logged = []
for line in open(sys.argv[2]):
    tid, name, before, after, which, *args = line.rstrip("\n").split(" ")
    if which == probe:
        logged.append(args[n - 1])
bad = []
def check(what, got, wanted):
    if got != wanted:
        bad.append("%s: %r, not %r" % (what, got, wanted))
check("events", t["events"], len(logged))
check("lost", t["lost"], 0)
check("argument", t["arg"], "arg%d" % n)
check("probe", (t["provider"], t["name"]), ("logs", probe))
check("complete", t["values_complete"], True)
if probe == "say" and n == 2:
    check("unreadable", t["unreadable"], logged.count("-"))
    check("min", t["min"], None)
    check("buckets", t["buckets"], [])
    counts = collections.Counter(bytes.fromhex(a).split(b"\0")[0] for a in logged if a != "-")
    got = {}
    for v in t["values"]:
        text = v["text"]
        text = b"\xff\xfe z" if "\\xff" in text else text.encode("latin-1")
        got[text] = v["count"]
        check("cut", v.get("cut", False), len(text) in (10, 200))
    check("texts", got, dict(counts))
else:
    numbers = [float(a) if "." in a else int(a) for a in logged]
    check("unreadable", t["unreadable"], 0)
    check("min", t["min"], min(numbers))
    check("max", t["max"], max(numbers))
    if abs(t["mean"] - sum(numbers) / len(numbers)) > 1e-9:
        bad.append("mean %r" % t["mean"])
    check("values", {v["value"]: v["count"] for v in t["values"]}, dict(collections.Counter(numbers)))
    for b in t["buckets"]:
        check("bucket %s" % b, b["count"], sum(b["from"] <= x < b["to"] for x in numbers))
    check("buckets", sum(b["count"] for b in t["buckets"]), len(numbers))
check("distinct", t["distinct"], len(t["values"]))
check("order", [v["count"] for v in t["values"]], sorted((v["count"] for v in t["values"]), reverse=True))
print("; ".join(bad[:3]) or "agrees")
END
)" agrees
}

# What is left uncounted has no events, and says so: $counted.
start_counted logs few say
remember "$VICTIMS/logs"

# --- numbers: as the log has them
for threads in 1 4 16; do
	distribution -pid "$pid" -format json few arg2
	ask "run $threads 100"
	interrupted
	agrees "$threads threads" few 2
	as_found "$threads threads"
done
declared histogram "$tmp/result"
same 'keys of JSON' "$(total '" ".join(sorted(t))')" 'arg argument buckets distinct events lost max mean min name only_counted over_budget pid provider seconds sites_lost table unreadable values values_complete'
case " $counted " in *' many '*)
	for argument in 2 3 4 5 6 7 8 9; do
		distribution -pid "$pid" -format json many "arg$argument"
		ask 'run 2 300'
		interrupted
		agrees "argument $argument of many" many "$argument"
	done
	# The ninth one is in memory, which a system call would read.
	too_much many arg1
	has 'only what is asked for is read' 'many: no more events, .* hits/s at about 100 ns each cost' "$tmp/held"
	;;
esac

# --- intervals add up to the total
distribution -pid "$pid" -format json few arg1
sum=0
for n in 10 100 1000; do
	ask "run 1 $n"
	sum=$((sum + n))
	# Until a table has them.
	until [ "$(total 'sum(i["events"] for i in l if i["table"] == "interval")' 2>/dev/null)" = "$sum" ]; do
		kill -0 "$session" || break
		sleep 0.01
	done
done
interrupted
agrees 'in parts' few 1
same 'intervals' "$(total '[sum(b["count"] for i in l[:-1] for b in i["buckets"]), sum(v["count"] for i in l[:-1] for v in i["values"]),
	t["table"], set(i["table"] for i in l[:-1])]')" "[1110, 1110, 'total', {'interval'}]"

# --- texts
# of_texts ARG...: 7 of each. They are read within half a second of a look at the threads: on a busy machine, in another
# attempt.
of_texts()
{
	for _ in $(seq 20); do
		distribution -pid "$pid" "$@"
		ask 'texts 7'
		interrupted
		! grep -q 'select 1' "$tmp/result" || break
	done
}
of_texts -format json say arg2 -str arg2
agrees 'texts' say 2
of_texts say arg2 -str arg2
has 'a text' '^ +7 +14\.3 %  "select 1"$' "$tmp/result"
has 'an escaped text' '^ +7 +14\.3 %  "\\"quoted\\" \\\\ \\x0a\\x09\\x1b\[31m"$' "$tmp/result"
has 'what is not text' '"\\xff\\xfe z"$' "$tmp/result"
has 'a long text' '"x{200}"\.\.\.$' "$tmp/result"
has 'bad pointers' '^not in the histogram: 21 values could not be read$' "$tmp/result"
has 'why' '^probes-tui: 21 values could not be read: the operand is unknown, or nothing can be read at the address$' "$tmp/held"
same 'raw bytes in the text' "$(LC_ALL=C grep -c '[^ -~]' "$tmp/result")" 0
of_texts -format csv say arg2 -str arg2
same 'a heading of CSV' "$(head -n 1 "$tmp/result")" 'table,pid,provider,name,arg,seconds,kind,from,to,value,count,argument'
has 'CSV: events' "^total,$pid,logs,say,arg2,[0-9.]+,events,,,,70,[a-z]*$" "$tmp/result"
has 'CSV: a text' "^total,$pid,logs,say,arg2,[0-9.]+,text,,,\"?select 1\"?,7,[a-z]*$" "$tmp/result"
same 'raw bytes in CSV' "$(LC_ALL=C grep -c '[^ -~]' "$tmp/result")" 0

# --- text: figures, ranges, the most frequent values
distribution -pid "$pid" few arg1
ask 'run 1 100'
ask 'run 3 7'
interrupted
has 'figures' '^ +121 +[0-9.]+ +100 +1 +100 +42\.42[0-9]*$' "$tmp/result"
has 'a range' '^\[64, 128\) +37 +30\.6 %  \|#{28}\|$' "$tmp/result"
has 'a value' '^ +4 +3\.3 %  7$' "$tmp/result"
has 'the others' '^ +90 +74\.4 %  \(90 other values\)$' "$tmp/result"
has 'intervals have a time' '^-- [0-9.]+ s --$' "$tmp/result"
has 'the end' '^measured for [0-9.]+ s$' "$tmp/result"
same 'nothing is missing' "$(grep -c 'not in the histogram\|not counted' "$tmp/result")" 0

# --- a filter, and an end by number
distribution -pid "$pid" -format json few arg1 -where 'arg2 < -90'
ask 'run 2 100'
interrupted
same 'a filter' "$(total '(t["events"], t["min"], t["max"], t["distinct"])')" '(20, 91, 100, 10)'
distribution -pid "$pid" -format json few arg1 -max 5
ask 'run 1 20'
wait "$session"
same 'as many as asked: exit status' $? 0
gone "$session"
same 'as many as asked' "$(total '(t["events"], t["max"])')" '(5, 5)'
as_found 'as many as asked'

# --- two processes: JSON keeps them apart, text sums them up
tries=0 counted2=0
until [ "$counted2" = 1 ] || [ "$tries" = 20 ]; do
	tries=$((tries + 1))
	[ "$tries" -eq 1 ] || stop2
	start2 logs
	run count -no-syslog -stop -pid "$pid2" few -for 50ms -format json
	counted2=$(python3 -c 'import json, sys
print([json.loads(line) for line in open(sys.argv[1])][-1]["probes"][0]["sites_counted"])' "$tmp/out")
done
if [ "$counted2" = 1 ]; then
	for format in json text; do
		distribution -pid "$pid,$pid2" -format "$format" few arg1
		ask 'run 1 100'
		ask2 'run 2 200'
		interrupted
		[ "$format" = text ] || same 'two processes' "$(total "[(i['events'], i['max'], i['distinct'])
			for p in ($pid, $pid2) for i in l if i['table'] == 'total' and i['pid'] == p]")" \
			'[(100, 100, 100), (400, 200, 200)]'
	done
	has 'two processes' '^ +500 +[0-9.]+ +200 +1 +200 +90\.5$' "$tmp/result"
	has 'a value of both' '^ +3 +0\.6 %  1$' "$tmp/result"
fi
stop2

# --- events that were lost are counted
distribution -pid "$pid" -format json few arg1
kill -STOP "$session"
ask 'run 4 10000'
kill -CONT "$session"
interrupted
same 'what is lost' "$(total '(t["lost"] > 1000, t["events"] + t["lost"])')" '(True, 40000)'
distribution -pid "$pid" few arg1 -quiet
kill -STOP "$session"
ask 'run 4 10000'
kill -CONT "$session"
interrupted
has 'in the text, though -quiet' '^not in the histogram: [0-9]+ events were lost$' "$tmp/result"

# --- what costs too much is only counted, and says so
too_much few arg1
has 'too much: why' 'few: no more events, its hits are only counted: [0-9]+ hits/s' "$tmp/held"
same 'too much: said' "$(total '(t["over_budget"], t["events"] + t["lost"] + t["only_counted"] <= 200000)')" '(True, True)'
as_found 'too much'

# --- bad input changes nothing
want 2 histogram -no-syslog -stop -pid "$pid" few arg3
has 'no such argument' 'there is no arg3: few has 2 arguments'
want 2 histogram -no-syslog -stop -pid "$pid" few arg2 -str arg2
has 'no pointer' 'arg2 cannot be a text: .* integer of 8 bytes'
want 2 histogram -no-syslog -stop -pid "$pid" few arg1 -str arg2
want 2 histogram -no-syslog -stop -pid "$pid" few
has 'no argument' 'give one probe and one of its arguments'
want 2 histogram -no-syslog -stop -pid "$pid" few say
want 2 histogram -no-syslog -stop -pid "$pid" few,say arg1
want 2 histogram -no-syslog -stop -pid "$pid" few arg13
want 2 histogram -no-syslog -stop -pid "$pid" few arg1 arg2
want 2 histogram -no-syslog -stop -pid "$pid" few arg1 -where 'arg3 > 1'
want 2 histogram -no-syslog -stop -pid "$pid" few arg1 -format chrome
want 2 histogram -no-syslog -stop -pid "$pid" nosuch arg1
want 2 histogram -no-syslog few arg1
as_found 'bad input'

# --- a program that it starts, to its end
stop
! to_its_end histogram logs 'run 1 500' few arg1 ||
	same 'a program, to its end' "$(total '(t["events"], t["lost"], t["min"], t["max"], t["distinct"])')" '(500, 0, 1, 500, 500)'
finish
