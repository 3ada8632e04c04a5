#!/bin/sh
# Nobody reads what is printed: `| true`, `| head`. Every verb that prints ends quietly, with the status that SIGPIPE
# would have given it, whether nothing or one line was read, also while there is nothing to print; the code of the
# victim is as it was, and nothing is on record.
# Does not cover: a caller that ignores SIGPIPE, a full disk (cli-full.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
need_zydis
mkfifo "$tmp/reader"

# quietly WHAT: the call whose status is in $tmp/code and whose errors are in $tmp/held
quietly()
{
	same "$1: exit status" "$(cat "$tmp/code")" 141
	same "$1: no word of it" "$(grep -Ei 'cannot|broken|pipe|fail|lost' "$tmp/held")" ''
	[ ! -f "$tmp/before" ] || as_found "$1"
}

# unread ARG...: the reader has gone before anything is written.
unread()
{
	{
		read -r _ <"$tmp/reader"
		timeout 20 "$PROBES_TUI" "$@" 2>"$tmp/held" </dev/null
		echo $? >"$tmp/code"
	} | {
		exec <&-
		echo >"$tmp/reader"
	}
	quietly "$*, unread"
}

# first_line ARG...: one line is read, while hits come; then there is more to print than a pipe holds, or a next table.
first_line()
{
	rm -f "$tmp/enough"
	{
		until [ -e "$tmp/enough" ]; do
			ask 'run 1 200'
		done
	} &
	hits=$!
	{
		timeout 20 "$PROBES_TUI" "$@" 2>"$tmp/held" </dev/null
		echo $? >"$tmp/code"
	} | head -n 1 >"$tmp/first"
	: >"$tmp/enough"
	wait "$hits"
	same "$*: a line" "$(wc -l <"$tmp/first" | tr -d ' ')" 1
	quietly "$*, one line"
}

# --- what only reads
start loop_ocaml2_pie
for call in list 'list -verbose' 'list -format json' 'list -format csv' info 'attach -dry-run -enable-all' \
	'attach -dry-run -enable-all -format json'; do
	# shellcheck disable=SC2086 # a verb and its arguments
	unread $call -pid "$pid"
done
remember "$VICTIMS/loop_ocaml2_pie"
for call in '-format json' '-format csv'; do
	# shellcheck disable=SC2086
	unread attach -no-syslog -pid "$pid" -enable-all -for 200ms $call
done
rm "$tmp/before"
unread -help
unread count -help
unread -version
mkdir -p "$XDG_CONFIG_HOME/probes-tui"
printf 'question = any\ncall = count ocaml_2:first\n' >"$XDG_CONFIG_HOME/probes-tui/questions"
unread questions -pid "$pid"
unread questions -format json -pid "$pid"
stop

# --- what counts: it need not have anything to print
start_counted pairs start end
remember "$VICTIMS/pairs"
for call in 'count -all -for 50ms' 'count -all' 'count -all -format json' 'count -all -interval 0.05' 'count -all -interval 0.05 -format csv' \
	'events -all' 'events -all -format json' 'events -all -format chrome' \
	'latency start,end -for 50ms' 'latency start,end' 'latency start,end -interval 0.05 -format json' \
	'histogram end arg1' 'histogram end arg1 -interval 0.05' 'histogram end arg1 -interval 0.05 -format csv' \
	'callers -all' 'callers -all -format json' 'callers -all -stack'; do
	# shellcheck disable=SC2086
	unread $call -no-syslog -stop -pid "$pid"
done
for call in 'count -all -interval 0.05' 'count -all -interval 0.05 -format json' 'events -all' 'events -all -format json' \
	'latency start,end -interval 0.05' 'latency start,end -interval 0.05 -format csv' 'histogram end arg1 -interval 0.05'; do
	# shellcheck disable=SC2086
	first_line $call -no-syslog -max-overhead 0 -stop -pid "$pid"
done

# --- what was recorded
want 0 events -no-syslog -stop -pid "$pid" -all -quiet -max 500 -record "$tmp/events" -for 50ms
for call in '' '-format json' '-format chrome' '-latency start,end'; do
	# shellcheck disable=SC2086
	unread replay "$tmp/events" $call
done
stop
finish
