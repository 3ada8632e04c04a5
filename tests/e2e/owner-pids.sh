#!/bin/sh
# Two sessions in different pid namespaces on one process: the state of latency, and that of events, has one owner. A
# number of another namespace is no proof of life, nor of death: the second session is refused while the first one lives,
# from the outside and from the inside, and takes over at once when it was killed. Both count at the same sites, and the
# last one removes the jumps.
# Does not cover: sessions in one namespace (cli-latency.sh, cli-events.sh, cli-count.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
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
			has "$way: and says why" 'a session in another pid namespace is already (measuring times|recording events) there; wait'
		fi
		ask 'run 1 1000'
		kill -KILL "$(last_child "$session")"
		wait "$session" 2>/dev/null
		gone "$session"
		$second $verb $what '-for 50ms' >"$tmp/out" 2>"$tmp/err" </dev/null
		same "$way: $verb after it was killed" "$?" 0
	done
done
rm -f "$PROBES_TUI_RECORDS"/*
want 0 repair -no-syslog -pid "$pid"
has 'nothing is left' 'nothing to repair'
echo quit >&3
exec 3>&- 4<&-
finish
