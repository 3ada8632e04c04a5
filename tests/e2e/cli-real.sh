#!/bin/sh
# Real programs, where they are installed: Debian's python3 (8 sites with semaphores; raised, as
# seen in its memory by dd), OpenJDK (531 sites in libjvm.so), postgres, php, ruby, by the counts of
# readelf. Nothing is stopped.
# Does not cover: hits in them, and other versions than are installed here.
. "${srcdir:-.}/tests/e2e/lib.sh"
found=

# counts FILE: all notes of a file are listed, as many as readelf shows.
counts()
{
	[ -e "$1" ] || return 0
	# Sites at one address are one site.
	expected=$(notes "$1" | awk '{ print $1, $2, $3 }' | sort -u | wc -l | tr -d ' ')
	[ "$expected" -gt 0 ] || return 0
	found=yes
	want 0 list -prog "$1"
	same "sites of $1" "$(grep -cE '^ +(pc 0x|no site)' "$tmp/out")" "$expected"
	has "summary of $1" "^$expected sites, " "$tmp/out"
}

for file in /usr/bin/python3.* /usr/lib/jvm/*/lib/server/libjvm.so \
	/usr/lib/postgresql/*/bin/postgres /usr/bin/php[0-9]* \
	/usr/lib/x86_64-linux-gnu/libruby-*.so.?.? /usr/lib/x86_64-linux-gnu/libstdc++.so.6; do
	case $file in
	*-config) continue ;;
	esac
	counts "$file"
done
[ -n "$found" ] || skip 'no real program with probes is installed'
need_switching

# The system's own: beside it there may be a debug build, which aborts on its own assertion once `line` is on.
python=$(readlink -f /usr/bin/python3)
notes "$python" | grep -q '^python gc__start ' || python=
if [ -n "$python" ]; then
	echo "-- $python"
	fifos
	"$python" -c 'import sys
print("ready", flush=True)
sys.stdin.readline()' <"$tmp/in" >"$tmp/answers" &
	pid=$!
	started="$started $pid"
	exec 3>"$tmp/in" 4<"$tmp/answers"
	read -r word <&4
	same 'first word of python' "$word" ready
	want 0 list -pid "$pid" -provider python
	where=$(awk '/python:gc__start/ { found = 1; next }
		found && match($0, /sem 0x[0-9a-f]+/) { print substr($0, RSTART + 4, RLENGTH - 4); exit }' \
		"$tmp/out")
	same 'count at first' "$(peek "$where" 2)" 0000
	attach -enable python:gc__start
	same 'count, raised' "$(peek "$where" 2)" 0100
	same 'state' "$(state gc__start)" enabled
	attach -enable gc__start
	same 'count, raised twice' "$(peek "$where" 2)" 0200
	attach -disable gc__start
	attach -disable gc__start
	same 'count at last' "$(peek "$where" 2)" 0000
	echo >&3
	exec 3>&- 4<&-
	wait "$pid"
	same 'exit status of python' $? 0
	gone "$pid"
	want 0 trace -no-syslog -wait -format csv -prog "$python" -enable-all -- -c 'print(6 * 7)'
	same 'python, traced' "$(cat "$tmp/out")" 42
	same 'all on' "$(grep -c ',python,.*,on,1,' "$tmp/err")" \
		"$(notes "$python" | awk '{ print $2 }' | sort -u | wc -l | tr -d ' ')"
fi

# A Java program that only waits, from source, for its dozen of threads.
if command -v java >/dev/null && command -v javac >/dev/null; then
	echo '-- java'
	cat >"$tmp/Wait.java" <<'JAVA'
public class Wait {
	public static void main(String[] a) throws Exception {
		System.out.println("ready");
		System.in.read();
	}
}
JAVA
	javac -d "$tmp" "$tmp/Wait.java" || skip 'javac does not work here'
	fifos
	java -cp "$tmp" Wait <"$tmp/in" >"$tmp/answers" &
	pid=$!
	started="$started $pid"
	exec 3>"$tmp/in" 4<"$tmp/answers"
	read -r word <&4
	same 'first word of java' "$word" ready
	want 0 list -pid "$pid" -object libjvm.so
	library=$(awk '/libjvm\.so$/ { print substr($0, index($0, "/")); exit }' "/proc/$pid/maps")
	expected=$(notes "$library" | awk '{ print $1, $2, $3 }' | sort -u | wc -l | tr -d ' ')
	same 'sites in the process' "$(grep -cE '^ +pc 0x' "$tmp/out")" "$expected"
	same 'rows that can be switched' "$(grep '^\[' "$tmp/out" | grep -cv '^\[\.\]')" 0
	has 'a summary' '; [0-9]+ no switch$' "$tmp/out"
	want 0 list -pid "$pid" -object libjvm.so -format json
	has 'not stopped' '"stopped_ms": 0,' "$tmp/out"
	want 1 attach -no-syslog -pid "$pid" -enable-all -object libjvm.so
	has 'why, and what can be done' 'nothing can be enabled: [0-9]+ probes have no semaphore; probes-tui count'
	same 'threads' "$([ "$(ls "/proc/$pid/task" | wc -l)" -gt 5 ] && echo many)" many
	echo >&3
	exec 3>&- 4<&-
	wait "$pid"
	same 'exit status of java' $? 0
	gone "$pid"
fi
finish
