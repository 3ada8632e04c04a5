#!/bin/sh
# Every way out of the screen: q undoes this session's change and nothing else, Q leaves it, ^C as
# q, SIGTERM, SIGHUP (the terminal goes away), ^Z and fg, a crash; the terminal is in order after
# each, the target runs on.
# Does not cover: a hung line that sends no SIGHUP; leaving with a started program (tui-prog.sh).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
start loop_ocaml2_pie

# in_order: the terminal echoes, and its modes are those from before.
in_order()
{
	text 'stty -a >"$HOME/after"; cmp "$HOME/before" "$HOME/after" && echo modes=same'
	keys Enter
	wait_for '^modes=same'
}

fresh()
{
	terminal "$@"
	text 'stty -a >"$HOME/before"; clear'
	keys Enter
	wait_for '^shell> *$'
}

# ---------------------------- q undoes ours, and leaves what others have done
fresh
attach -enable second
screen
keys e
wait_cursor on 'ocaml_2:first'
keys / second Enter e
wait_state on 'ocaml_2:second +1/1 +2 +you\+1'
keys q
wait_for '^status=0$'
seen 'said' 'undid this session'
same 'first undone' "$(state first)" disabled
same 'second is theirs' "$(state second)" enabled
attach -disable second
same 'exactly theirs' "$(state second)" disabled
in_order

# --------------------- what cannot be undone now is said, and the screen stays
screen
keys e
wait_cursor on 'ocaml_2:first'
site=$(notes "$VICTIMS/loop_ocaml2_pie" | awk '$2 == "first" { print $3; exit }')
byte=$(($(bias "$VICTIMS/loop_ocaml2_pie") + site + 1))
poke $byte 314 # a debugger's breakpoint on the very byte
keys q
wait_for '1 probe could not be undone \(Q leaves it\)'
same 'it is theirs' "$(peek $byte 1 | tr -d ' ')" cc
poke $byte 350
keys q
wait_for '^status=0$'
same 'undone' "$(state first)" disabled

# ------------------------------------- q puts back on what this session took off
attach -enable second
screen
keys / second Enter d
wait_for 'held by another party\. Type y'
keys Enter
wait_for 'not done: nothing was changed'
same 'Enter means no' "$(state second)" enabled
keys d
wait_for 'Type y'
keys y
wait_state off 'ocaml_2:second'
keys q
wait_for '^status=0$'
wait_until enabled state second
attach -disable second

# ------------------------------------------------------------ ^C as q; Q leaves
screen
keys e
wait_cursor on 'ocaml_2:first'
keys C-c
wait_for '^status=0$'
same 'undone by ^C' "$(state first)" disabled
screen
keys e
wait_cursor on 'ocaml_2:first'
keys Q
wait_for '^status=0$'
seen 'said' 'left 1 probe as this session switched it'
same 'left on' "$(state first)" enabled
attach -disable first
in_order

# ----------------------------------------------------------------- signals
screen
keys e
wait_cursor on 'ocaml_2:first'
kill -TERM "$(ours)"
wait_for '^status=143$'
same 'undone by SIGTERM' "$(state first)" disabled
in_order
screen
keys e
wait_cursor on 'ocaml_2:first'
one=$(ours)
tm kill-session -t main
wait_until disabled state first
wait_until no running "$one"
ask 'step 1'
same 'the victim runs on' "$(value first hits "$tmp/answer" | grep -c .)" 1

# ----------------------------------------------------------------- ^Z and fg
fresh
screen
keys e
wait_cursor on 'ocaml_2:first'
keys C-z
wait_for 'shell> *$'
in_order
same 'stays on while suspended' "$(state first)" enabled
attach -enable second
text fg
keys Enter
wait_state on 'ocaml_2:second'
seen 'as before' '^> on +ocaml_2:first'
attach -disable second
keys q
wait_gone '^  STATE +PROBE'
wait_until disabled state first

# --------------------------------------- stopped from outside, and continued in the background
fresh
screen
one=$(ours)
kill -STOP "$one"
wait_until T cut -d ' ' -f 3 "/proc/$one/stat"
tm send-keys -t main C-j
wait_for 'Stopped|shell> *$'
stty sane -F "$(tm display-message -p -t main '#{pane_tty}')" # as bash does
kill -CONT "$one"
wait_gone '^  STATE +PROBE'
wait_until T cut -d ' ' -f 3 "/proc/$one/stat"
text 'echo "in $((40 + 2)) order"'
keys Enter
wait_for '^in 42 order'
text fg
keys Enter
wait_list
unseen 'drawn anew' 'in 42 order'
keys e
wait_cursor on 'ocaml_2:first'
keys q
wait_gone '^  STATE +PROBE'
wait_until disabled state first

# --------------------------------------------------------- a crash: the terminal
screen
keys e
wait_cursor on 'ocaml_2:first'
kill -SEGV "$(ours)"
wait_for '^status=(139|99|1)$'
in_order
same 'the victim is as it was left' "$(state first)" enabled

# --------------------- what a killed session left is said, and not undone unasked
screen
wait_for 'an earlier session \(pid [0-9]+\) was killed and left [0-9]+ change'
same 'not undone unasked' "$(state first)" enabled
keys q
wait_for '^status=0$'
same 'not undone on leaving' "$(state first)" enabled
want 0 repair -no-syslog -pid "$pid"
same 'repaired' "$(state first)" disabled

# ---- others took it away, and the screen saw that: what a third party counts then is not taken back
for way in u q kill; do
	screen
	keys e
	wait_cursor on 'ocaml_2:first +1/1 +1 +you '
	attach -disable first
	wait_cursor off 'ocaml_2:first +0/1 +0 '
	attach -enable first
	wait_cursor on 'ocaml_2:first +1/1 +1 +other '
	if [ "$way" = kill ]; then
		one=$(ours)
		kill -9 "${one%% *}"
		wait_for 'status=137$'
		want 0 repair -no-syslog -pid "$pid"
	else
		keys "$way" # after u the screen has nothing to undo
		[ "$way" = q ] || {
			wait_for 'nothing was changed'
			keys q
		}
		wait_for '^status=0$'
	fi
	same "another party's count stays, $way" "$(live "$VICTIMS/loop_ocaml2_pie" first)" \
		'1 count 0100 1 site 90e8'
	attach -disable first
done
stop
finish
