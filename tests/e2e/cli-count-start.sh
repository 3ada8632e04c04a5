#!/bin/sh
# count -prog: every hit is counted, from the first constructor on: in a program with and without a
# dynamic linker, at any address and at a fixed one, by way of a launcher; nothing stops for it. If we
# are killed while the program is held, it ends with us; once it runs, it runs on.
# Does not cover: seccomp filters of a launcher (unit/test_host_thread.c), the screen (tui-count-start.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
need_zydis
command -v python3 >/dev/null || skip 'no python3'

# json EXPRESSION: of python, about `total`, the last table.
json()
{
	python3 - "$tmp/result" "$1" <<'END'
import json, sys
total = [json.loads(line) for line in open(sys.argv[1])][-1]
probes = {p["name"]: p for p in total["probes"]}
print(eval(sys.argv[2]))
END
}

# exact WHAT ARG...: what is counted is what the program says of itself. Both of its sites can be counted wherever
# the kernel has put it.
exact()
{
	exact_what=$1
	shift
	"$PROBES_TUI" count -no-syslog -max-overhead 0 -format json -o "$tmp/result" "$@" >"$tmp/answer" 2>"$tmp/err" </dev/null
	same "exit status, $exact_what" $? 0
	for name in first later; do
		same "$exact_what: $name, hits" "$(json "probes['$name']['hits']")" "$(value $name hits)"
	done
	same "stopped, $exact_what" "$(json "total['stopped_ms'] == 0")" True
	same "journals, $exact_what" "$(ls "$PROBES_TUI_RECORDS")" ''
}

for victim in early early_static early_static_pie; do
	for stop in '' -stop; do
		# shellcheck disable=SC2086 # no word, or one
		exact "$victim $stop" $stop -prog "$VICTIMS/$victim"
	done
done
printf '#!/bin/sh\nexec "%s"\n' "$VICTIMS/early" >"$tmp/launcher"
chmod 755 "$tmp/launcher"
exact 'by a launcher' -prog "$tmp/launcher"

# ------------------------------------------------------------- one that loads its library when it runs, as java does
# -for begins when that is counted; the program runs on.
mkfifo "$tmp/late"
exec 7<>"$tmp/late"
timeout 60 "$PROBES_TUI" count -no-syslog -for 100ms -o "$tmp/out" -prog "$VICTIMS/late" -all \
	-- "$VICTIMS/libvictim.so" <"$tmp/late" >"$tmp/answer" 2>"$tmp/err"
same 'a late library: exit status' $? 0
has 'a late library' 'has loaded a library with probes, and runs: what came before is missing' "$tmp/err"
has 'its time' '^counted for [0-9.]+ s' "$tmp/out"
late=$(sed -n 's/^loaded //p' "$tmp/answer")
started="$started $late"
same 'it runs on' "$(kill -0 "$late" && echo yes)" yes
kill -9 "$late"
exec 7>&-
gone "$late"

# --- semaphores, and OCaml's sites: what is counted first is what the program does first
run count -no-syslog -prog "$VICTIMS/loop_static" -for 10ms
same 'OCaml, static' "$status" 0
has 'all of its sites' '^probes-tui: counting ([0-9]+) of \1 sites'

# --- it may install any handler: an instruction that may fault stays where it is
run count -no-syslog -o "$tmp/result" -prog "$VICTIMS/obstacle" -- --steps 3
same 'before its handlers are known' "$status" 0
has 'it counts' '^ +3 .* 1/1 +obstacle:evicted$' "$tmp/result"
has 'what may fault is not moved' "^ +1: the instruction after it can fault, and the program's signal handler would then see the wrong address\$" "$tmp/result"

# --- nothing for us in it
if echo 'int main(void) { return 0; }' | cc -m32 -x c -o "$tmp/m32" - 2>/dev/null; then
	refuses 3 'it is an ELF file for another machine: 32-bit i386' count -no-syslog -prog "$tmp/m32"
else
	echo 'no 32-bit program: cc -m32 does not work here'
fi
cat >"$tmp/x32.s" <<'END'
	.globl _start
_start:	mov $0x4000003c, %eax
	syscall
	.section .note.GNU-stack, "", @progbits
END
if cc -mx32 -nostdlib -static -o "$tmp/x32" "$tmp/x32.s" 2>/dev/null && "$tmp/x32" 2>/dev/null; then
	refuses 3 'it is an ELF file for another machine: 32-bit x86-64 \(x32\)' count -no-syslog -prog "$tmp/x32"
else
	echo 'no x32 program: cc -mx32 does not work here, or the kernel does not execute it'
fi

# --- we are killed, at our system calls in turn: held, it ends with us; let go, it runs to its end as if
# nothing had been
if ! command -v strace >/dev/null || ! strace -qq -o /dev/null true 2>/dev/null; then
	echo 'not killed: strace may not trace here'
	finish
fi
# A sanitizer cannot look for leaks in what strace traces.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS
mark=mark-$$
strace -qq -o "$tmp/calls" "$PROBES_TUI" count -no-syslog -prog "$VICTIMS/early" -- $mark >"$tmp/answer" 2>"$tmp/err" </dev/null
same 'traced' $? 0
first=$(grep -n 'memfd:probes-tui\|pidfd_open' "$tmp/calls" | head -n 1 | cut -d : -f 1)
last=$(grep -n 'probes-tui: counting' "$tmp/calls" | head -n 1 | cut -d : -f 1)
last=$((last + 100)) # it is let go
held=0
for n in $(seq "$first" $(((last - first) / 20 + 1)) "$last"); do
	# strace counts the calls of each name.
	name=$(sed -n "${n}s/(.*//p" "$tmp/calls")
	strace -qq -o /dev/null -e "inject=$name:signal=KILL:when=$(head -n "$n" "$tmp/calls" | grep -c "^$name(")" \
		"$PROBES_TUI" count -no-syslog -prog "$VICTIMS/early" -- $mark >"$tmp/answer" 2>"$tmp/err" </dev/null
	# Nobody traces it any more, and nobody waits for it: it is gone in the end.
	while pgrep -f "early $mark" >/dev/null; do sleep 0.01; done
	if [ -s "$tmp/answer" ]; then
		same "killed at call $n: what it says" "$(paste -s -d ' ' "$tmp/answer")" 'first hits=101 later hits=40000'
	else
		held=$((held + 1))
	fi
	rm -f "$PROBES_TUI_RECORDS"/*
done
checks=$((checks + 1))
[ "$held" -gt 5 ] || fail "only $held times of 20 it was killed while it was held"
finish
