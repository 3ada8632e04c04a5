#!/bin/sh
# Uprobes come and go at the very moments of a switch: see meanwhile.c. What MEANWHILE_SECONDS (4) do
# not suffice for is left out, and said.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
stress=$VICTIMS/../stress

ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS
"$stress/meanwhile" "$PROBES_TUI" "$stress/storm" "$tmp" "${MEANWHILE_SECONDS:-4}"
status=$?
[ $status != 77 ] || skip 'uprobes are not permitted here'
same 'exit status' $status 0
finish
