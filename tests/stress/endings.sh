#!/bin/sh
# The target ends, or execs, at the system calls of our tool in turn: see endings.c. What ENDINGS_SECONDS
# (12) do not suffice for is left out evenly.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
stress=$VICTIMS/../stress

ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS
"$stress/endings" "$PROBES_TUI" "$stress/storm" "$XDG_RUNTIME_DIR" "${ENDINGS_SECONDS:-12}"
same 'exit status' $? 0
[ "$failures" -eq 0 ] || sort "$XDG_RUNTIME_DIR/output" | uniq -c
# Journals of targets that are gone go with the next call on any other.
start loop_ocaml2_pie
attach -enable first
want 0 repair -no-syslog -pid "$pid"
same 'journals left' "$(ls "$XDG_RUNTIME_DIR/probes-tui" | wc -l | tr -d ' ')" 0
stop
finish
