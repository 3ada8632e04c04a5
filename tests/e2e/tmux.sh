# Screens, driven through tmux; source it instead of lib.sh, which it includes. A shell runs in
# a pane of our own tmux server; what it shows is waited for, in a bounded number of looks.
# A script ends with `finish`.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v tmux >/dev/null || skip 'no tmux'

# A screen looks often: what is waited for comes soon.
mkdir -p "$XDG_CONFIG_HOME/probes-tui"
echo 'refresh = 0.1' >"$XDG_CONFIG_HOME/probes-tui/config"

socket=probes-tui-$$
trap 'tm kill-server 2>/dev/null; cleanup' EXIT

tm()
{
	tmux -u -L "$socket" -f /dev/null "$@"
}

# terminal [COLUMNS ROWS]: a fresh one, with a shell that waits for us.
terminal()
{
	tm kill-server 2>/dev/null
	# A server that is ending still answers on its socket: the next one gets another.
	terminals=$((${terminals:-0} + 1))
	socket=${socket%.*}.$terminals
	HOME=$tmp XDG_STATE_HOME=$tmp/state \
		tm new-session -d -s main -x "${1:-80}" -y "${2:-24}" 'exec sh -i' || skip 'tmux does not start'
	tm set-option -g status off
	tm set-option -g default-terminal screen
	text "PS1='shell> '; clear"
	keys Enter
	wait_for '^shell> *$'
}

resize()
{
	tm resize-window -t main -x "$1" -y "$2"
}

# keys KEY...: as tmux names them; letters as themselves.
keys()
{
	tm send-keys -t main "$@"
}

# text TEXT: typed as it is.
text()
{
	tm send-keys -t main -l -- "$1"
}

# mouse BUTTON COLUMN ROW: a button goes down and up there, as xterm says it (from 1)
mouse()
{
	for code in "$1" 3; do # 3: up
		printf '\033[M%b%b%b' "\\0$(printf %o $((code + 32)))" "\\0$(printf %o $(($2 + 32)))" "\\0$(printf %o $(($3 + 32)))"
	done >"$tmp/mouse"
	text "$(cat "$tmp/mouse")"
}

# look: what the pane shows now, into $tmp/screen; lines that the shell's terminal wrapped are one.
# The mark of the cursor's row is written as in ASCII.
look()
{
	tm capture-pane -J -p -t main 2>/dev/null | sed 's/ *$//; s/^▌/>/' >"$tmp/screen"
}

# looks TEXT: the attributes and colours of a text on the screen; see cells.py
looks()
{
	tm capture-pane -epN -t main | python3 "${srcdir:-.}/tests/e2e/cells.py" "$@"
}

# wait_for PATTERN: until a line of the screen matches; 30 seconds at least.
wait_for()
{
	checks=$((checks + 1))
	for pause in $pauses; do
		look
		grep -Eq -e "$1" "$tmp/screen" && return 0
		sleep "$pause"
	done
	fail "never seen: '$1' in:"
	sed 's/^/    |/' "$tmp/screen"
	return 1
}

# wait_gone PATTERN: until no line of the screen matches.
wait_gone()
{
	checks=$((checks + 1))
	for pause in $pauses; do
		look
		grep -Eq -e "$1" "$tmp/screen" || return 0
		sleep "$pause"
	done
	fail "never gone: '$1' in:"
	sed 's/^/    |/' "$tmp/screen"
	return 1
}

# state_pattern STATE: how the list shows a state, by its word or on a narrow screen by its mark.
state_pattern()
{
	case $1 in
	on) echo '(on|\[\*\])' ;;
	off) echo '(off|\[ \])' ;;
	partial) echo '(partial|\[~\])' ;;
	foreign) echo '(foreign|\[X\])' ;;
	inconsistent) echo '(inconsistent|\[!\])' ;;
	unreadable | 'not read') echo "($1|\\[\\?\\])" ;;
	'no switch') echo '(no switch|\[\.\])' ;;
	counted) echo '(counted|\[#\])' ;;
	'on #') echo '(on #|\[\*\])' ;;
	gone) echo '(gone|\[-\])' ;;
	any) echo '[^:]+' ;;
	*) fail "no such state: '$1'" ;;
	esac
}

# wait_state STATE PATTERN: until a row of the list is in this state and goes on so from its name on;
# wait_cursor: until that is the row under the cursor.
# The states: on, off, partial, foreign, inconsistent, unreadable, not read, no switch, gone; or any.
wait_state()
{
	wait_for "^[> ][+ ]$(state_pattern "$1") +$2"
}

wait_cursor()
{
	wait_for "^>[+ ]$(state_pattern "$1") +$2"
}

# wait_list: until the list of probes is in front.
wait_list()
{
	wait_for '^  STATE[^ ]? +PROBE'
}

# wait_sentence PATTERN: until the screen, read as one line, matches: a sentence wraps elsewhere where a pid or a
# path is longer.
wait_sentence()
{
	checks=$((checks + 1))
	for pause in $pauses; do
		look
		tr -s '\n ' ' ' <"$tmp/screen" | grep -Eq -e "$1" && return 0
		sleep "$pause"
	done
	fail "never seen, as one line: '$1' in:"
	sed 's/^/    |/' "$tmp/screen"
	return 1
}

# wait_until WANTED COMMAND...: until its output is so.
wait_until()
{
	checks=$((checks + 1))
	wanted=$1
	shift
	for pause in $pauses; do
		got=$("$@")
		[ "$got" != "$wanted" ] || return 0
		sleep "$pause"
	done
	fail "$*: got '$got', wanted '$wanted'"
	return 1
}

# seen WHAT PATTERN: on the screen that was looked at last.
seen()
{
	has "$1" "$2" "$tmp/screen"
}

unseen()
{
	checks=$((checks + 1))
	! grep -Eq -e "$2" "$tmp/screen" || {
		fail "$1: '$2' is in:"
		sed 's/^/    |/' "$tmp/screen"
	}
}

# type_command TEXT: in the shell, which says the exit status after it.
type_command()
{
	text clear
	keys Enter
	wait_gone '^status='
	text "clear; $1; echo status=\$?"
	keys Enter
}

# screen ARG...: our program in the shell, on the victim $pid, until its list is there.
screen()
{
	type_command "'$PROBES_TUI' -no-syslog -pid $pid $*"
	wait_list
}

# ours: the process id of what runs in the shell
ours()
{
	shell=$(tm display-message -p -t main '#{pane_pid}')
	cut -d ' ' -f 1 "/proc/$shell/task/$shell/children"
}

# late COMMAND...: what runs in the shell sees nothing of it before it is done, where that can be frozen
late()
{
	freezable || {
		"$@"
		return
	}
	trap 'thaw; tm kill-server 2>/dev/null; cleanup; rmdir "$group"' EXIT
	late_pid=$pid pid=$(ours)
	freeze
	pid=$late_pid
	"$@"
	thaw
	ours >"${group%/*}/cgroup.procs"
	rmdir "$group"
	trap 'tm kill-server 2>/dev/null; cleanup' EXIT
}

# running PID: it is there, and no zombie
running()
{
	case $(cut -d ' ' -f 3 "/proc/$1/stat" 2>/dev/null) in
	'' | Z | X) echo no ;;
	*) echo yes ;;
	esac
}

# row NAME: its line on the screen, without cursor and tag.
row()
{
	look
	grep -E -e "[: ]$1( |\$)" "$tmp/screen" | head -n 1 | cut -c 3-
}

# on [PROVIDER:]NAME: search the list for it, until the cursor is there
on()
{
	case $1 in
	*:*) on_name=$1 ;;
	*) on_name=:$1 ;;
	esac
	text "/~:${on_name##*:}\$"
	keys Enter
	wait_for "^>.*$on_name "
}

# the line that has the cursor
cursor()
{
	look
	grep -E '^>' "$tmp/screen"
}

# hits NAME ROUNDS: how often its handler ran in so many rounds of the victim.
hits()
{
	ask report
	before=$(value "$1" hits)
	ask "step $2"
	echo $(($(value "$1" hits) - before))
}
