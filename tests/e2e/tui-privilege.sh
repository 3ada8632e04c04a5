#!/bin/sh
# The screen on a set-user-ID program that an ordinary user starts with -prog: the first message says
# that the program runs without its privilege, beside what was switched before its start.
# Does not cover: set-group-ID, capabilities (cli-privilege.sh).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
[ "$(id -u)" = 0 ] || skip 'only root can make such programs'
command -v setpriv >/dev/null || skip 'no setpriv'
case $(findmnt -n -o OPTIONS -T "$tmp" 2>/dev/null) in
*nosuid*) skip "$tmp is mounted nosuid" ;;
esac
victim=$tmp/privileged.exe
us=$tmp/probes-tui
cp "$VICTIMS/test.exe" "$victim"
cp "$PROBES_TUI" "$us"
chmod 4755 "$victim"
chmod 755 "$tmp" "$us"
mkdir -m 777 "$tmp/theirs"
user="env PROBES_TUI_RECORDS='$tmp/theirs/65534' HOME='$tmp/theirs' XDG_STATE_HOME='$tmp/theirs' \
	setpriv --reuid 65534 --regid 65534 --clear-groups --"

terminal 200 24
for action in '' '-enable req_start -disable req_done'; do
	type_command "$user '$us' -no-syslog -prog '$victim' $action"
	wait_for 'is set-user-ID \(uid 0\)'
	seen 'as whom' 'as uid 65534'
	[ -z "$action" ] || seen 'what was done' 'before its start'
	[ -z "$action" ] || seen 'another notice' 'ignored'
	keys q
	wait_for 'is still running'
	keys e
	wait_for '^status=0$'
done
finish
