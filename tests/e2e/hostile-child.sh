#!/bin/sh
# A forked child shares the counters of its parent, and may have other rights: it writes wherever it can there. The
# parent goes on, whatever measures it meanwhile, and what measures it comes to its end.
# Does not cover: that figures mean anything then; each address and each bound by itself (unit/test_recorder.c,
# unit/test_events.c, unit/test_install.c).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching

# ends VERB ARG...: it does, by itself, and says what it could.
ends()
{
	what="$*"
	timeout -k 5 100 "$PROBES_TUI" "$@" -no-syslog -stop -pid "$pid" >"$tmp/out" 2>"$tmp/err"
	status=$?
	case $status in
	0 | 1 | 6) checks=$((checks + 1)) ;;
	*) fail "$what: status $status: $(cat "$tmp/err")" ;;
	esac
}

start_counted hostile start end
# --- the code of counters
in_background count -stop -pid "$pid" -all
session_says ' sites\{0,1\} of '
ask code
same 'the child' "$line" 'done code'
ask step
same 'the parent after that' "$(value all hits)" 1
interrupted
stop

# --- noise in their data
start_counted hostile start end
ask busy
ask "noise ${SEED:-88172645463325252}"
same 'the child' "$line" 'done noise 1'
ends count -all -quiet -for 300ms
ends latency start,end -quiet -for 300ms
ends latency start,end -by arg1 -quiet -for 300ms
ends events start -max-overhead 0 -str arg2 -for 300ms
ends events -all -max-overhead 0 -format json -for 300ms
ends callers -all -max-overhead 0 -quiet -for 300ms
ends callers start -stack -quiet -for 300ms
ends histogram -max-overhead 0 start arg1 -quiet -for 300ms
ask end
same 'the parent' "$line" 'done end'
stop
finish
