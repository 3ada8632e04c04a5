#!/bin/sh
# Pairs: the list of those that names tell of, and of one that is chosen by hand; what is incomplete;
# switched so that no start is recorded without its end.
# Does not cover: which names make a pair (unit test), p in the list of probes (tui-list.sh).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
start loop_ocaml2_pie
terminal 80 24
screen

keys P
wait_for '^Pairs: 1, incomplete: 0'
seen 'both halves' '^> \[ \]   \[ \]   ocaml_2:work_start \| end$'
seen 'the footer' '^e Enable d Disable H Hits L Latency Enter Go to '
keys z
wait_for '^on work_end,work_start'
seen 'both ways' '^off: nothing to change at either probe'
same 'in the order that loses no end' "$(grep -c '3d -> e8' "$tmp/screen")$(grep -m 1 -o 'site 1 of [a-z_]*' "$tmp/screen")" \
	'2site 1 of work_end'
keys q
wait_for '^Pairs: 1'
keys '\'
text nothing_like_it
wait_for 'no pair matches the filter'
keys C-u
wait_for 'ocaml_2:work_start'
keys Enter e
wait_for '^> \[\*\]   \[\*\]   ocaml_2:work_start'
seen 'the end first' ' on work_end,work_start: 2 sites'
ask 'step 2'
same 'pair on' "$(grep '^events:' "$tmp/answer")" 'events: start end start end'
keys e
wait_for 'both halves are on by this session already'
keys y
wait_for '^probes-tui attach -pid [0-9]+ -enable-pair ocaml_2:work_start,ocaml_2:work_end$'
keys q
wait_for '^Pairs: 1'
keys d
wait_for '^> \[ \]   \[ \]   ocaml_2:work_start'
seen 'the start first' ' off work_start,work_end: 2 sites'
keys p
wait_for '^> \[\*\]   \[\*\]'
keys u
wait_for '^> \[ \]   \[ \]'
attach -enable work_start
wait_for '^> \[\*\]   \[ \]   incomplete: starts without ends  ocaml_2:work_start'
seen 'counted' '^Pairs: 1, incomplete: 1'
attach -disable work_start
wait_for '^Pairs: 1, incomplete: 0'
keys '?'
wait_for '^Help'
keys q
wait_for '^Pairs: 1'

# ------------------------------------------------- one that is chosen by hand
keys Enter
wait_cursor off 'ocaml_2:work_start'
keys /
text 'first'
keys Enter Space /
text 'second'
keys Enter Space
wait_for ' 2 tagged'
keys p
wait_state on 'ocaml_2:second'
seen 'the one tagged first is the start' ' on second,first: 2 sites'
keys u U P
wait_for '^Pairs: 2'
seen 'remembered' '\[ \]   \[ \]   ocaml_2:first -> ocaml_2:second  \(chosen\)$'
keys g p
wait_for '^> \[\*\]   \[\*\]   ocaml_2:first'
keys d
wait_for '^> \[ \]   \[ \]   ocaml_2:first'
seen 'the start first' ' off first,second: 2 sites'
keys Escape /
text second
keys Enter p # from one half of it
wait_state on 'ocaml_2:first'
seen 'both' ' on +ocaml_2:second'
keys p
wait_state off 'ocaml_2:first'
ask report
same 'ends lost' "$(value check lost_ends)" 0
keys q
wait_for '^status=0$'
stop

# what it says offers only keys that work here
has_zydis || finish
start sdt_sema
screen
keys g Space j Space p
wait_state on 'victim:single '
keys P
wait_for '^Pairs: 1'
keys H
wait_for 'only if all threads stop'
keys n
wait_sentence 'Not stopped; you will not be asked again'
keys H
wait_for 'uncount private,single|uncount single,private'
keys H
wait_for ' count single,private: .* of 4 sites, .* u=undo'
unseen 'i explains nothing here' 'i=why'
keys q q
wait_for '^status=0$'
stop
finish
