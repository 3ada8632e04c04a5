#!/bin/sh
# Counting on the screen: H, its columns, the question before a stop, the detail, undo, quit, -count, the filter,
# read-only, the preview, the record. The victim's own numbers and its memory are the proof.
# `floats` and `places` need a stop wherever the kernel has put the program, `many_sites` may lose some of its sites there.
# Does not cover: which sites can be counted and why not (unit tests of the planner), several processes.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
need_zydis
start sdt_plain
file=$VICTIMS/sdt_plain
base=$(bias "$file")

# bytes: those of all sites, as they are now
bytes()
{
	notes "$file" | while read -r _ _ pc _; do
		peek $((base + pc)) 6
		echo
	done
}
bytes >"$tmp/before"

# site NAME: the first byte of its first site
site()
{
	peek $((base + $(notes "$file" | awk -v name="$1" '$2 == name { print $3; exit }'))) 1
}

terminal 120 30
screen -log "'$tmp/log'"
wait_for 'none can be switched: H counts their hits'
seen 'the first offer' '^Space Tag H Hits '
unseen 'no column without a figure' 'HITS/s|TREND|TOTAL'

# ------------------------------------------------------------- one probe
text /plain
keys Enter
wait_cursor 'no switch' 'victim:plain +1 '
keys e
wait_for 'none has a semaphore or an OCaml site; H counts their hits'
text ':stop'
keys Enter
wait_for 'counting may stop the process'
keys z
wait_for '^What e, d and H would write'
wait_for '  90.* -> e9.* site 1 of plain'
same 'nothing is written' "$(site plain)" 90
keys q H
wait_for 'count plain: 1 site, target .*stopped.*\. u=undo'
wait_cursor counted 'victim:plain +1/1 +'
wait_for ' 1 counted +[-0-9]'
same 'a jump' "$(site plain)" e9
seen 'columns' 'SITES +HITS/s +TREND +TOTAL'
ask 'step 7'
wait_cursor counted 'victim:plain +1/1 +[-0-9.]+ .* 7 '
ask 'step 1000'
same 'passes' "$(value plain passes)" 1007
wait_cursor counted 'victim:plain +1/1 +[-0-9.k]+ .* 1007 '

# ------------------------------------------------------------- its detail and its code
keys i
wait_for '^  state +counted$'
seen 'hits' '^  hits +1007'
seen 'the site' '^  0x[0-9a-f]+ +0x[0-9a-f]+ +counted e9 '
seen 'how' '^      1007 hits  \(punned|evicted\)'
keys x
wait_for '^   counted \((punned|evicted)\): the jump at > is that of probes-tui'
keys q q

# ------------------------------------------------------------- back
keys H
wait_for 'uncount plain: 1 site, '
wait_cursor 'no switch' 'victim:plain +1 '
same 'the nop' "$(site plain)" 90
wait_gone 'HITS/s'
keys u
wait_for 'undone: uncount plain'
wait_cursor counted 'victim:plain +1/1 '
keys u
wait_for 'undone: count plain'
wait_cursor 'no switch' 'victim:plain +1 '
keys C-r
wait_for 'redone: count plain'
wait_cursor counted 'victim:plain +1/1 '
keys y
wait_for "^probes-tui count -pid $pid victim:plain( -stop)? -for 10s\$"
keys q u
wait_for 'undone: count plain'
bytes >"$tmp/after"
same 'the bytes of the file' "$(cmp "$tmp/before" "$tmp/after" 2>&1)" ''
has 'the log' ' screen pid=[0-9]+ .* \+#victim:plain$' "$tmp/log"
has 'the log' ' screen pid=[0-9]+ .* -#victim:plain$' "$tmp/log"

keys q
wait_for '^status=0$'

# ------------------------------------------------------------- all of them, and the question
screen
keys '*' H
wait_for 'only if all threads stop'
seen 'what it costs' 'epoll_wait and its like return EINTR'
keys x # it came by itself: other keys are not meant for it
keys n
wait_sentence 'count 7 probes: .* of 12 sites, .* u=undo i=why Not stopped; you will not be asked again'
wait_state 'no switch' 'victim:floats +1 '
wait_state 'no switch' 'victim:places +1 '
wait_state counted 'victim:widths +1/1 '
wait_state counted 'victim:query__start +1/1 '
keys u
wait_for 'undone: count 7 probes'
wait_state 'no switch' 'victim:plain +1 '
text ':stop'
keys Enter
wait_for 'counting may stop the process'
keys H
# Whether all of them can be counted is the compiler's choice.
stopped='count 7 probes: (12 sites, target stopped [0-9.]+ ms\. u=undo|[0-9]+ of 12 sites, target stopped [0-9.]+ ms\. u=undo i=why)$'
wait_for "$stopped"
wait_for '^ 7 probes   7 counted '
ask 'step 20'
wait_state counted 'victim:floats +1/1 +[-0-9.]+ .* 20 '
text '\hits>19'
wait_for '^7 of 7 match'
keys C-u
text 'counted hits<21'
wait_for '^6 of 7 match' # many_sites: several a round
keys C-u Enter

# ------------------------------------------------------------- the script, and quitting
keys S C-u
text "$tmp/script"
keys Enter
wait_until 0 sh -c "test -s '$tmp/script'; echo \$?"
has 'the script' '^probes-tui count -pid "\$pid" (-all|victim:.*) -stop -for 10s$' "$tmp/script"
keys q
wait_for 'undid this session.s changes: [0-9]+ sites'
wait_for '^status=0$'
bytes >"$tmp/after"
same 'the bytes of the file' "$(cmp "$tmp/before" "$tmp/after" 2>&1)" ''

# ------------------------------------------------------------- one that needs a stop
screen
text '/floats'
keys Enter
wait_cursor 'no switch' 'victim:floats '
keys H
wait_for '1 site can be counted only if all threads stop'
keys y
wait_for 'count floats: 1 site, target stopped '
wait_cursor counted 'victim:floats '
keys u
wait_cursor 'no switch' 'victim:floats '
keys q
wait_for '^status=0$'

# ------------------------------------------------------------- -count
screen -count
wait_for 'only if all threads stop'
keys y
wait_for 'count 7 probes: .* target stopped'
seen 'sorted by hits' 'HITS/s▼'
seen 'the cursor at the top' '^> counted '
ask report
before=$(value floats passes)
for _ in $(seq 300); do # it is hit several times a round: while there are hits it rises, and the cursor stays at the top
	ask 'step 5'
	look
	! grep -q '^> counted *victim:many_sites ' "$tmp/screen" || break
	sleep 0.1
done
seen 'the one hit most' '^> counted +victim:many_sites '
wait_state counted "victim:floats +1/1 +[-0-9.k]+ .* $(($(value floats passes) - before)) "
keys q
wait_for '^status=0$'
bytes >"$tmp/after"
same 'the bytes of the file' "$(cmp "$tmp/before" "$tmp/after" 2>&1)" ''

# ------------------------------------------------------------- -stop: nothing is asked
screen -count -stop
wait_for "$stopped"
keys q
wait_for '^status=0$'

# ------------------------------------------------------------- too often
screen -count -max-overhead 0.01
wait_for 'only if all threads stop'
keys n
wait_sentence 'Not stopped; you will not be asked again'
wait_for '^ 7 probes   [1-7] counted '
ask 'step 1000000'
wait_for 'no longer counted: estimated to cost over 0.01 %'
wait_gone ' counted +[0-9.kM]+ hits/s'
keys q
wait_for '^status=0$'
bytes >"$tmp/after"
same 'the bytes of the file' "$(cmp "$tmp/before" "$tmp/after" 2>&1)" ''

# ------------------------------------------------------------- read-only
screen -count -read-only
wait_for 'read-only: nothing is switched'
wait_state 'no switch' 'victim:plain +1 '
keys H
wait_for 'read-only: nothing is switched'
keys q
wait_for '^status=0$'
stop

# asked: one of two sites of a probe is counted, and a question is open about the other one
asked()
{
	start sdt_sema
	screen
	text /single
	keys Enter
	wait_cursor off 'victim:single '
	keys H
	wait_for '1 more site can be counted only if all threads stop'
}

# ------------------------------------------------------------- beside a switch
# Counting enables: what looks at the semaphore first is reached.
asked
resize 40 10
wait_for '^y: yes   n: no, go on without it$'
resize 120 30
wait_for '1 more site can be counted only if all threads stop'
keys n
wait_sentence 'Not stopped; you will not be asked again'
wait_cursor 'on #' 'victim:single +1/2 '
text ':stop'
keys Enter
wait_for 'counting may stop the process'
keys H # now it counts what is left
wait_for 'count single: 1 site, target stopped '
wait_cursor 'on #' 'victim:single +2/2 '
ask 'step 6'
same 'its semaphore' "$(value single sema)" 1
wait_cursor 'on #' 'victim:single .* 12 '
keys H
wait_for 'uncount single: 2 sites'
wait_cursor off 'victim:single '
keys u
wait_cursor 'on #' 'victim:single +2/2 '
keys q
wait_for '^status=0$'
ask 'step 1'
same 'its semaphore' "$(value single sema)" 0
stop

# ------------------------------------------------------------- it has ended: no more hits a second
asked
keys y
wait_cursor 'on #' 'victim:single +2/2 +[0-9]+ +0 '
stop
wait_for 'process [0-9]+ has ended; r looks for it again'
wait_cursor gone 'victim:single +- +- +- .* 0 '
keys i
wait_for '^  hits +0$'
keys q
keys q
wait_for '^status=0$'

# ------------------------------------------------------------- it has ended: what is missing stays said
asked
keys n
wait_sentence 'Not stopped; you will not be asked again'
wait_cursor 'on #' 'victim:single +1/2 .* ~0 '
stop
wait_cursor gone 'victim:single .* +~0 '
keys i
wait_for '^  hits +~0; of a process that has ended, not all sites were counted$'
keys q
keys q
wait_for '^status=0$'

# ------------------------------------------------------------- a jump that another program removes
start sdt_plain
base=$(bias "$file")
screen
text /plain
keys Enter
wait_cursor 'no switch' 'victim:plain +1 '
keys H
wait_for 'count plain: 1 site, .* u=undo'
ask 'step 3'
wait_cursor counted 'victim:plain +1/1 +[-0-9.]+ .* 3 '
poke $((base + $(notes "$file" | awk '$2 == "plain" { print $3; exit }'))) 220
wait_sentence 'jumps of 1 probe \(victim:plain\) are gone: another program or session removed them; hits since then are missing; H counts again'
wait_cursor 'no switch' 'victim:plain +1 .* ~3 '
unseen 'no undo of what is gone' 'u=undo'
ask 'step 1000'
keys i
wait_sentence ' hits +~3; the jump of 1 site is gone: another program or session removed it; hits since then are missing; H counts again'
wait_for '^  hits +~3'
keys q
wait_cursor 'no switch' 'victim:plain +1 .* ~3 '
keys H
wait_cursor counted 'victim:plain +1/1 +[-0-9.]+ .* 0 '
ask 'step 1'
wait_cursor counted 'victim:plain +1/1 +[-0-9.]+ .* 1 '
unseen 'said once' 'are gone'
keys i
wait_for '^      1 hit  \('
keys q
keys q
wait_for '^status=0$'
stop
finish
