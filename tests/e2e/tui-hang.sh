#!/bin/sh
# A line that hangs: the terminal takes nothing more (its reader has stopped), and still the lease,
# SIGTERM and SIGHUP undo what the session changed, at once; when it is read again the screen is right.
# Does not cover: a real ssh; what the kernel does with a serial line.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v script >/dev/null || skip 'no script(1)'
need_switching
start loop_ocaml2_pie

# hung OPTION...: the screen on a terminal whose output is not read beyond what a pipe holds; it has
# switched one probe on. Keys are written to descriptor 7, its process id is $screen.
hung()
{
	rm -f "$tmp/keys" "$tmp/output"
	mkfifo "$tmp/keys" "$tmp/output"
	TERM=xterm SHELL=/bin/sh script -qfc "stty rows 100 cols 300; echo \$\$ >'$tmp/screen.pid'; \
		exec '$PROBES_TUI' -no-syslog -pid $pid $*" /dev/null <"$tmp/keys" >"$tmp/output" 2>&1 &
	terminal=$!
	started="$started $terminal"
	exec 7>"$tmp/keys" 8<"$tmp/output"
	wait_state disabled
	printf e >&7
	wait_state enabled
	screen=$(cat "$tmp/screen.pid")
	# SIGCONT has all drawn anew: the pipe fills (64 kB), then the terminal (it is in write(1))
	checks=$((checks + 1))
	for _ in $(seq 300); do
		kill -CONT "$screen"
		sleep 0.01
		case $(cat "/proc/$terminal/syscall") in
		'1 0x1 '*) break ;;
		esac
	done
	case $(cat "/proc/$terminal/syscall") in
	'1 0x1 '*) ;;
	*) fail "the terminal does not hang: $(cat "/proc/$terminal/syscall")" ;;
	esac
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		kill -CONT "$screen"
		sleep 0.02
	done
}

# wait_state WORD: of the probe; 30 seconds at most.
wait_state()
{
	checks=$((checks + 1))
	for pause in $pauses; do
		[ "$(state first)" != "$1" ] || return 0
		sleep "$pause"
	done
	fail "first is $(state first), not $1"
}

# wait_end: of the screen
wait_end()
{
	checks=$((checks + 1))
	for pause in $pauses; do
		kill -0 "$screen" 2>/dev/null || return 0
		case $(cut -d ' ' -f 3 "/proc/$screen/stat" 2>/dev/null) in
		'' | Z) return 0 ;;
		esac
		sleep "$pause"
	done
	fail 'it does not end'
}

over()
{
	exec 7>&- 8<&-
	kill "$terminal" 2>/dev/null
	wait "$terminal" 2>/dev/null
	gone "$terminal"
}

for signal in TERM HUP; do
	hung
	same 'still on' "$(state first)" enabled
	kill -$signal "$screen"
	wait_state disabled
	wait_end
	over
done

# the lease; then the line is read again
hung -lease 2s
wait_state disabled
exec 9>"$tmp/seen"
timeout 10 cat <&8 >&9 &
reader=$!
checks=$((checks + 1))
for pause in $pauses; do
	grep -q 'the lease ran out' "$tmp/seen" && break
	sleep "$pause"
done
grep -q 'the lease ran out' "$tmp/seen" || fail 'not drawn when the line moved again'
printf q >&7
wait_end
kill "$reader" 2>/dev/null
wait "$reader" 2>/dev/null
over
stop
finish
