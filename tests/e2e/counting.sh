# What the scripts that count have in common; source it behind lib.sh: a session of count in the background, and
# what the victim `counts` and its code say, read without our program.
command -v python3 >/dev/null || skip 'no python3'

# counting ARG...: count in the background, INT and QUIT as they are in the foreground; $session.
counting()
{
	in_background count -max-overhead 0 "$@"
	session_says 'counting [0-9]* of'
}

# appears PATTERN FILE: a line of it, while the session lives, and in time; `meanwhile` is done again
# and again.
appears()
{
	awaits "'$1' in ${2##*/}"
	until grep -Eq -e "$1" "$2"; do
		if ! kill -0 "$session" 2>/dev/null || overdue; then
			has 'what was waited for' "$1" "$2"
			kill "$session" 2>/dev/null # nobody waits for ever
			return
		fi
		${meanwhile:-sleep 0.01}
	done
}

# json EXPRESSION [FILE]: of python, about `total`, the probes by name of the last total, and `lines`.
json()
{
	python3 - "${2:-$tmp/result}" "$1" <<'END'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
total = {}
for line in lines:
    if line["table"] == "total":
        for p in line["probes"]:
            total[p["name"]] = p
print(eval(sys.argv[2]))
END
}

# agrees WHAT [ANSWER...]: hits by count are those of the victim (or victims), for all of its probes. It
# hits all sites of a name equally often; which of them can be counted depends on addresses.
agrees()
{
	agrees_what=$1
	shift
	json "'\n'.join('%s %d %d %d' % (n, total[n]['hits'] or 0, total[n]['sites_counted'], total[n]['site_count'])
		for n in ('plain', 'many', 'loop', 'never', 'guarded'))" >"$tmp/figures"
	same "$agrees_what: the probes" "$(wc -l <"$tmp/figures" | tr -d ' ')" 5
	while read -r probe got part all; do
		hits=0
		for answer in "${@:-$tmp/answer}"; do
			hits=$((hits + $(value "$probe" hits "$answer")))
		done
		same "$agrees_what: $probe, $part of $all sites" "$got" $((hits * part / all))
	done <"$tmp/figures"
}

# bytes: the code at all sites, and the semaphore, in memory now
bytes()
{
	base=$(bias "$VICTIMS/counts")
	notes "$VICTIMS/counts" | while read -r _ name pc semaphore; do
		echo "$name $(peek $((base + pc)) 8)"
		[ $((semaphore)) = 0 ] || echo "$name semaphore $(peek $((base + semaphore)) 2)"
	done
}

# code: the same sites in the file, read by objdump
code()
{
	notes "$VICTIMS/counts" | while read -r _ name pc semaphore; do
		echo "$name $(objdump -s -j .text --start-address="$pc" --stop-address=$((pc + 8)) "$VICTIMS/counts" |
			awk '/^ [0-9a-f]+ / { sub(/  .*/, ""); for (i = 2; i <= NF; i++) printf "%s", $i }')"
		[ $((semaphore)) = 0 ] || echo "$name semaphore 0000"
	done
}

# need_uprobes: skip where -kernel cannot count.
need_uprobes()
{
	capable 21 || { capable 38 && capable 39; } || skip 'uprobes need CAP_PERFMON and CAP_BPF'
	[ -r /sys/bus/event_source/devices/uprobe/type ] || skip 'the kernel has no uprobe events'
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

# byte SITE: that of the address, in memory now
byte()
{
	peek "$1" 1
}

# site_of FILE NAME: the address of the first site of a probe of this file
site_of()
{
	echo $(($(bias "$1") + $(notes "$1" | awk -v name="$2" '$2 == name { print $3; exit }')))
}

# spoil PROCESS: the jump of pairs:start is gone there.
spoil()
{
	python3 -c 'import os, sys
os.pwrite(os.open("/proc/%s/mem" % sys.argv[1], os.O_RDWR), b"\x90", int(sys.argv[2]))' "$1" \
		"$(($(bias "$VICTIMS/pairs") + $(notes "$VICTIMS/pairs" | awk '$2 == "start" { print $3; exit }')))"
}
