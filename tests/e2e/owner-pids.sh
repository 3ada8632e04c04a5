#!/bin/sh
# Two sessions in different pid namespaces on one process: the state of latency, and that of events, has one owner. A
# number of another namespace is no proof of life, nor of death: the second session is refused while the first one lives,
# from the outside and from the inside, and takes over at once when it was killed. Both count at the same sites, and the
# last one removes the jumps. A stranger, another user who locks all that a session can claim, is not taken for one;
# where he hides whether a session lives, that is said, and its own pid namespace knows.
# Does not cover: sessions in one namespace (cli-latency.sh, cli-events.sh, cli-count.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
. "${srcdir:-.}/tests/e2e/strangers.sh"
need_switching
need_zydis
command -v python3 >/dev/null || skip 'no python3'
unshare -pf --mount-proc true 2>/dev/null || skip 'no new pid namespace: root is needed'

# The victim is pid 1 of the namespace, or nearly; unshare waits for it.
fifos
unshare -pf --kill-child --mount-proc "$VICTIMS/pairs" <"$tmp/in" >"$tmp/answers" &
around=$!
started="$started $around"
exec 3>"$tmp/in" 4<"$tmp/answers"
read -r word inner _ <&4
same 'first word of the victim' "$word" ready
pid=$(cat "/proc/$around/task/$around/children")
pid=${pid%% *}
enter="nsenter -t $pid -p -m env -C $PWD"

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
rm -f "$PROBES_TUI_RECORDS"/*
want 0 repair -no-syslog -pid "$pid"
has 'nothing is left' 'nothing to repair'
echo quit >&3
exec 3>&- 4<&-
finish
