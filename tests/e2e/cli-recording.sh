#!/bin/sh
# -record and replay: what replay prints of a recording is what events and latency printed while it was made, byte by
# byte, with texts that are no UTF-8 and numbers beyond 2^53; -where and names choose; the latency of recorded events
# is that of the program's own log; the file is new, private and no link; a full disk ends the recording and not the
# target; a file that is cut off gets an error; the texts of a hostile one are escaped.
# Does not cover: the format by itself (unit/test_recording.c, fuzz/fuzz_recording.c).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
need_zydis
command -v python3 >/dev/null || skip 'no python3'

# recording VERB ARG...: in the background, to $tmp/file and $tmp/result; $session.
recording()
{
	verb=$1
	shift
	: >"$tmp/held"
	: >"$tmp/result"
	rm -f "$tmp/file"
	env --default-signal=INT,QUIT "$PROBES_TUI" "$verb" -no-syslog -max-overhead 0 -stop -pid "$pid" \
		-record "$tmp/file" "$@" >"$tmp/result" 2>"$tmp/held" </dev/null &
	session=$!
	started="$started $session"
}

# events_come: the first event of all comes when events are kept.
events_come()
{
	session_says ' sites\{0,1\} of '
	until grep -q '"event"' "$tmp/file" 2>/dev/null; do
		kill -0 "$session" 2>/dev/null || break
		ask 'run 1 1'
	done
}

# as_printed WHAT [OPTION...]: replay prints what was printed.
as_printed()
{
	what=$1
	shift
	want 0 replay "$tmp/file" -quiet "$@"
	same "$what: replay" "$(cmp "$tmp/out" "$tmp/result" 2>&1)" ''
}

start_counted logs few say

# --- events, byte by byte
recording events -format json -all -str arg2
events_come
ask 'texts 3'
ask 'hold 2 100' # their names are read while they live
interrupted
ask go
as_printed 'json' -format json
same 'private' "$(stat -c %a "$tmp/file")" 600
same 'of ASCII alone' "$(LC_ALL=C tr -d '\n -~' <"$tmp/file" | wc -c | tr -d ' ')" 0
same 'every line is JSON' "$(python3 -c 'import json, sys
all = [json.loads(line) for line in open(sys.argv[1])]
head, end = all[0], all[-1]
print(head["probes_tui_recording"], head["of"], head["clock"], end["end"], end["events"] == sum("event" in l for l in all),
	sorted(set(l["kind"] for l in all if "probe" in l)), any("function" in l for l in all if "pc" in l),
	all[1]["pid"] == int(sys.argv[2]), any("build_id" in l for l in all))' "$tmp/file" "$pid")" \
	"1 events CLOCK_REALTIME Interrupt True ['sdt'] True True True"
want 0 replay "$tmp/file"
has 'where' "^probes-tui: recorded on $(hostname)" "$tmp/err"
has 'its totals' '^probes-tui: [0-9]+ events in [0-9.]+ s, none lost$' "$tmp/err"
has 'how it ended' 'it ended: Interrupt' "$tmp/err"
cp "$tmp/out" "$tmp/whole"
has 'text' '^[0-9:.]+ +[0-9]+ log-[0-9]+ +logs:few (arg1|id)=1 arg2=-1$' "$tmp/out"

# --- chosen
same 'few' "$(grep -c ':few ' "$tmp/whole")" "$("$PROBES_TUI" replay "$tmp/file" few -quiet | grep -c :)"
same 'few by its provider' "$(grep -c ':few ' "$tmp/whole")" "$("$PROBES_TUI" replay "$tmp/file" logs:few -quiet | grep -c :)"
same 'by expression' "$(grep -c ':few ' "$tmp/whole")" "$("$PROBES_TUI" replay "$tmp/file" -regexp 'f.w$' -quiet | grep -c :)"
same 'anchored' "$("$PROBES_TUI" replay "$tmp/file" -regexp 'ew' 2>&1 | grep -c "no probe matches 'ew'")" 1
same 'where' "$("$PROBES_TUI" replay "$tmp/file" few -where 'arg1 > 90 and tid > 0' -quiet | grep -c :)" 20
same 'at most' "$("$PROBES_TUI" replay "$tmp/file" -max 7 -quiet | grep -c :)" 7
refuses 2 "unknown probe 'nothing'" replay "$tmp/file" nothing
refuses 2 'events are text, json or chrome' replay "$tmp/file" -format csv
refuses 2 'arg' replay "$tmp/file" -where 'arg1 >'
refuses 2 'there is no arg9: few has 2 arguments' replay "$tmp/file" few -where 'arg9 > 1'
want 0 replay "$tmp/file" -format chrome -o "$tmp/chrome"
same 'chrome' "$(python3 -c 'import json, sys
all = json.load(open(sys.argv[1]))
print(sorted(set(e["ph"] for e in all)), any(e["ph"] == "C" and e["args"]["hits/s"] > 0 for e in all))' "$tmp/chrome")" "['C', 'M', 'i'] True"

# --- times are those of the place where it was recorded
same 'local time' "$(TZ=America/New_York "$PROBES_TUI" replay "$tmp/file" -quiet | cmp - "$tmp/whole" 2>&1)" ''

# --- alone, and text beside it
recording events -quiet few
until grep -q '"event"' "$tmp/file" 2>/dev/null; do
	kill -0 "$session" 2>/dev/null || break
	ask 'run 1 1'
done
interrupted
same 'alone: nothing is printed' "$(cat "$tmp/result" "$tmp/held")" ''
recording events few
events_come
ask 'run 1 50'
interrupted
as_printed 'text'

# --- callers
for format in text json; do
	recording events -format $format -callers few
	events_come
	ask 'run 1 50'
	interrupted
	as_printed "callers, $format" -format $format
done
has 'callers' '"caller":\{"address":"0x[0-9a-f]+","symbol":"[a-z_.]+\+0x' "$tmp/out"
want 0 replay "$tmp/file" -callers -format json
same 'callers, counted' "$(python3 -c 'import collections, json, sys
printed, counted = sys.argv[1:]
each = collections.Counter(e["caller"]["symbol"] for e in map(json.loads, open(printed)) if e.get("caller"))
t = json.load(open(counted))
print(len(each) > 0, each == {c["symbol"]: c["hits"] for c in t["callers"] if c["symbol"]})' "$tmp/result" "$tmp/out")" 'True True'

# --- what -where could not decide
recording events -format json few say -where 'arg2 ~ "^sel" or arg1 == 1'
events_come
ask 'texts 3'
interrupted
as_printed 'left out' -format json
left=$(sed -n 's/^probes-tui: \([0-9]*\) events were left out: .*/\1/p' "$tmp/held")
same 'left out: in the last line' "$(tail -n 1 "$tmp/out" | grep -c "\"undecided\":${left:-none},")" 1
want 0 replay "$tmp/file"
has 'left out: said' "^probes-tui: $left events were left out: -where could not be checked" "$tmp/err"

# --- what was lost is where it was, and several processes are told apart
recording events few
events_come
kill -STOP "$session"
ask 'run 4 10000'
kill -CONT "$session"
interrupted
as_printed 'losses'
has 'losses: said' '^-- [0-9]+ events lost --$' "$tmp/out"
has 'losses: in the totals' ' lost$' "$tmp/err"
first=$pid
tries=0 found=
until case " $found " in *' few '*) ;; *) false ;; esac
do
	tries=$((tries + 1))
	[ "$tries" -le 20 ] || skip "in no layout few can be counted, but: $found"
	[ "$tries" -eq 1 ] || stop2
	start2 logs
	found=$(countable "$pid2")
done
pid=$pid,$pid2
recording events -format json few
events_come
ask2 'run 2 50'
ask 'run 2 50'
interrupted
as_printed 'two processes' -format json
same 'two processes: both' "$(python3 -c 'import json, sys
all = [json.loads(line) for line in open(sys.argv[1])]
print(len(set(e["pid"] for e in all if "event" in e)), sorted(l["process"] for l in all if "program" in l))' "$tmp/file")" '2 [0, 1]'
pid=$first
stop2
recording events few
events_come
ask 'run 1 50'
interrupted

# --- the file is new
cp "$tmp/file" "$tmp/kept"
want 1 events -no-syslog -pid "$pid" few -for 50ms -record "$tmp/kept"
has 'an old file' 'cannot record to .*kept: File exists; name a new file'
same 'an old file is as it was' "$(cmp "$tmp/kept" "$tmp/file" 2>&1)" ''
ln -s "$tmp/nothing" "$tmp/link"
want 1 events -no-syslog -pid "$pid" few -for 50ms -record "$tmp/link"
same 'a link is not followed' "$(ls "$tmp/nothing" 2>/dev/null)" ''
want 2 events -no-syslog -pid "$pid" nothing -record "$tmp/none"
refuses 2 'cannot record to -: a recording is a file; name one' events -no-syslog -pid "$pid" few -record -
same 'nothing was recorded, and no file is left' "$(ls "$tmp/none" 2>/dev/null)" ''

# --- the output is not the recording: to open it would empty it
ln -s kept "$tmp/alias"
want 1 replay "$tmp/kept" -o "$tmp/alias"
has 'over itself' 'cannot write to .*alias: it is the recording; name another file' "$tmp/err"
same 'over itself: it is as it was' "$(cmp "$tmp/kept" "$tmp/file" 2>&1)" ''
for verb in 'events few' 'latency few,say'; do
	want 1 $verb -no-syslog -pid "$pid" -for 50ms -record "$tmp/both" -o "$tmp/both"
	has "$verb: one file for both" 'it is the recording; name another file' "$tmp/err"
	same "$verb: one file for both: none is left" "$(ls "$tmp/both" 2>/dev/null)" ''
done

# --- where the output may go: new files are private, links are not followed, devices and pipes are written to
want 0 replay "$tmp/kept" -format json
cp "$tmp/out" "$tmp/printed"
cp "$tmp/out" "$tmp/kept.json"
for link in "$tmp/printed" "$tmp/nothing"; do
	ln -sfn "$link" "$tmp/link"
	want 1 replay "$tmp/kept" -format text -o "$tmp/link"
	has "a link to $link" 'cannot write to .*link: it is a symbolic link; name the file that it leads to$'
done
same 'what a link leads to: as it was' "$(wc -c <"$tmp/printed") $(ls "$tmp/nothing" 2>/dev/null)" "$(wc -c <"$tmp/kept.json") "
want 0 replay "$tmp/kept" -format json -o "$tmp/fresh"
same 'a new file is private' "$(stat -c %a "$tmp/fresh")" 600
echo 'longer than nothing' >"$tmp/own" && cat "$tmp/printed" "$tmp/printed" >>"$tmp/own" && chmod 644 "$tmp/own"
want 0 replay "$tmp/kept" -format json -o "$tmp/own"
same 'my own file is replaced' "$(stat -c %a "$tmp/own") $(cmp "$tmp/own" "$tmp/printed" 2>&1)" '644 '
mkfifo "$tmp/pipe"
cat "$tmp/pipe" >"$tmp/own" &
want 0 replay "$tmp/kept" -format json -o "$tmp/pipe"
wait $!
same 'a pipe' "$(cmp "$tmp/own" "$tmp/printed" 2>&1)" ''
want 0 replay "$tmp/kept" -format json -o /dev/null
for name in - /dev/stdout; do
	want 0 replay "$tmp/kept" -format json -o $name
	same "standard output: $name" "$(cmp "$tmp/out" "$tmp/printed" 2>&1)" ''
done
echo before >"$tmp/own"
"$PROBES_TUI" replay "$tmp/kept" -quiet -format json -o /dev/fd/7 7>>"$tmp/own"
same 'appended' "$(head -n 1 "$tmp/own"; tail -n +2 "$tmp/own" | cmp - "$tmp/printed" 2>&1)" before
if [ "$(id -u)" = 0 ]; then
	mkdir -m 1777 "$tmp/sticky"
	echo theirs >"$tmp/sticky/planted" && chown 65534 "$tmp/sticky/planted" && chmod 666 "$tmp/sticky/planted"
	want 1 replay "$tmp/kept" -o "$tmp/sticky/planted"
	has 'planted' 'cannot write to .*planted: (it belongs to another user, in a folder|Permission denied)'
	same 'planted: as it was' "$(cat "$tmp/sticky/planted")" theirs
fi

# --- cut off: a killed session, and within a line
recording events -quiet few
until grep -q '"event"' "$tmp/file" 2>/dev/null; do
	kill -0 "$session" 2>/dev/null || break
	ask 'run 1 1'
done
kill -9 "$session"
wait "$session" 2>/dev/null
gone "$session"
want 0 repair -no-syslog -pid "$pid"
want 1 replay "$tmp/file"
has 'a killed session' 'the recording was cut off' "$tmp/err"
has 'a killed session: its events' ':few ' "$tmp/out"
head -c "$(($(wc -c <"$tmp/kept") - 150))" "$tmp/kept" >"$tmp/cut"
want 1 replay "$tmp/cut"
has 'within a line' 'the recording was cut off' "$tmp/err"

# --- a full disk: a limit on the size of files is one
: >"$tmp/held"
(
	ulimit -f 16
	exec "$PROBES_TUI" events -no-syslog -max-overhead 0 -stop -pid "$pid" few -quiet -record "$tmp/full"
) >"$tmp/result" 2>"$tmp/held" </dev/null &
session=$!
started="$started $session"
while kill -0 "$session" 2>/dev/null; do ask 'run 1 100'; done
wait "$session"
same 'a full disk: exit status' $? 1
gone "$session"
has 'a full disk' 'cannot write to .*full: File too large; the recording ends here' "$tmp/held"
same 'a full disk: whole lines' "$(tail -c 2 "$tmp/full" | tr -d '\n')" '}'
want 1 replay "$tmp/full"
has 'a full disk: cut off' 'the recording was cut off' "$tmp/err"
ask 'run 1 1'

# --- from somebody else
escape=$(printf '\033')
head -n 1 "$tmp/kept" >"$tmp/evil"
cat >>"$tmp/evil" <<END
{"process":0,"pid":1,"comm":"\u001b[31mc","program":"/\u001b[31mp"}
{"object":0,"of":0,"path":"/\u001b[31mo"}
{"probe":0,"of":0,"provider":"\u001b[31mp","name":{"hex":"1b5b3331"},"sites":1}
{"event":0,"time_ns":1,"pid":1,"tid":1,"thread":"\u001b[31mt","args":[{"u":1,"text":"\u001b[31m\u0085"}]}
{"end":"\u001b[31mend","events":1,"lost":0,"only_counted":0,"seconds":1}
END
for format in text json chrome; do
	want 0 replay "$tmp/evil" -format $format
	same "nothing raw: $format" "$(grep -c "$escape" "$tmp/out" "$tmp/err" | tr '\n' ' ')" "$tmp/out:0 $tmp/err:0 "
done
bad()
{
	{
		head -n 4 "$tmp/evil"
		echo "$1"
		echo '{"end":"x","seconds":1}'
	} >"$tmp/bad"
	run replay "$tmp/bad"
	same "exit status of $1" "$status" 1
	has "error of $1" "line 5 of the recording cannot be read: $2" "$tmp/err"
}
bad '{"event":1,"args":[]}' 'it refers to something that no earlier line describes'
bad '{"event":0,"time_ns":-1}' 'a number is out of its range'
bad '{"event":0,"tid":99999999999}' 'a number is out of its range'
bad '{"event":0,"args":[{"u":"x"}]}' 'an argument is not a number'
bad '{"event":0,"args":[{},{},{},{},{},{},{},{},{},{},{},{},{}]}' 'it has too many arguments'
bad "{\"event\":0,\"args\":[{\"text\":\"$(head -c 300 /dev/zero | tr '\0' x)\"}]}" 'a text is not valid, or too long'
bad '[[[[' '.'
bad 'x' '.'
echo '{"probes_tui_recording":2}' >"$tmp/bad"
want 1 replay "$tmp/bad"
has 'a newer one' 'a newer probes-tui wrote it'
want 1 replay "$PROBES_TUI"
has 'another file' 'not a recording made by probes-tui'
want 1 replay /dev/null
has 'an empty file' 'it is empty'
want 3 replay "$tmp/does-not-exist"
refuses 2 'no recording is named' replay
stop

# --- nobody reads: as if SIGPIPE had ended it; who ignores that is told. It is not said that the recording ends there.
# to_nobody IGNORED ARG...: status and messages, with a pipe that nobody reads
to_nobody()
{
	nobody_ignored=$1
	shift
	python3 -c 'import os, subprocess, sys
r, w = os.pipe()
os.close(r)
p = subprocess.run(sys.argv[2:], stdout=w, stderr=subprocess.PIPE, restore_signals=sys.argv[1] == "no")
print(p.returncode % 256, [word in p.stderr.decode() for word in ("events of", "cut off", "Broken pipe")])' "$nobody_ignored" "$PROBES_TUI" "$@"
}
same 'replay for nobody' "$(to_nobody no replay "$tmp/kept" -format text)" '141 [False, False, False]'
same 'and an error' "$(to_nobody yes replay "$tmp/kept" -format text)" \
	'1 [False, False, True]'

# --- the latency of recorded events is that of the log
start pairs
want 0 count -no-syslog -pid "$pid" -stop -for 50ms -format json start end
whole=$(python3 -c 'import json, sys
print(all(p["sites_counted"] == len(p["sites"]) for p in json.load(open(sys.argv[1]))["probes"]))' "$tmp/out")
recording events -quiet start end
until grep -q '"event"' "$tmp/file" 2>/dev/null; do
	kill -0 "$session" 2>/dev/null || break
	ask 'run 1 1'
done
ask zero
ask 'run 4 500'
ask 'nested 3'
ask 'ends 4'
interrupted
ask "log $tmp/log"
if [ "$whole" = True ]; then
	want 0 replay "$tmp/file" -latency start,end -format json
	same 'the log' "$(python3 - "$tmp/out" "$tmp/log" <<'END'
import json, sys
t = [json.loads(line) for line in open(sys.argv[1])][-1]
pairs = [tuple(map(int, line.split())) for line in open(sys.argv[2])]
bad = []
if not len(pairs) + 1 <= t["matched"] <= len(pairs) + 1000:
    bad.append("%d matched of %d" % (t["matched"], len(pairs)))
if (t["nested"], t["end_without_start"], t["lost"], t["start_without_end"]) != (3, 4, 0, 0):
    bad.append("not matched: %r" % t)
if t["max_ns"] < max(p[0] for p in pairs) * 0.99 - 1000 or t["site_count"] != t["sites_counted"]:
    bad.append("max: %r" % t)
print("; ".join(bad) or "agrees")
END
)" agrees
	want 0 replay "$tmp/file" -latency pairs:start,pairs:end -by arg1
	has 'by argument' '^ +PAIRS +PAIRS/s' "$tmp/out"
fi
refuses 2 "unknown probe 'nothing'" replay "$tmp/file" -latency start,nothing
refuses 2 'matches the two probes' replay "$tmp/file" -by arg1
refuses 2 'there is no arg9' replay "$tmp/file" -quiet -latency start,end -by arg9

# --- latency, byte by byte
for format in json csv text; do
	recording latency -format $format -interval 0.2 start,end
	session_says 'measuring pairs:start'
	until grep -q '"latency"' "$tmp/file" 2>/dev/null; do
		kill -0 "$session" 2>/dev/null || break
		ask 'run 1 10'
	done
	ask 'ends 2'
	interrupted
	want 0 replay "$tmp/file" -format $format
	same "latency, $format: replay" "$(cmp "$tmp/out" "$tmp/result" 2>&1)" ''
done
refuses 2 'only events can be written for chrome' replay "$tmp/file" -format chrome
refuses 2 'this recording holds latency tables, no events; replay it without options' replay "$tmp/file" -latency start,end
finish
