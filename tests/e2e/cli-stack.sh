#!/bin/sh
# Samples of whole stacks: functions, in the order in which a victim calls them, drawn from all hits alike, at most
# as many as are permitted; folded text, JSON and CSV say the same; incomplete stacks say why; a process with a seccomp
# filter gives what needs no system call; gdb finds the same functions; a library is not taken for another.
# Does not cover: the unwinding itself (unit/test_unwind.c), what a hit leaves (unit/test_events.c).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
need_zydis
command -v python3 >/dev/null || skip 'no python3'

# sampling ARG...: in the background; $session
sampling()
{
	in_background callers -max-overhead 0 -stop -stack "$@"
	session_says ' sites\{0,1\} of '
}

# of EXPRESSION: of python, about the JSON of the stacks
of()
{
	python3 -c 'import json, re, sys
t = [json.loads(line) for line in open(sys.argv[1])][-1]
def samples(*names):
    return sum(s["samples"] for s in t["stacks"] if s["stack"][-len(names):] == list(names))
print(eval(sys.argv[2]))' "$tmp/result" "$1"
}

# calls LINE: again and again, without a pause, until the session has what it wants: behind a pause, the first hit of a
# round would be drawn more often than the others
calls()
{
	while kill -0 "$session" 2>/dev/null && ! grep -q . "$tmp/result"; do
		ask "$1"
	done
}

for victim in named named_plain named_frames; do
	start "$victim"
	# A mapped site that cannot be counted says so, and nothing is to be seen then.
	run count -no-syslog -stop -pid "$pid" -for 50ms -format json called
	grep -q '"sites_counted": *1' "$tmp/out" || {
		stop
		continue
	}
	# Where the session got no CPU time for most of it, most stacks are incomplete: then again.
	for _ in 1 2 3 4 5; do
		sampling -pid "$pid" -format json called -max 200
		calls 'call 300 200 100'
		ended 0
		[ "$(of 'sum(i["samples"] for i in t["incomplete"]) > 100')" = True ] || break
	done
	declared "callers -stack" "$tmp/result"
	# Of a first burst, which is drawn whole, a session without CPU time loses some: it says so, and draws others.
	same "$victim: as many as wanted" "$(of 't["samples"], t["others"]')" '(200, 0)'
	same "$victim: of this process" "$(of '{s["pid"] for s in t["stacks"]}')" "{$pid}"
	# Permission to make the system call ends where the session gets no CPU time for 0.25 s, or needs that long to
	# find functions, as with sanitizers. Nothing else is missing.
	same "$victim: incomplete are at most those without permission" \
		"$(of 'all(i["samples"] <= 100 and i["why"].startswith("only a page of the stack was read: ") for i in t["incomplete"])')" True
	same "$victim: of more hits" "$(of 't["hits"] > 600')" True
	known=$(of 'sum(samples(n, "work") for n in ("alpha", "beta", "gamma_"))')
	same "$victim: all others are known" "$(of '200 - sum(i["samples"] for i in t["incomplete"]) <= '"$known"' <= 200')" True
	# 100, 67, 33 of 200: more than seven standard deviations around them.
	same "$victim: drawn from all hits alike" \
		"$(of 'all(abs(samples(n, "work") - k * '"$known"' / 200) < 50 for n, k in (("alpha", 100), ("beta", 67), ("gamma_", 33)))')" True
	same "$victim: from the thread on" "$(of 'sum(s["samples"] for s in t["stacks"] if s["stack"][:2] == ["'"$victim"'"[:15], "_start"]) \
		+ sum(i["samples"] for i in t["incomplete"])')" 200
	same "$victim: not faster than permitted" "$(of 't["samples"] <= 99 * (t["seconds"] + 1)')" True

	sampling -pid "$pid" called -max 3
	calls 'call 0 1 0'
	ended 0
	# A session that is slow may not have all of a stack: then it is a line of its own.
	same "$victim: folded" "$(awk -v first="$(printf %.15s "$victim");" \
		'index($0, first) == 1 && /;beta;work [0-9]+$/ { n += $NF } END { print n + 0 }' "$tmp/result")" 3
	has "$victim: how many of how many" '^probes-tui: 3 stacks of [0-9]+ hits in .* s, none lost$' "$tmp/held"
	same "$victim: nothing is missing" "$(grep -c 'could not be read' "$tmp/held")" 0
	sampling -pid "$pid" called -max 1 -format csv -where 'arg1 == 77'
	calls 'call 77 0 0'
	ended 0
	same "$victim: CSV" "$(sed 's/^\([0-9]*,1\),.*;alpha;work/\1,alpha;work/' "$tmp/result")" "pid,samples,stack
$pid,1,alpha;work"

	# --- as gdb sees it
	if command -v gdb >/dev/null && [ "$victim" = named ]; then
		gdb -nx -batch -ex 'set debuginfod enabled off' -ex 'break beta' -ex 'run' -ex bt "$VICTIMS/$victim" \
			>"$tmp/gdb" 2>&1 <<END
call 0 1 0
quit
END
		# A frame without an address contains the code of the one before, which was inlined.
		outer=$(awk '/^#[0-9]/ { inlined = $2 !~ /^0x/ && NR > 1 && n; name = $2 ~ /^0x/ ? $4 : $2
			n -= inlined; names[++n] = name } END { for (; n; n--) printf "%s;", names[n] }' "$tmp/gdb")
		sampling -pid "$pid" called -max 1
		calls 'call 0 1 0'
		ended 0
		case $outer in
		*beta\;)
			# From drive on: gdb knows of main by the debug information that a tail call leaves, and whether the names
			# inside libc are known depends on its version.
			same 'the same functions as gdb' "$(sed 's/;work 1$/;/; s/.*;drive;/drive;/' "$tmp/result")" \
				"$(echo "$outer" | sed 's/.*;drive;/drive;/')"
			;;
		esac
	fi
	tested=yes
	stop
done
[ "${tested-}" ] || skip 'in no layout could the site be counted'

# --- an end that is none
start named_bare
sampling -pid "$pid" called -max 5
calls 'call 4 3 3'
if grep -q 'counting 1 of 1' "$tmp/held"; then
	ended 0
	has 'incomplete' '^named_bare;\[incomplete\];.*work [0-9]+$' "$tmp/result"
	has 'why' '^  [0-9]+ incomplete: there is no unwind information$' "$tmp/held"
else
	interrupted INT 130
fi
stop

# --- another library takes the place of the one that was called through: no stack has a function of the wrong one
start swap
run count -no-syslog -stop -pid "$pid" -for 50ms -format json leaf
if grep -q '"sites_counted": *1' "$tmp/out"; then
	ask 'use a'
	# The process cannot test this: stacks through the first one are looked up as well.
	sampling -pid "$pid" -format json leaf -where 'arg1 == 2 or tid == 1' -max 60
	# Some of them come meanwhile, as a rule; whether or not, the outcome is the same.
	for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
		run list -pid "$pid"
		ask "through $round"
	done
	ask 'use b'
	calls 'through 5'
	ended 0
	same 'none is of the library before' "$(of 't["samples"], [s for s in t["stacks"] if re.search("(swap|through)_a", str(s))]')" '(60, [])'
	same 'it is the other one, or unknown' \
		"$(of 'sum(s["samples"] for s in t["stacks"]
			if s["stack"][-2:] == ["through_b", "leaf"] or "[incomplete]" in s["stack"])')" 60
	sampling -pid "$pid" -format json leaf -where 'arg1 == 2' -max 20
	calls 'through 5'
	ended 0
	same 'later it is known' "$(of 'samples("through_b", "leaf")')" 20
fi
stop

# --- the wrong call
want 2 events -no-syslog -pid $$ some -stack
want 2 callers -no-syslog -pid $$ some -stack -callers
finish
