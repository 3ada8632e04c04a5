#!/bin/sh
# Forked children that take along what the screen has switched on: flagged, swept by W and by q, also
# grandchildren and those whose parent ended; left alone where they took nothing, or where another party
# counts too; with -follow and -tree part of the list; a screen that is killed leaves a record for repair.
# Proved by the hits and the memory of the children.
# Does not cover: hundreds of children; the lease (same way as q).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
loop=$VICTIMS/loop_ocaml2_pie

# child N: the victim forks; $child, driven by descriptors of its own through ask_child
mkfifo "$tmp/cin" "$tmp/cout"
child()
{
	echo "fork $tmp/cin$tab$tmp/cout" >&3
	exec 5>"$tmp/cin" 6<"$tmp/cout"
	read -r word child <&6
	same 'first word of a child' "$word" ready
	started="$started $child"
	read_answer 4
}

ask_child()
{
	echo "$1" >&5
	read_answer 6
}

end_child()
{
	echo quit >&5
	exec 5>&-
	cat <&6 >"$tmp/rest" # until it has ended
	exec 6<&-
}

# child_hits NAME: in one round of it
child_hits()
{
	ask_child report
	before=$(value "$1" hits)
	ask_child step
	echo $(($(value "$1" hits) - before))
}

start loop_ocaml2_pie
child
early=$child
end_child
terminal 100 24
screen -refresh 0.2
text '/multi'
keys Enter
keys e
wait_cursor on 'ocaml_2:multi +5/5 +1 +you'
keys W
wait_for 'no forked child holds changes'

# --- flagged, and swept on request; the parent stays as it is
child
wait_for "forked child $child inherited 1 probe that this session had switched; W or q"
wait_for '^ no filter +1 child on .* sort probe'
same 'it did inherit' "$(child_hits multi)" 5
keys W
wait_for 'undone in 1 forked child: 1 probe'
wait_gone ' 1 child on '
same 'swept' "$(child_hits multi)" 0
same 'the parent is still on' "$(hits multi 1)" 5
pid_parent=$pid
pid=$child
same 'as if never on' "$(live "$loop" multi)" '5 count 0000 5 site 903d'
pid=$pid_parent
end_child

# --- left by q, without its parent, with a grandchild; what another party counts is theirs
child
one=$child
wait_for "forked child $one inherited"
mkfifo "$tmp/gin" "$tmp/gout"
echo "fork $tmp/gin$tab$tmp/gout" >&5
exec 8>"$tmp/gin" 9<"$tmp/gout"
read -r word grandchild <&9
started="$started $grandchild"
read_answer 6
wait_for "forked child $grandchild inherited"
end_child
wait_for '^ no filter +1 child on .* sort probe'
child
two=$child
wait_for "forked child $two inherited"
wait_for '^ no filter +2 children on .* sort probe'
silent attach -no-syslog -pid "$two" -enable multi
keys q
wait_for '^status=0$'
seen 'said' 'undid this session.s changes: 5 sites'
seen 'said of the children' 'undone in 2 forked children: 2 probes'
pid=$grandchild
same 'the grandchild is off' "$(state multi)" disabled
pid=$two
same 'the other party keeps its own' "$(live "$loop" multi)" '5 count 0100 5 site 90e8'
pid=$pid_parent
same 'and the parent' "$(state multi)" disabled
echo quit >&8
exec 8>&- 9<&-
end_child

# --- born between the last look and the end: q looks once more (the screen is frozen)
screen -refresh 0.2
text '/multi'
keys Enter
keys e
wait_cursor on 'ocaml_2:multi'
keys Z
wait_for 'FROZEN'
child
keys q
wait_for '^status=0$'
seen 'said of the child' 'undone in 1 forked child: 1 probe'
same 'swept' "$(child_hits multi)" 0

# --- switched off in the parent while frozen: what is on until then is known before
screen -refresh 0.2
text '/second'
keys Enter
keys e
wait_cursor on 'ocaml_2:second'
end_child
keys Z
wait_for 'FROZEN'
child
keys d
wait_for 'off second: 1 site'
same 'it has it still' "$(child_hits second)" 1
keys q
wait_for '^status=0$'
same 'swept' "$(child_hits second)" 0
end_child

# --- killed: the child has a record of its own
screen -refresh 0.2
text '/second'
keys Enter
keys e
wait_cursor on 'ocaml_2:second'
child
wait_for "forked child $child inherited"
kill -9 "$(ours)"
wait_for 'status=137'
terminal 100 24
want 0 repair -no-syslog -pid "$child"
same 'repaired' "$(child_hits second)" 0
end_child
want 0 repair -no-syslog -pid "$pid"
same 'and the parent' "$(state second)" disabled

# --- followed: it joins the list, with what it took along as ours
screen -refresh 0.2 -follow
text '/second'
keys Enter
keys e
wait_cursor on 'ocaml_2:second'
child
wait_for "1 new process, the latest is $child; 1 of them inherited what this session had switched: W"
wait_for '^ .*  2 processes '
wait_cursor on 'ocaml_2:second +2/2 +1 +2 +you '
keys j
keys k
keys d
wait_cursor off 'ocaml_2:second +0/2 +0 +2 '
same 'off in the child' "$(child_hits second)" 0
keys e
wait_cursor on 'ocaml_2:second +2/2 +1 +2 +you '
keys q
wait_for '^status=0$'
same 'undone in the child' "$(child_hits second)" 0
same 'undone in the parent' "$(state second)" disabled
end_child

# --- nothing was switched, only counted
if has_zydis; then
	screen -refresh 0.2 -follow
	text ':stop'
	keys Enter
	wait_for 'counting may stop the process'
	text '/second'
	keys Enter
	keys H
	wait_for 'count second: 1 site'
	child
	wait_for "1 new process, the latest is $child; 1 of them inherited what this session had counted: W"
	keys q
	wait_for '^status=0$'
	end_child
fi

# --- W takes it back there, too, which u does not: u is of the processes that were switched
screen -refresh 0.2 -follow
text '/second'
keys Enter
keys e
wait_cursor on 'ocaml_2:second'
child
wait_cursor on 'ocaml_2:second +2/2 +1 +2 +you '
keys u
wait_cursor any 'ocaml_2:second +1/2 '
wait_for 'undone: .* But 1 forked child still holds what'
wait_for 'inherited: W takes it back'
same 'the child has it still' "$(child_hits second)" 1
keys W
wait_for 'undone in 1 forked child: 1 probe'
wait_cursor off 'ocaml_2:second +0/2 '
same 'not any more' "$(child_hits second)" 0
keys W
wait_for 'no forked child holds changes of this session'

# --- but not what was switched there since it joined
keys e
wait_cursor on 'ocaml_2:second +2/2 '
keys W
wait_for 'no child holds what it inherited. 1 in the list holds later changes'
same 'on purpose' "$(child_hits second)" 1
keys q
wait_for '^status=0$'
same 'undone in the child' "$(child_hits second)" 0
end_child

# --- of an heir in which something else was switched, the inherited alone
screen -refresh 0.2 -follow
text '/second'
keys Enter
keys e
wait_cursor on 'ocaml_2:second'
child
wait_cursor on 'ocaml_2:second +2/2 +1 +2 +you '
keys '\'
text 'multi'
keys Enter
wait_cursor off 'ocaml_2:multi'
keys e
wait_cursor on 'ocaml_2:multi +10/10 '
keys W
wait_for 'undone in 1 forked child: 1 probe. 1 in the list holds later changes'
same 'the inherited' "$(child_hits second)" 0
same 'the other stays' "$(child_hits multi)" 5
same 'the parent keeps both' "$(hits second 1)" 1
keys q
wait_for '^status=0$'
same 'undone in the child' "$(child_hits multi)" 0
same 'undone in the parent' "$(state second)" disabled
end_child

# --- the same of a tree
type_command "'$PROBES_TUI' -no-syslog -tree $pid -refresh 0.2"
wait_list
text '/second'
keys Enter
keys e
wait_cursor on 'ocaml_2:second'
child
wait_cursor on 'ocaml_2:second +2/2 +1 +2 +you '
keys q
wait_for '^status=0$'
same 'undone in the child' "$(child_hits second)" 0
end_child
stop
finish
