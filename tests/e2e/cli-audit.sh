#!/bin/sh
# The line that a change leaves in -log FILE: who, which process, what; only for changes; and files
# that must not be written.
# Does not cover: syslog, which a test must not write to.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
start loop_ocaml2_pie
log=$tmp/log

attach -log "$log" -enable multi,first
attach -log "$log" -disable first
attach -quiet -log "$log" -disable-regexp 'second'
want 2 attach -no-syslog -log "$log" -pid "$pid" -enable no_such_probe
want 0 attach -no-syslog -log "$log" -pid "$pid" -enable second -dry-run
same 'lines for two changes' "$(wc -l <"$log" | tr -d ' ')" 2
has 'the first' "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}[-+][0-9]{4} user=.*\\([0-9]+\\).* attach pid=$pid \
prog=/.*/loop_ocaml2_pie done=2 .*: \\+ocaml_2:multi \\+ocaml_2:first$" "$log"
has 'the second' ' done=1 .*: -ocaml_2:first$' "$log"
same 'mode' "$(stat -c %a "$log")" 600

# --- what must not be written
ln -s "$log" "$tmp/link"
refuses 1 'symbolic link' attach -no-syslog -log "$tmp/link" -pid "$pid" -enable second
mkfifo "$tmp/fifo"
refuses 1 '.' attach -no-syslog -log "$tmp/fifo" -pid "$pid" -enable second
refuses 1 'regular' attach -no-syslog -log /dev/null -pid "$pid" -enable second
refuses 1 '.' attach -no-syslog -log "$tmp" -pid "$pid" -enable second
refuses 1 'No such file' attach -no-syslog -log "$tmp/no/such" -pid "$pid" -enable second
same 'nothing was switched' "$(state second)" disabled
same 'nothing was noted' "$(wc -l <"$log" | tr -d ' ')" 2
stop

# --- bounded, whatever the number
start many
attach -log "$log" -enable-all
attach -log "$log" -disable-all
same 'lines' "$(wc -l <"$log" | tr -d ' ')" 4
same 'longest line' "$(awk 'length > 1024' "$log")" ''
has 'and more' ' and [0-9]+ more$' "$log"
stop

want 0 trace -no-syslog -wait -log "$log" -prog "$VICTIMS/loop_lib" -enable multi -- --steps 1
has 'trace' ' trace pid=[0-9]+ prog=/.*/loop_lib done=1 ' "$log"
finish
