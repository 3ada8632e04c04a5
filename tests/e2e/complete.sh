#!/bin/sh
# Completion: what `probes-tui complete` answers, and what bash, zsh and fish (those that are installed) make of it
# on a real terminal. Names that a shell would execute, or a terminal obey, are only names.
# Does not cover: fish before 3.0, bash before 4.4.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
root=$(cd "${srcdir:-.}" && pwd)
mkdir "$tmp/bin" "$tmp/empty"
case $PROBES_TUI in
/*) ln -s "$PROBES_TUI" "$tmp/bin/probes-tui" ;;
*) ln -s "$PWD/$PROBES_TUI" "$tmp/bin/probes-tui" ;;
esac
PATH=$tmp/bin:$PATH
export PATH

# A victim whose probes have names of another kind, and whose command line has an escape.
escape=$(printf '\033')
hostile="$tmp/bad${escape}[31mname"
# shellcheck disable=SC2016 # not for this shell
LC_ALL=C sed -e 's/never\x00/$(>X)\x00/g' -e 's/multi\x00/`>Y`;\x00/g' -e 's/first\x00/\x1b[2Jx\x00/g' \
	-e "s/second\x00/a b'\"c\x00/g" "$VICTIMS/loop_ocaml2_pie" >"$hostile"
chmod +x "$hostile"
fifos
"$hostile" <"$tmp/in" >"$tmp/answers" &
pid=$!
started="$started $pid"
exec 3>"$tmp/in" 4<"$tmp/answers"
read -r word _ <&4
same 'first word of the victim' "$word" ready

# offers WANTED WORD...: these candidates, without what they are
offers()
{
	offers_wanted=$1
	shift
	want 0 complete "$@"
	same "complete $*" "$(cut -f 1 "$tmp/out" | paste -s -d ' ' -)" "$offers_wanted"
}

# --- what is answered
offers 'words info' in
offers 'words -enable-all' attach -enable-a
offers 'words --enable-all' attach --enable-a
offers 'words' repair -enable
offers 'words json' list -format j
offers 'words -format=json' list -format=j
offers 'words text json csv' list -format ''
offers 'words text json chrome' events -format ''
offers 'words text json' questions -format ''
offers 'words -format' events -form
offers 'words sites,sem sites,rate sites,trend sites,total sites,proc sites,held sites,object sites,arguments sites,detail' -columns sites,
offers 'files' attach -log ''
offers 'files' replay ''
offers 'files' events -record ''
offers 'programs' trace -prog ''
offers 'files' trace -prog x -- -en
offers 'words work_end work_start' attach -pid "$pid" -enable work
offers 'words work_start,work_end' attach -pid "$pid" -enable work_start,work
offers 'words work_end' attach -pid "$pid" -enable work_start -disable=x -enable work
offers 'words -enable=ocaml_2:work_end -enable=ocaml_2:work_start' attach "-pid=$pid" -enable=ocaml_2:work
offers 'nospace work_end, work_start,' attach -pid "$pid" -enable-pair work
offers 'words work_end,work_start' attach -pid "$pid" -enable-pair work_end,w
offers 'words' attach -pid "$pid" -enable-pair work_end,work_start,
want 0 complete attach -pid "$pid" -enable-pair work_start,
same 'the partner first' "$(sed -n '2s/\t.*//p' "$tmp/out")" work_start,work_end
# A name of two providers does not hide the other names of one of them.
two=$tmp/two
LC_ALL=C sed -e 's/victim\x00shared\x00/other_\x00single\x00/g' "$VICTIMS/sdt_sema" >"$two"
offers 'words other_:single private victim:single' trace -prog "$two" -enable ''
offers 'words victim:private victim:single' trace -prog "$two" -enable victim:
offers 'words victim:private victim:single' trace -prog "$two" -enable vic
offers 'words victim:single,victim:private' trace -prog "$two" -enable victim:single,vic
offers 'nospace' trace -prog "$VICTIMS/sdt_plain" -enable-pair ''
offers 'words ocaml_2' list -pid "$pid" -provider ''
offers 'words ocaml_2' list -prog "$VICTIMS/loop_ocaml2_pie" -provider ''
offers 'words loop_ocaml2_pie' list -prog "$VICTIMS/loop_ocaml2_pie" -object ''
offers 'words work_start' -tree "$pid" -object "$hostile" -provider ocaml_2 -enable work_s
offers 'words work_end work_start' count -pid "$pid" work
offers 'words work_start,work_end' count -pid "$pid" work_start,work
offers 'words work_end' count -pid "$pid" work_start -interval 1 work
offers 'words ocaml_2:work_end ocaml_2:work_start' count -tree "$pid" ocaml_2:work
offers 'words work_end work_start' callers -pid "$pid" work
offers 'words -callers' events -pid "$pid" -ca
offers 'words -interval' count -pid "$pid" first -inter
offers 'words' count -pid "$pid" first,no
offers 'words arg1 arg2' histogram -prog "$VICTIMS/logs" few a
offers 'words arg1 arg2' histogram -prog "$VICTIMS/logs" logs:few -str a
offers 'words' histogram -prog "$VICTIMS/logs" few arg1 a
offers 'words few' histogram -prog "$VICTIMS/logs" f
want 0 complete count -pid "$pid" ''
has 'a probe' '^work_end.off, ' "$tmp/out"
has 'or an option' '^-regexp' "$tmp/out"
offers 'words' attach -pid "$pid" -enable no_such_probe
offers 'words' attach -pid 999999999 -enable w
offers 'words' attach -enable w
offers "words 1,$pid" attach -pid "1,$pid"
# The command beside the pid, and how many probes: they are counted for 150 ms, which may be over before its turn comes.
beside()
{
	run complete attach -pid "1,$pid"
	grep -Ec "^1,$pid.bad.x1b.31mname, 8 probes" "$tmp/out"
}
wait_until 1 beside
offers 'words' attach -pid "$pid,$pid"
want 0 complete attach -pid "$pid" -enable ''
has 'the state' '^work_end.off, bad.x1b.31mname$' "$tmp/out"
same 'names' "$(sed -n '2,5s/\t.*//p' "$tmp/out")" "\$(>X)
\\x1b[2Jx
\`>Y\`;
a b'\"c"
checks=$((checks + 1))
! grep -q "$escape" "$tmp/out" || fail 'an escape in the answer'

# Every option and verb that the help names, and no other.
for verb in '' list info attach trace count repair; do
	# shellcheck disable=SC2086 # no word, or one
	"$PROBES_TUI" $verb -help | sed -n 's/^  \(-[a-z-]*\).*/\1/p' | sort >"$tmp/helped"
	# shellcheck disable=SC2086
	"$PROBES_TUI" complete $verb - | sed -n 's/^\(-[a-z-]*\)\t.*/\1/p' | sort >"$tmp/offered"
	same "options of '$verb'" "$(cat "$tmp/offered")" "$(cat "$tmp/helped")"
done

# --- nothing is harmed, nothing lasts
mkfifo "$tmp/fifo"
timeout 20 "$PROBES_TUI" complete list -prog "$tmp/fifo" -provider '' >"$tmp/out" 2>"$tmp/err"
same 'a fifo as a program' "$? $(cat "$tmp/out" "$tmp/err")" '0 words'
kill -STOP "$pid"
offers 'words work_start' attach -pid "$pid" -enable work_s
kill -CONT "$pid"
same 'no tracer' "$(sed -n 's/^TracerPid:.//p' "/proc/$pid/status")" 0
run info -pid "$pid"
checks=$((checks + 1))
! grep -q enabled "$tmp/out" || fail 'a probe was switched'

# --- bash's quotes: what replaces PIECE
# bashes WANTED PIECE LINE
bashes()
{
	want 0 complete -bash 9 "$2" "$3"
	same "complete -bash 9 '$2' '$3'" "$(tail -n +2 "$tmp/out" | paste -s -d ' ' -)" "$1"
}
line="probes-tui attach -pid $pid -enable"
bashes 'work_start' work_s "$line ocaml_2:work_s"
bashes 'ocaml_2:work_start' ocaml_2:work_s "$line ocaml_2:work_s" # a user took : from COMP_WORDBREAKS
bashes '\$\(\>X\)' '\$' "$line \\\$"
bashes '\$\(\>X\)' '$' "$line \$"
bashes '\$(>X)' '$' "$line \"\$"
bashes '$(>X)' '$' "$line '\$"
bashes '\\x1b\[2Jx' '\\' "$line \\\\"
bashes '' '$(' "$line \$(touch x) \$("
bashes "work_start,a\\ b\\'\\\"c" 'work_start,a\ ' "$line work_start,a\\ "

# --- shells
# typed TEXT: it stands behind the prompt now
typed()
{
	wait_for "^shell> *$1\$"
}

# within SHELL: what all of them must do
within()
{
	text "probes-tui att"
	keys Tab
	typed 'probes-tui attach *'
	text "-pi"
	keys Tab
	typed 'probes-tui attach -pid *'
	text "$pid -enable ocaml_2:sema"
	keys Tab
	typed "probes-tui attach -pid $pid -enable ocaml_2:sema_only *"
	keys C-u
	text "probes-tui attach -pid $pid -enable work_start,work_e"
	keys Tab
	typed "probes-tui attach -pid $pid -enable work_start,work_end *"
	keys C-u
	text "probes-tui list -prog $VICTIMS/loop_ocaml2_pie -provider oca"
	keys Tab
	typed "probes-tui list -prog .*/loop_ocaml2_pie -provider ocaml_2 *"
	keys C-u
	text "cd $tmp/empty; clear"
	keys Enter
	typed ''
	text "probes-tui attach -no-syslog -pid $pid -enable "
	keys Tab Tab
	wait_for 'work_end'
	seen "$1: names, escaped" 'x1b\\?\[2Jx'
	seen "$1: a command in a name" '\$\\?\(\\?>X\\?\)'
	keys C-u C-c C-l
	# Each name is completed, run, and understood.
	for one in '\$' '`' "'\$" 'a' '\\'; do
		case $1,$one in
		fish,'`' | zsh,"'\$") continue ;; # fish knows no backquote; zsh moves into the quotes
		esac
		text "clear"
		keys Enter
		wait_gone "^completed-"
		typed ''
		case $one in
		'`') one='\`' ;;
		esac
		text "probes-tui attach -no-syslog -pid $pid -dry-run -enable $one"
		keys Tab
		wait_for '(X|Y|c|Jx)'
		keys C-e
		text " && echo completed-$1"
		keys Enter
		wait_for "^completed-$1"
		has "$1: what $one became" '3d *-> *e8|90 *3d|e8' "$tmp/screen"
	done
	same "$1: nothing was executed" "$(ls "$tmp/empty")" ''
	text "clear"
	keys Enter
	typed ''
	text "probes-tui attach -pid $pid"
	keys Tab Tab
	wait_for "attach -pid $pid"
	keys C-u
	text "clear"
	keys Enter
	typed ''
}

# What is typed here is not quoted.
case $VICTIMS$PWD${srcdir:-}$tmp in
*' '*)
	echo 'a path with blanks: the shells are not tried'
	finish
	exit
	;;
esac
if command -v bash >/dev/null; then
	terminal 250 40
	text "exec bash --norc --noprofile"
	keys Enter
	text "PS1='shell> '; . $root/completions/probes-tui.bash; clear"
	keys Enter
	typed ''
	within bash
	text "probes-tui -pid "
	keys Tab Tab
	wait_for "$pid  \(bad.x1b\[31mname(, 8 probes)?\)|possibilities"
	keys n C-u C-c
else
	echo 'no bash: not tried'
fi
if command -v zsh >/dev/null; then
	terminal 250 40
	text "exec zsh -f"
	keys Enter
	text "PS1='shell> '; fpath=($root/completions \$fpath); autoload -U compinit; compinit -u -D; clear"
	keys Enter
	typed ''
	within zsh
else
	echo 'no zsh: not tried'
fi
if command -v fish >/dev/null; then
	terminal 250 40
	text "exec fish --no-config"
	keys Enter
	text "function fish_prompt; echo 'shell> '; end; set -g fish_autosuggestion_enabled 0; source $root/completions/probes-tui.fish; clear"
	keys Enter
	typed ''
	within fish
else
	echo 'no fish: not tried'
fi
finish
