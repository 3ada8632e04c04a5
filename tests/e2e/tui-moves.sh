#!/bin/sh
# Moving about a list longer than the screen: pages, halves, ends, the match before, and drawing anew
# what somebody else wrote over the screen.
# Does not cover: the keyboard's own names of these keys (Home, End, PgDn) beyond one of each.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
start test.exe --quiet
terminal 80 24
screen

# row: the number of the row under the cursor.
row()
{
	look
	sed -n 's/.* row \([0-9]*\)\/30 .*/\1/p' "$tmp/screen"
}

# farther WHAT FROM KEY: the key leaves the row; the new one into $now.
farther()
{
	keys "$3"
	wait_gone " row $2/30 "
	now=$(row)
	checks=$((checks + 1))
	[ "$now" -gt "$2" ] || fail "$1: from $2 to $now"
}

# The first row has no switch: the cursor begins on the next, where a first e works.
wait_cursor off 'gateway:packet__in'
seen 'the first row' '^  no switch +gateway:heartbeat'
keys e
wait_cursor on 'gateway:packet__in +1 +1  you'
keys u
wait_cursor off 'gateway:packet__in'

# Columns that do not fit, and back.
wait_for '^  STATE .* OBJECT +>$'
keys l l l
wait_for '^  STATE +PROBE. +HELD BY +OBJECT +ARGUMENTS$'
keys h h h
wait_for '^  STATE +PROBE. +SITES '

keys g
wait_for ' row 1/30 '
farther 'half a page' 1 C-d
half=$now
keys C-u
wait_for ' row 1/30 '
farther 'a page' 1 C-f
page=$now
checks=$((checks + 1))
[ "$page" -gt "$half" ] || fail "a page ($page) is no more than half of one ($half)"
keys C-b
wait_for ' row 1/30 '
keys NPage
wait_for " row $page/30 "
keys PPage
wait_for ' row 1/30 '
keys End
wait_for ' row 30/30 '
keys Home
wait_for ' row 1/30 '

# --- the match before
keys /
text req_
keys Enter
wait_cursor off 'ocaml_2:req_abort'
keys n
wait_cursor off 'ocaml_2:req_done'
keys N
wait_cursor off 'ocaml_2:req_abort'

# --- written over by somebody else
printf '\033[5;10HWRITTEN OVER' >"$(tm display-message -p -t main '#{pane_tty}')"
wait_for 'WRITTEN OVER'
keys C-l
wait_gone 'WRITTEN OVER'
seen 'the list is whole' '^> off +ocaml_2:req_abort'
keys q
wait_for '^shell> *$|^status=0$'
kill "$pid"
wait "$pid" 2>/dev/null
gone "$pid"
finish
