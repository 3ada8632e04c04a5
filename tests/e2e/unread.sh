#!/bin/sh
# A library that an upgrade deleted, and a user who may not open the mapped file (an ordinary user;
# root in a container): every interface reports a library that could not be read. Another file with the
# same build-id replaces it; a file with the same name only does not. With a debug file, states are
# shown, and nothing is switched.
# Does not cover: links out of the process's root (cli-root.sh, the unit suite "image").
. "${srcdir:-.}/tests/e2e/tmux.sh"
command -v objcopy >/dev/null || skip 'no objcopy'

# Who has no privilege: us, or whom root becomes for it.
as=
if opens_mapped; then
	[ "$(id -u)" = 0 ] || skip 'this user may open what is mapped'
	as='setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all'
	$as true 2>/dev/null || skip 'root cannot become somebody else'
	chown 65534:65534 "$tmp" "$PROBES_TUI_RECORDS"
fi
cp "$PROBES_TUI" "$tmp/binary"
printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$as" "$tmp/binary" >"$tmp/probes-tui"
folder=$tmp/app
mkdir "$folder"
cp "$VICTIMS/loop_lib" "$folder/program"
cp "$VICTIMS/libvictim.so" "$folder/"
printf '#!/bin/sh\nexec %s "%s"\n' "$as" "$folder/program" >"$folder/victim"
chmod -R a+rX,a+x "$folder" "$tmp/probes-tui" "$tmp/binary"
lib=$VICTIMS/libvictim.so other=$VICTIMS/libvictim1.so
PROBES_TUI=$tmp/probes-tui VICTIMS=$folder
launch 3 4 victim
pid=$started_pid
want 0 list -pid "$pid"
same 'nothing is missing yet' "$(cat "$tmp/err")" ''

# --- it is deleted: every face
rm "$folder/libvictim.so"
want 0 list -pid "$pid"
has 'said' "^probes-tui: pid $pid: 1 object could not be read: its probes are not known"
has 'which, and why' '^  /.*/libvictim\.so: deleted or replaced on disk, and only the privileged may open'
has 'what helps' '; (become root \(sudo\)|run it with CAP_CHECKPOINT_RESTORE), or restart the process$'
has 'counted' '9 probes, 1 object and 1 not read; 9 off' "$tmp/out"
want 0 list -pid "$pid" -format csv
has 'csv, beside it' '1 object could not be read'
want 0 list -pid "$pid" -format json
has 'json' '/libvictim.so", "build_id": "[0-9a-f]{40}", "probe_count": 0, "unread": true, "why": "deleted' \
	"$tmp/out"
has 'and the others' '/program", .*"unread": false' "$tmp/out"
want 0 list -pid "$pid" -quiet
same 'unless quiet' "$(cat "$tmp/err")" ''
want 0 info -pid "$pid"
has 'info' '1 object could not be read'
refuses 2 "unknown probe 'lib_work': .*1 object could not be read \(libvictim\.so\)" \
	attach -no-syslog -pid "$pid" -enable lib_work
refuses 2 "no probe matches 'lib_': .*1 object could not be read \(libvictim\.so\)" \
	attach -no-syslog -pid "$pid" -enable-regexp lib_
refuses 2 "no probe known in that object: libvictim.so: deleted" list -pid "$pid" -object libvictim.so
want 0 attach -no-syslog -pid "$pid" -enable-all
has 'not quite all' '1 object could not be read'
want 0 attach -no-syslog -pid "$pid" -quiet -disable-all
same 'unless quiet' "$(cat "$tmp/err")" ''
attach -enable multi
attach -disable multi

terminal 100 24
screen
seen 'the header' '1 object UNREAD \(O\)'
seen 'why' ' libvictim.so was not read: deleted or replaced on disk'
keys O
wait_for '^Objects of program  pid'
wait_for 'build-id [0-9a-f]{40}'
seen 'first' '^NOT READ'
seen 'the others' '^ +9 +/.*/program'
keys q
wait_for '^  STATE'
keys q
wait_for '^status=0$'

# --- another version with its name is not taken for it; a copy of it is, by its build-id
cp "$other" "$folder/libvictim.so"
cp "$other" "$folder/libvictim.so.2"
want 0 list -pid "$pid"
has 'another version' 'libvictim\.so: .*; (become root|run it)'
same 'none of its probes' "$(grep -c libvictim "$tmp/out")" 0
cp "$lib" "$folder/libvictim.so.1"
chmod a+r "$folder"/*
want 0 list -pid "$pid"
same 'a copy beside it' "$(cat "$tmp/err")" ''
attach -enable lib_work
ask step
same 'on' "$(value libvictim.lib_work hits)" 2

# --- only its debug file: what is on is shown, and stays
rm "$folder"/libvictim.so*
objcopy --only-keep-debug "$lib" "$folder/libvictim.so.debug"
chmod a+r "$folder"/*
want 0 list -pid "$pid" -object libvictim.so
same 'read' "$(cat "$tmp/err")" ''
has 'on' '^\[\*\]   ocaml_2:lib_work +2/2 +1 ' "$tmp/out"
has 'off' '^\[ \]   ocaml_2:lib_ctor +0/1 +0 ' "$tmp/out"
has 'why not to be switched' 'only its debug file could be opened' "$tmp/out"
want 6 attach -no-syslog -pid "$pid" -disable lib_work
has 'refused' 'lib_work: only its debug file'
ask step
same 'still on' "$(value libvictim.lib_work hits)" 4
cp "$lib" "$folder/libvictim.so"
chmod a+r "$folder"/*
attach -disable lib_work
ask step
same 'and off, with its code' "$(value libvictim.lib_work hits)" 4
stop

# --- nothing but that library has probes: not "no probes", and not counted among those without
cp "$lib" "$folder/libonly.so"
cp "$(command -v cat)" "$folder/plain"
cat >"$folder/only" <<EOF
#!/bin/sh
echo ready \$\$
cd "$folder" && LD_PRELOAD=./libonly.so exec $as ./plain # its words are parted by blanks
EOF
chmod a+rx "$folder"/*
launch 3 4 only
pid=$started_pid
echo begun >&3
read -r begun <&4
same 'it runs' "$begun" begun
want 0 list -pid "$pid"
has 'its probes' '[1-9][0-9]* probes, 1 object;' "$tmp/out"
rm "$folder/libonly.so"
if "$PROBES_TUI" list -pid "$pid" 2>&1 | grep -q "^probes-tui: no probes found in process $pid"; then
	terminal 300 24
	type_command "'$PROBES_TUI' -no-syslog -pid $pid"
	wait_for '^status=3$'
	seen 'what is known' "no probes found in process $pid: 1 of its [0-9]+ objects could not be read \\(libonly.so: deleted or"
	unseen 'more is not' 'has no probes'
	unseen 'a remedy twice' 'glibc has probes.*glibc has probes'
	terminal
	type_command "'$PROBES_TUI' -no-syslog"
	wait_for "^[> ] +$pid [^ ]+ +[?] list read switch +plain"
	wait_for '^ [0-9]+ without probes, [0-9]+ not permitted, [0-9]+ with unread objects \(\?\)'
	keys q
	wait_for '^status=0$'
else
	echo 'not tried: no probes found (other objects of cat have some)'
fi
exec 3>&- 4<&-
kill "$pid"
wait "$pid"

# --- where distributions keep debug files: there is such a folder in the process's own root only
id=$(readelf -n "$lib" | sed -n 's/.*Build ID: *//p')
rest=${id#??}
cat >"$folder/elsewhere" <<EOF
#!/bin/sh
mount -t tmpfs none /usr/lib/debug || exit 1
mkdir -p "/usr/lib/debug/.build-id/${id%"$rest"}"
cp "$tmp/by-id" "/usr/lib/debug/.build-id/${id%"$rest"}/$rest.debug"
exec "$folder/victim"
EOF
printf '#!/bin/sh\nexec unshare -m "%s"\n' "$folder/elsewhere" >"$folder/apart"
chmod a+x "$folder/elsewhere" "$folder/apart"
objcopy --only-keep-debug "$lib" "$tmp/by-id"
if [ -n "$as" ] && [ -d /usr/lib/debug ] && unshare -m true 2>/dev/null; then
	launch 3 4 apart
	pid=$started_pid
	rm "$folder"/libvictim.so*
	want 0 list -pid "$pid" -object libvictim.so
	has 'by its build-id' '^\[ \]   ocaml_2:lib_work +0/2 +0 ' "$tmp/out"
	has 'why not to be switched' 'only its debug file could be opened' "$tmp/out"
	stop
else
	echo 'not tried: debug files by build-id (root, a mount namespace)'
fi
finish
