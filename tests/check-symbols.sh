#!/bin/sh
# Others who link with libprobes.a see probes_* and nothing else of it, and all that probes.h
# promises is there.
# Not covered: whether anybody uses what the library exports.
set -eu

fail() {
	printf '%s:\n%s\n' "$1" "$2"
	exit 1
}

# (__odr_asan: a sanitizer's own marks)
seen=$(nm -g --defined-only libprobes.a | awk 'NF == 3 && $3 !~ /^__(odr_)?asan/ { print $3 }' | sort)
[ -n "$seen" ] || fail "no symbols at all" "libprobes.a"
foreign=$(echo "$seen" | grep -v '^probes_' || :)
[ -z "$foreign" ] || fail "visible outside of libprobes.a, but not probes_*" "$foreign"

declared=$(sed 's:/\*.*\*/::' "${srcdir:-.}/src/probes.h" | tr '\n' ' ' |
	grep -o 'PROBES_API [^;]*;' | grep -o 'probes_[a-z0-9_]* *(' | tr -d '( ' | sort -u)
absent=$(echo "$declared" | while read -r name; do
	echo "$seen" | grep -qx "$name" || echo "$name"
done)
[ -z "$absent" ] || fail "declared in probes.h, but not in libprobes.a" "$absent"
hidden=$(echo "$seen" | while read -r name; do
	echo "$declared" | grep -qx "$name" || echo "$name"
done)
[ -z "$hidden" ] || fail "visible, but not declared in probes.h" "$hidden"
