#!/bin/sh
# count of OCaml probes that are on, killed at each of its writes: such a site is off while its displacement is
# written. After a repair, each site is switched as its count says, and the handlers run. Killed before its first write,
# it leaves counters that the next session uses: they are not taken for those of a process from which this one was forked.
# Does not cover: kills at other calls (stress/).
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v strace >/dev/null || skip 'no strace'
strace -f -qq -o /dev/null true 2>/dev/null || skip 'strace may not trace here'
need_switching
need_zydis
. "${srcdir:-.}/tests/e2e/counting.sh"
# A sanitizer cannot look for leaks in what strace traces.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS

start loop_ocaml2_pie
attach -enable first,multi
want 0 list -pid "$pid" -format json
cp "$tmp/out" "$tmp/before.json"

# switched: name, state and bytes of all sites
switched()
{
	python3 -c 'import json, sys
for p in json.load(open(sys.argv[1]))["probes"]:
	print(p["name"], p["state"], p["ref"], [s["bytes"] for s in p["sites"]])' "$1"
}
switched "$tmp/before.json" >"$tmp/before"

for stop in '' -stop; do
	killed=0
	# shellcheck disable=SC2086 # no word, or one
	for number in $(seq 1 ${stop:+2} 60); do
		# shellcheck disable=SC2086 # no word, or one
		strace -f -qq -o /dev/null -e trace=pwrite64 -e inject=pwrite64:signal=KILL:when="$number" \
			"$PROBES_TUI" count -no-syslog -pid "$pid" $stop -max-stop 20000 -for 1ms first,multi \
			>"$tmp/out" 2>"$tmp/err" </dev/null
		ended=$?
		[ "$ended" != 0 ] || break
		killed=$((killed + 1))
		want 0 repair -no-syslog -pid "$pid"
		want 0 list -pid "$pid" -format json
		# A file that is the same says the same.
		cmp -s "$tmp/out" "$tmp/before.json" ||
			same "killed at write $number $stop" "$(switched "$tmp/out")" "$(cat "$tmp/before")"
	done
	checks=$((checks + 1))
	[ "$killed" -gt 10 ] || fail "it was killed $killed times only"
done
stop

start sdt_plain
strace -qq -o /dev/null -e trace=pwrite64 -e inject=pwrite64:signal=KILL:when=1 \
	"$PROBES_TUI" count -no-syslog -pid "$pid" -for 1ms plain >"$tmp/out" 2>"$tmp/err" </dev/null
same 'killed' $? 137
mapped=$(grep -c probes-tui "/proc/$pid/maps")
checks=$((checks + 1))
[ "$mapped" -gt 0 ] || fail 'nothing was mapped'
counting -pid "$pid" -format json plain
ask 'step 30'
interrupted INT 130
same 'counted then' "$(json 'total["plain"]["hits"]')" 30
same 'nothing more is mapped' "$(grep -c probes-tui "/proc/$pid/maps")" "$mapped"
finish
