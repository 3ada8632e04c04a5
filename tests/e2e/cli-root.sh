#!/bin/sh
# A process in a root of its own (a mount namespace with another root, as containers have): its files
# are opened below that root, whatever links it puts there. Looked at without privilege, since the
# privileged open what is mapped itself. The unit suite "image" tries the links one by one.
# Does not cover: pid and user namespaces, overlayfs.
. "${srcdir:-.}/tests/e2e/lib.sh"
[ "$(id -u)" = 0 ] || skip 'not root: no mount namespace'
for tool in unshare pivot_root setpriv ldd; do
	command -v $tool >/dev/null || skip "no $tool"
done
need_switching

nobody="setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all"
cp "$PROBES_TUI" "$tmp/probes-tui"
chmod 755 "$tmp" "$tmp/probes-tui"
$nobody "$tmp/probes-tui" -version >/dev/null 2>&1 || skip 'nobody may not run our program'

# The root: a victim, its libraries, and what enters it.
root=$tmp/root
mkdir -p "$root/old" "$root/app" "$tmp/outside"
for file in "$VICTIMS/loop_lib" "$(command -v setpriv)"; do
	cp "$file" "$root/app/${file##*/}"
	ldd "$file" | grep -o '/[^ ]*' | while read -r library; do
		mkdir -p "$root${library%/*}"
		cp -L "$library" "$root$library"
	done
done
library=$root/app/libvictim.so # beside its program
cp "$VICTIMS/libvictim.so" "$library"
chmod -R a+rX "$root"

fifos
unshare -m --propagation private sh -c '
	mount --bind "$1" "$1" && cd "$1" && pivot_root . old &&
		LD_LIBRARY_PATH=/app exec /app/setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all /app/loop_lib' \
	enter "$root" <"$tmp/in" >"$tmp/answers" 2>"$tmp/err" &
started="$started $!"
exec 3>"$tmp/in" 4<"$tmp/answers"
read -r word pid <&4
[ "$word" = ready ] || skip "no other root here: $(head -n 1 "$tmp/err")"

# look: what nobody sees of the library: probes, or why not.
look()
{
	$nobody "$tmp/probes-tui" list -pid "$pid" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}

look
same 'seen from outside' "$status" 0
has 'its library' 'libvictim\.so' "$tmp/out"
in_library=$(grep -c '^\[.*libvictim\.so' "$tmp/out")

# The very same file, but outside: its build-id is right, and yet it is not to be opened.
cp "$library" "$tmp/outside/libvictim.so"
chmod 755 "$tmp/outside" "$tmp/outside/libvictim.so"
rm "$library"
ln -s "$tmp/outside/libvictim.so" "$library"
look
cat "$tmp/out" "$tmp/err" >"$tmp/all"
same 'probes of a file outside' "$(grep -c '^\[.*libvictim\.so' "$tmp/all")" 0

# The same link, and there is such a file inside.
mkdir -p "$root$tmp/outside"
cp "$tmp/outside/libvictim.so" "$root$tmp/outside/libvictim.so"
chmod -R a+rX "$root"
look
same 'a link that ends inside' "$(grep -c '^\[.*libvictim\.so' "$tmp/out")" "$in_library"

# Another library stands where the mapped one stood: by its build-id it is not the one.
rm "$library"
cp "$VICTIMS/libvictim1.so" "$library"
chmod 755 "$library"
look
same 'probes of another file' "$(grep -c '^\[.*libvictim\.so' "$tmp/out")" 0
$nobody "$tmp/probes-tui" list -verbose -pid "$pid" >"$tmp/all" 2>&1 </dev/null
has 'why not' 'libvictim\.so: the file on disk is not the one that is mapped' "$tmp/all"

# Without a build-id it is told by its bytes.
for one in libvictim.so libvictim1.so; do
	cp "$VICTIMS/$one" "$library.new"
	objcopy --remove-section .note.gnu.build-id "$library.new" 2>/dev/null || break
	chmod 755 "$library.new"
	mv "$library.new" "$library"
	look
	same "probes of $one without a build-id" "$(grep -c '^\[.*libvictim\.so' "$tmp/out")" 0
done

# A FIFO is not waited for.
rm "$library"
mkfifo "$library"
chmod 666 "$library"
look
same 'probes of a FIFO' "$(grep -c '^\[.*libvictim\.so' "$tmp/out")" 0

echo quit >&3
exec 3>&- 4<&-
finish
