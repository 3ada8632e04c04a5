#!/bin/sh
# The lease: what a session changed is undone when nobody has typed for so long, with a message and
# the session going on; counted down in the header while there is something to undo; a key renews it.
# Also while it is suspended, and what ends it then. Does not cover: 15 minutes.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
start loop_ocaml2_pie

terminal 80 24
screen
unseen 'nothing is held' ' lease '
keys e
wait_for ' lease 1[45]m   list read switch$'
keys u
wait_gone ' lease '
keys q
wait_for '^status=0$'

# What another tool holds cannot be taken back: said, tried when the lease runs out again, not at once.
screen -lease 2s -log "'$tmp/log'"
keys e
wait_cursor on 'ocaml_2:first'
site=$(notes "$VICTIMS/loop_ocaml2_pie" | awk '$2 == "first" { print $3; exit }')
byte=$(($(bias "$VICTIMS/loop_ocaml2_pie") + site + 1))
poke $byte 314
wait_for 'the lease ran out, but 1 probe could not be undone'
wait_for ' lease [12]s   list'
poke $byte 350
wait_for 'the lease ran out, undone: 1 site'
same 'undone' "$(state first)" disabled
checks=$((checks + 1))
[ "$(grep -c lease "$tmp/log")" -le 6 ] || fail "it was tried again and again: $(cat "$tmp/log")"
keys q
wait_for '^status=0$'

screen -lease 3s
keys e
wait_cursor on 'ocaml_2:first'
wait_for ' lease [123]s   list'
wait_for 'the lease ran out, undone: 1 site'
same 'undone' "$(state first)" disabled
wait_cursor off 'ocaml_2:first'
unseen 'nothing is held' 'lease [0-9]'
keys u
wait_for 'nothing to undo'
keys e
wait_cursor on 'ocaml_2:first'
i=0
while [ $i -lt 20 ]; do # two leases long
	keys j
	sleep 0.3
	i=$((i + 1))
done
same 'keys renew it' "$(state first)" enabled
keys q
wait_for '^status=0$'
unseen 'still' 'the lease ran out'

# while a prompt is open, and frozen
screen -lease 0.05
keys e
wait_cursor on 'ocaml_2:first'
keys Z
wait_for 'FROZEN'
keys /
text fir
wait_for '^/fir'
wait_until disabled state first
keys Escape
wait_for 'the lease ran out'
keys q
wait_for '^status=0$'

screen -lease 0
keys e
wait_cursor on 'ocaml_2:first'
unseen 'no lease' ' lease '
keys q
wait_for '^status=0$'
terminal 40 10
type_command "'$PROBES_TUI' -no-syslog -pid $pid -lease 2m"
wait_cursor off 'ocaml_2:first'
keys e
wait_for 'lease [12]m$'
keys q
wait_for '^status=0$'

# suspended: it wakes in the background, undoes, and stops again
terminal 80 24
screen -lease 2s
keys e
wait_cursor on 'ocaml_2:first'
keys C-z
wait_for '^probes-tui: 1 probe stays as this session switched it; fg returns'
wait_until disabled state first
stopped=$(ours)
wait_until T cut -d ' ' -f 3 "/proc/${stopped%% *}/stat"
text fg
keys Enter
wait_for 'the lease ran out, undone'
keys q
wait_for '^status='

# suspended, and ended by a signal
for signal in TERM HUP; do
	screen
	keys e
	wait_cursor on 'ocaml_2:first'
	keys C-z
	wait_for '^probes-tui: 1 probe stays'
	one=$(ours)
	kill -$signal ${one%% *}
	kill -CONT ${one%% *}
	wait_until disabled state first
	wait_until no running ${one%% *}
	text 'clear; fg'
	keys Enter
done

refuses 2 '-lease: "soon" is not a duration' -lease soon -pid "$pid"
stop
finish
