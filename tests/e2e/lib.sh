# What the scripts of the command line have in common; source it. It runs $PROBES_TUI, starts
# victims from $VICTIMS on fifos and waits for their lines, counts failed checks
# and cleans up. A script ends with `finish`. 77 is a skip.
set -u
: "${PROBES_TUI:?the program to test}" "${VICTIMS:?the directory of the built victims}"
LC_ALL=C.UTF-8
export LC_ALL

tmp=$(mktemp -d) || exit 99
# Journals are the tests' own.
PROBES_TUI_RECORDS=$tmp/records
mkdir -m 700 "$PROBES_TUI_RECORDS" || exit 99
export PROBES_TUI_RECORDS
# No settings of the person who runs them.
XDG_CONFIG_HOME=$tmp/config
export XDG_CONFIG_HOME
# Behind or between words that a victim is told: these may hold blanks then.
tab=$(printf '\t')
# Between two looks at what is waited for: soon at first, then seldom enough to leave the processor to others; 30 s in all.
pauses="$(printf '0.02 %.0s' $(seq 50))$(printf '0.1 %.0s' $(seq 290))"
# What is first in PATH may be a script that looks for one (pyenv's), which takes ten times as long.
[ ! -x /usr/bin/python3 ] || python3() { /usr/bin/python3 "$@"; }
# What is waited for comes within that many seconds, or never.
patience=120
checks=0 failures=0 checked=none awaited=nothing
started=
trap 'cleanup' EXIT
trap 'cut_short; exit 99' HUP INT TERM

cleanup()
{
	for one in $started; do
		# The number of one that has ended may be another's by now, in a test that runs beside this one.
		case $(sed -n 's/^PPid:.//p' "/proc/$one/status" 2>/dev/null) in
		$$ | 1) kill -9 "$one" 2>/dev/null ;; # it may end by itself just now
		esac
	done
	rm -rf "$tmp"
}

# cut_short: where it hung, if it is ended from outside (TEST_TIMEOUT).
cut_short()
{
	trap '' HUP INT TERM
	echo "FAIL: ended by a signal after check $checks ($checked); it last waited for $awaited"
	ps -o pid,ppid,stat,wchan:24,etime,args --ppid "$$" | cut -c 1-200
	for one in held err result answer; do
		[ ! -s "$tmp/$one" ] || { echo "--- the end of $one:" && tail -c 1000 "$tmp/$one" && echo; }
	done
}

# awaits WHAT: from now on; overdue: for too long.
awaits()
{
	awaited=$1 awaits_until=$(($(date +%s) + patience))
}

overdue()
{
	[ "$(date +%s)" -gt "$awaits_until" ]
}

fail()
{
	failures=$((failures + 1))
	echo "FAIL: $*"
}

skip()
{
	echo "SKIP: $*"
	exit 77
}

finish()
{
	echo "$checks checks, $failures failed"
	[ "$checks" -gt 0 ] || fail 'nothing was checked'
	[ "$failures" -eq 0 ]
	exit
}

# same WHAT GOT WANTED
same()
{
	checks=$((checks + 1)) checked=$1
	[ "$2" = "$3" ] || fail "$1: got '$2', wanted '$3'"
}

# has WHAT PATTERN [FILE]: a line of the last error (or of FILE) matches.
has()
{
	checks=$((checks + 1)) checked=$1
	grep -Eq -e "$2" "${3:-$tmp/err}" || {
		fail "$1: nothing like '$2' in:"
		sed 's/^/    /' "${3:-$tmp/err}"
	}
}

# ---------------------------------------------------------------- our program

# run ARG...: $status, $tmp/out, $tmp/err.
run()
{
	awaited="the end of $*"
	"$PROBES_TUI" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}

# want STATUS ARG...: run, and the exit status is so.
want()
{
	want_status=$1
	shift
	run "$@"
	same "exit status of $*" "$status" "$want_status"
	[ "$status" = "$want_status" ] || sed 's/^/    /' "$tmp/err"
}

# silent ARG...: succeeds and says nothing at all.
silent()
{
	want 0 "$@"
	same "output of $*" "$(cat "$tmp/out" "$tmp/err")" ''
}

# one_line WHAT: the last error is one line in our form, and nothing was printed besides.
one_line()
{
	same "lines of error, $1" "$(wc -l <"$tmp/err" | tr -d ' ')" 1
	has "form of error, $1" '^probes-tui: .+: .+'
	same "output, $1" "$(cat "$tmp/out")" ''
}

# refuses STATUS PATTERN ARG...: that status, and one line that matches.
refuses()
{
	want_status=$1 want_pattern=$2
	shift 2
	want "$want_status" "$@"
	one_line "$*"
	has "error of $*" "$want_pattern"
}

# attach ARG...: silently, to the victim.
attach()
{
	silent attach -no-syslog -pid "$pid" "$@"
}

# session_says PATTERN: wait until $session, whose standard error is $tmp/held, has said it.
session_says()
{
	session_until "the session to say '$1'" grep -q "$1" "$tmp/held"
}

# session_until WHAT COMMAND...: until it succeeds, while the session lives, and in time.
session_until()
{
	awaits "$1"
	shift
	until "$@"; do
		if ! kill -0 "$session" 2>/dev/null || overdue; then
			fail "what was waited for did not come: $awaited; it said: $(cat "$tmp/held")"
			finish
		fi
		sleep 0.01
	done
}

# in_background VERB ARG...: in the background, INT and QUIT as they are in the foreground; $session, $tmp/result, and
# $tmp/held, its standard error. Both are emptied here, not by the session when it comes to start.
in_background()
{
	: >"$tmp/held"
	: >"$tmp/result"
	background_verb=$1
	shift
	env --default-signal=INT,QUIT "$PROBES_TUI" "$background_verb" -no-syslog "$@" >"$tmp/result" 2>"$tmp/held" </dev/null &
	session=$!
	started="$started $session"
}

# hold ARG...: attach -for 1h to the victim, in the background, run by $hold_as; returns once the probes are
# switched. $session is its pid, $tmp/held its standard error.
hold_as=
hold()
{
	: >"$tmp/held"
	$hold_as "$PROBES_TUI" attach -no-syslog -pid "$pid" -for 1h "$@" >/dev/null 2>"$tmp/held" </dev/null &
	session=$!
	started="$started $session"
	session_says ' switched for '
}

# state NAME: what info says of it.
state()
{
	run info -pid "$pid"
	awk -v name="$1" '$1 == name { print $2 }' "$tmp/out"
}

# ------------------------------------------------------------------ a victim

# mark NAME: its state mark, sites and count, as list says.
mark()
{
	run list -pid "$pid" -quiet
	awk -v name=":$1" '{
		state = substr($0, 1, 3)
		sub(/^\[.\] */, "")
		if (substr($1, length($1) - length(name) + 1) == name)
			print state, $2, $3
	}' "$tmp/out"
}

# fifos: $tmp/in and $tmp/answers, new ones.
fifos()
{
	rm -f "$tmp/in" "$tmp/answers"
	mkfifo "$tmp/in" "$tmp/answers" || exit 99
}

# launch IN OUT VICTIM [OPTION...]: with a fifo at each of these descriptors; $started_pid.
launch()
{
	in=$1 out=$2
	file=$VICTIMS/$3
	shift 3
	[ -x "$file" ] || skip "no $file"
	fifos
	"$file" "$@" <"$tmp/in" >"$tmp/answers" &
	started="$started $!"
	eval "exec $in>\"\$tmp/in\" $out<\"\$tmp/answers\""
	eval "read -r word started_pid _ <&$out"
	same 'first word of a victim' "$word" ready
}

# start VICTIM [OPTION...]: $pid; start2: $pid2.
start()
{
	launch 3 4 "$@"
	pid=$started_pid
}

start2()
{
	launch 5 6 "$@"
	pid2=$started_pid
}

# read_answer DESCRIPTOR: up to the line that ends an answer, into $tmp/answer.
read_answer()
{
	: >"$tmp/answer"
	while eval "read -r line <&$1"; do
		echo "$line" >>"$tmp/answer"
		case $line in
		done* | loaded* | unloaded* | failed* | unknown* | ready*) return ;;
		esac
	done
	fail 'the victim ended'
}

ask()
{
	awaited="an answer to $1"
	echo "$1" >&3
	read_answer 4
}

ask2()
{
	awaited="an answer to $1"
	echo "$1" >&5
	read_answer 6
}

# forked NAME: a child of the victim by fork, which reads from $tmp/NAME-in and answers at $tmp/NAME-out; $child
forked()
{
	mkfifo "$tmp/$1-in" "$tmp/$1-out"
	ask "fork $tmp/$1-in${tab}$tmp/$1-out"
	child=$(sed -n 's/^done forked //p' "$tmp/answer")
	started="$started $child"
}

# value NAME KEY: V of `NAME ... KEY=V` in the last answer.
value()
{
	awk -v name="$1" -v key="$2" '$1 == name {
		for (i = 2; i <= NF; i++)
			if (split($i, part, "=") == 2 && part[1] == key)
				print part[2]
	}' "${3:-$tmp/answer}"
}

# gone PID...: these have been waited for.
gone()
{
	for one; do
		started=$(echo " $started " | sed "s/ $one / /")
	done
}

# ended STATUS: the session ends by itself.
ended()
{
	awaited='the end of the session'
	wait "$session"
	same 'exit status of the session' $? "$1"
	gone "$session"
}

# interrupted [SIGNAL STATUS]: the session ends by a signal, INT.
interrupted()
{
	kill "-${1:-INT}" "$session"
	ended "${2:-130}"
}

stop()
{
	awaited='the end of the victim'
	echo quit >&3
	exec 3>&- 4<&-
	wait "$pid"
	same 'exit status of the victim' $? 0
	gone "$pid"
}

stop2()
{
	awaited='the end of the victim'
	echo quit >&5
	exec 5>&- 6<&-
	wait "$pid2"
	same 'exit status of the victim' $? 0
	gone "$pid2"
}

# declared SCHEMA FILE: the keys of the JSON are those that the section Fields of the manual page has for it, of their types.
declared()
{
	same "fields of $1" "$(python3 - "${srcdir:-.}/doc/probes-tui.1" "$@" <<'END'
import json, re, sys
page = open(sys.argv[1]).read().replace("\\-", "-")
fields = {f[1]: (f[2], f[3].split(", "))
    for f in re.finditer(r"^\\fB(\w+)\\fR, (.*)\n.*\n\((.*)\)$", page, re.M)}
def list_of(kind):
    return lambda v: isinstance(v, list) and all(x is None or isinstance(x, kind) for x in v)
types = {"text": lambda v: isinstance(v, str), "true or false": lambda v: isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "object": lambda v: isinstance(v, dict), "array of objects": list_of(dict), "array of texts": list_of(str)}
wrong = set()
def check(value):
    for v in value if isinstance(value, list) else []:
        check(v)
    for key, v in value.items() if isinstance(value, dict) else []:
        if sys.argv[2] not in fields[key][1] if key in fields else True:
            wrong.add(key + " is none")
        elif v is not None and not types[fields[key][0]](v):
            wrong.add("%s is no %s" % (key, fields[key][0]))
        check(v)
text = open(sys.argv[3]).read()
check([json.loads(line) for line in text.splitlines()] if text[:2] == '{"' and "\n{" in text else json.loads(text))
print(len(fields) > 90, *sorted(wrong))
END
)" True
}

# countable PID: the probes with a site that can be counted. The addresses of the process decide, which stay as they are.
countable()
{
	run count -no-syslog -stop -pid "$1" -all -for 50ms -format json
	python3 -c 'import json, sys
t = [json.loads(line) for line in open(sys.argv[1])][-1]
print(" ".join(sorted(p["name"] for p in t["probes"] if p["sites_counted"])))' "$tmp/out"
}

# start_counted VICTIM NAME...: start it until all these probes are countable; $counted: all that are.
start_counted()
{
	start_file=$1
	shift
	for start_try in $(seq 20); do
		start "$start_file"
		counted=$(countable "$pid")
		for one; do
			case " $counted " in *" $one "*) ;; *) continue 2 ;; esac
		done
		return
	done
	skip "in no layout $* can be counted, but: $counted"
}

# to_its_end VERB VICTIM QUESTION ARG...: a session starts the victim, which is asked this, and ends. False: no site can
# be counted; then the victim is not asked.
to_its_end()
{
	end_verb=$1 end_victim=$2 end_question=$3
	shift 3
	fifos
	: >"$tmp/held"
	"$PROBES_TUI" "$end_verb" -no-syslog -stop -max-overhead 0 -format json -o "$tmp/result" \
		-prog "$VICTIMS/$end_victim" "$@" <"$tmp/in" >"$tmp/answers" 2>"$tmp/held" &
	session=$!
	started="$started $session"
	exec 3>"$tmp/in" 4<"$tmp/answers"
	read -r _ pid _ <&4
	session_says ' of 1 probe in process'
	end_counted=1
	if grep -q 'counting 1 of 1' "$tmp/held"; then
		end_counted=0
		ask "$end_question"
	fi
	echo quit >&3
	exec 3>&- 4<&-
	wait "$session"
	same 'the status of the program' $? 0
	gone "$session"
	return $end_counted
}

# need_switching: skip where the kernel does not let us read and write a victim at all.
need_switching()
{
	start loop_ocaml2_pie
	run info -pid "$pid"
	[ "$status" != 4 ] || skip "not permitted here: $(head -n 1 "$tmp/err")"
	attach -enable first
	attach -disable first
	stop
	[ "$failures" -eq 0 ] || finish
}

# has_zydis: can instructions be decoded, and so most sites be counted?
has_zydis()
{
	case $PROBES_OPTIONAL in
	*-lZydis*) return 0 ;;
	*) return 1 ;;
	esac
}

need_zydis()
{
	has_zydis || skip 'this build has no Zydis'
}

# capable NUMBER: of capabilities(7); root in a container has few.
capable()
{
	[ $((0x$(sed -n 's/^CapEff:[^0-9a-f]*//p' /proc/self/status) >> $1 & 1)) = 1 ]
}

# freezable: freeze and thaw can hold $pid still, by the freezer of cgroup v1; what is frozen is thawed at the exit.
freezable()
{
	group=/sys/fs/cgroup/freezer/probes-tui-$$
	[ "$(id -u)" = 0 ] && mkdir "$group" 2>/dev/null || return
	trap 'thaw; cleanup; wait; rmdir "$group"' EXIT
}

freeze()
{
	echo "$pid" >"$group/cgroup.procs" && echo FROZEN >"$group/freezer.state" || skip 'nothing can be frozen'
	until grep -q FROZEN "$group/freezer.state"; do sleep 0.01; done
}

thaw()
{
	echo THAWED >"$group/freezer.state"
}

# memory_limited: $group, a memory cgroup with the file $limit, and one in it for processes: all levels count. They go at
# the exit.
memory_limited()
{
	[ "$(id -u)" = 0 ] || skip 'only root may limit memory here'
	mib=1048576
	top=$(awk '$0 ~ / - cgroup / && $NF ~ /(^|,)memory(,|$)/ { print $5; exit }' /proc/self/mountinfo)
	limit=memory.limit_in_bytes usage=memory.usage_in_bytes
	if [ -z "$top" ]; then
		top=$(awk '$0 ~ / - cgroup2 / { print $5; exit }' /proc/self/mountinfo)
		limit=memory.max usage=memory.current
		grep -qw memory "$top/cgroup.subtree_control" 2>/dev/null || skip 'no cgroup accounts memory here'
	fi
	group=$top/probes-tui-${0##*/}-$$
	mkdir "$group" 2>/dev/null || skip 'no memory cgroup can be made'
	trap 'unlimit' EXIT
	[ "$limit" != memory.max ] || echo +memory >"$group/cgroup.subtree_control" || skip 'memory cannot be handed down'
	mkdir "$group/inner"
}

unlimit()
{
	echo max >"$group/$limit" 2>/dev/null || echo -1 >"$group/$limit"
	cleanup
	wait
	for one in "$group/inner" "$group"; do
		# A moment after its last process has ended.
		until rmdir "$one" 2>/dev/null || [ ! -d "$one" ] || [ "$((tries = ${tries:-0} + 1))" -gt 1000 ]; do sleep 0.01; done
	done
}

# room MIB: so much above what is used now.
room()
{
	echo $(($(cat "$group/$usage") + $1 * mib)) >"$group/$limit" || skip 'no limit can be set'
}

# kills: how many the kernel has killed there.
kills()
{
	cat "$group/inner/memory.oom_control" "$group/inner/memory.events" 2>/dev/null | awk '$1 == "oom_kill" { print $2 }'
}

# lend FILE: $lent, a copy that other users may run, too, wherever the tree lies
lend()
{
	lent=$tmp/${1##*/}
	cp "$1" "$lent" && chmod 755 "$tmp" "$lent" || exit 99
}

# opens_mapped: may we open what is mapped itself? It takes CAP_CHECKPOINT_RESTORE, or CAP_SYS_ADMIN.
opens_mapped()
{
	for one in "/proc/$$/map_files"/*; do
		head -c 1 "$one" >/dev/null 2>&1
		return
	done
}

# ------------------------------------- its memory, read without our program

. "${srcdir:-.}/tests/memory.sh"

# code_of FILE: the bytes at all sites of its probes in memory now
code_of()
{
	base=$(bias "$1")
	notes "$1" | while read -r _ name pc _; do
		echo "$name $(peek $((base + pc)) 8)"
	done
}

# remember FILE: keep a copy of its code. code_as_found WHAT: the code has not changed since. as_found WHAT: and the records
# are empty.
remember()
{
	remembered=$1
	code_of "$1" >"$tmp/before"
}

code_as_found()
{
	same "$1: the code is as found" "$(code_of "$remembered")" "$(cat "$tmp/before")"
}

as_found()
{
	code_as_found "$1"
	same "$1: nothing on record" "$(ls "$PROBES_TUI_RECORDS")" ''
}

# address NAME: of its first site.
address()
{
	run list -pid "$pid"
	awk -v name="ocaml_2:$1" '
		{ sub(/^\[.\] */, "") }
		found { print $4; exit }
		$1 == name { found = 1 }' "$tmp/out"
}

# live FILE NAME: bytes 0 and 1 of each site, then each count, as another reader sees them.
live()
{
	base=$(bias "$1")
	notes "$1" | awk -v name="$2" '$2 == name' | while read -r provider _ pc semaphore; do
		case $provider in
		ocaml?*) semaphore=$((semaphore + 2)) ;;
		esac
		[ $((pc)) -eq 0 ] || echo "site $(peek $((base + pc)) 2)"
		echo "count $(peek $((base + semaphore)) 2)"
	done | sort | uniq -c | awk '{ print $1, $2, $3 }' | paste -s -d ' ' -
}
