/*
 * Single instructions for C code that is copied into a process (count/recorder.c). Each is
 * inlined: the copy refers to nothing outside of itself.
 */
#ifndef ARCH_INLINE_H
#define ARCH_INLINE_H

#include <stdint.h>

#if defined(__clang__)
#define ARCH_COPIED_OPTIONS no_sanitize("coverage")
#else
#define ARCH_COPIED_OPTIONS optimize("O2", "no-jump-tables")
#endif

/* Compiled alike whatever the flags of the build: without vector registers, calls and data. */
#define ARCH_COPIED                                                                          \
	__attribute__((ARCH_COPIED_OPTIONS, target("general-regs-only"), no_stack_protector, \
		no_instrument_function, no_profile_instrument_function,                      \
		no_sanitize("address", "undefined", "thread", "leak")))
#define ARCH_INLINE static inline __attribute__((always_inline)) ARCH_COPIED

/* Ticks of the time stamp counter. */
ARCH_INLINE uint64_t arch_now(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

/* The thread pointer: one value a thread. */
ARCH_INLINE uint64_t arch_thread(void)
{
	uint64_t thread;

	__asm__ volatile("mov %%fs:0, %0" : "=r"(thread));
	return thread;
}

/* 4 bytes at an offset from the thread pointer. */
ARCH_INLINE uint32_t arch_of_thread(uint64_t offset)
{
	uint32_t value;

	__asm__ volatile("movl %%fs:(%1), %0" : "=r"(value) : "r"(offset));
	return value;
}

/* One instruction: a signal handler of the same thread comes before or after it. */
ARCH_INLINE void arch_add(uint64_t *to, uint64_t value)
{
	__asm__ volatile("addq %1, %0" : "+m"(*to) : "r"(value) : "cc");
}

/* The same among threads. */
ARCH_INLINE void arch_add_shared(uint64_t *to, uint64_t value)
{
	__asm__ volatile("lock addq %1, %0" : "+m"(*to) : "r"(value) : "cc", "memory");
}

#endif
