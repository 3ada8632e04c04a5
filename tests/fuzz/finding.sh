#!/bin/sh
# What `make fuzz` prints of a finding is enough to reproduce it: the cause, however much follows it, and the input, unless
# it is long. .ci/run, which keeps no files, prints that, too. A script plays the target: this needs no libFuzzer.
set -u
srcdir=${srcdir:-.}
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/bin" || exit 99

# Its last argument says where the input goes.
cat >"$tmp/bin/plays" <<'END'
#!/bin/sh
for word; do prefix=${word#-artifact_prefix=}; done
head -c "$INPUT_BYTES" /dev/zero >"${prefix}crash-1"
printf '%s\n' '#1	INITED cov: 5 ft: 7 corp: 1/1b' '	NEW_FUNC[1/1]: 0x1 in x' \
	'x.c:1: broken promise: NEW' '==1== ERROR: libFuzzer: deadly signal'
seq -f '    #%g 0x1 in deep' 300
echo "artifact_prefix='$prefix'; Test unit written to ${prefix}crash-1"
seq -f 'stat::%g: 1' 100
exit 77
END
chmod +x "$tmp/bin/plays"

failed=0
# wants WHAT PATTERN FILE: a line of it is like that.
wants()
{
	grep -q "$2" "$3" && return
	echo "FAIL: $1: no line like $2"
	cat "$3"
	failed=1
}

# fuzz BYTES: a finding with an input of that size.
fuzz()
{
	INPUT_BYTES=$1 sh "$srcdir/tests/fuzz/run.sh" >"$tmp/out" 2>&1
	[ $? = 1 ] || {
		echo "FAIL: a finding is none"
		failed=1
	}
}
export srcdir tmp INPUT_BYTES FUZZ_DIR="$tmp" FUZZ_SEEDS=true FUZZ_TARGETS=plays

fuzz 100
wants status '^FAIL: fuzz plays: .* 5 edges, 7 features, ended with 77$' "$tmp/out"
wants 'the cause' '^x.c:1: broken promise: NEW$' "$tmp/out"
wants 'the path' "^input: $tmp/found/plays-crash-1\$" "$tmp/out"
sed -n 's/^base64: //p' "$tmp/out" | base64 -d | cmp - "$tmp/found/plays-crash-1" || failed=1
if grep -q NEW_FUNC "$tmp/out"; then
	echo "FAIL: progress"
	failed=1
fi

# Only the functions of .ci/run: it would run all there is.
sed -n '/^count() {/,/^# ---.* somebody else/p' "$srcdir/.ci/run" >"$tmp/step"
bash -o pipefail -c '
	logs=$tmp/log passed=0 failed=0 skipped=0
	. "$tmp/step"
	step fuzz "" sh -c "cat \"\$tmp/out\"; exit 1"
' >"$tmp/printed" 2>&1
wants '.ci/run: the cause' '^x.c:1: broken promise: NEW$' "$tmp/printed"
wants '.ci/run: the input' '^base64: AAAA' "$tmp/printed"
wants '.ci/run: the number' '^=== fuzz: [0-9]* s, 1 FAILED$' "$tmp/printed"

fuzz 5000
wants 'a long one' '^input: ' "$tmp/out"
if grep -q base64 "$tmp/out"; then
	echo "FAIL: a long input is printed"
	failed=1
fi
exit $failed
