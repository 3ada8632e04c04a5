#!/bin/sh
# Forked children that are born while we switch and take back: see births.c. BIRTHS_ROUNDS (8) with
# births without end.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
stress=$VICTIMS/../stress

ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS
"$stress/births" "$PROBES_TUI" "$stress/breeder" "$tmp" "${BIRTHS_ROUNDS:-8}"
same 'exit status' $? 0
finish
