#!/bin/sh
# A started program has the keyboard from ^] to ^], and the screen says so; what is typed reaches it
# raw, ^C too. Its output can be scrolled, stays where one looks while more comes, and is searched.
# A paste elsewhere is no keys.
# Does not cover: programs that do not read until their terminal is full.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
program=$VICTIMS/loop_ocaml2_pie
begin()
{
	type_command "'$PROBES_TUI' -no-syslog -prog '$program'"
	wait_for '^.. output of pid'
	wait_for '^ready'
	pid=$(sed -n 's/^ready \([0-9]*\)$/\1/p' "$tmp/screen")
	started="$started $pid"
}

terminal 80 24
begin
keys / second Enter
wait_cursor off 'ocaml_2:second'
keys 'C-]'
wait_for '^ KEYS GO TO THE PROGRAM +\^\] takes them back'
seen 'the pane' '^.. output of pid [0-9]+: running, has the keyboard'
text 'report'
wait_for '^report$'
seen 'no key did anything here' '^> off +ocaml_2:second'
keys Enter
wait_for '^done report'
text 'frobnicate'
keys Enter
wait_for '^unknown'
keys 'C-]'
wait_gone 'KEYS GO TO'
keys e
wait_cursor on 'ocaml_2:second'

# ------------------------------------------------------------------ a paste is no keys
tm set-buffer 'dQ some text
Q'
tm paste-buffer -p -t main
wait_for 'pasted text is ignored here'
keys j k # it has ended
wait_cursor on 'ocaml_2:second'
keys /
wait_for '^/'
tm set-buffer "fi${tab}rst
dQ"
tm paste-buffer -p -t main
wait_for '^/first *$'
keys Enter
wait_cursor off 'ocaml_2:first'
wait_state on 'ocaml_2:second'
keys / second Enter

# ------------------------------------------------------------------ the search
i=0
while [ $i -lt 500 ]; do
	echo "line $i of it"
	i=$((i + 1))
done >"/proc/$pid/fd/1"
wait_for '^line 499 of it$'
keys o /
text 'line 12'
wait_for '^line 129 of it$'
keys Enter n
wait_for '^line 128 of it$'
keys N
keys N
wait_for '/line 12: no newer match'
keys g
wait_for '^ready'
top=$(sed -n 2p "$tmp/screen")
for i in 1 2 3 4 5; do
	echo "more $i" >"/proc/$pid/fd/1"
done
wait_for '\([0-9]+ lines below, G follows\)'
same 'it stays where one looks' "$(sed -n 2p "$tmp/screen")" "$top"
keys G
wait_for '^more 5$'
keys /
text '~lin[e'
wait_for 'missing|expected|bracket'
keys Escape
wait_gone '^/'

# ------------------------------------------------------------- where it is small
resize 40 10
keys o
wait_for ' list read switch$|lease [0-9]+m$'
keys 'C-]'
wait_for '^ KEYS GO TO THE PROGRAM +\^\] back'
wait_for '^.. output of pid'
text quit
wait_for '^quit$'
keys Enter
wait_for 'it exited with'
wait_gone 'KEYS GO TO'
keys 'C-]'
wait_for 'program has ended: it'
resize 80 24
keys q
wait_for ' ENDED$'
keys q
wait_for '^status=0$'
gone "$pid"

begin
keys 'C-]'
wait_for 'KEYS GO TO'
# Where there is no room below the list any more, the program is shown instead of it.
resize 40 10
wait_gone 'ocaml_2:'
wait_for '^.. output of pid'
text seen
wait_for '^seen$'
resize 80 24
keys C-c
wait_for 'was killed by signal 2'
keys q
wait_for ' ENDED$'
keys q
wait_for '^status=0$'
finish
