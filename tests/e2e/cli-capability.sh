#!/bin/sh
# Root without CAP_SYS_PTRACE, as in a container: for each possible cause of a denial the error names
# what is missing and a remedy, and the remedy works. What is still permitted works. An ordinary user with CAP_SYS_PTRACE.
# Does not cover: Yama, security modules, user namespaces (test_access: facts).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
[ "$(id -u)" = 0 ] || skip 'not root'
capable 19 || skip 'root has no CAP_SYS_PTRACE to drop'
command -v setpriv >/dev/null || skip 'no setpriv'
# The search for leaks needs ptrace, which is denied here.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS
us=$tmp/probes-tui
cp "$PROBES_TUI" "$us"
cp "$VICTIMS/loop_ocaml2_pie" "$tmp/victim"
chmod 755 "$tmp" "$us" "$tmp/victim"
nobody='setpriv --reuid 65534 --regid 65534 --clear-groups --'

# less ARG...: our program as such a root; $status, $tmp/out, $tmp/err
less()
{
	setpriv --bounding-set -sys_ptrace --inh-caps -sys_ptrace -- "$us" "$@" \
		>"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}

# begin COMMAND...: the victim under it; $pid
begin()
{
	fifos
	chmod 666 "$tmp/in" "$tmp/answers"
	"$@" "$tmp/victim" <"$tmp/in" >"$tmp/answers" &
	pid=$!
	started="$started $pid"
	exec 3>"$tmp/in" 4<"$tmp/answers"
	read -r word _ <&4
	same 'first word' "$word" ready
}

# refused CAUSE: by that, in the form for such a root
refused()
{
	less attach -no-syslog -pid "$pid" -enable first
	same "$1: refused" "$status" 4
	has 'the line' "^probes-tui: .*: .*$1.*; add CAP_SYS_PTRACE: docker run --cap-add SYS_PTRACE"
	has 'why' "^  why +.*$1.*you are root without CAP_SYS_PTRACE \\(bounding set\\)"
	has 'systemd' '^  try +.*systemd: CapabilityBoundingSet='
	checks=$((checks + 1))
	! grep -q 'sudo' "$tmp/err" || fail "$1: sudo would give nothing"
}

# --- another user's; becoming that user is a way out, and it is one
begin $nobody
refused 'it runs as uid 65534'
try=$(sed -n 's/^  try *\(setpriv .*--clear-groups\) .* attach .*/\1/p' "$tmp/err")
same 'as its user' "$try" 'setpriv --reuid 65534 --regid 65534 --clear-groups'
setpriv --bounding-set -sys_ptrace --inh-caps -sys_ptrace -- $try -- "$us" info -pid "$pid" \
	>"$tmp/out" 2>"$tmp/err"
same 'which helps' $? 0
ask undumpable
refused 'it runs as uid 65534'
checks=$((checks + 1))
! grep -q 'setpriv --reuid' "$tmp/err" || fail 'as its user nothing would be won'
stop

# --- another group's
begin setpriv --regid 65534 --clear-groups --bounding-set -all --inh-caps -all --
refused 'it runs as gid 65534'
stop

# --- our own user's and group's, with more capabilities, and with none more
begin env
refused 'it holds capabilities that you do not: CAP_SYS_PTRACE;'
stop
begin setpriv --bounding-set -sys_ptrace --inh-caps -sys_ptrace --
less attach -no-syslog -pid "$pid" -enable first
same 'no more than ours' "$status $(cat "$tmp/err")" '0 '
same 'it is on' "$(state first)" enabled
stop

# --- an ordinary user where sudo could not help, either
begin env
$nobody setpriv --no-new-privs -- "$us" info -pid "$pid" >"$tmp/out" 2>"$tmp/err" </dev/null
has 'no_new_privs' '^  try +from a shell without no_new_privs: sudo '
setpriv --bounding-set -sys_ptrace --inh-caps -sys_ptrace -- $nobody "$us" info -pid "$pid" \
	>"$tmp/out" 2>"$tmp/err" </dev/null
has 'bounded' '^  try +add CAP_SYS_PTRACE: '
checks=$((checks + 1))
! grep -q 'sudo\|you are root' "$tmp/err" || fail 'sudo, or root, where neither is'

# --- CAP_SYS_PTRACE passes the kernel's checks, but not those of the file
ours='setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps +sys_ptrace,+dac_override --ambient-caps'
$ours +sys_ptrace -- "$us" attach -no-syslog -pid "$pid" -enable first >"$tmp/out" 2>"$tmp/err" </dev/null
same 'without CAP_DAC_OVERRIDE' $? 4
has 'why' "only its owner may open /proc/$pid/mem; CAP_SYS_PTRACE is not enough; add CAP_DAC_OVERRIDE: "
$ours +sys_ptrace,+dac_override -- "$us" attach -no-syslog -pid "$pid" -enable first >"$tmp/out" 2>"$tmp/err" </dev/null
same 'with both' "$?" 0
same 'it is on for both' "$(state first)" enabled
stop
finish
