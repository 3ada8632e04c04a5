#!/bin/sh
# `make stress`: the campaign, with a folder of its own; that is kept where something went wrong. The
# last lines are in the form of automake's, for whoever adds them up.
set -u
: "${PROBES_TUI:?the program to test}" "${STRESS:?the folder of the built campaign}"

# A sanitizer cannot look for leaks in what is traced, and our tool is, to be killed in time.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS

folder=$(mktemp -d) || exit 99
"$STRESS/stress" "$PROBES_TUI" "$STRESS/storm" "$folder"
status=$?
case $status in
0)
	rm -rf "$folder"
	echo 'PASS: stress'
	echo '# PASS:  1'
	;;
77)
	rm -rf "$folder"
	echo 'SKIP: stress'
	echo '# SKIP:  1'
	status=0
	;;
*)
	echo "FAIL: stress: what the tool said is in $folder/output"
	;;
esac
exit $status
