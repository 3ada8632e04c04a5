#!/bin/sh
# Where objects hide: files deleted and replaced, programs and libraries that are memory only, other
# roots and namespaces, overlays, segments in many mappings, odd layouts, prelinked notes, text without
# a file. Each is listed, switched, seen by its own handlers, and left byte for byte as it was.
# Where the privilege is missing to open what is mapped itself, a library without its file is one that
# could not be read, and that is said.
# Does not cover: all that is said then, and what stands in for the file (unread.sh); btrfs.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
built=$VICTIMS
lib=$built/libvictim.so
opens_mapped && privileged=yes || privileged=

# works WHAT [PREFIX]: switch five sites of `multi` in $pid, and back. PREFIX: of the report's names
works()
{
	want 0 list -pid "$pid" -format csv
	same "$1: each probe once" "$(grep -c ',multi,' "$tmp/out")" 1
	attach -enable multi
	ask step
	same "$1: on" "$(value multi hits)" 5
	same "$1: so it says" "$(state multi)" enabled
	attach -disable multi
	ask step
	same "$1: off" "$(value multi hits)" 5
	same "$1: so it says" "$(state multi)" disabled
	same "$1: no register was lost" "$(value check corrupt)" 0
	count=$((count + 1))
}

# lib_works WHAT: likewise the two sites of `lib_work`
lib_works()
{
	attach -enable lib_work
	ask step
	same "$1: on" "$(value libvictim.lib_work hits)" 2
	attach -disable lib_work
	ask step
	same "$1: off" "$(value libvictim.lib_work hits)" 2
	same "$1: so it says" "$(state lib_work)" disabled
	count=$((count + 1))
}
count=0

# lib_hides WHAT: a library whose file is not there any more
lib_hides()
{
	if [ "$privileged" ]; then
		lib_works "$1"
		return
	fi
	want 0 list -pid "$pid"
	has "$1: said" '^probes-tui: pid [0-9]+: 1 object could not be read'
	has "$1: which" 'libvictim\.so: (deleted or replaced on disk|.*not the one that is mapped)'
	same "$1: what cannot be read is not shown" "$(grep -c libvictim "$tmp/out")" 0
	unread=$((unread + 1))
}
unread=0

# fresh FILE...: copies in a directory of their own, from which victims are started now
fresh()
{
	VICTIMS=$tmp/fresh.$((count + unread + 1))
	mkdir "$VICTIMS"
	for one; do
		cp "$built/$one" "$VICTIMS/"
	done
}

# --- the program's file
fresh loop_ocaml2_pie
start loop_ocaml2_pie
rm "$VICTIMS/loop_ocaml2_pie"
works 'deleted'
stop

fresh loop_ocaml2_fixed
start loop_ocaml2_fixed
cp "$built/loop_ocaml1_fixed" "$VICTIMS/new"
mv "$VICTIMS/new" "$VICTIMS/loop_ocaml2_fixed"
works 'replaced by another program'
want 0 info -pid "$pid"
same 'the old one is read' "$(grep -c from_start "$tmp/out")" 0
stop

# --- a library's file
fresh loop_lib libvictim.so
start loop_lib
rm "$VICTIMS/libvictim.so"
lib_hides 'library deleted'
stop

fresh loop_lib libvictim.so
start loop_lib
cp "$built/libvictim1.so" "$VICTIMS/new"
mv "$VICTIMS/new" "$VICTIMS/libvictim.so"
lib_hides 'library replaced'
want 0 list -pid "$pid" -format csv
same 'the old one is read' "$(grep -c ',ocaml_1,' "$tmp/out")" 0
stop

# --- memory only
VICTIMS=$built
start loop_dlopen
ask "load memory:$lib"
same 'loaded from memory' "$(cut -d ' ' -f 1 "$tmp/answer")" loaded
lib_works 'library in a memfd'
ask unload
stop
launch 3 4 hide exec "$built/loop_ocaml2_pie"
pid=$started_pid
works 'program in a memfd'
stop

# --- segments in many mappings, before we look and while a session is open
start loop_lib
before=$(grep -c /loop_lib "/proc/$pid/maps")
ask split
checks=$((checks + 1))
[ "$(grep -c /loop_lib "/proc/$pid/maps")" -gt "$before" ] || fail 'nothing was split'
works 'split program'
lib_works 'split library'
stop

# --- layouts
for one in loop_joined loop_moved loop_moved_pie; do
	start $one
	works $one
	stop
done
fresh sdt_sema
"$built/hide" prelink "$VICTIMS/sdt_sema" || fail 'prelink'
same 'its notes lie about their addresses' \
	"$(notes "$VICTIMS/sdt_sema" | awk '{ print $3 }' | sort)" \
	"$(notes "$built/sdt_sema" | awk '{ print $3 }' | while read -r pc; do
		printf '0x%016x\n' $((pc - 65536))
	done | sort)"
start sdt_sema
attach -enable single
ask step
same 'prelinked: on' "$(value single sema)" 1
attach -disable single
ask step
same 'prelinked: off' "$(value single sema)" 0
count=$((count + 1))
stop
VICTIMS=$built

# --- text without a file
start loop_ocaml2_pie
ask gigatext
same 'no code of it is in a file' "$(grep -c 'r-xp.*loop_ocaml2_pie' "/proc/$pid/maps")" 0
works 'gigatext'
want 0 attach -no-syslog -gigatext -pid "$pid" -enable multi
has 'accepted' 'is not needed: text on huge pages is detected automatically'
attach -disable multi
stop
for one in loop_ocaml2_fixed loop_joined; do
	start $one
	ask 'gigatext all'
	works "gigatext of $one, with its headers"
	stop
done

start loop_ocaml2_pie
ask 'gigatext part'
same 'some of its code is in the file still' \
	"$(grep -c 'r-xp.*loop_ocaml2_pie' "/proc/$pid/maps")" 1
works 'gigatext in part'
want 0 list -verbose -pid "$pid"
same 'the rest of its file is no object of its own' "$(grep -c 'as its headers say' "$tmp/out" "$tmp/err" | grep -vc ':0')" 0
stop

# --- other roots and namespaces
if unshare -m true 2>/dev/null; then
	mkdir "$tmp/root"
	cp "$built/loop_static" "$tmp/root/victim"
	VICTIMS=$tmp
	cat >"$tmp/jail" <<-END
		#!/bin/sh
		exec chroot "$tmp/root" /victim
	END
	cat >"$tmp/elsewhere" <<-END
		#!/bin/sh
		exec unshare -m sh -c 'mount -t tmpfs none "$tmp/root" && cp "$built/loop_lib" "$lib" "$tmp/root" &&
			exec "$tmp/root/loop_lib"'
	END
	cat >"$tmp/over" <<-END
		#!/bin/sh
		exec unshare -m sh -c 'mount -t tmpfs none "$tmp/root" && cd "$tmp/root" && mkdir low up work all &&
			cp "$built/loop_lib" "$lib" low &&
			mount -t overlay -o lowerdir=low,upperdir=up,workdir=work none all || {
				echo ready 0
				exit
			}
			exec "$tmp/root/all/loop_lib"'
	END
	chmod +x "$tmp/jail" "$tmp/elsewhere" "$tmp/over"
	launch 3 4 jail
	pid=$started_pid
	same 'its path means nothing here' "$(ls /victim 2>/dev/null)" ''
	works 'chroot'
	stop
	launch 3 4 elsewhere
	pid=$started_pid
	same 'its path is empty here' "$(ls "$tmp/root/loop_lib" 2>/dev/null)" ''
	works 'mount namespace'
	lib_works 'mount namespace'
	stop
	launch 3 4 over
	pid=$started_pid
	if [ "$pid" = 0 ]; then
		echo 'not checked: overlayfs cannot be mounted here'
		exec 3>&- 4<&-
	else
		works 'overlayfs'
		lib_works 'overlayfs'
		stop
	fi
else
	echo 'not checked: roots and namespaces, unshare is not permitted'
fi
VICTIMS=$built

# --- a pid of its own
if unshare -p -f true 2>/dev/null; then
	fifos
	unshare -p -f --kill-child "$built/loop_ocaml2_pie" <"$tmp/in" >"$tmp/answers" &
	shepherd=$!
	started="$started $shepherd"
	exec 3>"$tmp/in" 4<"$tmp/answers"
	read -r _ inner <&4
	same 'it is process 1' "$inner" 1
	pid=$(cut -d ' ' -f 1 "/proc/$shepherd/task/$shepherd/children")
	works 'pid namespace'
	start2 loop_ocaml2_pie
	want 0 list -pid "$pid,$pid2"
	stop2
	has 'both numbers' "^pid $pid \(1 in its own pid namespace\) /" "$tmp/out"
	echo quit >&3
	exec 3>&- 4<&-
	wait "$shepherd"
	gone "$shepherd"
else
	echo 'not checked: pid namespaces'
fi

[ "$unread" = 0 ] || echo "$unread ways need the privilege to open what is mapped: their library is only named"
echo "$count ways to hide"
finish
