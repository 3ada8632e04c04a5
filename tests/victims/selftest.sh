#!/bin/sh
# Proves the victims without our tool: reads their notes with readelf, switches sites by writing the
# one byte and the semaphores through /proc/PID/mem, and asks the victims what they saw.
# Does not cover: threads that run while a site is switched, and programs being started.
#
#	selftest.sh [DIRECTORY of the built victims]
set -u

dir=${1:-${VICTIMS:-tests/victims}}
tmp=$(mktemp -d) || exit 99
pid=
failed=0
done_checks=0
trap 'stop; rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM

fail()
{
	echo "FAIL: $victim: $*"
	failed=$((failed + 1))
}

# same WHAT GOT WANTED
same()
{
	done_checks=$((done_checks + 1))
	[ "$2" = "$3" ] || fail "$1: got '$2', wanted '$3'"
}

# ------------------------------------------------------------ the victim

# start VICTIM [OPTION...]: $pid, and its stdin and stdout as 3 and 4.
start()
{
	victim=$1
	shift
	rm -f "$tmp/in" "$tmp/out"
	mkfifo "$tmp/in" "$tmp/out" || exit 99
	"$dir/$victim" "$@" <"$tmp/in" >"$tmp/out" &
	exec 3>"$tmp/in" 4<"$tmp/out"
	read -r word pid <&4
	same 'first word' "$word" ready
}

stop()
{
	[ -n "$pid" ] || return 0
	# It may be gone already: then the pipe is, too.
	(
		trap '' PIPE
		echo quit >&3
	) 2>/dev/null || :
	exec 3>&- 4<&-
	wait "$pid" || fail "exit status $?"
	pid=
}

# ask LINE: what it answers, up to the line `done`, goes to $tmp/answer.
ask()
{
	echo "$1" >&3
	: >"$tmp/answer"
	while read -r line <&4; do
		echo "$line" >>"$tmp/answer"
		case $line in
		done* | loaded* | unloaded* | failed* | unknown*) return ;;
		esac
	done
	fail "ended on '$1'"
}

# value NAME KEY: K of `NAME ... KEY=K` in the answer.
value()
{
	awk -v name="$1" -v key="$2" '$1 == name {
		for (i = 2; i <= NF; i++)
			if (split($i, part, "=") == 2 && part[1] == key)
				print part[2]
	}' "$tmp/answer"
}

# ------------------------------------------------------------- its memory

. "$(dirname "$0")/../memory.sh"

# count_at PROVIDER SEMAPHORE: where the count that matters lies.
count_at()
{
	case $1 in
	ocaml?*) echo $(($2 + 2)) ;;
	*) echo $(($2)) ;;
	esac
}

# switch FILE NAME on|off: every semaphore and every OCaml site of the name.
switch()
{
	base=$(bias "$1")
	if [ "$3" = on ]; then
		was=3d new=350 count=1
	else
		was=e8 new=075 count=0
	fi
	notes "$1" | awk -v name="$2" '$2 == name' >"$tmp/notes"
	[ -s "$tmp/notes" ] || fail "no note of $2"
	while read -r provider _ pc semaphore; do
		case $provider in
		ocaml*)
			if [ $((pc)) -ne 0 ]; then
				same "$2 at $pc" "$(peek $((base + pc)) 2)" "90$was"
				poke $((base + pc + 1)) "$new" || fail "cannot write a site"
			fi ;;
		esac
		[ $((semaphore)) -eq 0 ] || poke $((base + $(count_at "$provider" "$semaphore"))) "$count" ||
			fail "cannot write a count"
	done <"$tmp/notes"
}

# -------------------------------------------------------------- the checks

# sites FILE PROVIDER: a line `name sites semaphores` for each name.
sites()
{
	notes "$1" | awk -v provider="$2" '$1 == provider {
		sites[$2]++
		if (!seen[$2, $4]++)
			semaphores[$2]++
	}
	END { for (name in sites) print name, sites[name], semaphores[name] }' | LC_ALL=C sort
}

# loop_sites PROVIDER: the same, as it must be for a loop victim.
loop_sites()
{
	multi=1
	[ "$1" = ocaml ] && multi=2
	{
		printf '%s 1 1\n' first never registers second work_end work_start
		echo "multi 5 $multi"
		case $1 in
		ocaml.1 | ocaml_1) echo 'from_start 1 1' ;;
		ocaml_2) echo 'sema_only 1 1' ;;
		esac
		[ "$2" = ctor ] && echo 'exe_ctor 1 1'
	} | LC_ALL=C sort
}

# on_and_off FILE NAME PREFIX SITES: unseen while off, seen SITES times a round while on.
on_and_off()
{
	ask step
	before=$(value "$3$2" hits)
	switch "$1" "$2" on
	ask 'step 3'
	same "$2 on" $(($(value "$3$2" hits) - before)) $((3 * $4))
	switch "$1" "$2" off
	ask 'step 2'
	same "$2 off" $(($(value "$3$2" hits) - before)) $((3 * $4))
	same 'corrupt registers' "$(value check corrupt)" 0
}

# arguments: the handler gets what the site passes: the round and the site's number.
arguments()
{
	start "$1"
	switch "$dir/$1" multi on
	ask step
	same 'sum of arguments' "$(value multi sum)" $((5 * 1 + 1 + 2 + 3 + 4 + 5))
	stop
}

pair()
{
	switch "$dir/$1" work_end on
	switch "$dir/$1" work_start on
	ask 'step 2'
	same 'events on' "$(grep '^events:' "$tmp/answer")" 'events: start end start end'
	switch "$dir/$1" work_end off
	ask step
	same 'events without end' "$(grep '^events:' "$tmp/answer")" 'events: start'
	same 'lost ends' "$(value check lost_ends)" 1
	switch "$dir/$1" work_start off
	ask step
	same 'events off' "$(grep '^events:' "$tmp/answer")" 'events:'
}

# loop VICTIM PROVIDER [ctor]
loop()
{
	file=$dir/$1
	start "$1"
	same notes "$(sites "$file" "$2")" "$(loop_sites "$2" "${3-}")"
	ask 'step 2'
	case $2 in
	ocaml.1 | ocaml_1) same 'on from the start' "$(value from_start hits)" 2 ;;
	esac
	same 'all others' "$(grep ' hits=' "$tmp/answer" | grep -v '^from_start ' | grep -cv 'hits=0')" 0
	on_and_off "$file" first '' 1
	on_and_off "$file" multi '' 5
	on_and_off "$file" second '' 1
	on_and_off "$file" registers '' 1
	on_and_off "$file" never '' 0
	case $2 in
	ocaml.1 | ocaml_1)
		switch "$file" from_start off
		on_and_off "$file" from_start '' 1 ;;
	ocaml_2) on_and_off "$file" sema_only '' 1 ;;
	esac
	pair "$1"
	stop
	arguments "$1"
}

# library VICTIM LIBRARY PROVIDER
library()
{
	lib=$dir/$2
	start "$1"
	case $1 in
	*dlopen) ask "load $lib" ;;
	esac
	same "notes of $2" "$(sites "$lib" "$3" | tr '\n' ' ')" 'first 1 1 lib_ctor 1 1 lib_work 2 1 '
	on_and_off "$lib" lib_work libvictim. 2
	on_and_off "$lib" first libvictim. 1
	same 'first of the program' "$(value first hits)" 0
	same 'constructor' "$(value libvictim.lib_ctor hits)" 0
	case $1 in
	*dlopen)
		ask unload
		ask step
		same 'unloaded' "$(value libvictim.first hits)" '' ;;
	esac
	stop
}

sdt()
{
	start sdt_plain
	same notes "$(sites "$dir/sdt_plain" victim | awk '{ print $1, $2 }' | tr '\n' ' ')" \
		'floats 1 many_sites 6 places 1 plain 1 query__start 1 wide_nop 1 widths 1 '
	ask 'step 2'
	same passes "$(value many_sites passes)" 12
	base=$(bias "$dir/sdt_plain")
	notes "$dir/sdt_plain" | while read -r _ name pc _; do
		[ "$(peek $((base + pc)) 1)" = 90 ] || echo "$name at $pc"
	done >"$tmp/bad"
	same 'sites that are no nop' "$(cat "$tmp/bad")" ''
	stop

	start sdt_sema --threads 2
	same notes "$(sites "$dir/sdt_sema" victim | tr '\n' ' ')" 'private 2 2 shared 2 1 single 2 1 '
	for name in shared private single; do
		switch "$dir/sdt_sema" $name on
	done
	ask 'step 3'
	for name in shared.1 shared.2 private.1 private.2 single; do
		same "$name guarded" "$(value $name guarded)" 3
		same "$name sema" "$(value $name sema)" 1
	done
	switch "$dir/sdt_sema" shared off
	ask step
	same 'shared.1 off' "$(value shared.1 guarded) $(value shared.1 sema)" '3 0'
	same 'shared.2 off' "$(value shared.2 guarded) $(value shared.2 sema)" '3 0'
	same 'private.2 still on' "$(value private.2 guarded)" 4
	stop
}

# countable VICTIM NAME=BYTES...: what follows the last site of each, see countable.h
countable()
{
	start "$1"
	shift
	base=$(bias "$dir/$victim")
	for one; do
		pc=$(notes "$dir/$victim" | awk -v name="${one%=*}" '$2 == name { pc = $3 } END { print pc }')
		got=$(peek $((base + pc)) 6)
		same "behind ${one%=*}" "$(expr "$got" : "\(${one#*=}\)\$")" "$got"
	done
	stop
}

many()
{
	start many
	same notes "$(notes "$dir/many" | wc -l | tr -d ' ')" 30000
	switch "$dir/many" p000000 on
	switch "$dir/many" p009999 on
	ask 'step 4'
	same 'hits' "$(value all hits)" $((2 * 3 * 4))
	stop
}

# lines NAME COUNT: read until so many lines of the probe have come.
lines()
{
	got=0
	while [ $got -lt "$2" ] && read -r line <&4; do
		echo "$line" >>"$tmp/answer"
		case $line in
		"[$1]"*) got=$((got + 1)) ;;
		esac
	done
	same "lines of $1" $got "$2"
}

demo()
{
	start test.exe
	same probes "$(notes "$dir/test.exe" | cut -d ' ' -f 2 | sort -u | wc -l | tr -d ' ')" 30
	: >"$tmp/answer"
	switch "$dir/test.exe" req_start on
	lines req_start 3
	switch "$dir/test.exe" req_start off
	switch "$dir/test.exe" packet__in on
	switch "$dir/test.exe" audit_trail on
	lines packet__in 2
	: >"$tmp/answer"
	lines audit_trail 2
	lines packet__in 2
	same 'req_start after off' "$(grep -c '^\[req_start\]' "$tmp/answer")" 0
	kill -TERM "$pid"
	stop
}

start loop_ocaml0_fixed
if ! dd if="/proc/$pid/mem" bs=1 skip=$((0x400000)) count=4 >"$tmp/elf" 2>/dev/null ||
	! dd if="$tmp/elf" of="/proc/$pid/mem" bs=1 seek=$((0x400000)) conv=notrunc 2>/dev/null; then
	stop
	echo "SKIP: /proc/PID/mem cannot be written here"
	exit 77
fi
stop

for kind in fixed pie; do
	loop loop_ocaml0_$kind ocaml
	loop loop_ocamldot1_$kind ocaml.1
	loop loop_ocaml1_$kind ocaml_1
	loop loop_ocaml2_$kind ocaml_2
done
loop loop_static ocaml_2 ctor
loop loop_static_pie ocaml_2 ctor
loop loop_lib ocaml_2 ctor
loop loop_lib1 ocaml_1 ctor
library loop_lib libvictim.so ocaml_2
library loop_lib1 libvictim1.so ocaml_1
library loop_dlopen libvictim.so ocaml_2
library loop_dlopen libvictim1.so ocaml_1
sdt
stopped=90a900000000
countable counts plain=90a911018d44 never=90a911028d44 guarded=90a9110[34]8d44 loop=$stopped
countable pairs start=90a911018d44 end=$stopped
countable sdt_plain plain=90a911018d44 widths=90a911028d44 query__start=90a911038d44 places=$stopped floats=$stopped
countable sdt_sema "single=90a9\(11028d44\|00000000\)"
many
demo

echo "$done_checks checks, $failed failed"
[ "$failed" -eq 0 ]
