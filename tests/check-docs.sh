#!/bin/sh
# Manual page and the table of doc/keys.md are what the tables of options and keys
# give: `make docs` makes them anew. The manual pages are without a warning of groff.
# What doc/hazards.md names as guards is there. The version is the same everywhere.
# Not covered: whether what is said by hand is true; completion (tests/e2e/complete.sh).
set -eu
gendocs=${GENDOCS:-doc/gendocs}
[ -x "$gendocs" ] || {
	echo "no $gendocs"
	exit 99
}
pages=$(cd doc/man3 && pwd)
gendocs=$(cd "$(dirname "$gendocs")" && pwd)/${gendocs##*/}
cd "${srcdir:-.}"
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT

failed=0
fail()
{
	echo "$*"
	failed=1
}

# --- fresh
doc/make-docs.sh "$gendocs" . "$fresh"
files=$(cd "$fresh" && find . -type f)
[ "$(echo "$files" | grep -c .)" -ge 2 ] || fail "made only: $files"
for file in $files; do
	diff -u "$file" "$fresh/$file" | head -n 20 | grep . && fail "$file is stale; run: make docs"
done

# --- what groff says of the pages
if command -v groff >/dev/null; then
	for page in doc/probes-tui.1 doc/probes.7 "$pages"/libprobes*.3; do
		warnings=$( (cd "$pages/.." && groff -ww -mandoc -Tutf8 -rLL=78n) <"$page" 2>&1 >/dev/null)
		[ -z "$warnings" ] || fail "$warnings"
	done
fi
for word in PROBES 'EXIT STATUS' ENVIRONMENT FILES BUGS AUTHORS; do
	grep -q "$word" doc/probes-tui.1 || fail "doc/probes-tui.1 does not tell of $word"
done

# --- hazards: every file and every test that stands in backquotes
quoted=$(grep -o '`[^` ]*`' doc/hazards.md | tr -d '`' | sort -u)
[ "$(echo "$quoted" | grep -c .)" -ge 50 ] || fail 'doc/hazards.md names next to nothing'
for word in $quoted; do
	case $word in
	-* | */ | r | repair | /proc/* | build/*) ;;
	*.c | *.sh) [ -f "src/$word" ] || [ -f "tests/$word" ] || fail "doc/hazards.md: no $word" ;;
	*_*) grep -qx "START_TEST($word)" tests/unit/*.c || fail "doc/hazards.md: no test $word" ;;
	*) [ -e "tests/$word" ] || [ -e "$word" ] || [ "$word" = unit/unit ] || fail "doc/hazards.md: what is $word?" ;;
	esac
done

# --- one version everywhere
version=$(sed -n 's/^#define PROBES_VERSION "\(.*\)"$/\1/p' src/probes.h)
[ "$(sed -n 's/^## \[\(.*\)\].*/\1/p' CHANGELOG.md | head -n 1)" = "$version" ] || fail "CHANGELOG.md does not begin with $version"
[ "$(sed -n '1s/.*(\(.*\)-[^-]*).*/\1/p' debian/changelog)" = "$version" ] || fail "debian/changelog does not begin with $version"
grep -q "global probes_version $version}" rpm/probes-tui.spec || fail "rpm/probes-tui.spec is not of $version"

exit $failed
