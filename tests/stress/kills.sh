#!/bin/sh
# Our tool is killed at every one of its system calls, in turn, and repaired: see everycall.c. What
# KILLS_SECONDS (4) do not suffice for is left out evenly, and its number is said.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
stress=$VICTIMS/../stress

ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS
"$stress/everycall" "$PROBES_TUI" "$stress/storm" "$tmp" "${KILLS_SECONDS:-4}"
same 'exit status' $? 0
finish
