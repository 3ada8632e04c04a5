#!/bin/sh
# Builds the programs that are measured, measures, and writes $BENCH_DIR/figures (every figure),
# $BENCH_DIR/table.txt, $BENCH_DIR/table.csv, and doc/performance.md's tables. What is compared is
# measured in turns, ROUNDS times (5). `make bench` calls it.
set -eu
: "${PROBES_TUI:?}" "${BENCH:?}" "${BENCH_DIR:?}" "${srcdir:?}"
CC=${CC:-gcc}
ROUNDS=${ROUNDS:-5}
SECONDS_IDLE=${SECONDS_IDLE:-10}
here=$srcdir/tests/bench
LC_ALL=C.UTF-8
export LC_ALL

mkdir -p "$BENCH_DIR/run" "$BENCH_DIR/state"
chmod 700 "$BENCH_DIR/run"
export BENCH_DIR
PROBES_TUI_RECORDS=$BENCH_DIR/run XDG_STATE_HOME=$BENCH_DIR/state
export PROBES_TUI_RECORDS XDG_STATE_HOME
cd "$BENCH_DIR"
case $here in
/*) ;;
*) here=$OLDPWD/$here ;;
esac

say()
{
	printf 'bench: %s\n' "$*" >&2
}

# ---------------------------------------------------------------- the programs

# build N: pie-N, fixed-N, and shared-N with libshared-N.so.
build()
{
	[ -e "shared-$1" ] && [ "shared-$1" -nt "$here/generate.sh" ] &&
		[ "shared-$1" -nt "$here/target.c" ] && return
	say "building programs with $1 probes"
	"$here/generate.sh" "$1" >sites.s
	flags='-O2 -g -mno-red-zone -pthread'
	# shellcheck disable=SC2086 # words
	{
		$CC $flags -c sites.s -o sites.o
		$CC $flags -fPIE -pie "$here/target.c" sites.o -o "pie-$1"
		$CC $flags -fno-pie -no-pie "$here/target.c" sites.o -o "fixed-$1"
		$CC $flags -shared sites.o -Wl,-soname,"libshared-$1.so" -o "libshared-$1.so"
		$CC $flags -fPIE -pie "$here/target.c" "libshared-$1.so" \
			-Wl,-rpath,"$BENCH_DIR" -o "shared-$1"
	}
	rm -f sites.s sites.o
}

for n in 100 1000 10000 100000; do
	build "$n"
done
if [ ! -e hits ] || [ "$here/hits.c" -nt hits ]; then
	$CC -O2 -g -fPIE -pie -pthread "$here/hits.c" -o hits
fi
! command -v javac >/dev/null || javac -d . "$here/Allocate.java" ||
	printf 'bench: Allocate.java: not built\n' >&2
# Its 2 GiB are a hole: it takes no room on the disk.
[ -e big-1000 ] && [ big-1000 -nt pie-1000 ] || "$BENCH" sparse pie-1000 big-1000 2

# ---------------------------------------------------------------- listing

have()
{
	command -v "$1" >/dev/null 2>&1
}

# quick SIZE FILE ROW: ours and the peers that take milliseconds.
quick()
{
	"$BENCH" run "$3" "$1" ours "$PROBES_TUI" list -prog "$2"
	"$BENCH" run "$3" "$1" readelf readelf -nW "$2"
	! have eu-readelf || "$BENCH" run "$3" "$1" eu-readelf eu-readelf -n "$2"
}

# one SIZE FILE ROW: ours and every peer; the quick ones five times, since the first run would measure
# what the slow one before it left of the caches. gdb, bpftrace and perf take minutes for 100,000; gdb
# asked for this kind of probes alone (gdb-stap) a tenth of the time.
one()
{
	for _ in 1 2 3 4 5; do
		quick "$@"
	done
	! have gdb || "$BENCH" run "$3" "$1" gdb-stap gdb -nx -batch -ex 'info probes stap' "$2"
	[ "$1" -le 10000 ] || return 0
	! have gdb || "$BENCH" run "$3" "$1" gdb gdb -nx -batch -ex 'info probes' "$2"
	! have bpftrace || "$BENCH" run "$3" "$1" bpftrace bpftrace -l "usdt:$PWD/$2:*" || :
	for tplist in tplist tplist-bpfcc; do # as bcc and as Debian call it
		! have "$tplist" || "$BENCH" run "$3" "$1" tplist "$tplist" -l "$PWD/$2" || :
	done
	! have perf || {
		rm -rf perf-cache
		"$BENCH" run "$3" "$1" perf perf --buildid-dir "$PWD/perf-cache" \
			buildid-cache --add "$PWD/$2" || :
		rm -rf perf-cache
	}
}

lists()
{
	for n in 100 10000 100000; do
		one "$n" "pie-$n" list
		"$BENCH" notes "pie-$n" "$n"
	done
	for _ in 1 2 3 4 5; do
		quick 10000 fixed-10000 list-fixed
		quick 10000 libshared-10000.so list-libshared
		quick 1000 pie-1000 list-small
		quick 1000 big-1000 list-2GiB
	done
	! have bpftrace || "$BENCH" run list-2GiB 1000 bpftrace \
		bpftrace -l "usdt:$PWD/big-1000:*" || :
}

# ---------------------------------------------------------------- processes

states()
{
	for n in 100 10000 100000; do
		"$BENCH" read "pie-$n" "$n"
	done
	"$BENCH" read fixed-10000 '10000 fixed'
	"$BENCH" read shared-10000 '10000 shared'
}

switches()
{
	for n in 100 10000 100000; do
		"$BENCH" switch "pie-$n" "$n" 1 spin
	done
	"$BENCH" switch pie-10000 10000 16 spin
	"$BENCH" switch pie-10000 10000 256 nap
	"$BENCH" switch pie-100 100 256 spin
}

stops()
{
	for n in 1 16 256; do
		"$BENCH" stop pie-100 100 "$n" nap
		"$BENCH" stop pie-100 100 "$n" spin
	done
}

screens()
{
	for n in 100 10000 100000; do
		"$BENCH" screen "$PROBES_TUI" "pie-$n" "$n" "$SECONDS_IDLE"
	done
}

# ---------------------------------------------------------------- counting

hits()
{
	"$BENCH" hits hits || say 'hits: not measured'
}

measures()
{
	"$BENCH" measure hits || say 'measures: not measured'
}

# covered NAME OBJECT COMMAND...: start it, give it a second, ask, end it.
covered()
{
	name=$1 object=$2
	shift 2
	have "$1" || { say "$name: not here"; return 0; }
	"$@" >/dev/null 2>&1 </dev/null &
	sleep 1
	kill -0 $! || { say "$name: not here"; return 0; }
	"$BENCH" cover $! "$object" "$name" || say "$name: not measured"
	kill $!
	wait $! 2>/dev/null || :
}

# with_load LOAD ROW COMMAND...: a load is started, and the command gets its pid for PID.
with_load()
{
	load=$1
	shift
	rm -f fifo said
	mkfifo fifo
	"$load" <fifo >said &
	loaded=$!
	exec 3>fifo
	tries=0
	until grep -q ready said || [ "$tries" -gt 100 ] || ! kill -0 "$loaded" 2>/dev/null; do
		tries=$((tries + 1))
		sleep 0.2
	done
	target=$(sed -n 's/^ready *//p' said)
	if grep -q ready said; then
		for verb in "$@"; do
			# shellcheck disable=SC2086 # words
			"$BENCH" ${verb%% *} "${target:-$loaded}" ${verb#* } || say "not measured: $verb"
		done
	else
		say "$load: not here"
	fi
	exec 3>&-
	wait "$loaded" || :
}

# file_of LIBRARY: what it is called in a list of mappings; nothing if it is not here.
file_of()
{
	found=$(ldconfig -p | awk -v name="$1" '$1 == name { print $NF; exit }')
	[ -z "$found" ] || basename "$(readlink -f "$found")"
}

# preloaded NAME LIBRARY
preloaded()
{
	object=$(file_of "$2")
	[ -n "$object" ] || { say "$1: not here"; return 0; }
	covered "$1" "$object" env LD_PRELOAD="$2" sleep 60
}

covers()
{
	covered python3.11 python3.11 /usr/bin/python3.11 -c 'import time; time.sleep(60)'
	covered php8.2 php8.2 env USE_ZEND_DTRACE=1 php8.2 -r 'sleep(60);'
	! have ruby || covered libruby "$(file_of libruby-3.1.so.3.1)" ruby -e 'sleep 60'
	preloaded libstdc++ libstdc++.so.6
	preloaded libvirt libvirt.so.0
	with_load "$here/load_postgres.sh" "cover postgres postgres"
}

arms()
{
	have java && [ -e Allocate.class ] || { say 'java: not here'; return 0; }
	JAVA_FLAGS='' with_load "$here/load_java.sh" 'cover libjvm.so libjvm' 'arm libjvm.so libjvm'
}

tallies()
{
	"$BENCH" tally pie-10000 10000 || say 'tallies: not measured'
}

losses()
{
	postgres=$(ls /usr/lib/postgresql/*/bin/postgres 2>/dev/null | tail -n 1)
	"$BENCH" loss "$here/load_postgres.sh" postgres "usdt:${postgres:-postgres}:*" pgbench ||
		say 'postgres: not measured'
	have java && [ -e Allocate.class ] || { say 'java: not here'; return 0; }
	jvm=$(dirname "$(readlink -f "$(command -v java)")")/../lib/server/libjvm.so
	jvm=$(readlink -f "$jvm")
	JAVA_FLAGS='' "$BENCH" loss "$here/load_java.sh" libjvm.so "usdt:$jvm:*" jvm ||
		say 'jvm: not measured'
	# Now every allocation passes a probe.
	JAVA_FLAGS=-XX:+DTraceAllocProbes "$BENCH" loss "$here/load_java.sh" libjvm.so \
		"usdt:$jvm:*" 'jvm, allocations' || say 'jvm: not measured'
}

# ---------------------------------------------------------------- all of it

# measure FIGURES PART...: ROUNDS rounds of these parts, as far as PARTS has them.
measure()
{
	into=$1
	shift
	: >"$into"
	round=1
	while [ "$round" -le "$ROUNDS" ]; do
		for part in "$@"; do
			case " ${PARTS:-$*} " in
			*" $part "*)
				say "round $round of $ROUNDS: $part"
				"$part" >>"$into"
				;;
			esac
		done
		round=$((round + 1))
	done
	[ ! -s "$into" ] || "$here/put.sh" "$into" "$here/../../doc/performance.md" "$into"
}

measure figures lists states switches stops screens
measure figures-counting hits covers arms tallies losses
measure figures-measuring measures

cat figures figures-counting figures-measuring >figures-all
"$here/table.sh" csv figures-all >table.csv
"$here/table.sh" text figures-all >table.txt
# Rows that were not measured now stay as they are.
old=$here/../../doc/performance.csv
{
	head -n 1 table.csv
	awk -F , 'FNR == 1 { next } NR == FNR { new[$1] = 1; print; next } !($1 in new)' \
		table.csv "$old" | LC_ALL=C sort -s -t , -k 1,1
} >merged.csv
cp merged.csv "$old"
cat table.txt
