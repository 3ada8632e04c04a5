#!/bin/sh
# Who calls the functions that hit probes: as often as a victim let its functions call, by name and line, without and with
# frame pointers, at sites of sys/sdt.h and of OCaml; what is unknown is a row of its own and says why; events print the
# same caller.
# Does not cover: what a hit reads (unit/test_events.c).
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
need_zydis
command -v python3 >/dev/null || skip 'no python3'

# looking ARG...: in the background; $session
looking()
{
	in_background "$@" -max-overhead 0 -stop
	session_says ' sites\{0,1\} of '
}

# of EXPRESSION: of python, about the JSON of the table
of()
{
	python3 -c 'import json, re, sys
t = [json.loads(line) for line in open(sys.argv[1])][-1]
def hits(name):
    return sum(c["hits"] for c in t["callers"] if (c["symbol"] or "?").split("+")[0] == name)
print(eval(sys.argv[2]))' "$tmp/result" "$1"
}

for victim in named named_plain named_frames; do
	start "$victim"
	# A mapped site that cannot be counted says so, and nothing is to be seen then.
	run count -no-syslog -stop -pid "$pid" -for 50ms -format json called
	grep -q '"sites_counted": *1' "$tmp/out" || {
		stop
		continue
	}
	looking callers -pid "$pid" -format json called -max 600
	# Keeping begins at some time; the last 600 hits are of whole rounds of six, in the order of the calls.
	until grep -q . "$tmp/result"; do
		kill -0 "$session" 2>/dev/null || break
		ask 'call 3 2 1'
	done
	ended 0
	same "$victim: all of them" "$(of 't["events"], t["lost"], len(t["callers"])')" '(600, 0, 3)'
	same "$victim: of this process" "$(of '{c["pid"] for c in t["callers"]}')" "{$pid}"
	same "$victim: in their numbers" "$(of '[abs(hits(n) - k) <= 3 for n, k in (("alpha", 300), ("beta", 200), ("gamma_", 100))]')" \
		'[True, True, True]'
	same "$victim: most first" "$(of '[re.sub("[+].*", "", c["symbol"]) for c in t["callers"]]')" "['alpha', 'beta', 'gamma_']"
	same "$victim: shares" "$(of 'round(sum(c["share"] for c in t["callers"]))')" 100
	same "$victim: lines" "$(of 'all(re.search(r"named[.]c:[0-9]+$", c["line"]) for c in t["callers"])')" True
	same "$victim: the address" "$(of 'all(int(c["address"], 16) % 4096 == int(c["pc"], 16) % 4096 for c in t["callers"])')" True
	tested=yes

	looking callers -pid "$pid" called -max 6
	until grep -q . "$tmp/result"; do
		kill -0 "$session" 2>/dev/null || break
		ask 'call 6 0 0'
	done
	ended 0
	has "$victim: a heading" '^ +HITS +SHARE  CALLER$' "$tmp/result"
	has "$victim: a row" '^ +6  100[.]0%  alpha[+]0x[0-9a-f]+ [(]named[.]c:[0-9]+[)]$' "$tmp/result"

	looking events -pid "$pid" called -callers -max 2
	until grep -q . "$tmp/result"; do
		kill -0 "$session" 2>/dev/null || break
		ask 'call 0 1 0'
	done
	until grep -q called "$tmp/result"; do
		ask 'call 0 1 0'
	done
	ask 'call 0 2 0'
	ended 0
	has "$victim: an event" ' named:called [a-z0-9]+=2 <- beta[+]0x[0-9a-f]+ [(]named[.]c:[0-9]+[)]$' "$tmp/result"

	looking events -pid "$pid" called -callers -max 1 -format json
	until grep -q only_counted "$tmp/result"; do
		ask 'call 0 0 1'
	done
	ended 0
	declared events "$tmp/result"
	same "$victim: an event in JSON" "$(python3 -c 'import json, sys
c = json.loads(open(sys.argv[1]).readline())["caller"]
print(sorted(c), c["symbol"].split("+")[0], "named.c:" in c["line"])' "$tmp/result")" "['address', 'line', 'symbol'] gamma_ True"
	stop
done
[ "${tested-}" ] || skip 'in no layout could the site be counted'

# --- unknown, and why
start named_bare
looking callers -pid "$pid" -format csv called -max 10
until grep -q . "$tmp/result"; do
	kill -0 "$session" 2>/dev/null || break
	ask 'call 4 3 3'
done
if grep -q 'counting 1 of 1' "$tmp/held"; then
	ended 0
	has 'why' "pid $pid: the callers at 1 site are unknown: there is no unwind information" "$tmp/held"
	same 'a row of its own' "$(cat "$tmp/result")" "pid,hits,share,address,symbol,line,object,pc
$pid,10,100,,,,,"
else
	interrupted INT 130
fi
stop

# --- OCaml's sites are entered by a call
start loop_ocaml2_pie
looking callers -pid "$pid" -format json first second -max 10
until grep -q . "$tmp/result"; do
	kill -0 "$session" 2>/dev/null || break
	ask 'step 7'
done
ended 0
declared callers "$tmp/result"
same 'a site of OCaml' "$(of 'hits("loop_round")')" 10
stop

# --- a program that it starts
! to_its_end callers named 'call 30 20 10' called ||
	same 'a program, to its end' "$(of 't["events"], t["lost"], hits("alpha"), hits("beta"), hits("gamma_")')" '(60, 0, 30, 20, 10)'

# --- the wrong call
want 2 callers -no-syslog -pid $$
has 'no probe' 'no probe is named'
want 2 callers -no-syslog -pid $$ some -format chrome
want 2 count -no-syslog -pid $$ some -callers
finish
