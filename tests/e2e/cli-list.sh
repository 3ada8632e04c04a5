#!/bin/sh
# list and info: files and processes, in text, JSON (checked by python3, where there is one) and
# CSV; -provider and -object; spelling of names that two objects share; writing to a full device.
# Does not cover: states other than on and off (cli-attach.sh, cli-states.sh), real programs.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
lib=$VICTIMS/loop_lib

# json SCRIPT: python3 with the last output as d.
json()
{
	command -v python3 >/dev/null || return 0
	checks=$((checks + 1))
	python3 -c "
import json, sys
d = json.load(open(sys.argv[1]))
$1" "$tmp/out" || fail "JSON: $1"
}

# csv SCRIPT: python3 with the rows as dictionaries in d.
csv()
{
	command -v python3 >/dev/null || return 0
	checks=$((checks + 1))
	python3 -c "
import csv, sys
d = list(csv.DictReader(open(sys.argv[1], newline='')))
$1" "$tmp/out" || fail "CSV: $1"
}

# --- a file: every site, with its semaphore; no state
file=$VICTIMS/loop_ocaml2_pie
want 0 list -prog "$file"
has 'a row' '^\[\?\]   ocaml_2:multi +-/5 +- +loop_ocaml2_pie$' "$tmp/out"
has 'a site' '^ +pc 0x[0-9a-f]+ sem 0x[0-9a-f]+ ' "$tmp/out"
has 'no site' '^ +no site sem 0x' "$tmp/out"
has summary '^11 sites, 8 probes, 1 object$' "$tmp/out"
notes "$file" | while read -r _ _ pc semaphore; do
	[ $((pc)) -eq 0 ] || printf 'pc 0x%x sem 0x%x\n' "$pc" $((semaphore + 2))
done | sort >"$tmp/wanted"
grep -o 'pc 0x[0-9a-f]* sem 0x[0-9a-f]*' "$tmp/out" | sort >"$tmp/got"
same 'sites by readelf' "$(cat "$tmp/got")" "$(cat "$tmp/wanted")"
want 0 list -prog "$file" -quiet
same 'lines of -quiet' "$(grep -c '^\[?\]' "$tmp/out") $(wc -l <"$tmp/out" | tr -d ' ')" '8 8'
cp "$tmp/out" "$tmp/list"
want 0 -prog "$file" -quiet
same 'no verb, no terminal' "$(cat "$tmp/out")" "$(cat "$tmp/list")"

want 0 list -prog "$file" -format json
json 'assert list(d) == ["pid", "prog", "stopped_ms", "objects", "probes"]'
json 'assert d["pid"] is None and d["stopped_ms"] is None'
json 'assert d["objects"][0]["probe_count"] == 8 and d["objects"][0]["why"] is None'
json 'assert [list(p) for p in d["probes"]] == [["object", "provider", "name", "state", "ref",
	"result", "why", "site_count", "sites_on", "semaphore_count", "arguments", "sites_counted", "hits", "sites",
	"semaphores"]] * 8'
json 'assert all(p[k] is None for p in d["probes"] for k in ("ref", "result", "why"))'
json 'assert all(p["state"] == "unknown" for p in d["probes"])'
json 'assert all(s["address"] is None and s["bytes"] is None
	for p in d["probes"] for s in p["sites"])'
json 'm = [p for p in d["probes"] if p["name"] == "multi"][0]
assert len(m["sites"]) == 5 and len(m["semaphores"]) == 1'
want 0 list -prog "$file" -format csv
csv 'assert len(d) == 8 and all(r["provider"] == "ocaml_2" for r in d)'
csv 'assert [r["site_count"] for r in d if r["name"] == "multi"] == ["5"]'
csv 'assert all(r["state"] == "unknown" for r in d)'
same 'lines of CSV' "$(wc -l <"$tmp/out" | tr -d ' ')" 9
# That a probe has no switch is in the file.
want 0 list -prog "$VICTIMS/sdt_plain" -format csv
csv 'assert d and all(r["state"] == "none" for r in d)'
want 0 list -prog "$VICTIMS/sdt_plain" -format json
json 'assert d["probes"] and all(p["state"] == "none" for p in d["probes"])'
want 0 list -prog "$VICTIMS/sdt_plain"
has 'its mark' '^\[\.\] +victim:plain' "$tmp/out"
has 'its count' '; 7 no switch$' "$tmp/out"

want 0 list -prog "$VICTIMS/libvictim.so"
has 'a library' '^4 sites, 3 probes, 1 object$' "$tmp/out"
want 0 list -prog "$VICTIMS/many" -quiet
same 'many' "$(wc -l <"$tmp/out" | tr -d ' ')" 10000

# --- a process: states, addresses, counts
start loop_lib
attach -enable multi
want 0 list -pid "$pid"
has 'on' '^\[\*\]   ocaml_2:multi +5/5 +1 +loop_lib$' "$tmp/out"
has 'off' '^\[ \]   ocaml_2:second +0/1 +0 +loop_lib$' "$tmp/out"
has 'a site' '^ +pc 0x[0-9a-f]+ at 0x[0-9a-f]+ \[\*\] sem 0x[0-9a-f]+=1 ' "$tmp/out"
has 'its library' '^\[ \]   ocaml_2:lib_work +0/2 +0 +libvictim.so$' "$tmp/out"
has summary '^16 sites, 12 probes, 2 objects; 11 off, 1 on$' "$tmp/out"
want 0 list -pid "$pid" -verbose
has 'bytes' ' bytes 90e8[0-9a-f]{8}' "$tmp/out"
has 'objects without probes' '^  /.*libc\.so\.6: .+'

want 0 list -pid "$pid" -format json
json "assert d['pid'] == $pid and d['prog'].endswith('/loop_lib') and d['stopped_ms'] == 0"
json 'assert any(o["probe_count"] == 0 and o["why"] for o in d["objects"])'
json 'm = [p for p in d["probes"] if p["name"] == "multi"][0]
assert m["state"] == "on" and m["ref"] == 1 and m["semaphores"][0]["value"] == 1
assert all(s["state"] == "on" and s["bytes"].startswith("90e8") for s in m["sites"])'
if command -v python3 >/dev/null; then
	python3 -c '
import json, sys
for p in json.load(open(sys.argv[1]))["probes"]:
	for s in p["sites"]:
		if s["address"]:
			print(s["address"], s["bytes"])' "$tmp/out" >"$tmp/sites"
	same 'sites with an address' "$(wc -l <"$tmp/sites" | tr -d ' ')" 16
	while read -r address bytes; do
		same "bytes at $address" "$(peek "$address" 6)" "$bytes"
	done <"$tmp/sites"
fi
want 0 list -pid "$pid" -format csv
csv 'assert len(d) == 12
m = [r for r in d if r["name"] == "multi"][0]
assert (m["state"], m["ref"], m["site_count"], m["sites_on"]) == ("on", "1", "5", "5")'

# --- narrowed
want 0 list -pid "$pid" -object libvictim.so -quiet
same 'rows of one object' "$(wc -l <"$tmp/out" | tr -d ' ')" 3
want 0 list -pid "$pid" -object "$VICTIMS/libvictim.so" -quiet
same 'rows of one path' "$(wc -l <"$tmp/out" | tr -d ' ')" 3
refuses 2 'there are: ocaml_2' list -pid "$pid" -provider ocaml_1
refuses 2 'there are: .*libvictim.so' list -pid "$pid" -object libc.so.6

# --- info: sorted; a name in two objects is told apart, and is accepted as it is printed
want 0 info -pid "$pid"
cut -d ' ' -f 1 "$tmp/out" | sed 's/^ocaml_2://' >"$tmp/names"
same 'order of info' "$(cat "$tmp/names")" "$(LC_ALL=C sort "$tmp/names")"
has 'info on' '^multi enabled$' "$tmp/out"
has 'info off' '^second disabled$' "$tmp/out"
has 'in the library' '^ocaml_2:first disabled libvictim.so$' "$tmp/out"
has 'in the program' '^ocaml_2:first disabled loop_lib$' "$tmp/out"
want 0 info -pid "$pid" -format json
json 'assert len(d["probes"]) == 12'
want 0 list -pid "$pid" -quiet
awk '{ sub(/^\[.\] */, ""); print $1 }' "$tmp/out" | sort -u >"$tmp/names"
want 0 info -pid "$pid"
cut -d ' ' -f 1 "$tmp/out" | sort -u >>"$tmp/names"
while read -r name; do
	attach -force -enable "$name"
	attach -force -disable "$name"
done <"$tmp/names"
stop

# --- a reader that cannot take it all
if [ -c /dev/full ]; then
	"$PROBES_TUI" list -prog "$lib" >/dev/full 2>"$tmp/err"
	same 'exit status on a full device' $? 1
	has 'full device' 'cannot write the output: No space left'
fi
"$PROBES_TUI" list -prog "$lib" >&- 2>"$tmp/err"
same 'exit status without standard output' $? 1
has 'no standard output' 'cannot write the output'

# --- nothing raw in any output
"$PROBES_TUI" list -prog "$lib" >"$tmp/out"
same 'escape sequences' "$(grep -c "$(printf '\033')" "$tmp/out")" 0
finish
