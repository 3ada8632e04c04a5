#!/bin/sh
# The config file: every setting is an option, the command line wins, mistakes are named with file and
# line and stop nothing, the file is never written. Themes, colours of 8, 16 and 256; the mouse.
# Does not cover: terminals whose mouse speaks another protocol than xterm's.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
start loop_ocaml2_pie
mkdir -p "$tmp/config/probes-tui"
config=$tmp/config/probes-tui/config

# ------------------------------------------------------------------ mistakes
cat >"$config" <<'EOF'
# settings
refresh = 0.5
lease = 7
   theme=light

frobnicate = 3
mouse = perhaps
lease
pid = 1
lease = soon
EOF
before=$(cksum <"$config")
want 0 list -pid "$pid"
has 'the file and the line' "^probes-tui: $config:6: frobnicate: no such"
has 'a flag' "^probes-tui: $config:7: mouse: is neither yes nor no"
has 'a form' "^probes-tui: $config:8: lease: is not of the form name = value"
has 'no setting' "^probes-tui: $config:9: pid: no such setting"
same 'listed all the same' "$(grep -c ocaml_2 "$tmp/out")" 8
terminal 160 24 # the folder's name may be long
screen
wait_for 'every 0.5s$'
wait_for "config:6:"
seen 'what' 'frobnicate:'
keys e
wait_for ' lease [67]m '
keys q
wait_for '^status=0$'
seen 'and after it' 'config:10: lease: "soon" is not a duration'
same 'it is only read' "$(cksum <"$config")" "$before"

# ------------------------------------------------------- the command line wins
printf 'refresh = 0.5\nno-color = yes\nread-only = yes\n' >"$config"
screen -refresh 5 -read-only=no
wait_for 'every 5s$'
wait_for ' list read switch$'
keys q
wait_for '^status=0$'
screen
wait_for 'list read   read-only$'
keys q
wait_for '^status=0$'
refuses 2 'takes no value' -pid "$pid" -no-color=perhaps
head -c 70000 /dev/zero | tr '\0' '#' >"$config"
want 0 list -pid "$pid"
has 'too long' "^probes-tui: $config: is too long"
rm "$config"
mkdir "$config"
want 0 list -pid "$pid"
has 'a folder' "^probes-tui: $config: is not a regular file"
rmdir "$config"

# ------------------------------------------------------------ themes, colours
# shade TERM OPTION...: the look of a probe that is on
shade()
{
	type=$1
	shift
	type_command "TERM=$type '$PROBES_TUI' -no-syslog -pid $pid $*"
	wait_list
	keys e
	wait_cursor on 'ocaml_2:first'
	keys j # the cursor's line is in reverse
	wait_for "^ [+ ]$(state_pattern on) +ocaml_2:first"
	looks 'on  '
	keys q
	wait_for '^status=0$'
}
for type in xterm xterm-16color xterm-256color screen; do
	infocmp "$type" >/dev/null 2>&1 || continue
	case $type in
	xterm-256color) on='bold fg=114' ;;
	*) on='bold fg=2' ;;
	esac
	same "dark, $type" "$(shade $type)" "$on"
	same "mono, $type" "$(shade $type -theme mono)" bold
done
same 'light, 256' "$(shade xterm-256color -theme light)" 'bold fg=22'
same 'light, 8' "$(shade xterm -theme light)" 'fg=0 bg=2'
refuses 2 '-theme: "red" is not a theme; give dark, light or mono' -theme red -pid "$pid"

# ------------------------------------------------------------------ the mouse
screen -mouse
mouse 0 10 7
wait_cursor off 'ocaml_2:never'
mouse 65 1 1
wait_cursor off 'ocaml_2:sema_only'
mouse 64 1 1
wait_cursor off 'ocaml_2:never'
mouse 0 1 20
mouse 0 1 1
keys j
wait_cursor off 'ocaml_2:registers'
keys q
wait_for '^status=0$'
: >"$tmp/sent"
tm pipe-pane -t main "cat >>'$tmp/sent'"
screen
keys q
wait_for '^status=0$'
tm pipe-pane -t main
checks=$((checks + 1))
! grep -q '\[?1000h' "$tmp/sent" || fail 'the mouse is asked for without -mouse'
stop
finish
