#!/bin/sh
# The record: the last action and the selection as command lines, the session as a script, the view
# in files, marks, -log; the command line of the screen. What is written is run, and does the same.
# Does not cover: what -log's lines say (cli-audit.sh), texts wider than a line (unit test).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
start loop_ocaml2_pie
mkdir "$tmp/files"
terminal 80 24
text "cd '$tmp/files'"
keys Enter
type_command "'$PROBES_TUI' -no-syslog -log '$tmp/log' -pid $pid"
wait_list

# ------------------------------------------------------------ as a command line
keys g y
wait_for '^# to switch on what is chosen now \(1 probe\)'
seen 'on' "^probes-tui attach -pid $pid -enable ocaml_2:first\$"
seen 'off' "^probes-tui attach -pid $pid -disable ocaml_2:first\$"
unseen 'nothing was done yet' 'last action'
keys q e
wait_cursor on 'ocaml_2:first'
keys y
wait_for '^# last action, [0-9:]{8} on first: 1 site'
keys q

# ------------------------------------------------------------------------ marks
keys m
wait_for '^mark:'
text "it's slow; \$(now)"
keys Enter
wait_for "MARK it's slow"

# ----------------------------------------------------------- the command line
keys :
wait_for '^:'
text 'enable-re'
keys Tab
wait_for '^:enable-regexp'
text ' work_.*'
keys Enter
wait_for "enable-regexp 'work_\.\*': 2 sites"
same 'both' "$(state work_start)$(state work_end)" enabledenabled
keys :
text 'enable-regexp work_.*'
keys Enter
wait_for 'nothing was changed; 2 on by you already'
wait_state on 'ocaml_2:work_start +1/1 +1 +you'
keys :
text 'attach -disable fir'
keys Tab Enter
wait_state off 'ocaml_2:first'
keys :
text 'enable no_such_probe'
keys Enter
wait_for 'no_such_probe'
keys :
text 'enable second -dry-run'
keys Enter
wait_for '^What this would write'
seen 'a byte' '3d -> e8 +site 1 of second'
keys q
same 'nothing written' "$(state second)" disabled
keys :
text 'enable second -pid 1'
keys Enter
wait_for 'it acts on the processes of this screen|given twice'
keys :
text 'filter work'
keys Enter
wait_for '^ filter: work   2 of 8 shown'
keys :
text 'sort -ref'
keys Enter
wait_for 'sort sem inv$'
keys :
text 'nonsense'
keys Enter
wait_for 'nonsense: no such command; : and Tab'
keys :
text 'undo'
keys Enter
wait_for 'undone: .*disable'
same 'first again' "$(state first)" enabled

# ------------------------------------------------------------------------ files
keys w
wait_for '^write to: probes-[0-9]+-[0-9]+-[0-9]+\.txt'
keys C-u
text view.csv
keys Enter
wait_for 'wrote 2 probes as CSV to view\.csv'
same 'rows' "$(wc -l <"$tmp/files/view.csv" | tr -d ' ')" 3
has 'the order shown' '^[0-9]+,.*,ocaml_2,work_end,on,1,1,1,1,' "$tmp/files/view.csv"
keys w C-u
text view.json
keys Enter
wait_for 'wrote 2 probes as JSON'
has 'json' '"name": "work_start", "state": "on"' "$tmp/files/view.json"
keys w C-u
text view.txt
keys Enter
wait_for 'wrote 2 probes as text'
has 'text' '^  on +ocaml_2:work_start +1/1 +1  you +loop_ocaml2_pie +u64 ' "$tmp/files/view.txt"
keys w C-u
text view.txt
keys Enter
wait_for 'the file exists, and is not overwritten'
same 'private' "$(stat -c %a "$tmp/files/view.txt")" 600
ln -s "$tmp/elsewhere" "$tmp/files/link"
keys w C-u
text link
keys Enter
wait_for 'cannot write link'
[ ! -e "$tmp/elsewhere" ] || fail 'a link was followed'
keys w Escape
wait_for 'nothing was done'
keys g i w C-u
text detail.txt
keys Enter
wait_for 'wrote this view'
has 'the detail' 'IN THE FILE' "$tmp/files/detail.txt"
keys w C-u
text detail.csv
keys Enter
wait_for 'only the list is written as CSV'
keys q

# ------------------------------------------------------------------- the script
keys S
wait_for '^script to: probes-[0-9]+-[0-9]{8}-[0-9]{6}\.sh'
keys C-u
text session.sh
keys Enter
wait_for 'wrote 4 actions to session\.sh'
same 'private' "$(stat -c %a "$tmp/files/session.sh")" 600
has 'a time' '^# 20[0-9-]+ [0-9:]{8} on first: 1 site' "$tmp/files/session.sh"
has 'the mark' "MARK it's slow; .\(now\)" "$tmp/files/session.sh"
has 'an action' "^probes-tui attach -pid \"\\\$pid\" -enable-regexp 'work_\.\*'" "$tmp/files/session.sh"
has 'the undo' 'undo: ' "$tmp/files/session.sh"
keys :
text q
keys Enter
wait_for '^status=0$'
same 'undone at the end' "$(state first)$(state work_start)" disableddisabled
mkdir "$tmp/bin"
ln -s "$PROBES_TUI" "$tmp/bin/probes-tui"
PATH=$tmp/bin:$PATH sh -e "$tmp/files/session.sh" "$pid" >"$tmp/out" 2>"$tmp/err"
same 'the script runs' "$?$(cat "$tmp/err")" 0
same 'and does the same' "$(state first)$(state work_start)$(state work_end)$(state second)" \
	enabledenabledenableddisabled
has 'the log has the actions' ' screen pid=[0-9]+ .*\+ocaml_2:first' "$tmp/log"
has 'and the mark' " mark pid=[0-9]+ .*: it's slow" "$tmp/log"
has 'and what was undone' ' undo pid=' "$tmp/log"
stop
finish
