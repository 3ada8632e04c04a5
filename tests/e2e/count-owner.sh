#!/bin/sh
# Counters without a living session: left by Q, by a session that was killed and whose journal is lost. list and
# the screen report them; the next count, latency, events and histogram take them over; H and repair remove them, with
# what their session held of the semaphore. A semaphore that somebody lowered is raised by the next count, and
# count says when it falls to 0 meanwhile. The victim's own numbers and its memory are the proof.
# A stranger, another user who locks all that a session can claim, keeps neither from anybody.
# Does not cover: two sessions that count at the same time (cli-count.sh), pid namespaces (owner-pids.sh).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
need_zydis
. "${srcdir:-.}/tests/e2e/counting.sh"
. "${srcdir:-.}/tests/e2e/strangers.sh"
start counts
code >"$tmp/file"

as_found()
{
	bytes >"$tmp/after"
	same "$1: as in the file" "$(diff "$tmp/after" "$tmp/file")" ''
	same "$1: nothing on record" "$(ls "$PROBES_TUI_RECORDS")" ''
}

semaphore()
{
	bytes | awk '$2 == "semaphore" { print $3; exit }'
}

# lost: a session counts, is killed, and its journal is lost.
lost()
{
	counting -pid "$pid" -stop
	kill -9 "$session"
	wait "$session" 2>/dev/null
	gone "$session"
	journal=$(find "$PROBES_TUI_RECORDS" -type f)
	rm -f "$journal"
}

# --- a session was killed, and its journal is lost
lost
want 0 list -pid "$pid"
has 'list reports it' "^probes-tui: pid $pid: a session that has ended left counters at [4-9] sites; to remove them" "$tmp/err"
want 0 attach -no-syslog -quiet -pid "$pid" -disable guarded # nobody knows whose it was
same 'its guard' "$(semaphore)" 0000
ask zero
counting -pid "$pid" -format json
same 'a count raises it' "$(semaphore)" 0100
ask 'run 1 100'
same 'so that it is hit' "$(value guarded hits)" 200
interrupted INT 130
agrees 'the next count'
as_found 'the next count'

lost
want 0 attach -no-syslog -quiet -pid "$pid" -disable guarded
want 0 repair -no-syslog -pid "$pid"
has 'repaired' "^probes-tui: pid $pid: undid what a session that has ended left behind: 5 probes, [4-9] sites\$" "$tmp/err"
as_found 'repair'
want 0 repair -no-syslog -pid "$pid"
has 'once' 'nothing to repair' "$tmp/err"

# --- nobody knows who raised what is still raised: it is left, and said
lost
want 1 repair -no-syslog -pid "$pid"
has 'still raised' 'the semaphores of 1 probe are still raised, and no journal says by whom: guarded \(1\); if nobody needs them, disable these probes' "$tmp/err"
want 0 attach -no-syslog -quiet -pid "$pid" -disable guarded
as_found 'still raised, and lowered'
lost
(umask 077 && echo damaged >"$journal")
want 1 repair -no-syslog -pid "$pid"
has 'one cannot be checked' 'could not check .*: it is damaged' "$tmp/err"
has 'it may say so' 'still raised, and no journal says by whom, unless one that could not be checked does: guarded' "$tmp/err"
want 0 attach -no-syslog -quiet -pid "$pid" -disable guarded
rm "$journal"
as_found 'with a damaged journal'

# --- a session that can keep no journal says in the process what it raised: exactly that is lowered
attach -enable guarded
counted_records=$PROBES_TUI_RECORDS
PROBES_TUI_RECORDS=/proc/x
counting -pid "$pid" -stop
PROBES_TUI_RECORDS=$counted_records
same 'no journal: raised' "$(semaphore)" 0200
kill -9 "$session"
want 0 repair -no-syslog -pid "$pid"
has 'no journal: repaired directly after the kill' 'undid what a session that has ended left behind: 5 probes' "$tmp/err"
same 'no journal: only its own is lowered' "$(semaphore)" 0100
wait "$session" 2>/dev/null
gone "$session"
want 0 attach -no-syslog -quiet -pid "$pid" -disable guarded
as_found 'no journal'

# --- a stranger locks what it had claimed: it has ended for all that
if strangers; then
	lost
	want 0 attach -no-syslog -quiet -pid "$pid" -disable guarded
	locked "$nobody" "$pid" claims
	want 0 list -pid "$pid"
	has 'a stranger: list reports it' "^probes-tui: pid $pid: a session that has ended left counters at [4-9] sites" "$tmp/err"
	want 0 repair -no-syslog -pid "$pid"
	has 'a stranger: repaired' "^probes-tui: pid $pid: undid what a session that has ended left behind: 5 probes, [4-9] sites\$" "$tmp/err"
	as_found 'a stranger: repair'

	# --- the same, of a session that could claim nothing
	lost
	want 0 attach -no-syslog -quiet -pid "$pid" -disable guarded
	want 0 repair -no-syslog -pid "$pid"
	has 'could claim nothing: repaired' 'undid what a session that has ended left behind: 5 probes, [4-9] sites'
	as_found 'could claim nothing: repair'

	# --- a session lives that could claim nothing: whoever comes next leaves its counters to it
	ask zero
	counting -pid "$pid" -format json 7>&- # unlocked closes it
	unlocked
	want 0 list -pid "$pid"
	same 'could not claim: it has an owner' "$(grep -c 'a session that has ended' "$tmp/err")" 0
	want 0 count -no-syslog -max-overhead 0 -pid "$pid" -stop -for 50ms
	ask 'run 1 100'
	interrupted INT 130
	agrees 'could not claim'
	as_found 'could not claim'
fi

# --- Q leaves the counters; what is left is measured, and removed at the end
for next in 'events guarded' 'histogram guarded arg1' 'latency plain,guarded' 'callers guarded'; do
	terminal 120 30
	screen
	text /guarded
	keys Enter
	wait_cursor off 'counts:guarded'
	keys H
	wait_for 'counts:guarded +2/2 +1 .* you '
	keys Q
	wait_for '^status=0$'
	same "$next: Q leaves the jumps" "$(bytes | awk '$1 == "guarded" && $2 != "semaphore" { print substr($2, 1, 2) }' | sort -u)" e9
	same "$next: and the semaphore" "$(semaphore)" 0100
	# shellcheck disable=SC2086 # a verb and its argument
	want 0 ${next%% *} -no-syslog -pid "$pid" ${next#* } -stop -for 50ms
	as_found "$next"
done

# --- H on another screen takes them over, and removes them
screen
text /guarded
keys Enter H
wait_for 'counts:guarded +2/2 +1 .* you '
keys Q
wait_for '^status=0$'
screen
wait_for 'a session that has ended left counters at 2 sites of process [0-9]+'
text /guarded
keys Enter
wait_for 'counts:guarded +2/2 +1 .* other '
keys H
wait_for 'counts:guarded +2/2 +1 .* you '
seen 'what it did' 'count guarded: 2 sites, with counters that were there already'
keys H
wait_cursor off 'counts:guarded'
keys q
wait_for '^status=0$'
as_found 'H on another screen'

# --- one session is left by Q, another is killed, in any order, and then the process forks: a repair lowers what both
# had raised, in both processes. left, killed: a session that counts guarded, and ends so.
left()
{
	screen
	text /guarded
	keys Enter
	wait_for '^> .*counts:guarded'
	keys H
	wait_for 'counts:guarded +2/2 .* you'
	keys Q
	wait_for '^status=0$'
}

killed()
{
	counting -pid "$pid" -stop guarded
	{
		kill -9 "$session"
		wait "$session"
	} 2>/dev/null
	gone "$session"
}

ends=0
for order in 'killed left' 'left killed' 'left killed left'; do
	for one in $order; do
		$one
	done
	ends=$((ends + 1))
	forked "heir$ends"
	want 0 repair -no-syslog -pid "$pid"
	as_found "$order"
	same "$order: who raised it is known" "$(grep -c 'still raised' "$tmp/err")" 0
	parent=$pid
	pid=$child
	as_found "$order, in the child"
	pid=$parent
	kill -9 "$child"
done

# --- a record says no start time, and names a process that lives: no lock proves it, so it is nobody's
counting -pid "$pid" -stop plain
{
	kill -9 "$session"
	wait "$session"
} 2>/dev/null
gone "$session"
rm -f "$PROBES_TUI_RECORDS"/*
python3 - "$pid" "$session" $$ <<'END'
import os, struct, sys
pid, session, other = map(int, sys.argv[1:])
mark = struct.pack("<II", session, os.stat("/proc/self/ns/pid").st_ino & 0xffffffff)
memory = os.open("/proc/%d/mem" % pid, os.O_RDWR)
found = 0
for line in open("/proc/%d/maps" % pid):
    if "/memfd:probes-tui" in line and " rw-s " in line:
        first, last = (int(x, 16) for x in line.split()[0].split("-"))
        text = os.pread(memory, last - first, first)
        at = text.find(mark)
        while at >= 0:
            os.pwrite(memory, struct.pack("<I", other), first + at)
            os.pwrite(memory, bytes(8), first + at + 8)
            found += 1
            at = text.find(mark, at + 1)
sys.exit(not found)
END
same 'there is such a record' $? 0
want 0 list -pid "$pid"
has 'without a start time: list' 'a session that has ended left counters at 1 site' "$tmp/err"
want 0 repair -no-syslog -pid "$pid"
has 'without a start time: repair' 'undid what a session that has ended left behind: 1 probe, 1 site' "$tmp/err"
as_found 'without a start time'

# --- somebody lowers the semaphore while it is counted
ask zero
counting -pid "$pid" -format json guarded
ask 'run 1 100'
attach -disable guarded
appears 'semaphore of counts:guarded fell to 0' "$tmp/held"
ask 'run 1 100'
interrupted INT 130
same 'not called complete' "$(json 'total["guarded"]["hits"], "fell to 0" in (total["guarded"]["why"] or "")')" '(200, True)'
as_found 'somebody lowered the semaphore'
stop
finish
