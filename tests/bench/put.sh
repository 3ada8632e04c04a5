#!/bin/sh
# Puts the machine and the table of FIGURES into a page, between the marks of that name:
#
#	put.sh FIGURES PAGE MARK
set -eu
here=$(dirname "$0")
figures=${1:?usage: put.sh FIGURES PAGE}
page=${2:?}
mark=${3:?}
new=$(mktemp)
trap 'rm -f "$new" "$new.page"' EXIT

{
	echo "Measured $(date -u +%Y-%m-%d) on: $(awk -F ': *' '/^model name/ { print $2; exit }' /proc/cpuinfo)," \
		"$(getconf _NPROCESSORS_ONLN) CPUs," \
		"$(awk '/^MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo) of memory," \
		"$(if grep -q '^flags.*hypervisor' /proc/cpuinfo; then echo 'a virtual machine, '; fi)Linux $(uname -r)."
	for tool in readelf eu-readelf gdb bpftrace perf tplist-bpfcc; do
		if ! command -v "$tool" >/dev/null; then
			echo "$tool: not installed"
		elif [ "$tool" = tplist-bpfcc ]; then # it does not say
			echo "bcc $(dpkg-query -W -f '${Version}' bpfcc-tools)"
		else
			"$tool" --version 2>/dev/null | head -n 1
		fi
	done | paste -s -d ';' - | sed 's/;/; /g; s/^/Peers: /; s/$/./'
	echo
	"$here/table.sh" markdown "$figures"
} >"$new"

awk -v new="$new" -v begin="<!-- $mark: begin -->" -v end="<!-- $mark: end -->" '
$0 == begin {
	print
	while ((getline line < new) > 0)
		print line
	inside = 1
}
$0 == end { inside = 0 }
!inside && $0 != begin
' "$page" >"$new.page"
cat "$new.page" >"$page"
