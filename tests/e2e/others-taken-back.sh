#!/bin/sh
# An undo while a uprobe holds the site: our part of the count is already gone (another session's
# disable), and the remaining 1 is the kernel's. Without that 1 the kernel could never remove its
# uprobe: every undo (-for, repair, q, u and ^R on the screen, -force) leaves it, says so, keeps a
# record, and is completed when the uprobe has gone. Also where names share a count.
# Does not cover: the lease (as q); forked children.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
. "${srcdir:-.}/tests/e2e/uprobes.sh"
file=$VICTIMS/sdt_sema
# A screen that reads more often sees that its part is gone, and owes nothing.
echo "refresh = 60" >"$XDG_CONFIG_HOME/probes-tui/config"

# removed: the kernel could remove its uprobe: its count is 0, the bytes are the file's.
removed()
{
	same "nothing is left of it, $1" "$(live "$file" single)" "$as_found"
}

# overtaken: switched for a while, taken away by a colleague, and a uprobe comes
overtaken()
{
	hold -enable single
	colleague
}

colleague()
{
	attach -disable single
	uprobes victim:single || skip "bpftrace does not work here: $(head -n 2 "$tmp/bperr")"
	held=$(live "$file" single)
	echo "$held" >"$tmp/theirs"
	has 'the kernel counts both sites' 'count 0200 (2 site cc..|1 site cc.. 1 site cc..)$' "$tmp/theirs"
}

start sdt_sema
as_found=$(live "$file" single)

# --- -for, ended; repair amidst, and behind
overtaken
kill -TERM "$session"
wait "$session"
same 'it fails' $? 1
gone "$session"
same 'theirs is left' "$(live "$file" single)" "$held"
has 'it is said' 'victim:single: uprobes' "$tmp/held"
has 'and what to do' "repair -pid $pid" "$tmp/held"
want 1 repair -no-syslog -pid "$pid"
has 'not now' '1 probe could not be repaired now'
same 'theirs is left by repair' "$(live "$file" single)" "$held"
want 6 attach -no-syslog -pid "$pid" -force -disable single
same 'theirs is left by force' "$(live "$file" single)" "$held"
uprobes_end
removed 'after -for'
want 0 repair -no-syslog -pid "$pid"
removed 'after repair'
want 0 repair -no-syslog -pid "$pid"
has 'it is settled' 'nothing to repair'

# --- another one takes its own part beside it
: >"$tmp/held"
uprobes victim:single
held=$(live "$file" single)
attach -enable single
"$PROBES_TUI" attach -no-syslog -pid "$pid" -enable single -for 1ms 2>"$tmp/held"
attach -disable single
same 'ours beside theirs' "$(live "$file" single)" "$held"
uprobes_end
removed 'beside ours'

# --- bpftrace counts both sites of private in one of its counts
uprobes victim:private
held=$(live "$file" private)
run attach -no-syslog -pid "$pid" -disable private
run attach -no-syslog -pid "$pid" -force -enable private
run attach -no-syslog -pid "$pid" -force -disable private
run attach -no-syslog -pid "$pid" -disable-all
same 'theirs is left' "$(live "$file" private)" "$held"
uprobes_end

# --- the screen
fresh()
{
	terminal
	screen
	keys / single Enter e
	wait_state on 'victim:single'
	colleague
}

fresh
keys u
wait_for 'nothing was changed; 1 not done \(uprobes'
same 'theirs is left by u' "$(live "$file" single)" "$held"
keys q
wait_for '1 probe could not be undone'
same 'theirs is left by q' "$(live "$file" single)" "$held"
uprobes_end
removed 'after u and q'
keys u
wait_for 'undone: '
keys q
wait_for '^status=0$'
removed 'after the screen'
want 0 repair -no-syslog -pid "$pid"
has 'the screen owes nothing' 'nothing to repair'

# --- switched off, undone, and taken away: ^R would lower it again
attach -enable single
terminal
screen
keys / single Enter d
wait_for 'Type y'
keys y
wait_state off 'victim:single'
keys u
wait_for 'undone: .*\^R=redo'
colleague
keys C-r
wait_for 'nothing was changed; 1 not done \(uprobes'
same 'theirs is left by ^R' "$(live "$file" single)" "$held"
uprobes_end
removed 'after ^R'
keys Q
wait_for '^status=0$'
stop
finish
