#!/bin/sh
# Probes that share one site, as where a linker has folded equal functions: each hit is an event of each of them that has
# the same arguments, of one with other arguments it is said that it is printed as the first; no times between two of
# them are measured.
# Does not cover: a linker that folds (this victim's notes are written by hand), the screen's drawing.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
need_zydis
start twins

# events_of NAMES: of ten hits, how many each probe has: $got.
events_of()
{
	: >"$tmp/held"
	env --default-signal=INT "$PROBES_TUI" events -no-syslog -max-overhead 0 -stop -pid "$pid" "$1" \
		>"$tmp/result" 2>"$tmp/held" </dev/null &
	session=$!
	started="$started $session"
	session_says 'counting '
	# The line above the events comes before them.
	until grep -q twins: "$tmp/result"; do
		kill -0 "$session" || break
		ask step
	done
	kill -INT "$session"
	wait "$session"
	gone "$session"
	got=$(grep -oE 'twins:[a-z]+ .*' "$tmp/result" | sort | uniq -c | awk '{ print $1, $2, $3 }')
}

hits_of()
{
	echo "$got" | awk -v p="twins:$1" '$2 == p { print $1 }'
}

events_of first,second
same 'each hit is one of both' "$(hits_of first)" "$(hits_of second)"
same 'there are some' "$([ "$(hits_of second)" -gt 0 ] && echo yes)" yes
same 'with its argument' "$(echo "$got" | awk '{ print $3 }' | sort -u)" a=7

events_of first,third
same 'other arguments: none of its own' "$(hits_of third)" ''
same 'but some' "$([ "$(hits_of first)" -gt 0 ] && echo yes)" yes
has 'and it is said' "process $pid: first and third share a site, with different arguments: hits there are shown under first" "$tmp/held"

refuses 2 'first and second share the site at 0x[0-9a-f]+: there is no time between them' \
	latency -no-syslog -pid "$pid" first,second -stop -for 50ms
want 0 repair -no-syslog -pid "$pid"
has 'nothing is left' 'nothing to repair'
stop
finish
