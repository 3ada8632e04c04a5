#!/bin/sh
# events: hits that are begun and never finished, because a handler leaves them by longjmp, or a forked child is
# killed meanwhile, do not use up the room for texts: soon all events come again. Texts that are missing because the
# tracer was stopped are told as that.
# Does not cover: who may take such a record over (unit/test_events.c).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching

# keeping ARG...: events in the background; $session.
keeping()
{
	: >"$tmp/held"
	: >"$tmp/result"
	env --default-signal=INT,QUIT "$PROBES_TUI" events -no-syslog -max-overhead 0 -format json -pid "$pid" \
		say -str arg2 >"$tmp/result" 2>"$tmp/held" </dev/null &
	session=$!
	started="$started $session"
	session_says ' sites\{0,1\} of '
}

# came ID: how many texts of this number.
came()
{
	grep -c "\"value\": *$1[,}].*\"said\"" "$tmp/result"
}

# whole ID: are there soon three rounds in a row, so that all records are used, of which every text comes? A round
# ends with its last text, or after a second: then one was lost. Numbers begin after ID, and are never used again.
whole()
{
	id=$1
	in_a_row=0
	for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
		id=$((id + 1))
		ask "said 512 $id"
		tries=0
		until [ "$(came $id)" = 512 ] || [ $((tries += 1)) -gt 20 ]; do
			sleep 0.05
		done
		in_a_row=$((in_a_row + 1))
		[ "$(came $id)" = 512 ] || in_a_row=0
		[ $in_a_row -lt 3 ] || {
			echo yes
			return
		}
	done
	echo "no: of round $round $(came $id) of 512 texts came; $(cat "$tmp/held")"
}

start left
keeping
same 'at first' "$(whole 1000)" yes
ask 'left 3000'
same 'the longjmps' "$line" 'done left'
same 'after hits that were left by longjmp' "$(whole 1100)" yes
interrupted
stop

# Who may not look at all processes frees nothing: a hidden one may be a child that is still writing.
if capable 19; then
	start left
	keeping
	same 'at first' "$(whole 2000)" yes
	ask 'killed 1000'
	same 'the children' "$line" 'done killed'
	same 'after children that were killed' "$(whole 2100)" yes
	interrupted
	stop
fi

# A permission to read texts ends after half a second.
start left
keeping
same 'at first' "$(whole 3000)" yes
kill -STOP "$session"
sleep 1
ask 'said 5 3999'
kill -CONT "$session"
until [ "$(grep -c '"value": *3999' "$tmp/result")" = 5 ]; do
	kill -0 "$session" 2>/dev/null || break
	sleep 0.05
done
interrupted
has 'why texts are missing' '^probes-tui: 5 values could not be read: this tracer was stopped' "$tmp/held"
stop
finish
