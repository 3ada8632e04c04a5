#!/bin/sh
# What a hit may not rely on in its thread: programs without a C library, threads and processes that share a thread
# pointer, and a thread pointer of 0 are counted exactly, and live; children of clone(2) keep their own pid and texts;
# who installs a seccomp filter is never killed for a text: no forked child is, whether it does that at its start or
# after another one did; who serves page faults never waits for itself; a
# program that is pid 1 has the tids of its threads.
# Does not cover: the code that runs there by itself (unit/test_recorder.c, test_events.c, test_trampoline.c).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
. "${srcdir:-.}/tests/e2e/counting.sh"

# keeping ARG...: events in the background, as JSON; $session. `appears` waits for one of them.
keeping()
{
	in_background events -max-overhead 0 -format json "$@"
	session_says ' sites\{0,1\} of '
	# The first event of all comes when events are kept.
	until grep -q . "$tmp/result"; do
		kill -0 "$session" 2>/dev/null || break
		ask "${poke-step 1}"
	done
}

# events EXPRESSION: of python, about `all`, the events but those of `keeping`
events()
{
	python3 -c 'import json, sys
all = [e for e in map(json.loads, list(open(sys.argv[1]))[:-1]) if e["args"][-1]["text"] != "round"]
print(eval(sys.argv[2]))' "$tmp/result" "$1"
}

hits()
{
	json "total['hit']['hits']"
}

# --- no C library
start threadless
counting -pid "$pid" -format json hit
ask 'run 1 1000'
ask 'run 8 100000'
interrupted
same 'without thread pointers' "$(hits)" 801000
poke='run 1 1' keeping -pid "$pid" hit
ask 'run 3 5'
interrupted
same 'its events' "$(events 'len(all) >= 16, sorted(set(e["pid"] for e in all))')" "(True, [$pid])"
stop

# --- no code that ends a signal handler: nothing can be run in it, and the way out is named
start handlerless
run count -no-syslog -pid "$pid" -for 1s hit
same 'nothing can be run in it' "$status" 6
has 'why' 'has the code for that \(a static program without signal handlers does not\); count its hits by uprobes, as root' "$tmp/err"
ask 'run 1 10'
same 'it goes on' "$line" 'done 1'
stop

# --- thread pointers that are shared, or 0
start apart
counting -pid "$pid" -format json hit
ask 'without 1000'
same 'it lives' "$line" 'done without'
interrupted
same 'a thread pointer of 0' "$(hits)" 1000
stop

# They are there before the session.
for kind in shared processes; do
	start apart
	ask "$kind 8 300000"
	counting -pid "$pid" -format json hit
	ask go
	interrupted
	same "thread pointers that are shared: $kind" "$(hits)" 2400000
	stop
done

# They are born while it counts, and wait before they have run for long.
start apart
counting -pid "$pid" -format json hit
ask 'strict 8 300000'
session_says 'can no longer be told apart'
ask go
interrupted
same 'thread pointers that are shared, seen late' "$(hits)" 2400000
stop

# --- we cannot look for want of descriptors: that is the reason given, not one of the process
start apart
counting -pid "$pid" -format json hit
limit=$(prlimit --pid "$session" --nofile -o SOFT --noheadings)
prlimit --pid "$session" --nofile=3:
session_says 'can no longer be '
has 'why' "^probes-tui: the threads of process $pid can no longer be read: probes-tui has no file descriptors left \(limit 3\); some hits" "$tmp/held"
same 'other reasons' "$(grep -c glibc "$tmp/held")" 0
# It undoes with descriptors; and without any, the leak sanitizer never ends.
prlimit --pid "$session" --nofile="$((limit)):"
interrupted
stop

# --- who runs in its memory is not told apart, as the manual says
start apart
keeping -pid "$pid" hit
ask 'vforked 5'
interrupted
same 'the child of a vfork' "$(events "set((e['pid'], e['tid']) for e in all)")" "{($pid, $pid)}"
keeping -pid "$pid" hit
ask 'processes 2 3'
session_says 'its threads cannot be told apart'
ask go
interrupted
same 'processes of clone' "$(events "(set(e['pid'] for e in all), [e['tid'] for e in all].count(0))")" "({$pid}, 6)"
stop

# --- a child of clone(2): its own pid, and never its parent's text
start apart
keeping -pid "$pid" say -str arg2
ask 'raw 20'
child=$(sed -n 's/^child=\([0-9]*\) exit 0$/\1/p' "$tmp/answer")
interrupted
# From its parent's 0 on: an event of `keeping` whose text was not read is no other than these.
same 'of a raw child' "$(events "sorted(set((e['pid'], e['tid']) for e in
	all[[e['args'][0]['value'] for e in all].index(0):] if e['args'][0]['value'] > 0))")" \
	"[($child, $child)]"
same 'its texts' "$(events "[e for e in all if e['args'][0]['value'] > 0 and
	e['args'][1]['text'] not in (None, 'of $child')]")" '[]'

# --- filters that kill for a text
keeping -pid "$pid" say -str arg2
ask 'kept 80'
has 'a child that confines itself lives' '^child=[0-9]+ exit 0$' "$tmp/answer"
interrupted
same 'its texts' "$(events "('before' in [e['args'][1]['text'] for e in all],
	[e['args'][1]['text'] for e in all if e['args'][0]['value'] == 1000])")" '(True, [None])'
# The last session permitted a child of this number.
keeping -pid "$pid" say -str arg2
ask 'kept 1'
has 'after another session' '^child=[0-9]+ exit 0$' "$tmp/answer"
interrupted
# Until it has been seen for a second, a child may not be permitted.
keeping -pid "$pid" say -str arg2
ask 'brief 12'
same 'children that confine themselves within a second' "$(grep -c '^child=' "$tmp/answer")" 12
same 'they live' "$(grep '^child=' "$tmp/answer" | grep -v ' exit [03]$')" ''
[ "$(grep -c ' exit 3$' "$tmp/answer")" -lt 12 ] || echo 'too slow: no child has confined itself within 0.9 s of its birth'
interrupted
# Once one has confined itself, none is, however old it is.
keeping -pid "$pid" say -str arg2
ask 'staged'
child=$(sed -n 's/^child=//p' "$tmp/answer")
appears '"text":"staged"' "$tmp/result"
# A hit after an event that was printed is read at a later look.
for number in 2 3; do
	kill -USR1 "$child"
	appears "\"value\":$number," "$tmp/result"
done
ask 'kept 80'
has 'a child after one that confined itself lives' '^child=[0-9]+ exit 0$' "$tmp/answer"
kill -KILL "$child"
interrupted
same 'its texts' "$(events "set(e['args'][1]['text'] for e in all if e['args'][0]['value'] > 3 and e['pid'] != $child)")" \
	'{None}'
# What is missing of its stack is said as it is.
: >"$tmp/held"
"$PROBES_TUI" callers -no-syslog -max-overhead 0 -stack -pid "$pid" -format json say -where 'arg1 > 1' -max 20 \
	>"$tmp/result" 2>"$tmp/held" </dev/null &
session=$!
started="$started $session"
session_says ' sites\{0,1\} of '
ask 'staged'
child=$(sed -n 's/^child=//p' "$tmp/answer")
kill -USR1 "$child"
ended 0
kill -KILL "$child"
same 'why stacks of a confined child are incomplete' "$(python3 -c 'import json, sys
print([(i["why"], i["samples"]) for i in json.load(open(sys.argv[1]))["incomplete"]])' "$tmp/result")" \
	"[('only a page of the stack was read: the thread may not (yet) make the system call that reads the rest', 20)]"
keeping -pid "$pid" say -str arg2
ask 'young'
same 'a new thread that confines itself lives' "$line" 'done young'
interrupted
# Rounds may lack their texts, too, where the session got no CPU time.
same 'its event' "$(events "[(e['args'][0]['value'], e['args'][1]['text']) for e in all if e['tid'] != $pid]")" '[(1, None)]'
stop

# --- page faults that the thread serves itself
start apart
keeping -pid "$pid" say -str arg2
ask 'faults'
if grep -q '^faults=1' "$tmp/answer"; then
	session_says 'are not read: the process holds a userfaultfd'
	ask 'served'
	same 'who serves its own fault lives' "$line" 'done served'
else
	echo 'no userfaultfd here: not tried'
fi
interrupted
stop

# --- pid 1 of a pid namespace: its tids, as we see them
if unshare -pf --mount-proc true 2>/dev/null; then
	fifos
	unshare -pf --mount-proc "$VICTIMS/logs" <"$tmp/in" >"$tmp/answers" &
	unshare=$!
	started="$started $unshare"
	exec 3>"$tmp/in" 4<"$tmp/answers"
	read -r _ _ <&4
	pid=$(cat "/proc/$unshare/task/$unshare/children")
	pid=${pid% }
	poke='run 1 1' keeping -pid "$pid" few
	echo 'hold 3 5' >&3
	appears '"value":5,' "$tmp/result"
	(cd "/proc/$pid/task" && echo [0-9]* | tr ' ' ',') >"$tmp/tids"
	read_answer 4
	interrupted
	echo go >&3
	read_answer 4
	same 'pid 1: the tids are those of its threads' "$(events "(len(set(e['tid'] for e in all) & {$(cat "$tmp/tids")}),
		set(e['pid'] for e in all))")" "(3, {$pid})"
	exec 3>&- 4<&-
else
	echo 'no pid namespace here: not tried'
fi
finish
