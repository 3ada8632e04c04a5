#include "process/capability.h"

#include <stdio.h>

#define CAPABILITY_NAMED 2 /* this many names, then a count */

static const char *const capability_names[] = {"CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER",
	"FSETID", "KILL", "SETGID", "SETUID", "SETPCAP", "LINUX_IMMUTABLE", "NET_BIND_SERVICE",
	"NET_BROADCAST", "NET_ADMIN", "NET_RAW", "IPC_LOCK", "IPC_OWNER", "SYS_MODULE", "SYS_RAWIO",
	"SYS_CHROOT", "SYS_PTRACE", "SYS_PACCT", "SYS_ADMIN", "SYS_BOOT", "SYS_NICE",
	"SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "MKNOD", "LEASE", "AUDIT_WRITE",
	"AUDIT_CONTROL", "SETFCAP", "MAC_OVERRIDE", "MAC_ADMIN", "SYSLOG", "WAKE_ALARM",
	"BLOCK_SUSPEND", "AUDIT_READ", "PERFMON", "BPF", "CHECKPOINT_RESTORE"};

const char *capability_say(uint64_t set, char *out, size_t size)
{
	const unsigned known = sizeof capability_names / sizeof *capability_names;
	unsigned named = 0, more = 0;
	size_t used = 0;

	*out = '\0';
	for (unsigned i = 0; i < 64; i++) {
		const char *comma = named ? ", " : "";

		if (!capability_in(set, i))
			continue;
		if (named == CAPABILITY_NAMED)
			more++;
		else if (used < size && i < known)
			used += (size_t)snprintf(
				out + used, size - used, "%sCAP_%s", comma, capability_names[i]);
		else if (used < size) /* of a newer kernel */
			used += (size_t)snprintf(
				out + used, size - used, "%scapability %u", comma, i);
		if (named < CAPABILITY_NAMED)
			named++;
	}
	if (more && used < size)
		snprintf(out + used, size - used, " and %u more", more);
	return out;
}
