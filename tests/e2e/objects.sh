#!/bin/sh
# Libraries that come and go while attach -for waits: what was unloaded needs no undoing and does not
# keep the rest from it; other memory mapped in its place is not written; loaded again elsewhere it is
# another object. Proved by the victim's memory.
# Does not cover: rows of the screen (tui-objects.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
lib=$VICTIMS/libvictim.so

# hold ARG...: attach -for in the background; $held, its notices in $tmp/held
hold()
{
	rm -f "$tmp/held"
	mkfifo "$tmp/held"
	"$PROBES_TUI" attach -no-syslog -pid "$pid" -for 100s "$@" 2>"$tmp/held" </dev/null &
	held=$!
	started="$started $held"
	exec 7<"$tmp/held"
	read -r line <&7
	echo "$line" >"$tmp/first"
	has 'it waits' 'switched for 100 s' "$tmp/first"
}

# release: interrupt it; $status, what it said in $tmp/err
release()
{
	kill -TERM "$held"
	cat <&7 >"$tmp/err"
	exec 7<&-
	wait "$held"
	status=$?
	gone "$held"
}

start loop_dlopen
ask "load $lib"
hold -enable lib_work,second
ask step
same 'on in the library' "$(value libvictim.lib_work hits)" 2
same 'on in the program' "$(value second hits)" 1
ask unload
ask occupy
same 'something else is there' "$(cat "$tmp/answer")" 'done occupied'
release
same 'ended by a signal, nothing failed' "$status" 143
has 'undone in the program' 'switched back: 1 probe'
has 'and said of the library' 'lib_work.*unloaded.*nothing is left to undo'
ask touched
same 'not a byte was written there' "$(cat "$tmp/answer")" 'done untouched'
same 'the program is as it was' "$(state second)" disabled
same 'no journal is left' "$(ls "$PROBES_TUI_RECORDS" 2>/dev/null)" ''
stop

# --- loaded again, its place taken: another mapping, off as its file says, and not undone "again"
start loop_dlopen
ask "load $lib"
hold -enable lib_work
ask unload
ask occupy
ask "load $lib"
same 'it is back' "$(cut -d ' ' -f 1 "$tmp/answer")" loaded
attach -enable lib_work
release
same 'ended by a signal' "$status" 143
same 'what the other party switched stays' "$(state lib_work)" enabled
ask step
same 'and works' "$(value libvictim.lib_work hits)" 2
stop

# --- killed after the library went: the record is of an address that is somebody else's now
start loop_dlopen
ask "load $lib"
hold -enable lib_work,second
ask unload
ask occupy
kill -9 "$held"
wait "$held" 2>/dev/null
gone "$held"
exec 7<&-
want 0 repair -no-syslog -pid "$pid"
ask touched
same 'repair wrote nothing there' "$(cat "$tmp/answer")" 'done untouched'
same 'and undid the rest' "$(state second)" disabled
stop
finish
