#!/bin/sh
# The list on a live process: rows, live states, moving, search, filter, tags, sorting; on, off,
# undo, redo, pairs, each proved by the victim's own handlers. Help and detail.
# Does not cover: leaving (tui-leave.sh), sizes (tui-size.sh), a started program (tui-prog.sh).
. "${srcdir:-.}/tests/e2e/tmux.sh"
rm "$XDG_CONFIG_HOME/probes-tui/config" # it says how often it refreshes
need_switching
start loop_ocaml2_pie
terminal 80 24
screen

# ------------------------------------------------------------------ what is shown
wait_for '^ loop_ocaml2_pie  pid [0-9]+ +up (<1|[0-9]+)m +1 thread +list read switch$'
seen 'counts' '^ 8 probes   all off +every 1s$'
seen 'a row' '^> off +ocaml_2:first +0/1 +0 +loop_ocaml2_pie$'
seen 'several sites' '^  off +ocaml_2:multi +0/5 +0 '
seen 'the footer' '^Space Tag e Enable d Disable H Hits .*/ Find .*\? Help q Quit$'
seen 'arguments' '^ OCaml   arg1 '

# ------------------------------------------------------------------ on and off
same 'hits at first' "$(hits first 2)" 0
keys e
wait_cursor on 'ocaml_2:first +1/1 +1 +you '
seen 'the result line' '^[0-9:]{8} on first: 1 site, target not stopped\. u=undo$'
seen 'counted' '^ 8 probes   1 on \(1 by you\) '
same 'hits when on' "$(hits first 3)" 3
same 'info agrees' "$(state first)" enabled
keys e
wait_for 'on first: nothing was changed; 1 on by you already'
wait_cursor on 'ocaml_2:first +1/1 +1 +you '
keys u
wait_cursor off 'ocaml_2:first +0/1 +0 '
seen 'undone' 'undone: on first: 1 site'
same 'hits when undone' "$(hits first 3)" 0
keys C-r
wait_cursor on 'ocaml_2:first '
same 'hits when redone' "$(hits first 2)" 2
keys d
wait_cursor off 'ocaml_2:first '
same 'hits when off' "$(hits first 2)" 0
keys d
wait_for 'off first: it is off already: its count is 0$'

# ------------------------------------------- what others do is seen by itself
attach -enable second
wait_state on 'ocaml_2:second +1/1 +1 +other '
seen 'counted as theirs' '^ 8 probes   1 on +every'
attach -disable second
wait_state off 'ocaml_2:second '

# ------------------------------------------------------------------ searching
keys /
text work_s
wait_cursor off 'ocaml_2:work_start'
keys Enter
keys /
text '~^OCAML_2:nothing'
wait_for 'no match among the 8 shown'
keys Escape
wait_cursor off 'ocaml_2:work_start'
keys /
text work
keys Enter
keys n
wait_cursor off 'ocaml_2:work_'
keys /
text '~wo(rk'
wait_for 'regular expression: .* at character'
keys Escape

# --------------------------------------------------------------------- a pair
keys g
wait_for '^> .*first'
keys /
text work_end
keys Enter
wait_cursor off 'ocaml_2:work_end'
keys p
wait_state on 'ocaml_2:work_start'
seen 'both' ' on +ocaml_2:work_end'
seen 'the end first' ' on work_end,work_start: 2 sites'
ask 'step 2'
same 'pair on' "$(grep '^events:' "$tmp/answer")" 'events: start end start end'
keys p
wait_state off 'ocaml_2:work_start'
seen 'the start first' ' off work_start,work_end: 2 sites'
same 'ends lost' "$(value check lost_ends)" 0

# ------------------------------------------------------------- filter and tags
keys '\'
text 'multi|second'
wait_for '^2 of 8 match'
keys Enter
wait_for '^ filter: multi\|second   2 of 8 shown'
unseen 'filtered out' 'ocaml_2:first'
keys '*'
wait_for ' 2 tagged'
seen 'a tag' '^.[+]off +ocaml_2:multi'
keys e
wait_state on 'ocaml_2:multi +5/5 +1 +you'
seen 'both tagged' '.on +ocaml_2:second +1/1'
seen 'six sites' ' on multi,second: 6 sites'
same 'hits of multi' "$(hits multi 2)" 10
same 'not the others' "$(state first)" disabled
keys F4 C-u
text 'nothing_like_it'
wait_for '^0 of 8 match'
keys Enter
wait_for 'no probe matches the filter'
keys U
keys e
wait_for 'nothing to switch: no probe is shown'
same 'nothing was switched' "$(state first)" disabled
keys '\' C-u
text on
keys Enter
wait_for '^ filter: on   2 of 8 shown'
keys '\' C-u Enter
wait_for '^ no filter'
keys U
keys T
text '^(multi|second)$' # it is matched against provider:name
wait_for '0 of 8 shown match'
keys C-u
text 'multi$|second$'
wait_for '2 of 8 shown match'
keys Enter
wait_for ' 2 tagged'
seen 'the result line' 'tagged 2; 2 are tagged now'
keys d
wait_state off 'ocaml_2:multi +0/5'
keys U
wait_gone ' tagged'

# ---------------------------------- the cursor stays on its probe when sorted
keys G
wait_for '^> .*ocaml_2:work_start'
keys I
wait_for 'sort probe inv'
same 'cursor' "$(cursor | cut -c 1-35 | tr -s ' ')" '> off ocaml_2:work_start '
keys I
keys g Space Down Space
wait_for ' 2 tagged'
same 'tagged' "$(look; grep -c '^.+' "$tmp/screen")" 2
keys U

# ---------------------------------------------------------------- texts, views
keys '?'
wait_for '^Help: '
seen 'the legend first' '^  \[\*\] on +enabled'
keys /
text 'switch on the'
wait_for '^  e +switch on the tagged probes'
seen 'the match' ' match 1 of '
keys Enter
unseen 'no key of what is not there' 'show the output of the started program'
keys q
wait_list
keys g Enter
wait_for '^Detail of ocaml_2:first'
seen 'bytes' '90 3d '
same 'Enter wrote nothing' "$(state first)" disabled
keys e
wait_for '90 e8 '
keys u
wait_gone '90 e8 '
keys z
wait_for '^on first'
wait_for '3d -> e8'
keys q
wait_for '^Detail of ocaml_2:first'
keys Escape
wait_list
keys x
wait_for '^Code of ocaml_2:first'
seen 'the site' '^site 1 at 0x'
keys q
wait_list
keys %
wait_for '% does nothing here; \? lists the keys'
keys R
wait_for 'list read   read-only$'
keys e
wait_for 'read-only: nothing is switched'
keys R Z
wait_for ' FROZEN$'
same 'read-only' "$(state first)" disabled
attach -enable second
keys j j k
wait_cursor off 'ocaml_2:multi'
wait_state off 'ocaml_2:second'
keys Z
wait_state on 'ocaml_2:second'
attach -disable second
keys + +
wait_for ' 5s$'
keys - - -
wait_for ' 0\.5s$'
keys q
wait_for '^status=0$'
stop
finish
