#!/bin/sh
# gdb at a site: its breakpoint on the byte that switches an OCaml site, on the byte before it, and at an
# sdt site; before us and after us, leaving before us and after us. What it holds is never written, its
# breakpoint is never erased, what we switched is there when it has gone.
# Does not cover: watchpoints; a gdb that is killed, which leaves its int3 in the code itself.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
command -v gdb >/dev/null || skip 'no gdb'

# breaks ADDRESS...: gdb is attached, its breakpoints are in, the target runs. They never stop it.
breaks()
{
	mkfifo "$tmp/gdb" 2>/dev/null
	gdb -q -nx -p "$pid" <"$tmp/gdb" >"$tmp/gdb.out" 2>&1 &
	tracer=$!
	started="$started $tracer"
	exec 7>"$tmp/gdb"
	echo 'set pagination off
set confirm off
set breakpoint always-inserted on' >&7
	for one; do
		echo "break *$one if 0" >&7
	done
	echo 'continue &
echo and it runs\n' >&7
	for one; do
		wait_byte "$one" cc
	done
	until grep -q 'it runs' "$tmp/gdb.out" && grep -q '^State:.[RS]' "/proc/$pid/status"; do
		kill -0 "$tracer" 2>/dev/null || skip "gdb cannot trace here: $(tail -n 1 "$tmp/gdb.out")"
		sleep 0.01
	done
}

# wait_byte ADDRESS BYTE
wait_byte()
{
	until [ "$(peek "$1" 1)" = "$2" ]; do
		kill -0 "$tracer" 2>/dev/null || skip "gdb cannot trace here: $(tail -n 1 "$tmp/gdb.out")"
		sleep 0.01
	done
}

leaves()
{
	exec 7>&-
	wait "$tracer"
	gone "$tracer"
	same 'nobody traces' "$(sed -n 's/^TracerPid:[^0-9]*//p' "/proc/$pid/status")" 0
}

# site NAME: the address of its first site.
site()
{
	printf '0x%x' $(($(bias "$file") + $(notes "$file" | awk -v name="$1" '$2 == name { print $3; exit }')))
}

# ------------------------------------------------- on the byte that switches
start loop_ocaml2_pie
first=$(site first)
switch=$(printf '0x%x' $((first + 1)))
breaks "$switch"
same 'gdb is first' "$(mark first)" '[X] 0/1 0'
want 6 attach -no-syslog -pid "$pid" -enable first
has 'who holds it' 'another tool holds its site at .*int3'
same 'its breakpoint is untouched' "$(peek "$switch" 1)" cc
attach -enable second # beside it all goes on
ask 'step 2'
same 'the handler beside it runs' "$(value second hits)" 2
same 'and this one is off' "$(value first hits)" 0
leaves
same 'gdb has put it back' "$(mark first)" '[ ] 0/1 0'
attach -enable first
ask 'step 2'
same 'on, once gdb has gone' "$(value first hits)" 2
breaks "$switch"
same 'gdb comes after us' "$(mark first)" '[X] 0/1 1'
want 6 attach -no-syslog -pid "$pid" -disable first
same 'untouched again' "$(peek "$switch" 1)" cc
ask 'step 2'
same 'its handler runs under gdb' "$(value first hits)" 4
leaves
same 'gdb leaves, ours stays' "$(mark first)" '[*] 1/1 1'
attach -disable first,second
ask 'step 1'
same 'off' "$(value first hits)" 4
same 'all as it was' "$(peek "$first" 2)" 903d
stop

# ------------------------------------------------- on the byte before it: both work
start loop_ocaml2_pie
first=$(site first)
breaks "$first"
same 'only a breakpoint' "$(mark first)" '[ ] 0/1 0'
attach -enable first
same 'on beside it' "$(peek "$first" 2)" cce8
ask 'step 3'
same 'the handler runs' "$(value first hits)" 3
leaves
same 'gdb leaves, ours stays' "$(peek "$first" 2)" 90e8
ask 'step 2'
same 'and works' "$(value first hits)" 5
breaks "$first"
attach -disable first
same 'off beside it' "$(peek "$first" 2)" cc3d
leaves
same 'as it was' "$(peek "$first" 2)" 903d
stop

# ------------------------------------------------- at an sdt site: its semaphore stays ours to switch
start sdt_sema
shared=$(site shared)
attach -enable shared
breaks "$shared"
same 'seen' "$(mark shared)" '[X] -/2 1'
attach -enable shared
same 'counted beside it' "$(mark shared)" '[X] -/2 2'
attach -disable shared
leaves
same 'gdb leaves' "$(mark shared)" '[*] -/2 1'
attach -disable shared
same 'nothing is left' "$(mark shared)" '[ ] -/2 0'
stop
finish
