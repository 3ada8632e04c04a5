#!/bin/sh
# `make fuzz`: every fuzz target for FUZZ_SECONDS, FUZZ_JOBS of them at a time, from seeds made for
# it. Says for each how many executions and which coverage it came to, and of a finding all that its
# reproduction needs, since a CI keeps nothing else: `base64 -d >INPUT`, then bin/TARGET INPUT.
# Ends with 1 after a finding, with 77 where there are no targets (no clang).
# Inputs found stay in FUZZ_DIR/corpus, so that the next run goes on from them.
# Not covered: the screen and the command line (tests/e2e).
set -u
: "${FUZZ_DIR:?where the targets are, and inputs go}" "${FUZZ_SEEDS:?the program that makes seeds}"
seconds=${FUZZ_SECONDS:-60} jobs=${FUZZ_JOBS:-2} targets=${FUZZ_TARGETS:-}
memory=${FUZZ_MEMORY:-1024} # MiB
print=4096 # bytes of an input that are printed at most
srcdir=${srcdir:-.}

if [ -z "$targets" ]; then
	echo "SKIP: fuzz: configure found no clang with libFuzzer and its sanitizers (Debian: clang libclang-rt-dev)"
	echo "# SKIP:  1"
	exit 77
fi

mkdir -p "$FUZZ_DIR/corpus" "$FUZZ_DIR/found" "$FUZZ_DIR/log" "$FUZZ_DIR/run" || exit 1
chmod 700 "$FUZZ_DIR/run"
rm -rf "$FUZZ_DIR/seeds-made"
mkdir "$FUZZ_DIR/seeds-made" || exit 1
# shellcheck disable=SC2086 # a list of words
PROBES_TUI_RECORDS=$FUZZ_DIR/run "$FUZZ_SEEDS" "$FUZZ_DIR/seeds-made" ${FUZZ_ELF:-} || exit 1

# one TARGET: ends with the status of libFuzzer.
one()
{
	mkdir -p "$FUZZ_DIR/corpus/$1"
	set -- "$1" "$FUZZ_DIR/corpus/$1" "$FUZZ_DIR/seeds-made/$1"
	for known in "$srcdir/tests/fuzz/regressions/$1"; do
		[ ! -d "$known" ] || set -- "$@" "$known"
	done
	target=$1
	shift
	dictionary=$srcdir/tests/fuzz/$target.dict
	[ ! -f "$dictionary" ] || set -- "$@" "-dict=$dictionary"
	"$FUZZ_DIR/bin/$target" "$@" -max_total_time="$seconds" -rss_limit_mb="$memory" \
		-malloc_limit_mb=256 -timeout=10 -max_len=16384 -print_final_stats=1 \
		-verbosity=1 -artifact_prefix="$FUZZ_DIR/found/$target-" \
		>"$FUZZ_DIR/log/$target" 2>&1 </dev/null
	echo $? >"$FUZZ_DIR/log/$target.status"
}

# The last "cov: N" and "ft: N" of a log.
figure()
{
	grep -o "$2: [0-9]*" "$1" | tail -n 1 | cut -d ' ' -f 2
}

# finding LOG: what libFuzzer, a sanitizer or the target said, the cause first, and the inputs.
finding()
{
	grep -avE '^(#|INFO:|stat::|[[:space:]]*NEW_FUNC)' "$1" | head -n 100
	sed -n 's/.*Test unit written to //p' "$1" | while read -r input; do
		echo "input: $input"
		[ "$(wc -c <"$input")" -gt $print ] || echo "base64: $(base64 <"$input" | tr -d '\n')"
	done
	echo "log: $1"
}

# report TARGET: one line; 1 for a finding.
report()
{
	log=$FUZZ_DIR/log/$1
	executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	summary="$1: ${executions:-?} executions, $(figure "$log" cov) edges, $(figure "$log" ft) features"
	status=$(cat "$log.status")
	if [ "$status" = 0 ]; then
		echo "PASS: fuzz $summary"
		return 0
	fi
	echo "FAIL: fuzz $summary, ended with $status"
	finding "$log"
	return 1
}

# As many at a time as there are jobs.
# shellcheck disable=SC2086 # a list of words
set -- $targets
while [ $# -gt 0 ]; do
	running=
	for _ in $(seq "$jobs"); do
		[ $# -gt 0 ] || break
		rm -f "$FUZZ_DIR/log/$1.status"
		one "$1" &
		running="$running $!"
		shift
	done
	# shellcheck disable=SC2086 # a list of words
	wait $running
done

passed=0 failed=0
for target in $targets; do
	if report "$target"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
echo "# PASS:  $passed"
echo "# FAIL:  $failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
