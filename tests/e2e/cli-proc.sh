#!/bin/sh
# What surrounds us: a /proc of another pid namespace, in which a number names another process than in
# system calls, is refused before anything is opened; a limit on the size of files is an error like a
# full disk, and does not end us in the middle of a switch.
# Does not cover: a /proc that is mounted over during a session.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching

start loop_ocaml2_pie
if unshare -pf true 2>/dev/null; then
	for verb in list info 'attach -no-syslog -enable multi' repair; do
		# shellcheck disable=SC2086 # words
		unshare -pf "$PROBES_TUI" $verb -pid "$pid" >"$tmp/out" 2>"$tmp/err" </dev/null
		same "exit status of $verb" $? 6
		one_line "$verb"
		has "why, $verb" '/proc shows another pid namespace.*mount -t proc'
	done
	same 'nothing was switched' "$(state multi)" disabled
fi

# Into pipes: what is printed must not be limited.
{
	(
		ulimit -f 0
		exec "$PROBES_TUI" attach -no-syslog -pid "$pid" -enable multi -for 1ms
	) </dev/null 2>&1
	echo "status $?"
} | cat >"$tmp/limited"
status=$(sed -n 's/^status //p' "$tmp/limited")
checks=$((checks + 1))
[ "$status" -lt 128 ] || fail "a signal ended it: $status"
same 'it is as it was' "$(state multi)" disabled
same 'nothing is left on record' "$(ls "$PROBES_TUI_RECORDS" 2>/dev/null)" ''
finish
