#!/bin/sh
# The screen gets SIGTERM, SIGHUP, SIGINT and SIGPIPE at its writes: during a switch, and during the
# undo at its end. Afterwards the victim is as found, no journal is left, the exit status is correct.
# Does not cover: its other system calls; the command line (tests/stress/signals.sh).
. "${srcdir:-.}/tests/e2e/tmux.sh"
# LeakSanitizer does not work under strace.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS
command -v strace >/dev/null || skip 'no strace'
need_switching
loop=$VICTIMS/loop_ocaml2_pie
start loop_ocaml2_pie
terminal 100 24
strace -qq -e trace=none true 2>/dev/null || skip 'strace may not trace here'

# Six writes switch multi on, six take it back.
at=0
for signal in TERM:143 HUP:129 INT:130 PIPE:0 TERM:143 HUP:129 INT:130 PIPE:0 TERM:143 HUP:129 INT:130 PIPE:0; do
	at=$((at + 1))
	type_command "strace -qq -o '$tmp/trace' -e trace=pwrite64 -e inject=pwrite64:signal=${signal%:*}:when=$at '$PROBES_TUI' -no-syslog -pid $pid -refresh 0.2"
	wait_list
	text '/multi'
	keys Enter
	keys e
	# Where the signal came while it was switched on, it ends by itself.
	case $signal:$((at <= 6)) in
	PIPE:*:1 | *:0)
		wait_cursor on 'ocaml_2:multi +5/5'
		keys q
		;;
	esac
	wait_for '^status='
	seen "status, ${signal%:*} at write $at" "^status=(${signal#*:}|0)\$"
	[ $((at <= 6)) = 0 ] || seen "status, ${signal%:*} at write $at" "^status=${signal#*:}\$"
	same "as found, ${signal%:*} at write $at" "$(live "$loop" multi)" '5 count 0000 5 site 903d'
	same "writes, ${signal%:*} at write $at" "$(grep -c '^pwrite64' "$tmp/trace")" 12
	same "journals, ${signal%:*} at write $at" "$(ls "$PROBES_TUI_RECORDS")" ''
done
stop
finish
