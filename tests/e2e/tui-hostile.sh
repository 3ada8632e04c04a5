#!/bin/sh
# What a process says is never sent to the terminal raw: a probe's name, a file's name, and what a
# started program writes may hold escape sequences, control characters, bidirectional controls, wide and
# combining characters, endless lines.
# Does not cover: users' names, commands in the list of processes that are not UTF-8.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
escape=$(printf '\033')
bidi=$(printf '\342\200\256')

# ------------------------------------------------------------ a name, a path
hostile="$tmp/a$(printf '\033[31m')b"
LC_ALL=C sed "s/never\\x00/\\x1b[2Jx\\x00/g" "$VICTIMS/loop_ocaml2_pie" >"$hostile"
chmod +x "$hostile"
mkfifo "$tmp/stdin"
"$hostile" <"$tmp/stdin" >"$tmp/hostile.out" &
pid=$!
started="$started $pid"
exec 9>"$tmp/stdin"
wait_until ready sh -c "cut -c 1-5 '$tmp/hostile.out'"
terminal 80 24
tm pipe-pane -t main "cat >>'$tmp/sent'"
screen
wait_for 'ocaml_2:\\x1b\[2Jx'
seen 'the path' '^ a\\x1b\[31mb  pid [0-9]+ '
seen 'the rows are in order' '^> off +ocaml_2:'
keys '\'
text '2Jx'
wait_for '^1 of 8 match'
keys Enter e
wait_cursor on 'ocaml_2:\\x1b\[2Jx +1/1'
keys Enter
wait_for '^Detail of ocaml_2:\\x1b'
keys q y
wait_for 'attach -pid [0-9]+ -enable .ocaml_2:\\x1b\[2Jx.$'
keys q a
wait_for '^Arguments of ocaml_2:\\x1b'
keys q m
text "$(printf 'bidi %s mark' "$bidi")"
keys Enter
wait_for 'MARK bidi \\u\{202e\} mark'
keys S C-u
text "$tmp/hostile.sh"
keys Enter
wait_for 'wrote 1 action'
keys w C-u
text "$tmp/hostile.txt"
keys Enter
wait_for 'wrote 1 probes as text'
keys t g
wait_cursor on '- a\\x1b\[31mb  1 of 1 on'
keys q
wait_for '^status=0$'
if grep -q "$escape" "$tmp/hostile.sh" "$tmp/hostile.txt"; then fail 'an escape in a file'; fi
sed -n 's/^probes-tui attach -pid "$pid"//p' "$tmp/hostile.sh" >"$tmp/again"
eval "attach $(cat "$tmp/again")" # what was written is understood
same 'switched by it' "$(live "$hostile" "$(printf '\033[2Jx')" | grep -c 'site 90e8')" 1
exec 9>&-

# ------------------------------------------------------- a program's output
pane_title=$(tm display-message -p -t main '#{pane_title}')
type_command "'$PROBES_TUI' -no-syslog -prog '$VICTIMS/loop_ocaml2_pie'"
wait_for '^.. output of pid'
wait_for '^ready'
pid=$(sed -n 's/^ready \([0-9]*\)$/\1/p' "$tmp/screen")
started="$started $pid"
# say FORMAT: the program's terminal gets this, as if the program had written it
say()
{
	# shellcheck disable=SC2059 # the format is the text
	printf "$1" >"/proc/$pid/fd/1"
}
keys o
wait_for '^ready'
say 'before\033[2J\033[H\033]0;title\007after\n'
wait_for '^after$'
unseen 'it cleared its own screen' '^ready'
same 'no title' "$(tm display-message -p -t main '#{pane_title}')" "$pane_title"
say '\033]52;c;c3Bpbg==\007\007\033[8;50;100t\033[?1000h\033[?2004h\033c\033[2Jcleared\n'
wait_for '^cleared$'
seen 'our lines stay' '^.. output of pid'
same 'no bell' "$(tm display-message -p -t main '#{window_bell_flag}')" 0
same 'no clipboard' "$(tm list-buffers)" ''
same 'no mouse' "$(tm display-message -p -t main '#{mouse_any_flag}')" 0
say 'rlo \342\200\256 end\n'
wait_for '^rlo .* end'
say 'wide \346\274\242\345\255\227 e\314\201 end\n'
wait_for '^wide .* end'
say 'bad \377\376 end\n'
wait_for '^bad .* end'
say '\302\233[@\033[2000000000I\033[999999999b\033[99999S\033[1;1000;99999999H\nafter numbers\n'
wait_for 'after numbers'
# marks without end, a title without end: nothing of them is kept
yes "$(printf '\314\201\314\202')" | head -c 3000000 | tr -d '\n' >"/proc/$pid/fd/1"
say '\nafter marks\n\033]0;'
yes title | head -c 3000000 >"/proc/$pid/fd/1"
say '\007after a title\n'
wait_for '^after a title'
size=$(awk '/VmRSS/ { print ($2 < 150000) }' "/proc/$(ours)/status")
same 'it is small' "$size" 1
keys o
wait_for 'ocaml_2:first'
head -c 100000 /dev/zero | tr '\0' x >"/proc/$pid/fd/1"
say '\nafter the long line\n'
wait_for '^after the long line'
seen 'the list' 'ocaml_2:first'
i=0
while [ $i -lt 3000 ]; do
	echo "line $i"
	i=$((i + 1))
done >"/proc/$pid/fd/1"
wait_for '^line 2999$'
keys o
wait_gone '^  STATE +PROBE'
keys g
wait_for '^after numbers|^ready|^cleared|^xxx|^after'
keys G
wait_for '^line 2999$'
resize 40 10
wait_for '^line 2999$'
keys o q
wait_for 'is still running'
keys e
wait_for '^status=0$'
# ---------------------------------------------- names of 10,000 bytes, arguments too
command -v cc >/dev/null || finish
sources=${srcdir:-.}/tests/victims
long=$(head -c 10000 /dev/zero | tr '\0' n)
sh "$sources/many.sh" 3 1 long | sed "s/asciz \"\\\\name\"/asciz \"$long\\\\\\\\name\"/" >"$tmp/long.s"
grep -q "asciz \"$long" "$tmp/long.s" || fail 'no long name was made'
cc -O1 -fPIE -pie -pthread -o "$tmp/long" "$sources/many.c" "$sources/drive.c" "$tmp/long.s" || finish
VICTIMS=$tmp
start long
resize 80 24
screen
wait_cursor off '(long:)?n+.?n*~[0-9a-f]+'
seen 'three of them' '^ 3 probes '
seen 'the last columns' 'n+~[0-9a-f]+ +1 +0 +long$'
keys e
wait_for ' 1 on \(1 by you\)'
wait_for 'on n+'
keys j e
wait_for ' 2 on \(2 by you\)'
keys i
wait_for '^Detail of long:n+'
keys q p
wait_for 'no partner by name'
resize 40 10
wait_for 'q Quit$'
wait_cursor on '(long:)?n+.?n*~[0-9a-f]+'
resize 200 50
wait_cursor on '(long:)?n+.?n*~[0-9a-f]+'
keys q
wait_for '^status=0$'
stop

# ------------------------------------------------ a command in the list of processes
resize 80 24
cp "$tmp/long" "$tmp/$(printf 'h\033[31m')$$"
VICTIMS=$tmp
start "$(printf 'h\033[31m')$$"
type_command "'$PROBES_TUI' -no-syslog"
keys "\\"
text "$$"
keys Enter
wait_for "$pid .* h.x1b.31m$$"
keys q
wait_for '^status=0$'
stop

checks=$((checks + 1))
! grep -q "$escape\[2Jx\|$escape\[31mb\|$bidi\|$escape\]0;title" "$tmp/sent" || fail 'sent raw'
finish
