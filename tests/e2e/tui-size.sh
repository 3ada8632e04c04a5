#!/bin/sh
# Sizes: 80x24, 40x10, 200x50, too small and back, at any moment (also in a prompt, a question, a
# text); the cursor stays on its probe.
# Does not cover: sizes beyond 200x50, a terminal that says 0x0.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
start loop_ocaml2_pie
terminal 80 24
screen
keys j j
wait_cursor off 'ocaml_2:never'

resize 40 10
wait_for '^ loop_ocaml2_pie  pid [0-9]+$'
same 'lines' "$(look; wc -l <"$tmp/screen" | tr -d ' ')" 10
seen 'the cursor' '^> \[ \] ocaml_2:never'
seen 'the footer' '^e Enable d Disable.*\? Help q Quit$'
keys e
wait_cursor on 'ocaml_2:never'
keys u
wait_cursor off 'ocaml_2:never'
keys '?'
wait_for '^Help: what works here'
resize 200 50
wait_for '^Help: what works here'
keys q
wait_list
seen 'the cursor' '^> off +ocaml_2:never'
seen 'the right edge' ' list read switch$'
keys '\'
text work
resize 60 16
wait_for '^filter: work$'
wait_for '^2 of 8 match'
keys Escape
wait_for '^ no filter'

resize 39 9
wait_for "^too small: need 40x10$"
resize 30 5
wait_for "^too small: need 40x10$"
# A key means what the screen showed when it was typed, however late it is read.
typed()
{
	keys e
	resize 80 24
	wait_until '24 80' stty -F "$(tm display-message -p -t main '#{pane_tty}')" size
}
late typed
wait_list
same 'nothing is switched unseen' "$(state never)" disabled
seen 'the cursor' '^> off +ocaml_2:never'
resize 20 3
wait_for "^too small: need 40"
keys q
wait_for 'status=0$'
stop
finish
