#!/bin/sh
# Help where it is needed: searching in help, the syntax over a prompt, lines typed before, completion,
# going to a row by number, function keys as in htop, and keys without a meaning. On 40x10 too.
# Does not cover: what the legend says (tests/unit/test_help.c), completion of commands (tui-record.sh).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
start loop_ocaml2_pie
terminal 80 24
screen

# prompt: the text in the line of the prompt
prompt()
{
	look
	tail -n 1 "$tmp/screen"
}

# ------------------------------------------------------------------ function keys
keys F1
wait_for '^Help: '
wait_for '^  \[!\] inconsistent '
keys F3
wait_for '^word  ~regex '
text 'undo the'
wait_for ' match 1 of [0-9]+ '
keys Enter n
wait_for ' match 2 of [0-9]+ '
keys '?'
wait_for '\? does nothing here; q goes back, / searches'
keys F10
wait_for '^ no filter'
keys F9
wait_for 'F9 kills nothing here'
keys F7
wait_for 'F7 and F8 renice nothing here'
same 'it lives' "$(running "$pid")" yes
keys F5
wait_for '^> - ocaml_2|^> - |- loop_ocaml2_pie'
keys F5
wait_gone '- loop_ocaml2_pie'
keys F2
wait_for 'Columns, by their number'
keys Escape
keys F6
wait_for '^:sort $|^:sort$'
text 'sit'
keys Tab Enter
wait_for 'sort sites'
keys F6 Escape
wait_for 'nothing was done'

# ------------------------------------------------------------------ going to a row
keys :
wait_for '^enable A,B '
text 5
keys Enter
wait_for 'row 5/8'
keys :
text '$'
keys Enter
wait_for 'row 8/8'
keys : 1 Enter
wait_for 'row 1/8'

# ------------------------------------------------------- the filter and its past
keys F4
wait_for '^word  ~regex  a\|b  -not '
text 'work'
wait_for '^2 of 8 match   word  ~regex'
keys Enter
keys '\' C-u
text 'hits>100'
wait_for '^0 of 8 match'
seen 'why' 'nothing is counted yet: H counts hits'
keys C-u
text 'hits>x'
wait_for 'hits>x: add a number'
keys C-u
text '"first"'
wait_for '^1 of 8 match'
keys C-w
wait_for '^8 of 8 match'
text 'nothing'
keys Enter
wait_for 'no probe matches the filter'
seen 'how to clear it' '\\ changes it; \\ \^U Enter clears it'
keys '\' C-u
text 'mu'
keys Tab
wait_for '^filter: multi$'
keys Up
wait_for '^filter: nothing$'
keys Up
wait_for '^filter: work$'
keys Up
same 'none is older' "$(prompt)" 'filter: work'
keys Down Down
wait_for '^filter: multi$'
keys C-a
text x
keys C-e
text y
wait_for '^filter: xmultiy$'
keys C-a C-k
wait_for '^filter:$'
keys C-c
wait_for '^  no probe matches the filter'
keys '\' Up Enter
wait_for ' 2 of 8 shown'

# ------------------------------------------------- each prompt has a past of its own
keys T
wait_for 'found anywhere'
keys Up
same 'none yet' "$(prompt)" 'tag ~'
text 'end$'
keys Enter
wait_for ' 1 tagged'
keys :
text 'enable-regexp '
wait_for 'R must match from the first character of the name'
text 'end$'
keys Enter
wait_for 'end\$'
same 'nothing was switched' "$(state work_end)" disabled
keys : Up
wait_for '^:enable-regexp end\$$'
keys Up
wait_for '^:1$'
keys Down
wait_for '^:enable-regexp end\$$'
keys Escape T Up
wait_for '^tag ~end\$$'
keys Escape
wait_gone '^tag'

# ------------------------------------------------------------- where it is small
resize 40 10
keys '\'
wait_for '^word  ~regex  a\|b'
text 'work'
keys Escape
keys '?'
wait_for '^Help'
wait_for '\[\*\] on '
keys / e n a b
wait_for 'match 1 of '
keys Enter
resize 80 24
keys g
wait_for '^  \[\*\] on +enabled, by this session or by others$' # wrapped anew
keys q
wait_for '^ filter: work'
keys '\' C-u Enter
wait_for '^ no filter'
keys q
wait_for '^status=0$'
stop
finish
