#!/bin/sh
# events: each one is that of a victim that logs its hits: thread and its name, order, time between those before and
# after the hit, arguments of all kinds, texts from good and bad pointers; threads, forked children; filters; what is
# lost is counted; a program with a seccomp filter is not killed; what it cannot do is not suggested; it takes over from count and from a killed session,
# and leaves the code as found.
# Does not cover: what runs in the process by itself (unit/test_events.c).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
command -v python3 >/dev/null || skip 'no python3'

# --- helpers

# keeping ARG...: in the background, INT and QUIT as they are in the foreground; $session.
keeping()
{
	in_background events -max-overhead 0 -stop "$@"
	session_says ' sites\{0,1\} of '
	# The first event of all comes when events are kept.
	until grep -q . "$tmp/result"; do
		kill -0 "$session" 2>/dev/null || break
		ask 'run 1 1'
	done
	ask zero
}

# with_texts COMMAND ARG...: keep the events of that. Texts are read within half a second of a look at the threads: on a
# busy machine, in another attempt.
with_texts()
{
	command=$1
	shift
	for _ in $(seq 20); do
		keeping -pid "$pid" "$@" -str arg2
		ask "$command"
		# The name of a thread is read while it lives.
		ask 'hold 1 2'
		interrupted
		ask go
		! grep -q 'select 1' "$tmp/result" || break
	done
}

# last EXPRESSION: of python, about the last line of the result
last()
{
	python3 -c 'import json, sys
t = [json.loads(line) for line in open(sys.argv[1])][-1]
print(eval(sys.argv[2]))' "$tmp/result" "$1"
}

# agrees WHAT [young]: the events since the log was emptied are those of the log. young: texts of a child may be
# missing at first. A site that the layout left uncounted has no events, and says so: $counted.
agrees()
{
	ask "log $tmp/log"
	same "$1: the log" "$(python3 - "$tmp/result" "$tmp/log" "$counted" "${2-}" <<'END'
import json, sys, collections
events = collections.defaultdict(list)
hits = collections.defaultdict(list)
counted, young = sys.argv[3].split(), sys.argv[4] == "young"
all = [json.loads(line) for line in open(sys.argv[1])]
end = all.pop()
bad = []
if end["lost"]:
    bad.append("%d lost" % end["lost"])
if [e["time_ns"] for e in all] != sorted(e["time_ns"] for e in all):
    bad.append("not in the order of time")
first = None
for line in open(sys.argv[2]):
    tid, name, before, after, probe, *args = line.rstrip("\n").split(" ")
    first = min(first or int(before), int(before))
    if probe in counted:
        hits[int(tid)].append((name, int(before), int(after), probe, args))
for e in all:
    if e["time_ns"] >= first - 50000:
        events[e["tid"]].append(e)
if sorted(events) != sorted(hits):
    bad.append("threads %s, not %s" % (sorted(events), sorted(hits)))
missing = 0
for tid in hits:
    if len(events[tid]) != len(hits[tid]):
        bad.append("%d events of %d hits" % (len(events[tid]), len(hits[tid])))
    for e, (name, before, after, probe, args) in zip(events[tid], hits[tid]):
        values = [a["value"] for a in e["args"]]
        wanted = [float(a) if "." in a else int(a) for a in args] if probe != "say" else [int(args[0])]
        if probe == "say":
            text = e["args"][1]["text"]
            values.pop()
            if args[1] == "-":
                want = None
            else:
                want = bytes.fromhex(args[1]).split(b"\0")[0]
            if text is None and want is not None:
                missing += 1
            elif want is not None and text.encode("latin-1", "replace") != want and "\\xff" not in text:
                bad.append("text %r, not %r" % (text, want))
            elif want is None and text is not None:
                bad.append("text %r of a bad pointer" % text)
            if want and text is not None and e["args"][1].get("cut", False) != (len(want) in (10, 200)):
                bad.append("cut: %r" % e)
        if e["name"] != probe or values != wanted or (e["thread"] or name) != name:
            bad.append("%r, not %s %s %s" % (e, name, probe, args))
        # Two clocks are compared.
        if not before - 50000 <= e["time_ns"] <= after + 50000:
            bad.append("at %d, not %d to %d" % (e["time_ns"], before, after))
texts = sum(h[3] == "say" for t in hits for h in hits[t])
if missing and not (young and missing < texts):
    bad.append("%d of %d texts are missing" % (missing, texts))
print("; ".join(bad[:3]) or "agrees")
END
)" agrees
}

# What is left uncounted has no events, and says so: $counted.
start_counted logs few say
remember "$VICTIMS/logs"

# --- events
for threads in 1 4 16; do
	keeping -pid "$pid" -format json -all -str arg2
	ask "run $threads 100"
	interrupted
	agrees "$threads threads"
	as_found "$threads threads"
done
declared events "$tmp/result"
same 'keys of JSON' "$(python3 -c 'import json, sys
print(" ".join(sorted(json.loads(open(sys.argv[1]).readline()))))' "$tmp/result")" 'args name pid provider thread tid time time_ns'
same 'keys of the end' "$(last '" ".join(sorted(t))')" 'events lost only_counted over_budget seconds sites_lost undecided'

with_texts 'texts 5' -format json few say
counted_before=$counted counted='few say'
agrees 'texts'
has 'why some are missing' '^probes-tui: 15 values could not be read: the operand is unknown, or nothing can be read at the address$' \
	"$tmp/held"
keeping -pid "$pid" -format json few say -str arg2
ask 'children 3 80'
interrupted
agrees 'children' young
has 'why some are missing' '^probes-tui: [0-9]+ values of forked children could not be read: .* not known yet whether' "$tmp/held"
counted=$counted_before

# --- text
with_texts 'texts 1' few say
has 'a heading' '^TIME +TID THREAD +PROBE$' "$tmp/result"
has 'a line' "^[0-9:]{8}\.[0-9]{6} +[0-9]+ log-[0-9]+ +logs:few (id|arg1)=2 arg2=-2$" "$tmp/result"
has 'a text' 'logs:say (id|arg1)=0 (text|arg2)="select 1"$' "$tmp/result"
has 'an empty text' 'logs:say (id|arg1)=1 (text|arg2)=""$' "$tmp/result"
has 'an escaped text' '(text|arg2)="\\"quoted\\" \\\\ \\x0a\\x09\\x1b\[31m"$' "$tmp/result"
has 'a long text' '(text|arg2)="x{200}"\.\.\.$' "$tmp/result"
has 'a bad pointer' 'logs:say (id|arg1)=8 (text|arg2)=0x8\(\?\)$' "$tmp/result"
has 'its end' '[0-9]+ events in [0-9.]+ s, none lost' "$tmp/held"

# --- filters
keeping -pid "$pid" -format json few -where 'arg1 > 90 and arg2 != -95 or arg1 == 1'
ask 'run 2 100'
interrupted
same 'a filter' "$(python3 -c 'import json, sys
print(sorted(set(json.loads(line)["args"][0]["value"] for line in list(open(sys.argv[1]))[:-1])))' "$tmp/result")" \
	'[1, 91, 92, 93, 94, 96, 97, 98, 99, 100]'
keeping -pid "$pid" -format json few say -where 'arg2 ~ "^sel" or arg1 == 1'
ask 'texts 3'
interrupted
same 'by text' "$(python3 -c 'import json, sys
print(sum(json.loads(line)["args"][1]["text"] == "select 1" for line in list(open(sys.argv[1]))[:-1]))' "$tmp/result")" 3

# --- an end by number
keeping -pid "$pid" -format json few -max 5
ask 'run 1 20'
wait "$session"
same 'as many as asked: exit status' $? 0
gone "$session"
same 'as many as asked' "$(last 't["events"]')" 5
as_found 'as many as asked'

# --- what is lost is counted: events, and what was lost, are all hits
keeping -pid "$pid" -format json few -max-overhead 0
kill -STOP "$session"
ask 'run 4 10000'
kill -CONT "$session"
interrupted
same 'what is lost' "$(last '(t["lost"] > 1000, (t["events"] + t["lost"]) - 40000 < 1000 <= t["events"])')" '(True, True)'
has 'how many, in the last line' 'events in [0-9.]+ s, [0-9]+ lost' "$tmp/held"

# --- what costs too much is only counted
keeping -pid "$pid" -format json few -max-overhead 0.1
ask 'run 1 200000'
session_says 'few: no more events, its hits are only counted: [0-9]* hits/s'
ask 'run 1 7'
interrupted
same 'too much: the later ones are counted' "$(last '(t["over_budget"], 7 <= t["only_counted"])')" '(True, True)'
as_found 'too much'
keeping -pid "$pid" -format json few -max-overhead 0.1 -max 1000000
ask 'run 1 200000'
ended 0
has 'too much: so many do not come' 'only counted' "$tmp/held"

# --- and if that costs too much as well, it is not counted
keeping -pid "$pid" -format json few -max-overhead 0.001 -for 1h
ask 'run 1 200000'
session_says 'few: no more events'
ask 'run 1 200000'
ended 0
has 'counting costs too much: why' 'few is no longer counted: [0-9]+ hits/s at about 5 ns' "$tmp/held"
same 'counting costs too much: what was counted' "$(last '0 < t["only_counted"] <= 400000')" True
as_found 'counting costs too much'

# --- what others left, or do
keeping -pid "$pid" -format json few
run events -no-syslog -stop -pid "$pid" few
same 'a second one' "$status" 6
has 'its reason' "process $session \\(probes-tui\\) is already recording events there; wait for it to end, or quit it\$" "$tmp/err"
run events -no-syslog -stop -pid "$pid" say
same 'a second one, of another probe' "$status" 6
has 'its reason' "process $session \\(probes-tui\\) is already recording events there" "$tmp/err"
run latency -no-syslog -stop -pid "$pid" few,say
same 'latency beside it' "$status" 6
ask 'run 1 10'
kill -9 "$session"
wait "$session" 2>/dev/null
gone "$session"
ask 'run 1 100'
want 0 repair -no-syslog -pid "$pid"
as_found 'killed'
keeping -pid "$pid" -format json few say -str arg2
ask 'run 2 50'
interrupted
counted='few say'
agrees 'after a killed one'
counted=$counted_before

# What a killed one kept or measured, at sites that jump still, is not taken for that of the next one.
keeping -pid "$pid" -format json few say
kill -9 "$session"
wait "$session" 2>/dev/null
gone "$session"
: >"$tmp/held"
env --default-signal=INT,QUIT "$PROBES_TUI" events -no-syslog -max-overhead 0 -format json -stop -pid "$pid" say \
	>"$tmp/result" 2>"$tmp/held" </dev/null &
session=$!
started="$started $session"
session_says ' sites\{0,1\} of '
until ask 'texts 1' && grep -q . "$tmp/result"; do kill -0 "$session" || break; done
ask 'run 4 50000'
interrupted
same 'none of what a killed one kept is lost now' "$(last 't["lost"]')" 0

# measuring PAIR
measuring()
{
	: >"$tmp/held"
	env --default-signal=INT,QUIT "$PROBES_TUI" latency -no-syslog -max-overhead 0 -format json -stop -pid "$pid" "$1" \
		>"$tmp/result" 2>"$tmp/held" </dev/null &
	session=$!
	started="$started $session"
	session_says 'measuring logs:'
}
measuring few,many
kill -9 "$session"
wait "$session" 2>/dev/null
gone "$session"
measuring say,many
ask 'run 1 100'
interrupted
same 'a start of a killed one is none of this one' "$(last '(t["matched"], t["end_without_start"])')" '(0, 100)'
want 0 repair -no-syslog -pid "$pid"

# --- the output fails, or nobody reads it: a full disk is an error, and what was not written does not count as printed
if [ -c /dev/full ]; then
	: >"$tmp/held"
	"$PROBES_TUI" events -no-syslog -max-overhead 0 -stop -pid "$pid" -all -o /dev/full \
		>"$tmp/result" 2>"$tmp/held" </dev/null &
	session=$!
	started="$started $session"
	wait "$session"
	same 'exit status of a full disk' $? 1
	gone "$session"
	has 'a full disk' '^probes-tui: cannot write to /dev/full: No space left on device; free disk space, or write to another disk$' "$tmp/held"
	as_found 'a full disk'
fi
# Nothing comes, so that nothing is written but the heading.
{
	"$PROBES_TUI" events -no-syslog -max-overhead 0 -stop -pid "$pid" -all 2>"$tmp/held" </dev/null
	echo $? >"$tmp/code"
} | read -r _
same 'exit status where nobody reads' "$(cat "$tmp/code")" 141
same 'nobody reads: no error' "$(grep -c 'cannot\|Broken pipe' "$tmp/held")" 0
as_found 'nobody reads'

# --- bad input changes nothing
want 2 events -no-syslog -stop -pid "$pid" few -where 'arg3 > 1'
has 'no such argument' 'there is no arg3: few has 2 arguments'
want 2 events -no-syslog -stop -pid "$pid" few -str arg2
has 'no pointer' 'arg2 cannot be a text: .* integer of 8 bytes'
want 2 events -no-syslog -pid "$pid" few -str 2
want 2 events -no-syslog -pid "$pid" few -where 'arg1 >'
has 'no value' "bad condition 'arg1 >': expected a number"
want 2 events -no-syslog -pid "$pid" few -max 0
want 2 events -no-syslog -pid "$pid" few -format csv
want 2 events -no-syslog -pid "$pid" nosuch
want 2 events -no-syslog -pid "$pid"
as_found 'bad input'

# --- a filter that kills for our system call: installed meanwhile, and before
keeping -pid "$pid" -format json few say -str arg2
ask fenced
session_says 'are not read: a thread has a seccomp filter'
ask 'texts 3'
interrupted
same 'no text is read' "$(python3 -c 'import json, sys
print(sum(json.loads(line)["name"] == "say" and json.loads(line)["args"][1]["text"] is not None
	for line in list(open(sys.argv[1]))[:-1]))' "$tmp/result")" 0
if capable 21; then
	keeping -pid "$pid" -format json few say -str arg2
	session_says 'are not read: a thread has a seccomp filter'
	ask 'texts 3'
	interrupted
	same 'texts of a filtered process' "$(python3 -c 'import json, sys
print([json.loads(line)["args"][1]["text"] for line in open(sys.argv[1]) if "say" in line].count(None))' "$tmp/result")" 30
fi
as_found 'filtered'
stop

# --- somebody puts the byte of the file back, as the kernel does when a uprobe goes
start logs
keeping -pid "$pid" few
site=$(($(bias "$VICTIMS/logs") + $(notes "$VICTIMS/logs" | awk '$2 == "few" { print $3; exit }')))
python3 -c 'import os, sys
os.pwrite(os.open("/proc/%s/mem" % sys.argv[1], os.O_RDWR), b"\x90", int(sys.argv[2]))' "$pid" "$site"
ask 'run 1 5'
interrupted
has 'hits are missing' "^probes-tui: pid $pid: the jumps of 1 site \(logs:few\) are gone: " "$tmp/held"

# --- an earlier session made the counters: what comes last is lost with the process
keeping -pid "$pid" few
echo quit >&3
exec 3>&- 4<&-
ended 0
wait "$pid"
has 'the last hits' "^probes-tui: pid $pid: an earlier session made the counters; hits of the last moment" "$tmp/held"

# --- sites that only a uprobe would count have no events, and no verb that keeps events takes -kernel
start obstacle
run count -no-syslog -pid "$pid" near -dry-run
has 'count takes it' '-kernel, as root, would count 2 more$' "$tmp/err"
for what in 'events near' 'callers near' 'latency near,any'; do
	want 2 $what -no-syslog -pid "$pid" -kernel
	want 6 $what -no-syslog -pid "$pid"
	same "$what: nothing of -kernel" "$(grep -c -e -kernel "$tmp/err")" 0
done
stop

# --- the name of a thread is shown whole: it may hold anything, newlines as well
odd=$(printf 'co\033[5m\nmm;x')
cp "$VICTIMS/loop_ocaml2_pie" "$tmp/$odd" && built=$VICTIMS && VICTIMS=$tmp || exit 99
start "$odd" --loop --pace 1000
VICTIMS=$built
want 0 events -no-syslog -pid "$pid" -stop -all -max 1 -format json
same 'in JSON' "$(python3 -c 'import json, sys
print(json.loads(open(sys.argv[1]).readline())["thread"] == sys.argv[2])' "$tmp/out" "$odd")" True
want 0 events -no-syslog -pid "$pid" -stop -all -max 1
has 'in text' 'co.x1b\[5m.x0amm;x' "$tmp/out"
for _ in $(seq 20); do # a busy machine may not run the victim meanwhile
	want 0 callers -no-syslog -pid "$pid" -stop -all -stack -for 300ms
	! grep -q . "$tmp/out" || break
done
has 'in folded stacks' '^co.x1b\[5m.x0amm.*x' "$tmp/out"
stop

# --- a program that it starts, and that ends
! to_its_end events logs 'run 1 500' few ||
	same 'a program, to its end' "$(last '(t["events"], t["lost"])')" '(500, 0)'
finish
