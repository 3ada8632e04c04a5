#!/bin/sh
# From a fresh machine to the wanted result:
#
#   ./autogen.sh              install what is missing, generate, configure into build/
#   ./autogen.sh TARGET...    the same, then `make TARGET...` there: all, demo, check, fuzz, packages, install, ...
#
# CONFIGURE_FLAGS goes to configure (CONFIGURE_FLAGS=--enable-werror ./autogen.sh check), BUILD
# names another folder than build, JOBS says how many compilers run at once; three times as many tests do, since
# they mostly wait. What is up to date is left alone. Where nothing can be installed, it says what to install and with
# which command.
set -eu

cd "$(dirname "$0")"
build=${BUILD:-build}
flags=${CONFIGURE_FLAGS:-}

say() {
	printf 'autogen: %s\n' "$*"
}

die() {
	printf 'autogen: %s\n' "$*" >&2
	exit 1
}

have() {
	command -v "$1" >/dev/null 2>&1
}

# Progress: the seconds so far and the last line of output; on a terminal in one line that is rewritten
# every second, else a line every ten seconds.
tick() {
	seconds=0
	while sleep 1 && kill -0 $$ 2>/dev/null; do
		seconds=$((seconds + 1))
		last=$(tail -n 1 "$2" 2>/dev/null | LC_ALL=C tr -cd ' -~' | cut -c 1-50)
		if [ -t 1 ]; then
			printf '\r\033[Kautogen: %s: %s s: %s' "$1" "$seconds" "$last"
		elif [ $((seconds % 10)) = 0 ]; then
			say "$1: $seconds s: $last"
		fi
	done
}

# quietly WHAT LOG COMMAND...: show progress; the output goes to LOG, whose end is shown after a failure.
quietly() {
	what=$1 log=$2
	shift 2
	: >"$log"
	began=$(date +%s)
	tick "$what" "$log" &
	ticker=$!
	status=0
	"$@" >"$log" 2>&1 </dev/null || status=$?
	kill "$ticker" 2>/dev/null || :
	wait "$ticker" 2>/dev/null || :
	if [ -t 1 ]; then printf '\r\033[K'; fi
	if [ $status = 0 ]; then
		say "$what took $(($(date +%s) - began)) s"
		return
	fi
	[ -z "${tolerant:-}" ] || return $status
	tail -n 40 "$log" >&2
	printf 'autogen: failed: %s (all of its output: %s)\n' "$*" "$log" >&2
	return $status
}

# ------------------------------------------------------------------ packages

# Only what runs the tests is left out where no test will run: clang-format is large.
wants_tests() {
	for target in "$@"; do
		case $target in
		all | demo | install | clean | packages) ;;
		*) return 0 ;;
		esac
	done
	return 1
}

# clang, for libFuzzer, is for who asks for that: some 20 MB more than clang-format has brought.
wants_fuzz() {
	case " $* " in
	*' fuzz '*) return 0 ;;
	*) return 1 ;;
	esac
}

# Does configure need what the tests need?
configures_tests() {
	case " $flags " in
	*' --disable-tests '*) return 1 ;;
	*) return 0 ;;
	esac
}

configures_clang() {
	case " $flags " in
	*' CC=clang '*) return 0 ;;
	*) return 1 ;;
	esac
}

wants_packages() {
	case " $* " in
	*' packages '*) return 0 ;;
	*) return 1 ;;
	esac
}

debian_packages() {
	echo gcc libc6-dev make autoconf automake pkg-config libdw-dev libelf-dev libncurses-dev \
		libvterm-dev libpcre2-dev libjansson-dev libunistring-dev libxxhash-dev libzydis-dev libiberty-dev
	if configures_tests; then echo check tmux systemtap-sdt-dev; fi
	if wants_tests "$@"; then echo clang-format gdb procps strace; fi
	if wants_fuzz "$@"; then echo clang libclang-rt-dev; fi
	if configures_clang; then echo clang; fi
	if wants_packages "$@"; then echo debhelper dpkg-dev lintian mmdebstrap rpm; fi
}

fedora_packages() {
	echo gcc make autoconf automake pkgconf-pkg-config elfutils-devel elfutils-libelf-devel ncurses-devel \
		libvterm-devel pcre2-devel jansson-devel libunistring-devel xxhash-devel zydis-devel binutils-devel
	if configures_tests; then echo check-devel tmux systemtap-sdt-devel; fi
	if wants_tests "$@"; then echo clang-tools-extra gdb procps-ng strace diffutils glibc-static libasan libubsan; fi
	if wants_fuzz "$@"; then echo clang compiler-rt; fi
	if configures_clang; then echo clang; fi
	if wants_packages "$@"; then echo rpm-build; fi
}

debian_missing() {
	for package in $(debian_packages "$@"); do
		case $(dpkg-query -W -f '${db:Status-Status} ' "$package" 2>/dev/null || :) in
		'installed '*) ;;
		*) echo "$package" ;;
		esac
	done
}

fedora_missing() {
	for package in $(fedora_packages "$@"); do
		rpm -q --quiet --whatprovides "$package" || echo "$package"
	done
}

# How to become root, or who should do it.
sudo=
need_root() {
	[ "$(id -u)" != 0 ] || return 0
	have sudo || die "not root, and there is no sudo; let an administrator run: $*"
	sudo=sudo
	# -v asks for a password where any rule of the user does, -n true only where sudo would.
	sudo -n true 2>/dev/null || sudo -v || die "sudo is not allowed here; let an administrator run: $*"
}

# Absent or outdated lists of packages show only in a failure.
install_debian() {
	set -- apt-get install -y --no-install-recommends "$@"
	need_root "$@"
	say "installing with: ${sudo:+$sudo }$*"
	tolerant=yes
	if quietly "installing" "$build/packages.log" $sudo env DEBIAN_FRONTEND=noninteractive "$@"; then
		return
	fi
	tolerant=
	say "once more, after: ${sudo:+$sudo }apt-get update"
	quietly "reading the lists of packages" "$build/packages.log" $sudo apt-get update
	quietly "installing" "$build/packages.log" $sudo env DEBIAN_FRONTEND=noninteractive "$@"
}

install_fedora() {
	set -- dnf install -y --setopt=install_weak_deps=False "$@"
	need_root "$@"
	say "installing with: ${sudo:+$sudo }$*"
	quietly "installing" "$build/packages.log" $sudo "$@"
}

install_packages() {
	if have apt-get && have dpkg-query; then
		family=debian
	elif have dnf && have rpm; then
		family=fedora
	else
		say "no apt-get or dnf here: packages are left to you; configure names what is missing"
		return
	fi
	missing=$(${family}_missing "$@" | tr '\n' ' ')
	[ -n "$missing" ] || return 0
	say "missing: $missing"
	# shellcheck disable=SC2086 # a list of words
	install_$family $missing
	rm -f "$build/configured" # it looks again for what is nice to have
}

# ------------------------------------------------- generating and configuring

inputs='configure.ac Makefile.am tests/bench/local.am tests/fuzz/local.am tests/stress/local.am
	tests/victims/local.am'

generate() {
	# shellcheck disable=SC2086 # a list of words
	if [ -f configure ] && [ -f Makefile.in ] &&
		[ -z "$(find $inputs -newer Makefile.in)" ]; then
		return
	fi
	have autoreconf || die "autoreconf is missing: install autoconf and automake"
	quietly "generating configure" "$build/generate.log" autoreconf -fi
	touch configure Makefile.in
}

# The folder's own place counts, too: a build folder that was moved is configured anew.
configure() {
	wanted="$(pwd)/$build $flags"
	if [ -f "$build/config.status" ] && [ -f "$build/Makefile" ] &&
		[ -z "$(find configure -newer "$build/config.status")" ] &&
		[ "$(cat "$build/configured" 2>/dev/null)" = "$wanted" ]; then
		return
	fi
	say "configuring into $build${flags:+ with $flags}"
	# shellcheck disable=SC2086 # a list of words
	(cd "$build" && ../configure -q $flags)
	printf '%s\n' "$wanted" >"$build/configured"
}

# ---------------------------------------------------------------------- main

mkdir -p "$build"
install_packages "$@"
generate
configure

if [ $# = 0 ]; then
	say "ready; now ./autogen.sh all, demo, check or install"
	exit
fi

jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)}
for target in "$@"; do
	case $target in
	demo) # all else is built at once; the screen itself runs alone on the terminal
		make -C "$build" --no-print-directory -s -j"$jobs" demo-build
		make -C "$build" --no-print-directory -s demo
		;;
	check)
		make -C "$build" --no-print-directory -s -j"$jobs" check-build
		make -C "$build" --no-print-directory -s -j$((jobs * 3)) check
		;;
	*) make -C "$build" --no-print-directory -s -j"$jobs" "$target" ;;
	esac
done
