/* The capabilities that matter here. Source: capabilities(7), linux/capability.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

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
