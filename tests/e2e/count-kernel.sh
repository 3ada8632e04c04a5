#!/bin/sh
# count -kernel: uprobes count every hit where no jump can be written: with 1 and 4 threads, with threads
# created later, and beside jumps. A forked child and another process of the same file are not touched. Nothing is left
# in the process or on record, also after kill -9. bpftrace counts at the same site. With few descriptors, all sites are
# counted or none. Where the kernel or we refuse, a sentence says so.
# Does not cover: kernels without uprobes or BPF (only a hidden /sys); overlayfs.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_switching
. "${srcdir:-.}/tests/e2e/counting.sh"

need_uprobes
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
has 'its price' 'counts:loop is no longer counted: .* at about 1000 ns each' "$tmp/held"
read_answer 4
same 'it goes on' "$(tail -n 1 "$tmp/answer")" 'done 1'

# It goes on for a probe that costs less.
: >"$tmp/held"
env --default-signal=INT "$PROBES_TUI" count -no-syslog -pid "$pid" -kernel -format json -max-overhead 5 loop never \
	>"$tmp/result" 2>"$tmp/held" </dev/null &
session=$!
started="$started $session"
session_says '; 2 by uprobe '
same 'both sites hold int3' "$(byte "$(site_of "$VICTIMS/counts" loop)") $(byte "$(site_of "$VICTIMS/counts" never)")" 'cc cc'
run_often()
{
	ask 'run 1 20000'
}
meanwhile=run_often
appears 'counts:loop is no longer counted: ' "$tmp/held"
meanwhile=
same 'the one is taken back, the other stays' \
	"$(byte "$(site_of "$VICTIMS/counts" loop)") $(byte "$(site_of "$VICTIMS/counts" never)")" '90 cc'
interrupted INT 130
same 'over the budget' "$(json '[total[n]["over_budget"] for n in ("loop", "never")]')" '[True, False]'
same 'the other is taken back' "$(byte "$(site_of "$VICTIMS/counts" never)")" 90

# --- few descriptors of ours: all nine sites, or a sentence and nothing
good=0
for n in $(seq 5 3 44); do
	(
		ulimit -n "$n" || exit 99
		exec "$PROBES_TUI" count -no-syslog -pid "$pid" -kernel -for 10ms
	) >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	! grep -q 'error while loading' "$tmp/err" || continue
	if [ "$status" = 0 ]; then
		has "counted with $n" 'counting 9 of 9 sites ' "$tmp/err"
		good=$((good + 1))
	else
		has "with $n" 'no (file )?descriptors? (left|is free)|Too many open files' "$tmp/err"
	fi
	bytes >"$tmp/after"
	same "the code with $n descriptors" "$(cat "$tmp/after")" "$(cat "$tmp/file")"
	same "nothing on record with $n" "$(ls "$PROBES_TUI_RECORDS")" ''
done
checks=$((checks + 1))
[ "$good" -gt 0 ] || fail 'no limit was enough'

# --- bpftrace at the same site: the byte does not change, both count, and it goes with the last of them
if command -v bpftrace >/dev/null; then
	. "${srcdir:-.}/tests/e2e/uprobes.sh"
	file=$VICTIMS/counts
	for last in theirs ours; do
		ask zero
		counting -pid "$pid" -format json -kernel plain
		if ! uprobes counts:plain; then
			echo "bpftrace does not work here: $(head -n 2 "$tmp/bperr")"
			gone "$tracer"
			interrupted INT 130
			break
		fi
		ask 'run 1 30'
		if [ $last = theirs ]; then
			interrupted INT 130
			same 'theirs stays' "$(byte "$site")" cc
			ask 'run 1 12'
			uprobes_end
			theirs=42 ours=30
		else
			uprobes_end
			same 'ours stays' "$(byte "$site")" cc
			ask 'run 1 12'
			interrupted INT 130
			theirs=30 ours=42
		fi
		has "what bpftrace counted, the last: $last" "counts:plain\]: $theirs\$" "$tmp/counted"
		same "what we counted, the last: $last" "$(json 'total["plain"]["hits"]')" $ours
		same "none is left, the last: $last" "$(byte "$site")" 90
	done
else
	echo 'not beside another tool: no bpftrace'
fi

# --- refusals
refuses 6 'read-only' count -no-syslog -pid "$pid" -kernel -read-only plain
setpriv --bounding-set=-sys_admin,-perfmon,-bpf --inh-caps=-sys_admin,-perfmon,-bpf \
	"$PROBES_TUI" count -no-syslog -pid "$pid" -kernel plain -for 50ms >"$tmp/out" 2>"$tmp/err"
has 'without privilege' '1 site: a uprobe needs root, or CAP_PERFMON and CAP_BPF$' "$tmp/err"
if unshare -m true 2>/dev/null; then
	unshare -m sh -c 'mount -t tmpfs none /sys/bus/event_source/devices && exec "$@"' - \
		"$PROBES_TUI" count -no-syslog -pid "$pid" -kernel plain -for 50ms >"$tmp/out" 2>"$tmp/err"
	has 'no uprobe events' '1 site: the kernel has no uprobe events .*, or /sys/bus/event_source/devices/uprobe/type cannot be read here$' "$tmp/err"
else
	echo 'not without uprobe events: no right to a mount namespace, or / is no mount point (a chroot)'
fi
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
has 'all sites' 'counting 6 of 6 sites of 5 probes in process' "$tmp/held"
ask 'step 7'
interrupted INT 130
same 'two sites 3 bytes apart' "$(json '[s["hits"] for s in total["near"]["sites"]]')" '[7, 7]'
same 'all else' "$(json '[total[n]["hits"] for n in ("any", "evicted", "punned")]')" '[7, 7, 7]'
stop
finish
