#!/bin/sh
# A session is killed in the middle of a switch: whether it had raised a semaphore, only the value tells, and only until
# somebody else changes it. Whoever changes it next puts on record what it tells: a repair undoes what the killed session
# raised and nothing else, whatever others have raised before or since.
# Does not cover: changes by other tools since; journals that we may not write.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v strace >/dev/null || skip 'no strace'
strace -qq -o /dev/null true 2>/dev/null || skip 'strace may not trace here'
need_switching
# A sanitizer cannot look for leaks in what strace traces.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS

# killed_at N: a session that raises both is killed before its Nth write to the process.
killed_at()
{
	strace -qq -o /dev/null -e trace=pwrite64 -P "/proc/$pid/mem" -e inject=pwrite64:signal=KILL:when="$1" \
		"$PROBES_TUI" attach -no-syslog -quiet -pid "$pid" -enable shared,single -for 1h >"$tmp/out" 2>&1 </dev/null
	same "killed before write $1" $? 137
}

# leave_one: a session that has raised both is killed.
leave_one()
{
	hold -enable shared,single
	kill -9 "$session"
	wait "$session" 2>/dev/null
	gone "$session"
}

# holds WHAT COUNTS: of both
holds()
{
	want 0 list -pid "$pid" -quiet -format json
	same "$1" "$(python3 -c 'import json, sys
refs = {p["name"]: p["ref"] for p in json.load(open(sys.argv[1]))["probes"]}
print(refs["shared"], refs["single"])' "$tmp/out")" "$2"
}

start sdt_sema
for when in 1 2; do
	# --- another one was killed before: the order of their undo tells nothing
	for again in 1 2 3 4; do
		leave_one
		killed_at "$when"
		want 0 repair -no-syslog -pid "$pid"
		holds "$when, a killed one before, $again" '0 0'
		want 0 repair -no-syslog -pid "$pid"
		has "$when: nothing else, $again" 'nothing to repair'
	done

	# --- what is raised for good since then is kept
	killed_at "$when"
	want 0 attach -no-syslog -quiet -pid "$pid" -enable shared,single
	want 0 repair -no-syslog -pid "$pid"
	holds "$when, enabled since" '1 1'
	attach -disable shared,single

	# --- a living session holds what it has raised since then
	killed_at "$when"
	hold -enable shared,single
	want 0 repair -no-syslog -pid "$pid"
	holds "$when, a living one since" '1 1'
	interrupted TERM 143
	holds "$when, and its end" '0 0'

	# --- one that began before ends before the repair
	hold -enable shared,single
	killed_at "$when"
	interrupted TERM 143
	want 0 repair -no-syslog -pid "$pid"
	holds "$when, a living one before" '0 0'
done
finish
