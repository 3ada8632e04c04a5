#!/usr/bin/env bash
# Proves the README's two commands where they matter: on a Debian (12, or SUITE) that has none of the packages.
#
#   tests/minimal-root.sh             makes the root with debootstrap; takes minutes, needs root
#   tests/minimal-root.sh BASE.tar    uses a root made earlier; makes BASE.tar if it is not there
#   SUITE=trixie tests/minimal-root.sh   on Debian 13
#   KEEP=DIR tests/minimal-root.sh    leaves the root in DIR, to look at
#
# First an ordinary user, without packages and without sudo, must be told what an administrator has to install.
# Then `./autogen.sh demo`, in an exported tree (no .git) on a terminal made by tmux: the
# screen must show the example's probes, and go at `q`. Then `./autogen.sh check`, in a fresh
# clone, as root in /root (which nobody else may enter) and as an ordinary user. What is taken is the commit HEAD, or, with WORKTREE=1 or before
# a first commit, the working tree without what .gitignore covers.
#
# /proc and /dev/pts are mounted in a mount namespace of their own: they go with their last
# process, however this script ends.
# Not part of `make check`. Not covered: Fedora; sudo (packages are installed as root here).
set -euo pipefail
project=$(cd "$(dirname "$0")/.." && pwd)
base=${1:-}
mirror=${MIRROR:-http://deb.debian.org/debian} suite=${SUITE:-bookworm}

say() {
	printf 'minimal-root: %s\n' "$*"
}

die() {
	say "$*" >&2
	exit 1
}

[ "$(id -u)" = 0 ] || die "needs root, for debootstrap and chroot"
for tool in debootstrap tmux unshare git; do
	command -v $tool >/dev/null || die "$tool is missing"
done

work=$(mktemp -d /tmp/minimal-root.XXXXXX)
root=$work/root
tmux() {
	command tmux -L "${work##*/}" -f /dev/null "$@"
}
cleanup() {
	tmux kill-server 2>/dev/null || :
	if [ -n "${KEEP:-}" ]; then mv "$root" "$KEEP"; fi
	rm -rf --one-file-system "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM HUP

# ------------------------------------------------------------- making the root

make_root() {
	mkdir "$root"
	if [ -n "$base" ] && [ -f "$base" ]; then
		say "unpacking $base"
		tar -C "$root" -xf "$base"
	else
		say "debootstrap of $suite from $mirror"
		debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$work/debootstrap.log" 2>&1 ||
			{ tail "$work/debootstrap.log"; die "debootstrap failed"; }
		if [ -n "$base" ]; then tar -C "$root" -cf "$base" .; fi
	fi
	cp /etc/resolv.conf "$root/etc/resolv.conf"
	# the way to the archive, where this machine has a special one
	grep -lsE 'Proxy|Check-(Valid|Date)' /etc/apt/apt.conf.d/* |
		xargs -r cp -t "$root/etc/apt/apt.conf.d"
}

# put DIR clone|export: the project, in the root's /DIR
put() {
	mkdir -p "$(dirname "$root/$1")"
	if [ -z "${WORKTREE:-}" ] && git -C "$project" rev-parse -q --verify HEAD >/dev/null; then
		git clone -q "$project" "$root/$1"
	else
		mkdir "$root/$1"
		git -C "$project" ls-files -z --cached --others --exclude-standard |
			tar -C "$project" --null -T - -cf - | tar -C "$root/$1" -xf -
	fi
	if [ "$2" = export ]; then rm -rf "${root:?}/$1/.git"; fi
}

# inside COMMAND: in the root, with /proc and a terminal's devices.
cat >"$work/inside" <<'END'
#!/bin/sh
# inside ROOT COMMAND
set -e
mount --make-rprivate /
mount -t proc proc "$1/proc"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$1/dev/pts"
mount --bind "$1/dev/pts/ptmx" "$1/dev/ptmx"
exec chroot "$1" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
	TERM="${TERM:-dumb}" LC_ALL=C.UTF-8 sh -c "$2"
END
chmod +x "$work/inside"
inside=(unshare --mount --pid --fork --kill-child "$work/inside" "$root")

# -------------------------------------------------------------- the commands

# wait_screen PATTERN SECONDS
wait_screen() {
	local tries=$(($2 * 5))
	until tmux capture-pane -p -t demo | grep -qE -- "$1"; do
		[ $((tries -= 1)) -gt 0 ] && [ ! -e "$work/status" ] || return 1
		sleep 0.2
	done
}

# Somebody with an entry in passwd and no rights, while no package is there.
unable() {
	local said=$work/unable
	say "./autogen.sh demo, as an ordinary user without sudo"
	put home/someone/unable export
	if "${inside[@]}" 'useradd someone && chown -R someone: /home/someone &&
		su someone -c "cd /home/someone/unable && ./autogen.sh demo"' >"$said" 2>&1 </dev/null; then
		die "it did not fail"
	fi
	cat "$said"
	grep -q 'no sudo; let an administrator run: apt-get install -y --no-install-recommends gcc' "$said" ||
		die "it did not say what to install"
}

demo() {
	local start=$SECONDS
	say "./autogen.sh demo, in an exported tree"
	put demo export
	cat >"$work/demo" <<-END
		${inside[*]} 'cd /demo && ./autogen.sh demo'
		echo \$? >$work/status.new
		mv $work/status.new $work/status
	END
	tmux new-session -d -s demo -x 80 -y 24 "sh $work/demo; sleep 600"
	if ! wait_screen '(on|off) +[a-z_0-9]+:[a-z]' 300; then
		tmux capture-pane -p -t demo
		die "the screen did not come up"
	fi
	say "the screen, after $((SECONDS - start)) s:"
	tmux capture-pane -p -t demo
	tmux send-keys -t demo q
	if wait_screen 'e: end it' 5; then tmux send-keys -t demo e; fi
	for _ in $(seq 50); do
		[ ! -e "$work/status" ] || break
		sleep 0.2
	done
	if [ "$(cat "$work/status" 2>/dev/null)" != 0 ]; then
		tmux capture-pane -p -t demo
		die "q did not end it, or not with success: status $(cat "$work/status" 2>/dev/null)"
	fi
	tmux kill-server
}

check() {
	local start=$SECONDS
	say "./autogen.sh check, in a fresh clone in /root"
	put root/check clone
	if ! "${inside[@]}" 'cd /root/check && ./autogen.sh check' </dev/null; then
		cat "$root/root/check/build/test-suite.log"
		die "./autogen.sh check failed"
	fi
	say "done after $((SECONDS - start)) s"
}

# As somebody with no rights, now that the packages are there.
check_ordinary() {
	local start=$SECONDS
	say "./autogen.sh check, as an ordinary user"
	put home/someone/check clone
	if ! "${inside[@]}" 'chown -R someone: /home/someone &&
		su someone -c "cd /home/someone/check && ./autogen.sh check"' </dev/null; then
		cat "$root/home/someone/check/build/test-suite.log"
		die "./autogen.sh check failed as an ordinary user"
	fi
	say "done after $((SECONDS - start)) s"
}

make_root
unable
demo
check
check_ordinary
say "both commands work"
