#!/bin/sh
# The screen while libraries are loaded and unloaded: new rows, rows that are gone, the same library
# back at another address, what was switched in it, a frozen screen that does not
# know yet; a file deleted, segments split and text moved while we look on.
# Does not cover: 100,000 rows (make bench).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
lib=$VICTIMS/libvictim.so
start loop_dlopen
terminal 100 24
screen -refresh 0.2

ask "load $lib"
wait_for 'libvictim.so: 3 probes new'
wait_state off 'ocaml_2:lib_work +0/2'
seen 'counted' '^ 11 probes'
text '/lib_work'
keys Enter
keys e
wait_cursor on 'ocaml_2:lib_work +2/2 +1 +you'
same 'on' "$(hits libvictim.lib_work 1)" 2

ask unload
wait_for 'libvictim.so: 3 probes gone, it was unloaded \(1 as this session had switched it: nothing'
wait_cursor gone 'ocaml_2:lib_work +- +- +libvictim.so'
keys e
wait_for 'on lib_work: its object has been unloaded'
keys u
wait_for 'undone: on lib_work: nothing was changed; 1 probe is no longer mapped'
keys i
wait_for 'unloaded: this was its place'
keys q
wait_for '^  STATE'

# --- its place is taken, so it comes back elsewhere: the same row, fresh
ask occupy
ask "load $lib"
wait_for 'libvictim.so: 3 probes new'
wait_cursor off 'ocaml_2:lib_work +0/2 +0 '
seen 'no row twice' '^ 11 probes'
keys e
wait_cursor on 'ocaml_2:lib_work +2/2 +1 +you'
same 'on in the new one' "$(hits libvictim.lib_work 1)" 2

# --- frozen, the screen does not know that it went: a switch looks before it writes
keys Z
wait_for 'FROZEN'
ask unload
ask occupy
same 'something else is there' "$(cat "$tmp/answer")" 'done occupied'
keys d
wait_for 'unloaded|nothing was changed|Type y'
keys Escape
keys Z
wait_cursor gone 'ocaml_2:lib_work +- +- +libvictim.so'
ask touched
same 'not a byte was written there' "$(cat "$tmp/answer")" 'done untouched'

# --- nothing comes or goes: a look is one read of maps, and no file is opened
looks()
{
	[ "$(grep -c '"maps"' "$tmp/calls" 2>/dev/null)" -ge 3 ] && echo 3
}
if command -v strace >/dev/null && strace -qq -o /dev/null true 2>/dev/null; then
	strace -qq -p "$(ours)" -e trace=open,openat,openat2,process_vm_readv -o "$tmp/calls" &
	tracer=$!
	started="$started $tracer"
	wait_until 3 looks
	kill "$tracer"
	wait "$tracer" 2>/dev/null
	gone "$tracer"
	same 'opened beside /proc' "$(grep open "$tmp/calls" | grep -vc '"maps"\|"auxv"\|"/proc')" 0
fi

# --- deleted while we look on; and split in many mappings, and moved to memory without a file
cp "$lib" "$tmp/libplug.so"
ask "load $tmp/libplug.so"
wait_for 'libplug.so: 3 probes new'
wait_state off 'ocaml_2:lib_work +0/2 +0 +libplug.so '
rm "$tmp/libplug.so"
wait_state off 'ocaml_2:lib_work +0/2 +0 +libplug.so\* '
ask split
ask gigatext
text '/second'
keys Enter
keys e
wait_cursor on 'ocaml_2:second +1/1 +1 +you'
same 'on' "$(hits second 1)" 1
wait_state off 'ocaml_2:lib_work +0/2 +0 +libplug.so\* '

# --- on the way out
keys q
wait_for 'undid this session.s changes: 1 site'
wait_for '^status=0$'
same 'undone' "$(state second)" disabled
stop
finish
