#!/bin/sh
# The line: nothing is sent while nothing changes; a refresh in which three of 10,000 rows change sends
# three rows; a key is answered at once among 100,000 probes; states go on being read while a prompt
# is open.
# Does not cover: what a real slow line does to the order of things.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
start many
terminal 80 24

# sent: how many bytes the screen has sent so far
sent()
{
	wc -c <"$tmp/sent"
}

# quiet: wait until nothing is sent for a second, that is for several refreshes; 40 seconds at most
quiet()
{
	checks=$((checks + 1))
	for _ in $(seq 40); do
		before=$(sent)
		sleep 1
		[ "$(sent)" != "$before" ] || return 0
	done
	fail 'never quiet'
}

: >"$tmp/sent"
tm pipe-pane -t main "cat >>'$tmp/sent'"
screen -refresh 0.2 -lease 0
wait_for '10000 probes'
names=$(sed -n 's/^[> ] off  *\([^ ]*\) .*/\1/p' "$tmp/screen" | head -n 7 | sed -n '2p;4p;6p')
quiet
before=$(sent)
# shellcheck disable=SC2086 # three words
set -- $names
attach -enable "$1,$2,$3"
wait_state on "$1 "
wait_state on "$3 "
wait_for ' 3 on '
bytes=$(($(sent) - before))
checks=$((checks + 1))
[ "$bytes" -gt 0 ] && [ "$bytes" -lt 400 ] || fail "three rows changed: $bytes bytes"

# a prompt is open, and states are still read
keys '\'
wait_for '^filter:'
attach -disable "$1,$2,$3"
wait_state off "$1 "
keys Escape q
wait_for '^status=0$'
tm pipe-pane -t main
stop

# ------------------------------------------------------------- 100,000 probes
sources=${srcdir:-.}/tests/victims
command -v cc >/dev/null || finish
sh "$sources/many.sh" 100000 >"$tmp/hundred.s"
cc -O1 -fPIE -pie -pthread -o "$tmp/hundred" "$sources/many.c" "$sources/drive.c" "$tmp/hundred.s" ||
	finish
VICTIMS=$tmp
start hundred
screen -refresh 1
wait_for '100000 probes'

# used: milliseconds of a processor that the screen has taken so far
used()
{
	awk '{ sub(/.*\) /, ""); print ($12 + $13) * 10 }' "/proc/$tool/stat"
}

# prompt PATTERN KEY...: the answer comes, and costs less than half a second of a processor: that
# does not depend on what else the machine does
prompt()
{
	wanted=$1
	shift
	began=$(used)
	keys "$@"
	wait_for "$wanted"
	took=$(($(used) - began))
	echo "$* with 100,000 probes: $took ms of a processor"
	checks=$((checks + 1))
	[ "$took" -lt 500 ] || fail "$* takes $took ms of a processor"
}
tool=$(ours)
for _ in 1 2 3; do
	prompt 'row 100000/100000' G
	prompt 'row 1/100000' g
	prompt 'row 2/100000' j
	prompt 'row 1/100000' k
done
prompt '^filter:' '\'
prompt '^100000 of 100000 match' p
prompt '^10 of 100000 match' 0 9 9 9 9
prompt '10 of 100000 shown' Enter
keys q
wait_for '^status=0$'
stop
finish
