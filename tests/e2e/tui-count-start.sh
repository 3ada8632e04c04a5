#!/bin/sh
# The screen, -prog FILE -count: every hit is counted from the program's start, and the totals are whole
# after its end. With -hold, all is counted while it is held; if we are killed then, it ends with us.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching

# totals NAME=HITS...: as the program says, for each that could be counted.
totals()
{
	look
	for one; do
		case $(grep "early:${one%=*} " "$tmp/screen") in
		*1/1*) wait_for "early:${one%=*} +1/1 .* ${one#*=} " ;;
		*) echo "early:${one%=*} has no place for its jump" ;;
		esac
	done
}

terminal 100 24
type_command "'$PROBES_TUI' -no-syslog -max-overhead 0 -prog '$VICTIMS/early' -count -hold -- wait"
wait_for 'HELD AT ITS START'
wait_for 'count (first,later|first|later): (1 of )?[12] sites?, target not stopped'
keys r
wait_for '^later hits=40000'
totals first=101 later=40000
keys q
wait_for 'is still running'
keys e
wait_for '^status=0$'

# It has ended before the screen looks again.
type_command "'$PROBES_TUI' -no-syslog -max-overhead 0 -refresh 2 -prog '$VICTIMS/early' -count"
wait_for 'exited with status 0'
wait_for 'early:(first|later) .* (101|40000) '
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
