#!/bin/sh
# The victim loses the page of its code that is counted, and keeps the rest of its object: nothing is left to undo there,
# and nothing stays on record, whether the session ends by itself or is killed. Text that has moved to anonymous memory
# has our bytes, and they are taken back.
# Does not cover: data with counts that is unmapped, code of OCaml probes.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
need_zydis

# counted WAY: a session counts the probe, and the victim then loses its page; $session.
counted()
{
	start_counted vanish lose
	remember "$VICTIMS/vanish"
	: >"$tmp/held"
	"$PROBES_TUI" count -no-syslog -pid "$pid" -stop >"$tmp/figures" 2>"$tmp/held" </dev/null &
	session=$!
	started="$started $session"
	session_says 'counting 1 of 1 site'
	ask step
	ask "$1"
}

for way in unmap cover; do
	counted "$way"
	kill -TERM "$session"
	wait "$session"
	same "$way: it ends well" $? 143
	has "$way: why nothing is undone" 'lose.*no longer mapped: nothing is left to undo there' "$tmp/held"
	same "$way: no record" "$(ls -A "$PROBES_TUI_RECORDS")" ''
	want 0 repair -no-syslog -pid "$pid"
	has "$way: nothing to repair" 'nothing to repair'
	stop

	counted "$way"
	{
		kill -9 "$session"
		wait "$session"
	} 2>/dev/null
	gone "$session"
	want 0 repair -no-syslog -pid "$pid"
	has "$way, killed: why nothing is undone" 'nothing was switched: 1 probe is no longer mapped'
	same "$way, killed: no record" "$(ls -A "$PROBES_TUI_RECORDS")" ''
	stop
done

# --- our bytes are there still
counted settle
kill -TERM "$session"
wait "$session"
same 'settle: it ends well' $? 143
ask step
as_found settle
stop
finish
