/* Names of capabilities. Pure. Source: capabilities(7), linux/capability.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The capabilities that matter here. */
enum {
	CAPABILITY_DAC_OVERRIDE = 1,
	CAPABILITY_SETGID = 6,
	CAPABILITY_SETUID = 7,
	CAPABILITY_IPC_LOCK = 14,
	CAPABILITY_SYS_PTRACE = 19,
	CAPABILITY_SYS_ADMIN = 21,
};

static inline bool capability_in(uint64_t set, unsigned capability)
{
	return set >> capability & 1;
}

/* "CAP_NET_RAW", "CAP_CHOWN, CAP_FOWNER and 3 more". Returns out. */
const char *capability_say(uint64_t set, char *out, size_t size);
