#!/bin/sh
# Holding a process of many short-lived threads still, and being killed meanwhile: see stopping.c.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
stress=$VICTIMS/../stress

"$stress/stopping" "$stress/storm"
status=$?
[ $status != 77 ] || skip 'ptrace is not permitted here'
same 'exit status' $status 0
finish
