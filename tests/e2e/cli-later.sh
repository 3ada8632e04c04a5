#!/bin/sh
# A library that is opened while the process is measured has probes that the call asked for: count counts them from then
# on, the other verbs say that their hits are missing, and neither exits with 0. Narrowed away, it is no matter. Closed
# meanwhile, what it hit stays, and the call goes on.
# Does not cover: a process that ends between two looks.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "${srcdir:-.}/tests/e2e/counting.sh"
need_switching
lib=$VICTIMS/libvictim.so

# rows: object, name, hits, why of the last table
rows()
{
	python3 -c 'import json, os, sys
last = [json.loads(line) for line in open(sys.argv[1])][-1]
for p in last["probes"]:
    print(os.path.basename(p["object"]), p["name"], p["hits"], p["hits_per_s"] is not None,
        p["seconds"] < last["at"], (p["why"] or "complete").split(":")[0])' "$tmp/result"
}

# --- a name: the probe of the program, and later the one of the library, with a beginning of its own
start loop_dlopen
counting -pid "$pid" -format json first
ask step
ask "load $lib"
session_says "pid $pid: it opened $lib: 1 of 1 site of 1 probe counted from now on; earlier hits there are missing"
ask step
ask step
stop
ended 1
same 'both are counted' "$(rows)" "loop_dlopen first 3 True False complete
libvictim.so first 2 True True its library was opened after counting began"

# --- as text; what a table tells of both has no common rate
start loop_dlopen
counting -pid "$pid" -all
ask "load $lib"
session_says "it opened $lib: 4 of 4 sites of 3 probes counted"
ask step
interrupted INT 130
has 'undone, too' 'no longer counted by this session: 10 probes, 15 sites' "$tmp/held"
has 'part of the time' '^ +2 +[0-9.]+ +2/2 +ocaml_2:lib_work  \(part of the time\)$' "$tmp/result"
same 'the code is as it was' "$(mark lib_work)" "$(mark second | sed 's/1/2/')"
stop

# --- narrowed to the program, or opened with no such probe: nothing is missing
start loop_dlopen
counting -pid "$pid" -object loop_dlopen first
ask "load $lib"
interrupted INT 130
same 'not asked for' "$(grep -c 'it opened' "$tmp/held")" 0
stop

# --- a name that two providers have now means what it meant
start loop_dlopen
counting -pid "$pid" first
ask "load $VICTIMS/libnamesake.so"
ask unload
ask "load $lib"
session_says "it opened $lib: 1 of 1 site of 1 probe counted"
ask unload
ask "load $VICTIMS/libnamesake.so"
"$PROBES_TUI" list -pid "$pid" >"$tmp/list"
interrupted INT 130
same 'the other provider' "$(grep -c 'namesake\|ambiguous' "$tmp/held")" 0
has 'was there' 'namesake:first' "$tmp/list"
stop

# --- a last look is taken before the undo
start loop_dlopen
counting -pid "$pid" first
ask "load $lib"
interrupted INT 130
has 'said at the end' "it opened $lib: .* of 1 probe" "$tmp/held"
stop

# --- verbs that keep events or times
# says PATTERN VERB ARG...
says()
{
	says_what=$1
	shift
	start loop_dlopen
	: >"$tmp/held"
	"$PROBES_TUI" "$1" -no-syslog -pid "$pid" -max-overhead 0 "$2" ${3:+"$3"} >"$tmp/result" 2>"$tmp/held" </dev/null &
	session=$!
	started="$started $session"
	session_says "${says_begun:-counting 1 of}"
	ask "load $lib"
	session_says "it opened $lib: hits of 1 probe there (ocaml_2:first) are missing"
	stop
	ended 1
}
says events events first
says callers callers first
says histogram histogram first arg1
says_begun=measuring
says latency latency first,second

# --- closed: its last hits are in the rate of the second in which it went; the call goes on, and says it when it is back
start loop_dlopen
ask "load $lib"
: >"$tmp/held"
"$PROBES_TUI" events -no-syslog -pid "$pid" -max-overhead 0 -format chrome lib_work \
	>"$tmp/result" 2>"$tmp/held" </dev/null &
session=$!
started="$started $session"
session_says 'counting 2 of 2'
ask step
ask unload
ask occupy
same 'gone' "$(cat "$tmp/answer")" 'done occupied'
appears '"ph":"C".*lib_work.*:[0-9.]*[1-9]' "$tmp/result"
ask "load $lib"
session_says "it opened $lib: hits of 1 probe there (ocaml_2:lib_work) are missing"
interrupted TERM 143
stop

# --- a program started here
fifos
: >"$tmp/held"
"$PROBES_TUI" count -no-syslog -max-overhead 0 -format json -o "$tmp/result" -prog "$VICTIMS/loop_dlopen" first \
	<"$tmp/in" >"$tmp/answers" 2>"$tmp/held" &
session=$!
started="$started $session"
exec 3>"$tmp/in" 4<"$tmp/answers"
read -r _ pid _ <&4
ask "load $lib"
session_says "it opened $lib: 1 of 1 site"
ask step
echo quit >&3
exec 3>&- 4<&-
ended 1
same 'of the program' "$(rows | cut -d ' ' -f 1-3)" "loop_dlopen first 1
libvictim.so first 1"
finish
