#!/bin/sh
# What runs each test for automake: its own driver, and for a test that was skipped a line with the reason. No test
# itself.
#
#   tests/skips.sh DRIVER... --log-file LOG --trs-file RESULT ... -- COMMAND...
set -u
log='' result=''
driver=$*
"$@"
status=$?
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	case $1 in
	--log-file) log=$2 ;;
	--trs-file) result=$2 ;;
	esac
	shift
done
: "${log:?in: $driver}" "${result:?in: $driver}"
if grep -q '^:test-result: SKIP' "$result"; then
	why=$(sed -En 's/^(SKIP|skipped): *//p' "$log" | tail -n 1)
	echo "skipped: ${result%.trs}: ${why:-it does not say why}"
fi
exit $status
