#!/bin/sh
# A program with a privilege of its own (set-user-ID, set-group-ID, file capabilities) that an
# ordinary user starts under probes-tui runs without it: a notice says so before the program begins,
# and appears only if a privilege is lost.
# Does not cover: user namespaces, the screen (tui-privilege.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
[ "$(id -u)" = 0 ] || skip 'only root can make such programs'
command -v setpriv >/dev/null || skip 'no setpriv'
victim=$tmp/privileged
us=$tmp/probes-tui
cp "$VICTIMS/sdt_sema" "$victim"
cp "$PROBES_TUI" "$us"
chmod 755 "$tmp" "$us"
mkdir -m 777 "$tmp/theirs"

# user ID [OPTION...]: trace the program as that user; the notice is in $tmp/err.
user()
{
	id=$1
	shift
	: >"$tmp/log"
	PROBES_TUI_RECORDS=$tmp/theirs/$id HOME=$tmp/theirs setpriv --reuid "$id" --regid "$id" \
		--clear-groups "$@" -- "$us" trace -no-syslog -wait -enable single \
		-prog "$victim" -- --steps 3 >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	same "exit status as $id $*" "$status" 0
}

# said PATTERN, or nothing
said()
{
	has "$(stat -c '%a %u %g' "$victim")" "^probes-tui: privileged $1"
}

unsaid()
{
	same "$1" "$(cat "$tmp/err")" ''
}

user 65534 2>"$tmp/why"
[ "$status" = 0 ] || skip "an ordinary user cannot run it here: $(cat "$tmp/err")"
unsaid 'an ordinary program'

# The owner and the mode, in this order: chown takes the bits away.
chmod 4755 "$victim"
case $(findmnt -n -o OPTIONS -T "$tmp" 2>/dev/null) in
*nosuid*) skip "$tmp is mounted nosuid" ;;
esac
user 65534
said 'is set-user-ID \(uid 0\): .*without CAP_SYS_PTRACE.* as uid 65534'
same 'once' "$(wc -l <"$tmp/err" | tr -d ' ')" 1
same 'it runs' "$(value single guarded "$tmp/out")" 3
user 65534 --no-new-privs
unsaid 'it would not get it anyway'
want 0 trace -no-syslog -wait -enable single -prog "$victim" -- --steps 3
unsaid 'root keeps it'
chown 65534 "$victim"
chmod 4755 "$victim"
user 65534
unsaid 'its owner'
user 65533
said 'is set-user-ID \(uid 65534\): .* as uid 65533'

chown 0:0 "$victim"
chmod 2755 "$victim"
user 65534
said 'is set-group-ID \(gid 0\): .* gid 65534'
chmod 2745 "$victim" # locking, no privilege
user 65534
unsaid 'without the x of the group'

chmod 755 "$victim"
if command -v setcap >/dev/null && setcap cap_net_raw+p "$victim" 2>/dev/null; then
	user 65534
	said 'has file capabilities: '
	user 65534 --bounding-set -net_raw
	unsaid 'bounded'
	want 0 trace -no-syslog -wait -enable single -prog "$victim" -- --steps 3
	unsaid 'root has them'
fi

# What may not be read, either, cannot be looked at by who started it: that is said without its pid.
chmod 4711 "$victim"
PROBES_TUI_RECORDS=$tmp/theirs/65534 HOME=$tmp/theirs setpriv --reuid 65534 --regid 65534 --clear-groups \
	-- "$us" trace -no-syslog -enable single -prog "$victim" >"$tmp/out" 2>"$tmp/err" </dev/null
same 'refused' "$?" 4
has 'and what to do' 'undumpable.*start it by itself and attach as root$'
finish
