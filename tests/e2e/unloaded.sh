#!/bin/sh
# A library is unloaded between our read of its bytes and our write: gdb stops probes-tui just before a
# write while the victim unloads the library. Its probes are reported as unloaded; the rest is
# switched, or switched back; nothing stays on record.
# Does not cover: another object that is mapped there within that moment.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
command -v gdb >/dev/null || skip 'no gdb'
lib=$VICTIMS/libvictim.so
# Leaks cannot be looked for under a tracer.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
cat >"$tmp/unload" <<-EOT
	echo unload >"$tmp/in"
	while read -r line; do
		case \$line in unloaded) echo unloaded >"$tmp/went"; exit ;; esac
	done <"$tmp/answers"
EOT

# held WRITES ARG...: as run, but so many writes to the target are made before the library goes.
held()
{
	before=$1
	shift
	rm -f "$tmp/went"
	# Of the calls of this kind those to the target write one or two bytes. Each stops twice.
	gdb -nx -q -batch -ex 'set confirm off' -ex 'catch syscall pwrite64' \
		-ex 'condition 1 $rdx <= 2' -ex "ignore 1 $((2 * before))" \
		-ex "run $* >'$tmp/out' 2>'$tmp/err' </dev/null" -ex "shell sh '$tmp/unload'" \
		-ex 'delete 1' -ex continue -ex 'printf "status=%d\n", $_exitcode' \
		"$PROBES_TUI" >"$tmp/gdb" 2>&1 </dev/null
	status=$(sed -n 's/^status=//p' "$tmp/gdb")
	grep -q unloaded "$tmp/went" 2>/dev/null || {
		grep -q 'not permitted' "$tmp/gdb" && skip 'gdb may not trace here'
		fail "it was not unloaded: $(cat "$tmp/gdb")"
		finish
	}
}

nothing_left()
{
	same 'no journal is left' "$(ls "$PROBES_TUI_RECORDS" 2>/dev/null)" ''
	want 0 repair -no-syslog -pid "$pid"
	ask step
	has 'it runs on' '^done 1$' "$tmp/answer"
}

# --- before each of the writes of a switch: two sites and a count in the library
for before in 0 1 2; do
	start loop_dlopen
	ask "load $lib"
	held "$before" attach -no-syslog -pid "$pid" -format json -enable-regexp "'lib_work|second'"
	same "status, behind $before writes" "$status" 0
	has "what went, behind $before" 'unloaded' "$tmp/out"
	same "no word of other causes, $before" "$(grep -c 'shared mappings' "$tmp/err")" 0
	same "the rest is on, behind $before" "$(state second)" enabled
	attach -disable second
	nothing_left
	stop

	start loop_dlopen
	ask "load $lib"
	held "$before" attach -no-syslog -pid "$pid" -enable lib_work,second
	same "named: status, behind $before" "$status" 1
	has "named: why, behind $before" 'cannot enable ocaml_2:lib_work: its object has been unloaded'
	same "named: all or nothing, behind $before" "$(state second)" disabled
	nothing_left
	stop
done

# --- and of taking back: the program's two come first
for before in 7 8 9; do
	start loop_dlopen
	ask "load $lib"
	held "$before" attach -no-syslog -pid "$pid" -enable lib_work,second -for 1ms
	same "taking back: status, behind $before" "$status" 0
	has "taking back: the rest, behind $before" 'switched back: 1 probe, 1 site'
	has "taking back: what went, behind $before" 'lib_work.*unloaded.*nothing is left to undo'
	same "taking back: off, behind $before" "$(state second)" disabled
	nothing_left
	stop
done
finish
