#!/bin/sh
# Others who link with libprobes see probes_* and nothing else of it, and all that probes.h
# promises is there; the program itself uses no more of it than they can.
# Not covered: whether anybody uses what the library exports.
set -eu

fail() {
	printf '%s:\n%s\n' "$1" "$2"
	exit 1
}

header=${srcdir:-.}/src/probes.h
declared=$(sed 's:/\*.*\*/::' "$header" | tr '\n' ' ' |
	grep -o 'PROBES_API [^;]*;' | grep -o 'probes_[a-z0-9_]* *(' | tr -d '( ' | sort -u)
tab=$(mktemp -d)
trap 'rm -rf "$tab"' EXIT

# alike LIBRARY: standard input is what it exports.
alike() {
	# (__odr_asan: a sanitizer's own marks)
	seen=$(awk 'NF >= 3 && $(NF - 1) != "A" && $NF !~ /^__(odr_)?asan/ { print $NF }' | sed 's/@.*//' | sort)
	[ -n "$seen" ] || fail "no symbols at all" "$1"
	foreign=$(echo "$seen" | grep -v '^probes_' || :)
	[ -z "$foreign" ] || fail "visible outside of $1, but not probes_*" "$foreign"
	absent=$(echo "$declared" | while read -r name; do
		echo "$seen" | grep -qx "$name" || echo "$name"
	done)
	[ -z "$absent" ] || fail "declared in probes.h, but not in $1" "$absent"
	hidden=$(echo "$seen" | while read -r name; do
		echo "$declared" | grep -qx "$name" || echo "$name"
	done)
	[ -z "$hidden" ] || fail "visible in $1, but not declared in probes.h" "$hidden"
}

nm -D --defined-only libprobes.so | alike libprobes.so
[ ! -e libprobes.a ] || nm -g --defined-only libprobes.a | alike libprobes.a

# The name by which programs ask for it belongs to its version.
soname=$(readelf -dW libprobes.so | sed -n 's/.*SONAME.*\[\(.*\)\]$/\1/p')
version=$(sed -n 's/^#define PROBES_VERSION "\(.*\)"$/\1/p' "$header")
[ "$soname" = "libprobes.so.${version%%.*}" ] || fail "not the soname of version $version" "$soname"

nm -g --defined-only src/libengine.a | awk 'NF == 3 && $3 !~ /^(probes_|__(odr_)?asan)/ { print $3 }' | sort -u >"$tab/inner"
nm -u ui/libui.a | awk 'NF == 2 { print $2 }' | sort -u >"$tab/used"
[ -s "$tab/inner" ] && [ -s "$tab/used" ] || fail "no symbols at all" "src/libengine.a, ui/libui.a"
inner=$(comm -12 "$tab/inner" "$tab/used")
[ -z "$inner" ] || fail "used by ui/, but not public" "$inner"
