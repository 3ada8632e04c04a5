#!/bin/sh
# trace: probes are on before anything can hit them, constructors of the program and of its
# libraries included; with -wait the exit status is the program's; what fails before its start
# leaves nothing running.
# Does not cover: programs that exec another (cli-launchers.sh), and set-user-id programs.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
steps='--steps 3'

# trace VICTIM ACTION...: with -wait and three rounds; its output is in $tmp/out.
trace()
{
	program=$VICTIMS/$1
	shift
	want 0 trace -no-syslog -wait -prog "$program" "$@" -- $steps
	same "errors of trace $*" "$(cat "$tmp/err")" ''
}

seen()
{
	value "$1" hits "$tmp/out"
}

for victim in loop_ocaml0_fixed loop_ocaml0_pie loop_ocamldot1_fixed loop_ocamldot1_pie \
	loop_ocaml1_fixed loop_ocaml1_pie loop_ocaml2_fixed loop_ocaml2_pie \
	loop_static loop_static_pie loop_lib loop_lib1; do
	echo "-- $victim"
	"$VICTIMS/$victim" $steps >"$tmp/plain"
	trace $victim -enable-all
	same "$victim: arguments are passed on" "$(grep -c '^done 3$' "$tmp/out")" 1
	same "$victim: multi" "$(seen multi)" 15
	same "$victim: second" "$(seen second)" 3
	same "$victim: first without us" "$(value first hits "$tmp/plain")" 0
	same "$victim: never" "$(seen never)" 0
	case $victim in
	*static* | *lib*) same "$victim: its constructor" "$(seen exe_ctor)" 1 ;;
	*ocaml1* | *dot1*) same "$victim: on from the start" "$(seen from_start)" 3 ;;
	esac
	case $victim in
	*lib*)
		same "$victim: the library's constructor" "$(seen libvictim.lib_ctor)" 1
		same "$victim: in the library" "$(seen libvictim.lib_work)" 6 ;;
	esac
	same "$victim: corrupt" "$(value check corrupt "$tmp/out")" 0

	trace $victim -enable multi
	same "$victim: only multi" "$(seen multi) $(seen second)" '15 0'
	trace $victim -enable-pair work_start,work_end
	same "$victim: the pair" "$(grep '^events:' "$tmp/out")" \
		'events: start end start end start end'
	trace $victim -enable-regexp 's.*d$'
	same "$victim: by expression" "$(seen second) $(seen multi)" '3 0'
done

# --- without an action: all, and not a word
"$VICTIMS/loop_lib" $steps >"$tmp/plain"
trace loop_lib
same 'without an action' "$(seen multi) $(seen second) $(seen libvictim.lib_ctor)" '15 3 1'
want 0 trace -no-syslog -wait -prog "$VICTIMS/sdt_sema" -- $steps
same 'without an action' "$(value single guarded "$tmp/out")" 3

# --- sdt
want 0 trace -no-syslog -wait -prog "$VICTIMS/sdt_sema" -enable shared -- $steps
same 'a semaphore' "$(value shared.1 guarded "$tmp/out") $(value single guarded "$tmp/out")" '3 0'

# --- counts are set, not raised: what is on from the start stays at 1
want 0 trace -no-syslog -wait -format csv -prog "$VICTIMS/loop_ocaml1_pie" -enable from_start \
	-- $steps
has 'count of 1' ',from_start,on,1,' "$tmp/err"

# --- disable actions are ignored, with a notice
want 0 trace -no-syslog -wait -prog "$VICTIMS/loop_ocaml1_pie" -enable first -disable multi -- $steps
has 'ignored' 'ignored'
same 'the other action is done' "$(seen first)" 3

# --- exit statuses
want 2 trace -no-syslog -wait -prog "$VICTIMS/loop_lib" -enable-all -- --no-such-option
has "the program's own words" '^unknown option: --no-such-option$'

# launch_trace [OPTION...]: our program with a victim below it on fifos; $tracer, $pid.
launch_trace()
{
	fifos
	"$PROBES_TUI" trace -no-syslog -prog "$VICTIMS/loop_lib" "$@" \
		<"$tmp/in" >"$tmp/answers" 2>"$tmp/err" &
	tracer=$!
	started="$started $tracer"
	exec 3>"$tmp/in" 4<"$tmp/answers"
	read -r word pid <&4
	same 'first word of a traced victim' "$word" ready
	started="$started $pid"
}

# --- without -wait: returns at once, and the program runs on by itself
launch_trace -enable-all
wait "$tracer"
same 'status of trace' $? 0
same 'errors of trace' "$(cat "$tmp/err")" ''
gone "$tracer"
has 'nobody traces it' '^TracerPid:.0$' "/proc/$pid/status"
same 'its state' "$(state multi)" enabled
attach -disable multi
ask step
same 'attach after trace' "$(value multi hits) $(value second hits)" '0 1'
echo quit >&3
exec 3>&- 4<&-
gone "$pid"

# --- with -wait: signals are passed on, and a signal's end is 128 + its number
for signal in 15 1; do
	launch_trace -enable-all -wait
	kill -$signal "$tracer"
	wait "$tracer"
	same "status after signal $signal" $? $((128 + signal))
	exec 3>&- 4<&-
	[ ! -d "/proc/$pid" ] || fail "the program outlived signal $signal"
	gone "$tracer" "$pid"
done
launch_trace -enable-all -wait
kill -9 "$pid"
wait "$tracer"
same 'status after SIGKILL' $? 137
exec 3>&- 4<&-
gone "$tracer" "$pid"

# --- what fails before the start leaves nothing running
"$VICTIMS/loop_lib" --steps 1 >"$tmp/plain"
for actions in '-enable no_such_probe' '-enable-regexp (' '-enable-pair first,nothing'; do
	want 2 trace -no-syslog -wait -prog "$VICTIMS/loop_lib" $actions -- $steps
	same "output of the program that was not started" "$(cat "$tmp/out")" ''
done
want 3 trace -no-syslog -wait -launcher 0 -prog /bin/echo -enable-all -- hello
same 'a program without probes is not started' "$(cat "$tmp/out")" ''

# --- a dry run starts nothing
want 0 trace -no-syslog -wait -dry-run -prog "$VICTIMS/loop_lib" -enable multi -- $steps
same 'output of a dry run' "$(cat "$tmp/out")" ''
has 'the plan' '-> e8 .* ocaml_2:multi$'
finish
