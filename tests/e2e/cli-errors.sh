#!/bin/sh
# Bad input, bad luck: processes that are not there, not ours, or end; files that are no ELF, cut
# short or another machine's; names and expressions that are wrong. Each gives one clear line, the
# status of the table, and an untouched victim.
# Does not cover: notes full of lies (the fuzzers do), a process that ends while it is being
# written, Yama and user namespaces.
. "${srcdir:-.}/tests/e2e/lib.sh"
file=$VICTIMS/loop_ocaml2_pie

# --- no such process; one without a program
for verb in list info; do
	refuses 3 'No such process|no such process' $verb -pid 2147483647
done
refuses 3 'o such process' attach -no-syslog -pid 2147483647 -enable-all
refuses 3 'o such process' list -tree 2147483647

# --- a process that has ended, and is not collected yet
fifos
sh -c 'true & echo $!; exec sleep 1000' >"$tmp/answers" &
parent=$!
started="$started $parent"
read -r zombie <"$tmp/answers"
# Until it is one, by reading its state; the shell may have collected it before it went.
while [ -d "/proc/$zombie" ] && ! grep -q '^State:.Z' "/proc/$zombie/status"; do
	:
done
run attach -no-syslog -pid "$zombie" -enable-all
case $status in
3 | 5) ;;
*) fail "status for a zombie: $status" ;;
esac
has zombie '^probes-tui: '

# --- a kernel thread, and a program without probes: always explained
if [ "$(cat /proc/2/comm 2>/dev/null)" = kthreadd ]; then
	run list -pid 2
	same 'a kernel thread' "$status" 3
	has 'a kernel thread' '^probes-tui: '
fi
run list -pid "$parent"
same 'no probes' "$status" 3
has 'no probes' '^probes-tui: no probes in process'
has 'an object and why' '^  /.*: .+'
want 3 attach -no-syslog -pid "$parent" -enable-all
want 3 list -tree "$parent"
has 'a tree without probes' "^probes-tui: .*no probes in process $parent"
want 3 list -prog /bin/true
has 'no probes' '^probes-tui: no probes in /'
# The shell says that it was killed, if it is waited for.
{
	kill -9 "$parent"
	wait "$parent"
} 2>/dev/null
gone "$parent"

# --- files
printf 'no ELF at all\n' >"$tmp/text"
refuses 3 'ELF' list -prog "$tmp/text"
: >"$tmp/empty"
refuses 3 'ELF|empty' list -prog "$tmp/empty"
refuses 3 'No such file' list -prog "$tmp/missing"
want 3 list -prog "$tmp"
mkfifo "$tmp/fifo"
want 3 list -prog "$tmp/fifo"
for size in 4 16 52 64 100 500 4000 9000; do
	head -c "$size" "$file" >"$tmp/short"
	run list -prog "$tmp/short"
	same "ELF cut to $size bytes" "$status" 3
	has "ELF cut to $size bytes" '^probes-tui: '
done
# e_machine, at 18: aarch64 is 183.
cp "$file" "$tmp/other"
printf '\267' | dd of="$tmp/other" bs=1 seek=18 conv=notrunc 2>/dev/null
refuses 3 'machine|aarch64|AArch64' list -prog "$tmp/other"
# e_ident: 32 bits.
cp "$file" "$tmp/other"
printf '\001' | dd of="$tmp/other" bs=1 seek=4 conv=notrunc 2>/dev/null
run list -prog "$tmp/other"
same '32 bits' "$status" 3

# --- what cannot be started
refuses 3 'No such file' trace -no-syslog -prog "$tmp/missing" -enable-all
refuses 3 'No such file|not found|ermission denied' trace -no-syslog -prog no-such-program-here -enable-all
cp "$file" "$tmp/plain"
chmod 644 "$tmp/plain"
refuses 3 'ermission denied|not executable' trace -no-syslog -prog "$tmp/plain" -enable-all
printf 'text\n' >"$tmp/text"
chmod 755 "$tmp/text"
run trace -no-syslog -prog "$tmp/text" -enable-all
same 'no program' "$status" 3

need_switching
start loop_ocaml2_pie
same_as_before()
{
	run info -pid "$pid"
	same "states after $1" "$(grep -cv ' disabled$' "$tmp/out")" 0
	grep -q '^TracerPid:.0$' "/proc/$pid/status" || fail "traced after $1"
}

# --- names, with the nearest; expressions, with the place
refuses 2 'work_start' attach -no-syslog -pid "$pid" -enable work_strat
refuses 2 'multi' attach -no-syslog -pid "$pid" -enable first,mutli
refuses 2 'registers' attach -no-syslog -pid "$pid" -disable-pair register,first
refuses 2 'ocaml' attach -no-syslog -pid "$pid" -enable ocaml_9:first
refuses 2 'character 7' attach -no-syslog -pid "$pid" -enable-regexp 'fir(st'
refuses 2 '.' attach -no-syslog -pid "$pid" -enable-regexp '['
refuses 2 '.' attach -no-syslog -pid "$pid" -enable-regexp '*a'
refuses 2 '.' attach -no-syslog -pid "$pid" -enable-regexp 'matches_nothing'
refuses 2 'there are: ocaml_2' attach -no-syslog -pid "$pid" -provider nobody -enable-all
refuses 2 '.' attach -no-syslog -pid "$pid" -enable "$(printf 'a\033]0;x\a')"
same 'control characters' "$(grep -c "$(printf '\033')" "$tmp/err")" 0
same_as_before 'wrong names'

# --- somebody else's process
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	other="setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all"
	cp "$PROBES_TUI" "$tmp/probes-tui"
	chmod 755 "$tmp" "$tmp/probes-tui"
	if $other "$tmp/probes-tui" -version >/dev/null 2>&1; then
		$other "$tmp/probes-tui" info -pid "$pid" >"$tmp/out" 2>"$tmp/err"
		same 'info, not ours' $? 4
		has 'not ours' 'ermission denied|not permitted'
		has 'the cause' '^  why'
		$other "$tmp/probes-tui" attach -no-syslog -pid "$pid" -enable-all >"$tmp/out" 2>"$tmp/err"
		same 'attach, not ours' $? 4
		has 'a way out' '^  try|sudo'
		# What helps is the very call that was typed, quoted for a shell; where sudo cannot
		# give CAP_SYS_PTRACE, because the container lacks it, sudo is not offered.
		$other "$tmp/probes-tui" attach -no-syslog -pid "$pid" \
			-enable-regexp "wo.k|it's" >"$tmp/out" 2>"$tmp/err"
		typed=$tmp/probes-tui
		case $typed in *' '*) typed="'$typed'" ;; esac
		bounding=$(awk '/^CapBnd/ { print $2 }' /proc/self/status)
		if [ $((0x$bounding >> 19 & 1)) = 0 ]; then
			same 'no sudo in vain' "$(grep -c sudo "$tmp/err")" 0
		else
			again="$typed attach -no-syslog -pid $pid -enable-regexp 'wo.k|it'\\''s'"
			same 'the call, repeated' "$(sed -n 's/^  try *sudo //p' "$tmp/err")" "$again"
			same 'in the hint, too' "$(sed -n '1s/.*; sudo //p' "$tmp/err")" "$again"
			$other "$tmp/probes-tui" attach -no-syslog -pid "$pid" -enable-regexp \
				"$(printf 'a\nb\033[31m\\'"'")" >"$tmp/out" 2>"$tmp/err"
			again="$typed attach -no-syslog -pid $pid -enable-regexp \$'a\\x0ab\\x1b[31m\\\\\\''"
			same 'repeated, escaped' "$(sed -n 's/^  try *sudo //p' "$tmp/err")" "$again"
		fi
		same_as_before 'a try without permission'
	fi
fi

# --- it ends while it is looked at: every status is one of the table, and nothing hangs
echo quit >&3
exec 3>&- 4<&-
for n in 1 2 3 4 5; do
	run attach -no-syslog -pid "$pid" -enable-all
	case $status in
	0 | 1 | 3 | 5) ;;
	*) fail "status while it ends: $status" ;;
	esac
done
wait "$pid"
gone "$pid"
refuses 3 'o such process' info -pid "$pid"
finish
