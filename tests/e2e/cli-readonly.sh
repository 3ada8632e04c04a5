#!/bin/sh
# The configuration says read-only: each verb that writes refuses, and no program is started. A configuration that
# cannot be read may say so, and counts as if it did; the command line overrides it.
# Does not cover: what a line may be (unit: config), the screen (e2e/tui-settings.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching

mkdir -p "$XDG_CONFIG_HOME/probes-tui"
config=$XDG_CONFIG_HOME/probes-tui/config
start loop_ocaml2_pie
hold -enable multi
{
	kill -9 "$session"
	wait "$session"
} 2>/dev/null
gone "$session"

# forbidden WHAT [WHY]: by each verb; the first line of error is why.
forbidden()
{
	for verb in "attach -pid $pid -enable first" "repair -pid $pid" "count -pid $pid -for 10ms first"; do
		# shellcheck disable=SC2086 # words
		want 6 ${verb%% *} -no-syslog ${verb#* }
		has "$1: ${verb%% *}" 'this session is read-only'
		[ -z "${2-}" ] || has "$1: why" "^probes-tui: $config: $2\$"
		[ -z "${2-}" ] || has "$1: the way out" '^probes-tui: it may forbid changes.*-read-only=no'
	done
	want 6 trace -no-syslog -enable-all -prog "$VICTIMS/launch" -- /bin/sh -c "touch $tmp/ran"
	want 6 count -no-syslog -all -prog "$VICTIMS/launch" -- /bin/sh -c "touch $tmp/ran"
	has "$1: nor counted" 'cannot count hits: this session is read-only'
	same "$1: nothing was started" "$(ls "$tmp/ran" 2>/dev/null)" ''
	want 0 list -pid "$pid" -quiet
	same "$1: nothing was changed" "$(state first) $(state multi)" 'disabled enabled'
}

echo 'read-only = yes' >"$config"
forbidden 'as set'
{ echo 'read-only = yes' && head -c 66000 /dev/zero | tr '\0' '\n'; } >"$config"
forbidden 'too long' 'is too long for settings'
printf 'read-only = yes\n\0' >"$config"
forbidden 'binary' 'holds binary data'
mv "$config" "$config.file" && mkdir "$config"
forbidden 'a folder' 'is not a regular file'
rmdir "$config" && mv "$config.file" "$config"
echo 'read-only = yes' >"$config"
# Root enters every folder.
if [ "$(id -u)" != 0 ]; then
	chmod 0 "$XDG_CONFIG_HOME/probes-tui"
	forbidden 'our folder is locked' 'Permission denied'
	chmod 700 "$XDG_CONFIG_HOME/probes-tui"
fi
rm "$config" && mkdir "$config"
want 0 repair -no-syslog -read-only=no -pid "$pid"
has 'repaired' "undid what session $session left behind"
run count -no-syslog -read-only=no -pid "$pid" -for 10ms first
same 'overridden' "$(grep -c 'read-only' "$tmp/err")" 0
rmdir "$config"
# A stranger's link to a file of root's, as one in /proc may be: its text is the stranger's.
if [ "$(id -u)" = 0 ]; then
	echo 'read-only = yes' >"$tmp/text"
	ln -s "$tmp/text" "$config"
	chown -h 65534 "$config"
	want 0 list -pid "$pid" -quiet
	has "a stranger's link" "^probes-tui: $config: belongs to another user: not read\$"
	want 0 attach -no-syslog -pid "$pid" -enable first
	same 'it forbids nothing' "$(state first)" enabled
	want 0 attach -no-syslog -pid "$pid" -disable first
	rm "$config"
fi
attach -enable first
same 'without one' "$(state first)" enabled
stop
finish
