#!/bin/sh
# The target ends, or execs, at the system calls of our tool in turn: see endings.c. What ENDINGS_SECONDS
# (4) do not suffice for is left out evenly. What execs finds itself at other addresses, and, where it is
# fixed, at the same: there a write that was meant for the program before it would go through.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
stress=$VICTIMS/../stress

ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS
for victim in storm storm_fixed; do
	"$stress/endings" "$PROBES_TUI" "$stress/$victim" "$tmp" $((${ENDINGS_SECONDS:-4} / 2))
	same "exit status with $victim" $? 0
done
[ "$failures" -eq 0 ] || sort "$tmp/output" | uniq -c
# Journals of targets that are gone go with the next call on any other.
start loop_ocaml2_pie
attach -enable first
want 0 repair -no-syslog -pid "$pid"
same 'journals left' "$(ls "$tmp/probes-tui" | wc -l | tr -d ' ')" 0
stop
finish
