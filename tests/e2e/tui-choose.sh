#!/bin/sh
# No process is given: the list of those that hold probes fills in, is filtered and searched; Enter
# opens one, or all that are tagged as one list; q comes back, having undone; what starts and ends
# meanwhile is noticed. -comm: one of that name is opened at once, several are chosen from.
# Does not cover: hundreds of processes, users that are slow to look up.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
# Victims of names that no other test has: all processes are looked through.
mkdir "$tmp/v"
cp "$VICTIMS/loop_ocaml2_pie" "$tmp/v/pie$$"
cp "$VICTIMS/loop_ocaml2_fixed" "$tmp/v/fix$$"
cp "$VICTIMS/sdt_plain" "$tmp/v/nop$$"
VICTIMS=$tmp/v pie=pie$$ fix=fix$$ nop=nop$$
start "$pie"
terminal 80 24

type_command "'$PROBES_TUI' -no-syslog"
wait_for '^ Processes that hold probes'
# Other tests' victims may fill the screen.
keys '\'
text "$$"
keys Enter
wait_for "^.. *$pid .* 8  list read switch +$pie"
wait_for '^ [0-9]+ without probes, [0-9]+ not permitted'
keys '\' C-u
text "$pid $pie"
wait_for '^1 of [0-9]+ match'
keys Enter
wait_for '^ filter: .* 1 of [0-9]+ shown'
keys Enter
wait_for "^ $pie  pid [0-9]+ "
keys e
wait_cursor on 'ocaml_2:first'
same 'on' "$(state first)" enabled
keys q
wait_for '^ Processes that hold probes'
wait_for 'undid this session.s changes: 1 site'
same 'undone' "$(state first)" disabled
keys '\' C-u
text 'no such process'
wait_for '^0 of [0-9]+ match'
keys Enter
wait_for 'no process matches the filter'
keys Enter
wait_for 'nothing to open'
keys '\' C-u Enter
wait_gone 'no process matches'
wait_for '^ no filter'
keys '\'
text "$$"
keys Enter
keys '?'
wait_for '^Help'
seen 'its keys' '\* +tag all rows shown'
keys NPage
wait_for 'Enter.*open the process'
keys q
wait_for '^ Processes that hold probes'

# one that starts, one that ends
start2 "$fix"
wait_for "^.. *$pid2 .*$fix"
keys /
text "$fix"
keys Enter
wait_for "^> +$pid2 "
keys Enter
wait_for "^ $fix  pid $pid2 "
stop2
wait_for GONE
keys q
wait_for '^ Processes that hold probes'
wait_gone "^.. *$pid2 .*$fix"

# one without a semaphore: nothing can be switched there; back from it, there is nothing to say
start2 "$nop"
wait_for "^.. *$pid2 .* list read count +$nop"
keys / C-u
text "$nop"
keys Enter
wait_for "^> +$pid2 "
keys Enter
wait_for "^ $nop  pid $pid2 .* list read count\$"
wait_for 'none can be switched: H counts'
unseen 'no request in vain' 'e Enable|d Disable|p Pair '
seen 'the footer' 'y Commands'
keys e
wait_for 'no probe here can be switched: '
seen 'what leads on' 'H counts their hits'
keys y
wait_for '^As a command line'
seen 'of another tool' 'bpftrace|gdb|perf'
keys q
wait_for 'none can be switched'
keys q
wait_for '^ Processes that hold probes'
unseen 'no bare time' '^[0-9][0-9]:[0-9][0-9]:[0-9][0-9]$'
stop2

# two at once
start2 "$pie"
wait_for "^.. *$pid2 "
keys '\' C-u
text "$pie"
wait_for '^2 of '
keys Enter g Space Space
wait_for "^.\+ *$pid2 "
keys Enter
wait_for "^ $pie  2 processes "
keys Q
wait_for '^ Processes that hold probes'
for size in '40 10' '120 40'; do
	resize ${size% *} ${size#* }
	wait_for "^.. *$pid .* 8  (list read )?switch"
	wait_for 'q Quit$'
done
keys q
wait_for '^status=0$'

# -comm
resize 80 24
type_command "'$PROBES_TUI' -no-syslog -comm $pie"
wait_for "^ Processes that hold probes, called $pie"
wait_for '^ no filter'
keys q
wait_for '^status=0$'
stop2
type_command "'$PROBES_TUI' -no-syslog -comm $pie"
wait_for "^ $pie  pid $pid "
keys q
wait_for '^status=0$'
type_command "'$PROBES_TUI' -no-syslog -comm no-such-name"
wait_for '^status=3$'
stop
finish
