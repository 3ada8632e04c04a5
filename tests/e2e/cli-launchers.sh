#!/bin/sh
# trace through launchers: scripts, env, nice, shims, programs that execute themselves or exec in
# another thread. What becomes of it by exec has its probes on before it can hit one: the victim counts
# from its first call on, constructors included. A launcher is not harmed: signals, stops and children
# are its own, and it runs on when we are killed or detach. The programs found on the way are reported where
# no program was. Also: where -prog looks for a program, and what list makes of a script.
# Does not cover: the screen (tui-launchers.sh), programs that lose a privilege (cli-privilege.sh).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
launcher=$VICTIMS/launcher
static=$VICTIMS/launcher_static
mkdir "$tmp/bin"
ln -s "$VICTIMS/loop_lib" "$tmp/bin/the_victim"

# script NAME LINE...
script()
{
	file=$tmp/bin/$1
	shift
	printf '%s\n' "$@" >"$file"
	chmod +x "$file"
}

script plain '#!/bin/sh' 'exec the_victim "$@"'
script by_env '#!/usr/bin/env sh' 'exec the_victim "$@"'
script two_steps '#!/bin/sh' 'exec env ANY=1 nice -n 1 "${0%/*}/plain" "$@"'
script forks_first '#!/bin/sh' 'x=$(echo a | tr a b)' 'true & wait' "echo shim \$x" 'exec the_victim "$@"'
script no_line 'exec the_victim "$@"'
script never '#!/bin/sh' 'echo it ran; exit 4'
script to_static '#!/bin/sh' "exec '$static'"
script forks_only '#!/bin/sh' 'the_victim "$@"; exit 5'
script broken '#!/no/such/interpreter' 'x'
script by_nothing '#!/usr/bin/env no_such_command' 'x'
script by_victim "#!/usr/bin/env -S the_victim --steps" 'x'
PATH=$tmp/bin:$PATH
export PATH

# whole WHAT: nothing was missed, from the library's constructor on
whole()
{
	same "$1: multi, second" "$(value multi hits "$tmp/out") $(value second hits "$tmp/out")" '15 3'
	same "$1: constructors" "$(value exe_ctor hits "$tmp/out") $(value libvictim.lib_ctor hits "$tmp/out")" '1 1'
	same "$1: corrupt" "$(value check corrupt "$tmp/out")" 0
}

# followed WHAT PROG ARG...: and nothing is printed
followed()
{
	what=$1 prog=$2
	shift 2
	want 0 trace -no-syslog -wait -prog "$prog" -- "$@"
	same "errors of $what" "$(cat "$tmp/err")" ''
	whole "$what"
}

followed 'no launcher' the_victim --steps 3
followed 'a script' "$tmp/bin/plain" --steps 3
followed 'a script in PATH' plain --steps 3
followed 'a script run by env' by_env --steps 3
followed 'two steps and four launchers' two_steps --steps 3
followed 'a shim that forks first' forks_first --steps 3
has 'its children did their work' '^shim b$' "$tmp/out"
followed 'a script without a first line' no_line --steps 3
followed 'env' env A=b the_victim --steps 3
followed 'nice' nice -n 1 the_victim --steps 3
followed 'sh -c' sh -c 'exec the_victim --steps 3'
followed 'a static launcher' "$static" again 3 the_victim --steps 3
followed 'a program that executes itself 300 times' "$launcher" again 300 the_victim --steps 3
[ ! -x /usr/bin/python3 ] ||
	followed 'a program in C that forks and waits' sh -c 'nice true; exec the_victim --steps 3'

# ------------------------------------------------------------- exit statuses
want 2 trace -no-syslog -wait -prog plain -- --no-such-option
has "the program's own words" '^unknown option: --no-such-option$'
want 2 trace -no-syslog -wait -prog plain -enable no_such_probe -- --steps 3
has 'looked for in the program' 'no_such_probe'
same 'the program did not run' "$(cat "$tmp/out")" ''
want 0 trace -no-syslog -wait -prog two_steps -enable multi -- --steps 3
same 'only what was asked for' "$(value multi hits "$tmp/out") $(value second hits "$tmp/out")" '15 0'

# -------------------------------------------------- no program: what was found
found()
{
	has "$1" "^  (.*/)?$2: no probe notes"
}
want 3 trace -no-syslog -wait -prog never
has 'how it ended' 'exited with status 4'
same 'it ran' "$(cat "$tmp/out")" 'it ran'
found 'its interpreter' "$(basename "$(readlink -f /bin/sh)")"
want 3 trace -no-syslog -wait -prog to_static
has 'how it ended' 'exited with status 2'
found 'the shell' "$(basename "$(readlink -f /bin/sh)")"
found 'the static program' launcher_static
want 3 trace -no-syslog -wait -prog forks_only -- --steps 3
has 'how it ended' 'exited with status 5'
has 'children are not followed' 'forks'
same 'the child was not traced' "$(value multi hits "$tmp/out")" 0
want 3 trace -no-syslog -wait -prog "$launcher" -- again 20 "$static"
has 'many are counted' '/launcher: .*\(21 times\)$'
want 3 trace -no-syslog -wait -prog sh -- -c 'kill -9 $$'
has 'how it ended' 'killed by signal 9'

# --- nothing is started where that was not asked for
want 3 trace -no-syslog -dry-run -prog plain -- --steps 3
has 'a dry run' 'a dry run does not start it'
same 'a dry run' "$(cat "$tmp/out")" ''
want 3 trace -no-syslog -launcher 0 -prog never
same 'no launcher' "$(cat "$tmp/out")" ''

# ------------------------------------------------------------ where it is found
cd "$tmp/bin" || exit 99
cp "$VICTIMS/loop_ocaml2_fixed" "$tmp/bin/sort"
want 0 trace -no-syslog -wait -prog sort -- --steps 3
same 'the current directory before PATH' "$(value multi hits "$tmp/out")" 15
want 0 list -prog sort
has 'list looks in the same place' 'ocaml_2:multi' "$tmp/out"
mkdir "$tmp/empty"
cd "$tmp/empty" || exit 99
want 0 list -prog the_victim
has 'list looks in PATH' 'ocaml_2:multi' "$tmp/out"
mkdir the_victim
want 0 list -prog the_victim
has 'a directory is no program' 'ocaml_2:multi' "$tmp/out"
for verb in list trace; do
	refuses 3 "cannot find no_such_program: not found in the current directory \\($tmp/empty\\)" \
		$verb -prog no_such_program
	has 'where it was looked for' "PATH \\($tmp/bin:"
	want 3 $verb -prog ./the_victim2
	has 'with a slash only there' './the_victim2.*No such file'
done
cd "$OLDPWD" || exit 99
want 3 trace -no-syslog -prog broken
has 'the interpreter' 'interpreter that it names does not exist'

# ---------------------------------------------------------------- list, scripts
want 0 list -prog by_victim
has 'by env' 'ocaml_2:multi' "$tmp/out"
has 'it is said' 'by_victim is a script: these are the probes of its interpreter .*/the_victim'
want 3 list -prog plain
has 'the shell is named' 'no probes in /bin/sh'
want 3 list -prog broken
has 'what is missing' 'cannot open /no/such/interpreter: .*it is the interpreter of the script .*/broken'
want 3 list -prog by_nothing
has 'what is missing' 'cannot find no_such_command: .*it is the interpreter of the script .*/by_nothing'

# ------------------------------------------ signals, stops, children meanwhile

# talk [OPTION...]: trace of a launcher that obeys commands; $tracer, $pid.
talk()
{
	fifos
	"$PROBES_TUI" trace -no-syslog -prog "$launcher" "$@" -- talk "$VICTIMS/loop_lib" \
		<"$tmp/in" >"$tmp/answers" 2>"$tmp/err" &
	tracer=$!
	started="$started $tracer"
	exec 3>"$tmp/in" 4<"$tmp/answers"
	read -r word pid <&4
	same 'first word of the launcher' "$word" ready
	started="$started $pid"
}

# told WORD: the launcher's next line
told()
{
	[ -z "$1" ] || echo "$1" >&3
	read -r line <&4
	echo "$line"
}

# becomes WORD: by which it becomes the victim
becomes()
{
	echo "$1" >&3
	read -r word now <&4
	while [ "$word" = forked ] || [ "$word" = cloned ]; do
		echo "$word $now" >>"$tmp/children"
		read -r word now <&4
	done
	same 'the victim, in the same process' "$word $now" "ready $pid"
	ask step
	same 'all is on' "$(value multi hits) $(value libvictim.lib_ctor hits)" '5 1'
	has 'nobody traces it' '^TracerPid:.0$' "/proc/$pid/status"
}

# over: the victim ends; $1 is the status that trace returns
over()
{
	echo quit >&3
	exec 3>&- 4<&-
	wait "$tracer"
	same 'status of trace' $? "$1"
	gone "$tracer" "$pid"
}

talk -wait
for i in 1 2 3 4 5 6 7 8; do
	kill -USR1 "$pid"
	until [ "$(told signals)" = "signals usr1=$i cont=0" ]; do sleep 0.01; done
done
kill -STOP "$pid"
until grep -q '^State:.[tT] ' "/proc/$pid/status"; do sleep 0.01; done
echo signals >&3
# A job that is stopped stays stopped: it has not read that line. (It stops for its tracer first, and runs for a moment
# until it stops as a job.)
for i in 1 2 3 4 5 6 7 8 9 10; do
	polls=0
	until grep -q '^State:.[tT] ' "/proc/$pid/status" || [ $polls -gt 200 ]; do
		polls=$((polls + 1))
	done
	has 'it stays stopped' '^State:.[tT] ' "/proc/$pid/status"
done
kill -CONT "$pid"
same 'stopped, then continued' "$(told '')" 'signals usr1=8 cont=1'
becomes exec
over 0

# ^Z waits until the launcher is let go: a stopped tracer would hold it up.
talk -wait
kill -TSTP "$tracer"
for i in 1 2 3 4; do
	kill -USR1 "$pid"
	until [ "$(told signals)" = "signals usr1=$i cont=0" ]; do sleep 0.01; done
done
has 'trace has not stopped' '^State:.[^T]' "/proc/$tracer/status"
kill -CONT "$tracer" # takes the stop back
becomes exec
over 0

talk -wait
kill -TERM "$tracer" # is passed on
wait "$tracer"
same 'status of trace' $? 3
has 'how it ended' 'killed by signal 15'
exec 3>&- 4<&-
gone "$tracer" "$pid"

: >"$tmp/children"
talk -wait
echo fork >&3
for i in 1 2; do
	told '' >>"$tmp/children"
done
same 'children are not traced' "$(grep -c 'tracer=0$' "$tmp/children")" 2
becomes exec
# They report once more, perhaps after what the victim said.
while [ "$(wc -l <"$tmp/children")" -lt 4 ]; do
	told '' >>"$tmp/children"
done
same 'nor harmed' "$(grep -c 'after exec: tracer=0$' "$tmp/children")" 2
over 0

# --- another thread calls exec
for i in 1 2 3 4 5; do
	talk -wait
	becomes thread
	over 0
done

# --- we are killed while it is a launcher: it becomes its program as if nobody had been there
talk
has 'traced' "^TracerPid:.[1-9]" "/proc/$pid/status"
kill -9 "$tracer"
wait "$tracer"
gone "$tracer"
until grep -q '^TracerPid:.0$' "/proc/$pid/status"; do sleep 0.01; done
kill -USR1 "$pid"
until [ "$(told signals)" = 'signals usr1=1 cont=0' ]; do sleep 0.01; done
echo exec >&3
read -r word now <&4
same 'it runs on' "$word $now" "ready $pid"
ask step
same 'without probes' "$(value multi hits)" 0
echo quit >&3
exec 3>&- 4<&-
gone "$pid"

# --- the time is over: it is let go, and that is said; nothing interrupts it
talk -launcher 300ms
wait "$tracer"
same 'status of trace' $? 3
gone "$tracer"
has 'what is the case' 'runs on untraced'
found 'what it is' launcher
has 'nobody traces it' '^TracerPid:.0$' "/proc/$pid/status"
echo exec >&3
read -r word now <&4
same 'it runs on' "$word $now" "ready $pid"
echo quit >&3
exec 3>&- 4<&-
gone "$pid"

fifos
"$PROBES_TUI" trace -no-syslog -wait -launcher 200ms -prog "$launcher" -- idle \
	>"$tmp/answers" 2>"$tmp/err" &
tracer=$!
exec 4<"$tmp/answers"
read -r word pid <&4
same 'it waits' "$word" idle
until grep -q 'runs on untraced' "$tmp/err"; do sleep 0.01; done
until grep -q '^TracerPid:.0$' "/proc/$pid/status"; do sleep 0.01; done
kill -TERM "$tracer"
wait "$tracer"
same 'status of trace' $? 3
same 'its system call was not interrupted' "$(cat <&4)" ''
exec 4<&-

# --- killed at any time: the program runs on, or has not begun; it never hits a breakpoint of ours
for us in 2000 3000 4000 5000 6000 8000 10000 12000 15000 20000 25000 30000 40000 50000 60000 70000; do
	"$launcher" reap $us "$PROBES_TUI" trace -no-syslog -prog "$launcher" -- \
		again 60 sh -c 'exit 3' >"$tmp/ends" 2>/dev/null
	same "killed after $us us" "$(grep -vc 'signal=9 status=0$\|signal=0 status=\(0\|3\|127\)$' "$tmp/ends")" 0
done
finish
