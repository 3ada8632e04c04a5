#!/bin/sh
# Without privilege, the process becomes undumpable while it is counted (prctl(2)), so that its user may no longer open
# its memory or maps: what was counted is taken back all the same. If it has called exec meanwhile, the new program is
# left alone.
# Does not cover: jumps of several bytes, which need a stop; forked children.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
need_zydis
command -v setpriv >/dev/null || skip 'no setpriv'
nobody='setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all'
[ "$(id -u)" = 0 ] || nobody=
lend "$VICTIMS/counts"
victim=$lent
lend "$PROBES_TUI"
$nobody "$lent" -version >/dev/null 2>&1 || skip 'nobody cannot run it'
mkdir -m 700 "$tmp/theirs"
[ -z "$nobody" ] || chown 65534:65534 "$tmp/theirs"
export PROBES_TUI_RECORDS="$tmp/theirs"

# counted: a session of nobody's counts a victim of nobody's; $pid, $session.
counted()
{
	fifos
	chmod 666 "$tmp/in" "$tmp/answers"
	$nobody "$victim" <"$tmp/in" >"$tmp/answers" &
	pid=$!
	started="$started $pid"
	exec 3>"$tmp/in" 4<"$tmp/answers"
	read -r word _ <&4
	same 'first word' "$word" ready
	remember "$victim"
	: >"$tmp/held"
	$nobody "$lent" count -no-syslog -pid "$pid" plain >"$tmp/figures" 2>"$tmp/held" </dev/null &
	session=$!
	started="$started $session"
	session_says 'counting 1 of 1 site'
	ask undumpable
	$nobody "$lent" info -pid "$pid" >"$tmp/out" 2>"$tmp/err"
	same 'it is undumpable' $? 4
}

# ended: the session, by a signal.
ended()
{
	kill -TERM "$session"
	wait "$session"
	status=$?
}

counted
ask 'run 1 100'
ended
same 'it ends well' "$status" 143
has 'all is taken back' 'no longer counted' "$tmp/held"
ask dumpable
as_found 'undumpable'
stop
exec 3>&- 4<&-

counted
ask "exec $victim$tab"
ended
same 'after exec: no record' "$(ls -A "$PROBES_TUI_RECORDS")" ''
code_as_found 'after exec'
stop
finish
