#!/bin/sh
# Several of us at once on one target, ten thousand switches of the same probes: see together.c.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
stress=$VICTIMS/../stress

"$stress/together" "$PROBES_TUI" "$stress/storm" "$tmp"
same 'exit status' $? 0
finish
