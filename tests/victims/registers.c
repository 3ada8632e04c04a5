/*
 * The self-check of a site: every general register but rsp, and xmm0 to xmm15, are loaded from a
 * table, the probe `registers` is passed, and all must still hold what the table says. Its handler
 * spoils all that a C function may, so that a wrapper which forgets one is found out.
 */
#include "registers.h"

#include "ocaml_probe.h"

struct record registers_record = {.name = "registers"};

OCAML_PROBE_DEFINE(registers);

/* The arguments are what the table holds, which says nothing: not summed. */
OCAML_HANDLER void handle_registers(long x, long y)
{
	(void)x;
	(void)y;
	record_hit(&registers_record, 0, 0);
	__asm__ volatile("pcmpeqb %%xmm0, %%xmm0\n pcmpeqb %%xmm1, %%xmm1\n"
			 "pxor %%xmm2, %%xmm2\n pxor %%xmm3, %%xmm3\n pxor %%xmm4, %%xmm4\n"
			 "pxor %%xmm5, %%xmm5\n pxor %%xmm6, %%xmm6\n pxor %%xmm7, %%xmm7\n"
			 "pxor %%xmm8, %%xmm8\n pxor %%xmm9, %%xmm9\n pxor %%xmm10, %%xmm10\n"
			 "pxor %%xmm11, %%xmm11\n pxor %%xmm12, %%xmm12\n pxor %%xmm13, %%xmm13\n"
			 "pxor %%xmm14, %%xmm14\n pxor %%xmm15, %%xmm15\n"
			 "xor %%eax, %%eax\n xor %%ecx, %%ecx\n xor %%edx, %%edx\n"
			 "xor %%esi, %%esi\n xor %%edi, %%edi\n xor %%r8d, %%r8d\n"
			 "xor %%r9d, %%r9d\n xor %%r10d, %%r10d\n xor %%r11d, %%r11d\n"
			 :
			 :
			 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0",
			 "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
			 "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
}

#define LOAD(reg, at) "mov registers_table + " at "(%rip), %" reg "\n"
#define LOAD_XMM(n, at) "movups registers_table + 120 + " at "(%rip), %xmm" n "\n"
#define STORE_XMM(n, at) "movups %xmm" n ", " at "(%rsp)\n"

/*
 * The stack after the site, from rsp up, in the table's order:
 *
 *      0     rax rbx rcx rdx rsi rdi rbp r8 ... r15    15 * 8
 *      120   xmm0 ... xmm15                            16 * 16
 *      376   the caller's rbx rbp r12 ... r15
 */
/* clang-format off */
__asm__(".pushsection .rodata\n"
	".balign 16\n"
	"registers_table:\n"
	".set fill, 0x1122334455667788\n"
	".rept 47\n"
	".8byte fill\n"
	".set fill, fill + 0x0101010101010101\n"
	".endr\n"
	".popsection\n"
	".pushsection .text\n"
	".balign 16\n"
	".globl register_check\n"
	".hidden register_check\n"
	".type register_check, @function\n"
	"register_check:\n"
	"push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
	"sub $256, %rsp\n"
	LOAD("rax", "0") LOAD("rbx", "8") LOAD("rcx", "16") LOAD("rdx", "24")
	LOAD("rsi", "32") LOAD("rdi", "40") LOAD("rbp", "48") LOAD("r8", "56")
	LOAD("r9", "64") LOAD("r10", "72") LOAD("r11", "80") LOAD("r12", "88")
	LOAD("r13", "96") LOAD("r14", "104") LOAD("r15", "112")
	LOAD_XMM("0", "0") LOAD_XMM("1", "16") LOAD_XMM("2", "32") LOAD_XMM("3", "48")
	LOAD_XMM("4", "64") LOAD_XMM("5", "80") LOAD_XMM("6", "96") LOAD_XMM("7", "112")
	LOAD_XMM("8", "128") LOAD_XMM("9", "144") LOAD_XMM("10", "160") LOAD_XMM("11", "176")
	LOAD_XMM("12", "192") LOAD_XMM("13", "208") LOAD_XMM("14", "224") LOAD_XMM("15", "240")
	OCAML_SITE_ASM("registers", OCAML_OFF, "8@%rax 8@%rdi")
	STORE_XMM("0", "0") STORE_XMM("1", "16") STORE_XMM("2", "32") STORE_XMM("3", "48")
	STORE_XMM("4", "64") STORE_XMM("5", "80") STORE_XMM("6", "96") STORE_XMM("7", "112")
	STORE_XMM("8", "128") STORE_XMM("9", "144") STORE_XMM("10", "160") STORE_XMM("11", "176")
	STORE_XMM("12", "192") STORE_XMM("13", "208") STORE_XMM("14", "224") STORE_XMM("15", "240")
	"push %r15\n push %r14\n push %r13\n push %r12\n push %r11\n push %r10\n push %r9\n"
	"push %r8\n push %rbp\n push %rdi\n push %rsi\n push %rdx\n push %rcx\n push %rbx\n"
	"push %rax\n"
	"cld\n"
	"mov %rsp, %rsi\n"
	"lea registers_table(%rip), %rdi\n"
	"mov $376, %ecx\n"
	"xor %eax, %eax\n"
	"repe cmpsb\n"
	"setne %al\n"
	"add $376, %rsp\n"
	"pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
	"ret\n"
	".size register_check, . - register_check\n"
	".popsection\n");
/* clang-format on */
