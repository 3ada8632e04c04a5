#!/bin/sh
# `make soak`: the probes of real programs at work are counted and uncounted, for SOAK_SECONDS (300) each, two
# programs at a time; soak.c states what must hold. SOAK_PROGRAMS chooses some of them. SOAK_SEED (printed)
# repeats the choices, not the timing. A program that is not installed is skipped, with a message. After a
# failure the folder with the refusals and gdb's output is kept.
set -u
: "${SOAK:?the folder of the built programs}" "${srcdir:?}"
seconds=${SOAK_SECONDS:-300}
seed=${SOAK_SEED:-$$}
here=$srcdir/tests/stress/soak
folder=$(mktemp -d) || exit 99
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS

# one NAME PROBE[,PROBE] COMMAND...
one()
{
	name=$1 probes=$2
	shift 2
	mkdir "$folder/$name"
	command -v "$1" >/dev/null || { echo "$name: skipped: no $1"; return 77; }
	"$SOAK/soak" "$name" "$probes" "$seconds" "$seed" "$folder/$name" "$@"
}

java_one()
{
	command -v javac >/dev/null || { echo "$1: skipped: no javac"; return 77; }
	mkdir -p "$folder/$1-classes"
	javac -d "$folder/$1-classes" "$here/Load.java" || return 1
	one "$1" thread__start,thread__stop,thread__yield,thread__sleep__begin java "$2" -Xmx64m \
		-XX:-UseDynamicNumberOfCompilerThreads -cp "$folder/$1-classes" Load
}

# A victim with OCaml's sites that counts its own hits: the same as counting.sh, for longer.
tally()
{
	mkdir "$folder/tally"
	"$SOAK/counting" "$SOAK/tally" "$folder/tally" "$seconds" "$seed"
}

soak()
{
	case $1 in
	jvm-g1) java_one "$1" -XX:+UseG1GC ;;
	jvm-parallel) java_one "$1" -XX:+UseParallelGC ;;
	postgres) one "$1" query__start "$here/load_postgres.sh" ;;
	php) USE_ZEND_DTRACE=1 one "$1" function__entry php "$here/load.php" ;;
	python) one "$1" gc__start,gc__done /usr/bin/python3 "$here/load.py" ;;
	ruby) one "$1" raise ruby "$here/load.rb" ;;
	tally) tally ;;
	*) echo "$1: no such program"; return 2 ;;
	esac
}

echo "soak: SOAK_SEED=$seed, $seconds s each"
# shellcheck disable=SC2086 # words
set -- ${SOAK_PROGRAMS:-jvm-g1 postgres jvm-parallel ruby php python tally}
failed=
while [ $# -gt 0 ]; do
	soak "$1" &
	first=$! name=$1
	shift
	if [ $# -gt 0 ]; then
		soak "$1"
		status=$?
		case $status in 0 | 77) ;; *) failed="$failed $1" ;; esac
		shift
	fi
	wait "$first"
	status=$?
	case $status in 0 | 77) ;; *) failed="$failed $name" ;; esac
done
if [ -n "$failed" ]; then
	echo "FAIL: soak:$failed: see $folder"
	exit 1
fi
rm -rf "$folder"
echo 'PASS: soak'
