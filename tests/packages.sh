#!/usr/bin/env bash
# `make packages`: builds the Debian source and packages from the release, as an ordinary user; lintian has neither errors nor
# warnings; in a root of their own, made for that, they are installed, and the examples are compiled and run there.
# The RPM spec builds from the same release.
#
#   tests/packages.sh ARCHIVE FOLDER      the packages go to FOLDER
#
# The tests of the build itself are left out (others run them) unless PACKAGES_CHECK=1. Skipped: what needs a tool that
# is missing, or root. Not part of `make check`: it installs from Debian's archive.
# Not covered: upgrades from an earlier version; installing the RPMs.
set -uo pipefail
mkdir -p "$2"
archive=$(realpath "$1") folder=$(realpath "$2")
version=${archive##*-} version=${version%.tar.gz}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
passed=0 failed=0 skipped=0

# part NAME COMMAND...: 77 is a skip; what it prints is shown if it failed, and to a log.
part() {
	local name=$1 status
	shift
	"$@" >"$work/log" 2>&1 </dev/null
	status=$?
	cp "$work/log" "$folder/${name// /-}.log"
	case $status in
	0) echo "PASS: $name" && passed=$((passed + 1)) ;;
	77) echo "SKIP: $name: $(tail -n 1 "$work/log")" && skipped=$((skipped + 1)) ;;
	*)
		echo "FAIL: $name"
		tail -n 60 "$work/log"
		failed=$((failed + 1))
		;;
	esac
	return $status
}

# need TOOL PACKAGE
need() {
	command -v "$1" >/dev/null && return
	echo "no $1 here (Debian: $2)"
	exit 77
}

deb() (
	need dpkg-buildpackage dpkg-dev
	need dh debhelper
	set -e
	mkdir "$work/deb"
	tar -C "$work/deb" -xzf "$archive"
	# What is Debian's is in an archive of its own.
	tar -C "$work/deb" --sort=name --exclude="probes-tui-$version/debian" -cz "probes-tui-$version" \
		>"$work/deb/probes-tui_$version.orig.tar.gz"
	as=()
	if [ "$(id -u)" = 0 ]; then
		chown -R 54321:54321 "$work/deb"
		as=(setpriv --reuid 54321 --regid 54321 --clear-groups --inh-caps=-all)
	fi
	cd "$work/deb/probes-tui-$version"
	unset MAKEFLAGS MFLAGS MAKELEVEL CC CFLAGS BUILD
	export HOME=/nonexistent
	[ -n "${PACKAGES_CHECK:-}" ] || export DEB_BUILD_OPTIONS="nocheck parallel=2" DEB_BUILD_PROFILES=nocheck
	"${as[@]}" dpkg-buildpackage -us -uc
	cp "$work"/deb/*.deb "$work"/deb/*.dsc "$work"/deb/*.tar.* "$work"/deb/*.changes "$work"/deb/*.buildinfo "$folder"
)

lint() (
	need lintian lintian
	# Debian's archive does not have it, so no bug there asks for it.
	lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$work"/deb/*.changes
)

clean_root() (
	need mmdebstrap mmdebstrap
	[ "$(id -u)" = 0 ] || {
		echo "not root"
		exit 77
	}
	# shellcheck disable=SC1091,SC2154 # of the system
	. /etc/os-release
	mkdir "$work/put"
	cp "$work"/deb/*.deb "$work/deb/probes-tui-$version/debian/tests/examples" "$work/put"
	rm -f "$work"/put/*-dbgsym_*
	# mmdebstrap's own /proc is read-only: no process of it can be written to.
	printf '%s\n' 'mount -t proc proc "$1/proc" && exec chroot "$1" sh /put/examples' >"$work/inside"
	# The way to the archive, where this machine has a special one.
	options=()
	while read -r option; do options+=(--aptopt="$option"); done < <(
		grep -rhE '^Acquire.*(Proxy|Check-(Valid|Date))' /etc/apt/apt.conf.d)
	# shellcheck disable=SC2016 # for mmdebstrap's shell
	mmdebstrap --variant=apt --format=null "${options[@]}" \
		--customize-hook="copy-in '$work/put' /" \
		--customize-hook='chroot "$1" sh -c "apt-get install -y --no-install-recommends gcc libc6-dev pkgconf /put/*.deb"' \
		--customize-hook='unshare --mount --pid --fork --kill-child sh "'"$work/inside"'" "$1"' \
		"$VERSION_CODENAME" /dev/null
)

rpm() (
	need rpmbuild rpm
	unset MAKEFLAGS MFLAGS MAKELEVEL CC CFLAGS BUILD
	rpmbuild -tb --nodeps --without check --define "_topdir $work/rpm" --define "probes_version $version" "$archive" &&
		find "$work/rpm/RPMS" -name '*.rpm' -exec cp -t "$folder" {} +
)


if part "Debian packages" deb; then
	part "lintian" lint
	part "packages in a clean root" clean_root
fi
part "RPM packages" rpm
# Nothing tried is nothing proved: 77 (make makes 2 of it).
if [ $((passed + failed)) = 0 ]; then
	echo "nothing was built: every part was skipped, for the reasons above" >&2
	exit 77
fi
for kind in PASS:$passed FAIL:$failed SKIP:$skipped; do echo "# ${kind%:*}:  ${kind#*:}"; done
[ "$failed" = 0 ]
