#!/bin/sh
# What is printed cannot be written: the device is full, or the reader has gone and SIGPIPE is ignored. Every verb that
# prints says why, and what helps, in one line, also where the first of several writes failed; it exits with 1, the code
# of the victim is as it was, and nothing is on record.
# Does not cover: SIGPIPE as usual (cli-pipe.sh), recordings (cli-recording.sh), the screen's files.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
need_zydis
[ -c /dev/full ] || skip 'no /dev/full'
mkfifo "$tmp/reader"
full='No space left on device; free disk space, or write to another disk$'

# unwritten WHAT PATTERN: the call whose status is in $status, and whose errors are in $tmp/err
unwritten()
{
	same "$1: exit status" "$status" 1
	same "$1: said once" "$(grep -c 'cannot write' "$tmp/err")" 1
	has "$1: why, and what helps" "^probes-tui: cannot write $2"
	[ ! -f "$tmp/before" ] || as_found "$1"
}

# fills ARG...: standard output is full.
fills()
{
	awaited="the end of $*"
	timeout 60 "$PROBES_TUI" "$@" >/dev/full 2>"$tmp/err" </dev/null
	status=$?
	unwritten "$*" "the output: $full"
}

# fills_file ARG...: that of -o is.
fills_file()
{
	awaited="the end of $*"
	timeout 60 "$PROBES_TUI" "$@" -o /dev/full >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	unwritten "$* -o" "to /dev/full: $full"
	same "$* -o: nothing else" "$(cat "$tmp/out")" ''
}

# unread ARG...: the reader has gone before anything is written, and SIGPIPE is ignored.
unread()
{
	(
		trap '' PIPE
		{
			read -r _ <"$tmp/reader"
			timeout 60 "$PROBES_TUI" "$@" 2>"$tmp/err" </dev/null
			echo $? >"$tmp/code"
		} | {
			exec <&-
			echo >"$tmp/reader"
		}
	)
	status=$(cat "$tmp/code")
	unwritten "$*, unread" 'the output: Broken pipe; its reader closed the pipe before the end$'
}

# --- what only reads, short and long
start loop_ocaml2_pie
for call in list 'list -verbose' 'list -format json' 'list -format csv' info 'attach -dry-run -enable-all' 'count -dry-run -all' \
	'attach -dry-run -enable-all -format json'; do
	# shellcheck disable=SC2086 # a verb and its arguments
	fills $call -pid "$pid"
done
fills list -prog "$VICTIMS/libvictim.so"
fills list -format json -prog "$VICTIMS/libvictim.so"
fills -help
fills count -help
fills -version
mkdir -p "$XDG_CONFIG_HOME/probes-tui"
for one in $(seq 300); do
	printf 'question = any %s\ncall = count ocaml_2:first\n' "$one"
done >"$XDG_CONFIG_HOME/probes-tui/questions"
fills questions -pid "$pid"
fills questions -format json -pid "$pid"
remember "$VICTIMS/loop_ocaml2_pie"
for call in '-format json' '-format csv'; do
	# shellcheck disable=SC2086
	fills attach -no-syslog -pid "$pid" -enable-all -for 10ms $call
done
rm "$tmp/before"
stop

# --- what counts
start_counted pairs start end
remember "$VICTIMS/pairs"
ask 'run 1 100'
for call in 'count -all -for 50ms' 'count -all -interval 0.05' 'count -all -format json -interval 0.05' \
	'events -all' 'events -all -format json -for 50ms' 'events -all -format chrome -for 50ms' \
	'latency start,end -for 50ms' 'latency start,end -interval 0.05' 'latency start,end -interval 0.05 -format csv' \
	'histogram end arg1 -for 50ms' 'histogram end arg1 -interval 0.05' 'histogram end arg1 -interval 0.05 -format csv' \
	'callers -all -for 50ms' 'callers -all -format json -for 50ms'; do
	# shellcheck disable=SC2086
	fills $call -no-syslog -quiet -stop -max-overhead 0 -pid "$pid"
	# shellcheck disable=SC2086
	fills_file $call -no-syslog -quiet -stop -max-overhead 0 -pid "$pid"
done
fills count -all -dry-run -pid "$pid"
fills_file count -all -dry-run -pid "$pid"
unread count -all -for 10ms -no-syslog -quiet -stop -max-overhead 0 -pid "$pid"

# --- what was recorded
in_background events -stop -pid "$pid" -all -quiet -max-overhead 0 -max 2000 -record "$tmp/events"
jumped()
{
	[ "$(code_of "$remembered")" != "$(cat "$tmp/before")" ]
}
session_until 'a jump' jumped
# Until all have come: those that come while it begins are none.
while kill -0 "$session" 2>/dev/null; do
	ask 'run 1 500'
done
ended 0
for call in '' '-format json' '-format chrome' '-latency start,end'; do
	# shellcheck disable=SC2086
	fills replay "$tmp/events" $call
	# shellcheck disable=SC2086
	fills_file replay "$tmp/events" $call
done
stop
finish
