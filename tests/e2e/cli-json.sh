#!/bin/sh
# The shape of JSON: its keys are the fields of the manual page, the same for every verb, and the states are words of its
# section STATES. Every option that is a setting is among its FILES.
# Does not cover: the values (cli-list.sh and others).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
page=${srcdir:-.}/doc/probes-tui.1

# keys FILE...: all that the output has
keys()
{
	grep -ho '"[a-z_]*":' "$@" | tr -d '":' | sort -u
}

# documented SECTION: the words in bold that head a paragraph
documented()
{
	awk -v begin="$1" '
		/^\.S[SH] / { inside = $0 == begin; next }
		inside && heads && $1 == ".B" { print $2 }
		inside && heads && /^\\fB/ { sub(/^\\fB/, ""); sub(/\\fR.*/, ""); print }
		{ heads = $0 == ".TP" || $0 == ".TQ" }' "$page" | sed 's/\\-/-/g' | sort -u
}

start loop_ocaml2_pie
keep='' # one file for each call
# shape WORD...: the call's keys are those of the first one
shape()
{
	want 0 "$@" -format json
	declared list "$tmp/out"
	keys "$tmp/out" >"$tmp/keys"
	[ -n "$keep" ] || keep=$(cat "$tmp/keys")
	same "keys of $*" "$(cat "$tmp/keys")" "$keep"
	grep -ho '"name": "[^"]*", "state": [^,]*' "$tmp/out" | sed 's/.*: //; s/"//g' >>"$tmp/states"
}
shape list -prog "$VICTIMS/loop_ocaml2_pie"
shape list -pid "$pid"
shape info -pid "$pid"
shape attach -no-syslog -pid "$pid" -enable first
shape attach -no-syslog -pid "$pid" -disable first
has 'a file: its states were not read' '^unknown$' "$tmp/states"
cp "$tmp/out" "$tmp/list"
want 0 attach -no-syslog -pid "$pid" -enable first -dry-run -format json
declared -dry-run "$tmp/out"
cp "$tmp/out" "$tmp/plan"
want 0 list -verbose -prog "$VICTIMS/loop_ocaml2_pie" -format json
declared list "$tmp/out"
same 'all fields are there' "$(keys "$tmp/out" "$tmp/list" "$tmp/plan")" "$(awk '
	/^\\fB[a-z_0-9]*\\fR, / { name = $0; gsub(/^\\fB|\\fR,.*/, "", name) }
	/^\(.*(list|\\-dry\\-run)[,)]/ && name { print name }' "$page" | sort -u)"
documented '.SH STATES' >"$tmp/words"
same 'number of states' "$(wc -l <"$tmp/words" | tr -d ' ')" 9
same 'states that the page does not name' "$(sort -u "$tmp/states" | comm -23 - "$tmp/words")" ''
for setting in refresh theme mouse log; do
	has "setting $setting" "^$setting\$" - <<END
$(documented '.SH FILES')
END
done
stop
finish
