#!/bin/sh
# Two of us by two proc mounts, thousands of switches of the same counts: see mounts.c.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
stress=$VICTIMS/../stress

"$stress/mounts" "$PROBES_TUI" "$stress/storm" "$tmp"
status=$?
[ "$status" != 77 ] || skip 'no right to mount proc'
same 'exit status' "$status" 0
finish
