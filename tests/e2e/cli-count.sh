#!/bin/sh
# count: its totals are those of a victim that counts its own hits, to the last one: with 1, 4 and 64
# threads, in forked children, with and without -stop, also when the target ends. It ends by -for, by
# signals and with the target; then code and semaphores are those of the file, read without our program.
# Jumps that others take away are told. Text, JSON and CSV say the same; rates, intervals, -max-overhead, -output, -prog, several processes.
# `plain`, `never` and `guarded` can be counted in every layout, `loop` with -stop; of the others, it is read.
# Does not cover: which sites can be counted, and where counting is refused.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
. "${srcdir:-.}/tests/e2e/counting.sh"

start counts
code >"$tmp/file"
bytes >"$tmp/before"
same 'the code before' "$(cat "$tmp/before")" "$(cat "$tmp/file")"

# as_found WHAT
as_found()
{
	bytes >"$tmp/after"
	same "$1: as in the file" "$(cat "$tmp/after")" "$(cat "$tmp/file")"
	same "$1: nothing on record" "$(ls "$PROBES_TUI_RECORDS")" ''
}

# --- exact
for threads in 1 4 64; do
	for stop in '' -stop; do
		ask zero
		# shellcheck disable=SC2086 # no word, or one
		counting -pid "$pid" -format json $stop
		counted=$(sed -n 's/.*counting \([0-9]*\) of 9 sites of 5 probes .*/\1/p' "$tmp/held")
		[ -n "$stop" ] || unstopped=$counted
		if bytes | diff -q "$tmp/file" - >/dev/null; then
			fail 'nothing was written'
		fi
		ask "run $threads 20000"
		interrupted INT 130
		agrees "$threads threads $stop"
		same 'guarded sites were reached' "$(value guarded hits)" $((threads * 40000))
		same 'their number' "$(json 'sum(p["sites_counted"] for p in total.values())')" "$counted"
		same 'in every layout' "$(json '{s["tactic"] for n in ("plain", "never", "guarded") for s in total[n]["sites"]}')" \
			"{'punned'}"
		as_found "$threads threads $stop"
	done
done
if has_zydis; then
	same 'with -stop' "$(json 'total["loop"]["sites"][0]["tactic"]')" evicted
	checks=$((checks + 1))
	[ "$counted" -gt "$unstopped" ] || fail "with -stop $counted sites are counted, without it $unstopped"
fi

# --- one probe, in two spellings
refuses 2 '"counts:plain" is named twice' count -no-syslog -pid "$pid" counts:plain plain
refuses 2 '"counts:plain" is named twice' events -no-syslog -pid "$pid" plain,counts:plain

# --- tables go to standard output, everything else to standard error
ask zero
counting -pid "$pid" plain -interval 0.1 -format text -stop
has 'what it begins with' "^probes-tui: counting 1 of 1 site of 1 probe in process $pid" "$tmp/held"
ask 'run 1 1000'
appears ' 1000 .*  1/1  counts:plain$' "$tmp/result"
appears ' 0  no probe was hit$' "$tmp/result"
interrupted TERM 143
has 'a header' '^ *TIME  *HITS  *HITS/s  *SITES  *PROBE$' "$tmp/result"
has 'the totals' '^ *HITS  *HITS/s  *SITES  *PROBE$' "$tmp/result"
has 'the totals' '^  *1000 .*  1/1  counts:plain$' "$tmp/result"
has 'how long' '^counted for [0-9.]* s$' "$tmp/result"
has 'the end' "^probes-tui: pid $pid: no longer counted by this session: 1 probe, 1 site\$" "$tmp/held"
as_found text

# --- names, -regexp, -provider; a probe that does not exist; nothing at all
want 0 count -no-syslog -pid "$pid" counts:plain,many -for 50ms -quiet
same 'quiet' "$(cat "$tmp/err")" ''
same 'quiet, but for the table' "$(awk '{ print $1 }' "$tmp/out")" HITS
want 0 count -no-syslog -pid "$pid" -regexp 'pl|gu' -provider counts -for 50ms -stop
has 'summed up' '^2 probes were not hit$' "$tmp/out"
refuses 2 'nosuch' count -no-syslog -pid "$pid" plain nosuch -for 50ms
as_found 'an unknown name'
want 3 count -pid 2147483647
want 2 count -pid "$pid" -provider nosuch
want 2 count -pid "$pid" -regexp '('
want 6 count -no-syslog -pid "$pid" -read-only
as_found 'read-only'

# --- intervals: their hits add up to the totals, and their rates are hits by measured time
counting -pid "$pid" -interval 0.05 -format json
has 'more with -stop' '; -stop would count [1-9]' "$tmp/held"
for _ in 1 2 3 4 5; do
	ask 'run 2 5000'
done
appears '"table":"interval".*"plain"' "$tmp/result"
ask report
interrupted HUP 129
declared count "$tmp/result"
same 'intervals and totals' "$(json 'sum(p["hits"] for l in lines if l["table"] == "interval"
	for p in l["probes"] if p["name"] == "plain") <= total["plain"]["hits"]')" True
same 'rates' "$(json '[p for l in lines for p in l["probes"]
	if p["hits"] and l["table"] == "interval" and abs(p["hits_per_s"] * l["seconds"] / p["hits"] - 1) > 1e-6]')" '[]'
same 'time goes on' "$(json '[a["at"] < b["at"] for a, b in zip(lines, lines[1:])].count(False)')" 0
same 'a site each' "$(json '[len(total[n]["sites"]) for n in ("plain", "many", "guarded")]')" '[1, 4, 2]'
same 'sites add up' "$(json '[sum(s["hits"] or 0 for s in p["sites"]) == p["hits"] or p["hits"] is None
	for p in total.values()].count(False)')" 0
as_found intervals

# --- CSV
want 0 count -no-syslog -pid "$pid" -for 50ms -format csv
same 'columns' "$(head -n 1 "$tmp/out")" \
	table,pid,prog,at,seconds,object,provider,name,site_count,sites_counted,hits,hits_per_s,why,stopped_ms,sites_lost,over_budget,held_ms
same 'rows' "$(python3 -c 'import csv, sys
print(sorted((r["table"], r["pid"], r["name"], r["site_count"]) for r in csv.DictReader(open(sys.argv[1]))) == sorted(
	("total", sys.argv[2], n, s) for n, s in zip("plain many loop never guarded".split(), "14112")))' \
	"$tmp/out" "$pid")" True

# --- a dry run writes nothing
want 0 count -no-syslog -pid "$pid" -dry-run -stop
has 'what it would do' "^probes-tui: would count [4-9] of 9 sites of 5 probes in process $pid, map 0 KiB, stop all"
has 'a jump' '^0x[0-9a-f]+  90 .*-> e9 .* jump +counts:plain$' "$tmp/out"
has 'a semaphore' ' semaphore +counts:guarded$' "$tmp/out"
as_found 'a dry run'
want 0 count -no-syslog -pid "$pid" -dry-run -format json
same 'the plan' "$(python3 -c 'import json, sys
p = json.load(open(sys.argv[1]))
print(p["sites_counted"] + p["sites_not_counted"], p["mapped_pages"])' "$tmp/out")" '9 0'

# What it would map is what is mapped then, in a process that was never counted.
size_of()
{
	sed -n 's/^VmSize:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$1/status"
}

start2 counts
size=$(size_of "$pid2")
want 0 count -no-syslog -pid "$pid2" -dry-run
would=$(sed -n 's/.*, map \([0-9]*\) KiB.*/\1/p' "$tmp/err")
want 0 count -no-syslog -pid "$pid2" -for 50ms -format json
same 'one thread is held to map it, and is all that this process has' "$(json '[l["held_ms"] > 0 for l in lines], lines[0]["stopped_ms"]' "$tmp/out")" '([True], 0)'
same 'what it would map' "$would" $(($(size_of "$pid2") - size))
stop2

# --- list and info of what somebody else counts; a second count takes nothing away
ask zero
counting -pid "$pid" -format json -stop
ask 'run 1 100'
want 0 list -pid "$pid" -format json
same 'list knows' "$(python3 -c 'import json, sys
each = {"guarded": 100, "loop": 800, "many": 100, "never": 0, "plain": 100}
print({p["name"] for p in json.load(open(sys.argv[1]))["probes"] if p["provider"] == "counts"
	and p["sites_counted"] == [s["counted"] for s in p["sites"]].count(True)
	and (p["hits"] or 0) == each[p["name"]] * p["sites_counted"]} == set(each))' "$tmp/out")" True
same 'as many as are counted' "$(python3 -c 'import json, sys
print(sum(p["sites_counted"] for p in json.load(open(sys.argv[1]))["probes"]))' "$tmp/out")" \
	"$(sed -n 's/.*counting \([0-9]*\) of.*/\1/p' "$tmp/held")"
want 0 list -pid "$pid"
has 'list, as text' ' hits 100 \((punned|evicted)\)' "$tmp/out"
first=$session
cp "$tmp/held" "$tmp/held1"
mkfifo "$tmp/second"
"$PROBES_TUI" count -no-syslog -pid "$pid" -format json plain -for 50ms >"$tmp/second.out" 2>"$tmp/err" </dev/null
same 'a second count' "$?" 0
same 'counts from its own beginning' "$(json 'total["plain"]["hits"]' "$tmp/second.out")" 0
ask 'run 1 100'
session=$first
interrupted INT 130
agrees 'with a second one meanwhile'
as_found 'a second count'

# --- two count the same sites: the first one ends, the second goes on, and is exact; the last one removes the jumps
ask zero
counting -pid "$pid" -format json -stop
first=$session
"$PROBES_TUI" count -no-syslog -max-overhead 0 -pid "$pid" -format json plain never guarded \
	>"$tmp/second.out" 2>"$tmp/second.err" </dev/null &
second=$!
started="$started $second"
session=$second
appears "counting 4 of 4 sites of 3 probes in process $pid" "$tmp/second.err"
same 'each has raised the semaphore' "$(bytes | grep semaphore | uniq)" 'guarded semaphore 0200'
ask 'run 1 100'
session=$first
interrupted INT 130
agrees 'the first of two'
same 'one has lowered it' "$(bytes | grep semaphore | uniq)" 'guarded semaphore 0100'
ask 'run 1 100'
session=$second
kill -TERM "$session"
ended 143
same 'the second has both halves' \
	"$(json '[(total[n]["hits"], total[n]["sites_lost"]) for n in ("plain", "never", "guarded")]' "$tmp/second.out")" \
	'[(200, 0), (0, 0), (400, 0)]'
checks=$((checks + 1))
! grep -q 'counted at fewer sites' "$tmp/second.err" || fail "the second lost jumps: $(cat "$tmp/second.err")"
as_found 'the last of two has gone'

# --- somebody puts the byte of the file back, as the kernel does when a uprobe goes
counting -pid "$pid" -format json plain never # it goes on for the latter
ask 'run 1 100'
"$PROBES_TUI" list -pid "$pid" >"$tmp/list"
poke "$(awk 'found { print $4; exit } / counts:plain / { found = 1 }' "$tmp/list")" 220
ask 'run 1 100'
interrupted INT 130
same 'the total is not called complete' \
	"$(json 'total["plain"]["hits"], total["plain"]["sites_lost"], total["plain"]["hits_per_s"], total["plain"]["why"] is not None')" '(100, 1, None, True)'
as_found 'a jump was taken away'

# The same to a count that ends with the process: done in part.
counting -pid "$pid" plain never
ask 'run 1 100'
poke "$(awk 'found { print $4; exit } / counts:plain / { found = 1 }' "$tmp/list")" 220
session_says 'counted at fewer sites now'
stop
ended 1
has 'no rate of a part' '  -  .* counts:plain .*part of the time' "$tmp/result"
start counts

# --- -max-overhead: 5 ns a hit, so ten million hits a second are 5 % of a core
run_often()
{
	ask 'run 1 10000'
}
counting -pid "$pid" -format json -max-overhead 0.001 plain
meanwhile=run_often
appears 'no longer counted: .* hits/s at about 5 ns each cost an estimated .* -max-overhead is 0.001' "$tmp/held"
meanwhile=
wait "$session"
same 'nothing is left to count' $? 0
gone "$session"
same 'and the result says so' "$(json 'total["plain"]["over_budget"], total["plain"]["hits"] > 0')" '(True, True)'
as_found '-max-overhead'

# --- -output
want 0 count -no-syslog -pid "$pid" -for 50ms -o "$tmp/file.json" -format json
same 'nothing on standard output' "$(cat "$tmp/out")" ''
same 'all in the file' "$(json 'len(total)' "$tmp/file.json")" 5

# --- of a tree, one ends after it was found: the rest is counted, and that is no failure. We wait for
# whoever reads our messages, of which one is due as soon as the first process is counted.
start2 counts
mkfifo "$tmp/messages"
exec 7<>"$tmp/messages"
dd if=/dev/zero bs=4096 count=4096 oflag=nonblock >&7 2>/dev/null
"$PROBES_TUI" count -no-syslog -max-overhead 0 -tree $$ -for 50ms -format json \
	>"$tmp/result" 2>"$tmp/messages" </dev/null &
session=$!
started="$started $session"
site=$(($(bias "$VICTIMS/counts") + $(notes "$VICTIMS/counts" | awk '$2 == "plain" { print $3 }')))
until=$(($(date +%s) + 60))
until [ "$(peek $site 1)" = e9 ] || [ "$(date +%s)" -gt "$until" ]; do sleep 0.01; done
kill -9 "$pid2"
wait "$pid2" 2>/dev/null
gone "$pid2"
tr -d '\000' <"$tmp/messages" >"$tmp/held" 7>&- &
reader=$!
exec 7>&- 5>&- 6<&-
ended 0
wait "$reader"
has 'the rest' "^probes-tui: counting [4-9] of 9 sites of 5 probes in process $pid(;|\$)" "$tmp/held"
has 'the one that ended' "$pid2" "$tmp/held"
as_found 'of a tree, one ended'

# --- forked children count in their parent's counters, and are left as found
mkfifo "$tmp/cin" "$tmp/cout"
ask zero
counting -pid "$pid" -format json
echo "fork $tmp/cin$tab$tmp/cout" >&3
exec 5>"$tmp/cin" 6<"$tmp/cout"
read -r word child <&6
started="$started $child"
read_answer 4
ask2 'run 4 1000'
cp "$tmp/answer" "$tmp/child"
ask 'run 4 1000'
interrupted INT 130
agrees 'parent and child' "$tmp/answer" "$tmp/child"
as_found parent
parent=$pid pid=$child
bytes >"$tmp/after"
same 'the child: as in the file' "$(cat "$tmp/after")" "$(cat "$tmp/file")"
pid=$parent
echo quit >&5
exec 5>&- 6<&-

# --- of many forked children, each is left as found: their arenas do not exhaust what a session may keep
counting -pid "$pid" -format json
children=
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40; do
	ask "fork $tmp/cin$tab$tmp/cout"
	children="$children $(sed -n 's/done forked //p' "$tmp/answer")"
done
started="$started $children"
interrupted INT 130
same 'nothing is left in a child' "$(grep -c 'stays so\|may own' "$tmp/held")" 0
as_found 'parent of many'
parent=$pid
for pid in $children; do
	bytes >"$tmp/after"
	same 'a child of many: as in the file' "$(cmp "$tmp/after" "$tmp/file")" ''
	kill -9 "$pid"
done
pid=$parent

# --- what an earlier run could count only with -stop is still named so
start2 counts
want 0 count -no-syslog -pid "$pid2" -for 50ms -stop
run count -no-syslog -pid "$pid2" -for 50ms
cp "$tmp/err" "$tmp/err1"
run count -no-syslog -pid "$pid2" -for 50ms
same 'the third run says the same as the second' "$(grep counting "$tmp/err")" "$(grep counting "$tmp/err1")"
checks=$((checks + 1))
! grep -q 'its sites cannot be counted\|reason is not known' "$tmp/out" || fail "no reason: $(cat "$tmp/out")"
stop2

# --- several processes: summed in the text, apart in JSON
start2 counts
ask zero
counting -pid "$pid,$pid2" plain -stop -format text
appears "counting 1 of 1 .* in process $pid2" "$tmp/held"
ask 'run 1 300'
ask2 'run 1 500'
interrupted INT 130
has 'the sum' '^  *800 .*  2/2  counts:plain$' "$tmp/result"
as_found 'several'

# --- the target ends: its last hits are in the totals
stop2
start2 counts
pid1=$pid
counting -pid "$pid2" -format json
ask2 'run 4 1000'
stop2
ended 0
agrees 'a target that ended'

# --- it is killed, or executes itself: what was counted until then is printed, and the status says that it is not all
start2 counts
counting -pid "$pid2" -format json
ask2 'run 4 1000'
kill -9 "$pid2"
wait "$pid2" 2>/dev/null
ended 5
has 'killed: said' "^probes-tui: pid $pid2: signal 9 \\(.*\\) ended the process; results stop there\$" "$tmp/held"
agrees 'a target that was killed'
exec 5>&- 6<&-
pid=$pid1
stop
start counts
counting -pid "$pid" -format json
ask 'run 4 1000'
cp "$tmp/answer" "$tmp/before_exec"
echo "exec $VICTIMS/counts$tab" >&3
ended 5
has 'exec: said' "^probes-tui: pid $pid: the process is now running another program \\(exec\\), which is not counted; results stop there\$" "$tmp/held"
agrees 'a target that executed itself' "$tmp/before_exec"
exec 3>&- 4<&-

# --- killed: what is left is repaired
start counts
counting -pid "$pid" -stop
kill -9 "$session"
wait "$session" 2>/dev/null
gone "$session"
want 0 info -pid "$pid"
has 'on record' "an interrupted session \\(pid $session\\)"
ask 'run 4 100'
want 0 repair -no-syslog -pid "$pid"
as_found 'killed and repaired'
stop

# --- a program that is started: its output and its input are its own, and so is the status
fifos
: >"$tmp/held"
env --default-signal=INT,QUIT "$PROBES_TUI" count -no-syslog -max-overhead 0 -format json -o "$tmp/result" \
	-prog "$VICTIMS/counts" <"$tmp/in" >"$tmp/answers" 2>"$tmp/held" &
session=$!
started="$started $session"
exec 3>"$tmp/in" 4<"$tmp/answers"
read -r word pid _ <&4
started="$started $pid"
session_says 'counting [0-9]* of'
# ignores PID: does it ignore SIGPIPE or SIGXFSZ?
ignores()
{
	echo $((0x$(sed -n 's/^SigIgn:[^0-9a-f]*//p' "/proc/$1/status") & 0x1001000))
}
same 'ignored signals, as without us' "$(ignores "$pid")" "$(ignores $$)"
ask zero
ask 'run 4 1000'
echo quit >&3
exec 3>&- 4<&-
gone "$pid"
ended 0
agrees 'a program'
run count -no-syslog -prog "$VICTIMS/counts" -- --nonsense
same "the program's status" "$([ "$status" = 2 ] || [ "$status" = 5 ] && echo so)" so
want 3 count -no-syslog -prog /bin/true
want 2 count -no-syslog -prog "$VICTIMS/counts" nosuch
want 2 count -no-syslog -prog "$VICTIMS/counts" -regexp '('

# It is left running by -for, and ends with SIGTERM.
for how in '-for 50ms:0' ':143'; do
	fifos
	: >"$tmp/held"
	# shellcheck disable=SC2086 # no word, or two
	"$PROBES_TUI" count -no-syslog -max-overhead 0 ${how%:*} -prog "$VICTIMS/counts" \
		<"$tmp/in" >"$tmp/answers" 2>"$tmp/held" &
	session=$!
	started="$started $session"
	exec 3>"$tmp/in" 4<"$tmp/answers"
	read -r word pid _ <&4
	started="$started $pid"
	session_says 'counting [0-9]* of'
	if [ -n "${how%:*}" ]; then
		ended "${how#*:}"
		has 'it is left' "^probes-tui: pid $pid: it keeps running, and is no longer counted\$" "$tmp/held"
		as_found 'a program that runs on'
		ask report
		same 'it runs' "$(tail -n 1 "$tmp/answer")" 'done report'
		echo quit >&3
	else
		interrupted TERM "${how#*:}"
		read -r word <&4 || word=ended
		same 'SIGTERM is passed on' "$word" ended
	fi
	exec 3>&- 4<&-
	gone "$pid"
done
finish
