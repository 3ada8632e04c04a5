#!/bin/sh
# Two sessions in different pid namespaces on one process: the state of latency, and that of events, has one owner. A
# number of another namespace is no proof of life, nor of death: the second session is refused while the first one lives,
# from the outside and from the inside, and takes over at once when it was killed. Both count at the same sites, and the
# last one removes the jumps. A stranger, another user who locks all that a session can claim, is not taken for one;
# where he hides whether a session lives, that is said, and its own pid namespace knows. A forked child that the session
# has not found yet is its, too. A relative that it may count is named as one that it may.
# Does not cover: sessions in one namespace (cli-latency.sh, cli-events.sh, cli-count.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
. "${srcdir:-.}/tests/e2e/strangers.sh"
need_switching
need_zydis
command -v python3 >/dev/null || skip 'no python3'
unshare -pf --mount-proc true 2>/dev/null || skip 'no new pid namespace: root is needed'

# in_namespace VICTIM: $pid here, and $inner there: 1, or nearly; $enter leads there. unshare, $around, waits for it.
in_namespace()
{
	fifos
	unshare -pf --kill-child --mount-proc "$VICTIMS/$1" <"$tmp/in" >"$tmp/answers" &
	around=$!
	started="$started $around"
	exec 3>"$tmp/in" 4<"$tmp/answers"
	read -r word inner _ <&4
	same "first word of $1" "$word" ready
	pid=$(cat "/proc/$around/task/$around/children")
	pid=${pid%% *}
	enter="nsenter -t $pid -p -m -w"
}

in_namespace pairs

# last_child PID: a shell, and nsenter, wait for the session.
last_child()
{
	child=$(cat "/proc/$1/task/$1/children" 2>/dev/null)
	if [ "${child%% *}" ]; then last_child "${child%% *}"; else echo "$1"; fi
}

# A session outside, or inside.
outside()
{
	env --default-signal=INT "$PROBES_TUI" "$1" -no-syslog -max-overhead 0 -stop -pid "$pid" "$2" $3
}
inside()
{
	$enter env --default-signal=INT "$PROBES_TUI" "$1" -no-syslog -max-overhead 0 -stop -pid "$inner" "$2" $3
}

for verb in latency events count; do
	what=start,end
	for way in 'outside inside' 'inside outside'; do
		first=${way% *} second=${way#* }
		: >"$tmp/held"
		$first $verb $what '-format json' >"$tmp/result" 2>"$tmp/held" </dev/null &
		session=$!
		started="$started $session"
		case $verb in
		latency) session_says 'measuring pairs:start' ;;
		*) session_says 'counting 2 of 2 sites' ;;
		esac
		[ "$verb" != events ] || until [ -s "$tmp/result" ]; do ask 'run 1 1'; done
		ask 'run 1 1000'
		$second $verb $what '-for 50ms' >"$tmp/out" 2>"$tmp/err" </dev/null
		status=$?
		if [ $verb = count ]; then
			same "$way: both count" "$status" 0
		else
			same "$way: $verb is refused" "$status" 6
			has "$way: and says why" 'a session in another pid namespace \(process [0-9]+ there\) is already (measuring times|recording events) there: it is on record, and a lock says that it lives; wait'
		fi
		ask 'run 1 1000'
		kill -KILL "$(last_child "$session")"
		wait "$session" 2>/dev/null
		gone "$session"
		$second $verb $what '-for 50ms' >"$tmp/out" 2>"$tmp/err" </dev/null
		same "$way: $verb after it was killed" "$?" 0
	done
done

# begins SIDE: measures there; ends: it is killed, and its journal lost.
begins()
{
	: >"$tmp/held"
	( # unlocked closes 7
		exec 7>&-
		$1 latency start,end '-format json'
	) >"$tmp/result" 2>"$tmp/held" </dev/null &
	session=$!
	started="$started $session"
	session_says 'measuring pairs:start'
}
ends()
{
	kill -KILL "$(last_child "$session")"
	wait "$session" 2>/dev/null
	gone "$session"
	rm -f "$PROBES_TUI_RECORDS"/*
}

# Does a session hold a claim: a lock on one number of the pidfd?
claimed()
{
	python3 - "$pid" <<'END'
import os, sys
inode = os.fstat(os.pidfd_open(int(sys.argv[1]))).st_ino
locks = [line.split() for line in open("/proc/locks") if "OFDLCK" in line]
sys.exit(not any(int(l[5].split(":")[2]) == inode and l[6] == l[7] for l in locks))
END
}

if strangers; then
	for way in 'outside inside' 'inside outside'; do
		first=${way% *} second=${way#* }
		case $first in
		outside) near='' far="$enter" near_pid=$pid far_pid=$inner ;;
		*) near="$enter" far='' near_pid=$inner far_pid=$pid ;;
		esac
		rm -f "$PROBES_TUI_RECORDS"/*
		begins "$first"
		ends
		locked "$nobody" "$pid" claims
		$second latency start,end '-for 50ms' >"$tmp/out" 2>"$tmp/err" </dev/null
		same "$way: a stranger's lock is no session" "$?" 0

		# --- it could claim nothing, and the stranger stays
		begins "$first"
		$second latency start,end '-for 50ms' >"$tmp/out" 2>"$tmp/err" </dev/null
		same "$way: hidden: refused" "$?" 6
		has "$way: hidden: says why" 'a session in another pid namespace \(process [0-9]+ there\) is on record, and whether it lives cannot be seen from here: another process has locked the process, as anybody may; wait'
		ends
		$far "$PROBES_TUI" repair -no-syslog -pid "$far_pid" >"$tmp/out" 2>"$tmp/err"
		same "$way: hidden: repair cannot know" "$?" 1
		has "$way: hidden: and says so" 'could not check the counters of 2 sites: .* cannot be seen from here: .*; call repair there$'
		$near "$PROBES_TUI" repair -no-syslog -pid "$near_pid" >"$tmp/out" 2>"$tmp/err"
		same "$way: hidden: repair there" "$?" 0
		has "$way: hidden: it knows" 'undid what a session that has ended left behind: 2 probes, 2 sites'

		# --- the stranger leaves while it lives: it claims what it could not
		begins "$first"
		unlocked
		until claimed; do ask 'run 1 1'; done
		$second latency start,end '-for 50ms' >"$tmp/out" 2>"$tmp/err" </dev/null
		same "$way: claimed later: refused" "$?" 6
		ends
		$second latency start,end '-for 50ms' >"$tmp/out" 2>"$tmp/err" </dev/null
		same "$way: claimed later: after it was killed" "$?" 0
	done
fi
# --- a child is forked, and the session there has not found it yet: nobody here calls that ended, advises a repair, or
# takes the jumps away. When it was killed, its lock is gone, and they are repaired.
for way in 'outside inside' 'inside outside'; do
	first=${way% *} second=${way#* }
	rm -f "$PROBES_TUI_RECORDS"/*
	for how in ends killed; do
		: >"$tmp/held"
		$first count start '-format json' >"$tmp/result" 2>"$tmp/held" </dev/null &
		session=$!
		started="$started $session"
		session_says 'counting 1 of 1 site'
		real=$(last_child "$session")
		over=$(sed 's/.*) . \([0-9]*\).*/\1/' "/proc/$real/stat") # nsenter stops with it
		[ "$first" = inside ] || over=$real
		kill -STOP "$real"
		mkfifo "$tmp/kid-in" "$tmp/kid-out"
		ask "fork $tmp/kid-in${tab}$tmp/kid-out"
		inner_child=$(sed -n 's/^done forked //p' "$tmp/answer")
		exec 8>"$tmp/kid-in" 9<"$tmp/kid-out"
		read -r _ <&9
		outer_child=$(cat "/proc/$pid/task/$pid/children")
		outer_child=${outer_child% }
		outer_child=${outer_child##* } # those before have ended, and nobody waits for them
		case $second in
		inside) far="$enter" far_pid=$inner far_child=$inner_child ;;
		*) far='' far_pid=$pid far_child=$outer_child ;;
		esac
		if [ $how = killed ]; then
			kill -KILL "$real"
			kill -CONT "$over" 2>/dev/null
			wait "$session" 2>/dev/null
			gone "$session"
			rm -f "$PROBES_TUI_RECORDS"/*
			$far "$PROBES_TUI" repair -no-syslog -pid "$far_child" >"$tmp/out" 2>"$tmp/err"
			has "$way: a child of a killed one" 'undid what a session that has ended left behind: 1 probe, 1 site'
			$far "$PROBES_TUI" repair -no-syslog -pid "$far_pid" >"$tmp/out" 2>"$tmp/err"
		else
			$far "$PROBES_TUI" list -pid "$far_child" >"$tmp/out" 2>"$tmp/err"
			same "$way: a child: its session has not ended" "$(grep -c 'has ended' "$tmp/err")" 0
			has "$way: a child: whose it is" "process $far_child: the counters of 1 site are those of a session in another pid namespace"
			$far "$PROBES_TUI" repair -no-syslog -pid "$far_child" >"$tmp/out" 2>"$tmp/err"
			same "$way: repair of a child" "$?" 0
			has "$way: repair of a child: nothing" 'nothing to repair'
			$second count start '-for 50ms' >"$tmp/out" 2>"$tmp/err" </dev/null
			has "$way: count" "a session in another pid namespace may count in its forked child $far_child, in the same counters; wait"
			same "$way: count: no advice to repair" "$(grep -c 'repair' "$tmp/err")" 0
			echo 'run 1 1000' >&8
			read_answer 9
			ask 'run 1 100'
			kill -CONT "$real" "$over"
			until grep -q 'forked child' "$tmp/held"; do ask 'run 1 1'; done
			kill -INT "$real"
			wait "$session"
			same "$way: every hit" "$(python3 -c 'import json, sys
p = json.loads(list(open(sys.argv[1]))[-1])["probes"][0]
print(p["hits"] >= 1100, p["sites_lost"])' "$tmp/result")" 'True 0'
		fi
		echo quit >&8
		exec 8>&- 9<&-
		rm -f "$tmp/kid-in" "$tmp/kid-out"
		gone "$outer_child"
	done
done
# --- the process that it counts has ended, so that its claim is not seen: a child of that is left alone
mkfifo "$tmp/mid-in" "$tmp/mid-out" "$tmp/low-in" "$tmp/low-out"
ask "fork $tmp/mid-in${tab}$tmp/mid-out"
exec 8>"$tmp/mid-in" 9<"$tmp/mid-out"
read -r _ <&9
middle=$(cat "/proc/$pid/task/$pid/children")
middle=${middle% }
middle=${middle##* }
"$PROBES_TUI" count -no-syslog -stop -pid "$middle" start >"$tmp/result" 2>"$tmp/held" </dev/null &
session=$!
started="$started $session"
session_says 'counting 1 of 1 site'
kill -STOP "$session"
echo "fork $tmp/low-in${tab}$tmp/low-out" >&8
read -r _ _ low <&9
exec 6>"$tmp/low-in" 7<"$tmp/low-out"
read -r _ <&7
outer_low=$(cat "/proc/$middle/task/$middle/children")
kill -KILL "$middle"
until grep -q 'State:.*Z' "/proc/$middle/status" 2>/dev/null || [ ! -d "/proc/$middle" ]; do ask 'run 1 1'; done
$enter "$PROBES_TUI" repair -no-syslog -pid "$low" >"$tmp/out" 2>"$tmp/err"
same 'a child whose parent has ended: repair cannot know' "$?" 1
has 'a child whose parent has ended' 'a session in another pid namespace, which cannot be seen from here, may still count there; if it has ended, call repair there$'
kill -KILL "$session"
wait "$session" 2>/dev/null
gone "$session"
want 0 repair -no-syslog -pid "${outer_low% }"
has 'its own pid namespace knows' 'undid what'
echo quit >&6
exec 6>&- 7<&- 8>&- 9<&-
rm -f "$PROBES_TUI_RECORDS"/*
want 0 repair -no-syslog -pid "$pid"
has 'nothing is left' 'nothing to repair'
echo quit >&3
exec 3>&- 4<&-

# --- a relative is counted there in the same counters: whether that session lives is not known here, and so it is said
in_namespace sdt_plain
want 0 count -no-syslog -pid "$pid" -for 10ms plain
mkfifo "$tmp/rel-in" "$tmp/rel-out"
ask "fork $tmp/rel-in${tab}$tmp/rel-out"
exec 8>"$tmp/rel-in" 9<"$tmp/rel-out"
read -r _ <&9
outer_child=$(cat "/proc/$pid/task/$pid/children")
outer_child=${outer_child% }
: >"$tmp/held"
$enter env --default-signal=INT "$PROBES_TUI" count -no-syslog -pid "$inner" plain >"$tmp/result" 2>"$tmp/held" </dev/null &
session=$!
started="$started $session"
session_says 'counting 1 of 1 site'
run count -no-syslog -pid "$outer_child" plain -for 10ms
# In most layouts, a jump of its own would land where that of its parent does.
if grep -q 'counting 0 of 1 ' "$tmp/err"; then
	has 'a relative there' "process $outer_child: its jumps would lead .* a session in another pid namespace, which cannot be seen from here, may count a relative"
	has 'a relative there: the reason' '1 site: its jump would lead .* in which a session in another pid namespace may count a relative by fork'
fi
kill -INT "$(last_child "$session")"
wait "$session"
gone "$session"
echo quit >&8
exec 8>&- 9<&-
echo quit >&3
exec 3>&- 4<&-
finish
