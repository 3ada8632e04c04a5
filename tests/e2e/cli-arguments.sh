#!/bin/sh
# The names of arguments by debug information: those of variables that lie where an argument is read, in code that was
# optimized and in code that was not; never a wrong one; events print them, -where goes on with argN; and broken or
# hostile debug information neither ends the program nor holds it up.
# Does not cover: every form of a location (unit/test_location.c).
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip 'no python3'

# names VICTIM PROBE: what list says of its only site
names()
{
	run list -verbose -format json -prog "$VICTIMS/$1"
	python3 -c 'import json, sys
p = [p for p in json.load(open(sys.argv[1]))["probes"] if p["name"] == sys.argv[2]][0]
print(*p["sites"][0]["argument_names"])' "$tmp/out" "$2"
}

# --- which names
# clang copies globals, and without optimization all, before a site: no variable lies where it reads the copies.
if readelf -p .comment "$VICTIMS/named" | grep -q clang; then
	handle='None None None None None' inner='None None' globals='None None None'
	listed=named arguments='arg2 is path(, arg[0-9] is [a-z]+)*'
else
	handle='fd path ratio arg1 r' inner='amount label' globals='counter total None'
	listed=named_plain arguments='arg1 is fd, arg2 is path, arg3 is ratio, arg5 is r'
fi
same 'without optimization' "$(names named_plain handle)" "$handle"
same 'without optimization, the inner function' "$(names named_plain inner)" "$inner"
for victim in named named_frames; do
	# How many there are is the compiler's choice; none is wrong, and a constant has none.
	for one in 'handle fd path ratio arg1 r' 'inner amount label' 'globals counter total None' 'called n'; do
		# shellcheck disable=SC2086 # words
		set -- $one
		probe=$1 known=0
		shift
		for name in $(names "$victim" "$probe"); do
			case $name in
			"$1") known=$((known + 1)) ;;
			None) ;;
			*) fail "$victim: $probe has a name $name, not $1" ;;
			esac
			shift
		done
		checks=$((checks + 1))
		[ "$known" -gt 0 ] || fail "$victim: $probe: no name is known"
	done
done
same 'a global, and a static of a function' "$(names named globals)" "$globals"
same 'a part of a variable' "$(names named narrow)" None
same 'without debug information' "$(names named_bare handle)" 'None None None None None'
run list -verbose -prog "$VICTIMS/$listed"
has 'in a list' "^ +$arguments\$" "$tmp/out"
run list -prog "$VICTIMS/$listed"
same 'only with -verbose' "$(grep -c ' is ' "$tmp/out")" 0
run list -format json -prog "$VICTIMS/$listed"
same 'in JSON, too' "$(grep -c argument_names "$tmp/out")" 0

# --- hostile information: blocks nested without end, types that are circles
if command -v as >/dev/null && command -v ld >/dev/null; then
	python3 "${srcdir:-.}/tests/e2e/deep_debug.py" 300000 >"$tmp/deep.s"
	as "$tmp/deep.s" -o "$tmp/deep.o" && ld "$tmp/deep.o" -o "$tmp/deep" || fail 'no file'
	want 0 list -verbose -prog "$tmp/deep"
	has 'it is listed' 'deep:here' "$tmp/out"
	same 'and has no names' "$(grep -c ' is ' "$tmp/out")" 0
	# A file that it names is not opened: nobody ever opens the other end of this one.
	mkfifo "$tmp/supplement"
	python3 "${srcdir:-.}/tests/e2e/deep_debug.py" 1 "$tmp/supplement" >"$tmp/other.s"
	as "$tmp/other.s" -o "$tmp/other.o" && ld "$tmp/other.o" -o "$tmp/other" || fail 'no file'
	want 0 list -verbose -prog "$tmp/other"
	has 'it is listed, too' 'deep:here' "$tmp/out"
fi

# --- broken information: bytes of it changed at random, the same at each run
python3 - "$VICTIMS/named" "$tmp/broken" "$PROBES_TUI" >"$tmp/out" 2>&1 <<'END'
import random, struct, subprocess, sys
whole = open(sys.argv[1], "rb").read()
at, = struct.unpack_from("<Q", whole, 0x28)
count, strings = struct.unpack_from("<HH", whole, 0x3c)
sections = [struct.unpack_from("<IIQQQQIIQQ", whole, at + 64 * i) for i in range(count)]
def name(s):
    start = sections[strings][4] + s[0]
    return whole[start:whole.index(b"\0", start)].decode()
parts = [(s[4], s[5]) for s in sections if name(s).startswith((".debug_", ".eh_frame"))]
random.seed(1)
for i in range(100):
    bytes = bytearray(whole)
    for _ in range(random.choice((1, 5, 20))):
        start, size = random.choice(parts)
        bytes[start + random.randrange(size)] = random.choice((0, 1, 127, 128, 255))
    open(sys.argv[2], "wb").write(bytes)
    r = subprocess.run([sys.argv[3], "list", "-verbose", "-prog", sys.argv[2]], capture_output=True)
    if r.returncode:
        print("number %d: %d %r" % (i, r.returncode, r.stderr))
END
same 'broken information' "$(cat "$tmp/out")" ''

# --- events, with the names that list knows
need_switching
need_zydis
handle=$(names "$listed" handle)
printed=' named:handle' at=0
set -- 3 '"/index"' '1[.]5' 6 '0x[0-9a-f]+'
for name in $handle; do
	at=$((at + 1))
	case $name in
	None | arg1) name=arg$at ;; # arg1 is another one
	esac
	printed="$printed $name=$1"
	shift
done
start "$listed"
: >"$tmp/held"
env --default-signal=INT,QUIT "$PROBES_TUI" events -no-syslog -max-overhead 0 -stop -pid "$pid" handle -str arg2 -where 'arg1 > 2' \
	>"$tmp/result" 2>"$tmp/held" </dev/null &
session=$!
started="$started $session"
session_says 'counting . of '
grep -q 'counting 1 of 1' "$tmp/held" || {
	echo 'the layout leaves the site uncounted'
	finish
}
until grep -q . "$tmp/result"; do
	ask 'handle 1'
done
ask 'handle 4'
interrupted
has 'events' "$printed\$" "$tmp/result"
same 'those that -where leaves' "$(grep -c handle "$tmp/result")" 2
: >"$tmp/held"
env --default-signal=INT,QUIT "$PROBES_TUI" events -no-syslog -max-overhead 0 -stop -pid "$pid" handle -format json -max 1 \
	>"$tmp/result" 2>"$tmp/held" </dev/null &
session=$!
started="$started $session"
session_says 'counting 1 of 1'
until grep -q only_counted "$tmp/result"; do
	ask 'handle 1'
done
ended 0
same 'in JSON' "$(python3 -c 'import json, sys
print(*[a["argument"] for a in json.loads(open(sys.argv[1]).readline())["args"]])' "$tmp/result")" "$handle"
stop
finish
