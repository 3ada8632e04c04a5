#!/bin/sh
# More room: arguments as a column, details of the probe under the cursor in a pane below the list of a
# tall screen and beside that of a wide one, up to 300x100; they follow the cursor and the states. Columns
# and pane are chosen by c, -columns and the config file. Tab goes from pane to pane.
# Does not cover: how long a look into large symbol tables takes.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
mkdir -p "$tmp/config/probes-tui"
start loop_ocaml2_pie

# ------------------------------------------------------------------ below the list
terminal 120 40
screen
wait_for '^  STATE .*OBJECT +ARGUMENTS$'
seen 'arguments in their column' 'ocaml_2:first .*  [us](8|16|32|64) %[a-z0-9]+, [us]'
wait_for '^╭─ ocaml_2:first  \(i: all of it\) ─+╮$'
wait_for '^│  in [^ ]+\+0x[0-9a-f]+  .*:[0-9]+ +│$'
seen 'where it lies, under the list too' '^ OCaml .* in [^ ]+\+0x'
seen 'the site' '^│  0x[0-9a-f]+ +0x[0-9a-f]+ +off +90 3d'
keys e
wait_for '^│  on, held by you   sites on 1/1   semaphore 1 +│$'
wait_for '^│  0x[0-9a-f]+ +0x[0-9a-f]+ +on +90 e8'
switch_outside=$("$PROBES_TUI" attach -no-syslog -pid "$pid" -enable multi 2>&1)
same 'switched by another' "$switch_outside" ''
keys j
wait_for '^.. ocaml_2:multi '
wait_for '^│  on, held by other '
wait_until 5 sh -c "tmux -L '$socket' capture-pane -p -t main | grep -Ec '^│  0x[0-9a-f]+ +0x[0-9a-f]+ +on '"
"$PROBES_TUI" attach -no-syslog -pid "$pid" -disable multi
wait_for '^│  off   sites on 0/5 '
keys '\' ; text nothinglikeit; keys Enter
wait_for '^.. no probe under the cursor'
keys '\' C-u Enter
wait_for '^.. ocaml_2:'

# ------------------------------------------------------------------ beside the list
resize 200 30
wait_for '^  STATE .*╭─ ocaml_2:[a-z]+  \(i: all of it\) ─+╮$'
seen 'its text' '│  (on|off)   sites on '
resize 300 100
wait_for '^  STATE .*ARGUMENTS +╭─ ocaml_2:'
same 'every line' "$(look; wc -l <"$tmp/screen" | tr -d ' ')" 100
resize 80 24
wait_gone '\(i: all of it\)'
wait_for 'OBJECT +>$'
resize 40 10
wait_for '^ loop_ocaml2_pie  pid [0-9]+'
resize 120 40
wait_for '^.. ocaml_2:'

# ------------------------------------------------------------------ chosen
keys c
wait_for '0 \[x\] detail'
keys 0
wait_for '0 \[ \] detail'
keys 9 Enter
wait_gone 'detail'
unseen 'neither' '\(i: all of it\)|ARGUMENTS'
keys Tab
wait_for '^Detail of ocaml_2:'
keys Tab
wait_list
text ':sort arguments'
keys Enter
# What has no arguments comes last.
wait_sentence 'ocaml_2:sema_only [^:]* row 2/8'
keys q
wait_for '^status=0$'
screen -columns held,detail
wait_for '^  STATE +PROBE. +HELD BY$'
wait_for '^.. ocaml_2:'
keys q
wait_for '^status=0$'
printf 'columns = ref\nlog = %s/log\n' "$tmp" >"$tmp/config/probes-tui/config"
screen
wait_for '^  STATE +PROBE. +SEM$'
unseen 'the pane' '\(i: all of it\)'
keys e
wait_cursor on ocaml_2:
keys q
wait_for '^status=0$'
has 'the log that the settings name' 'first' "$tmp/log"
refuses 2 'names no columns' -pid "$pid" -columns ref,hits
stop

# ------------------------------------------------------------------ Tab, with a program
rm "$tmp/config/probes-tui/config"
type_command "'$PROBES_TUI' -no-syslog -prog '$VICTIMS/loop_ocaml2_pie'"
wait_list
keys Tab
wait_for '^Detail of'
keys Tab
wait_for '^.. output of pid'
unseen 'the list' '^  STATE'
keys Tab
wait_list
keys q
wait_for 'e end it|end it'
keys e
wait_for '^status='
finish
