#!/bin/sh
# events -format chrome: an array of JSON, in which the two halves of a pair are slices, in order and nested within their
# thread; a half whose partner is not traced is an instant, and so are other probes; the rate of a
# probe is a counter, which holds from the beginning of its time on, and is 0 at the end; the array is closed however the
# trace ends, without events too. Other verbs refuse the format.
# Does not cover: whether the events are right (cli-events.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
need_zydis
command -v python3 >/dev/null || skip 'no python3'
start pairs

# tracing ARG...: in the background; $session
tracing()
{
	: >"$tmp/held"
	rm -f "$tmp/trace"
	env --default-signal=INT,QUIT "$PROBES_TUI" events -no-syslog -max-overhead 0 -stop -pid "$pid" -format chrome \
		-o "$tmp/trace" "$@" >"$tmp/out" 2>"$tmp/held" </dev/null &
	session=$!
	started="$started $session"
	session_says ' sites\{0,1\} of '
	# The first event of all comes when events are kept.
	until grep -q '"ts"' "$tmp/trace"; do
		kill -0 "$session" 2>/dev/null || break
		ask 'run 1 1'
	done
}

# of EXPRESSION: of python, about `all` and the events of each thread
of()
{
	python3 - "$tmp/trace" "$1" <<'END'
import collections, json, sys
all = json.load(open(sys.argv[1]))
threads = collections.defaultdict(list)
for e in all:
    if e["ph"] not in "MC":
        threads[e["tid"]].append(e)
def nested(events):
    depth = 0
    for e in events:
        depth += {"B": 1, "E": -1, "i": 0}[e["ph"]]
        if depth < 0:
            return False
    return depth == 0
print(eval(sys.argv[2]))
END
}

# Which sites can be counted depends on the layout.
want 0 count -no-syslog -pid "$pid" -stop -for 50ms -format json start end
whole=$(python3 -c 'import json, sys
print(all(p["sites_counted"] == len(p["sites"]) for p in json.load(open(sys.argv[1]))["probes"]))' "$tmp/out")

tracing start end
ask 'run 2 500'
interrupted
if [ "$whole" = True ]; then
	# When events were kept at last, the first pair was half over, perhaps: an instant (unit/test_chrome.c).
	same 'slices' "$(of 'sorted(set((e["ph"], e["name"], e["cat"]) for t in threads.values() for e in t[t[0]["ph"] == "i":]))')" \
		"[('B', 'pairs', 'pairs'), ('E', 'pairs', 'pairs')]"
	same 'they nest' "$(of '[nested(t) for t in threads.values()].count(False)')" 0
	same 'all of them' "$(of 'len([e for t in threads.values() for e in t]) >= 2000')" True
fi
same 'in the order of time' \
	"$(of '[[e["ts"] for e in t] == sorted(e["ts"] for e in t) for t in threads.values()].count(False)')" 0
same 'of this process' "$(of 'set(e["pid"] for e in all)')" "{$pid}"
# A thread that has ended before we asked has none.
same 'names of threads' "$(of 'set(e["args"]["name"] for e in all if e["ph"] == "M") <= {"pairs"}')" True
same 'rates' "$(of 'sorted(set((e["name"], e["pid"]) for e in all if e["ph"] == "C"))')" "[('pairs:end', $pid), ('pairs:start', $pid)]"
same 'a rate is of the time behind it' "$(of 'min(e["ts"] for e in all if e["ph"] == "C") <= min(e["ts"] for e in all if e["ph"] in "BEi")')" True
same 'rates end with 0' "$(of '[[e["args"]["hits/s"] for e in all if e["ph"] == "C" and e["name"] == n][-1] for n in ("pairs:start", "pairs:end")]')" '[0.0, 0.0]'
[ "$whole" != True ] || same 'all hits' "$(of '0.9 < sum(e["args"]["hits/s"] * (f["ts"] - e["ts"]) / 1e6 for e, f in (lambda c: zip(c, c[1:]))([e for e in all if e["ph"] == "C" and e["name"] == "pairs:start"])) / len([e for e in all if e["ph"] == "B"]) < 1.1')" True
same 'arguments' "$(of '[sorted(e["args"]) for t in threads.values() for e in t][0]')" "['arg1', 'arg2']"

# --- half a pair is no slice
tracing start
ask 'run 1 10'
interrupted TERM 143
same 'instants' "$(of 'set((e["ph"], e["name"], e.get("s")) for t in threads.values() for e in t)')" \
	"{('i', 'pairs:start', 't')}"

# --- nothing happens
want 0 events -no-syslog -pid "$pid" -stop -for 50ms -format chrome end
same 'an array without events' "$(python3 -c 'import json, sys; print([e["name"] for e in json.load(open(sys.argv[1]))])' "$tmp/out")" "['process_name']"
want 2 list -pid "$pid" -format chrome
has 'only events' 'give one of text\|json\|csv$' "$tmp/err"
finish
