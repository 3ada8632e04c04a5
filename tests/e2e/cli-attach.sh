#!/bin/sh
# attach and info, there and back: for every OCaml provider, fixed, position-independent, static
# and in libraries, and for sdt semaphores. What is on is told by the victim's handlers, by info
# and by the victim's memory, read by dd. Regular expressions, pairs in their order, -dry-run.
# Does not cover: counts over several clients (cli-counts.sh), several processes (cli-several.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching

# hits NAME ROUNDS: how often its handler ran in so many rounds.
hits()
{
	ask report
	before=$(value "$1" hits)
	ask "step $2"
	echo $(($(value "$1" hits) - before))
}

# round_trip FILE NAME SITES: off, on, off.
round_trip()
{
	same "$2 at first" "$(state "$2") $(hits "$2" 2)" 'disabled 0'
	off=$(live "$1" "$2")
	attach -enable "$2"
	same "$2 on" "$(state "$2") $(hits "$2" 3)" "enabled $((3 * $3))"
	on=$(live "$1" "$2")
	same "$2 in memory, on" "$on" "$(echo "$off" | sed 's/903d/90e8/; s/count 0000/count 0100/')"
	attach -disable "$2"
	same "$2 off" "$(state "$2") $(hits "$2" 2)" 'disabled 0'
	same "$2 in memory, off" "$(live "$1" "$2")" "$off"
}

pair()
{
	attach -enable-pair work_start,work_end
	ask 'step 2'
	same 'pair on' "$(grep '^events:' "$tmp/answer")" 'events: start end start end'
	attach -disable-pair work_start,work_end
	ask step
	same 'pair off' "$(grep '^events:' "$tmp/answer")" 'events:'
	same 'ends lost' "$(value check lost_ends)" 0
}

# all: every probe of the program and its libraries on, then off, by both kinds of selection.
all()
{
	# What is on from the start is counted once more by -enable-all, and stays on after.
	"$PROBES_TUI" info -pid "$pid" >"$tmp/before"
	attach -enable-all
	run info -pid "$pid"
	same 'all on' "$(grep -cv ' enabled' "$tmp/out")" 0
	attach -disable-all
	run info -pid "$pid"
	same 'all as before' "$(cat "$tmp/out")" "$(cat "$tmp/before")"
	attach -enable-regexp 'work_\(start\|end\)'
	same 'by expression' "$(state work_start) $(state work_end) $(state second)" \
		'enabled enabled disabled'
	attach -disable-regexp 'w.*_(start|end)$'
	same 'by expression, off' "$(state work_start) $(state work_end)" 'disabled disabled'
	# An expression must match from the first character of the name.
	want 2 attach -no-syslog -pid "$pid" -enable-regexp 'ork_start'
}

# loop VICTIM: one that needs no library.
loop()
{
	echo "-- $1"
	start "$1"
	round_trip "$VICTIMS/$1" second 1
	round_trip "$VICTIMS/$1" multi 5
	round_trip "$VICTIMS/$1" registers 1
	pair
	all
	case $1 in
	*ocaml1* | *ocamldot1*)
		# On from the start, by the compiler: the bytes of the file are no "off".
		same 'on from the start' "$(state from_start) $(hits from_start 2)" 'enabled 2'
		attach -disable from_start
		same 'then off' "$(state from_start) $(hits from_start 2)" 'disabled 0'
		attach -enable from_start
		same 'and on' "$(state from_start) $(hits from_start 2)" 'enabled 2'
		;;
	*ocaml2* | *static*) round_trip "$VICTIMS/$1" sema_only 1 ;;
	esac
	ask step
	same 'registers corrupted' "$(value check corrupt)" 0
	stop
}

for victim in loop_ocaml0 loop_ocamldot1 loop_ocaml1 loop_ocaml2; do
	loop ${victim}_fixed
	loop ${victim}_pie
done
loop loop_static
loop loop_static_pie

# --- libraries: one name in two objects, both switched; narrowed to one
for victim in loop_lib loop_lib1; do
	echo "-- $victim"
	start $victim
	attach -enable first,lib_work
	ask 'step 2'
	same 'first' "$(value first hits) $(value libvictim.first hits)" '2 2'
	same 'lib_work' "$(value libvictim.lib_work hits)" 4
	attach -disable first,lib_work
	case $victim in
	loop_lib) object=libvictim.so ;;
	*) object=libvictim1.so ;;
	esac
	attach -object $object -enable first
	ask 'step 2'
	same 'first in the library' "$(value first hits) $(value libvictim.first hits)" '2 4'
	attach -object $object -disable-all
	ask 'step 2'
	same 'all off' "$(value first hits) $(value libvictim.first hits)" '2 4'
	stop
done

# --- opened on command; and gone again
echo '-- loop_dlopen'
start loop_dlopen
want 2 attach -no-syslog -pid "$pid" -enable lib_work
ask "load $VICTIMS/libvictim.so"
attach -enable lib_work
ask 'step 3'
same 'in what was opened' "$(value libvictim.lib_work hits)" 6
ask unload
want 2 attach -no-syslog -pid "$pid" -disable lib_work
ask step
stop

# --- sdt: through semaphores, one or several a name, and none
echo '-- sdt'
start sdt_sema --threads 2
want 0 attach -no-syslog -pid "$pid" -disable-all
all=$(sed -n 's/.*: nothing was switched: \([0-9]*\) probes are off already$/\1/p' "$tmp/err")
run list -pid "$pid" -quiet
same 'off already, all of them' "$all" "$(grep -c '^\[ \]' "$tmp/out")"
attach -enable private,shared
ask 'step 3'
same 'semaphores' "$(value private.1 guarded) $(value private.2 guarded) $(value shared.1 guarded)
$(value shared.2 guarded) $(value single guarded)" '3 3 3
3 0'
same 'counts' "$(value private.1 sema) $(value private.2 sema) $(value shared.1 sema)" '1 1 1'
same 'states' "$(state private) $(state single)" 'enabled disabled'
attach -disable private -disable shared
ask step
same 'off again' "$(value private.1 guarded) $(value shared.2 sema)" '3 0'
stop
start sdt_plain
want 0 info -pid "$pid"
same 'info' "$(cut -d ' ' -f 2- "$tmp/out" | sort -u)" 'cannot be enabled'
want 0 list -pid "$pid"
has 'list' '^\[\.\]   victim:plain +-/1 +- +sdt_plain$' "$tmp/out"
has 'summary' '; 7 no switch$' "$tmp/out"
site=$(awk '$2 == "victim:plain" { getline; print $4 }' "$tmp/out")
want 0 list -pid "$pid" -format json
same 'JSON' "$(grep -c '"name": "[a-z_]*", "state": "none", "ref": null' "$tmp/out")" 7
poke "$site" 314
want 0 info -pid "$pid"
has 'another tool holds it' '^plain foreign$' "$tmp/out"
poke "$site" 220
# Enabling what cannot be enabled is no success, and says what can be done; disabling it is one.
refuses 1 ': nothing can be enabled: 7 probes have no semaphore; probes-tui count, latency and events need none' \
	attach -no-syslog -pid "$pid" -enable-all
want 1 attach -no-syslog -pid "$pid" -enable-all -dry-run
want 1 attach -no-syslog -pid "$pid" -enable-all -verbose
has 'skipped, with why' 'plain: .*nothing to switch: no semaphore'
want 1 attach -no-syslog -pid "$pid" -enable-all -format csv
has 'skipped' ',skipped,.*no semaphore' "$tmp/out"
want 0 attach -no-syslog -pid "$pid" -disable-all
has 'that is no change' ': nothing was switched: 7 probes have no semaphore$'
run attach -no-syslog -pid "$pid" -enable plain
same 'a probe without semaphore, named' "$([ "$status" -ne 0 ] && echo refused)" refused
has 'why' 'no semaphore'
want 1 attach -no-syslog -pid "$pid" -disable plain
same 'one fact, one line' "$(cat "$tmp/err")" \
	'probes-tui: cannot disable victim:plain: nothing to switch: no semaphore'
stop

# --- a dry run
echo '-- dry run'
start loop_ocaml2_pie
before="$(live "$VICTIMS/loop_ocaml2_pie" multi)"
want 0 attach -no-syslog -pid "$pid" -enable multi -dry-run
same 'planned sites' "$(grep -cE '^0x[0-9a-f]{12}  3d +-> e8 +site +ocaml_2:multi$' "$tmp/out")" 5
same 'planned semaphores' \
	"$(grep -cE '^0x[0-9a-f]{12}  00 00 -> 01 00 +semaphore +ocaml_2:multi$' "$tmp/out")" 1
has 'nothing written' '^6 writes planned, nothing written$' "$tmp/out"
same 'memory after a dry run' "$(live "$VICTIMS/loop_ocaml2_pie" multi)" "$before"
same 'state after a dry run' "$(state multi) $(hits multi 2)" 'disabled 0'
want 0 attach -no-syslog -pid "$pid" -read-only -dry-run -enable multi
want 6 attach -no-syslog -pid "$pid" -read-only -enable multi
want 0 attach -no-syslog -pid "$pid" -enable first -format json
has 'result' '"name": "first", "state": "on", "ref": 1, "result": "ok", "why": null' "$tmp/out"
stop

# --- while two threads run through the sites. An activity that is under way while a pair is switched
# off may lose its end, so only switching on is judged by that.
start loop_ocaml2_pie --loop --threads 2
attach -enable-pair work_start,work_end
ask report
same 'ends lost by running threads' "$(value check lost_ends)" 0
attach -disable-pair work_start,work_end
for n in 1 2 3 4 5; do
	attach -enable-all
	attach -disable-all
done
ask report
same 'registers corrupted in running threads' "$(value check corrupt)" 0
same 'what they saw' "$([ "$(value registers hits)" -gt 0 ] && echo hits)" hits
stop
finish
