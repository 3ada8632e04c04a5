#!/bin/sh
# Processes full of notes, as any user may start them: the data kept from files is limited in total,
# every interface reports what is left out, and never switches it; the list of processes only counts.
# One large file is still listed completely.
# Does not cover: several sessions in one program (unit/test_budget.c).
. "${srcdir:-.}/tests/e2e/tmux.sh"
command -v python3 >/dev/null || skip 'no python3'
need_switching

# most PID: the most memory that it had at once, in MB.
most()
{
	awk '/^VmHWM/ { print int($2 / 1024) }' "/proc/$1/status"
}

# at_most WHAT GOT MOST. A sanitizer takes several times as much.
at_most()
{
	checks=$((checks + 1))
	grep -q __asan_init "$PROBES_TUI" || [ "$2" -le "$3" ] || fail "$1: $2, at most $3 wanted"
}

# hoard NOTES FILE...: $pid
hoard()
{
	fifos
	python3 "${srcdir:-.}/tests/e2e/hoard.py" "$@" <"$tmp/in" >"$tmp/answers" &
	started="$started $!"
	exec 3>"$tmp/in" 4<"$tmp/answers"
	read -r word pid <&4
	same 'it is full' "$word" ready
}

# --- three files: two of them have no room
cd "$tmp" || exit 99
case $srcdir in /*) ;; *) srcdir=$OLDPWD/$srcdir ;; esac
case $PROBES_TUI in /*) ;; *) PROBES_TUI=$OLDPWD/$PROBES_TUI ;; esac
case $VICTIMS in /*) ;; *) VICTIMS=$OLDPWD/$VICTIMS ;; esac
hoard 200000 "$tmp/a$$" "$tmp/b$$" "$tmp/c$$"
run info -pid "$pid"
same 'status' "$status" 0
has 'said' "^probes-tui: .*/[abc]$$: [0-9]+ of its 200000 probe notes are left out: too many"
left=$(sed -n 's/.*: \([0-9]*\) of its 200000 .*/\1/p' "$tmp/err" | awk '{ n += $1 } END { print n }')
# Some pythons have a few probes of their own.
all=$(($(wc -l <"$tmp/out") + left))
checks=$((checks + 1))
[ "$all" -ge 600000 ] && [ "$all" -le 600050 ] || fail "shown and left out: $all, not 600000"
run list -pid "$pid" -format json -quiet
has 'in json' '"why": "[0-9]+ of its 200000 probe notes' "$tmp/out"
run attach -no-syslog -pid "$pid" -enable none-such
same 'status of an unknown one' "$status" 2
has 'it may have been left out' "unknown probe 'none-such': .*[0-9]+ probe notes .* were left out"

# --- listing one file, whole
run list -prog "$tmp/a$$"
same 'status of a file' "$status" 0
same 'all of it' "$(grep -c 'hoard:a' "$tmp/out")" 200000
same 'nothing is left out' "$(cat "$tmp/err")" ''

# --- the list of processes counts without keeping; the screen says what it lacks
terminal 100 24
type_command "'$PROBES_TUI' -no-syslog"
wait_for '^ Processes that hold probes'
keys '\'
text "$pid python3"
keys Enter
wait_for "^.. *$pid .* $all +list read( switch)? +python3"
at_most 'megabytes of the list of processes' "$(most "$(ours)")" 60
keys Enter
wait_list
seen 'what it lacks' '^ [0-9]+ NOTES LEFT OUT   [0-9]+ probes '
at_most 'megabytes of the screen' "$(most "$(ours)")" 450
keys Q
wait_for '^ Processes that hold probes'
keys q
wait_for '^status=0$'
exec 3>&- 4<&-
finish
