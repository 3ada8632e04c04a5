#!/bin/sh
# The record, the tree and the pairs over two processes: one command line names both, or one for
# each where they differ; JSON is an array.
# Does not cover: what one process is enough for (tui-record.sh, tui-tree.sh, tui-pairs.sh).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
start loop_ocaml2_pie
start2 loop_ocaml2_pie
mkdir "$tmp/files"
terminal 100 24
text "cd '$tmp/files'"
keys Enter
type_command "'$PROBES_TUI' -no-syslog -pid $pid,$pid2"
wait_list
keys g e
wait_cursor on 'ocaml_2:first +2/2 '
keys y
wait_for "^probes-tui attach -pid $pid,$pid2 -enable ocaml_2:first\$"
keys q P p
wait_for '^> \[\*\]   \[\*\]   ocaml_2:work_start'
keys d
wait_for '^> \[ \]   \[ \]   ocaml_2:work_start'
keys q t g
wait_cursor partial '- loop_ocaml2_pie  1 of 8 on'
keys t g

# on in one of them only, by somebody else
attach -enable second
wait_state partial 'ocaml_2:second +1/2 '
keys /
text second
keys Enter !
wait_for '^What disagrees in ocaml_2:second'
seen 'the one' "Process $pid: on"
seen 'the other' "Process $pid2: off"
keys q
attach -disable second
wait_state off 'ocaml_2:second +0/2 '

keys s s s
wait_for 'sort proc$'
keys w C-u
text both.json
keys Enter
wait_for 'wrote 8 probes as JSON'
same 'an array of two' "$(cut -c 1-8 "$tmp/files/both.json" | grep -c '^\[* *{"pid"')" 2
keys S C-u
text both.sh
keys Enter
wait_for 'wrote 3 actions to both\.sh'
has 'both are named' "^probes-tui attach -pid $pid,$pid2 -enable-pair ocaml_2:work_start,ocaml_2:work_end" "$tmp/files/both.sh"
keys q
wait_for '^status=0$'
same 'undone' "$(state first)" disabled
stop
stop2
finish
