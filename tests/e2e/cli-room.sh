#!/bin/sh
# A target near the limit of its memory cgroup: the first write to a page charges 4 KiB there, and at
# the limit the kernel kills the target. A switch refuses instead, as does an undo that a fork has made
# expensive; page cache is no obstacle; a switch that fits is done; reading is free.
# Needs the right to create a memory cgroup, of version 1 or 2. Does not cover: memory.high and memsw
# (unit/test_headroom.c), trace in such a cgroup, what others allocate between look and write.
. "${srcdir:-.}/tests/e2e/lib.sh"
memory_limited
need_switching

# code: how many sites are on, of 1,500, and the last count, by another reader.
code()
{
	python3 - "$1" "$(bias "$file")" "$tmp/sites" <<'END'
import sys
bias = int(sys.argv[2])
with open(f"/proc/{sys.argv[1]}/mem", "rb", 0) as memory:
    def at(address, count):
        memory.seek(bias + address)
        return memory.read(count)
    places = [line.split() for line in open(sys.argv[3])]
    on = sum(at(int(pc, 16) + 1, 1) == b"\xe8" for pc, _ in places)
    print(on, sum(at(int(count, 16) + 2, 1)[0] for _, count in places))
END
}
command -v python3 >/dev/null || skip 'no python3'

file=$VICTIMS/pages
# So that its pages are charged to whoever runs this, not to the cgroup.
cat "$file" >/dev/null
start pages
echo "$pid" >"$group/inner/cgroup.procs" || skip 'the victim cannot be moved'
notes "$file" | awk '{ print $3, $4 }' >"$tmp/sites"
same 'probes' "$(wc -l <"$tmp/sites" | tr -d ' ')" 1500
silent attach -no-syslog -pid "$pid" -enable p000000
silent attach -no-syslog -pid "$pid" -disable p000000

# --- more than there is room for is refused, with both figures, and nothing is written
room 2
refuses 6 "copies 1[45][0-9]{2} pages \(5\.9 MiB, 256 KiB kept in reserve\); $group/$limit has [12]\.[0-9] MiB left; raise that limit" \
	attach -no-syslog -pid "$pid" -enable-all
refuses 6 'copies 1[45][0-9]{2} pages' attach -no-syslog -pid "$pid" -enable-all -stop
same 'killed' "$(kills)" 0
[ "$failures" -eq 0 ] || finish
ask report
same 'it lives' "$(value rounds=0 rounds) $(tail -n 1 "$tmp/answer")" ' done report'
same 'its memory' "$(code "$pid")" '0 0'

# --- a dry run says so, in words and in figures
want 6 attach -no-syslog -pid "$pid" -enable-all -dry-run
has 'cost' "^copies 1[45][0-9]{2} pages \(5\.9 MiB, 256 KiB kept in reserve\); $group/$limit has .* left: would be refused$" "$tmp/out"
want 6 attach -no-syslog -pid "$pid" -enable-all -dry-run -format json
has 'cost in JSON' '"copied_pages": 1[45][0-9]{2}, "cost_bytes": [56][0-9]{6}, "room_bytes": [12][0-9]{6},' "$tmp/out"

# --- what fits is done; what is its own already costs nothing
silent attach -no-syslog -pid "$pid" -enable-regexp 'p000[01]'
same 'its memory' "$(code "$pid")" '200 200'
want 0 attach -no-syslog -pid "$pid" -disable-regexp 'p000[01]' -dry-run
has 'cost' '^copies no page$' "$tmp/out"
room 0
silent attach -no-syslog -pid "$pid" -disable-regexp 'p000[01]'
same 'its memory' "$(code "$pid")" '0 0'
refuses 6 'copies 500 pages \(2\.0 MiB, 256 KiB kept in reserve\); .* has [0-9.]+ [KM]iB left' attach -no-syslog -pid "$pid" -enable-regexp 'p001[0-4]'

# --- page cache fills the limit, and is given up for what is needed
room 8
(
	echo 0 >"$group/inner/cgroup.procs"
	dd if=/dev/zero of="$tmp/cache" bs=1M count=32 2>/dev/null
	sync "$tmp/cache"
	cat "$tmp/cache" >/dev/null
)
if awk '/^(total_)?inactive_file / { inactive = $2 > inactive ? $2 : inactive } END { exit inactive < 7000000 }' \
	"$group/memory.stat"; then
	silent attach -no-syslog -pid "$pid" -enable-all
	same 'its memory' "$(code "$pid")" '1500 1500'
	silent attach -no-syslog -pid "$pid" -disable-all
else
	echo 'files in memory are no page cache: not tried'
	room 8
	silent attach -no-syslog -pid "$pid" -enable-all
	silent attach -no-syslog -pid "$pid" -disable-all
fi
same 'killed' "$(kills)" 0
same 'its memory' "$(code "$pid")" '0 0'

# --- a fork shares what was written: taking back copies it again, for parent and child
room 16
: >"$tmp/held"
"$PROBES_TUI" attach -no-syslog -pid "$pid" -enable-all -for 1h >"$tmp/held.out" 2>"$tmp/held" </dev/null &
session=$!
started="$started $session"
until grep -q ' switched for ' "$tmp/held"; do
	kill -0 "$session" 2>/dev/null || break
	sleep 0.01
done
same 'its memory' "$(code "$pid")" '1500 1500'
mkfifo "$tmp/in2" "$tmp/answers2"
echo "fork $tmp/in2$tab$tmp/answers2" >&3
exec 5>"$tmp/in2" 6<"$tmp/answers2"
read -r _ pid2 <&6
started="$started $pid2"
read_answer 4
until grep -q "^probes-tui: pid $pid2: forked child" "$tmp/held"; do
	kill -0 "$session" 2>/dev/null || break
	sleep 0.01
done
rm -f "$tmp/cache"
room 2

# --- even reading would copy them, by process_vm_readv
before=$(cat "$group/$usage")
want 0 list -pid "$pid" -pid "$pid2" -quiet
same 'lines of list' "$(grep -c '^\[\*\]' "$tmp/out")" 3000
used=$(($(cat "$group/$usage") - before))
checks=$((checks + 1))
[ "$used" -lt $mib ] || fail "a look took $used bytes of its memory"
same 'killed' "$(kills)" 0
[ "$failures" -eq 0 ] || finish

kill -TERM "$session"
wait "$session"
same 'exit status of the session' $? 6
gone "$session"
has 'why' "refused to write in process $pid: that copies 1[45][0-9]{2} pages .* take back what is still switched" "$tmp/held"
has 'what stays' "^probes-tui: pid $pid: some of what was switched remains" "$tmp/held"
same 'killed' "$(kills)" 0
same 'memory of the parent' "$(code "$pid")" '1500 1500'
same 'memory of the child' "$(code "$pid2")" '1500 1500'
room 8
want 0 repair -no-syslog -pid "$pid" -pid "$pid2"
same 'memory of the parent' "$(code "$pid")" '0 0'
same 'memory of the child' "$(code "$pid2")" '0 0'
same 'killed' "$(kills)" 0
ask2 'step 1'
same 'the child lives' "$(tail -n 1 "$tmp/answer")" 'done 1'
echo quit >&5
exec 5>&- 6<&-
stop

# --- counters: nothing is mapped where the page tables for them would not fit
has_zydis || finish # without it fewer sites are counted, and that would fit
room 8
start obstacle
echo "$pid" >"$group/inner/cgroup.procs"
echo $(($(cat "$group/$usage") + 65536)) >"$group/$limit"
"$VICTIMS/../e2e/tally" "$pid" >"$tmp/out" 2>"$tmp/err" </dev/null
same 'counting where there is no room' $? 6
has 'why' "refused to map counters in process $pid: that needs [0-9]+ pages to map the counters \([0-9]+ KiB, 256 KiB kept in reserve\); $group/$limit has .* left; raise that limit, or count fewer probes"
same 'mapped' "$(grep -c memfd:probes-tui "/proc/$pid/maps")" 0
same 'killed' "$(kills)" 0
room 8
"$VICTIMS/../e2e/tally" "$pid" >"$tmp/out" 2>"$tmp/err" </dev/null
same 'counting where there is room' $? 0
stop
finish
