#!/bin/sh
# replay of recordings that are written here, so that every number is known: events that were lost, or that -where left
# out, are told by each way to print them; recordings of before, which do not hold that; names are resolved as for
# processes, in all processes of a recording together; values and callers are counted; a pipe is read.
# Does not cover: that a replay prints what was printed meanwhile (cli-recording.sh), the screen (tui-replay.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip 'no python3'

# recording FILE END: of process 7, whose thread ends without start, starts and ends, and starts.
recording()
{
	cat >"$1" <<END
{"probes_tui_recording":1,"of":"events","host":"h","kernel":"k","version":"v","time_ns":1000000000}
{"process":0,"pid":7,"comm":"c","program":"/p","start":1}
{"object":0,"of":0,"path":"/p","bias":"0x1000"}
{"probe":0,"of":0,"provider":"p","name":"start","kind":"sdt","sites":1}
{"site":0,"of":0,"pc":"0x10","arguments":"8@%rdi 8@%rsi","names":["id","text"]}
{"kept":0,"sites":1}
{"probe":1,"of":0,"provider":"p","name":"end","kind":"sdt","sites":1}
{"site":0,"of":1,"pc":"0x20","arguments":"8@%rdi"}
{"kept":1,"sites":1}
{"event":1,"site":0,"time_ns":1000,"pid":7,"tid":7,"thread":"t","args":[{"u":1,"size":8}]}
{"event":0,"site":0,"time_ns":2000,"pid":7,"tid":7,"thread":"t","args":[{"u":2,"size":8},{"u":9,"size":8,"asked":true,"text":"select"}]}
{"event":1,"site":0,"time_ns":3000,"pid":7,"tid":7,"thread":"t","args":[{"u":2,"size":8}]}
{"event":0,"site":0,"time_ns":4000,"pid":7,"tid":7,"thread":"t","args":[{"u":4,"size":8},{"u":9,"size":8,"asked":true}]}
{"end":"done","events":4,$2"only_counted":0,"seconds":2}
END
}
doubt='a start without an end, or an end without a start, may have had one, and pairs may be wrong'

recording "$tmp/both" '"lost":3,"undecided":5,'
recording "$tmp/one" '"lost":0,"undecided":1,'
recording "$tmp/lost" '"lost":1,'
recording "$tmp/none" '"lost":0,'

# --- the events
want 0 replay "$tmp/both"
has 'lost' '^probes-tui: 4 events in 2\.000 s, 3 lost$'
has 'left out' '^probes-tui: 5 events were left out: -where could not be checked'
want 0 replay "$tmp/one"
has 'one was left out' '^probes-tui: 1 event was left out: '
same 'in JSON' "$("$PROBES_TUI" replay -quiet "$tmp/both" -format json | tail -n 1)" \
	'{"events":4,"lost":3,"undecided":5,"only_counted":0,"seconds":2,"over_budget":false,"sites_lost":0}'
want 0 replay "$tmp/none"
has 'nothing is missing' ' s, none lost$'
same 'nothing is missing: no doubt' "$(grep -c 'left out' "$tmp/err")" 0

# --- the latency
for case in 'both events lost: 3, left out: 5' 'one events lost: 0, left out: 1' 'lost events lost: 1, left out: 0'; do
	want 0 replay "$tmp/${case%% *}" -quiet -latency start,end
	has "in doubt: $case" "^probes-tui: ${case#* }; $doubt\$"
	has "what is doubtful: $case" '^ +1 +[0-9.]+ ' "$tmp/out"
done
sed '/"time_ns":3000/i {"lost":2}' "$tmp/lost" >"$tmp/between"
want 0 replay "$tmp/between" -quiet -latency start,end
has 'no event is printed, nor where some were lost' '^ +PAIRS' "$tmp/out"
same 'so the heading is the first line' "$(grep -n PAIRS "$tmp/out" | head -n 1 | cut -d : -f 1)" 1
silent_on_error=$("$PROBES_TUI" replay "$tmp/none" -quiet -latency start,end 2>&1 >/dev/null)
same 'no doubt' "$silent_on_error" ''
same 'the latency in JSON' "$("$PROBES_TUI" replay -quiet "$tmp/both" -latency start,end -format json 2>/dev/null |
	python3 -c 'import json, sys
t = json.load(sys.stdin)
print([t[key] for key in ("matched", "open", "end_without_start", "lost", "events_lost", "events_undecided")])')" '[1, 1, 1, 0, 3, 5]'
same 'the latency in CSV' "$("$PROBES_TUI" replay -quiet "$tmp/both" -latency start,end -format csv 2>/dev/null |
	python3 -c 'import csv, sys
t = list(csv.DictReader(sys.stdin))
print([t[0][key] for key in ("matched", "lost", "events_lost", "events_undecided", "mean_ns")])')" "['1', '0', '3', '5', '1000']"

# --- others took jumps away
recording "$tmp/gone" '"lost":0,"sites_lost":2,'
gone='2 sites lost their jumps: their hits from then on are missing'
want 0 replay "$tmp/gone" -quiet
has 'jumps' "^probes-tui: 4 events in 2\.000 s; $gone\$"
recording "$tmp/both-gone" '"lost":3,"sites_lost":2,'
want 0 replay "$tmp/both-gone"
has 'jumps and events' "^probes-tui: 4 events in 2\.000 s, 3 lost; $gone\$"
want 0 replay "$tmp/gone" -latency start,end
has 'jumps: pairs in doubt' "^probes-tui: $gone, and pairs may be wrong\$"
has 'jumps: latency' "^$gone\$" "$tmp/out"
has 'jumps: no rate' '^ +1 +- ' "$tmp/out"
want 0 replay "$tmp/gone" -latency start,end -format json
same 'jumps: latency, JSON' "$(grep -c '"sites_lost":2,' "$tmp/out")" 1
want 0 replay "$tmp/gone" start -histogram arg1
has 'jumps: values' "^$gone\$" "$tmp/out"

# --- -where decides here, too: the text of one start was not read
want 0 replay "$tmp/none" start -where 'arg2 ~ sel'
has 'one' '^probes-tui: 1 event of 4 in 2\.000 s, none lost$'
has 'and one is not known' '^probes-tui: 1 event was left out: '

# --- a pipe
same 'a pipe' "$("$PROBES_TUI" replay /dev/stdin -quiet -format json <"$tmp/none" | cksum)" \
	"$(cat "$tmp/none" | "$PROBES_TUI" replay /dev/stdin -quiet -format json | cksum)"
same 'all of it' "$(cat "$tmp/none" | "$PROBES_TUI" replay /dev/stdin -quiet | grep -c ' p:')" 4

# --- values
want 0 replay "$tmp/both" -quiet start -histogram arg1 -format json
same 'values' "$(python3 -c 'import json, sys
t = json.load(open(sys.argv[1]))
print([t[key] for key in ("table", "pid", "provider", "name", "argument", "events", "lost", "seconds")], [v["value"] for v in t["values"]])' "$tmp/out")" \
	"['total', 7, 'p', 'start', 'id', 2, 3, 2] [2, 4]"
want 0 replay "$tmp/both" p:start -histogram arg2
has 'a text' '^ +1 +100\.0 %  "select"$' "$tmp/out"
has 'what is missing' '^not in the histogram: 3 events of the recording were lost, 1 value could not be read$' "$tmp/out"
has 'left out' '^probes-tui: 5 events were left out'
refuses 2 'there is no arg3: start has 2 arguments' replay "$tmp/both" start -histogram arg3
refuses 2 'name one probe' replay "$tmp/both" -histogram arg1
refuses 2 'name one probe' replay "$tmp/both" start end -histogram arg1
refuses 2 'is not an argument' replay "$tmp/both" start -histogram 1
refuses 2 'give one of -latency, -histogram and -callers' replay "$tmp/both" start -histogram arg1 -callers
refuses 2 'only events can be written for chrome' replay "$tmp/both" start -histogram arg1 -format chrome

# --- callers
refuses 2 'the recording holds no callers: record them with events -callers' replay "$tmp/both" -quiet -callers
sed 's/"tid":7,/&"caller":{"address":"0x1050","pc":"0x50","object":"\/p","function":"f","offset":2},/' "$tmp/none" |
	sed '/"time_ns":4000/s/"caller":{[^}]*}/"caller":null/' >"$tmp/called"
want 0 replay "$tmp/called" -callers
has 'a caller' '^ +3 +75\.0%  f\+0x2' "$tmp/out"
has 'unknown ones' '^ +1 +25\.0%  \?$' "$tmp/out"
has 'the total' '^probes-tui: 4 hits in 2\.000 s, none lost$'
same 'all sites were counted: no word of it' "$(grep -c 'not counted' "$tmp/err")" 0
sed 's/"kept":1,"sites":1/"kept":1,"sites":0/' "$tmp/called" >"$tmp/part"
for call in '' -callers; do
	# shellcheck disable=SC2086 # none, or one
	want 0 replay "$tmp/part" $call
	has "a site that was not counted $call" '^probes-tui: pid 7: 1 of 2 sites was not counted: hits there are missing$'
	# shellcheck disable=SC2086
	want 0 replay "$tmp/part" start $call
	same "it is of another probe $call" "$(grep -c 'not counted' "$tmp/err")" 0
done
want 0 replay "$tmp/part" end -histogram arg1
has 'the table of values says it' '^1 of 1 site was not counted: hits there are missing$' "$tmp/out"
want 0 replay "$tmp/called" end -callers -format csv
same 'of one probe' "$(tail -n +2 "$tmp/out")" '7,2,100,0x1050,f+0x2,,/p,0x50'

# --- names, as for processes
sed 's/"end":"done"/"end":"again"/' "$tmp/none" >"$tmp/two"
python3 - "$tmp/none" "$tmp/two" <<'END'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
facts, events, end = lines[:9], lines[9:-1], lines[-1]
second = [{"process": 1, "pid": 8, "comm": "d", "program": "/q", "start": 2}, {"object": 1, "of": 1, "path": "/q"},
          {"probe": 2, "of": 1, "provider": "p", "name": "start", "sites": 1},
          {"site": 0, "of": 2, "pc": "0x10", "arguments": "8@%rdi 8@%rsi"}, {"kept": 2, "sites": 1},
          {"probe": 3, "of": 1, "provider": "q", "name": "other", "sites": 1}, {"site": 0, "of": 3, "pc": "0x20"}, {"kept": 3, "sites": 1},
          {"object": 2, "of": 0, "path": "/lib/l.so"},
          {"probe": 4, "of": 2, "provider": "p", "name": "end", "sites": 1}, {"site": 0, "of": 4, "pc": "0x20"}, {"kept": 4, "sites": 1},
          {"process": 2, "pid": 9, "comm": "no probe", "program": "/r", "start": 3}]
events += [{"event": n, "site": 0, "time_ns": 5000 + n, "pid": pid, "tid": pid, "args": [{"u": 1, "size": 8}]} for n, pid in ((2, 8), (3, 8), (4, 7))]
with open(sys.argv[2], "w") as out:
    out.writelines(json.dumps(line) + "\n" for line in facts + second + events + [dict(end, events=7)])
END
# printed WANTED ARG...: these lines of events of $tmp/two
printed()
{
	printed_wanted=$1
	shift
	want 0 replay "$tmp/two" -quiet "$@"
	same "lines of $*" "$(sed -n 's/^[0-9:.]* *\([0-9]*\) .* \([pq]:[a-z]*\).*/\1:\2/p' "$tmp/out" | paste -s -d ' ' -)" "$printed_wanted"
}
printed '7:p:end 7:p:start 7:p:end 7:p:start 8:p:start 8:q:other 7:p:end'
printed '7:p:start 7:p:start 8:p:start 8:q:other' start other
printed '7:p:end 7:p:end 8:q:other' -regexp 'other\|end' -max 3
printed '8:q:other' -provider q
printed '7:p:end' -object l.so
printed '7:p:end' end -object l.so
refuses 2 "unknown probe 'sart'.*did you mean p:start" replay "$tmp/two" other sart
refuses 2 "unknown probe 'xyzzy'.*; the recording has p:start, p:end, q:other\$" replay "$tmp/two" xyzzy
refuses 2 '"p:start" is named twice' replay "$tmp/two" start p:start
grep -v '"end":' "$tmp/two" >"$tmp/cut"
want 1 replay "$tmp/cut" -max 3
has 'cut off' '^probes-tui: 3 events in '
same 'whether events were lost is not known' "$(grep -c 'none lost' "$tmp/err")" 0
refuses 2 "unknown probe 'end': no probe has this name" replay "$tmp/two" end -object q
refuses 2 'no probe of that provider' replay "$tmp/two" -provider none
refuses 2 '2 files have such a probe; choose one with -object' replay "$tmp/two" -latency start,end
grep -v '"path": "/lib\|"probe": 4\|"of": 4\|"kept": 4\|"event": 4' "$tmp/two" >"$tmp/apart"
refuses 2 'no process of the recording has both probes' replay "$tmp/apart" -latency end,other
want 0 replay "$tmp/apart" -quiet -latency start,end
want 0 replay "$tmp/two" -quiet start -histogram arg1 -format csv
same 'processes are kept apart' "$(grep -c '^total,[78],.*,events,' "$tmp/out")" 2
offers()
{
	offers_wanted=$1
	shift
	want 0 complete replay "$@"
	same "complete replay $*" "$(cut -f 1 "$tmp/out" | paste -s -d ' ' -)" "$offers_wanted"
}
offers 'words other' "$tmp/two" ot
offers 'words arg1 arg2' "$tmp/two" start -histogram a
offers 'words p q' "$tmp/two" -provider ''
offers 'nospace other,' "$tmp/two" -latency o
offers 'words -histogram' "$tmp/two" -his
offers 'files' ''
finish
