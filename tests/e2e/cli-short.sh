#!/bin/sh
# A shortage of our own descriptors or memory is reported as such: no false statement about the
# process, no half switch, no lost journal. Under every small limit a call either does everything or
# reports the shortage. The limit is raised to the hard one, but not for programs that we start. When
# descriptors are scarce, a session holds fewer.
# Does not cover: ENFILE, the limit on processes, the screen (tui-short.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching

short='probes-tui has no (file descriptors|memory) left'
# What would be a statement about the process.
lies='such process|ended|zombie|ermitted|ermission|denied|unknown|nothing|no probes|malformed|sense'

# limited N ARG...: with so many descriptors at most. The loader needs some, too.
limited()
{
	limit=$1
	shift
	(
		ulimit -n "$limit" || exit 99
		exec "$PROBES_TUI" "$@"
	) >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}

# loads: it was our program that answered, not the loader.
loads()
{
	! grep -q 'error while loading' "$tmp/err"
}

# is_short WHAT: the last call failed for want of something of ours, and says nothing else.
is_short()
{
	same "status, $1" "$status" 1
	has "reason, $1" "$short"
	checks=$((checks + 1))
	if grep -Eq "$lies|fewer processes" "$tmp/err"; then
		fail "$1: a statement about the process: $(cat "$tmp/err")"
	fi
}

journals()
{
	ls "$PROBES_TUI_RECORDS" 2>/dev/null | wc -l | tr -d ' '
}

# --- every limit: all of the answer, or what is lacking; a session of somebody else keeps its record
start loop_ocaml2_pie
hold -enable second
same 'the journal of the one who lives' "$(journals)" 1
for verb in list info; do
	want 0 $verb -pid "$pid" -quiet
	cp "$tmp/out" "$tmp/whole"
	good=0
	for n in $(seq 3 40); do
		limited "$n" $verb -pid "$pid" -quiet
		loads || continue
		if [ "$status" = 0 ]; then
			same "$verb with $n" "$(diff "$tmp/out" "$tmp/whole" | head -n 3)" ''
			good=$((good + 1))
		else
			is_short "$verb with $n"
		fi
	done
	checks=$((checks + 1))
	[ "$good" -ge 24 ] || fail "$verb worked with $good of the limits alone"
done
for n in $(seq 3 40); do
	limited "$n" list -pid "$pid"
	! loads || [ "$status" = 0 ] || is_short "list with $n"
	limited "$n" repair -pid "$pid"
	if loads && [ "$status" != 0 ]; then
		is_short "repair with $n"
	fi
done
same 'the journal is still there' "$(journals)" 1
same 'nobody undid it' "$(live "$file" second | grep -c 'count 0100')" 1

# --- switching: wholly or not at all, as another reader sees it
off=$(live "$file" multi)
attach -enable multi
on=$(live "$file" multi)
attach -disable multi
same 'as before' "$(live "$file" multi)" "$off"
for n in $(seq 3 40); do
	limited "$n" attach -no-syslog -pid "$pid" -enable multi
	loads || continue
	if [ "$status" = 0 ]; then
		same "on with $n" "$(live "$file" multi)" "$on"
		attach -disable multi
	else
		is_short "attach with $n"
		same "untouched with $n" "$(live "$file" multi)" "$off"
	fi
	limited "$n" attach -no-syslog -pid "$pid" -enable multi -for 10ms
	[ "$status" = 0 ] || is_short "attach -for with $n"
	same "untouched or undone with $n" "$(live "$file" multi)" "$off"
done
same 'no journal more' "$(journals)" 1

# --- what a killed session left is undone, or said to be there still
kill -9 "$session"
{ wait "$session"; } 2>/dev/null
gone "$session"
undone=
for n in $(seq 3 40); do
	limited "$n" repair -pid "$pid"
	loads || continue
	if [ "$status" != 0 ]; then
		is_short "repair with $n"
		same "still on record with $n" "$(journals)" 1
	elif [ -z "$undone" ]; then
		undone=$n
		same "undone with $n" "$(state second) $(journals)" 'disabled 0'
	fi
done
checks=$((checks + 1))
[ -n "$undone" ] || fail 'repair never had enough'

# --- the ladder says so, too, and no process is missing without a word
limited 9 list -comm "${file##*/}"
! loads || is_short 'list -comm with 9'
limited 9 list -tree "$pid"
! loads || is_short 'list -tree with 9'
limited 9 list -prog "$file"
! loads || is_short 'list -prog with 9'
stop

# --- memory: likewise. A sanitizer has its own, of terabytes.
if ! grep -q __asan_init "$PROBES_TUI"; then
	start many
	want 0 info -pid "$pid"
	cp "$tmp/out" "$tmp/whole"
	for kilobytes in $(seq 6000 700 34000); do
		(
			ulimit -v "$kilobytes" || exit 99
			exec "$PROBES_TUI" info -pid "$pid"
		) >"$tmp/out" 2>"$tmp/err" </dev/null
		status=$?
		loads || continue
		if [ "$status" = 0 ]; then
			cmp -s "$tmp/out" "$tmp/whole" || fail "info with $kilobytes kB: not all of it"
		else
			is_short "info with $kilobytes kB"
		fi
	done
	stop
fi

# --- what we start gets the limit that we were given; ours is raised
# soft PID: its soft limit.
soft()
{
	awk '/^Max open files/ { print $4 }' "/proc/$1/limits"
}

hard=$(ulimit -Hn)
fifos
(
	ulimit -Sn 300
	exec "$PROBES_TUI" trace -no-syslog -wait -prog "$VICTIMS/loop_ocaml2_pie" -enable-all
) <"$tmp/in" >"$tmp/answers" 2>"$tmp/err" &
session=$!
started="$started $session"
exec 3>"$tmp/in" 4<"$tmp/answers"
read -r word pid _ <&4
same 'it begins' "$word" ready
same 'soft limit of the program' "$(soft "$pid")" 300
same 'our own' "$(soft "$session")" "$hard"
echo quit >&3
exec 3>&- 4<&-
wait "$session"
same 'its status' $? 0
gone "$session"

# --- many processes: 5 descriptors each where there is room, 2 where there is not
count=20
fifos
sh -c 'for i in $(seq "$1"); do "$2" <"$3" & done; wait' sh "$count" "$VICTIMS/loop_ocaml2_pie" \
	"$tmp/in" >"$tmp/answers" &
parent=$!
started="$started $parent"
exec 4<"$tmp/answers"
exec 3>"$tmp/in"
for _ in $(seq "$count"); do
	read -r _ pid _ <&4
	started="$started $pid"
done
limited 64 list -tree "$parent"
same 'status of a tree' "$status" 0
same 'processes of a tree' "$(grep -c 'ocaml_2:first ' "$tmp/out")" "$count"
same 'nothing to say' "$(cat "$tmp/err")" ''
# Half of the tree: the others are named, with the true reason.
limited 32 list -tree "$parent"
same 'status of half a tree' "$status" 1
shown=$(grep -c 'ocaml_2:first ' "$tmp/out")
same 'each is shown or named' "$((shown + $(grep -Ec "$short" "$tmp/err")))" "$count"
same 'and nothing else is said' "$(grep -Evc "$short" "$tmp/err")" 0
exec 3>&- 4<&-
wait "$parent"
finish
