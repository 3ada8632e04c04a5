#!/bin/sh
# Code that cannot be written: mapped shared, where the kernel makes no copy for us, as it does of
# private code. Refused in words, nothing is left half done, and what needs no code still works.
# Does not cover: kernels whose boot options forbid such writes.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
file=$VICTIMS/loop_ocaml2_pie

start loop_ocaml2_pie
ask share
same 'its code is mapped shared' "$(cat "$tmp/answer")" 'done share'
same 'so maps says' "$(grep -c ' r-xs .*/loop_ocaml2_pie' "/proc/$pid/maps")" 1
sum=$(cksum <"$file")
for name in first multi sema_only first; do
	before="$(live "$file" first) $(live "$file" multi)"
	run attach -no-syslog -pid "$pid" -enable $name
	if [ $name = sema_only ]; then
		same 'a count alone' "$status" 0
		same 'is switched' "$(state $name)" enabled
		attach -disable $name
		continue
	fi
	same "status of $name" "$status" 1
	one_line "$name"
	has "where, $name" 'cannot write at 0x[0-9a-f]+: .*shared mappings'
	same "nothing is changed, $name" "$(live "$file" first) $(live "$file" multi)" "$before"
	same "so it says, $name" "$(state $name)" disabled
done
# One that could be written goes with the one that cannot.
run attach -no-syslog -pid "$pid" -enable sema_only,first
same 'all or nothing' "$status $(state sema_only)" '1 disabled'
ask step
same 'no handler ran' "$(value first hits) $(value multi hits)" '0 0'
same 'no register was lost' "$(value check corrupt)" 0
same 'its file is as it was' "$(cksum <"$file")" "$sum"
same 'no journal is left' "$(ls "$PROBES_TUI_RECORDS" 2>/dev/null)" ''
stop
finish
