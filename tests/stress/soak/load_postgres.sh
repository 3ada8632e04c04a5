#!/bin/sh
# A load for soak.sh: a postgres of its own. Each line N on stdin is N transactions of each of two
# pgbench clients; the answer is twice N, and 0: the transactions that failed. 77: it is not here.
set -eu
user=soak
. "$(dirname "$0")/../../postgres.sh"

echo "ready $server 1500"
while read -r count; do
	pgbench -n -S -c 2 -j 1 -t "$count" >"$data/said" 2>&1 || cat "$data/said" >&2
	sed -n 's/^number of failed transactions: \([0-9]*\).*/failed \1/p
		s/^number of transactions actually processed: \([0-9]*\).*/done \1/p' "$data/said" |
		awk '/done/ { done = $2 } /failed/ { failed = $2 } END { print done + 0, failed + 0 }'
done
if grep -E 'PANIC|was terminated by signal|server process .* exited with' "$data.log" >&2; then
	exit 1
fi
rm -f "$data.log"
