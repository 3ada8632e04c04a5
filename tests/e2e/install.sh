#!/bin/sh
# What `make install` installs, in a path with a blank: the program runs, the examples of the library are
# compiled against it with pkg-config alone, shared and static, and list, switch and count; every call has a
# manual page; `make uninstall` leaves nothing.
# Does not cover: packages (.ci/run), Fedora's folders.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
[ -f Makefile ] || skip 'not in the folder of a build'

root="$tmp/a root"
prefix=$root$(sed -n 's/^prefix = //p' Makefile)
unset MAKEFLAGS MFLAGS MAKELEVEL
make -s install DESTDIR="$root" >"$tmp/log" 2>&1 || {
	cat "$tmp/log"
	fail 'make install'
	finish
}
lib=$(dirname "$(find "$prefix" -name libprobes.so)")
same 'the version' "$("$prefix/bin/probes-tui" -version)" "probes-tui $(sed -n 's/^#define PROBES_VERSION "\(.*\)"$/\1/p' "${srcdir:-.}/src/probes.h")"

# --- the manual
for page in "$prefix"/share/man/man3/*.3; do
	linked=$(sed -n 's:^\.so ::p' "$page")
	same "what ${page##*/} links to" "$([ -z "$linked" ] || [ -e "$prefix/share/man/$linked" ] || echo nothing)" ''
done
nm -D --defined-only "$lib/libprobes.so" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' >"$tmp/calls"
same 'calls, at least 50' "$([ "$(wc -l <"$tmp/calls")" -ge 50 ] && echo yes)" yes
while read -r call; do
	same "a page of $call" "$([ -e "$prefix/share/man/man3/$call.3" ] && echo yes)" yes
done <"$tmp/calls"

# --- the examples
# As somebody who has moved the tree: pkg-config takes the prefix from the place of the file, which need not be
# two folders below it (lib/x86_64-linux-gnu).
mkdir -p "$prefix/share/pkgconfig"
cp "$lib/pkgconfig/probes.pc" "$prefix/share/pkgconfig"
PKG_CONFIG_PATH=$prefix/share/pkgconfig
export PKG_CONFIG_PATH
flags=$(pkg-config --define-prefix --cflags probes)
libs=$(pkg-config --define-prefix --libs probes)
examples=$(find "$prefix/share/doc" -name examples)
for name in list switch count; do
	eval "${CC:-cc} ${CFLAGS:-} -Wall -Wextra -Werror $flags -o \"\$tmp/$name\" \"\$examples/$name.c\" $libs" ||
		fail "$name.c does not compile"
done
if [ -e "$lib/libprobes.a" ]; then
	# Ours is the archive. The others are shared libraries: what only their archives need (--static: libbz2)
	# may be missing here.
	# shellcheck disable=SC2046 # words
	more="$(pkg-config --libs $(sed -n 's/^Requires.private: //p' probes.pc)) $(sed -n 's/^Libs.private: //p' probes.pc)"
	eval "${CC:-cc} ${CFLAGS:-} $flags -o \"\$tmp/list-static\" \"\$examples/list.c\" \"\$lib/libprobes.a\" $more" ||
		fail 'list.c does not link with libprobes.a'
fi

LD_LIBRARY_PATH=$lib
export LD_LIBRARY_PATH
"$VICTIMS/test.exe" >/dev/null &
pid=$!
started="$started $pid"
# example NAME ARG...: $status, $tmp/out, $tmp/err
example()
{
	name=$1
	shift
	"$tmp/$name" "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
}
until grep -q '/test.exe' "/proc/$pid/maps"; do sleep 0.01; done
example list "$pid"
same 'status of list' "$status" 0
has 'a probe and its state' '^off +ocaml_2:req_retry$' "$tmp/out"
if [ -e "$tmp/list-static" ]; then
	cp "$tmp/out" "$tmp/shared"
	LD_LIBRARY_PATH='' example list-static "$pid"
	same 'shared and static list alike' "$(sort "$tmp/out")" "$(sort "$tmp/shared")"
fi
example count "$pid" gateway:tick 1
same 'status of count' "$status" 0
has 'the hits' '^[1-9][0-9]* hits, at 1 sites$' "$tmp/out"
example switch "$pid" req_retry 0
same 'status of switch' "$status" 0
example switch "$pid" no_such_probe 0
same 'status of switch, without such a probe' "$status" 2
has 'why' "^switch: unknown probe 'no_such_probe'"
example list "$pid"
has 'all is as it was' '^off +ocaml_2:req_retry$' "$tmp/out"

rm "$prefix/share/pkgconfig/probes.pc"
make -s uninstall DESTDIR="$root" >"$tmp/log" 2>&1
same 'what make uninstall left' "$(find "$root" ! -type d)" ''
finish
