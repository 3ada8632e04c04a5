#!/bin/sh
# The tree: groups by object and provider, folded, tagged and switched as a whole, with filter and
# search; the order of every column, columns chosen; matches shown as one types; fn: in a filter.
# Does not cover: rows themselves (tui-list.sh), several processes (tui-several.sh).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
start loop_lib
terminal 80 24
screen

# ----------------------------------------------------------------------- groups
keys t g
wait_cursor off '- libvictim\.so  0 of 3 on +0/4 '
seen 'the mode' 'tree sort probe$'
seen 'a provider' '^  off +  - ocaml_2  0 of 9 on'
seen 'a probe under it' '^  off +    multi +0/5 '
seen 'what keys mean there' '^ group: e d Space act on all 3; h l fold'
keys e
wait_cursor on '- libvictim\.so  3 of 3 on +4/4 '
seen 'the program is another group' '^  off +- loop_lib  0 of 9 on'
seen 'counted' '3 on \(3 by you\) '
keys u
wait_cursor off '- libvictim\.so  0 of 3 on'
keys z
wait_for '^What e, d and H would write now'
seen 'all of the group' '4 writes|7 writes'
keys q

# ------------------------------------------------------------------------ folds
keys h
wait_cursor off '\+ libvictim\.so '
unseen 'folded away' '     lib_work'
seen 'still counted' '^ 12 probes'
keys l
wait_state off '    lib_work'
keys l h
wait_cursor off '  \+ ocaml_2  0 of 3 on'
unseen 'folded away' '     lib_work'
keys h
wait_cursor off '- libvictim\.so'
keys Enter
wait_cursor off '\+ libvictim\.so'
keys Enter
wait_cursor off '- libvictim\.so'
keys h Down Down Down Down h
wait_cursor off '  - ocaml_2  0 of 9 on'
keys /
text lib_work
wait_cursor off '    lib_work' # found in a folded group, which unfolds
keys Enter h
wait_cursor off '  - ocaml_2  0 of 3 on'

# ---------------------------------------------------------- tags, with a filter
keys Space
wait_for ' 3 tagged'
keys k Space
wait_for 'untagged 3; 0 are tagged now'
keys '\'
text multi
wait_for '^1 of 12 match'
keys Enter g
wait_cursor off '- loop_lib  0 of 1 on'
unseen 'a group without a match' 'libvictim'
keys e
wait_cursor on '- loop_lib  1 of 1 on +5/5'
same 'only what is shown' "$(state second)" disabled
same 'multi' "$(state multi)" enabled
keys d
wait_cursor off '- loop_lib  0 of 1 on'
keys '\' C-u Enter t
wait_gone 'tree sort'

# ------------------------------------------------------------- fn: in a filter
keys '\' C-u
text 'fn:zzz'
wait_for '^0 of 12 match'
keys C-u
text 'fn:lib_'
wait_for '^[1-9] of 12 match'
seen 'by the function' 'ocaml_2:lib_'
unseen 'not the others' 'ocaml_2:registers'
keys C-u
text 'multi|second -fn:lib_'
wait_for '^2 of 12 match'
keys C-u Enter

# ---------------------------------------------------------------- order, columns
for order in sites sem held object state probe; do
	keys s
	wait_for "sort $order\$"
done
keys s s s I
wait_for 'sort held inv$'
keys s s s
wait_for 'sort probe$'
keys c
wait_for '2 \[x\] sem '
keys 1
wait_for '1 \[ \] sites'
wait_gone '^  STATE .* SITES'
keys 1
wait_for '^  STATE +PROBE. +SITES +SEM'
keys Enter
wait_for '^Space Tag'

# ------------------------------------------------------------ T, with a live count
keys T
text 'work_.*t$'
wait_for '^1 of 12 shown match'
keys C-u
text 'work_'
wait_for '^2 of 12 shown match'
keys Escape
wait_gone 'shown match'
keys l
wait_for '^> off +'
keys h q
wait_for '^status=0$'
stop

terminal 40 10
start loop_lib
screen_small()
{
	type_command "'$PROBES_TUI' -no-syslog -pid $pid"
	wait_for '  all off '
}
screen_small
keys t g
wait_cursor off '- libvictim\.so '
keys h
wait_cursor off '\+ libvictim\.so '
keys q
wait_for '^status=0$'
stop
finish
