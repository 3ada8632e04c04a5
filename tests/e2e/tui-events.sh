#!/bin/sh
# Events on the screen: v on a probe, on tagged ones, on pairs; each is that of a victim that logs its hits; texts,
# conditions, search, the cursor that stays or follows, freeze, one event in full, r, q, v again, undo, a process that
# ends, two processes, read-only, the budget, the script, the command line, a narrow screen, a ready question. The code
# of the victim is the proof that nothing is left.
# Does not cover: whether the events are right in each detail, and what is lost (cli-events.sh).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
need_zydis
mkdir -p "$tmp/config/probes-tui"
export XDG_CONFIG_HOME="$tmp/config"
cat >"$tmp/config/probes-tui/questions" <<'END'
question = texts of say
call     = events logs:say -str arg2 -where 'arg1 >= 5'
END
start logs
remember "$VICTIMS/logs"

time='[0-9][0-9]:[0-9][0-9]:[0-9][0-9]\.[0-9]{6}'

# ------------------------------------------------------------- one probe
terminal 100 30
screen -max-overhead 0
text ':stop'
keys Enter
wait_for 'counting may stop the process'
on logs:few
keys v
wait_for '^Events: logs:few$'
seen 'none yet' '^  no hit yet$'
seen 'headings; one probe needs no column' '^  TIME +TID THREAD +ARGUMENTS$'
seen 'the keys' '^r Restart v Stop s Strings '
keys Enter
wait_for 'no events yet'
ask zero
ask 'hold 1 4' # its name is read while it lives
wait_for '^  4 events'
ask go
ask "log $tmp/hits"
same 'each is that of the log' \
	"$(sed -En "s/^[> ] $time *([0-9]+) ([^ ]+) *[a-z0-9]+=([-0-9]+) [a-z0-9]+=([-0-9]+)\$/\1 \2 \3 \4/p" "$tmp/screen")" \
	"$(awk '$5 == "few" { print $1, $2, $6, $7 }' "$tmp/hits")"
same 'the cursor is on the newest' "$(grep -Ec '^> .*=4 .*=-4$' "$tmp/screen")" 1

# ------------------------------------------------------------- the cursor stays, and follows
keys k
wait_for "^> $time .* [a-z0-9]+=3 "
ask 'hold 1 40'
wait_for '^  44 events'
ask go
wait_for "^> $time .* [a-z0-9]+=3 [a-z0-9]+=-3\$"
seen 'which one it is' '^Events: logs:few +3 of 44 \(G follows\)$'
keys G
wait_for "^> $time .* [a-z0-9]+=40 [a-z0-9]+=-40\$"
seen 'the last one' '^Events: logs:few +44 of 44$'
ask 'hold 1 41' # for its name, too
wait_for "^> $time .* [a-z0-9]+=41 [a-z0-9]+=-41\$"
ask go
keys g
wait_for "^> $time .* [a-z0-9]+=1 "
text '/~[a-z0-9]+=37 '
keys Enter
wait_for "^> $time .* [a-z0-9]+=37 "
keys n # to the next one, whose row looks like this one
wait_for '^Events: logs:few +81 of 85 '
seen 'the next match' "^> $time .* [a-z0-9]+=37 [a-z0-9]+=-37\$"
keys Enter
wait_for '^Event of logs:few$'
seen 'its time' '^  time +20[0-9-]+T[0-9:]+\.[0-9]{6}$'
seen 'its process' "^  process +$pid\$"
seen 'its thread' '^  thread +[0-9]+ log-[0-9]+$'
seen 'its site' '^  site +1 of 1$'
seen 'where that is' '^ +few\+0x[0-9a-f]+'
seen 'an argument' '^  arg1 +37$'
# A register, or memory, where the compiler likes that better.
case $(readelf -n "$VICTIMS/logs" | grep -A 2 'Name: few$') in
*'Arguments: -8@%'*) place='register %' ;;
*) place='memory at %' ;;
esac
seen 'and what it is' "^ +(id: )?signed, 8 bytes, $place"
keys q
wait_for "^> $time .* [a-z0-9]+=37 "

# ------------------------------------------------------------- frozen
keys Z G
wait_for '^  85 events.*; frozen'
ask 'run 1 3'
wait_for '^  88 events'
seen 'nothing moves' "^> $time .* [a-z0-9]+=41 [a-z0-9]+=-41\$"
keys Z
wait_for "^> $time .* [a-z0-9]+=3 [a-z0-9]+=-3\$"

# ------------------------------------------------------------- only some
keys '\'
wait_for '^only where:'
text 'arg1 ~ "'
wait_for 'quote is not closed'
keys C-u
text 'arg1 >= 5 and arg2 != -7'
keys Enter
wait_for '^  88 events.*; only where arg1 >= 5 and arg2 != -7$'
ask 'run 1 8'
wait_for '^  91 events'
seen 'the first' "^  $time .* [a-z0-9]+=5 [a-z0-9]+=-5\$"
seen 'the last' "^> $time .* [a-z0-9]+=8 [a-z0-9]+=-8\$"
same 'and not the one between' "$(tail -n 6 "$tmp/screen" | grep -c '=7 ')" 0
keys '\' C-u
text 'arg7 > 1'
keys Enter
wait_for 'not changed: there is no arg7'
seen 'the old one stays' 'only where arg1 >= 5 and arg2 != -7$'
keys '\' C-u
text 'arg1 ~ seven'
keys Enter
wait_for 'only where arg1 ~ seven$'
ask 'run 1 7'
wait_for ', 7 left out \(unread\).*; only where arg1 ~ seven$'
keys '\' C-u Enter
wait_for 'showing all events, from now on$'
unseen 'without a condition' 'only where|left out'
keys r
wait_for 'reset: the list is empty'
wait_for '^  0 events'
seen 'none is left' '^  no hit yet$'
ask 'run 1 40'
wait_for '^Events: logs:few +40 of 40$'
keys Z
wait_for '; frozen'
keys r
wait_for '^  0 events.*; frozen'
seen 'none is left, frozen' '^  no hit yet$'
same 'nor counted' "$(grep -Ec '^Events: .* of ' "$tmp/screen")" 0
keys Z
wait_for 'thawed$'

# ------------------------------------------------------------- q leaves them on; v shows them; v there stops
keys q
wait_for 'still recording: v on the same probes shows the events; v again stops'
wait_state counted 'logs:few '
ask 'run 1 2'
keys Z
wait_for 'frozen: states are those of this moment'
keys v
# Also what came while another view was open.
wait_for "^> $time .* [a-z0-9]+=2 [a-z0-9]+=-2\$"
seen 'frozen still' 'frozen'
keys Z
wait_for '^  2 events'
keys w C-u
text "$tmp/view.txt"
keys Enter
wait_for 'wrote .* to '
has 'the view as a file' 'Events: logs:few$' "$tmp/view.txt"
has 'the view as a file' "^$time .* [a-z0-9]+=2 [a-z0-9]+=-2\$" "$tmp/view.txt"
keys v
wait_for 'uncount few: 1 site'
wait_for '^  2 events; no more: it was stopped \(r restarts\)$'
code_as_found 'stopped'
keys r
wait_for '^  0 events'
ask 'run 1 1'
wait_for '^  1 event,'
keys u
wait_for 'undone: count few'
wait_for '^  1 event; no more: no longer counted'
code_as_found 'undone'
keys q
wait_list

# ------------------------------------------------------------- texts, of two probes
on logs:say
keys Space
on logs:few
keys Space v
wait_for '^Events: logs:few, say$'
seen 'the probe has a column' '^  TIME +TID THREAD +PROBE ARGUMENTS$'
ask 'texts 1'
wait_for '^  10 events of 2 probes'
wait_for 'arg2 seems to point to text: s shows it'
keys k G
wait_gone 'seems to point to text'
keys s
wait_for '^texts of: arg2$'
keys C-u
text 'two'
wait_for 'arguments such as arg1,arg3'
keys C-u
text 'arg2'
keys Enter
wait_for 'from now on with the texts of arg2'
# Texts are read within half a second of a look at the threads: on a busy machine, in another attempt.
for _ in $(seq 20); do
	keys r
	wait_for '^  0 events'
	ask 'texts 1'
	wait_for '^  10 events'
	[ "$(grep -c '="' "$tmp/screen")" != 7 ] || break
done
seen 'a text' "^  $time .* say +[a-z0-9]+=0 [a-z0-9]+=\"select 1\"\$"
seen 'a hostile one' "^  $time .* say +[a-z0-9]+=2 [a-z0-9]+=.*x1b\\[31m\"\$"
seen 'what is none' '=8 [a-z0-9]+=0x8\(\?\)$'
ask 'run 1 1'
wait_for "^> $time .* few +[a-z0-9]+=1 [a-z0-9]+=-1\$"
keys k k k
text '/select'
keys Enter
wait_for "^> .*select 1"
keys Enter
wait_for '^Event of logs:say$'
seen 'its text' '^  arg2 +"select 1"$'
seen 'where it lies' '^ +0x[0-9a-f]+$'
keys q
wait_for '^Events: logs:few, say$'
ask 'children 1 2'
wait_for 'a value of a forked child could not be read: nothing can be read at the address, or it is'
keys q

# ------------------------------------------------------------- the record
wait_list
keys y
wait_for '^probes-tui events -pid [0-9]+ logs:few,logs:say -str arg2 -for 10s$|^probes-tui events .* -stop -for 10s'
keys q
wait_list
keys S C-u
text "$tmp/script"
keys Enter
wait_until 0 sh -c "test -s '$tmp/script'; echo \$?"
has 'the script' '^probes-tui events -pid "\$pid" logs:few.* -str arg2' "$tmp/script"
has 'the script' "^probes-tui events -pid \"\\\$pid\" logs:few.* -where 'arg1 >= 5 and arg2 != -7'" "$tmp/script"
same 'no count of its own' "$(grep -c '^probes-tui count' "$tmp/script")" 0
keys q
wait_for '^status=0$'
code_as_found 'quit'

# ------------------------------------------------------------- a ready question; what H counted stays; the budget
screen -max-overhead 0
text ':stop'
keys Enter
wait_for 'counting may stop the process'
on logs:say
keys H
wait_cursor counted 'logs:say '
text ':ask texts of say'
keys Enter
wait_for '^  0 events.*; texts of arg2; only where arg1 >= 5$'
ask 'texts 1'
wait_for '^  5 events'
keys v
wait_for 'events have stopped; counting goes on'
keys q
wait_state counted 'logs:say '
keys q
wait_for '^status=0$'
code_as_found 'what H counted'
terminal 40 10
type_command "'$PROBES_TUI' -no-syslog -pid $pid -max-overhead 0.001 -refresh 1"
wait_for '^> .* logs:few '
text ':stop'
keys Enter
wait_for 'counting may stop the'
on logs:few
keys v
wait_for '^Events: logs:few'
(
	until [ -e "$tmp/enough" ]; do
		ask 'run 1 2000'
	done
) &
asks=$!
wait_for 'events stopped \(hits still counted\)|no longer'
: >"$tmp/enough"
wait "$asks"
keys q q
wait_for '^status=0$'
code_as_found 'the budget'

# ------------------------------------------------------------- two processes, one of which ends; read-only
start2 logs
terminal 100 30
type_command "'$PROBES_TUI' -no-syslog -pid $pid,$pid2 -max-overhead 0"
wait_list
text ':stop'
keys Enter
wait_for 'counting may stop the process'
on logs:few
keys v
wait_for '^  TIME +PID THREAD '
ask 'run 1 2'
wait_for "^> $time +$pid +[0-9]+ .* [a-z0-9]+=2 [a-z0-9]+=-2\$"
ask2 'run 1 3'
wait_for "^> $time +$pid2 .* [a-z0-9]+=3 [a-z0-9]+=-3\$"
stop2
wait_for '^  5 events.*; in 1 of 2 processes; elsewhere: the process is gone$'
keys Z
wait_for '^  5 events.*; in 1 of 2 processes; frozen; elsewhere: the process is gone$'
keys Z
wait_for 'thawed$'
keys R q
wait_list
keys v
wait_for '^  5 events'
keys q
wait_list
keys q
wait_for '^status=0$'
code_as_found 'two processes'
stop
finish
