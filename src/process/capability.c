/* See capability.h. */
#include "process/capability.h"

#include <stdio.h>

#define CAPABILITY_SAID 2 /* so many names, then a count */

static const char *const capability_names[] = {"CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER",
	"FSETID", "KILL", "SETGID", "SETUID", "SETPCAP", "LINUX_IMMUTABLE", "NET_BIND_SERVICE",
	"NET_BROADCAST", "NET_ADMIN", "NET_RAW", "IPC_LOCK", "IPC_OWNER", "SYS_MODULE", "SYS_RAWIO",
	"SYS_CHROOT", "SYS_PTRACE", "SYS_PACCT", "SYS_ADMIN", "SYS_BOOT", "SYS_NICE",
	"SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "MKNOD", "LEASE", "AUDIT_WRITE",
	"AUDIT_CONTROL", "SETFCAP", "MAC_OVERRIDE", "MAC_ADMIN", "SYSLOG", "WAKE_ALARM",
	"BLOCK_SUSPEND", "AUDIT_READ", "PERFMON", "BPF", "CHECKPOINT_RESTORE"};

/* Capabilities of newer kernels are printed as numbers. */
static size_t capability_name(unsigned capability, const char *before, char *out, size_t size)
{
	if (capability < sizeof capability_names / sizeof *capability_names)
		return (size_t)snprintf(
			out, size, "%sCAP_%s", before, capability_names[capability]);
	return (size_t)snprintf(out, size, "%scapability %u", before, capability);
}

const char *capability_say(uint64_t set, char *out, size_t size)
{
	unsigned said = 0, more = 0;
	size_t used = 0;

	*out = '\0';
	for (unsigned i = 0; i < 64; i++) {
		if (!capability_in(set, i))
			continue;
		if (said == CAPABILITY_SAID)
			more++;
		else if (used < size)
			used += capability_name(i, said++ ? ", " : "", out + used, size - used);
	}
	if (more && used < size)
		snprintf(out + used, size - used, " and %u more", more);
	return out;
}
