# bpftrace at the probes of the victim $pid, which runs $file; source it behind lib.sh or tmux.sh.
command -v bpftrace >/dev/null || skip 'no bpftrace'

# uprobes PROVIDER:NAME...: bpftrace counts them until stdin of it ends; waits until it is attached.
uprobes()
{
	program=
	for one; do program="$program usdt:$file:$one { @[\"$one\"] = count(); }"; done
	mkfifo "$tmp/uprobes" 2>/dev/null
	bpftrace -p "$pid" -e "BEGIN { printf(\"begun\\n\"); } $program" >"$tmp/uprobes" 2>"$tmp/bperr" &
	tracer=$!
	started="$started $tracer"
	exec 7<"$tmp/uprobes"
	while read -r line <&7; do
		[ "$line" != begun ] || return 0
	done
	return 1
}

uprobes_end()
{
	: >"$tmp/counted"
	# bpftrace can lose a signal (seen: it polls on, with none pending): it is told again.
	until
		kill -TERM "$tracer"
		timeout 5 cat <&7 >>"$tmp/counted"
	do
		:
	done
	exec 7<&-
	wait "$tracer" 2>/dev/null
	gone "$tracer"
}
