#!/bin/sh
# Where counting must refuse because of what surrounds the process, or us: frozen, read-only, a file, another
# machine's program, other namespaces, a /proc that hides it; and after a session that was killed while its
# first arena was being mapped. See guard-count.sh for what the process itself may be.
# Does not cover: a process in namespaces of its own (hiding.sh switches there), full memory cgroups (cli-room.sh), programs that are started (cli-count-start.sh).
. "${srcdir:-.}/tests/e2e/obstacle.sh"
need_switching
need_zydis

# --- read-only, files, other machines
begin
refuses 6 'this session is read-only' count -no-syslog -read-only -pid "$pid"
same 'nothing is mapped' "$(mappings)" 0
unharmed 'read-only'
stop
if echo 'int pause(void); int main(void) { return pause(); }' | cc -m32 -x c -o "$tmp/m32" - 2>/dev/null; then
	"$tmp/m32" &
	m32=$!
	started="$started $m32"
	until [ "$(readlink "/proc/$m32/exe")" = "$tmp/m32" ]; do sleep 0.01; done
	refuses 3 'it is an ELF file for another machine: 32-bit i386' count -no-syslog -pid "$m32"
	kill "$m32"
else
	echo 'no 32-bit program: cc -m32 does not work here'
fi

# --- another process would be meant, or cannot be seen
begin
if unshare -pf true 2>/dev/null; then
	unshare -pf "$PROBES_TUI" count -no-syslog -pid "$pid" >"$tmp/out" 2>"$tmp/err" </dev/null
	same 'in another pid namespace' $? 6
	has 'why' '/proc shows another pid namespace.*mount -t proc'
else
	echo 'no pid namespace is permitted here'
fi
if unshare -U true 2>/dev/null; then
	unshare -U "$PROBES_TUI" count -no-syslog -pid "$pid" >"$tmp/out" 2>"$tmp/err" </dev/null
	same 'in another user namespace' $? 4
	has 'why' '^probes-tui: cannot .*user namespace.*; '
else
	echo 'no user namespace is permitted here'
fi
if unshare -m mount -t proc -o hidepid=2 proc /proc 2>/dev/null && command -v setpriv >/dev/null; then
	lend "$PROBES_TUI"
	unshare -m sh -c 'mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid 65534 --regid 65534 \
		--clear-groups --inh-caps=-all "$@"' sh "$lent" count -no-syslog -pid "$pid" >"$tmp/out" 2>"$tmp/err" </dev/null
	same 'hidden by /proc' $? 3
	has 'why' '^probes-tui: .*hidepid'
else
	echo 'hidepid cannot be mounted here'
fi
read_only='mount --bind /proc /proc && mount -o remount,bind,ro /proc && exec "$@"'
if unshare -m sh -c "$read_only" sh true 2>/dev/null; then
	unshare -m sh -c "$read_only" sh "$PROBES_TUI" count -no-syslog -pid "$pid" >"$tmp/out" 2>"$tmp/err" </dev/null
	same 'where /proc is read-only' $? 4
	has 'why' '^probes-tui: .*: /proc is mounted read-only here'
else
	echo 'no /proc can be mounted read-only here'
fi
unharmed 'seen from elsewhere'
stop

# --- killed while the first arena is being mapped, at each of the calls that do it: what is there by then is
# no arena, harms nobody, and the next session counts
if command -v strace >/dev/null && strace -f -qq -o /dev/null true 2>/dev/null; then
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
	export ASAN_OPTIONS
	begin
	strace -f -qq -e trace=ptrace -o "$tmp/calls" "$VICTIMS/../e2e/tally" "$pid" >"$tmp/out" 2>"$tmp/err" </dev/null
	same 'traced' $? 0
	most=$(awk '{ n[$1]++ } END { for (one in n) if (n[one] > most) most = n[one]; print most }' "$tmp/calls")
	stop
	for n in $(seq 1 $((most / 15 + 1)) "$most"); do
		begin
		strace -f -qq -o /dev/null -e inject=ptrace:signal=KILL:when="$n" \
			"$VICTIMS/../e2e/tally" "$pid" >/dev/null 2>&1 </dev/null
		tally stop
		counts "after a death at call $n" 'punned=1/1 0 ' 'evicted=1/1 0 '
		unharmed "after a death at call $n"
		stop
	done
else
	echo 'not killed: strace may not trace here'
fi

# --- frozen
if ! freezable; then
	echo 'not frozen: not root, or no freezer of cgroup v1'
	finish
fi
begin
freeze
no 'frozen' 6 'cannot run a system call in process [0-9]+: its cgroup has frozen it \(freezer\); thaw it, then try again'
same 'nothing is mapped' "$(mappings)" 0
thaw
unharmed 'frozen'

# It is frozen while it is counted: a jump of one byte goes nevertheless, the others when it is thawed.
mkfifo "$tmp/go"
"$VICTIMS/../e2e/tally" "$pid" stop wait >"$tmp/out" 2>"$tmp/err" <"$tmp/go" &
counting=$!
exec 7>"$tmp/go"
until grep -q counting "$tmp/out"; do sleep 0.01; kill -0 $counting || break; done
freeze
exec 7>&-
wait $counting
same 'it cannot be taken back while it is frozen' $? 6
has 'why' 'cannot stop process .*its cgroup has frozen it'
checks=$((checks + 1))
[ "$(code)" != "$before" ] || fail 'it was taken back'
thaw
ask step
until run repair -no-syslog -pid "$pid" && [ "$status" = 0 ]; do sleep 0.01; done
unharmed 'thawed and repaired' 3
stop
finish
