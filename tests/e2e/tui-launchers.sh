#!/bin/sh
# The screen and launchers: a script that executes the program, and env. The program is found, held at
# its start, and its probes are on before its first instruction; the screen says how it was found. A
# launcher that loads a library with probes is shown. A launcher that never executes a program with probes: what was found is said, without a screen.
# Does not cover: how launchers are followed (cli-launchers.sh).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
program=$VICTIMS/test.exe
[ -x "$program" ] || skip "no $program"
printf '#!/bin/sh\necho by the shim\nexec env A=b "%s"\n' "$program" >"$tmp/shim"
printf '#!/bin/sh\necho only this; exit 4\n' >"$tmp/never"
chmod +x "$tmp/shim" "$tmp/never"

terminal 80 24
type_command "'$PROBES_TUI' -no-syslog -end-program -hold -prog '$tmp/shim'"
wait_for 'HELD AT ITS START'
seen 'the program' 'pid [0-9]+.* test.exe|test.exe.*pid [0-9]+'
seen 'how it was found' 'test.exe was reached through 2 launchers'
wait_for '^by the shim'
unseen 'nothing of the program has run' '^ready'
keys r
wait_for '^ready [0-9]+$'
keys q y
wait_for '^status=0$'

type_command "'$PROBES_TUI' -no-syslog -end-program -enable req_start -prog '$tmp/shim'"
wait_for '^\[req_start\]'
keys q y
wait_for '^status=0$'

# A program that never executes another, and loads a library with probes.
type_command "'$PROBES_TUI' -no-syslog -end-program -enable first -prog '$VICTIMS/late' -- '$VICTIMS/libvictim.so'"
wait_state on 'ocaml_2:first'
seen 'what was done' 'after its start: 1 site'
wait_for '^loaded [0-9]+$'
keys q y
wait_for '^status=0$'

type_command "'$PROBES_TUI' -no-syslog -end-program -hold -prog '$VICTIMS/late' -- '$VICTIMS/libvictim.so'"
wait_for 'late loaded its probes after its start: it was not held'
wait_for '^loaded [0-9]+$'
keys q y
wait_for '^status=0$'

# One that becomes nothing: it is said at once, and ^C ends the waiting, not the program.
type_command "'$PROBES_TUI' -no-syslog -prog sleep -- 600"
wait_for 'sleep has no probes; waiting 10 s for it'
keys C-c
wait_for '^status=3$'
seen 'what became of it' 'did not become one; it runs on .kill [0-9]+ ends it., its output goes to /'
sleeper=$(sed -n 's/.*(kill \([0-9]*\) ends it).*/\1/p' "$tmp/screen")
same 'it runs on' "$(cat "/proc/$sleeper/comm")" sleep
kill "$sleeper"

type_command "'$PROBES_TUI' -no-syslog -prog '$tmp/never'"
wait_for '^status=3$'
seen 'how it ended' 'exited with status 4'
seen 'what was found' 'no probe notes'
finish
