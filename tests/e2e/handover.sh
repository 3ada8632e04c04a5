#!/bin/sh
# Hand-over: the commands of other tools that y shows are run as they are: for a program that lies at its place, at
# one with blanks and quotes, that was deleted, and in a mount namespace with another root.
# Does not cover: perf, whose events are the whole machine's; libraries (the unit suite "handover").
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
command -v bpftrace >/dev/null || skip 'no bpftrace'
command -v gdb >/dev/null || skip 'no gdb'
[ "$(id -u)" = 0 ] || skip 'not root: no bpftrace'
timeout 20 bpftrace -e 'BEGIN { exit(); }' >"$tmp/out" 2>&1 || skip "bpftrace does not work here: $(head -n 1 "$tmp/out")"
terminal 120 40

# run_loop COMMAND...: a victim that hits its probes forever; $pid
run_loop()
{
	mkfifo "$tmp/ready" "$tmp/orders" 2>/dev/null
	exec 5<>"$tmp/orders" # never at its end
	"$@" >"$tmp/ready" <&5 &
	started="$started $!"
	exec 6<"$tmp/ready"
	read -r word pid <&6
	same 'first word' "$word" ready
}

# shown NAME: the commands that y shows for this probe, one a line, in $tmp/commands
shown()
{
	rm -f "$tmp/commands.txt"
	screen
	text "/$1"
	keys Enter
	wait_for '^> .*:'"$1"
	keys y
	wait_for '^As a command line'
	keys w C-u
	text "$tmp/commands.txt"
	keys Enter
	wait_for '^wrote|wrote '
	keys q
	wait_list
	keys q
	wait_for '^status=0'
	sed -e ':a' -e '/\\$/{N;s/\\\n//;ba' -e '}' "$tmp/commands.txt" >"$tmp/commands"
	same 'only comments and commands' "$(grep -Ev 'As a command line|^(#|$|(bpftrace|gdb|perf|probes-tui) )' "$tmp/commands")" ''
}

# command TOOL
command_of()
{
	grep "^$1 " "$tmp/commands" >"$tmp/command" || {
		fail "no command of $1 in:"
		sed 's/^/    /' "$tmp/commands.txt"
	}
}

# attached: is a breakpoint at one of its sites?
attached()
{
	"$PROBES_TUI" list -pid "$pid" -format json | grep -q '"bytes": "cc' && echo yes
}

# bpftrace_counts WHAT
bpftrace_counts()
{
	command_of bpftrace
	: >"$tmp/counted"
	sh -c "exec $(cat "$tmp/command")" >"$tmp/counted" 2>&1 </dev/null &
	tracer=$!
	started="$started $tracer"
	# It is attached once its breakpoint is there, and then some rounds of the victim pass.
	wait_until yes attached
	for _ in $(seq 50); do
		attached >/dev/null
	done
	# It prints what it has counted when it ends, and may lose a signal. A second INT would end it before it has printed.
	for _ in $(seq 100); do
		kill -TERM "$tracer" 2>/dev/null || break
		[ "$(running "$tracer")" = yes ] || break
		sleep 0.1
	done
	wait "$tracer" 2>/dev/null
	gone "$tracer"
	has "$1: bpftrace counts" '\]: [1-9]' "$tmp/counted"
}

# gdb_stops WHAT
gdb_stops()
{
	command_of gdb
	timeout -s INT 60 sh -c "$(cat "$tmp/command")" >"$tmp/stack" 2>&1 </dev/null
	has "$1: gdb stops at it" 'hit Breakpoint 1|^Breakpoint 1, ' "$tmp/stack"
	same "$1: it runs on" "$(sed -n 's/^TracerPid:.//p' "/proc/$pid/status")" 0
}

run_loop "$VICTIMS/sdt_plain" --loop --pace 20000
shown query__start
has 'nothing to switch' 'nothing to switch' "$tmp/commands"
has 'perf' '^perf buildid-cache --add .*/sdt_plain'"'"'? && perf probe sdt_victim:query__start && perf record' "$tmp/commands"
bpftrace_counts plain
gdb_stops plain
kill -9 "$pid"

mkdir "$tmp/a b"
cp "$VICTIMS/sdt_sema" "$tmp/a b/it's"
run_loop "$tmp/a b/it's" --loop --pace 20000
shown single
has 'ours first' '^probes-tui attach -pid [0-9]+ -enable victim:single$' "$tmp/commands"
bpftrace_counts 'blanks and quotes'
gdb_stops 'blanks and quotes'
# --- deleted
rm "$tmp/a b/it's"
shown single
bpftrace_counts deleted
gdb_stops deleted
kill -9 "$pid"

# --- another root
root=$tmp/root
mkdir -p "$root/old" "$root/app"
cp "$VICTIMS/sdt_sema" "$root/app/"
ldd "$VICTIMS/sdt_sema" | grep -o '/[^ ]*' | while read -r library; do
	mkdir -p "$root${library%/*}"
	cp -L "$library" "$root$library"
done
run_loop unshare -m --propagation private sh -c '
	mount --bind "$1" "$1" && cd "$1" && pivot_root . old && exec /app/sdt_sema --loop --pace 20000' enter "$root"
if [ -n "$pid" ] && [ "$word" = ready ]; then
	shown single
	has 'its root' 'usdt:/proc/[0-9]+/root/app/sdt_sema:' "$tmp/commands"
	bpftrace_counts 'another root'
	gdb_stops 'another root'
	kill -9 "$pid"
else
	echo 'no mount namespace here: not tried'
fi
finish
