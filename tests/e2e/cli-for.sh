#!/bin/sh
# attach -for: switched for a while, then switched back, and exactly that: at the end of the time, at
# SIGINT, SIGTERM, SIGHUP and SIGQUIT; not at a signal that is ignored. What others switched
# meanwhile stays. A target that ends leaves nothing to undo. What cannot be undone stays on record.
# Children that a target forks meanwhile are switched back, too, also when it has ended itself.
# Does not cover: that the time is kept exactly.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching

# hold ARG...: attach in the background, INT and QUIT as they are in the foreground; $session.
hold()
{
	# Emptied here, not by the session when it comes to start: waiting must not read the last one's.
	: >"$tmp/held"
	env --default-signal=INT,QUIT "$PROBES_TUI" attach -no-syslog "$@" \
		>"$tmp/held.out" 2>"$tmp/held" </dev/null &
	session=$!
	started="$started $session"
}

# waiting COUNT: until it says that it waits, in so many processes.
waiting()
{
	until [ "$(grep -c ' switched for ' "$tmp/held")" = "$1" ]; do
		kill -0 "$session" 2>/dev/null || {
			fail "the session ended: $(cat "$tmp/held")"
			finish
		}
		sleep 0.01
	done
}

if ! env --default-signal=INT true 2>/dev/null; then
	skip 'env cannot give a signal its default'
fi

# --- values
for bad in 0 0s x 1x 1.2345s s -1 '1 s' 1e3 3601000s 99999999999; do
	refuses 2 'is not a duration' attach -pid 1 -enable-all -for "$bad"
done
refuses 2 'is not an option of this verb' list -pid 1 -for 1s
want 0 attach -help
has help '^  -for TIME' "$tmp/out"

# --- the time runs out
start loop_ocaml2_pie --loop
want 0 attach -no-syslog -pid "$pid" -enable multi,first -for 0.05s
has 'it says what it does' "^probes-tui: pid $pid: 2 probes switched for 0.05 s; "
has 'and did' "^probes-tui: pid $pid: switched back: 2 probes, 6 sites$"
same 'output' "$(cat "$tmp/out")" ''
same 'switched back' "$(state multi) $(state first)" 'disabled disabled'
want 0 attach -no-syslog -pid "$pid" -enable sema_only -for 0.05s
has 'no sites, and none are mentioned' "^probes-tui: pid $pid: switched back: 1 probe$"
silent attach -no-syslog -quiet -pid "$pid" -enable first -for 20ms
# --loop is not stopped meanwhile, so it was there; on a busy machine it may not have been its turn.
for _ in $(seq 300); do
	ask report
	[ "$(value multi hits)" -eq 0 ] || break
	silent attach -no-syslog -quiet -pid "$pid" -enable multi -for 50ms
done
same 'was on meanwhile' "$([ "$(value multi hits)" -gt 0 ] && echo hits)" hits
stop

# --- signals
start loop_ocaml2_pie
for signal in INT:130 TERM:143 HUP:129 QUIT:131; do
	hold -pid "$pid" -enable multi -for 1h
	waiting 1
	same "on before $signal" "$(state multi)" enabled
	ask step
	same 'hit' "$(($(value multi hits) % 5))" 0
	# It cannot be suspended: it would not switch back in time.
	kill -TSTP "$session"
	kill "-${signal%:*}" "$session"
	ended "${signal#*:}"
	same "off after $signal" "$(state multi)" disabled
	has "after $signal" 'switched back: 1 probe, 5 sites' "$tmp/held"
done
# Emptied here, as in hold.
: >"$tmp/held"
env --ignore-signal=HUP "$PROBES_TUI" attach -no-syslog -pid "$pid" -enable multi -for 1h \
	2>"$tmp/held" </dev/null &
session=$!
started="$started $session"
waiting 1
kill -HUP "$session"
want 0 info -pid "$pid"
same 'on, since HUP is ignored' "$(state multi)" enabled
kill -TERM "$session"
ended 143

# --- exactly that is switched back: off, forced, held by others too
attach -enable first
attach -enable first
attach -enable second
hold -pid "$pid" -force -enable first -for 1h
waiting 1
same 'forced to 1' "$("$PROBES_TUI" list -quiet -pid "$pid" | awk '$3 == "ocaml_2:first" { print $5 }
	$2 == "ocaml_2:first" { print $4 }')" 1
kill "$session"
ended 143
same 'and back to 2' "$("$PROBES_TUI" list -quiet -pid "$pid" | awk '$3 == "ocaml_2:first" { print $5 }
	$2 == "ocaml_2:first" { print $4 }')" 2
hold -pid "$pid" -disable second -for 1h
waiting 1
same 'off for a while' "$(state second)" disabled
kill "$session"
ended 143
same 'and on again' "$(state second)" enabled
# Its code off by hand, its count raised: only the code is written, and not written back, since it
# agrees with the count now.
where=$(address second)
count=$(notes "$VICTIMS/loop_ocaml2_pie" | awk '$2 == "second" { print $4; exit }')
count=$(($(bias "$VICTIMS/loop_ocaml2_pie") + count + 2))
poke $((where + 1)) 075
hold -pid "$pid" -force -enable second -for 1h
waiting 1
same 'its code by force' "$(state second)" enabled
kill "$session"
ended 143
same 'left on' "$(state second)" enabled
has 'and why' "^probes-tui: pid $pid: left alone: 1 probe \(ocaml_2:second\): its code and semaphore agree" "$tmp/held"
same 'nothing on record' "$(ls "$PROBES_TUI_RECORDS")" ''
# Others switch it off and on meanwhile: the code is theirs.
for signal in TERM:143 KILL:137; do
	poke $((where + 1)) 075
	hold -pid "$pid" -force -enable second -for 1h
	waiting 1
	same 'its code by force again' "$(state second)" enabled
	attach -disable second
	attach -enable second
	kill "-${signal%:*}" "$session"
	ended "${signal#*:}"
	want 0 repair -no-syslog -pid "$pid"
	[ "$signal" = TERM:143 ] || has 'the repair says why' "pid $pid: .*code and semaphore agree"
	same "theirs after $signal" "$(state second)" enabled
	same 'nothing on record' "$(ls "$PROBES_TUI_RECORDS")" ''
done
# Others take the count alone: our code goes, too, whoever undoes it.
for signal in TERM:143 KILL:137; do
	poke $((where + 1)) 075
	hold -pid "$pid" -force -enable second -for 1h
	waiting 1
	poke "$count" 0
	same 'the count is gone' "$(state second)" inconsistent
	kill "-${signal%:*}" "$session"
	ended "${signal#*:}"
	want 0 repair -no-syslog -quiet -pid "$pid"
	same "undone after $signal" "$(state second)" disabled
	poke "$count" 1
	poke $((where + 1)) 350
done
# What no session left is named, and not repaired.
poke $((where + 1)) 075
want 0 repair -no-syslog -pid "$pid"
has 'which it says' 'no session left anything to repair, but 1 probe is inconsistent: ! on the screen'
poke $((where + 1)) 350
hold -pid "$pid" -enable multi,never -for 1h
waiting 1
attach -enable multi
kill "$session"
ended 143
same 'of another, too' "$(state multi) $(state never)" 'enabled disabled'
attach -disable multi

# --- a dry run and a failure wait for nothing; a probe that cannot be switched neither
want 0 attach -no-syslog -pid "$pid" -enable multi -for 1h -dry-run
want 2 attach -no-syslog -pid "$pid" -enable nobody -for 1h
want 0 attach -no-syslog -pid "$pid" -disable-regexp multi -for 1h

# --- output comes before the waiting; the note in the log comes twice
hold -pid "$pid" -enable multi -for 1h -format json -log "$tmp/log"
waiting 1
has 'output' '"name": "multi", "state": "on"' "$tmp/held.out"
same 'whole' "$(tail -c 4 "$tmp/held.out")" '}]}'
kill "$session"
ended 143
has 'noted' ' attach pid=.*: \+ocaml_2:multi$' "$tmp/log"
has 'noted, the way back' ' switch-back pid=.*: -ocaml_2:multi$' "$tmp/log"

# --- several processes, one of which ends
start2 loop_ocaml1_pie
hold -pid "$pid,$pid2" -enable multi -for 1h
waiting 2
stop2
kill "$session"
ended 143
has 'the one that ended' "^probes-tui: pid $pid2: the process has ended; nothing is left" "$tmp/held"
has 'the other' "^probes-tui: pid $pid: switched back" "$tmp/held"
same 'the other' "$(state multi)" disabled

# --- what cannot be switched back: another tool's breakpoint where our byte was
hold -pid "$pid" -enable never -for 1h
waiting 1
run list -pid "$pid"
site=$(awk '{ sub(/^\[.\] */, "") } found { print $4; exit } $1 == "ocaml_2:never" { found = 1 }' "$tmp/out")
poke $((site + 1)) 314
kill "$session"
wait "$session"
same 'it fails' "$([ $? -gt 0 ] && echo failed)" failed
gone "$session"
has 'and says what to do' "repair -pid $pid$" "$tmp/held"
want 0 info -pid "$pid"
has 'it is on record' "an interrupted session \\(pid $session\\)"
poke $((site + 1)) 350
want 0 repair -no-syslog -pid "$pid"
same 'repaired' "$(state never)" disabled

# --- the target becomes another program, itself anew: what was switched went with the old one
hold -pid "$pid" -enable multi -for 1h
waiting 1
ask "exec $VICTIMS/loop_ocaml2_pie$tab"
ended 0
has 'another program' 'the process runs another program now, by exec: /.*; nothing' "$tmp/held"
same 'untouched' "$(live "$VICTIMS/loop_ocaml2_pie" multi)" '5 count 0000 5 site 903d'

# --- killed, and then exec: nothing is on record of the new program
hold -pid "$pid" -enable multi -for 1h
waiting 1
kill -9 "$session"
wait "$session" 2>/dev/null
gone "$session"
want 0 info -pid "$pid"
has 'on record' "an interrupted session \\(pid $session\\)"
ask "exec $VICTIMS/loop_ocaml2_pie$tab"
attach -enable multi
same 'nothing on record' "$(live "$VICTIMS/loop_ocaml2_pie" multi)" '5 count 0100 5 site 90e8'
want 0 repair -no-syslog -pid "$pid"
same 'not undone' "$(state multi)" enabled

# --- the target ends: success, and a word
hold -pid "$pid" -enable multi -for 1h
waiting 1
stop
ended 0
has 'gone' 'the process has ended; nothing is left to undo' "$tmp/held"

# --- forked children: switched back with their parent; and one that outlives it
mkfifo "$tmp/cin" "$tmp/cout"
start loop_ocaml2_pie
hold -pid "$pid" -for 100s -enable multi,second
waiting 1
echo "fork $tmp/cin$tab$tmp/cout" >&3
exec 5>"$tmp/cin" 6<"$tmp/cout"
read -r word child <&6
started="$started $child"
read_answer 4
ask2 step
same 'the child took it along' "$(value multi hits)" 5
kill -TERM "$session"
ended 143
has 'the child is named' "pid $child: forked child, inherited 2 switched probes" "$tmp/held"
has 'and switched back' "pid $child: switched back: 2 probes, 6 sites" "$tmp/held"
ask2 step
same 'off in the child' "$(value multi hits)" 5
same 'off in the parent' "$(state multi)" disabled
parent=$pid
hold -pid "$pid" -for 100s -enable second
waiting 1
echo quit >&5
exec 5>&-
cat <&6 >"$tmp/rest" # until it has ended
exec 6<&-
echo "fork $tmp/cin$tab$tmp/cout" >&3
exec 5>"$tmp/cin" 6<"$tmp/cout"
read -r word child <&6
started="$started $child"
read_answer 4
session_says "pid $child: forked child"
pid=$parent
stop
kill -TERM "$session"
ended 143
ask2 step
same 'off in the child that outlived it' "$(value second hits)" 0
echo quit >&5
exec 5>&- 6<&-

# --- a vfork's child is no child of that kind: what is undone in it would be undone twice
start loop_ocaml2_pie
attach -enable multi
hold -pid "$pid" -for 100s -enable multi
waiting 1
echo "vfork $tmp/cin" >&3
while [ -z "$(cat "/proc/$pid/task/$pid/children")" ]; do
	kill -0 "$pid" || break
	sleep 0.01
done
kill -TERM "$session"
ended 143
same 'it is no child of its own' "$(grep -c 'forked child' "$tmp/held")" 0
same 'the other party keeps its own' "$(live "$VICTIMS/loop_ocaml2_pie" multi)" '5 count 0100 5 site 90e8'
: >"$tmp/cin"
read_answer 4
stop

# --- the number of a process is that of its first thread: it is said once, and is no thread's as well
start loop_ocaml2_pie
echo "vfork $tmp/cin" >&3
while [ -z "$(cat "/proc/$pid/task/$pid/children")" ]; do
	kill -0 "$pid" || break
	sleep 0.01
done
run count -no-syslog -pid "$pid" -all -for 10ms
has 'why not' "cannot run a system call in process $pid: its first thread waits in the kernel"
: >"$tmp/cin"
read_answer 4
stop
finish
