#!/bin/sh
# `make check` ends with this: a line for each test that was skipped, and why. No test itself.
#
#   tests/skips.sh RESULT.trs...
set -eu
for result in "$@"; do
	grep -q '^:test-result: SKIP' "$result" 2>/dev/null || continue
	log=${result%.trs}.log
	# What it said last, but for automake's own line.
	why=$(grep -v '^SKIP .*(exit status: 77)$' "$log" | grep . | tail -n 1 | sed -E 's/^(SKIP|skipped): *//')
	echo "skipped: ${result%.trs}: ${why:-it does not say why}"
done
