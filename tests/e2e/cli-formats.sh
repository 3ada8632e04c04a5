#!/bin/sh
# Files of other shapes than a compiler's and linker's everyday output, made here by the assembler: 32
# bits, big-endian, core dumps, object files, notes that are loaded, without section headers; each as a
# file and, where it runs, as a process, by every verb.
# Does not cover: prelinked files and odd segments (hiding.sh), broken ones (cli-broken.sh), compressed
# debug information (tui-where.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
command -v as >/dev/null && command -v ld >/dev/null || skip 'no assembler and linker'

# source FLAGS: one sdt probe with a semaphore, whose note has these section flags
source()
{
	cat <<END
	.globl _start, wanted
	.text
_start:
1:	nop
	mov \$34, %eax
	syscall
	jmp 1b
	.section .note.stapsdt,"$1","note"
	.balign 4
	.4byte 8, 9f-8f, 3
	.asciz "stapsdt"
8:	.8byte 1b, base, wanted
	.asciz "shapes"
	.asciz "only"
	.asciz "8@%rax"
9:	.balign 4
	.section .stapsdt.base,"aG","progbits",.stapsdt.base,comdat
base:	.space 1
	.data
wanted:	.2byte 0
END
}

# make NAME FLAGS [AS-OPTION]
make()
{
	source "$2" >"$tmp/$1.s"
	as --64 ${3:-} -o "$tmp/$1.o" "$tmp/$1.s" && ld --build-id -o "$tmp/$1" "$tmp/$1.o" || exit 99
}

# zeros FILE AT COUNT
zeros()
{
	head -c "$3" /dev/zero | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

# count: of the probe in $pid, read by other means
count()
{
	at=$(readelf -sW "$file" | awk '$8 == "wanted" { print $2; exit }')
	dd if="/proc/$pid/mem" bs=1 skip=$((0x$at)) count=2 2>/dev/null | od -An -tu2 | tr -d ' '
}

# run_it FILE: in the background, past its exec; $pid
run_it()
{
	"$1" </dev/null >/dev/null 2>&1 &
	pid=$!
	started="$started $pid"
	polls=0
	until [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "${1##*/}" ] || [ $polls -gt 5000 ]; do
		polls=$((polls + 1))
	done
}

end_it()
{
	{
		kill -9 "$pid"
		wait "$pid"
	} 2>/dev/null
	gone "$pid"
}

# works WHAT FILE: listed once, switched on and off
works()
{
	file=$tmp/${2##*/}
	file=${file%-*}
	want 0 list -prog "$2"
	has "$1: listed" '^1 site, 1 probe, 1 object' "$tmp/out"
	run_it "$2"
	want 0 list -pid "$pid"
	has "$1: listed alive" 'shapes:only' "$tmp/out"
	attach -enable only
	same "$1: on" "$(count) $(state only)" '1 enabled'
	attach -disable only
	same "$1: off" "$(count) $(state only)" '0 disabled'
	end_it
}

# lacks WHAT FILE WHY: no probes are found, and that is why
lacks()
{
	want 3 list -prog "$2"
	has "$1: file" "$3"
	run_it "$2"
	for verb in 'list' 'attach -no-syslog -enable-all'; do
		want 3 $verb -pid "$pid"
		has "$1: $verb" "$3"
	done
	TERM=xterm "$PROBES_TUI" -no-syslog -pid "$pid" >"$tmp/out" 2>"$tmp/err" </dev/null
	same "$1: without a verb" $? 3
	has "$1: without a verb" "$3"
	checks=$((checks + 1))
	! grep -q 'built without' "$tmp/err" || fail "$1: it was not built without"
	end_it
}

# --- without section headers
make whole ''
make loaded a
for shape in whole loaded; do
	works "$shape" "$tmp/$shape"
	cp "$tmp/$shape" "$tmp/$shape-none" # e_shoff; e_shnum, e_shstrndx
	zeros "$tmp/$shape-none" 40 8
	zeros "$tmp/$shape-none" 60 4
	cp "$tmp/$shape" "$tmp/$shape-zero"
	table=$(od -An -tu8 -j 40 -N 8 "$tmp/$shape" | tr -d ' ')
	zeros "$tmp/$shape-zero" "$table" $(($(wc -c <"$tmp/$shape") - table))
	cp "$tmp/$shape" "$tmp/$shape-cut"
	truncate -s $((table + 70)) "$tmp/$shape-cut"
done
works 'loaded notes, no section headers' "$tmp/loaded-none"
works 'loaded notes, section headers zeroed' "$tmp/loaded-zero"
works 'loaded notes, section headers cut off' "$tmp/loaded-cut"
lacks 'no section headers' "$tmp/whole-none" 'section headers were stripped: .*cannot be found'
lacks 'section headers zeroed' "$tmp/whole-zero" 'section headers make no sense: .*cannot be found'
lacks 'section headers cut off' "$tmp/whole-cut" 'cut short: its section headers'

# --- what is no program
refuses 3 'object file that was never linked; name the program' list -prog "$tmp/whole.o"
cp "$tmp/whole" "$tmp/core"
printf '\004' | dd of="$tmp/core" bs=1 seek=16 conv=notrunc 2>/dev/null
refuses 3 'a core dump, not a program; name the program that dumped it' list -prog "$tmp/core"
# execvp has a shell execute what the kernel cannot: never this file, whose bytes may be commands (here: > FILE).
mkdir "$tmp/here"
case $PROBES_TUI in
/*) built=$PROBES_TUI ;;
*) built=$PWD/$PROBES_TUI ;;
esac
(cd "$tmp/here" && "$built" trace -no-syslog -enable-all -prog "$tmp/core" >"$tmp/out" 2>"$tmp/err")
same 'a damaged program' $? 3
has 'a damaged program' 'Exec format error' "$tmp/err"
same 'what a shell made of it' "$(ls "$tmp/here" | wc -l)" 0
printf 'exit 5\n' >"$tmp/plain"
chmod +x "$tmp/plain"
want 3 trace -no-syslog -enable-all -prog "$tmp/plain"
has 'a script without #!' 'exited with status 5'

# --- other machines: 32 bits, big-endian
cp "$tmp/whole" "$tmp/big"
printf '\002' | dd of="$tmp/big" bs=1 seek=5 conv=notrunc 2>/dev/null
printf '\000\026' | dd of="$tmp/big" bs=1 seek=18 conv=notrunc 2>/dev/null
refuses 3 'another machine: 64-bit big-endian s390' list -prog "$tmp/big"
cat >"$tmp/small.s" <<'END'
	.globl _start
_start:	nop
	mov $29, %eax
	int $0x80
	jmp _start
END
if as --32 -o "$tmp/small.o" "$tmp/small.s" 2>/dev/null &&
	ld -m elf_i386 -o "$tmp/small" "$tmp/small.o" 2>/dev/null; then
	refuses 3 'another machine: 32-bit i386' trace -no-syslog -enable-all -prog "$tmp/small"
	run_it "$tmp/small"
	if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = small ]; then
		for verb in list info 'repair -no-syslog' 'attach -no-syslog -enable-all' -no-syslog; do
			refuses 3 'another machine: 32-bit i386' $verb -pid "$pid"
		done
	else
		echo 'this kernel runs no 32-bit program: not tried'
	fi
	end_it
fi
finish
