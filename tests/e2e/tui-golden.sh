#!/bin/sh
# Golden screens: the list, tags and a probe that is on, the filter's prompt, detail,
# preview and help look as they did, at 80x24, 120x40 and 40x10, in monochrome and ASCII. What differs
# from run to run (pids, times, addresses) is masked. `tui-golden.sh --update` writes them anew, from
# the source directory. A frame may arrive in pieces, from the top down: its last line is waited for.
# Does not cover: colours, the list of processes, denied rights (they depend on the machine).
TMPDIR=/tmp # what does not fit into a line of 40 columns is broken by the length of its name
export TMPDIR
. "${srcdir:-.}/tests/e2e/tmux.sh"
rm "$XDG_CONFIG_HOME/probes-tui/config" # the screens say how often they refresh
need_switching
golden=${srcdir:-.}/tests/e2e/golden
update=${1:-}
cp "$VICTIMS/loop_ocaml2_pie" "$tmp/victim"
VICTIMS=$tmp
start victim

# mask: lines with numbers of this run lose their exact spacing, too
mask()
{
	sed -E \
		-e "/$pid/s/ +/ /g" -e "s/$pid/PID/g" \
		-e 's/^[0-9]{2}:[0-9]{2}:[0-9]{2} /HH:MM:SS /' \
		-e '/up (<1|[0-9]+)m /s/ +/ /g' -e 's/up (<1|[0-9]+)m /up TIME /' \
		-e 's/lease [0-9]+m/lease TIME/' \
		-e "s|$tmp|FOLDER|g" -e 's/^      in .*/      in FUNCTION/' -e 's/ in [^ ]+\+0x[0-9a-f]+.*/ in FUNCTION/' \
		-e 's/@%[a-z0-9]+/@%REG/g' -e 's/([su][0-9]+) %[a-z0-9]+/\1 %REG/g' \
		-e '/0x[0-9a-f]{4,}/s/ +/ /g' -e 's/0x[0-9a-f]{4,}/ADDRESS/g' \
		-e 's/[0-9a-f]{40}/BUILDID/g' \
		-e 's/(90 (3d|e8))( [0-9a-f]{2}){1,4}/\1 BYTES/g' "$tmp/screen" |
		sed -E -e '/BUILDID|FOLDER|BYTES/s/ +/ /g'
}

# picture NAME: what is on the screen now is as it was
picture()
{
	checks=$((checks + 1))
	mask >"$tmp/picture"
	file=$golden/$1-$size.txt
	if [ "$update" = --update ]; then
		cp "$tmp/picture" "$file"
	elif ! diff -u "$file" "$tmp/picture" >"$tmp/difference"; then
		fail "$1 at $size:"
		cat "$tmp/difference"
	fi
}

for size in 80x24 120x40 40x10; do
	terminal "${size%x*}" "${size#*x}"
	type_command "LC_ALL=C '$PROBES_TUI' -no-syslog -no-color -pid $pid"
	wait_cursor off 'ocaml_2:first'
	[ $size = 40x10 ] || wait_for ' in [^ ]+\+0x'
	wait_for 'q Quit$'
	picture list
	keys e Space j Space
	wait_for 'on first: 1 site'
	wait_cursor off ocaml_2:registers
	wait_for 'row 4/8'
	[ $size = 40x10 ] || wait_for ' in [^ ]+\+0x'
	wait_for 'q Quit$'
	picture changed
	keys U g
	wait_cursor any ocaml_2:first
	keys '\'
	text 'work|reg'
	wait_for '^3 of 8 match'
	wait_for '^filter: work\|reg'
	picture filter
	keys Enter
	wait_gone '^3 of 8 match'
	keys '\' C-u Enter '*' z
	wait_for '^What e, d and H would write'
	wait_for 'q Back$'
	picture preview
	keys q
	wait_for '^ .*(all off|on \()'
	keys Escape U g i
	wait_for '^Detail of ocaml_2:first'
	wait_for 'q Back'
	picture detail
	keys q
	wait_for '^ .*(all off|on \()'
	keys '?'
	wait_for '^Help'
	wait_for 'q Back$'
	picture help
	keys q q
	wait_for '^status=0$'
done
stop
finish
