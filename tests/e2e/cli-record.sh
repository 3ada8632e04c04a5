#!/bin/sh
# A record is removed only on proof, and found in every place: without descriptors, in another time
# namespace, with and without XDG_RUNTIME_DIR, with another user's XDG_RUNTIME_DIR (`su` without `-`),
# after a logout, despite a folder planted by a stranger. Root finds the records of the target's user,
# and trusts nobody else's.
# The places are /tmp, /var/tmp and /run of a mount namespace of its own: needs root.
# Does not cover: who holds a journal (unit: journal), a file system that a user serves (FUSE).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching

# killed: the session, by -9, without the shell's word about it.
killed()
{
	{
		kill -9 "$session"
		wait "$session"
	} 2>/dev/null
	gone "$session"
}

# repaired WHAT: the probe is on; then it is not.
repaired()
{
	same "left on, $1" "$(state multi)" enabled
	want 0 repair -no-syslog -pid "$pid"
	has "undone, $1" 'undid what session [0-9]+ left behind: 1 probe, 5 sites'
	same "off, $1" "$(live "$victim" multi)" '5 count 0000 5 site 903d'
}

victim=$VICTIMS/loop_ocaml2_pie
hold_as=
inside=${inside:-}
[ -n "$inside" ] || {
	# --- too few descriptors to look: the owner lives all the same
	start loop_ocaml2_pie
	hold -enable multi
	for few in $(seq 4 24); do
		# At some it cannot even begin; whatever it says, it must not throw anything away.
		(
			ulimit -n $few
			"$PROBES_TUI" list -pid "$pid"
		) >/dev/null 2>&1 </dev/null
	done
	killed
	# Nor is there nothing to repair, where nobody could look.
	same 'still on' "$(state multi)" enabled
	for few in $(seq 4 24); do
		(
			ulimit -n $few
			"$PROBES_TUI" repair -no-syslog -pid "$pid"
		) >"$tmp/out" 2>&1 </dev/null
		[ "$(state multi)" = enabled ] || break
		same "with $few descriptors" "$(grep -c 'nothing to repair' "$tmp/out")" 0
	done
	same 'undone as soon as it can be' "$(live "$victim" multi)" '5 count 0000 5 site 903d'
	hold -enable multi
	killed
	repaired 'with enough descriptors'

	# --- another time namespace shifts all start times
	shifted="unshare -T --boottime 1000 --fork --kill-child"
	if $shifted true 2>/dev/null; then
		hold -enable multi
		$shifted "$PROBES_TUI" list -pid "$pid" >/dev/null 2>"$tmp/err" </dev/null
		same 'no word of a living session' "$(cat "$tmp/err")" ''
		killed
		repaired 'after a look from another time namespace'
		hold_as=$shifted
		hold -enable multi
		hold_as=
		want 0 list -pid "$pid"
		same 'no word of one that lives there' "$(cat "$tmp/err")" ''
		killed
		# What died was unshare; the session ends a moment later.
		for _ in $(seq 500); do
			"$PROBES_TUI" list -pid "$pid" 2>&1 >/dev/null </dev/null | grep -q interrupted && break
		done
		repaired 'left in another time namespace'
	else
		echo 'no time namespace: not tried'
	fi
	stop
	[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || {
		echo 'no right to mount: the places were not tried'
		finish
	}
	# The built files may lie below what is covered.
	mkdir "$tmp/all" && cp "$PROBES_TUI" "$tmp/all/probes-tui" || exit 99
	cp -r "$VICTIMS" "$tmp/all/victims" && chmod -R a+rX "$tmp/all" || exit 99
	cp "${srcdir:-.}/tests/e2e/lib.sh" "$tmp/all/" && cp "$0" "$tmp/all/self.sh" || exit 99
	mkdir -p "$tmp/all/tests/e2e" && mv "$tmp/all/lib.sh" "$tmp/all/tests/e2e/" || exit 99
	cp "${srcdir:-.}/tests/memory.sh" "$tmp/all/tests/" || exit 99
	inside=1 ALL=$tmp/all unshare -m sh -c '
		mount -t tmpfs -o mode=755 tmpfs /mnt && cp -r "$ALL" /mnt/all &&
		mount -t tmpfs -o mode=1777 tmpfs /tmp &&
		mount -t tmpfs -o mode=1777 tmpfs /var/tmp &&
		mount -t tmpfs -o mode=755 tmpfs /run || exit 99
		cd / && TMPDIR=/tmp PROBES_TUI=/mnt/all/probes-tui VICTIMS=/mnt/all/victims srcdir=/mnt/all exec sh /mnt/all/self.sh'
	same 'the places' $? 0
	finish
}

# ------------------------------------------------------------------- the places
unset PROBES_TUI_RECORDS XDG_RUNTIME_DIR
chmod 755 "$tmp"
user="setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all"
other="setpriv --reuid 65533 --regid 65533 --clear-groups --inh-caps=-all"
$user "$PROBES_TUI" -version >/dev/null 2>&1 || skip 'another user may not run our program'

# victim_of WHO: as that user.
victim_of()
{
	fifos
	chmod 666 "$tmp/in" "$tmp/answers"
	$1 "$victim" <"$tmp/in" >"$tmp/answers" &
	started="$started $!"
	exec 3>"$tmp/in" 4<"$tmp/answers"
	read -r word pid _ <&4
}

# run_as WHO ARG...
run_as()
{
	who=$1
	shift
	$who "$PROBES_TUI" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}

victim_of "$user"
mkdir -p /run/user/65534 /run/user/65533 /run/user/0
chmod 700 /run/user/*
chown 65534 /run/user/65534
chown 65533 /run/user/65533

# left AS: a session that was killed
left()
{
	hold_as=$1
	hold -enable multi
	killed
	hold_as=
}

# undone AS WHAT: that one finds it, and undoes it
undone()
{
	run_as "$1" repair -no-syslog -pid "$pid"
	same "status, $2" "$status" 0
	has "found, $2" 'undid what session [0-9]+ left behind: 1 probe, 5 sites'
	same "off, $2" "$(live "$victim" multi)" '5 count 0000 5 site 903d'
}

left "$user"
undone "env XDG_RUNTIME_DIR=/run/user/65534 $user" 'with XDG_RUNTIME_DIR, written without'
left "env XDG_RUNTIME_DIR=/run/user/65534 $user"
undone "$user" 'without XDG_RUNTIME_DIR, written with it'
left "env XDG_RUNTIME_DIR=/run/user/65533 $user"
undone "$user" 'with XDG_RUNTIME_DIR of somebody else'
left "env XDG_RUNTIME_DIR=/run/user/65534 $user"
rm -rf /run/user/65534
undone "$user" 'after the logout'
left "$user"
undone '' "another user's, by root"
left ''
undone '' "root's own"
run_as "$user" repair -no-syslog -pid "$pid"
has 'nothing is left' 'nothing to repair'
same 'and no file' "$(find /tmp/probes-tui-* /run/probes-tui -type f)" ''

# --- a stranger was there before: on to the next place, and the last one
rm -rf /tmp/probes-tui-65534
$other mkdir -m 777 /tmp/probes-tui-65534
left "$user"
has 'without a complaint' ' switched for ' "$tmp/held"
same 'where' "$(find /tmp/probes-tui-65534 /var/tmp/probes-tui-65534 -type f | wc -l)" 1
undone '' 'in the second place'
rm -rf /var/tmp/probes-tui-65534
$other ln -s /tmp/probes-tui-65534 /var/tmp/probes-tui-65534
mkdir -m 700 /run/user/65534
chown 65534 /run/user/65534
left "$user"
same 'where' "$(find /run/user/65534 -type f | wc -l)" 1
undone "$user" 'in the last place'
rm -rf /tmp/probes-tui-* /var/tmp/probes-tui-*

# --- strangers in all places
rm -rf /tmp/probes-tui-65534 /var/tmp/probes-tui-65534 /run/user/65534
$other mkdir -m 777 /tmp/probes-tui-65534 /var/tmp/probes-tui-65534
run_as "$user" attach -no-syslog -pid "$pid" -enable multi -for 10ms
has 'who is in the way' 'no journal can be kept in /tmp/probes-tui-65534 \(it is not a folder that only you may enter\)'
rm -rf /tmp/probes-tui-* /var/tmp/probes-tui-*

# --- a journal of somebody who has no business in the target: root believes none of it
left ''
journal=$(find /run/probes-tui -type f)
for planted in /tmp/probes-tui-65533 /tmp/probes-tui-65534 /var/tmp/probes-tui-0; do
	mkdir -m 700 "$planted"
	cp "$journal" "$planted/"
	chown -R 65533 "$planted"
done
undone '' "root's, once"
want 0 repair -no-syslog -pid "$pid"
has 'and not what was planted' 'nothing to repair'
rm -rf /tmp/probes-tui-* /var/tmp/probes-tui-*

# --- a journal of a user who may not trace the process, forged from one of the user's own: root believes none of it
if command -v python3 >/dev/null; then
	cp "$VICTIMS/loop_ocaml2_fixed" /mnt/apart && chgrp 65530 /mnt/apart && chmod 2755 /mnt/apart || exit 99
	for way in 'a set-group-ID program' 'not dumpable' 'another group'; do
		victim=$VICTIMS/loop_ocaml2_fixed
		victim_of "$user"
		left "$user"
		journal=$(find /tmp/probes-tui-65534 -type f)
		case $way in
		a*program) victim=/mnt/apart && victim_of "$user" ;;
		not*) victim_of "$user" && ask undumpable ;;
		*) victim_of 'setpriv --reuid 65534 --regid 65530 --clear-groups --inh-caps=-all' ;;
		esac
		attach -enable multi
		python3 - "$journal" "$pid" <<'END'
import os, struct, sys
journal, pid = sys.argv[1], int(sys.argv[2])
d = bytearray(open(journal, 'rb').read())
start = int(open(f'/proc/{pid}/stat').read().rsplit(')', 1)[1].split()[19])
own = struct.unpack_from('<Q', d, 16)[0]
struct.pack_into('<I', d, 8, pid)
struct.pack_into('<QQ', d, 16, start, 0)
folder, name = os.path.split(journal)
forged = f'{folder}/{pid}-{start}-' + name.split('-', 2)[2]
open(forged, 'wb').write(d)
os.chown(forged, 65534, 65534)
os.unlink(journal)
END
		same "forged, $way" $? 0
		want 0 repair -no-syslog -pid "$pid"
		has "not believed, $way" 'nothing to repair'
		same "still on, $way" "$(live "$victim" multi)" '5 count 0100 5 site 90e8'
		rm -rf /tmp/probes-tui-65534
	done
else
	echo 'no python3: no journal was forged'
fi

# --- journals that would take minutes to read: so many of them, and so much, is read, and the rest is named
victim=$VICTIMS/loop_ocaml2_pie
victim_of "$user"
left "$user"
journal=$(find /tmp/probes-tui-65534 -type f)
cp -p "$journal" /mnt/journal
$user truncate -s 268435455 "$journal"
want 0 list -pid "$pid"
has 'it is named' 'may remain: could not check /tmp/probes-tui-65534/[-0-9]+: it exceeds what is read'
rm "$journal"
for i in $(seq 64); do
	$user truncate -s 268435455 "${journal%-*}-$i"
done
cp -p /mnt/journal "${journal%-*}-65"
$user "$PROBES_TUI" repair -no-syslog -pid "$pid" 2>"$tmp/err" </dev/null
has 'their user reads all of them' 'undid what session [0-9]+ left behind: 1 probe, 5 sites'
cp -p /mnt/journal "${journal%-*}-65"
want 0 list -pid "$pid"
has 'many: those are named' 'it is damaged'
has 'the rest is counted' 'could not check /tmp/probes-tui-65534: unread journals of this process: 1 \(limit'
rm -rf /tmp/probes-tui-65534

# --- and those that the user locks, so that root waits a second for each: only so long
left "$user"
journal=$(find /tmp/probes-tui-65534 -type f)
set --
for i in 1 2 3 4 5; do
	cp -p "$journal" "$journal$i"
	set -- "$@" flock "$journal$i"
done
mkfifo -m 666 /tmp/held
$user "$@" sh -c 'echo $$; exec sleep 600' >/tmp/held &
read -r holder </tmp/held
want 0 list -pid "$pid"
has 'not for ever' 'could not check /tmp/probes-tui-65534: not all journals were read within 2 s'
kill "$holder"
wait $!
rm "$journal"[1-5]
undone '' 'unlocked'

# --- what the user mounted over a journal (FUSE would make root wait) is not opened
left "$user"
journal=$(find /tmp/probes-tui-65534 -type f)
cp -p "$journal" /mnt/journal
mount --bind /mnt/journal "$journal" || exit 99
run repair -no-syslog -pid "$pid"
same 'a mounted file' "$status" 1
has 'a mounted file is told' 'could not check .*: another file system is mounted over it'
umount "$journal"
undone '' 'when it is the file again'
rm -rf /tmp/probes-tui-65534

# --- what root finds of the user's may be another file by the time it is opened
left "$user"
echo precious >/tmp/precious
journal=$(find /tmp/probes-tui-65534 -type f)
ln "$journal" /tmp/probes-tui-65534/again
run repair -no-syslog -pid "$pid"
same 'a second name of the file' "$status" 1
has 'why' 'cannot open the journal .*: it has another name \(a hard link\)'
rm /tmp/probes-tui-65534/again
chmod 755 /tmp/probes-tui-65534
run repair -no-syslog -pid "$pid"
same 'a folder that is not private' "$status" 1
has 'is told' 'changes may remain: could not check /tmp/probes-tui-65534'
chmod 700 /tmp/probes-tui-65534
undone '' 'when it is private again'
same 'the rest' "$(cat /tmp/precious)" precious
echo quit >&3
finish
