#!/bin/sh
# The target becomes another program, or itself anew, by exec while it is on the screen: it is said,
# nothing is written any more, not a byte of the new program differs; r opens what is there now, with
# its rows, under the filter that was there. Likewise a program that was started from here.
# Does not cover: several processes on one screen of which one does that; exec between the look
# and the write of one switch, a number that is given out again (api_identity).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
fixed=$VICTIMS/loop_ocaml2_fixed
other=$VICTIMS/loop_ocaml0_pie

# replaced [none]: it is said, what would be written is refused, and r is named where it opens something
replaced()
{
	refused="nothing can be switched: process $pid runs another program now, by exec:"
	wait_for "process $pid runs another program now, by exec:"
	wait_for ' GONE$'
	seen 'the way on' 'r REOPEN'
	keys e
	case $# in
	0) wait_sentence "$refused /[^;]*; r opens that r REOPEN" ;; # which key helps
	*) wait_sentence "$refused [^; ]* r REOPEN" ;; # no key helps: what it leads to has no probes
	esac
}

# untouched PROGRAM: no byte of first, multi differs from the file
untouched()
{
	same "multi of $1" "$(live "$1" multi)" '5 count 0000 5 site 903d'
	same "first of $1" "$(live "$1" first)" '1 count 0000 1 site 903d'
}

start loop_ocaml2_fixed
terminal 80 24
screen
keys '\'
text 'fir|mul'
keys Enter
wait_cursor off 'ocaml_2:first'
keys e
wait_cursor on 'ocaml_2:first'

# --- itself anew, at the same addresses
ask "exec $fixed$tab"
replaced
seen 'not shown as on' '^> gone +ocaml_2:first'
untouched "$fixed"
keys r
wait_for "opened process $pid as it is now"
wait_cursor off 'ocaml_2:first'
seen 'the filter is kept' '^ filter: fir\|mul'
unseen 'the filter is kept' 'ocaml_2:second'
keys e
wait_cursor on 'ocaml_2:first'
same 'on' "$(live "$fixed" first)" '1 count 0100 1 site 90e8'

# --- another program
ask "exec $other$tab"
replaced
untouched "$other"
keys r
wait_for "opened process $pid as it is now"
wait_cursor off 'ocaml:first'
unseen 'old rows' 'ocaml_2:'
seen 'the filter is kept' '^ filter: fir\|mul'
keys e
wait_cursor on 'ocaml:first'
same 'on' "$(live "$other" first)" '1 count 0100 1 site 90e8'

# --- a program without probes
echo 'exec /bin/sleep 1000' >&3
replaced none
keys r
wait_for 'is another program now, without probes'
keys q
wait_for '^status=0$'
exec 3>&- 4<&-
{
	kill -9 "$pid"
	wait "$pid"
} 2>/dev/null
gone "$pid"

# --- a program that was started from here
type_command "'$PROBES_TUI' -no-syslog -prog '$fixed'"
wait_cursor off 'ocaml_2:first'
keys o
wait_for 'ready [0-9]'
pid=$(sed -n 's/.*ready \([0-9]*\).*/\1/p' "$tmp/screen" | head -n 1)
keys 'C-]'
text "exec $other$tab"
keys Enter
keys 'C-]'
keys o
wait_for "process $pid runs another program now"
untouched "$other"
keys r
wait_cursor off 'ocaml:first'
keys e
wait_cursor on 'ocaml:first'
same 'on' "$(live "$other" first)" '1 count 0100 1 site 90e8'
keys q
wait_for 'is still running.* e: end it'
keys e
wait_for '^status=0$'
finish
