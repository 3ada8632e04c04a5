#!/bin/sh
# Another tool takes the jump of a probe away while it is measured, as the kernel does when a uprobe goes: events,
# latency, histogram and callers say so at once, never that nothing was lost, in text, JSON and CSV, and give no rate;
# the recording keeps it, and replay says it in each of its ways; so does what is measured until the process ends.
# Does not cover: count (cli-count.sh), forked children (cli-family.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
. "${srcdir:-.}/tests/e2e/counting.sh"

start counts
site=$(site_of "$VICTIMS/counts" plain)
gone='1 site lost its jump: its hits from then on are missing'

# lose VERB ARG...: 100 hits are measured, 1000 are not.
lose()
{
	in_background "$@" -max-overhead 0 -pid "$pid"
	session_says "in process $pid"
	ask 'run 1 100'
	poke "$site" 220
	session_says "pid $pid: the jumps of 1 site (counts:plain) are gone"
	ask 'run 1 1000'
	interrupted
}

# of EXPRESSION [FILE]: of python, about the objects of the result, t the last of them.
of()
{
	python3 -c 'import json, sys
all = [json.loads(line) for line in open(sys.argv[1])]
t = all[-1]
print(eval(sys.argv[2]))' "${2:-$tmp/result}" "$1"
}

jumps()
{
	[ "$(peek "$site" 1)" != 90 ]
}

# never WHAT FILE
never()
{
	same "$1: not called complete" "$(grep -c 'none lost' "$2")" 0
}

lose events plain -record "$tmp/recording"
has 'events' "^probes-tui: 100 events in [0-9.]+ s; $gone\$" "$tmp/held"
never events "$tmp/held"
in_background events -max-overhead 0 -pid "$pid" plain never -quiet
session_until 'the jump' jumps
poke "$site" 220
session_says 'are gone'
interrupted
has 'events -quiet' "^probes-tui: 0 events in [0-9.]+ s; $gone\$" "$tmp/held"
lose events plain -format json
same 'events, JSON' "$(of 't["events"], t["lost"], t["sites_lost"]')" '(100, 0, 1)'
lose histogram plain arg1
has 'histogram' "^$gone\$" "$tmp/result"
has 'histogram: no rate' '^ +100 +- +100 ' "$tmp/result"
lose histogram plain arg1 -format json -interval 0.1
same 'histogram, JSON' "$(of 'all[0]["sites_lost"], t["events"], t["sites_lost"]')" '(0, 100, 1)'
lose histogram plain arg1 -format csv
has 'histogram, CSV' '^total,.*,sites_lost,,,,1,' "$tmp/result"
lose callers plain
has 'callers' "^probes-tui: 100 hits in [0-9.]+ s; $gone\$" "$tmp/held"
lose callers plain -format json
same 'callers, JSON' "$(of 't["sites_lost"]')" 1
lose latency guarded,plain
has 'latency' "^$gone\$" "$tmp/result"
has 'latency: no rate' '^ +[0-9]+ +- ' "$tmp/result"
lose latency guarded,plain -format json -interval 0.1 -record "$tmp/pairs"
same 'latency, JSON' "$(of 'all[0]["sites_lost"], t["sites_counted"], t["sites_lost"]')" '(0, 3, 1)'
want 0 replay "$tmp/pairs" -format json
same 'latency, recorded' "$(cmp "$tmp/out" "$tmp/result" 2>&1)" ''
lose latency guarded,plain -format csv
same 'latency, CSV' "$(tail -n 1 "$tmp/result" | sed 's/.*,//')" 1

# --- what was recorded
want 0 replay "$tmp/recording"
has 'replay' "^probes-tui: 100 events in [0-9.]+ s; $gone\$"
never replay "$tmp/err"
want 0 replay "$tmp/recording" -format json
same 'replay, JSON' "$(of 't["sites_lost"]' "$tmp/out")" 1
want 0 replay "$tmp/recording" plain -histogram arg1
has 'replay -histogram' "^$gone\$" "$tmp/out"
want 0 replay "$tmp/recording" plain -histogram arg1 -format json
same 'replay -histogram, JSON' "$(of 't["sites_lost"]' "$tmp/out")" 1

# --- until the process ends: it is known by the last reading
in_background events -max-overhead 0 -pid "$pid" plain never
session_says "in process $pid"
ask 'run 1 100'
poke "$site" 220
session_says 'are gone'
stop
ended 1
has 'the process ended' "^probes-tui: 100 events in [0-9.]+ s; $gone\$" "$tmp/held"
finish
