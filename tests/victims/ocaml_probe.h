/*
 * What the OCaml compiler emits on x86-64 for `[%probe "name" handler]`, as macros for C: the note,
 * the semaphore, the six-byte site and the wrapper that calls the handler. OCAML_GENERATION chooses
 * which compiler: 0 `ocaml`, 1 `ocaml.1`, 2 `ocaml_1`, 3 `ocaml_2`. It owns no state and counts
 * nothing. Units that hold a site must be compiled with -mno-red-zone: the call at a site that is
 * switched on pushes a return address, of which gcc knows nothing.
 *
 * The site, and how it is switched:
 *
 *      pc  pc+1
 *      90  3d d0 d1 d2 d3      off: nop; cmp $d, %eax
 *      90  e8 d0 d1 d2 d3      on:  nop; call pc+6+d, the wrapper
 *
 * The semaphore: one for each compilation unit (`ocaml`), or one for each object (all later):
 *
 *      ocaml       [ count ]               note's address = count, 2 bytes
 *      later       [ others' ][ count ]    note's address = the first 2 bytes, count at + 2
 */
#ifndef VICTIM_OCAML_PROBE_H
#define VICTIM_OCAML_PROBE_H

#include <stdint.h>

#ifndef OCAML_GENERATION
#error "define OCAML_GENERATION: 0 ocaml, 1 ocaml.1, 2 ocaml_1, 3 ocaml_2"
#elif OCAML_GENERATION == 0
#define OCAML_PROVIDER "ocaml"
#elif OCAML_GENERATION == 1
#define OCAML_PROVIDER "ocaml.1"
#elif OCAML_GENERATION == 2
#define OCAML_PROVIDER "ocaml_1"
#elif OCAML_GENERATION == 3
#define OCAML_PROVIDER "ocaml_2"
#else
#error "unknown OCAML_GENERATION"
#endif

/* A function with a site in it must exist exactly once, or its sites would be counted twice. */
#if defined(__has_attribute) && __has_attribute(noipa)
#define OCAML_ONCE __attribute__((noinline, noclone, noipa, used))
#else
#define OCAML_ONCE __attribute__((noinline, used))
#endif

/* Called from assembly only: hidden, so that a library calls its own and not the program's. */
#define OCAML_HANDLER __attribute__((noinline, used, visibility("hidden")))

/* The bytes 3d and e8: cmp and call with a 4-byte operand. */
#define OCAML_OFF "0x3d"
#define OCAML_ON "0xe8"

#define OCAML_BASE_ASM                                                              \
	".ifndef _.stapsdt.base\n"                                                  \
	".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n" \
	".weak _.stapsdt.base\n"                                                    \
	".hidden _.stapsdt.base\n"                                                  \
	"_.stapsdt.base: .space 1\n"                                                \
	".size _.stapsdt.base, 1\n"                                                 \
	".popsection\n"                                                             \
	".endif\n"

/* `pc` is a label or "0"; the label 1 is left to the site. */
#define OCAML_NOTE_ASM(name, pc, args)                                       \
	".pushsection .note.stapsdt, \"?\", \"note\"\n"                      \
	".balign 4\n"                                                        \
	".4byte 3f - 2f, 5f - 4f, 3\n"                                       \
	"2: .asciz \"stapsdt\"\n"                                            \
	"3: .balign 4\n"                                                     \
	"4: .8byte " pc ", _.stapsdt.base, caml_probes_semaphore_" name "\n" \
	".asciz \"" OCAML_PROVIDER "\"\n"                                    \
	".asciz \"" name "\"\n"                                              \
	".asciz \"" args "\"\n"                                              \
	"5: .balign 4\n"                                                     \
	".popsection\n"

#define OCAML_SITE_ASM(name, opcode, args) \
	"1: .byte 0x90, " opcode "\n"      \
	".long ocaml_wrapper_" name " - . - 4\n" OCAML_NOTE_ASM(name, "1b", args)

#if OCAML_GENERATION == 0
#define OCAML_SEMAPHORE_ASM(name, initial)                     \
	".pushsection .probes, \"wa\", \"progbits\"\n"         \
	".balign 2\n"                                          \
	"caml_probes_semaphore_" name ": .2byte " initial "\n" \
	".popsection\n"
#else
/* Every unit emits the word; weak lets the linker keep one name for all, hidden keeps it to one
   object. The copies that lose stay in .probes, unnamed, as they do in OCaml programs. */
#define OCAML_SEMAPHORE_ASM(name, initial)                        \
	".pushsection .probes, \"wa\", \"progbits\"\n"            \
	".balign 2\n"                                             \
	".weak caml_probes_semaphore_" name "\n"                  \
	".hidden caml_probes_semaphore_" name "\n"                \
	"caml_probes_semaphore_" name ": .2byte 0, " initial "\n" \
	".popsection\n"
#endif

#define OCAML_SAVE_ASM                                                                       \
	"pushfq\n"                                                                           \
	"push %rax\n push %rbx\n push %rcx\n push %rdx\n push %rsi\n push %rdi\n push %r8\n" \
	"push %r9\n push %r10\n push %r11\n push %r12\n push %r13\n push %r14\n push %r15\n"

#define OCAML_RESTORE_ASM                                                             \
	"pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %r11\n pop %r10\n pop %r9\n" \
	"pop %r8\n pop %rdi\n pop %rsi\n pop %rdx\n pop %rcx\n pop %rbx\n pop %rax\n" \
	"popfq\n"

/* x87, SSE, AVX and AVX-512 (mask e7) fill at most 2688 bytes in xsave's standard form. xrstor
   faults unless the 64 bytes of header after the first 512 are zero where xsave writes nothing. */
#define OCAML_XSAVE_ASM                                                     \
	"sub $2752, %rsp\n"                                                 \
	"and $-64, %rsp\n"                                                  \
	"xor %ecx, %ecx\n"                                                  \
	"mov %rcx, 512(%rsp)\n mov %rcx, 520(%rsp)\n mov %rcx, 528(%rsp)\n" \
	"mov %rcx, 536(%rsp)\n mov %rcx, 544(%rsp)\n mov %rcx, 552(%rsp)\n" \
	"mov %rcx, 560(%rsp)\n mov %rcx, 568(%rsp)\n"                       \
	"mov $0xe7, %eax\n"                                                 \
	"xor %edx, %edx\n"                                                  \
	"xsave (%rsp)\n"

#define OCAML_XRSTOR_ASM    \
	"mov $0xe7, %eax\n" \
	"xor %edx, %edx\n"  \
	"xrstor (%rsp)\n"

/* Keeps every register and the flags. The two arguments of a site, in rax and rdi as OCaml would
   pass them, become the handler's first two by the C convention. */
/* clang-format off */
#define OCAML_WRAPPER_ASM(name, handler) \
	".pushsection .text\n" \
	".balign 16\n" \
	".type ocaml_wrapper_" name ", @function\n" \
	"ocaml_wrapper_" name ":\n" \
	".cfi_startproc\n" \
	"push %rbp\n" \
	".cfi_def_cfa_offset 16\n" \
	".cfi_offset %rbp, -16\n" \
	"mov %rsp, %rbp\n" \
	".cfi_def_cfa_register %rbp\n" \
	OCAML_SAVE_ASM \
	"cld\n" \
	"mov %rsp, %rbx\n" \
	"mov %rdi, %rsi\n" \
	"mov %rax, %rdi\n" \
	OCAML_XSAVE_ASM \
	"call " handler "\n" \
	OCAML_XRSTOR_ASM \
	"mov %rbx, %rsp\n" \
	OCAML_RESTORE_ASM \
	"pop %rbp\n" \
	".cfi_def_cfa %rsp, 8\n" \
	"ret\n" \
	".cfi_endproc\n" \
	".size ocaml_wrapper_" name ", . - ocaml_wrapper_" name "\n" \
	".popsection\n"
/* clang-format on */

#define OCAML_DEFINE_ASM(name, initial)                            \
	__asm__(OCAML_BASE_ASM OCAML_SEMAPHORE_ASM(#name, initial) \
			OCAML_WRAPPER_ASM(#name, "handle_" #name))

#define OCAML_HIT_ASM(name, opcode, x, y)                                 \
	__asm__ volatile(OCAML_SITE_ASM(#name, opcode, "8@%%rax 8@%%rdi") \
			 :                                                \
			 : "a"((long)(x)), "D"((long)(y))                 \
			 : "cc", "memory")

/* At file scope, once for each unit that has sites of the probe. The unit also defines or declares
   `OCAML_HANDLER void handle_NAME(long x, long y)`. */
#define OCAML_PROBE_DEFINE(name) OCAML_DEFINE_ASM(name, "0")

/* In a function marked OCAML_ONCE: one site. */
#define OCAML_PROBE_HIT(name, x, y) OCAML_HIT_ASM(name, OCAML_OFF, x, y)

#if OCAML_GENERATION > 0
/* The same for a probe that is on from the start. */
#define OCAML_PROBE_DEFINE_ON(name) OCAML_DEFINE_ASM(name, "1")
#define OCAML_PROBE_HIT_ON(name, x, y) OCAML_HIT_ASM(name, OCAML_ON, x, y)
#endif

#if OCAML_GENERATION == 3
/* At file scope: a probe without a site, whose note has pc 0; asked for by OCAML_PROBE_IS_ENABLED,
   as `[%probe_is_enabled "name"]` does. */
#define OCAML_SEMAPHORE_DEFINE(name)                                                            \
	__asm__(OCAML_BASE_ASM OCAML_SEMAPHORE_ASM(#name, "0") OCAML_NOTE_ASM(#name, "0", "")); \
	extern volatile uint16_t caml_probes_semaphore_##name[2]                                \
		__attribute__((visibility("hidden")))
#define OCAML_PROBE_IS_ENABLED(name) (caml_probes_semaphore_##name[1] > 0)
#endif

#endif
