#!/bin/sh
# A recording on the screen: `replay FILE` on a terminal shows the same numbers as `replay -format json` prints: the
# list, events, one event with its caller, conditions, search, the values of an argument, callers, the latency of a pair and of
# what latency recorded; nothing can be switched, and a process that has the recorded pid now is not looked at; a pipe
# prints as before; a file that is cut off, breaks in its middle, or tries to reach the terminal; more events than are
# kept; small screens.
# Does not cover: what is recorded and printed (cli-recording.sh), the format (unit/test_recording.c).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
need_zydis
command -v python3 >/dev/null || skip 'no python3'
time='[0-9][0-9]:[0-9][0-9]:[0-9][0-9]\.[0-9]{6}'
escape=$(printf '\033')

# record FILE VERB ARG...: in the background; $session. The first event comes when events are kept.
record()
{
	file=$1
	shift
	: >"$tmp/held"
	env --default-signal=INT,QUIT "$PROBES_TUI" "$@" -no-syslog -max-overhead 0 -stop -pid "$pid" \
		-record "$file" >/dev/null 2>"$tmp/held" </dev/null &
	session=$!
	started="$started $session"
	until grep -Eq '"(event|latency)":' "$file" 2>/dev/null; do
		kill -0 "$session" 2>/dev/null || break
		ask 'run 1 1'
	done
}

# figures FILE EXPRESSION: of what replay prints as JSON: `all` is the list of the objects of its lines.
figures()
{
	"$PROBES_TUI" replay "$1" -format json -quiet ${3:+-latency "$3"} >"$tmp/json" 2>/dev/null </dev/null
	python3 -c 'import json, sys
all = [json.loads(line) for line in open(sys.argv[1])]
print('"$2"')' "$tmp/json"
}

# recorded FILE [OPTION...]: on the screen, until the whole file is read.
recorded()
{
	file=$1
	shift
	type_command "'$PROBES_TUI' replay '$file' $*"
	wait_for ' RECORDING$'
	wait_gone ' [0-9]+ %'
}

start_counted logs few say

# ------------------------------------------------------------- the list
events=$tmp/one
record "$events" events few say -str arg2 -callers
ask 'texts 3'
ask 'run 2 50'
interrupted
few=$(figures "$events" 'sum(e.get("name") == "few" for e in all)')
say=$(figures "$events" 'sum(e.get("name") == "say" for e in all)')
terminal 100 30
recorded "$events"
seen 'a recording: file, program, pid, when' \
	"^ one: logs  pid $pid +20[0-9-]+ [0-9:]{8} - [0-9:]{8} +on $(hostname) +RECORDING\$"
seen 'how many, and its end' "^ 2 probes +$((few + say)) events +it ended: Interrupt\$"
seen 'few' "^[> ] +recorded +logs:few +[0-9/]+ +$few +"
seen 'say' "^[> ] +recorded +logs:say +[0-9/]+ +$say +"
seen 'the keys' ' L Latency v Events A Values '
unseen 'no key that switches' 'Enable|Disable|Hits'
for key in e d H p z u x ! R S m y Z W; do
	keys "$key"
	wait_for "this is a recording of pid $pid \(logs, on .*, 20[0-9: -]+\): nothing can be switched|does nothing here"
	seen "refused: $key" 'nothing can be switched$'
	keys Escape
	wait_gone 'nothing can be switched'
done
for word in 'enable few' 'attach -enable few -dry-run' 'sweep' 'stop' 'kernel' 'script x' '-enable-all'; do
	text ":$word"
	keys Enter
	wait_for 'nothing can be switched$'
	keys Escape
	wait_gone 'nothing can be switched'
done
keys '?'
wait_for '^Help: what works here'
seen 'the legend' '^  \[r\] recorded +of a recording: it has no state$'
unseen 'keys that switch' '^  e +switch on|keys such as e'
seen 'what its columns mean' '^  SITES n/m +hits of n of its m sites were recorded'
seen 'what its total means' '^  TOTAL +its events in the recording'
unseen 'columns that it has not' '^  (SEM|HITS/s|TREND|HELD BY|PROC) '
keys G
wait_for '^  counted +its hits were recorded$'
unseen 'filters that find nothing' '^  (mine|on off)'
keys q
wait_list
text '\'
wait_for '^word  ~regex  a\|b  -not  tagged  hits>9  prov: obj: fn:$'
keys Tab
wait_for '^tagged  counted  prov:  obj:  fn: *$'
keys Escape
text ':'
wait_for '^filter F  sort COLUMN  12  \$  q$'
keys Tab
wait_for '  filter  help  '
unseen 'commands that change' 'enable|kernel'
keys Escape

# ------------------------------------------------------------- events
on few
keys v
wait_for "^  $few events; it ended: Interrupt\$"
python3 - "$tmp/json" >"$tmp/wanted" <<'END'
import json, sys
for e in [json.loads(line) for line in open(sys.argv[1])]:
    if e.get("name") == "few":
        print(e["tid"], e["thread"] or "-", *(a["value"] for a in e["args"]))
END
look
sed -En "s/^[> ] $time +([0-9]+) ([^ ]+) +[a-z0-9]+=([-0-9]+) [a-z0-9]+=([-0-9]+)\$/\1 \2 \3 \4/p" "$tmp/screen" >"$tmp/shown"
same 'each is one of the JSON' "$(cat "$tmp/shown")" "$(tail -n "$(wc -l <"$tmp/shown")" "$tmp/wanted")"
same 'a screen of them' "$(($(wc -l <"$tmp/shown") > 20))" 1
keys Enter
wait_for '^Event of logs:few$'
seen 'its process' "^  process +$pid\$"
seen 'its place' '^ +few\+0x[0-9a-f]+ '
seen 'its caller' "^  caller +$(figures "$events" '[e for e in all if e.get("name") == "few"][-1]["caller"]["symbol"]' | sed 's/[+.]/\\&/g')"
seen 'its argument' '^ +(id: )?signed, 8 bytes, register %'
keys q
wait_for '^Events: logs:few'
text '/=-37$'
keys Enter
wait_gone '^/'
text '/~=-37$'
keys Enter
wait_for '^> .*=-37$'
text '\'
wait_for '^only where:'
text 'arg1 > 40 and tid > 0'
keys Enter
wait_for "^  $(figures "$events" 'sum(e.get("name") == "few" and e["args"][0]["value"] > 40 for e in all)') events; it ended: .*; only where arg1 > 40"
text '\'
wait_for '^only where: arg1'
text ' and ('
keys Enter
wait_for 'only where'
keys C-c
text '\'
keys C-u Enter
wait_for "^  $few events; it ended"
keys w
wait_for '^write to:'
keys C-u
text "$tmp/written"
keys Enter
wait_until "$few" sh -c "grep -Ec '^$time ' '$tmp/written'"
keys q
wait_list
left=$("$PROBES_TUI" replay "$events" say -where 'arg2 ~ sel' 2>&1 >"$tmp/chosen" |
	sed -n 's/^probes-tui: \([0-9]*\) events were left out.*/\1/p')
on say
keys v
wait_for "^  $say events; it ended"
text '\'
text 'arg2 ~ sel'
keys Enter
wait_for "^  $(grep -c ':say ' "$tmp/chosen") events, ${left:-no} left out \\(unread\\); it ended: .*; only where arg2 ~ sel"
text '\'
keys C-u Enter
wait_for "^  $say events; it ended"
keys q
wait_list
keys '*' v
wait_for "^  $((few + say)) events of 2 probes; it ended"
keys g
wait_for '"' # texts
keys r
wait_for 'nothing can be switched$'
keys q
wait_list
keys U

# ------------------------------------------------------------- values
on few
keys A
wait_for '^Values of logs:few arg1'
values=$(figures "$events" '(lambda v: "%d, %d distinct, min %d, max %d, mean %g" % (len(v), len(set(v)), min(v), max(v), sum(v) / len(v)))([e["args"][0]["value"] for e in all if e.get("name") == "few"])' | sed 's/mean .*//')
seen 'the figures' "^  values +$values"
keys A
wait_for '^Values of logs:few arg2'
keys C
wait_for '^Callers of logs:few'
wait_for "^  callers +$few hits from [0-9]+ callers? since"
seen 'the caller' "^ +[0-9]+ +[0-9.]+ % +$(figures "$events" '[e for e in all if e.get("name") == "few"][-1]["caller"]["symbol"]' | sed 's/[+.]/\\&/g')"
keys q
wait_list
keys q
wait_for '^status=0$'

# ------------------------------------------------------------- a pipe, and options, print
type_command "'$PROBES_TUI' replay '$events' -quiet | head -n 3"
wait_for '^status=0$'
seen 'a pipe: printed' '^TIME +TID'
type_command "'$PROBES_TUI' replay '$events' -format text -max 2"
wait_for '^status=0$'
seen 'an option: printed' '^TIME +TID'
type_command "TERM=dumb '$PROBES_TUI' replay '$events' | head -n 3"
wait_for '^status=0$'
"$PROBES_TUI" replay "$events" -ascii -quiet >"$tmp/piped" </dev/null
same 'options of the screen print, too' "$("$PROBES_TUI" replay "$events" -quiet </dev/null | cmp - "$tmp/piped" 2>&1)" ''

# ------------------------------------------------------------- another process has its pid now
sed "s/\"pid\":$pid,/\"pid\":1,/" "$events" >"$tmp/other"
recorded "$tmp/other"
seen 'nothing of process 1' '^ other: logs  pid 1 +20'
unseen 'no age, no threads' ' up |thread'
keys q
wait_for '^status=0$'

# ------------------------------------------------------------- 80x24, 40x10
for size in '80 24' '40 10'; do
	terminal $size
	recorded "$events" -ascii
	on few
	keys v
	wait_for "^  $few events"
	wait_for "^> $time "
	keys Enter
	wait_for '^Event of logs:few'
	keys q A
	wait_for '^Values of logs:few'
	keys q
	wait_for ':say '
	keys e
	wait_for 'this is a recording of pid'
	keys q
	wait_for '^status=0$'
done

# ------------------------------------------------------------- cut off, broken, hostile
terminal 100 30
head -c "$(($(wc -c <"$events") / 2))" "$events" >"$tmp/cut"
recorded "$tmp/cut"
wait_for 'the recording was cut off: its end is missing'
half=$(figures "$tmp/cut" 'sum("event" in e or "name" in e for e in all)')
seen 'what could be read' "^ 2 probes +[0-9]+ events +the recording was cut off"
on few
keys v
wait_for "^  $(figures "$tmp/cut" 'sum(e.get("name") == "few" for e in all)') events; the recording was cut off"
keys q q
wait_for '^status=0$'
broken=$(($(wc -l <"$events") - 5))
sed "${broken}s/.*/{\"event\":77}/" "$events" >"$tmp/broken"
recorded "$tmp/broken"
wait_for "line $broken of the recording cannot be read: it refers to something"
seen 'and in the header' '^ 2 probes +[0-9]+ events +NOT ALL OF IT$'
keys q
wait_for '^status=0$'
type_command "'$PROBES_TUI' replay '$PROBES_TUI'"
wait_for '^status=1$'
seen 'another file' 'not a recording made by probes-tui'
cat >"$tmp/evil" <<'END'
{"probes_tui_recording":1,"of":"events","host":"\u001b[31mh","kernel":"k","version":"v","time_ns":1}
{"process":0,"pid":1,"comm":"\u001b[31mc","program":"/\u001b[31mprog"}
{"object":0,"of":0,"path":"/\u001b[31mo"}
{"probe":0,"of":0,"provider":"\u001b[31mp","name":{"hex":"1b5b3331"},"sites":1}
{"probe":1,"of":0,"provider":"\u001b[31mp","name":{"hex":"1b5b3331"},"sites":4000000000}
{"site":0,"of":1,"pc":"0x12","arguments":"8@\u001b[31m%rdi","names":["\u001b[31mn"],"function":"\u001b[31mf","file":"\u001b[31mf","line":3}
{"event":0,"site":7,"time_ns":1,"pid":1,"tid":1,"thread":"\u001b[31mt","args":[{"u":1,"text":"\u001b[31m\u0085"}]}
{"event":1,"site":0,"time_ns":1,"args":[{"u":1}],"caller":{"address":"0x5","pc":"0x5","object":"/\u001b[31m","function":"\u001b[31mg"}}
{"event":1,"site":4000000000,"time_ns":9223372036854775807,"args":[{"f":"nan"},{}]}
{"lost":5}
{"end":"\u001b[31mend","events":3,"lost":5,"undecided":9,"only_counted":7,"seconds":1,"over_budget":true}
END
recorded "$tmp/evil"
seen 'escaped' '^ evil: \\x1b\[31mprog  pid 1 '
seen 'lost, left out, and only counted' ' 3 events +5 LOST +9 LEFT OUT +7 only counted '
keys v
wait_for '^  3 events, 5 lost, 9 left out \(unread\), 7 hits only counted; it ended: \\x1b\[31mend'
for key in Enter q k Enter q g Enter q A q i q a q t t O q P q; do
	keys "$key"
	tm capture-pane -ep -t main | grep -q "$escape\[31m[a-z]" && fail "raw after $key"
done
checks=$((checks + 1))
wait_for '^  STATE[^ ]? +PROBE'
keys q
wait_for '^status=0$'

# ------------------------------------------------------------- more than are kept
python3 - "$events" "$tmp/large" <<'END'
import sys
lines = open(sys.argv[1]).read().splitlines()
events = [l for l in lines if l.startswith('{"event":0')]
with open(sys.argv[2], "w") as out:
    out.writelines(l + "\n" for l in lines if '"event"' not in l and '"end"' not in l and '"rate"' not in l)
    out.writelines(events[i % len(events)] + "\n" for i in range(30000))
    out.write('{"end":"done","events":30000,"lost":0,"only_counted":0,"sites_lost":1,"seconds":3}\n')
END
recorded "$tmp/large"
seen 'all are counted' '30000 events +1 JUMP LOST +it ended: done'
on few
keys v
wait_for '^  30000 events, 1 site lost its jump; the last 10000 are listed \(\\ chooses others\); it ended: done'
seen 'the newest' ' 10000 of 10000$'
keys A
wait_for '^  values +30000, '
wait_for 'ended: done'
keys q q
wait_for '^status=0$'
stop

# ------------------------------------------------------------- latency: of events, and as it was measured
start pairs
pairs=$tmp/two
record "$pairs" events start end -quiet
ask 'run 4 100'
ask 'nested 3'
ask 'ends 4'
interrupted
recorded "$pairs"
on start
keys L
wait_for '^Latency: pairs:start -> end'
wait_for '; it ended: Interrupt$'
seen 'pairs' "^  pairs +$(figures "$pairs" 'all[-1]["matched"]' start,end), "
seen 'what is not matched' "$(figures "$pairs" '"%d still open, %d ends? without start, %d starts? without end, %d nested" % tuple(all[-1][k] for k in ("open", "end_without_start", "start_without_end", "nested"))' start,end)"
unseen 'nothing is in doubt' 'lost or left out'
keys q q
wait_for '^status=0$'
sed 's/"undecided":0/"undecided":6/' "$pairs" >"$tmp/doubt"
recorded "$tmp/doubt"
on start
keys L
wait_for 'events were lost or left out: a start or end without the other may have had it'
keys q q
wait_for '^status=0$'
latency=$tmp/three
record "$latency" latency start,end -interval 0.1
ask 'run 2 100'
interrupted
recorded "$latency"
seen 'what it is' '^ 2 probes +latency of a pair \(L\) +it ended: Interrupt$'
on start
keys v
wait_for 'holds the latency of a pair and no events: L shows it'
keys L
wait_for '^Latency: pairs:start -> end'
seen 'as it was measured' '^  measured +by thread, for [0-9.]+ s; it ended: Interrupt$'
seen 'its pairs' "^  pairs +$(figures "$latency" 'all[-1]["matched"]'), "
keys q q
wait_for '^status=0$'
# its time to the nanosecond
python3 - "$latency" >"$tmp/longer" <<'END'
import re, sys
for line in open(sys.argv[1]):
    print(re.sub(r'"began":(\d+),"read":\d+', lambda m: '"began":%s,"read":%d' % (m[1], int(m[1]) + 3001654000), line), end="")
END
recorded "$tmp/longer"
on start
keys L
wait_for '^  measured +by thread, for 3\.002 s;'
keys q q
wait_for '^status=0$'
stop
finish
