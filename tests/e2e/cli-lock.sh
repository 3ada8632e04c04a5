#!/bin/sh
# Locks of other processes on the target. Held by a stranger (who may not trace the target, even as root of a user
# namespace of their own): no change waits, whatever the stranger locks. Held by a process that may
# trace: a switch gives up after a time and names the holder; an undo waits longer, then stays on
# record. Held by an unidentified process: a change waits, then ignores the lock.
# Needs root, to be several users. Does not cover: two proc mounts (stress/mounts.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
. "${srcdir:-.}/tests/e2e/strangers.sh"
strangers || skip 'only root can be several users'
need_switching

# --- strangers: the locks that they can take block no session
start loop_ocaml2_pie
for way in directory pidfd 'pidfd namespace'; do
	# shellcheck disable=SC2086 # words
	if ! locked "$nobody" "$pid" $way; then
		echo "$way: not permitted here: $(cat "$tmp/locked")"
		unlocked
		continue
	fi
	attach -enable multi
	same "switched in spite of $way" "$(live "$VICTIMS/loop_ocaml2_pie" multi)" '5 count 0100 5 site 90e8'
	attach -disable multi
	hold -enable first
	kill -TERM "$session"
	wait "$session"
	same "and taken back, $way" "$?" 143
	gone "$session"
	same "in memory, $way" "$(live "$VICTIMS/loop_ocaml2_pie" first)" '1 count 0000 1 site 903d'
	unlocked
done
locked "$nobody" "$pid" mem
same 'what nobody may lock' "$(cut -d : -f 1 "$tmp/locked")" failed
unlocked

# --- one of us, by either lock: who, and for how long
for what in mem pidfd; do
	locked '' "$pid" $what
	refuses 6 "waited [0-9]+ ms for the lock that process $holder \\(locker\\) holds" \
		attach -no-syslog -pid "$pid" -enable multi
	unlocked
	same 'nothing was changed' "$(state multi)" disabled
done

# --- taking back goes on trying longer than switching does
hold -enable multi
locked '' "$pid" both
kill -TERM "$session"
want 6 attach -no-syslog -pid "$pid" -enable second
same 'it tries on' "$(kill -0 "$session" && cat "$tmp/held" | wc -l | tr -d ' ')" 1
unlocked
wait "$session"
same 'taken back after all' "$?" 143
gone "$session"
has 'and said' "switched back: 1 probe" "$tmp/held"
same 'in memory' "$(live "$VICTIMS/loop_ocaml2_pie" multi)" '5 count 0000 5 site 903d'

# --- and ends one day: on record, with the truth about who and what to do
hold -enable multi
locked '' "$pid" both
kill -TERM "$session"
wait "$session"
same 'refused' "$?" 6
gone "$session"
has 'who' "waited [0-9]+ ms for the lock that process $holder \\(locker\\) holds" "$tmp/held"
has 'what to do' "repair process $pid\$" "$tmp/held"
unlocked
want 0 repair -no-syslog -pid "$pid"
has 'repaired' "undid what session $session left behind: 1 probe, 5 sites"
same 'in memory' "$(live "$VICTIMS/loop_ocaml2_pie" multi)" '5 count 0000 5 site 903d'

# --- a user who may not trace the process is a stranger, though all ids agree: it is not dumpable
if capable 19; then
	own=$pid
	fifos
	chmod 666 "$tmp/in" "$tmp/answers"
	lend "$VICTIMS/loop_ocaml2_pie"
	exec 8>&3 9<&4
	$nobody "$lent" <"$tmp/in" >"$tmp/answers" &
	started="$started $!"
	exec 3>"$tmp/in" 4<"$tmp/answers"
	read -r _ pid _ <&4
	locked "$nobody" "$pid" pidfd
	refuses 6 "waited [0-9]+ ms for the lock that process $holder" attach -no-syslog -pid "$pid" -enable multi
	unlocked
	ask undumpable
	locked "$nobody" "$pid" pidfd
	attach -enable multi
	unlocked
	stop
	exec 3>&8 4<&9 8>&- 9<&-
	pid=$own
else
	echo 'root without CAP_SYS_PTRACE: no process of another user'
fi

# --- counters of nobody, while one of us has the lock: perhaps it has just made them
in_background count -max-overhead 0 -pid "$pid" multi
session_says 'counting '
{
	kill -9 "$session"
	wait "$session"
} 2>/dev/null
gone "$session"
rm -f "$PROBES_TUI_RECORDS"/*
locked '' "$pid" both
want 1 repair -no-syslog -pid "$pid"
has 'whose they are' "could not check who owns the counters of 5 sites: waited [0-9]+ ms for the lock that process $holder \\(locker\\) holds; try again when that session has finished"
unlocked
want 0 repair -no-syslog -pid "$pid"
same 'in memory' "$(live "$VICTIMS/loop_ocaml2_pie" multi)" '5 count 0000 5 site 903d'

# --- an unidentified holder: its lock is ignored after a time, since no session takes as long
locked "$nobody" "$pid" pidfd orphan
attach -enable multi
attach -disable multi
unlocked
chmod 4755 "$tmp/locker"
locked "$nobody" "$pid" pidfd # with root's rights, but by its file
attach -enable multi
attach -disable multi
unlocked
stop
finish
