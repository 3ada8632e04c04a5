/*
 * Single instructions for C code that is copied into a process (count/recorder.c). Each is
 * inlined: the copy refers to nothing outside of itself.
 */
#pragma once

#include "arch/arch.h"

#define ARCH_PROCESS_VM_READV 310 /* asm/unistd_64.h */

/*
 * Compiled alike whatever the flags of the build: without vector registers, calls and data, and
 * with a small frame. clang has options for the rest: COPIED_CFLAGS in configure.ac.
 */
#if !defined(__clang__)
#define ARCH_COPIED_OPTIONS                                                    \
	optimize("O2", "no-jump-tables", "no-trapv"), no_split_stack, noclone, \
		function_return("keep"), indirect_branch("keep")
#elif __has_attribute(disable_sanitizer_instrumentation)
#define ARCH_COPIED_OPTIONS no_sanitize("coverage"), disable_sanitizer_instrumentation
#else
#define ARCH_COPIED_OPTIONS no_sanitize("coverage")
#endif
#define ARCH_COPIED                                                                          \
	__attribute__((ARCH_COPIED_OPTIONS, target("general-regs-only"), no_stack_protector, \
		no_instrument_function, no_profile_instrument_function, no_sanitize("all")))
#define ARCH_INLINE static inline __attribute__((always_inline)) ARCH_COPIED

/* Ticks of the time stamp counter. */
ARCH_INLINE uint64_t arch_now(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

/*
 * The thread pointer, read from its register: %fs:0 would crash a thread that has none (0). Only
 * where arch_has_thread_pointer.
 */
ARCH_INLINE uint64_t arch_thread(void)
{
	uint64_t thread;

	__asm__ volatile("rdfsbase %0" : "=r"(thread));
	return thread;
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

/* The lowest 8 bytes of a vector register, which stays as it is. */
ARCH_INLINE uint64_t arch_vector(unsigned number)
{
	uint64_t value = 0;

#define ARCH_VECTOR(n)     \
	if (number == (n)) \
	__asm__ volatile("movq %%xmm" #n ", %0" : "=r"(value))
	ARCH_VECTOR(0);
	ARCH_VECTOR(1);
	ARCH_VECTOR(2);
	ARCH_VECTOR(3);
	ARCH_VECTOR(4);
	ARCH_VECTOR(5);
	ARCH_VECTOR(6);
	ARCH_VECTOR(7);
	ARCH_VECTOR(8);
	ARCH_VECTOR(9);
	ARCH_VECTOR(10);
	ARCH_VECTOR(11);
	ARCH_VECTOR(12);
	ARCH_VECTOR(13);
	ARCH_VECTOR(14);
	ARCH_VECTOR(15);
#undef ARCH_VECTOR
	return value;
}

/* process_vm_readv(2) from at most two ranges of the process of a thread; a negative errno. */
ARCH_INLINE int64_t arch_read_process(
	uint32_t tid, const struct arch_range *to, const struct arch_range *from, uint64_t count)
{
	register const struct arch_range *ranges __asm__("r10") = from;
	register uint64_t many __asm__("r8") = count;
	register uint64_t flags __asm__("r9") = 0;
	int64_t result = ARCH_PROCESS_VM_READV;

	__asm__ volatile(
		"syscall"
		: "+a"(result)
		: "D"((uint64_t)tid), "S"(to), "d"(UINT64_C(1)), "r"(ranges), "r"(many), "r"(flags)
		: "rcx", "r11", "memory", "cc");
	return result;
}
