#!/bin/sh
# Our tool gets SIGHUP, SIGTERM, SIGINT and SIGPIPE at its system calls: see signals.c. What
# SIGNALS_SECONDS (4) do not suffice for is left out evenly, and its number is said.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
stress=$VICTIMS/../stress

ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS
"$stress/signals" "$PROBES_TUI" "$stress/storm" "$tmp" "${SIGNALS_SECONDS:-4}"
same 'exit status' $? 0
finish
