#!/bin/sh
# ELF files that are broken in one way each (tests/fuzz/broken.c), and one of ours cut short and
# spoilt at places: each is listed or refused as it must be, in words, in bounded time and memory,
# and nothing of it reaches the terminal raw.
# Does not cover: files that are mapped in a process (the same reading), symbols and debug
# sections (libdw), random files (tests/fuzz).
. "${srcdir:-.}/tests/e2e/lib.sh"
: "${FUZZ:?the directory of the built broken-file maker}"

# A sanitizer reserves terabytes: no limit then, and it is slower.
if grep -q __asan_init "$PROBES_TUI"; then
	memory=unlimited seconds=40
else
	memory=400000 seconds=10
fi

# look FILE: list it; the status is one of the table, and there are words.
look()
{
	(
		ulimit -v "$memory"
		exec timeout "$seconds" "$PROBES_TUI" list -prog "$1"
	) >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	checks=$((checks + 1))
	case $status in
	0) [ ! -s "$tmp/err" ] || fail "$1: listed, with an error" ;;
	3)
		has "${1##*/}" '^probes-tui: .+'
		[ ! -s "$tmp/out" ] || fail "$1: refused, with output"
		;;
	*)
		fail "$1: exit status $status"
		cat "$tmp/err"
		;;
	esac
	if LC_ALL=C tr -d '\n' <"$tmp/out" | LC_ALL=C grep -q '[[:cntrl:]]' ||
		LC_ALL=C tr -d '\n' <"$tmp/err" | LC_ALL=C grep -q '[[:cntrl:]]'; then
		fail "$1: control characters"
	fi
	iconv -f UTF-8 -t UTF-8 "$tmp/out" "$tmp/err" >/dev/null 2>&1 || fail "$1: no UTF-8"
}

mkdir "$tmp/broken"
"$FUZZ/broken" "$tmp/broken" || exit 99
for file in "$tmp/broken"/*; do
	look "$file"
	case ${file##*/} in
	yes-*) same "${file##*/}" "$status" 0 ;;
	no-*) same "${file##*/}" "$status" 3 ;;
	esac
done

# What is left out, and what is said of the rest.
look "$tmp/broken/yes-sound"
has 'all of it' '^2 sites, 3 probes' "$tmp/out"
look "$tmp/broken/yes-note-without-nul"
has 'two are left' ' 2 probes.*; 1 note left out' "$tmp/out"
run list -verbose -prog "$tmp/broken/yes-note-without-name"
has 'why' '/yes-note-without-name: 1 of its 3 probe notes are left out: cut short, or without a provider or a name'
run list -format json -prog "$tmp/broken/yes-note-without-name"
has 'also in JSON' '"why": "1 of its 3 probe notes' "$tmp/out"
look "$tmp/broken/no-notes-4-gib"
has 'why' 'make no sense'
look "$tmp/broken/no-sections-2-to-32"
has 'why' 'cut short'
look "$tmp/broken/no-sections-stripped"
has 'why' 'section headers were stripped: probe notes cannot be found'
look "$tmp/broken/no-sections-zeroed"
has 'why' 'section headers make no sense: probe notes cannot be found'
look "$tmp/broken/yes-notes-by-segment"
has 'all of it' ' 3 probes' "$tmp/out"
look "$tmp/broken/no-other-core"
has 'why' 'a core dump.*name the program'
look "$tmp/broken/no-other-object"
has 'why' 'object file that was never linked'
look "$tmp/broken/no-sparse-names"
has 'why' 'make no sense'
look "$tmp/broken/no-sparse-sections"
has 'why' 'thousands of sections'

# One of the victims: cut at every 4999 bytes, and with bytes of its headers changed.
whole=$VICTIMS/loop_ocaml2_pie
size=$(wc -c <"$whole")
at=0
while [ "$at" -lt "$size" ]; do
	head -c "$at" "$whole" >"$tmp/cut"
	look "$tmp/cut"
	same "cut to $at bytes" "$status" 3
	at=$((at + 4999))
done
for at in $(seq 4 63); do
	cp "$whole" "$tmp/spoilt"
	printf '\377' | dd of="$tmp/spoilt" bs=1 seek="$at" conv=notrunc 2>/dev/null
	look "$tmp/spoilt"
done

# Without sanitizers at least some of it under valgrind, where there is one.
if [ "$memory" != unlimited ] && command -v valgrind >/dev/null; then
	for name in yes-note-without-nul any-note-both-huge any-note-reaches-into-next \
		any-notes-are-all no-names-unended any-compressed-lie yes-segment-huge; do
		checks=$((checks + 1))
		valgrind -q --error-exitcode=99 "$PROBES_TUI" list -prog "$tmp/broken/$name" \
			>/dev/null 2>"$tmp/err"
		[ $? != 99 ] || {
			fail "valgrind on $name"
			cat "$tmp/err"
		}
	done
fi
finish
