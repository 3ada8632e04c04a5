#!/bin/sh
# A parent and its forked child that share counters, since an earlier session had made them before the fork, in one
# call: every hit, duration and event is told once, and events are those of the process that made them. Alone, the
# child has its own. Of one that is forked while its parent is counted, they are told to the end, though the parent is
# killed before.
# Does not cover: children that are born while something is counted (cli-count.sh, cli-latency.sh, cli-events.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
need_zydis
command -v python3 >/dev/null || skip 'no python3'
start pairs
want 0 count -no-syslog -stop -pid "$pid" -for 50ms start,end
forked child
exec 8>"$tmp/child-in" 9<"$tmp/child-out"
read -r _ <&9

# measured VERB PROCESSES ARG...: 100 rounds of the parent, 1000 of the child
measured()
{
	measured_verb=$1 measured_count=$2
	shift 2
	in_background "$measured_verb" -max-overhead 0 -stop -format json "$@"
	until [ "$(grep -Ec 'counting [1-9]|measuring' "$tmp/held")" -ge "$measured_count" ]; do
		kill -0 "$session" 2>/dev/null || break
		sleep 0.01
	done
	# Of events, those are kept that come after the last of them has begun.
	[ "$measured_verb" != events ] || until grep -q '"time"' "$tmp/result"; do
		kill -0 "$session" 2>/dev/null || break
		ask 'run 1 1'
		echo 'run 1 1' >&8
		read_answer 9
	done
	ask 'run 1 100'
	echo 'run 1 1000' >&8
	read_answer 9
	interrupted
}

# of EXPRESSION: of python, about `lines`
of()
{
	python3 -c 'import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
print(eval(sys.argv[2]))' "$tmp/result" "$1"
}

for how in "-pid $pid,$child" "-tree $pid"; do
	# shellcheck disable=SC2086 # words
	measured count 2 $how start
	same "count $how" "$(of 'sum(p["hits"] for l in lines if l["table"] == "total" for p in l["probes"])')" 1100
	# shellcheck disable=SC2086 # words
	measured latency 2 $how start,end
	same "latency $how" "$(of 'sum(l["matched"] for l in lines)')" 1100
	# shellcheck disable=SC2086 # words
	measured events 2 $how start
	same "events $how: nothing twice" "$(of 'len(set((l["time_ns"], l["tid"], str(l["args"])) for l in lines[:-1])) == len(lines) - 1')" True
	same "events $how: none is the child's under another's name" "$(of "all(l['pid'] in ($pid, $child, 0) for l in lines[:-1])")" True
	same "events $how: those of the parent" "$(of "100 <= [l['pid'] for l in lines[:-1]].count($pid) < 1000")" True
	rm -f "$tmp/recording"
	# shellcheck disable=SC2086 # words
	measured events 2 $how -record "$tmp/recording" start end
	want 0 replay "$tmp/recording" -latency start,end -format json
	same "recorded $how: nothing is missing" "$(python3 -c 'import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
print(all(l["site_count"] == l["sites_counted"] for l in lines), sum(l["matched"] for l in lines) >= 1100)' "$tmp/out")" 'True True'
done
measured count 1 -pid "$child" start
same 'the child alone' "$(of 'sum(p["hits"] for l in lines if l["table"] == "total" for p in l["probes"])')" 1000
measured latency 1 -pid "$child" start,end
same 'its durations' "$(of 'lines[-1]["matched"]')" 1000
echo quit >&8
stop

# The parent is killed: what its child does then is told, too.
tries=0
for what in 'count start' 'latency start,end' 'events start'; do
	tries=$((tries + 1))
	start pairs
	want 0 count -no-syslog -max-overhead 0 -stop -pid "$pid" -for 50ms start,end
	: >"$tmp/held"
	: >"$tmp/result"
	# shellcheck disable=SC2086 # words
	env --default-signal=INT,QUIT "$PROBES_TUI" ${what% *} -no-syslog -max-overhead 0 -stop -format json \
		-pid "$pid" ${what#* } >"$tmp/result" 2>"$tmp/held" </dev/null &
	session=$!
	started="$started $session"
	session_says 'counting [1-9]\|measuring'
	[ "${what% *}" != events ] || until grep -q '"time"' "$tmp/result"; do
		kill -0 "$session" 2>/dev/null || break
		ask 'run 1 1'
	done
	forked "left$tries"
	exec 8>"$tmp/left$tries-in" 9<"$tmp/left$tries-out"
	read -r _ <&9
	session_says "pid $child: forked child"
	ask 'run 1 100'
	{
		kill -9 "$pid"
		wait "$pid"
	} 2>/dev/null
	exec 3>&- 4<&-
	gone "$pid"
	echo 'run 1 1000' >&8
	read_answer 9
	interrupted
	same "$what: no hit may be missing" "$(grep -c 'may be missing' "$tmp/held")" 0
	case $what in
	count*) same "$what: all hits" "$(of 'sum(p["hits"] for l in lines if l["table"] == "total" for p in l["probes"])')" 1100 ;;
	latency*) same "$what: all pairs" "$(of 'lines[-1]["matched"]')" 1100 ;;
	# The first ones made it begin.
	events*) same "$what: all events" "$(of "(lines[-1]['events'] == len(lines) - 1 > 1100, lines[-1]['lost'])")" '(True, 0)' ;;
	esac
	echo quit >&8
	exec 8>&- 9<&-
	gone "$child"
done
finish
