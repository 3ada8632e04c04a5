/* Copies of the recorder's code behind two trampolines, for tests: one process is both sides. */
#ifndef UNIT_RECORDER_WORLD_H
#define UNIT_RECORDER_WORLD_H

#include "count/recorder.h"

typedef void recorder_trampoline(void);

struct recorder_world {
	uint8_t *code; /* what an arena begins with, and two trampolines */
	struct recorder_own *own;
	struct recorder_state *state;
	struct recorder_role *roles[2];
	recorder_trampoline *start, *end;
};
extern struct recorder_world recorder_world;

/* Make it anew: roles of a start and an end that are otherwise `by`. */
void recorder_world_open(struct recorder_role by);

/* Name an older arena in the code, and what is mapped of the object. */
void recorder_world_know(struct recorder_place older);
void recorder_world_map(struct arch_range mapped);

/*
 * Prove of the calling thread, as a session would, that its tid is this, and that it may make
 * system calls until then (ticks).
 */
void recorder_world_prove(uint32_t tid, uint64_t calls);

/* Call a trampoline with this value in %rbx; it is at its site as if it had been called. */
void recorder_world_hit(recorder_trampoline *code, uint64_t rbx);

/* Call a trampoline by a thread whose thread pointer is this. */
void recorder_world_hit_by(recorder_trampoline *code, uint64_t pointer);

#endif
