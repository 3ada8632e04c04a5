#!/bin/sh
# A crash of the screen, by each signal that means one: the modes of the terminal are those from
# before, the line says what to call if something was switched, the process dies by that very
# signal, the journal tells the next run, and repair undoes exactly that. Ends that are no crash: SIGHUP,
# SIGTERM, SIGINT, SIGQUIT and a lost terminal undo what was switched (the rest: tui-leave.sh).
# Does not cover: what the kernel writes as a core file, a crash while a line hangs.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching

# A sanitizer takes these signals for itself; they are to reach our own handler. Its search for leaks
# attaches to us while we exit, and has been seen to wait for ever for our stop where the terminal had
# just gone (a SIGCONT, which comes with that, takes a pending SIGSTOP away): not here.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0:handle_abort=0:handle_sigbus=0
ASAN_OPTIONS=$ASAN_OPTIONS:handle_sigill=0:handle_sigfpe=0:detect_leaks=0
export ASAN_OPTIONS
start loop_ocaml2_pie

journals()
{
	find "$PROBES_TUI_RECORDS" -type f 2>/dev/null | wc -l | tr -d ' '
}

# in_order: the terminal echoes, shows its cursor, and its modes are those from before.
in_order()
{
	text 'stty -a >"$HOME/after"; cmp "$HOME/before" "$HOME/after" && echo modes=same'
	keys Enter
	wait_for '^modes=same'
	same 'the cursor is shown' "$(tm display-message -p -t main '#{cursor_flag}')" 1
	same 'not the alternate screen' "$(tm display-message -p -t main '#{alternate_on}')" 0
}

# crash SIGNAL STATUS: of a screen that has switched a probe on.
crash()
{
	screen
	keys e
	wait_cursor on 'ocaml_2:first'
	kill "-$1" "$(ours)"
	wait_for "^status=$2$"
	seen "said after $1" "^probes-tui crashed\\. .*repair -pid $pid undoes that"
	in_order
	same "on after $1" "$(state first)" enabled
	same "its journal after $1" "$(journals)" 1
	want 0 repair -no-syslog -pid "$pid"
	has "repaired after $1" 'undid what session [0-9]+ left behind: 1 probe, 1 site'
	same "off after $1" "$(state first)" disabled
	same "no journal after $1" "$(journals)" 0
}

terminal 140 24
text 'ulimit -c 0; stty -a >"$HOME/before"; clear'
keys Enter
wait_for '^shell> *$'
crash SEGV 139
crash BUS 135
crash ABRT 134
crash FPE 136
crash ILL 132
crash SYS 159

# --- nothing was switched: nothing is said to be left
screen
kill -SEGV "$(ours)"
wait_for '^status=139$'
seen 'nothing is left' '^probes-tui crashed\. It had changed nothing\.'
unseen 'nor to be repaired' 'repair -pid'
in_order
same 'no journal' "$(journals)" 0

# --- asked to end: undone
for one in TERM:143 INT:130 QUIT:131 HUP:129; do
	screen
	keys e
	wait_cursor on 'ocaml_2:first'
	kill "-${one%:*}" "$(ours)"
	wait_for "^status=${one#*:}$"
	in_order
	same "undone by ${one%:*}" "$(state first) $(journals)" 'disabled 0'
done

# --- the terminal goes away under it, whatever the shell does
screen
keys e
wait_cursor on 'ocaml_2:first'
one=$(ours)
started="$started $one" # whatever becomes of it, it does not outlive the test
tm kill-server
wait_until disabled state first
wait_until no running "$one"
[ "$got" = yes ] || gone "$one"
same 'undone when the terminal went' "$(state first) $(journals)" 'disabled 0'
ask step
same 'the victim runs on' "$(value first hits)" 0
stop
finish
