#!/bin/sh
# Whoever reads the output stops reading: the pipe is full, and -for and signals end the session all the same: it undoes
# first. After -for it waits for the reader, who gets all; after a signal it drops what the reader does not take, says
# so, and exits with 128 + the signal. Meanwhile -max-overhead holds. With messages in the same full pipe, too. A pipe that nobody has opened is no output.
# Does not cover: a socket; a terminal that was stopped with ^S.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
need_zydis
mkfifo "$tmp/pipe"

# full VERB ARG...: in the background, into a pipe (descriptor 9) that is full before the first line; $session.
full()
{
	exec 9<>"$tmp/pipe"
	python3 -c 'import fcntl, os
fd = os.open("/proc/self/fd/9", os.O_WRONLY | os.O_NONBLOCK)
try:
    while True:
        os.write(fd, b"." * 4095 + b"\n")
except BlockingIOError:
    pass
while True:
    try:
        os.write(fd, b"\n")
    except BlockingIOError:
        break'
	: >"$tmp/held"
	env --default-signal=INT,QUIT "$PROBES_TUI" "$@" -no-syslog -stop -pid "$pid" >"$tmp/pipe" 2>"$errors" </dev/null 9<&- &
	session=$!
	started="$started $session"
}

# back: as it was before, although nobody reads.
back()
{
	[ "$(code_of "$remembered")" = "$(cat "$tmp/before")" ]
}

counted()
{
	! back
}

# all_read: the reader goes on, until the session has ended: into $tmp/read.
all_read()
{
	grep -v '^\.*$' <"$tmp/pipe" >"$tmp/read" 9<&- &
	reader=$!
	exec 9<&-
	ended "$1"
	wait "$reader"
}

start_counted pairs start end
remember "$VICTIMS/pairs"

# --- -for: the undo does not wait, the output does
errors=$tmp/held
full events start -for 1s -max-overhead 0
session_says 'counting '
session_until 'a jump' counted
ask 'run 1 500'
session_until 'the undo' back
all_read 0
has 'events' ' events in ' "$tmp/held"
same 'the reader got all' "$(grep -c 'pairs:start' "$tmp/read")" "$(sed -n 's/.* \([0-9]*\) events in .*/\1/p' "$tmp/held")"
as_found 'after -for'

# --- signals
for call in 'events start' 'count start -interval 0.05 -format json' 'latency start,end -interval 0.05' 'histogram start arg1 -interval 0.05'; do
	# shellcheck disable=SC2086 # a verb and its arguments
	full $call
	session_says 'counting \|measuring '
	ask 'run 1 500'
	interrupted TERM 143
	has "$call: it says so" 'bytes of it were dropped' "$tmp/held"
	as_found "$call"
	exec 9<&-
done

# --- its messages wait for the same reader
errors=$tmp/pipe
full count start -interval 0.05
session_until 'a jump' counted
interrupted
as_found 'messages too'
exec 9<&-

full count start -for 0.3s
session_until 'a jump' counted
session_until 'the undo' back
all_read 0
has 'all messages' 'counting 1 of 1 site' "$tmp/read"
has 'the table, too' 'counted for' "$tmp/read"
as_found 'messages of -for'

# --- it was waiting for its reader already, after -for
errors=$tmp/held
full count start -for 0.1s -format json
session_says 'no longer counted'
interrupted TERM 143
exec 9<&-

# --- the target is looked after meanwhile, also where tables wait: what costs too much is dropped; signals are noticed
dropped()
{
	ask 'run 1 5000'
	grep -q 'no more events, its hits are only counted' "$tmp/held"
}
for measured in 'events start' 'histogram start arg1 -interval 0.05'; do
	# shellcheck disable=SC2086 # words
	full $measured -max-overhead 0.01
	session_says 'counting '
	session_until 'the drop of events' dropped
	interrupted TERM 143
	as_found "what costs too much: $measured"
	exec 9<&-
done

# --- a dry run: it holds nothing, and a signal ends it
full count start -dry-run
session_says 'would count '
want 0 count -no-syslog -stop -pid "$pid" start -for 10ms
kill -INT "$session"
ended 130
exec 9<&-

# --- its reader opens it later: nothing begins before
mkfifo "$tmp/later"
in_background count -pid "$pid" start -for 10ms -o "$tmp/later"
cat "$tmp/later" >"$tmp/read"
ended 0
has 'the reader came later' 'counted for' "$tmp/read"
stop

# --- attach
start loop_ocaml2_pie
remember "$VICTIMS/loop_ocaml2_pie"
full attach -enable multi -for 1s -format json
enabled()
{
	[ "$(state multi)" = "$1" ]
}
session_until 'the switch' enabled enabled
session_until 'the end of the time' enabled disabled
all_read 0
same 'the reader got all of it' "$(python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["probes"][0]["name"])' "$tmp/read")" multi
as_found attach

stop
finish
