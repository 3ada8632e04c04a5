#!/bin/sh
# count -kernel: uprobes count every hit where no jump can be written: with 1 and 4 threads, with threads
# created later, and beside jumps. A child by fork and another process of the same file are not touched. Nothing is left
# in the process or on record, also after kill -9. Where the kernel or we refuse, a sentence says so.
# Does not cover: kernels without uprobes or BPF (only a hidden /sys); overlayfs.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
. "${srcdir:-.}/tests/e2e/counting.sh"

capable 21 || { capable 38 && capable 39; } || skip 'uprobes need CAP_PERFMON and CAP_BPF'
[ -r /sys/bus/event_source/devices/uprobe/type ] || skip 'the kernel has no uprobe events'

# byte SITE: that of the address, in memory now
byte()
{
	peek "$1" 1
}

# cornered: no descriptor is free in the victim, so that no counter can be mapped in it.
cornered()
{
	free=0
	while [ -L "/proc/$pid/fd/$free" ]; do
		free=$((free + 1))
	done
	prlimit --pid "$pid" --nofile="$free:"
}

# --- beside jumps: all sites, whatever lies behind them
start counts
code >"$tmp/file"
ask zero
counting -pid "$pid" -format json -kernel
has 'all sites' 'counting 9 of 9 sites of 5 probes' "$tmp/held"
ask 'run 4 20000'
interrupted INT 130
agrees 'beside jumps'
bytes >"$tmp/after"
same 'the code after' "$(cat "$tmp/after")" "$(cat "$tmp/file")"
same 'nothing on record' "$(ls "$PROBES_TUI_RECORDS")" ''
stop

# --- alone: no counter can be mapped in the process
start counts
cornered
want 6 count -no-syslog -pid "$pid" -all -for 50ms
has 'without -kernel' 'cannot ' "$tmp/err"
for threads in 1 4; do
	ask zero
	counting -pid "$pid" -format json -kernel
	has 'who counts' '; 9 by uprobe \(an int3 in this process only\)$' "$tmp/held"
	has 'why not by jumps' 'cannot .*: ' "$tmp/held"
	same 'every site holds int3' "$(bytes | grep -vc 'semaphore\| cc')" 0
	ask "run $threads 20000"
	interrupted INT 130
	agrees "uprobes, $threads threads"
	same 'guarded sites were reached' "$(value guarded hits)" $((threads * 40000))
	same 'the tactic' "$(json '{s["tactic"] for p in total.values() for s in p["sites"]}')" "{'uprobe'}"
	bytes >"$tmp/after"
	same "the code after $threads threads" "$(cat "$tmp/after")" "$(cat "$tmp/file")"
	same 'nothing is mapped' "$(grep -c /memfd:probes-tui "/proc/$pid/maps")" 0
	same 'nothing on record' "$(ls "$PROBES_TUI_RECORDS")" ''
done

# --- the same file elsewhere: neither another process nor a forked child is counted or harmed
start2 counts
counting -pid "$pid" -format json -kernel plain many
pc=$(notes "$VICTIMS/counts" | awk '$2 == "plain" { print $3 }')
site=$(($(bias "$VICTIMS/counts") + pc))
same 'the site' "$(byte "$site")" cc
mine=$pid
pid=$pid2
same 'the same site of another process' "$(byte $(($(bias "$VICTIMS/counts") + pc)))" 90
pid=$mine
ask2 'run 1 1000'
ask zero
ask 'run 1 10'
prlimit --pid "$pid" --nofile=64:
fork_in=$tmp/fork-in fork_out=$tmp/fork-out
mkfifo "$fork_in" "$fork_out"
ask "fork $fork_in${tab}$fork_out"
child=$(sed -n 's/^done forked //p' "$tmp/answer")
started="$started $child"
exec 8>"$fork_in" 9<"$fork_out"
read -r _ <&9
echo 'run 4 1000' >&8
read_answer 9
pid=$child
same 'the child lives on, and its byte is the file'"'"'s' "$(byte "$site")" 90
pid=$mine
ask 'run 1 10'
interrupted INT 130
same 'the hits of this process alone' "$(json 'total["plain"]["hits"]')" 20
same 'the site after' "$(byte "$site")" 90
exec 8>&- 9<&-
stop2
cornered

# --- another session sees a breakpoint, and leaves it alone
counting -pid "$pid" -format json -kernel plain
run list -pid "$pid"
has 'as others see it' '^\[X\] *counts:plain' "$tmp/out"
run count -no-syslog -pid "$pid" -kernel plain -for 50ms
[ "$status" != 0 ] || fail 'two sessions counted by one int3'
has 'why another cannot' 'another tool holds it' "$tmp/err"

# --- killed: the kernel takes the breakpoint back; nothing needs a repair
kill -9 "$session"
wait "$session" 2>/dev/null
gone "$session"
same 'the site after kill -9' "$(byte "$site")" 90
same 'no journal' "$(ls "$PROBES_TUI_RECORDS")" ''
ask zero
ask 'run 4 1000'

# --- a hit costs 1000 ns by uprobe, and -max-overhead uncounts a probe that costs more than it allows
: >"$tmp/held"
"$PROBES_TUI" count -no-syslog -pid "$pid" -kernel -max-overhead 5 loop >"$tmp/result" 2>"$tmp/held" </dev/null &
session=$!
started="$started $session"
session_says '; 1 by uprobe '
echo 'run 1 200000' >&3
ended 0
has 'its price' 'counts:loop is no longer counted: .* at 1000 ns each' "$tmp/held"
read_answer 4
same 'it goes on' "$(tail -n 1 "$tmp/answer")" 'done 1'

# --- refusals
refuses 6 'read-only' count -no-syslog -pid "$pid" -kernel -read-only plain
setpriv --bounding-set=-sys_admin,-perfmon,-bpf --inh-caps=-sys_admin,-perfmon,-bpf \
	"$PROBES_TUI" count -no-syslog -pid "$pid" -kernel plain -for 50ms >"$tmp/out" 2>"$tmp/err"
has 'without privilege' '1 site: a uprobe needs root, or CAP_PERFMON and CAP_BPF$' "$tmp/err"
unshare -m sh -c 'mount -t tmpfs none /sys/bus/event_source/devices && exec "$@"' - \
	"$PROBES_TUI" count -no-syslog -pid "$pid" -kernel plain -for 50ms >"$tmp/out" 2>"$tmp/err"
has 'no uprobe events' '1 site: the kernel has no uprobe events .*, or /sys/bus/event_source/devices/uprobe/type cannot be read here$' "$tmp/err"
same 'the site after refusals' "$(byte "$site")" 90
stop

# --- the file was replaced by another one: the uprobe goes to the file that is mapped
cp "$VICTIMS/counts" "$tmp/counts"
victims=$VICTIMS
VICTIMS=$tmp
start counts
cornered
rm "$tmp/counts"
cp "$victims/sdt_plain" "$tmp/counts"
ask zero
counting -pid "$pid" -format json -kernel
ask 'run 1 1000'
interrupted INT 130
agrees 'a file that was replaced'
VICTIMS=$victims
stop

# --- sites that are too near for jumps; a seccomp filter, behind which no system call is run
start obstacle
ask seccomp
counting -pid "$pid" -format json -kernel
has 'all sites' 'counting 5 of 5 sites of 4 probes in process' "$tmp/held"
ask 'step 7'
interrupted INT 130
same 'two sites 3 bytes apart' "$(json '[s["hits"] for s in total["near"]["sites"]]')" '[7, 7]'
same 'all else' "$(json '[total[n]["hits"] for n in ("any", "evicted", "punned")]')" '[7, 7, 7]'
stop
finish
