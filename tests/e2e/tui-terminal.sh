#!/bin/sh
# Terminals: unknown, unset and poor types; no terminal at all; ASCII; no colour; what is sent
# while nothing changes: nothing.
# Does not cover: mouse, themes.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
start loop_ocaml2_pie

# ------------------------------------------------- one line, before anything
for_nothing()
{
	same "exit status, $1" "$status" "$2"
	one_line "$1"
	checks=$((checks + 1))
	! grep -q "$(printf '\033')" "$tmp/err" "$tmp/out" || fail "an escape sequence, $1"
}
terminal 80 24
type_command "TERM=no-such-terminal '$PROBES_TUI' -no-syslog -pid $pid"
wait_for '^status=2$'
seen 'unknown' 'probes-tui: .*TERM=no-such-terminal.*list'
type_command "TERM= '$PROBES_TUI' -no-syslog -pid $pid"
wait_for '^status=2$'
seen 'unset' 'probes-tui: .*TERM is not set'
type_command "'$PROBES_TUI' -no-syslog -pid $pid </dev/null"
wait_for '^status=2$'
seen 'no keyboard' 'probes-tui: .*standard input is not a terminal'
run -no-syslog -pid "$pid"
same 'no terminal: as list' "$status $(grep -c 'ocaml_2:' "$tmp/out")" '0 8'
type_command "'$PROBES_TUI' -no-syslog -pid 999999999"
wait_for '^status=[23]$'
type_command "TERM=xterm '$PROBES_TUI' -no-syslog -pid $$"
wait_for '^status=3$'
seen 'no probes, and why' '^probes-tui: .*'

# ------------------------------------------------------------------ poor ones
for type in dumb vt100 linux; do
	type_command "TERM=$type '$PROBES_TUI' -no-syslog -pid $pid"
	wait_list || continue
	wait_cursor off 'ocaml_2:first'
	keys e
	wait_cursor on 'ocaml_2:first'
	keys j
	wait_cursor off 'ocaml_2:multi'
	keys q
	wait_for 'status=0$'
done

# ------------------------------------------------ colours: not when unwanted
# sent COMMAND: what the screen sends, into $tmp/sent.
sent()
{
	: >"$tmp/sent"
	tm pipe-pane -t main "cat >>'$tmp/sent'"
	type_command "$1"
	wait_list
	keys e
	wait_cursor on 'ocaml_2:first'
	keys u
	wait_cursor off 'ocaml_2:first'
}
# What the screen sent is there as a whole: the shell's own line behind it is.
settled()
{
	for _ in $(seq 600); do
		grep -q 'status=0' "$tmp/sent" && break
		sleep 0.05
	done
	tm pipe-pane -t main
}
colours()
{
	grep -c "$(printf '\033')\[[0-9;]*3[0-8][0-9;]*m" "$tmp/sent"
}
none()
{
	keys q
	wait_for '^status=0$'
	settled
	same "colours, $1" "$(colours)" 0
}
sent "'$PROBES_TUI' -no-syslog -pid $pid"
keys q
wait_for '^status=0$'
settled
checks=$((checks + 1))
[ "$(colours)" -gt 0 ] || fail 'no colours at all'
sent "NO_COLOR=1 '$PROBES_TUI' -no-syslog -pid $pid"
none NO_COLOR
sent "'$PROBES_TUI' -no-color -no-syslog -pid $pid"
none -no-color
sent "LC_ALL=C '$PROBES_TUI' -no-color -no-syslog -pid $pid"
none C
same 'ASCII only' "$(LC_ALL=C tr -d '\000-\177' <"$tmp/sent" | wc -c | tr -d ' ')" 0

# ------------------------------------ higher than terminfo says: the whole height
for type in xterm-256color linux vt100; do
	terminal 100 30
	type_command "TERM=$type '$PROBES_TUI' -no-syslog -pid $pid"
	wait_for ' Quit$'
	same "the last line, $type" "$(sed -n 30p "$tmp/screen" | grep -c 'Quit$')" 1
	keys q
	wait_for '^status=0' # without an alternate screen the list stays
	same "the scroll region, $type" \
		"$(tm display -p -t main '#{scroll_region_upper}-#{scroll_region_lower}')" 0-29
done
terminal 80 24

# ---------------------------------------------- nothing changed: nothing sent
sent "'$PROBES_TUI' -refresh 0.1 -no-syslog -pid $pid"
settled=0
for _ in $(seq 50); do # until it is quiet for a second, that is for ten refreshes
	before=$(wc -c <"$tmp/sent")
	sleep 1
	[ "$(wc -c <"$tmp/sent")" != "$before" ] || { settled=1; break; }
done
same 'quiet for ten refreshes' "$settled" 1
before=$(wc -c <"$tmp/sent")
attach -enable second
wait_state on 'ocaml_2:second'
after=$(wc -c <"$tmp/sent")
checks=$((checks + 1))
[ $((after - before)) -lt 200 ] || fail "one row changed: $((after - before)) bytes"
attach -disable second
keys q
wait_for '^status=0$'
stop
finish
