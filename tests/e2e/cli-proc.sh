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

# A /proc that is not there says nothing about the process. AddressSanitizer itself needs it.
if ! grep -q __asan_init "$PROBES_TUI" && unshare -m mount -t tmpfs none /proc 2>/dev/null; then
	for verb in list 'attach -no-syslog -enable multi'; do
		# shellcheck disable=SC2086 # words
		unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$PROBES_TUI" $verb -pid "$pid" \
			>"$tmp/out" 2>"$tmp/err" </dev/null
		same "no /proc: status of $verb" $? 3
		has 'no /proc' ": /proc is not mounted here; mount -t proc proc /proc$"
	done
fi

# A tree of nothing but ourselves: it is said why the list is empty.
sh -c 'exec "$0" list -tree $$' "$PROBES_TUI" >"$tmp/out" 2>"$tmp/err"
same 'the tree of probes-tui' $? 3
has 'why it is empty' ': process [0-9]+ is probes-tui itself, and there is no other; name it by its pid'

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
has 'why nothing is on record' 'would exceed the limit on the size of files \(ulimit -f\)' "$tmp/limited"
same 'nothing is left on record' "$(ls "$PROBES_TUI_RECORDS" 2>/dev/null)" ''

# The memory of counters is a file, too.
{
	(
		ulimit -f 0
		exec "$PROBES_TUI" count -no-syslog -pid "$pid" -for 1ms
	) </dev/null 2>&1
	echo "status $?"
} | cat >"$tmp/limited"
same 'counting under a limit on files' "$(sed -n 's/^status //p' "$tmp/limited")" 1
has 'why nothing is counted' 'the limit on the size of files is too low; raise it: ulimit -f unlimited' "$tmp/limited"
same 'no memory is left open' "$(find "/proc/$pid/fd" -lname '*memfd:probes-tui*')" ''

# A table that would exceed it is not written, and nothing stays counted.
head -c 20000000 /dev/zero >"$tmp/table"
(
	ulimit -f 39000 # blocks of 512 bytes: more than the memory of counters, less than the table
	exec "$PROBES_TUI" count -no-syslog -pid "$pid" -interval 0.05 -for 200ms
) >>"$tmp/table" 2>"$tmp/err" </dev/null
same 'a table under a limit on files' $? 1
has 'what is missing' 'cannot write the output' "$tmp/err"
same 'no counter is left on record' "$(ls "$PROBES_TUI_RECORDS" 2>/dev/null)" ''
finish
