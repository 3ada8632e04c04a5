#!/bin/sh
# A started program: its output in a pane and never over the screen, -hold and r, actions before
# its start, its end, and what becomes of it when the screen leaves, is killed or crashes: it runs on
# and is read, or with -end-program, and in the demonstration, it ends.
# Does not cover: typing into the program (tui-type.sh).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
program=$VICTIMS/test.exe
[ -x "$program" ] || skip "no $program"

# it: the process id on the screen
it()
{
	look
	sed -n 's/^ [^ ]*  pid \([0-9]*\) .*/\1/p' "$tmp/screen" | head -n 1
}

# ------------------------------------------------- output, docked and in full
terminal 80 24
type_command "'$PROBES_TUI' -no-syslog -prog '$program'"
wait_list
wait_for '^.. output of pid [0-9]+: running '
wait_for '^ready [0-9]+$'
pid=$(it)
screen=$(sed -n 's/^PPid:.//p' "/proc/$pid/status")
mine=$(cat /proc/self/oom_score_adj)
same 'oom_score_adj of the screen' "$(cat "/proc/$screen/oom_score_adj")" 1000
same 'of its program' "$(cat "/proc/$pid/oom_score_adj")" "$mine"
same 'of the relay' "$(cat "/proc/$(pgrep -x probes-relay -P "$screen")/oom_score_adj")" "$mine"
keys / req_start Enter
wait_cursor off 'ocaml_2:req_start'
keys e
wait_cursor on 'ocaml_2:req_start'
wait_for '^\[req_start\]'
keys o
wait_for '^.. output of pid'
wait_gone '^  STATE +PROBE'
seen 'from its beginning' '^ready'
keys o
wait_list

# ------------------------------------------------------------ leaving: end it
keys q
wait_for 'is still running.* e: end it'
keys Enter
wait_gone 'is still running'
same 'Enter stays' "$(running "$pid")" yes
text qe # what was typed before the question was drawn is no answer
wait_for 'is still running.* e: end it'
same 'not ended unasked' "$(running "$pid")" yes
keys e
wait_for '^status=0$'
seen 'said' 'probes-tui: process [0-9]+ (exited|was killed)'
same 'ended' "$(running "$pid")" no

# -------------------------------------- leaving it: its output goes to a file
type_command "'$PROBES_TUI' -no-syslog -prog '$program' -enable req_start"
wait_state on 'ocaml_2:req_start|^.. output of pid'
wait_for '^\[req_start\]'
pid=$(it)
started="$started $pid"
keys Q
wait_for 'is still running'
keys l
wait_for '^status=0$'
seen 'said' 'runs on; its output goes to'
same 'it runs on' "$(running "$pid")" yes
same 'on, as left' "$(state req_start)" enabled
file=$(sed -n 's|.*output goes to \(/.*\.log\).*|\1|p' "$tmp/screen")
wait_until yes sh -c "[ -s '$file' ] && echo yes"
same 'private' "$(stat -c %a "$file")" 600
has 'its output' '^\[req_start\]' "$file"
kill -9 "$pid"
rm -f "$file"

# ----------------------------------------------- held until r; its own end is said
type_command "'$PROBES_TUI' -no-syslog -hold -prog '$program'"
wait_for 'HELD AT ITS START'
seen 'the footer' '^r RUN IT'
unseen 'nothing has run' '^ready'
keys / quote_update Enter e
wait_state on 'ocaml_2:quote_update'
pid=$(it)
keys r
wait_gone 'HELD AT'
keys o # of four lines the first may have gone by
wait_gone '^  STATE'
wait_for '^ready'
keys o
wait_list
started="$started $pid"
kill -KILL "$pid"
wait_for 'was killed by signal 9'
wait_for ' ENDED$'
seen 'what has ended is gone' 'gone +ocaml_2:quote_update +-'
keys e
wait_for "nothing can be switched: process $pid was killed by signal 9"
keys q
wait_for '^status=0$'
type_command "'$PROBES_TUI' -no-syslog -hold -prog '$program'"
wait_for 'HELD AT ITS START'
pid=$(it)
keys q
wait_for 'ends with probes-tui'
keys y
wait_for '^status=0$'
wait_until no running "$pid"

# -------------------------------------------------------------- mistakes
type_command "'$PROBES_TUI' -no-syslog -prog '$program' -enable no_such_probe"
wait_for '^status=2$'
seen 'a line' '^probes-tui: .*no_such_probe'
type_command "'$PROBES_TUI' -no-syslog -prog /no/such/file"
wait_for '^status=[123]$'
seen 'a line' '^probes-tui: .*/no/such/file'

# ----------------------------- killed, hung up: the program runs on, and is read
for signal in TERM KILL; do
	type_command "'$PROBES_TUI' -no-syslog -prog '$program'"
	wait_for '^ready'
	keys / req_start Enter e
	wait_for '^\[req_start\]'
	pid=$(it)
	started="$started $pid"
	kill -$signal "$(ours)"
	wait_for 'status=(143|137)$'
	same "it survives our SIG$signal" "$(running "$pid")" yes
	[ $signal = KILL ] || wait_until disabled state req_start
	[ $signal = TERM ] || wait_until yes sh -c "grep -qs req_start '$tmp'/state/probes-tui/*.log && echo yes"
	kill -9 "$pid"
	type_command 'stty sane; reset'
	rm -f "$tmp"/state/probes-tui/*.log
	terminal 80 24
done

# -------------------- -end-program: it ends with the screen, however that ends
# begun COMMAND: the screen is there; $screen, $relay, $pid
begun()
{
	type_command "$1"
	wait_for '^ready'
	pid=$(it)
	screen=$(ours)
	# Below make the screen is a child of the shell's child no more: make executes it.
	[ "$(cat "/proc/$screen/comm")" = probes-tui ] ||
		screen=$(pgrep -P "$screen" -x probes-tui)
	relay=$(pgrep -P "$screen" -x probes-relay)
	started="$started $pid $relay"
	same 'they run' "$(running "$pid") $(running "$relay")" 'yes yes'
}

# over WHAT: neither it nor its relay is left, and nothing was written to a file
over()
{
	wait_until no running "$pid" || echo "    after $1"
	wait_until no running "$relay" || echo "    after $1"
	same "no output is kept, $1" "$(ls "$tmp/state/probes-tui" 2>/dev/null)" ''
}

command="'$PROBES_TUI' -no-syslog -end-program -prog '$program'"
terminal 80 24
begun "$command"
keys / req_start Enter e
wait_for '^\[req_start\]'
keys q
wait_for '^status=0$'
seen 'said' 'probes-tui: .*process [0-9]+ (exited|was killed)'
over q
for signal in TERM HUP KILL SEGV; do
	begun "$command"
	keys / req_start Enter e
	wait_for '^\[req_start\]'
	kill -$signal "$screen"
	wait_for 'status=1[0-9][0-9]$'
	over "SIG$signal"
	[ $signal != TERM ] || seen 'said' 'process [0-9]+ ends with the screen'
	terminal 80 24
done
begun "$command"
tm kill-session -t main
over 'closing of the terminal'
terminal 80 24
begun "$command"
kill -STOP "$pid"
kill -KILL "$screen"
over 'SIGKILL, where it was stopped'
terminal 80 24
# This one has no handler for SIGTERM, which it is started to ignore.
command="(trap '' TERM HUP; exec '$PROBES_TUI' -no-syslog -end-program -prog '$VICTIMS/loop_ocaml2_pie')"
begun "$command"
kill -KILL "$screen"
over 'SIGKILL, where it ignores SIGTERM'
terminal 80 24
begun "$command"
keys q
wait_for '^status=0$'
seen 'said' 'was killed by signal 9'
over 'q, where it ignores SIGTERM'

# --------------------------------------------------------- the demonstration
if [ -f Makefile ] && grep -q '^demo:' Makefile; then
	for signal in TERM KILL close; do
		terminal 80 24
		begun "env -u MAKEFLAGS -u MAKELEVEL make -C '$PWD' -s demo"
		if [ $signal = close ]; then
			tm kill-session -t main
		else
			kill -$signal "$screen"
		fi
		over "the demonstration, $signal"
	done
fi
finish
