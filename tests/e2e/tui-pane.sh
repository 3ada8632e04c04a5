#!/bin/sh
# The pane is a terminal: full-screen programs and colours are shown as on a terminal of their own,
# docked and in full; a resize reaches the program; keys are translated as it asks for; its questions
# are answered; the cursor is where its cursor is; PgUp and / look through what scrolled off; w
# writes it as plain text; a flood does not keep keys waiting.
# Does not cover: the mouse in a program; terminals of 8 colours (test_paint); what is hostile
# (tui-hostile.sh, the fuzzer emulator).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
command -v python3 >/dev/null || skip 'no python3'
launch=$VICTIMS/launch

# The program: draws as it is told by lines on a fifo, and says what it reads and which size it has.
cat >"$tmp/draw.py" <<'END'
import fcntl, os, select, signal, struct, sys, termios, tty

def size(*_):
    rows, columns = struct.unpack("HHHH", fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8)))[:2]
    os.write(1, b"\033[2;1Hsize %dx%d\033[K" % (columns, rows))

tty.setraw(0)
signal.signal(signal.SIGWINCH, size)
os.write(1, b"\033[?1049h\033[H\033[2Jdrawn \033[1;31mred\033[0m \033[38;5;208mrgb\033[0m \033[44mblue\033[0m")
size()
orders = os.open(sys.argv[1], os.O_RDWR)
while True:
    try:
        ready = select.select([0, orders], [], [])[0]
    except InterruptedError:
        continue
    if 0 in ready:
        typed = os.read(0, 1000)
        while typed.startswith(b"\033[200~") and not typed.endswith(b"\033[201~"):
            typed += os.read(0, 1000)
        if typed == b"q":
            break
        os.write(1, b"\033[4;1Hgot %s\033[K" % repr(typed).encode())
    if orders in ready:
        os.write(1, os.read(orders, 60000))
os.write(1, b"\033[?1049l")
END

begin()
{
	type_command "'$PROBES_TUI' -no-syslog -prog '$launch' -- $1"
	wait_for '^.. output of pid [0-9]+: running'
	look
	started="$started $(sed -n 's/.*output of pid \([0-9]*\):.*/\1/p' "$tmp/screen")"
}

# order FORMAT: the program writes this
order()
{
	# shellcheck disable=SC2059 # the format is the text
	printf "$1" >"$tmp/orders"
}

# colored PATTERN: a line of the screen with its colours
colored()
{
	checks=$((checks + 1))
	for _ in $(seq 100); do
		tm capture-pane -e -p -t main >"$tmp/colored"
		grep -Eq -e "$1" "$tmp/colored" && return
		sleep 0.1
	done
	fail "'$1' is not in:"
	sed -n l "$tmp/colored"
}

# cursor_at COLUMN,ROW: of the terminal, or hidden
cursor_at()
{
	wait_until "$1" tm display-message -p -t main '#{?cursor_flag,#{cursor_x}#,#{cursor_y},hidden}'
}

# ------------------------------------------------- a full-screen program, its size, colours
mkfifo "$tmp/orders"
terminal 80 24
tm set-option -g default-terminal screen-256color
terminal_type=screen-256color
infocmp screen-256color >/dev/null 2>&1 || terminal_type=screen
text "export TERM=$terminal_type"
keys Enter
begin "python3 '$tmp/draw.py' '$tmp/orders'"
wait_for '^drawn red rgb blue$'
wait_for '^size 80x21$'
keys o
wait_gone 'o: all'
wait_for '^size 80x21$'
same 'at the top of the view' "$(sed -n 2p "$tmp/screen")" 'drawn red rgb blue'
escape=$(printf '\033')
colored "$escape\[1m$escape\[31m($escape\[49m)?red"
colored "$escape\[44mblue"
[ $terminal_type = screen ] || colored "$escape\[38;5;208mrgb"
resize 100 30
wait_for '^size 100x27$'
resize 60 16
wait_for '^size 60x13$'
resize 80 24
wait_for '^size 80x21$'

# ------------------------------------------------------------------ keys
keys 'C-]'
wait_for 'KEYS GO TO THE PROGRAM'
order '\033[6;5H'
cursor_at 4,6
keys Up
wait_for "^got b.\\\\x1b\[A'"
order '\033[?1h\033[6;6H'
cursor_at 5,6
keys Up
wait_for "^got b.\\\\x1bOA'"
keys F5
wait_for "^got b.\\\\x1b\[15~'"
keys C-c
wait_for "^got b.\\\\x03'"
text 'é'
wait_for "^got b.\\\\xc3\\\\xa9'"
order '\033[?2004h\033[6;7H'
cursor_at 6,6
tm set-buffer 'one]two'
tm paste-buffer -p -t main
wait_for "^got b.\\\\x1b\[200~one.*two.*\\\\x1b\[201~'"
seen 'it has the keyboard still' 'KEYS GO TO THE PROGRAM'
order '\033[3;7H\033[6n'
wait_for "^got b.\\\\x1b\[3;7R'"
order '\033[?25l'
cursor_at hidden
order '\033[?25h\033[6;5H'
cursor_at 4,6
keys 'C-]'
wait_gone 'KEYS GO TO'
cursor_at hidden

# ------------------------------------- docked: what is around the cursor; the list stays as it is
order '\033[21;1Hthe last row\033[2;1H'
keys o
wait_for 'launch:begins'
wait_for '^drawn red'
unseen 'it does not fit' 'the last row'
order '\033[21;4H'
wait_for '^the last row$'
unseen 'it does not fit' '^drawn red'
keys 'C-]'
cursor_at 3,"$(($(grep -n '^the last row' "$tmp/screen" | cut -d : -f 1) - 1))"
text q
wait_for 'exited with status 0'
wait_gone '^the last row'
keys q
wait_for '^status=0$'

# ------------------------------------------- less, as it is; TERM is what the pane is
if command -v less >/dev/null; then
	seq 500 >"$tmp/lines"
	begin "env LESS= less '$tmp/lines'"
	wait_for 'lines$'
	keys o
	wait_for '^1$'
	wait_for '^20$'
	keys 'C-]'
	wait_for 'KEYS GO TO'
	keys Down Down NPage
	wait_for '^23$'
	keys End
	wait_for '^500$'
	text q
	wait_for 'exited with status 0'
	keys q
	wait_for ' ENDED$'
	keys q
	wait_for '^status=0$'
fi

# ----------------------- what scrolled off: looked at, searched, written without escapes; a flood
cat >"$tmp/log.sh" <<'END'
echo "TERM is $TERM"
for i in $(seq 300); do
	printf '\033[32mline\033[0m %d of the log\n' "$i"
done
read -r _
yes 'a flood'
END
begin "sh '$tmp/log.sh'"
wait_for '^line 300 of the log$'
keys o
wait_for '^line 281 of the log$'
colored "$escape\[32m($escape\[49m)?line"
keys PPage
wait_for '^line 261 of the log$'
wait_for '[0-9]+ lines below, G follows'
keys g
wait_for '^TERM is xterm'
keys G /
text 'line 12'
wait_for '^line 129 of the log$'
keys Enter n
wait_for '^line 128 of the log$'
keys w C-u
text "$tmp/written.txt"
keys Enter
wait_until 'line 300 of the log' sh -c "grep . '$tmp/written.txt' | tail -n 1"
same 'the first line' "$(head -n 1 "$tmp/written.txt" | cut -c 1-13)" 'TERM is xterm'
same 'no escapes' "$(grep -c "$escape" "$tmp/written.txt")" 0
keys G 'C-]'
wait_for 'KEYS GO TO'
keys Enter
wait_for '^a flood$'
keys 'C-]'
wait_gone 'KEYS GO TO'
keys o
wait_for 'launch:begins'
keys j
wait_for '^(>|▌).*launch:ends'
keys 'C-]' C-c
wait_for 'exited with status|was killed by signal 2'
keys q
wait_for '^status=0$'

# --------------------------------------------- without colours: readable, bars in reverse
export NO_COLOR=1
terminal 80 24
begin "python3 '$tmp/draw.py' '$tmp/orders'"
wait_for '^drawn red rgb blue$'
colored "rgb $escape\[7mblue"
keys 'C-]'
wait_for 'KEYS GO TO'
text q
wait_for 'exited with status 0'
keys q
wait_for '^status=0$'
# ---------------- a paste larger than the terminal's buffer, to a program that is busy at first
cat >"$tmp/slow" <<'END'
#!/bin/sh
stty raw -echo
echo ready
while [ ! -e "$0.go" ]; do sleep 0.1; done
head -c 75000 | cksum
sleep 600
END
chmod +x "$tmp/slow"
seq 20000 | tr '\n' ' ' | head -c 75000 >"$tmp/paste"
terminal 80 24
type_command "'$PROBES_TUI' -no-syslog -end-program -prog '$VICTIMS/launch' -- '$tmp/slow'"
wait_for '^ready'
keys 'C-]'
wait_for 'KEYS GO TO'
tm load-buffer "$tmp/paste"
before=$(awk '/^rchar/ { print $2 }' "/proc/$(ours)/io")
tm paste-buffer -r -t main
# The program reads nothing until we have read it all.
took()
{
	awk -v n="$before" '/^rchar/ { print ($2 - n >= 75000) ? "yes" : "no" }' "/proc/$(ours)/io"
}
wait_until yes took
: >"$tmp/slow.go"
wait_for "^ *$(cksum <"$tmp/paste" | tr -d '\n')"
keys 'C-]'
wait_gone 'KEYS GO TO'
keys q y
wait_for '^status=0$'
finish
