#!/bin/sh
# A program whose code is translated, by valgrind and by QEMU: its probes are listed and read, but nothing changes a byte of
# it; each refusal says why, and the program goes on. One that the dynamic linker was asked to run is no such program.
# Does not cover: other translators (unit/test_access.c knows their files), those that begin later.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
valgrind=$(command -v valgrind)
qemu=$(command -v qemu-x86_64 || command -v qemu-x86_64-static)
[ "$valgrind$qemu" ] || skip 'neither valgrind nor qemu-user is installed'

# start_by VICTIM COMMAND...: run the victim by this command.
start_by()
{
	victim=$1
	shift
	fifos
	"$@" "$VICTIMS/$victim" <"$tmp/in" >"$tmp/answers" 2>/dev/null &
	pid=$!
	started="$started $pid"
	exec 3>"$tmp/in" 4<"$tmp/answers"
	read -r word _ <&4
	same 'first word of a victim' "$word" ready
}

why='runs a translation of its code: a changed byte may crash it, or have no effect; run the program without'
if [ "$valgrind" ]; then
	start_by loop_ocaml2_pie "$valgrind" --tool=none
	same 'it is listed, and read' "$(state first)" disabled
	run list -pid "$pid"
	has 'list says what is not possible' "^probes-tui: pid $pid: its probes can be neither switched nor counted: it runs under valgrind\$"
	for verb in '-enable first' '-force -enable-all' '-stop -disable-all'; do
		# shellcheck disable=SC2086 # words
		refuses 6 "valgrind $why valgrind" attach -no-syslog -pid "$pid" $verb
	done
	for verb in count events latency; do
		names='work_start'
		[ $verb != latency ] || names='work_start,work_end'
		# shellcheck disable=SC2086
		want 6 $verb -no-syslog -stop -pid "$pid" -for 1s $names
		has "error of $verb" "valgrind $why valgrind"
	done
	same 'nothing is mapped' "$(grep -c memfd:probes-tui "/proc/$pid/maps")" 0
	same 'no journal' "$(ls "$PROBES_TUI_RECORDS")" ''
	ask step
	same 'no handler has run' "$(value multi hits) $(value check corrupt)" '0 0'
	stop
fi
if [ "$qemu" ]; then
	# The code of the program is not mapped executable, so its probes are not found.
	start_by counts "$qemu"
	want 3 list -pid "$pid"
	has 'what to try' '^probes-tui: no probes in process [0-9]+ .*; run the program without QEMU$'
	ask step
	same 'it goes on' "$(value plain hits)" 1
	stop
fi
loader=$(readelf -lW "$VICTIMS/loop_ocaml2_pie" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
start_by loop_ocaml2_pie "$loader"
attach -enable first
ask step
same 'its handler has run' "$(value first hits)" 1
attach -disable first
stop
finish
