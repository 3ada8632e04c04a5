#!/bin/sh
# A session that is killed leaves its journal: the next verb reports it and repairs nothing; repair
# undoes exactly what is on record, also when killed in the middle, and keeps what others switched.
# The killing comes at different moments of switching 30,000 sites, told by the bytes in memory.
# Does not cover: a kill at each single write, journals of other users, counts that the kernel's
# uprobes share.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching

# hold ARG...: attach for an hour, in the background; $session.
hold()
{
	"$PROBES_TUI" attach -no-syslog -quiet -pid "$pid" "$@" -for 1h >"$tmp/held" 2>&1 </dev/null &
	session=$!
	started="$started $session"
}

# until_state NAME STATE
until_state()
{
	until [ "$(state "$1")" = "$2" ]; do
		kill -0 "$session" 2>/dev/null || {
			fail "the session ended before $1 was $2: $(cat "$tmp/held")"
			finish
		}
		sleep 0.01
	done
}

# killed PID: by -9, and waited for, without the shell's word about it.
killed()
{
	{
		kill -9 "$1"
		wait "$1"
	} 2>/dev/null
	gone "$1"
}

# snapshot FILE: every probe with its state and its count.
snapshot()
{
	"$PROBES_TUI" list -pid "$pid" -quiet -format csv >"$1"
}

# unchanged WHAT: since $tmp/before.
unchanged()
{
	snapshot "$tmp/after"
	same "$1" "$(diff "$tmp/before" "$tmp/after" | head -n 5)" ''
}

# --- nothing to repair is success
start loop_ocaml2_pie
refuses 2 'no process is named; usage: probes-tui repair' repair
refuses 2 'is not an option of this verb' repair -pid "$pid" -enable multi
want 0 repair -no-syslog -pid "$pid"
has 'nothing to repair' "^probes-tui: pid $pid: nothing to repair$"
silent repair -no-syslog -quiet -pid "$pid"
want 0 repair -no-syslog -quiet -pid "$pid" -format json
has 'nothing, in JSON' '"probes": \[\]' "$tmp/out"

# --- one session, killed while it waits
attach -enable second
snapshot "$tmp/before"
hold -enable multi,second,work_start
until_state work_start enabled
want 0 info -pid "$pid"
same 'a living session is no leftover' "$(cat "$tmp/err")" ''
killed "$session"
note="^probes-tui: pid $pid: an interrupted session \\(pid $session\\) left [0-9]+ changes?; .*repair -pid $pid$"
for verb in list info 'attach -no-syslog -enable-all -dry-run'; do
	# shellcheck disable=SC2086 # words
	want 0 $verb -pid "$pid"
	has "$verb reports it" "$note"
	same 'and says it once' "$(grep -c interrupted "$tmp/err")" 1
	# shellcheck disable=SC2086 # words
	want 0 $verb -pid "$pid" -quiet
	same "$verb -quiet" "$(cat "$tmp/err")" ''
done
same 'and does not repair' "$(state multi) $(state second)" 'enabled enabled'

# --- what others do meanwhile stays
attach -quiet -enable multi
want 0 repair -no-syslog -log "$tmp/log" -pid "$pid"
has 'undone' "^probes-tui: pid $pid: undid what session $session left behind: 3 probes, 1 site$"
has 'on record' " repair pid=$pid .*done=3 " "$tmp/log"
same 'what others switched' "$(state multi) $(state second) $(state work_start)" \
	'enabled enabled disabled'
attach -disable multi
unchanged 'exactly that was undone'
ask 'step 2'
same 'in the program' "$(value multi hits) $(value second hits) $(value work_start hits)" '0 2 0'
want 0 repair -no-syslog -pid "$pid"
has 'twice' 'nothing to repair'
want 0 info -pid "$pid"
same 'no word any more' "$(cat "$tmp/err")" ''

# --- what a session switched off, and two sessions at once; another process is none of theirs
start2 loop_ocaml1_pie
hold -disable second
until_state second disabled
killed "$session"
first=$session
hold -enable first,second
until_state second enabled
killed "$session"
want 0 info -pid "$pid,$pid2"
same 'two are reported' "$(grep -c "^probes-tui: pid $pid: an interrupted" "$tmp/err")" 2
want 0 repair -no-syslog -pid "$pid2"
has 'not in the other' "pid $pid2: nothing to repair"
want 0 repair -no-syslog -pid "$pid,$pid2" -format csv
has 'both' "undid what sessions ($first, $session|$session, $first) left behind"
has 'in the form asked for' "^$pid,.*,ocaml_2,second,.*,ok,,0,$" "$tmp/out"
unchanged 'two sessions undone'

# --- killed a moment ago, it still exits: that is waited for; one that lives is named
for again in 1 2 3 4 5 6 7 8; do
	hold -enable first,multi
	until_state multi enabled
	want 0 repair -no-syslog -pid "$pid"
	has 'who holds them' "pid $pid: session $session \\([^)]+\\) is alive and holds what it changed: it undoes that when it ends$"
	same 'not called nothing' "$(grep -c 'nothing to repair' "$tmp/err")" 0
	kill -9 "$session"
	want 0 repair -no-syslog -pid "$pid"
	has "directly after the kill ($again)" "undid what session $session left behind"
	killed "$session"
	unchanged "directly after the kill ($again)"
done

# --- what cannot be undone now stays on record
hold -enable first
until_state first enabled
killed "$session"
run list -pid "$pid" -quiet -format json
site=$(grep '"name": "first"' "$tmp/out" | grep -oE '"address": "0x[0-9a-f]+", "bytes"' | cut -d '"' -f 4)
poke $((site + 1)) 314
want 1 repair -no-syslog -pid "$pid"
has 'which' "^  pid $pid: ocaml_2:first: another tool holds its site"
has 'how many' '1 probe could not be repaired now'
poke $((site + 1)) 350
want 0 repair -no-syslog -pid "$pid"
unchanged 'repaired when the other tool had gone'

# --- an inconsistent probe by force: left as it is, in the process and in its child, since code and semaphore agree
where=$(address second)
mkfifo "$tmp/cin" "$tmp/cout"
for known in 0 3 3-known; do
	raised=${known%-known}
	attach -force -enable second
	for _ in $(seq "$raised"); do
		attach -enable second
	done
	poke $((where + 1)) 075
	same 'as found' "$(state second)" inconsistent
	hold -force -enable second
	until_state second enabled
	echo "fork $tmp/cin$tab$tmp/cout" >&3
	exec 8>"$tmp/cin" 9<"$tmp/cout"
	read -r word child <&9
	started="$started $child"
	# It has a record of its own once the session has seen it.
	until [ "$known" = "$raised" ] || [ "$(ls "$PROBES_TUI_RECORDS" | wc -l)" -eq 2 ]; do
		kill -0 "$session" || finish
		sleep 0.01
	done
	killed "$session"
	want 0 repair -no-syslog -pid "$pid"
	found=$(live "$VICTIMS/loop_ocaml2_pie" second)
	same 'it agrees' "$found" "1 count 0$((raised + 1))00 1 site 90e8"
	parent=$pid
	pid=$child
	same 'and the child is the same' "$(live "$VICTIMS/loop_ocaml2_pie" second)" "$found"
	pid=$parent
	if [ "$raised" = 0 ]; then
		has 'said of the process' "^probes-tui: pid $pid: .*code and semaphore agree"
		same 'nothing is said of the child' "$(grep -c "pid $child" "$tmp/err")" 0
	else
		has 'said of the child, once' "^probes-tui: pid $child: forked child: undid .* 1 probe"
		same 'once' "$(grep -c "pid $child" "$tmp/err")" 1
	fi
	want 0 repair -no-syslog -pid "$pid,$child"
	same 'nothing more' "$(grep -c 'nothing to repair' "$tmp/err")" 2
	echo quit >&8
	exec 8>&- 9<&-
	gone "$child"
done
attach -force -disable second

# --- the same, and others have moved the child's count since: its code follows that, however the
# session ended
count=$(notes "$VICTIMS/loop_ocaml2_pie" | awk '$2 == "second" { print $4; exit }')
count=$(($(bias "$VICTIMS/loop_ocaml2_pie") + count + 2))
for moved in enable:1:0 disable:0:1 disable:0:2; do
	for end in TERM KILL; do
		verb=${moved%%:*}
		attach -force -disable second
		if [ "$verb" = enable ]; then
			attach -enable second
			poke $((where + 1)) 075
		else
			poke $((where + 1)) 350
		fi
		same 'as found' "$(state second)" inconsistent
		hold -force "-$verb" second
		until_state second "${verb}d"
		echo "fork $tmp/cin$tab$tmp/cout" >&3
		exec 8>"$tmp/cin" 9<"$tmp/cout"
		read -r word child <&9
		started="$started $child"
		parent=$pid
		pid=$child
		poke "$count" "00${moved##*:}"
		pid=$parent
		if [ "$end" = KILL ]; then
			killed "$session"
			want 0 repair -no-syslog -pid "$pid"
			has 'said of the child' "^probes-tui: pid $child: forked child: undid .* 1 probe, 1 site"
		else
			kill -TERM "$session"
			wait "$session" 2>/dev/null
			gone "$session"
		fi
		code=3d
		[ "$verb" = enable ] || code=e8
		pid=$child
		same "the child's code and semaphore agree, $moved, $end" "$(live "$VICTIMS/loop_ocaml2_pie" second)" \
			"1 count 0${moved##*:}00 1 site 90$code"
		pid=$parent
		echo quit >&8
		exec 8>&- 9<&-
		gone "$child"
	done
done
attach -force -disable second

# --- without a term a finished attach is intent, and no leftover
attach -enable first
want 0 info -pid "$pid"
same 'an attach that was meant' "$(cat "$tmp/err")" ''
stop
stop2
refuses 3 'o such process' repair -pid "$pid"

# --- killed, and not gone yet: frozen, it still has its locks
if freezable; then
	start loop_ocaml2_pie
	hold -enable first
	until_state first enabled
	victim=$pid pid=$session
	freeze
	kill -9 "$session"
	pid=$victim
	want 1 repair -no-syslog -pid "$pid"
	has 'it will undo nothing' "session $session \\(.*\\) is ending, and no longer undoes anything: call repair again when process $session is gone"
	same 'it is not alive' "$(grep -c 'is alive' "$tmp/err")" 0
	thaw
	wait "$session" 2>/dev/null
	want 0 repair -no-syslog -pid "$pid"
	has 'when it is gone' "undid what session $session left"
	stop
fi

# --- killed while it switches: when this site of 30,000 is on
start many
attach -enable-regexp '.*7$'
snapshot "$tmp/before"
"$PROBES_TUI" list -pid "$pid" -format json >"$tmp/json"
grep -oE '"address": "0x[0-9a-f]+", "bytes": "903d' "$tmp/json" | cut -d '"' -f 4 >"$tmp/sites"
same 'sites that are off' "$(wc -l <"$tmp/sites" | tr -d ' ')" 27000

# at N BYTE: until the Nth of the sites that were off holds it, as far as a live process goes on.
at()
{
	where=$(($(sed -n "$1p" "$tmp/sites") + 1))
	until [ "$(peek "$where" 1)" = "$2" ]; do
		kill -0 "$session" 2>/dev/null || return
		sleep 0.01
	done
}

half=0
for moment in 1 300 3000 9000 18000 26000 27000; do
	hold -enable-all
	at $moment e8
	killed "$session"
	want 0 info -pid "$pid"
	grep -q 'half done\|in the middle of a switch' "$tmp/err" && half=$((half + 1))
	has "killed at site $moment" "session \\(pid $session\\)"
	# The repair is killed, too, half of the times.
	case $moment in
	300 | 9000 | 26000)
		"$PROBES_TUI" repair -no-syslog -quiet -pid "$pid" 2>"$tmp/held" </dev/null &
		session=$!
		started="$started $session"
		at 1 3d
		killed "$session"
		;;
	esac
	want 0 repair -no-syslog -pid "$pid"
	unchanged "repaired after a kill at site $moment"
	want 0 repair -no-syslog -pid "$pid"
	has 'whole' 'nothing to repair'
done
echo "killed in the middle of a switch: $half times of 7"
ask step
same 'hits of a repaired program' "$(value all hits)" 3000
stop
finish
