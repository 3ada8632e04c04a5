#!/bin/sh
# Make what is made from the tables of options and keys: doc/probes-tui.1, and the table of keys
# between its markers in doc/keys.md.
#
#   doc/make-docs.sh GENDOCS SOURCE DESTINATION
#
# `make docs` puts them into the source tree; tests/check-docs.sh into another, to compare.
set -eu
gendocs=$1 source=$2 destination=$3

# put FILE COMMAND...: its output, whole or not at all.
put()
{
	file=$destination/$1
	shift
	mkdir -p "${file%/*}"
	"$@" >"$file.new"
	mv "$file.new" "$file"
}

# The file with what lies between the markers replaced.
keys()
{
	"$gendocs" keys >"$destination/keys.new"
	awk -v keys="$destination/keys.new" '
		/^<!-- \/keys -->$/ { inside = 0 }
		!inside
		/^<!-- keys -->$/ {
			while ((getline line < keys) > 0)
				print line
			inside = 1
		}' "$source/doc/keys.md"
	rm "$destination/keys.new"
}

put doc/probes-tui.1 "$gendocs" manual "$source/doc/probes-tui.1.in"
if grep -q '^<!-- keys -->$' "$source/doc/keys.md" 2>/dev/null; then
	put doc/keys.md keys
fi
