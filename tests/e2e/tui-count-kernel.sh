#!/bin/sh
# Uprobes on the screen: `:kernel`, then H counts by uprobe and takes back within the session, which goes on. A library
# that is unloaded while a uprobe counts in it, and mapped again, has no breakpoint: the kernel would place it again.
# Does not cover: what the kernel refuses, and the hits of several threads (count-kernel.sh).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
. "${srcdir:-.}/tests/e2e/counting.sh"
need_uprobes
terminal 120 30

# ------------------------------------------------------------- :kernel
start counts
cornered
site=$(site_of "$VICTIMS/counts" plain)
screen
text /plain
keys Enter
wait_cursor 'no switch' 'counts:plain +1 '
keys H
wait_for 'memfd_create in the process failed'
text ':kernel'
keys Enter
wait_for 'H now also uses kernel uprobes'
keys H
wait_for 'count plain: 1 site, '
wait_cursor counted 'counts:plain +1/1 +'
same 'a breakpoint' "$(byte "$site")" cc
ask 'run 4 100'
wait_cursor counted 'counts:plain +1/1 .* 400 '
keys i
wait_for '^      400 hits  \(uprobe\)'
keys q H
wait_for 'uncount plain: 1 site, '
wait_cursor 'no switch' 'counts:plain +1 '
same 'none, while the session goes on' "$(byte "$site")" 90
ask 'run 4 100'
keys u
wait_for 'undone: uncount plain'
wait_cursor counted 'counts:plain +1/1 +'
same 'a breakpoint again' "$(byte "$site")" cc
ask 'run 1 7'
wait_cursor counted 'counts:plain +1/1 .* 7 '
keys q
wait_for '^status=0$'
same 'none in the end' "$(byte "$site")" 90
stop

# ------------------------------------------------------------- a library comes, goes, and comes
# say LINE: to the victim, which answers a line
say()
{
	echo "$1" >&3
	read -r _ <&4
}

start ../stress/tally --threads 1
library=$VICTIMS/../stress/libtally1.so
say pause
ask 'load 1'
cornered
screen
text ':kernel'
keys Enter
wait_for 'H now also uses kernel uprobes'
text /library_lea
keys Enter
wait_cursor 'no switch' 'tally:library_lea +1 '
keys H
wait_for 'count library_lea: 1 site, '
wait_cursor counted 'tally:library_lea +1/1 +'
same 'a breakpoint in the library' "$(byte "$(site_of "$library" library_lea)")" cc
prlimit --pid "$pid" --nofile=64:
ask 'load 0'
wait_state gone 'tally:library_lea '
ask 'load 1'
wait_state 'no switch' 'tally:library_lea +1 '
same 'none in the library that came' "$(byte "$(site_of "$library" library_lea)")" 90
say go
keys q
wait_for '^status=0$'
say pause
same 'none in the end' "$(byte "$(site_of "$library" library_lea)")" 90
say go
stop
finish
