#!/bin/sh
# attach -stop: all threads stand still while the bytes change, and every one of them runs on after;
# how long is said. A process stopped by job control stays so; signals that come meanwhile are
# delivered; who traces it already is named, and nothing is changed then; a deadline is kept.
# Does not cover: threads that cannot be stopped (uninterruptible, vfork), that all sites change at
# one instant, targets that start threads meanwhile.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching

# thread_states: a letter for each kind there is.
thread_states()
{
	sed 's/.*) \(.\) .*/\1/' "/proc/$pid"/task/*/stat | sort -u | tr -d '\n'
}

# stopped: by job control, all threads. On the way back into that stop a thread is running to look
# at, though it does not leave the kernel.
stopped()
{
	polls=0
	while grep -qv ') T ' "/proc/$pid"/task/*/stat; do
		polls=$((polls + 1))
		[ $polls -lt 10000 ] || return 1
		sleep 0.002
	done
}

# free WHAT: no thread is stopped or traced, and the process goes on.
free()
{
	same "no thread is stopped $1" "$(thread_states | tr -d 'RSD')" ''
	same "nobody traces it $1" "$(grep -hv '^TracerPid:.0$' "/proc/$pid"/task/*/status |
		grep -c '^TracerPid')" 0
	ask report
	before=$(sed -n 's/^rounds=//p' "$tmp/answer")
	now=$before
	until [ "$now" -gt "$before" ]; do
		ask report
		now=$(sed -n 's/^rounds=//p' "$tmp/answer")
	done
}

# --- options
refuses 2 'nothing is stopped without -stop' attach -pid 1 -enable-all -max-stop 5
for bad in 0 -1 x 1.5 1s 60001 99999999999; do
	refuses 2 'is not a number of milliseconds' attach -pid 1 -enable-all -stop -max-stop "$bad"
done

# --- 64 threads (those of the last part never rest)
start loop_ocaml2_pie --loop --threads 64 --pace 200
for action in -enable -disable -enable; do
	want 0 attach -no-syslog -pid "$pid" -stop -max-stop 20000 $action multi,registers -format json
	stopped=$(sed -n 's/.*"stopped_ms": \([0-9.]*\),.*/\1/p' "$tmp/out")
	same "stopped_ms of $action" "$(echo "$stopped" | awk '{ print ($1 > 0 && $1 < 20000) }')" 1
	has 'and in words' "^probes-tui: pid $pid: stopped for [0-9.]*[1-9][0-9.]* ms$"
	free "after $action"
done
same 'on' "$(state multi)" enabled
same 'registers corrupted' "$(value check corrupt)" 0
same 'hit' "$([ "$(value multi hits)" -gt 0 ] && echo hits)" hits
silent attach -no-syslog -quiet -pid "$pid" -stop -max-stop 20000 -disable multi
free 'after a quiet one'

# --- not asked for: not stopped
want 0 attach -no-syslog -pid "$pid" -verbose -enable multi -format json
has 'not stopped' "^probes-tui: pid $pid: not stopped$"
has 'not stopped' '"stopped_ms": 0,' "$tmp/out"
want 0 attach -no-syslog -pid "$pid" -stop -dry-run -disable multi
same 'a dry run stops nothing' "$(cat "$tmp/err")" ''

# --- a deadline that may be too short: all or nothing, and all run on
run attach -no-syslog -pid "$pid" -stop -max-stop 1 -disable multi
case $status in
0) same 'in time' "$(state multi)" disabled ;;
6)
	has 'why' ': (its .*seized|[1-9][0-9]* of .*stop|all of .*stopped, but not) in time.*permit a longer one'
	same 'nothing was changed' "$(state multi)" enabled
	attach -disable multi
	;;
*) fail "status with a short deadline: $status" ;;
esac
free 'after a short deadline'

# --- stopped by job control before: stays so
kill -STOP "$pid"
stopped
want 0 attach -no-syslog -pid "$pid" -stop -max-stop 20000 -enable first
stopped
same 'still stopped by job control' "$(thread_states)" T
kill -CONT "$pid"
free 'after SIGCONT'
attach -disable first

# --- signals that come in the moments of seizing and letting go: each stops or continues it
while [ ! -e "$tmp/enough" ]; do
	"$PROBES_TUI" attach -no-syslog -quiet -pid "$pid" -stop -max-stop 20000 -enable first
	"$PROBES_TUI" attach -no-syslog -quiet -pid "$pid" -stop -max-stop 20000 -disable first
done >"$tmp/held" 2>&1 </dev/null &
session=$!
started="$started $session"
lost=0
for _ in $(seq 300); do
	kill -STOP "$pid"
	stopped || lost=$((lost + 1))
	kill -CONT "$pid"
done
: >"$tmp/enough"
wait "$session"
gone "$session"
same 'signals that were lost' "$lost" 0
same 'the calls meanwhile' "$(cat "$tmp/held")" ''
free 'after signals'

# --- somebody traces it: named, nothing changed; without -stop it goes on
tracer=
if command -v gdb >/dev/null; then
	mkfifo "$tmp/gdb"
	gdb -q -nx -batch -iex 'set debuginfod enabled off' -iex 'set auto-load off' -p "$pid" \
		-ex "shell cat '$tmp/gdb'" >/dev/null 2>&1 </dev/null &
	tracer=$!
	name=gdb
elif command -v strace >/dev/null; then
	strace -f -e trace=none -o /dev/null -p "$pid" 2>/dev/null &
	tracer=$!
	name=strace
fi
if [ "$tracer" ]; then
	started="$started $tracer"
	while grep -hq '^TracerPid:.0$' "/proc/$pid"/task/*/status; do
		kill -0 "$tracer" 2>/dev/null || break
		sleep 0.01
	done
	want 4 attach -no-syslog -pid "$pid" -stop -enable first
	has 'who traces' "$tracer"
	has 'its name' "$name"
	same 'nothing was changed' "$(state first)" disabled
	attach -enable first
	same 'without -stop' "$(state first)" enabled
	attach -disable first
	[ "$name" = strace ] || echo >"$tmp/gdb"
	[ "$name" = gdb ] || kill "$tracer"
	wait "$tracer"
	gone "$tracer"
	free 'after the tracer has gone'
else
	echo 'no gdb or strace here: a traced target was not tried'
fi
stop

# --- a signal that comes while it stands still
delivered=
for _ in 1 2 3 4 5 6 7 8 9 10; do
	start many --loop --threads 64
	"$PROBES_TUI" attach -no-syslog -quiet -pid "$pid" -stop -max-stop 20000 -enable-all \
		>"$tmp/held" 2>&1 </dev/null &
	session=$!
	started="$started $session"
	while kill -0 "$session" 2>/dev/null; do
		read -r line <"/proc/$pid/stat"
		case $line in
		*') t '*)
			kill -TERM "$pid"
			delivered=yes
			break
			;;
		esac
	done
	wait "$session"
	gone "$session"
	if [ "$delivered" ]; then
		{ wait "$pid"; } 2>/dev/null
		same 'ended by the signal' $? 143
		gone "$pid"
		exec 3>&- 4<&-
		break
	fi
	stop
done
same 'a signal came while it stood still' "$delivered" yes
finish
