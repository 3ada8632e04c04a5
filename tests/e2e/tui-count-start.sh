#!/bin/sh
# The screen, -prog FILE -count: every hit is counted from the program's start, and the totals are whole
# after its end. With -hold, all is counted while it is held; if we are killed then, it ends with us.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching

# totals: as the program says. Both sites can be counted wherever the kernel has put it.
totals()
{
	wait_for 'early:first .* 101 '
	wait_for 'early:later .* 40000 '
}

terminal 100 24
type_command "'$PROBES_TUI' -no-syslog -max-overhead 0 -prog '$VICTIMS/early' -count -hold -- wait"
wait_for 'HELD AT ITS START'
wait_for 'count first,later: 2 sites, target not stopped'
keys r
wait_for '^later hits=40000'
totals
keys q
wait_for 'is still running'
keys e
wait_for '^status=0$'

# It has ended before the screen looks again.
type_command "'$PROBES_TUI' -no-syslog -max-overhead 0 -refresh 2 -prog '$VICTIMS/early' -count"
wait_for 'exited with status 0'
totals
keys q
wait_for '^status=0$'

# We are killed while it is held.
type_command "'$PROBES_TUI' -no-syslog -prog '$VICTIMS/early' -count -hold -- wait"
wait_for 'HELD AT ITS START'
wait_for 'target not stopped'
look
program=$(sed -n 's/^ *early  pid \([0-9]*\).*/\1/p' "$tmp/screen")
kill -9 "$(awk '{ print $4 }' "/proc/$program/stat")"
wait_for 'status=137$'
wait_until gone sh -c "[ -e /proc/$program/exe ] || echo gone"
finish
