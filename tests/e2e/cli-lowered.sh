#!/bin/sh
# Two sessions at one count: one raised it for a while, the other lowered it for a while. The first
# one that goes must not take its part for settled while the other is going to add its own again:
# it stays on record, and repair takes it away once the other has gone. So with sessions that were
# killed. What somebody lowered for good is settled.
# Does not cover: sessions of users whose records cannot be seen (doc/hazards.md).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching

# hold NAME ARG...: attach for a while in the background, and wait until it has switched; $session.
hold()
{
	said=$tmp/$1
	: >"$said"
	shift
	"$PROBES_TUI" attach -no-syslog -pid "$pid" -for 1h "$@" >"$tmp/held.out" 2>"$said" \
		</dev/null &
	session=$!
	started="$started $session"
	until grep -q ' switched for ' "$said"; do
		kill -0 "$session" 2>/dev/null || {
			fail "the session ended: $(cat "$said")"
			finish
		}
		sleep 0.01
	done
}

# both: one that raised the count of multi from 0, one that lowered it again; $raiser, $lowerer.
both()
{
	hold raised -enable multi
	raiser=$session
	hold lowered -disable multi
	lowerer=$session
	same 'lowered' "$(state multi)" disabled
}

# end PID SIGNAL: $status.
end()
{
	kill "-$2" "$1"
	wait "$1" 2>/dev/null
	status=$?
	gone "$1"
}

clean()
{
	same "as it was found, $1" "$(live "$VICTIMS/loop_ocaml2_pie" multi)" '5 count 0000 5 site 903d'
	same "no record, $1" "$(ls -A "$PROBES_TUI_RECORDS")" ''
}

start loop_ocaml2_pie

# --- the one that raised goes first
both
end "$raiser" TERM
same 'it fails' "$status" 1
has 'and says why' "session $lowerer has lowered its count, and will raise it again" "$tmp/raised"
has 'and what to do' "repair -pid $pid$" "$tmp/raised"
want 0 info -pid "$pid"
has 'it is on record' "an interrupted session \\(pid $raiser\\)"
want 1 repair -no-syslog -pid "$pid"
has 'repair says why' "session $lowerer has lowered its count, and will raise it again"
want 0 info -pid "$pid"
has 'and keeps the record' "an interrupted session \\(pid $raiser\\)"
end "$lowerer" TERM
same 'the other can' "$status" 143
same 'raised again' "$(state multi)" enabled
want 0 repair -no-syslog -pid "$pid"
clean 'repaired'

# --- the one that lowered goes first
both
end "$lowerer" TERM
same 'it can' "$status" 143
end "$raiser" TERM
same 'and so can the other' "$status" 143
clean 'in the other order'

# --- the one that raised is killed
both
end "$raiser" KILL
want 1 repair -no-syslog -pid "$pid"
has 'repair says why' "session $lowerer has lowered its count, and will raise it again"
end "$lowerer" TERM
want 0 repair -no-syslog -pid "$pid"
clean 'one killed'

# --- the one that lowered is killed: its record will raise the count
both
end "$lowerer" KILL
end "$raiser" TERM
same 'it fails' "$status" 1
has 'and says why' "session $lowerer lowered its count and was interrupted: repair raises it again" \
	"$tmp/raised"
want 0 repair -no-syslog -pid "$pid"
clean 'the other killed'

# --- both are killed, whatever the order in which their records are found
for round in 1 2 3 4; do
	both
	end "$raiser" KILL
	end "$lowerer" KILL
	want 0 repair -no-syslog -pid "$pid"
	clean "both killed, round $round"
done

# --- lowered for good: settled
hold raised -enable multi
attach -disable multi
end "$session" TERM
same 'settled' "$status" 143
clean 'lowered for good'
stop
finish
