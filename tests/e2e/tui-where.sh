#!/bin/sh
# Where a site lies, by every source there is: debug information in the program, compressed too; its symbol table alone;
# the compressed .gnu_debugdata; a debug file by its link, beside the program and in .debug; one by build-id in
# /usr/lib/debug (of a mount namespace of our own); exported names; and none at all. C++ names are readable
# where libiberty was found, and code is disassembled where Zydis was.
# Does not cover: debuginfod (never asked), supplementary files of dwz.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
for tool in objcopy strip nm readelf; do
	command -v $tool >/dev/null || skip "no $tool (binutils)"
done
whole=$VICTIMS/loop_ocaml2_pie
VICTIMS=$tmp
terminal 100 24

# where WHAT PATTERN PROGRAM [COMMAND]: the line under the list says so of ocaml_2:first
where()
{
	start "$3"
	type_command "${4:-} '$PROBES_TUI' -no-syslog -pid $pid"
	wait_cursor off 'ocaml_2:first'
	wait_for "$2" || fail "$1"
	keys x
	wait_for '^Code of ocaml_2:first'
	cp "$tmp/screen" "$tmp/code"
	case $PROBES_OPTIONAL in
	*-lZydis*) seen 'instructions' '^ > 0x[0-9a-f]+ +90 +nop$' ;;
	*) seen 'bytes' '^ > 0x[0-9a-f]+ +90 3d .* \(no disassembler' ;;
	esac
	keys q q
	wait_for '^status=0$'
	stop
}

# whole: function, and line
cp "$whole" "$tmp/full"
where 'debug information' ' in [a-z_]+\+0x[0-9a-f]+  loop\.c:[0-9]+$' full

objcopy --remove-section .debug_aranges "$whole" "$tmp/unindexed"
where 'without an index, as clang leaves it' ' in [a-z_]+\+0x[0-9a-f]+  loop\.c:[0-9]+$' unindexed

# compressed sections; zstd is not known to every libelf, and the function is there all the same
for kind in zlib zlib-gnu; do
	if objcopy --compress-debug-sections=$kind "$whole" "$tmp/$kind" 2>/dev/null; then
		where "$kind" ' in [a-z_]+\+0x[0-9a-f]+  loop\.c:[0-9]+$' $kind
	fi
done
if objcopy --compress-debug-sections=zstd "$whole" "$tmp/zstd" 2>/dev/null; then
	where 'zstd' ' in [a-z_]+\+0x[0-9a-f]+(  loop\.c:[0-9]+)?$' zstd
fi

strip --strip-debug -o "$tmp/symbols" "$whole"
where 'a symbol table' ' in [a-z_]+\+0x[0-9a-f]+$' symbols

strip --strip-all -o "$tmp/bare" "$whole"
where 'nothing' '^ OCaml .* @%[a-z]+$' bare
has 'no function where nothing is known' '^site 1 at 0x[0-9a-f]+ *$' "$tmp/code"

# ------------------------------------------------------------ .gnu_debugdata
if command -v xz >/dev/null; then
	nm --format=posix --defined-only "$whole" | awk '$2 ~ /[Tt]/ { print $1 }' >"$tmp/keep"
	objcopy -S --keep-symbols="$tmp/keep" "$whole" "$tmp/mini"
	xz -f "$tmp/mini"
	objcopy --add-section .gnu_debugdata="$tmp/mini.xz" "$tmp/bare" "$tmp/compressed"
	readelf -SW "$tmp/compressed" | grep -q gnu_debugdata || fail 'no .gnu_debugdata was made'
	where '.gnu_debugdata' ' in [a-z_]+\+0x[0-9a-f]+$' compressed
fi

# ------------------------------------------------------------ separate debug files
objcopy --only-keep-debug "$whole" "$tmp/linked.debug"
objcopy --add-gnu-debuglink="$tmp/linked.debug" "$tmp/bare" "$tmp/linked"
where 'a debug file beside it' ' in [a-z_]+\+0x[0-9a-f]+  loop\.c:[0-9]+$' linked
mkdir "$tmp/.debug"
mv "$tmp/linked.debug" "$tmp/.debug/"
where 'a debug file in .debug' ' in [a-z_]+\+0x[0-9a-f]+  loop\.c:[0-9]+$' linked
rm -r "$tmp/.debug"

id=$(readelf -n "$whole" | sed -n 's/.*Build ID: *//p')
cat >"$tmp/private" <<EOF
#!/bin/sh
mount -t tmpfs none /usr/lib/debug || exit 1
mkdir -p /usr/lib/debug/.build-id/$(echo "$id" | cut -c1-2)
cp "$tmp/by-id.debug" /usr/lib/debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug
exec "\$@"
EOF
chmod +x "$tmp/private"
objcopy --only-keep-debug "$whole" "$tmp/by-id.debug"
mkdir -p /usr/lib/debug 2>/dev/null
if [ -n "$id" ] && unshare -m "$tmp/private" true 2>/dev/null; then
	where 'a debug file by build-id' ' in [a-z_]+\+0x[0-9a-f]+  loop\.c:[0-9]+$' bare \
		"unshare -m '$tmp/private'"
else
	echo 'no mount namespace: debug files by build-id are not tried'
fi
finish
