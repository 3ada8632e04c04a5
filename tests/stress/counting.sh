#!/bin/sh
# Counting in a program that counts itself: see counting.c. COUNTING_SECONDS (4) and COUNTING_SEED (1)
# choose how long, and what.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
stress=$VICTIMS/../stress

ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS
"$stress/counting" "$stress/tally" "$tmp" "${COUNTING_SECONDS:-4}" "${COUNTING_SEED:-1}"
same 'exit status' $? 0
finish
