#!/bin/sh
# Every fuzz target over all seeds, all that was ever found, and all that is near them (cut short at
# each place, each byte changed), without libFuzzer. Not covered: what only `make fuzz` comes to.
set -u
: "${FUZZ:?the directory of the built targets}" "${VICTIMS:?the directory of the built victims}"
srcdir=${srcdir:-.}
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
mkdir -m 700 "$tmp/run" "$tmp/seeds" || exit 99

PROBES_TUI_RECORDS=$tmp/run "$FUZZ/seeds" "$tmp/seeds" "$VICTIMS/loop_ocaml2_pie" "$VICTIMS/sdt_sema" || exit 1
failed=0
for target in note operand maps journal object emulator recording tactics arena; do
	set -- "$tmp/seeds/$target"/*
	for known in "$srcdir/tests/fuzz/regressions/$target"/*; do
		[ ! -f "$known" ] || set -- "$@" "$known"
	done
	if [ $# -lt 3 ]; then
		echo "FAIL: $target has $# seeds only"
		failed=1
	fi
	"$FUZZ/fuzz_$target" "$@" || {
		echo "FAIL: $target ended with $?"
		failed=1
	}
done
exit $failed
