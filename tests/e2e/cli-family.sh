#!/bin/sh
# A process is forked while a session counts in its parent, and that session has not found it yet (it is stopped
# meanwhile): the inherited counters have a living owner, which list, info, repair and count name, and nobody takes them
# away. Nor from an elder sibling, which the session has found. Children that inherited counters of a session that has
# ended get their own; where a living session owns them, no number is shown, but the name of the process. What the
# victims count themselves is the proof.
# Does not cover: sessions in another pid namespace.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
need_zydis
. "${srcdir:-.}/tests/e2e/counting.sh"
start pairs

# lives WHAT: the last command named the owner, and called nobody dead. With -pid, the session may have been stopped
# before it was done with the elder sibling: then it counts there, too.
lives()
{
	same "$1: its session has not ended" "$(grep -c 'has ended' "$tmp/err")" 0
	has "$1: who counts" "process $child: it inherited the counters of 1 site from a session that lives: process $session \\(.*\\), which counts in process ($pid|$elder)\$" "$tmp/err"
}

for how in -tree -pid; do
	counting "$how" "$pid" -stop -format json start
	kill -STOP "$session"
	forked "elder$how"
	elder=$child
	exec 8>"$tmp/elder$how-in" 9<"$tmp/elder$how-out"
	read -r _ <&9
	want 0 list -pid "$child"
	lives "list $how"
	want 0 info -pid "$child"
	lives "info $how"
	kill -CONT "$session"
	appears "pid $elder: forked child" "$tmp/held"
	kill -STOP "$session"
	forked "younger$how"
	exec 6>"$tmp/younger$how-in" 7<"$tmp/younger$how-out"
	read -r _ <&7
	want 0 repair -no-syslog -pid "$child"
	lives "repair $how"
	has "repair $how: nothing" 'nothing to repair' "$tmp/err"
	same "repair $how: the elder keeps its counters" "$(grep -v 'it inherited the counters' "$tmp/err" | grep -c "$elder")" 0
	want 6 count -no-syslog -max-overhead 0 -pid "$child" -stop -for 50ms start
	echo 'run 1 100' >&6
	read_answer 7
	echo 'run 1 1000' >&8
	read_answer 9
	ask 'run 1 1'
	kill -CONT "$session"
	interrupted INT 130
	same "$how: every hit" "$(json 'sum(p["hits"] for l in lines if l["table"] == "total" for p in l["probes"])')" 1101
	for each in "$elder" "$child" "$pid"; do
		want 0 list -pid "$each" -format json
		same "$how: no counter is left in $each" "$(grep -c '"sites_counted":[1-9]' "$tmp/out")" 0
	done
	echo quit >&6
	echo quit >&8
	exec 6>&- 7<&- 8>&- 9<&-
done

# --- counters of an earlier session, inherited by two children: each gets its own
forked a
a=$child
exec 8>"$tmp/a-in" 9<"$tmp/a-out"
read -r _ <&9
forked b
exec 6>"$tmp/b-in" 7<"$tmp/b-out"
read -r _ <&7
counting -pid "$a,$child" -stop -format json start
appears "sites? of 1 probe in process $child" "$tmp/held"
echo 'run 1 100' >&8
read_answer 9
echo 'run 1 1000' >&6
read_answer 7
interrupted INT 130
same 'each its own hits' "$(json '[p["hits"] for l in lines if l["table"] == "total" for p in l["probes"]]')" '[100, 1000]'

# --- the counters of a living session cannot be replaced: no number looks like the child's own
counting -pid "$pid" -stop -format json start
first=$session
forked c
kill -STOP "$first"
want 6 count -no-syslog -max-overhead 0 -pid "$child" -stop -for 50ms start
has 'shared: no number, and the other is named' "the hits of 1 probe \\(pairs:start\\) are unknown: it shares its counters with process $pid" "$tmp/err"
want 6 events -no-syslog -pid "$child" -stop -for 50ms start
has 'shared: no events' 'it shares its counters with process' "$tmp/err"
kill -CONT "$first"
interrupted INT 130
exec 5>"$tmp/c-in"
echo quit >&5
echo quit >&6
echo quit >&8
exec 5>&- 6>&- 7<&- 8>&- 9<&-
stop

# --- of two processes in one line, the hits of one are unknown: the line says so, and so do its sites
start pairs
counting -pid "$pid" -stop -format json start
first=$session
forked known
kill -STOP "$first"
start2 pairs
in_background count -max-overhead 0 -pid "$child,$pid2" -stop start
session_says "in process $pid2"
ask2 'run 1 10'
interrupted INT 130
has 'of two processes one is unknown' '^ +10 +[0-9.]+ +1/2 +pairs:start  \(hits of 1 of 2 processes\)$' "$tmp/result"
stop2
kill -CONT "$first"
kill -INT "$first"
wait "$first"
gone "$first"
kill -KILL "$child"
stop

# --- somebody puts the byte of the file back in a child, as a debugger does: its hits are missing in the sum, which says
# so. In a child that the session has found, and in one that it finds only then; of a count soon, of others at the end.
for how in found late; do
	start pairs
	counting -pid "$pid" -stop -format json start
	if [ $how = late ]; then
		sleep 0.3 # only of a child born so long after the jump it is known that it had it
		kill -STOP "$session"
	fi
	forked "spoiled-$how"
	[ $how = late ] || appears "pid $child: forked child" "$tmp/held"
	spoil "$child"
	[ $how = found ] || kill -CONT "$session"
	appears "pid $pid: forked child $child has lost jumps of 1 probe \\(pairs:start\\)" "$tmp/held"
	ask 'run 1 10'
	kill -KILL "$child"
	stop
	ended 1
	same "$how: the total is not called complete" "$(json '[(p["hits"], p["sites_lost"], p["hits_per_s"]) for p in lines[-1]["probes"]]')" '[(10, 1, None)]'
done
start pairs
in_background events -pid "$pid" -stop -max 1 start
session_says 'counting [0-9]* of'
forked spoiled
appears "pid $child: forked child" "$tmp/held"
spoil "$child"
ask 'run 1 1'
ended 1
has 'events: it is said' "pid $child: a jump of pairs:start is gone in this forked child" "$tmp/held"
kill -KILL "$child"
stop

# --- a child whose own jumps would land where those lie that it inherited: of which probes the hits are unknown is said
# once, at the beginning and in the table, although others stand between them; a stop is advised only where none was allowed.
start counts
want 0 count -no-syslog -max-overhead 0 -pid "$pid" -for 50ms plain guarded
forked inherits
exec 8>"$tmp/inherits-in" 9<"$tmp/inherits-out"
read -r _ <&9
# unknown TEXT WHAT FILE: once, and named; in a rare layout they have counters of their own.
unknown()
{
	same "$2: said once" "$(grep -c 'are unknown' "$3")" 1
	has "$2: named" "$1" "$3"
}
counting -pid "$child" plain never guarded
interrupted INT 130
if grep -q 'hits of 2 probes' "$tmp/held"; then
	why='the hits of 2 probes \(counts:plain, counts:guarded\) are unknown: it shares its counters with the process from which it was forked'
	unknown "^probes-tui: pid $child: $why; -stop may find room for its own\$" 'at the beginning' "$tmp/held"
	unknown "^process $child: $why; -stop may find room for its own\$" 'in the table' "$tmp/result"
fi
# A stop found no room either: it is not advised.
want 0 count -no-syslog -max-overhead 0 -pid "$pid" -stop -for 50ms
forked heir
exec 6>"$tmp/heir-in" 7<"$tmp/heir-out"
read -r _ <&7
counting -pid "$child" -stop
interrupted INT 130
same 'a stop was allowed: none is advised' "$(cat "$tmp/held" "$tmp/result" | grep -c 'may find room')" 0
probe=$(sed -n 's/.*hits of 1 probe (\(.*\)) are unknown.*/\1/p' "$tmp/held")
[ -z "$probe" ] || refuses 6 'it shares its counters with the process from which it was forked$' \
	events -no-syslog -quiet -pid "$child" -stop -for 50ms "$probe"
echo quit >&6
echo quit >&8
exec 6>&- 7<&- 8>&- 9<&-
stop
finish
