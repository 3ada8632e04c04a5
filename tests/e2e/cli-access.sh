#!/bin/sh
# Why something cannot be done, and what would help, where this kernel can show it: no process, a
# kernel thread, a zombie, programs for other machines, another user namespace, a process that made
# itself undumpable, one that is traced already, seccomp filters on it and on us; runtimes without
# probes. Where it is no hindrance it works all the same.
# Does not cover: Yama, capabilities, security modules, boot options (test_access: facts).
. "${srcdir:-.}/tests/e2e/lib.sh"
victim=$VICTIMS/loop_ocaml2_pie
# The search for leaks needs ptrace, which is denied here.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS

# --- nothing that has a program
refuses 3 'ps -e' list -pid 2147483647
if [ "$(cat /proc/2/comm 2>/dev/null)" = kthreadd ]; then
	refuses 3 'kernel thread.*; .*bpftrace' list -pid 2
	refuses 3 'kernel thread' attach -no-syslog -pid 2 -enable-all
fi
sh -c 'true & echo $!; exec sleep 1000' >"$tmp/zombie" &
parent=$!
started="$started $parent"
until [ -s "$tmp/zombie" ]; do sleep 0.01; done
zombie=$(cat "$tmp/zombie")
until ! [ -d "/proc/$zombie" ] || grep -q '^State:.Z' "/proc/$zombie/status" 2>/dev/null; do sleep 0.01; done
if [ -d "/proc/$zombie" ]; then
	refuses 3 "\\(zombie\\); its parent is process $parent" list -pid "$zombie"
	refuses 3 'zombie' attach -no-syslog -pid "$zombie" -enable-all
fi
{
	kill -9 "$parent"
	wait "$parent"
} 2>/dev/null
gone "$parent"

# --- files for other machines: e_ident's class at 4, e_machine at 18
cp "$victim" "$tmp/aarch64"
printf '\267' | dd of="$tmp/aarch64" bs=1 seek=18 conv=notrunc 2>/dev/null
refuses 3 'another machine: 64-bit aarch64; .*x86-64' list -prog "$tmp/aarch64"
# A header and nothing else, of 64 bytes, big-endian: s390.
{
	printf '\177ELF\002\002\001\000\000\000\000\000\000\000\000\000\000\002\000\026\000\000\000\001'
	head -c 28 /dev/zero
	printf '\000\100\000\070\000\000\000\100\000\000\000\000'
} >"$tmp/s390"
refuses 3 'another machine: 64-bit big-endian s390' list -prog "$tmp/s390"

# --- a running one: 32 bits
cat >"$tmp/small.s" <<'END'
	.globl _start
_start:	mov $29, %eax
	int $0x80
	jmp _start
END
if as --32 -o "$tmp/small.o" "$tmp/small.s" 2>/dev/null &&
	ld -m elf_i386 -o "$tmp/small" "$tmp/small.o" 2>/dev/null; then
	refuses 3 'another machine: 32-bit i386' list -prog "$tmp/small"
	"$tmp/small" </dev/null >/dev/null 2>&1 &
	small=$!
	started="$started $small"
	polls=0
	until [ "$(cat "/proc/$small/comm" 2>/dev/null)" = small ] || [ $polls -gt 2000 ]; do
		polls=$((polls + 1))
	done
	if [ "$(cat "/proc/$small/comm" 2>/dev/null)" = small ]; then
		refuses 3 'another machine: 32-bit i386' list -pid "$small"
		refuses 3 'another machine: 32-bit i386' attach -no-syslog -pid "$small" -enable-all
	else
		echo 'this kernel runs no 32-bit program: not tried'
	fi
	kill -9 "$small" 2>/dev/null
	{ wait "$small"; } 2>/dev/null
	gone "$small"
else
	echo 'no assembler for 32 bits: not tried'
fi

# --- runtimes without probes: what would bring them
for one in python3.11:--with-dtrace libjvm.so:--enable-dtrace postgres:--enable-dtrace \
	node:'up to version 18' test.exe:'%probe'; do
	cp /bin/true "$tmp/${one%%:*}"
	want 3 list -prog "$tmp/${one%%:*}"
	has "$one" "^  .*/${one%%:*}: no probe notes: .*${one#*:}"
done
cp "$(command -v sleep)" "$tmp/ruby3.1"
"$tmp/ruby3.1" 1000 &
bare=$!
started="$started $bare"
# Before exec it is this shell, whose libc does not count.
until grep -qs '/ruby3.1' "/proc/$bare/maps" && grep -qs '/libc' "/proc/$bare/maps"; do sleep 0.01; done
want 3 list -pid "$bare"
has 'its own line' '^  .*/ruby3.1: no probe notes: .*Ruby has probes when configured --enable-dtrace'
has 'libc' '^  .*/libc.*: no probe notes: .*--enable-systemtap'
want 3 attach -no-syslog -pid "$bare" -enable-all
has 'attach, too' '--enable-dtrace'
"$PROBES_TUI" -no-syslog -pid "$bare" >"$tmp/out" 2>"$tmp/err" </dev/null
same 'and without a verb' $? 3
has 'and without a verb' '--enable-dtrace'
{
	kill -9 "$bare"
	wait "$bare"
} 2>/dev/null
gone "$bare"

need_switching
start loop_ocaml2_pie

# --- seccomp: ours, as in a container; we read by another way
if "$VICTIMS/fenced" process_vm_readv=1 ptrace=1 -- true 2>/dev/null; then
	for code in 1 38; do
		"$VICTIMS/fenced" process_vm_readv=$code ptrace=$code -- "$PROBES_TUI" attach \
			-no-syslog -pid "$pid" -enable first >"$tmp/out" 2>"$tmp/err"
		same "attach behind a filter ($code)" "$? $(cat "$tmp/out" "$tmp/err")" '0 '
		same 'it is on' "$(state first)" enabled
		"$VICTIMS/fenced" process_vm_readv=$code -- "$PROBES_TUI" attach \
			-no-syslog -pid "$pid" -disable first >"$tmp/out" 2>"$tmp/err"
		same "and off ($code)" "$? $(state first)" '0 disabled'
	done
	"$VICTIMS/fenced" ptrace=1 -- "$PROBES_TUI" attach -no-syslog -pid "$pid" -stop \
		-enable first >"$tmp/out" 2>"$tmp/err"
	same '-stop without ptrace' $? 4
	has 'and says so' 'without a stop'
	same 'untouched' "$(state first)" disabled
	# As a kernel that lets nobody write to code, with which nothing is to be done.
	for code in 1 5 13; do
		for how in -quiet -stop; do
			"$VICTIMS/fenced" pwrite64=$code -- "$PROBES_TUI" attach -no-syslog \
				-pid "$pid" $how -enable first >"$tmp/out" 2>"$tmp/barred"
			same "no writing ($code, $how)" "$? $(state first)" '1 disabled'
			[ $how = -stop ] ||
				has 'and why' 'forbids it even to a tracer: ' "$tmp/barred"
			has 'and what' 'proc_mem.force_override' "$tmp/barred"
		done
	done
	grep -q '^TracerPid:.0$' "/proc/$pid/status" || fail 'still traced'
	want 0 repair -no-syslog -pid "$pid"
	same 'nothing is owed' "$(cat "$tmp/out")" ''
else
	echo 'no seccomp filters here: not tried'
fi

# --- another user namespace: ours is the smaller one
if unshare -Ur true 2>/dev/null; then
	unshare -Ur "$PROBES_TUI" info -pid "$pid" >"$tmp/out" 2>"$tmp/err"
	same 'from another user namespace' $? 4
	has 'the cause' '^probes-tui: .*user namespace'
	has 'the rung' '^  FAIL +switch'
	same 'the way out' "$(grep '^  try' "$tmp/err")" '  try   run probes-tui outside of your user namespace'
	unshare -Ur setpriv --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace "$PROBES_TUI" info -pid "$pid" \
		>"$tmp/out" 2>"$tmp/err"
	same 'without the capability' $? 4
	same 'no other way out' "$(grep '^  try' "$tmp/err")" '  try   run probes-tui outside of your user namespace'
	same 'untouched' "$(state first)" disabled
else
	echo 'no user namespaces here: not tried'
fi

# --- traced by another: reading and switching go on
if command -v strace >/dev/null; then
	strace -q -o /dev/null -p "$pid" </dev/null >/dev/null 2>&1 &
	tracer=$!
	started="$started $tracer"
	polls=0
	until grep -q "^TracerPid:.$tracer\$" "/proc/$pid/status" || [ $polls -gt 5000 ]; do
		polls=$((polls + 1))
	done
	if grep -q "^TracerPid:.$tracer\$" "/proc/$pid/status"; then
		same 'info of a traced one' "$(state first)" disabled
		attach -enable first
		same 'switched' "$(state first)" enabled
		attach -disable first
		want 4 attach -no-syslog -quiet -pid "$pid" -stop -enable first
		has "who" "process $tracer \\(strace\\) traces it already; .*without a stop"
		same 'untouched' "$(state first)" disabled
	else
		echo 'strace may not trace here: not tried'
	fi
	kill "$tracer"
	{ wait "$tracer"; } 2>/dev/null
	gone "$tracer"
fi
stop

# --- a filter on it: nothing is called in it
if "$VICTIMS/fenced" ptrace=1 -- true 2>/dev/null; then
	launch 3 4 fenced ptrace=1 -- "$victim"
	pid=$started_pid
	attach -enable first
	same 'a confined process' "$(state first)" enabled
	attach -disable first
	stop
fi

# --- undumpable: as somebody without rights, since root may all the same, with CAP_SYS_PTRACE (19)
nobody="setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all"
lend "$victim"
lent_victim=$lent
lend "$PROBES_TUI"
if [ "$(id -u)" = 0 ] && $nobody "$lent" -version >/dev/null 2>&1; then
	fifos
	chmod 666 "$tmp/in" "$tmp/answers"
	$nobody "$lent_victim" <"$tmp/in" >"$tmp/answers" &
	pid=$!
	started="$started $pid"
	exec 3>"$tmp/in" 4<"$tmp/answers"
	read -r word _ <&4
	same 'first word' "$word" ready
	$nobody "$lent" info -pid "$pid" >"$tmp/out" 2>"$tmp/err"
	same 'dumpable' $? 0
	ask undumpable
	$nobody "$lent" info -pid "$pid" >"$tmp/out" 2>"$tmp/err"
	same 'undumpable' $? 4
	has 'the cause' '^probes-tui: .*undumpable'
	if capable 19; then
		has 'the remedy' '^probes-tui: .*undumpable.*; sudo .*probes-tui'"'"'? info -pid '
		has 'the way out' "^  try +sudo .*probes-tui'? info -pid $pid$"
		want 0 info -pid "$pid"
	else
		want 4 info -pid "$pid"
	fi
	stop
else
	echo 'not root, or nobody cannot run it: undumpable was not tried'
fi
finish
