#!/bin/sh
# A session is killed, and the process is forked before a repair: the child counts in the counters of its parent, and no
# session knows it. Its hits are never among those of the parent: that gets counters of its own, with -stop where it
# needs that, or no number, with the reason and a status. With -tree the child is known: a pair, one probe of which it
# shares, is measured once, in the parent. A session on the parent, beside one on both, says what is the parent's. What the victims are told to do is the proof.
# Does not cover: forks while the session lives (cli-family.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
need_zydis
. "${srcdir:-.}/tests/e2e/counting.sh"

# both N M: the parent does N rounds, and its child M
both()
{
	echo "step $2" >&8
	read_answer 9
	ask "step $1"
}

# family NAME: the victim and a child, which is driven by 8 and 9. A session that begins within 0.1 s of its birth
# takes it for one that inherited its own changes, and takes them back (SESSION_BIRTH).
family()
{
	forked "$1"
	exec 8>"$tmp/$1-in" 9<"$tmp/$1-out"
	read -r _ <&9
	until [ "$(awk '{ print int($1 * 100) }' /proc/uptime)" -gt $(($(awk '{ print $22 }' "/proc/$child/stat") + 20)) ]; do
		sleep 0.05
	done
}

# leave: end both
leave()
{
	echo quit >&8
	exec 8>&- 9<&-
	stop
}

# measuring ARG...: latency, in the background; $session
measuring()
{
	in_background latency -max-overhead 0 -format json "$@"
	session_says "${says:-measuring victim:plain}"
}

# pairs: of the last tables
pairs()
{
	python3 -c 'import json, sys
print([(l["matched"], l["open"], l["end_without_start"],
	l["start_without_end"], l["lost"])
	for l in map(json.loads, open(sys.argv[1]))])' "$tmp/result"
}

# --- killed, then forked
start sdt_plain
counting -pid "$pid" plain
kill -KILL "$session"
wait "$session" 2>/dev/null
family killed

# In most layouts, its jump would land where that of the child does.
run count -no-syslog -max-overhead 0 -pid "$pid" -for 10ms plain
has 'who shares, and what ends that' "forked child $child still counts in its counters.*repair process $child" "$tmp/err"
if [ "$status" = 0 ]; then
	own='(300, 300)' why=None
else
	own='(None, 300)' why="it shares its counters with process $child: one was forked from the other"
	same 'no number: status' "$status" 6
	has 'no number: said when counting begins' "the hits of 1 probe \\(victim:plain\\) are unknown: $why" "$tmp/err"
	want 6 latency -no-syslog -max-overhead 0 -pid "$pid" -for 1h plain,query__start
	has 'no times' "process $child, which was forked from it, counts in the same counters" "$tmp/err"
	want 6 events -no-syslog -max-overhead 0 -pid "$pid" -for 1h plain
	has 'no events' "process $child, which was forked from it, counts in the same counters" "$tmp/err"
fi
counting -pid "$pid" -format json plain query__start
both 300 30
interrupted INT 130
same 'none but its own' "$(json '(total["plain"]["hits"], total["query__start"]["hits"])')" "$own"
same 'why one is not' "$(json "total['plain'].get('why')")" "$why"

counting -pid "$pid" -stop -format json plain query__start
both 300 30
interrupted INT 130
same 'with -stop, both are' "$(json '(total["plain"]["hits"], total["query__start"]["hits"])')" '(300, 300)'

before=$(grep -c probes-tui "/proc/$pid/maps")
measuring -pid "$pid" -stop plain,query__start
both 300 30
interrupted INT 130
same 'the pairs of one process' "$(pairs)" '[(300, 0, 0, 0, 0)]'
same 'nothing more is mapped' "$(grep -c probes-tui "/proc/$pid/maps")" "$before"

want 0 repair -no-syslog -pid "$child"
# A child in its own memory is no other one.
counting -pid "$pid" plain
kill -KILL "$session"
wait "$session" 2>/dev/null
mkfifo "$tmp/vfork"
echo "vfork $tmp/vfork" >&3
exec 7>"$tmp/vfork"
want 0 count -no-syslog -max-overhead 0 -pid "$pid" -for 10ms plain
same 'vfork: nobody shares its counters' "$(grep -c 'forked child' "$tmp/err")" 0
exec 7>&-
read_answer 4
counting -pid "$pid" -format json plain query__start
both 300 30
interrupted INT 130
same 'after a repair of the child' "$(json '(total["plain"]["hits"], total["query__start"]["hits"])')" '(300, 300)'
leave

# --- a pair of which the child, and another one without hits, share one probe, or both
for first in plain plain,query__start; do
	start sdt_plain
	want 0 count -no-syslog -max-overhead 0 -pid "$pid" -for 10ms $(echo "$first" | tr , ' ')
	family "tree-$first"
	elder=$child
	forked "younger-$first"
	exec 6>"$tmp/younger-$first-in" 7<"$tmp/younger-$first-out"
	read -r _ <&7
	says="in process $pid\$" measuring -tree "$pid" plain,query__start
	grep -q 'its pairs are among' "$tmp/held" || session_says "in process $child\$"
	both 300 30
	interrupted INT 130
	# In most layouts, a jump of its own would land where that of its parent does.
	if grep -q 'its pairs are among' "$tmp/held"; then
		same "$first: each pair once" "$(pairs)" '[(330, 0, 0, 0, 0)]'
		for one in "$elder" "$child"; do
			has "$first: where those of the child are" "pid $one: its pairs are among those of process $pid" "$tmp/held"
		done
	else
		same "$first: each pair once" "$(pairs)" '[(300, 0, 0, 0, 0), (30, 0, 0, 0, 0), (0, 0, 0, 0, 0)]'
	fi
	echo quit >&6
	exec 6>&- 7<&-
	leave
done

# --- one session on the parent, another one on both: neither changes what the other one says
start sdt_plain
want 0 count -no-syslog -max-overhead 0 -pid "$pid" -for 10ms plain
family two
counting -pid "$pid" -format json plain
alone=$session
mv "$tmp/result" "$tmp/alone"
mv "$tmp/held" "$tmp/alone-held"
counting -tree "$pid" -format json plain
session_says "in process $child\$\|in process $child;"
both 300 30
interrupted INT 130
same 'both: those of the parent' "$(json "[p['hits'] for l in lines if l['table'] == 'total' and l['pid'] == $pid for p in l['probes']]")" '[300]'
# In most layouts, a jump of its own would land where that of its parent does.
if grep -q 'counting 0 of 1 ' "$tmp/held"; then
	has 'why the child is not counted' "process $child: its jumps would lead .* in which process $alone (.*) counts process $pid" "$tmp/held"
	has 'the reason' 'another session counts a relative by fork' "$tmp/result"
fi
session=$alone
interrupted INT 130
same 'the parent alone' "$(json 'total["plain"]["hits"]' "$tmp/alone")" 300

counting -tree "$pid" -format json plain
session_says "in process $child\$"
shared=$session
mv "$tmp/result" "$tmp/shared"
run count -no-syslog -max-overhead 0 -pid "$pid" -for 10ms plain
same 'nothing is to be repaired' "$(grep -c repair "$tmp/err")" 0
if grep -q 'in the same counters' "$tmp/err"; then
	has 'who counts there' "process $shared (.*) counts in its forked child $child, in the same counters; wait for it" "$tmp/err"
	want 6 events -no-syslog -max-overhead 0 -pid "$pid" -for 1h plain
	has 'no events beside it' "process $shared (.*) counts in process $child" "$tmp/err"
fi
both 300 30
session=$shared
interrupted INT 130
same 'both were there first' "$(json "sum(p['hits'] or 0 for l in lines if l['table'] == 'total' for p in l['probes'])" "$tmp/shared")" 330
leave
finish
