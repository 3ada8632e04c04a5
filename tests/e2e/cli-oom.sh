#!/bin/sh
# Tool and target in one memory cgroup, as by docker exec, with little left there: what the tool itself needs is refused
# before it is allocated, with both figures. Where memory runs out all the same, the kernel kills the tool and not the
# target, though the target has more. Programs that the tool starts have the oom_score_adj that it had before, with and
# without privileges.
# Needs the right to create a memory cgroup, of version 1 or 2. Does not cover: memory.oom.group, which kills all.
. "${srcdir:-.}/tests/e2e/lib.sh"

# --- oom_score_adj needs no cgroup
# score_of COMMAND...: its program's, by its own words; run by it.
score_of()
{
	"$@" trace -no-syslog -quiet -prog "$(command -v cat)" -- /proc/self/oom_score_adj 2>"$tmp/err" </dev/null | head -n 1
}
mine=$(cat /proc/self/oom_score_adj)
higher=$((mine < 700 ? mine + 300 : mine))
# shellcheck disable=SC2016 # sh expands
raised='echo $0 >/proc/self/oom_score_adj; exec "$@"'
same 'oom_score_adj of a program' "$(score_of "$PROBES_TUI")" "$mine"
same 'likewise, ours raised before' "$(score_of sh -c "$raised" "$higher" "$PROBES_TUI")" "$higher"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	lend "$PROBES_TUI"
	user="setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all env PROBES_TUI_RECORDS="
	same 'of a program of a user' "$(score_of $user "$lent")" "$mine"
	same 'likewise, raised before' "$(score_of $user sh -c "$raised" "$higher" "$lent")" "$higher"
fi

memory_limited
need_switching
! grep -q __asan_init "$PROBES_TUI" || skip "sanitizers need more memory than the limits here"

# inside ARG...: run in the cgroup of the target
inside()
{
	(
		sh -c "echo \$\$ >'$group/inner/cgroup.procs'; exec \"\$@\"" sh "$PROBES_TUI" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	) 2>/dev/null
	status=$?
}

# refused WHAT PATTERN ARG...: in its cgroup, and the target lives
refused()
{
	refused_what=$1 refused_why=$2
	shift 2
	inside "$@"
	same "status of $refused_what" "$status" 6
	has "$refused_what" "refused to $refused_why left for both; raise that limit, or run probes-tui in another cgroup"
	same "$refused_what: killed" "$(kills)" 0
	[ "$failures" -eq 0 ] || finish
}

cat "$VICTIMS/pages" "$PROBES_TUI" >/dev/null # charged to us
start pages
echo "$pid" >"$group/inner/cgroup.procs" || skip 'the victim cannot be moved'
# 6 MiB become its own: more than the tool has, so that the kernel would kill it first.
silent attach -no-syslog -pid "$pid" -enable-all
silent attach -no-syslog -pid "$pid" -disable-all

# --- nothing is opened, counted or read without room
room 1
refused 'to open' "open process $pid: probes-tui needs 2\.0 MiB \(256 KiB kept in reserve\); $group/$limit has [0-9.]+ [KM]iB" list -pid "$pid"
refused 'to switch' "open process $pid: probes-tui needs 2\.0 MiB.*; $group/$limit has [0-9.]+ [KM]iB" attach -no-syslog -pid "$pid" -enable-all
if has_zydis; then
	room 3
	refused 'to plan' "count hits in process $pid: probes-tui needs 2\.4 MiB.*; $group/$limit has [0-9.]+ MiB" \
		count -no-syslog -stop -pid "$pid" -for 50ms
	room 5
	refused 'to count' "map counters in process $pid: that needs .*256 KiB kept in reserve\), and [0-9.]+ MiB for probes-tui; $group/$limit has [0-9.]+ MiB" \
		count -no-syslog -stop -pid "$pid" -for 50ms
	room 16
	refused 'events' "read events of process $pid: probes-tui needs 20\.0 MiB.*; $group/$limit has 1[0-9.]+ MiB" \
		events -no-syslog -stop -pid "$pid" -for 50ms p000000
fi

# --- what is granted suffices: in the least room that is not refused, a megabyte more each time, nobody is killed
enough()
{
	for mibs in $(seq 32); do
		room "$mibs"
		inside "$@" -pid "$pid"
		[ "$status" = 6 ] || break
	done
	same "status of $1 with $mibs MiB" "$status" 0
	same "$1 with $mibs MiB: killed" "$(kills)" 0
	[ "$failures" -eq 0 ] || finish
}

enough list -quiet
enough attach -no-syslog -enable-all
enough attach -no-syslog -disable-all
if has_zydis; then
	enough count -no-syslog -stop -for 50ms
	enough latency -no-syslog -stop -for 50ms p000000,p000001
	enough events -no-syslog -stop -for 50ms p000000
	enough callers -no-syslog -stop -stack -for 50ms p000000
fi

# --- it becomes scarce while the tool runs: another takes more than is left, each time a bit more
cat >"$tmp/inside" <<END
echo \$\$ >'$group/inner/cgroup.procs'
exec "\$@"
END
: >"$tmp/held"
sh "$tmp/inside" "$PROBES_TUI" attach -no-syslog -pid "$pid" -for 1h -enable p000000 >/dev/null 2>"$tmp/held" </dev/null &
session=$!
started="$started $session"
session_says ' switched for '
same 'oom_score_adj of ours' "$(cat "/proc/$session/oom_score_adj")" 1000
room 1
for kib in $(seq 128 128 4096); do
	[ "$(kills)" = 0 ] || break
	sh "$tmp/inside" dd if=/dev/zero of=/dev/null bs="${kib}k" count=1 2>/dev/null
done
wait "$session"
same 'the session is killed' $? 137
gone "$session"
same 'killed' "$(kills)" 1
ask report
same 'the target lives' "$(tail -n 1 "$tmp/answer")" 'done report'
room 8
want 0 repair -no-syslog -pid "$pid"
same 'taken back' "$(mark p000000 | cut -c 1-3)" '[ ]'
stop
finish
