#!/bin/sh
# Looks: title, headings, footer and the cursor's row are bars that reach the right edge; the sorted
# column, the provider and what cannot be switched look as their roles say; without colours all that is
# still there; panes and dialogs have frames, of ASCII where the locale is. The mouse: a heading sorts,
# a key of the footer is done, a double click opens.
# Does not cover: what colours look like (see unit/test_theme.c), pictures.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
start loop_ocaml2_pie

# rest LINE PATTERN: how those parts of a line look that do not look like that
rest()
{
	looks -bar "$1" | sed 's/ [0-9]*$//' | tr '|' '\n' | grep -v "^$2" | sort -u | paste -s -d '|' -
}
width()
{
	looks -bar "$1" | sed 's/.* //'
}
edge()
{
	looks -bar "$1" | sed -E 's/ [0-9]+$//; s/.*\|//'
}
# column TEXT LINE: where a text begins in that line of the screen, from 1
column()
{
	look
	sed -n "$2p" "$tmp/screen" | awk -v text="$1" '{ print index($0, text) }'
}
# shown OPTION...: the screen on a terminal of 256 colours that sends every blank
shown()
{
	type_command "TERM=screen-256color $environment '$PROBES_TUI' -no-syslog -pid $pid $*"
	wait_for '^> '
	wait_for 'q Quit'
}
environment=
terminal 80 24
for theme in dark light mono; do
	case $theme in
	dark) bar='bold fg=231 bg=61' heading='fg=252 bg=238' sorted='bold fg=222 bg=238' row='reverse fg=24' provider='fg=103' name=plain ;;
	light) bar='bold fg=231 bg=61' heading='fg=235 bg=252' sorted='bold fg=88 bg=252' row='reverse fg=189' provider='fg=60' name=plain ;;
	mono) bar='bold reverse' heading=reverse sorted='bold underline reverse' row='reverse' provider=plain name=plain ;;
	esac
	shown -theme $theme
	same "title, $theme" "$(looks -bar 0)" "$bar 80"
	same "headings, $theme" "$(rest 3 "$heading\$")" "$sorted"
	same "headings reach the edge, $theme" "$(width 3) $(edge 3)" "80 $heading"
	same "the cursor's row, $theme" "$(rest 4 "$row")" ''
	same "it reaches the edge, $theme" "$(width 4)" 80
	same "the footer reaches the edge, $theme" "$(width 23) $(edge 23)" "80 $heading"
	same "a provider, $theme" "$(looks ocaml_2:multi)" "$provider"
	same "a name, $theme" "$(looks multi)" "$name"
	keys q
	wait_for '^status=0$'
done
environment=NO_COLOR=1
shown
same 'NO_COLOR' "$(looks -has) $(looks -bar 0)" 'none bold reverse 80'
keys q
wait_for '^status=0$'
environment=COLORFGBG="'0;15'"
shown
same 'a light terminal says so' "$(looks ocaml_2:multi)" fg=60
keys q
wait_for '^status=0$'
environment=

# ---------------------------------------------------------------- frames
shown
keys c
wait_for '│ Columns'
keys Enter
wait_gone 'Columns'
keys q
wait_for '^status=0$'
shown -ascii
keys c
wait_for '^.*\| Columns, by their number.* \|'
seen 'the frame' '^.* \+-+\+'
keys Enter
wait_gone 'Columns'
resize 40 10
wait_for '^ -- '
keys c
wait_for '^Columns, by'
keys Enter
resize 120 40
wait_for '^\+- ocaml_2:first +\(i: all of it\) -+\+$'
keys q
wait_for '^status=0$'
shown
wait_for '^╭─ ocaml_2:first +\(i: all of it\) ─+╮$'
seen 'its lower edge' '^╰─+╯$'
keys q
wait_for '^status=0$'

# -------------------------------------------------------------- the mouse
terminal 80 24
type_command "TERM=screen-256color '$PROBES_TUI' -mouse -no-syslog -pid $pid"
wait_for 'q Quit'
mouse 0 "$(column SITES 4)" 4
wait_until 'bold fg=222 bg=238' looks SITES
same 'the name no more' "$(looks PROBE)" 'fg=252 bg=238'
mouse 0 "$(column PROBE 4)" 4
wait_until 'bold fg=222 bg=238' looks PROBE
wait_for '^> off +ocaml_2:first'
mouse 0 "$(column PROBE 4)" 4
keys g
wait_for '^> off +ocaml_2:work'
column=$(column Enable 24)
mouse 0 "$column" 24
wait_for '^> on +ocaml_2:work'
mouse 0 $((column + 10)) 24
wait_for '^> off +ocaml_2:work'
mouse 0 30 6
wait_for '^> off +ocaml_2:work_end'
unseen 'one click opens nothing' '^Detail'
for _ in $(seq 100); do # on a busy machine two clicks are too far apart, or come as one
	mouse 0 30 7
	mouse 0 30 7
	look
	! grep -q '^Detail' "$tmp/screen" || break
done
wait_for '^Detail of ocaml_2:sema_only'
column=$(column Back 24)
mouse 0 "$column" 24
wait_for '^> off +ocaml_2:sema_only'
keys q
wait_for '^status=0$'
stop

# ------------------------------------------------- what cannot be switched
start sdt_plain
shown -theme dark
keys j
wait_for 'row 2/'
same 'dim' "$(looks 'no switch')" 'fg=245'
keys q
wait_for '^status=0$'
stop
finish
