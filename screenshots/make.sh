#!/bin/sh
# Pictures of the real screen, from real runs: drives probes-tui in tmux on the example program and
# draws what is on the screen with ansi2svg.py. Called by `make screenshots`.
#
#	PROBES_TUI=build/probes-tui VICTIMS=build/tests/victims screenshots/make.sh [FOLDER]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
tui=${PROBES_TUI:?where is probes-tui?}
victims=${VICTIMS:?where are the example programs?}
socket=probes-shots-$$
mux() { tmux -L "$socket" -f /dev/null "$@"; }
trap 'mux kill-server 2>/dev/null || :' EXIT
export LC_ALL=C.UTF-8 XDG_CONFIG_HOME=/nonexistent

# wait_for TEXT: until it is on the screen.
wait_for() {
	tries=0
	until mux capture-pane -p | grep -qF -- "$1"; do
		tries=$((tries + 1))
		[ "$tries" -lt 200 ] || { echo "never saw: $1" >&2; mux capture-pane -p >&2; exit 1; }
		sleep 0.05
	done
}

# open WIDTH HEIGHT COMMAND. The terminal's type is one that draws the blanks at the end of a bar: what is
# merely cleared is no cell to tmux, and would not be on the picture.
open() {
	mux kill-server 2>/dev/null || :
	# One that is ending still answers on its socket: the next server gets another.
	socket=$socket.
	width=$1
	mux new-session -d -x "$1" -y "$2" "TERM=screen-256color; export TERM; $3; sleep 60"
}

# The program that was started ends with the screen.
leave() {
	keys 'end it' q
	mux send-keys e
	while mux capture-pane -p | grep -q '^  STATE'; do sleep 0.05; done
}

# keys WAIT-FOR KEY...: send keys, then wait for a text.
keys() {
	marker=$1
	shift
	for key in "$@"; do mux send-keys "$key"; done
	wait_for "$marker"
}

# shot NAME [light]
shot() {
	mux capture-pane -epN | python3 "$here/ansi2svg.py" "$width" ${2:+"$2"} >"$out/$1.svg"
	echo "$out/$1.svg"
}

cd "$victims"
run="'$tui' -prog ./test.exe"

# text WORDS: type them as they are.
text() { mux send-keys -l -- "$1"; }

# find WORD: put the cursor on a probe; the search is then forgotten.
find() {
	mux send-keys /
	text "$1"
	mux send-keys Enter Escape
}

# gateway NAME [light]: the example, with what a user would switch on first.
gateway() {
	open 100 32 "$run -theme ${2:-dark}"
	wait_for 'ocaml_2:cache_hit'
	find req_start
	keys 'on req_done,req_start' p
	find risk_check_begin
	keys 'on risk_check_end,risk_check_begin' p
	keys ':' ':'
	text 'sort state'
	mux send-keys Enter
	find cache_hit
	keys 'on cache_hit' e
	wait_for '[req_start]'
	wait_for '[cache_hit]'
	shot "$@"
}

gateway light light
leave
gateway main
keys 'Detail of' i
shot detail
keys 'cache_hit' q
keys 'Help' '?'
shot help
keys 'cache_hit' q
keys 'req_start' P
shot pairs
keys 'cache_hit' q
keys 'test.exe' t
shot tree
leave

# The values of an argument.
open 100 24 "$run"
wait_for 'ocaml_2:cache_hit'
keys 'counting may stop' : 'stop' Enter
find queue__depth
keys 'Values of' A
sleep 30
shot values
mux send-keys q
leave

# More room: a pane beside the list.
open 170 36 "$run"
wait_for 'ocaml_2:cache_hit'
mux send-keys /
text db_query__entry
mux send-keys Enter
keys 'on db_query__return,db_query__entry' p
wait_for ' in '
shot wide
leave

# A top of probes: a JVM, whose probes have no switch, with all of them counted.
if command -v java >/dev/null && command -v javac >/dev/null; then
	java -Xmx64m "$here/Busy.java" >/dev/null 2>&1 &
	jvm=$!
	open 100 32 "until grep -q libjvm /proc/$jvm/maps; do sleep 0.1; done; sleep 2; '$tui' -pid $jvm -count"
	wait_for 'only if all threads stop'
	keys 'target stopped' y
	mux send-keys Escape
	sleep 40 # for the trends
	shot count
	keys 'Latency: ' : 'ask gc pauses' Enter
	mux resize-window -x 100 -y 24
	sleep 20 # for its trend
	shot latency
	mux send-keys q
	mux send-keys q
	kill "$jvm"
fi

# Queries as they come: a postgres under pgbench.
if ls /usr/lib/postgresql/*/bin/pgbench >/dev/null 2>&1; then
	user=bench
	. "$here/../tests/postgres.sh"
	trap 'mux kill-server 2>/dev/null; kill "$bench"; stop_postgres; rm -f "$data.log"' EXIT
	pgbench -n -c 2 -R 30 -T 600 >/dev/null 2>&1 &
	bench=$!
	open 100 24 "'$tui' -tree $server"
	wait_for 'postgresql:'
	keys 'counting may stop' : 'stop' Enter
	keys 'Events: ' : 'ask SQL' Enter
	sleep 10
	shot events
	mux send-keys q
	mux send-keys q
	cd "$victims"
fi

# The list of processes: of a world of its own where that can be had.
alone=
unshare -pf --mount-proc true 2>/dev/null && alone='unshare -pf --mount-proc'
open 100 24 "$alone sh -c './test.exe --quiet >/dev/null & sleep 1000 & /usr/bin/python3 -c \"import time; time.sleep(1000)\" & \"$tui\"'"
wait_for 'test.exe'
wait_for 'python3'
wait_for 'without probes'
shot processes
mux send-keys q

# What a stranger sees of somebody else's program: needs root to become one. In a world of its own, too:
# here strangers may not even see the process (hidepid).
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	open 100 24 "$alone sh -c './test.exe --quiet >/dev/null & setpriv --reuid 65534 --regid 65534 --clear-groups \"$tui\" -pid \$!; kill %1'"
	wait_for 'CANNOT'
	shot denied
	mux send-keys q
fi
