#!/bin/sh
# An inconsistent probe: what disagrees is explained, and repaired by force either way. Arguments.
# Does not cover: how inconsistency is found (unit tests), repair of what a killed session left (cli).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
start loop_ocaml2_pie
terminal 80 24
screen

# spoil OCTAL [NAME]: the first site of multi (or NAME) is written by hand
file=$VICTIMS/loop_ocaml2_pie
spoil()
{
	site=$(notes "$file" | awk -v name="${2:-multi}" '$2 == name { print $3; exit }')
	poke $(($(bias "$file") + site + 1)) "$1"
}

keys /
text multi
keys Enter !
wait_for 'ocaml_2:multi: it is off, and code and semaphore agree'
spoil 350
wait_cursor partial 'ocaml_2:multi +1/5 +0 '
keys e
wait_for 'on multi: nothing was changed: cannot enable ocaml_2:multi: 1 of its 5$'
seen 'the way out' '^sites are on, the others off \(partial\); ! explains and repairs it$'
keys !
wait_for '^What disagrees in ocaml_2:multi'
seen 'the process' 'Process [0-9]+: not all of it agrees'
seen 'the count' 'semaphore 1 of 1 at 0x[0-9a-f]+: 0$'
seen 'the sites' '1 of 5 sites are on; the semaphore says that none should be'
seen 'which one' 'site 1 at 0x[0-9a-f]+ is on: 90 e8'
seen 'the way out' '^  y  repair, as the semaphore says: .* off$'
seen 'the footer' '^y Repair e Force on d Force off '
keys y
wait_for 'By force: Switch off 1 probe, 5 sites\? '
keys Enter
wait_for 'not done: nothing was changed'
keys y
wait_for 'By force: '
keys y
wait_for 'Nothing disagrees now: it is off'
seen 'the result line' 'force off multi: 1 site, '
same 'off' "$(state multi)" disabled
keys q
wait_list

spoil 350
wait_cursor partial 'ocaml_2:multi'
keys ! e
wait_for 'By force: '
keys y
wait_for 'Nothing disagrees now: it is on'
same 'on' "$(state multi)" enabled
same 'all five' "$(hits multi 1)" 5
keys q y
wait_for '^probes-tui attach -pid [0-9]+ -enable ocaml_2:multi -force$'
keys q
spoil 075
wait_cursor partial 'ocaml_2:multi +4/5 +1 '
keys !
wait_for 'the semaphore says that all should be'
keys '?'
wait_for '^Help'
keys q
wait_for '^What disagrees in ocaml_2:multi'
keys d
wait_for 'By force: '
keys y
wait_for 'Nothing disagrees now: it is off'
same 'off again' "$(hits multi 1)" 0
keys q

# ------------------------------------------------------------- wholly at odds
spoil 350 first
keys k
wait_cursor inconsistent 'ocaml_2:first +1/1 +0 +\?'
keys !
wait_for '^What disagrees in ocaml_2:first'
seen 'the process' 'Process [0-9]+: code and semaphore disagree'
seen 'why' 'Two readings agree'
keys y
wait_for 'By force: '
keys y
wait_for 'Nothing disagrees now: it is off'
# only code was written: an undo would make it inconsistent again
keys q u
wait_for 'not undone: force off first: nothing was changed; 1 probe is left'
wait_cursor off 'ocaml_2:first +0/1 +0'

# --- code that follows the count of another party is not ours
keys /
text second
keys Enter
attach -enable second
wait_cursor on 'ocaml_2:second +1/1 +1 +other '
spoil 075 second
wait_cursor inconsistent 'ocaml_2:second +0/1 +1 '
keys !
wait_for '^What disagrees in ocaml_2:second'
keys y
wait_for 'By force: '
keys y
wait_for 'Nothing disagrees now: it is on'
keys q
wait_cursor on 'ocaml_2:second +1/1 +1 +other '
spoil 314 second # a breakpoint of another tool
keys u
wait_for 'not undone: force on second: nothing was changed; 1 not done \(another'
spoil 350 second
wait_cursor on 'ocaml_2:second +1/1 +1 +other '
keys d
wait_for 'held by another party'
keys Enter
wait_for 'not done: nothing was changed'
attach -disable second
wait_cursor off 'ocaml_2:second +0/1 +0 '
keys /
text multi
keys Enter
wait_for '^> .* ocaml_2:multi'

# --- force asks before it takes what others added, also from the command line
attach -enable second
attach -enable second
attach -enable second
keys /
text second
keys Enter
wait_cursor on 'ocaml_2:second +1/1 +3 +other '
text ':attach -enable second -force'
keys Enter
wait_for 'By force: Switch 1 probe, 1 site\? 1 held by another party'
keys Enter
wait_for 'not done: nothing was changed'
wait_cursor on 'ocaml_2:second +1/1 +3 +other '

# --- a repair by a count above 1 leaves the count; no command line says that
spoil 075 second
wait_cursor inconsistent 'ocaml_2:second +0/1 +3 '
keys !
wait_for '^  y  repair, as the semaphore says: every site on; the semaphore stays as it is'
keys y
wait_for 'By force: '
keys y
wait_for 'Nothing disagrees now: it is on'
keys q
wait_cursor on 'ocaml_2:second +1/1 +3 +other '
keys y
wait_for '^# process [0-9]+: no command does this to ocaml_2:second$'
keys q

# --- a forced action, undone and done again: no wrong command is shown
text ':attach -enable second -force'
keys Enter
wait_for 'By force: Switch 1 probe'
keys y
wait_cursor on 'ocaml_2:second +1/1 +1 '
keys u
wait_cursor on 'ocaml_2:second +1/1 +3 +other '
keys y
wait_for '^# process [0-9]+: no command does this to ocaml_2:second$'
keys q C-r
wait_cursor on 'ocaml_2:second +1/1 +1 '
keys y
wait_for '^probes-tui attach -pid [0-9]+ -enable ocaml_2:second -force$'
keys q u
wait_cursor on 'ocaml_2:second +1/1 +3 +other '

# --- the answer is for what was shown: the count has changed since
spoil 075 second
wait_cursor inconsistent 'ocaml_2:second +0/1 +3 '
keys ! y
wait_for 'By force: Switch on 1 probe, 1 site\?'
count=$(notes "$file" | awk '$2 == "second" { print $4; exit }')
poke $(($(bias "$file") + count + 2)) 000 # the count is behind its first two bytes
keys y
wait_for 'not done: ocaml_2:second has changed since it was shown;'
same 'off' "$(state second)" disabled
keys q
wait_cursor off 'ocaml_2:second +0/1 +0 '
keys /
text multi
keys Enter
wait_for '^> .* ocaml_2:multi'

# ---------------------------------------------------------------------- arguments
keys a
wait_for '^Arguments of ocaml_2:multi'
seen 'a site' '^site 1 of 5 at 0x'
seen 'in words' '^   arg1 +(un)?signed, 8 bytes +register %'
keys q i a
wait_for '^Arguments of ocaml_2:multi'
keys q
wait_for '^Detail of ocaml_2:multi'
keys q q
wait_for '^status=0$'

# --- what leaving and the lease do not take back, they say
for lease in 15m 3s; do
	attach -enable second
	spoil 075 second
	screen -lease "$lease"
	keys /
	text second
	keys Enter !
	wait_for '^What disagrees in ocaml_2:second'
	keys y
	wait_for 'By force: '
	keys y
	wait_for 'Nothing disagrees now: it is on'
	keys q
	[ "$lease" = 15m ] ||
		wait_for 'the lease ran out, not undone: nothing was changed; 1 probe is left'
	keys q
	wait_for '^status=0$'
	[ "$lease" = 3s ] ||
		seen 'said' '^probes-tui: 1 probe is left: its code and semaphore agree'
	same 'left' "$(live "$file" second)" '1 count 0100 1 site 90e8'
	attach -disable second
done
stop
finish
