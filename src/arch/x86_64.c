/*
 * x86-64.
 *
 * An OCaml site (OCaml [%probe], Jane Street's compiler): one byte switches it. imm32 always holds
 * the displacement from +6 to the wrapper of the handler:
 *
 *     +0   +1   +2          +6
 *     90   3d   imm32              off: nop; cmp eax, imm32
 *     90   e8   rel32              on:  nop; call wrapper
 *
 * +0 and +1 have different owners: bpftrace may put cc at +0, and both work.
 *
 * An sdt site (sys/sdt.h) is a nop; libbpf's usdt.h puts a nine-byte nop behind it:
 *
 *     +0   +1
 *     90   whatever follows
 */
#include "arch/arch.h"

#include <cpuid.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#define X86_64_FSGSBASE 2ul /* HWCAP2_FSGSBASE, asm/hwcap2.h */
#define X86_64_CMP 0x3d
#define X86_64_CALL 0xe8

const struct arch_site arch_site_ocaml = {
	.length = 6, .switch_at = 1, .off = {X86_64_CMP}, .on = {X86_64_CALL}, .fixed_at = 2};

const struct arch_site arch_site_sdt = {
	.length = 1, .switch_at = 0, .off = {ARCH_NOP}, .on = {ARCH_NOP}, .fixed_at = 1};

bool arch_has_thread_pointer(void)
{
	return getauxval(AT_HWCAP2) & X86_64_FSGSBASE;
}

bool arch_is_site(const struct arch_site *site, const uint8_t bytes[ARCH_SITE_BYTES])
{
	return bytes[0] == ARCH_NOP &&
	       (!memcmp(bytes + site->switch_at, site->off, ARCH_SWITCH_BYTES) ||
		       !memcmp(bytes + site->switch_at, site->on, ARCH_SWITCH_BYTES));
}

bool arch_is_replaced(
	const uint8_t original[ARCH_SITE_BYTES], const uint8_t live[ARCH_SITE_BYTES], uint8_t vary)
{
	for (size_t i = 1; i < ARCH_SITE_BYTES; i++)
		if (live[i] != original[i] && !(vary >> i & 1) &&
			(live[i] == X86_64_CALL || live[i] == ARCH_JUMP))
			return true;
	return false;
}

/* Every kind of site begins with a nop. */
void arch_guess_original(const uint8_t live[ARCH_SITE_BYTES], uint8_t original[ARCH_SITE_BYTES])
{
	memcpy(original, live, ARCH_SITE_BYTES);
	original[0] = ARCH_NOP;
}

/* Bit 8 of edx: invariant in all ACPI states (AMD64 Architecture Programmer's Manual 3, E.4.6). */
bool arch_clock_is_steady(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1;
}

/*
 *     0f 05 c3                     syscall; ret
 *     b8 0f 00 00 00 0f 05         mov $15,%eax; syscall
 *     48 c7 c0 0f 00 00 00 0f 05   mov $15,%rax; syscall
 */
static const struct {
	uint8_t length;
	uint8_t bytes[9];
} x86_64_useful[][2] = {
	[ARCH_USEFUL_CALL] = {{3, {0x0f, 0x05, 0xc3}}},
	[ARCH_USEFUL_SIGRETURN] = {{7, {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05}},
		{9, {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}}},
};

size_t arch_find(enum arch_useful what, const uint8_t *bytes, size_t size)
{
	const uint8_t *first = NULL, *at;

	for (size_t i = 0; i < 2; i++) {
		size_t length = x86_64_useful[what][i].length;

		at = length ? memmem(bytes, size, x86_64_useful[what][i].bytes, length) : NULL;
		if (at && (!first || at < first))
			first = at;
	}
	return first ? (size_t)(first - bytes) : SIZE_MAX;
}

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>

/* AT&T syntax, as the arguments of probes are written. */
size_t arch_disassemble(const uint8_t *bytes, size_t size, uint64_t address,
	struct probes_instruction *out, size_t max)
{
	ZydisFormatter formatter;
	ZydisDecoder decoder;
	size_t count = 0;

	if (ZYAN_FAILED(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
		ZYAN_FAILED(ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT)))
		return 0;
	for (size_t at = 0; at < size && count < max; at += out[count++].length) {
		ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
		ZydisDecodedInstruction instruction;
		struct probes_instruction *line = &out[count];

		*line = (struct probes_instruction){.address = address + at, .length = 1};
		if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(
			    &decoder, bytes + at, size - at, &instruction, operands)) &&
			ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &instruction,
				operands, instruction.operand_count_visible, line->text,
				sizeof line->text, line->address, NULL)))
			line->length = instruction.length;
		else
			snprintf(line->text, sizeof line->text, ".byte 0x%02x", bytes[at]);
		memcpy(line->bytes, bytes + at, line->length);
	}
	return count;
}

#else

size_t arch_disassemble(const uint8_t *bytes, size_t size, uint64_t address,
	struct probes_instruction *out, size_t max)
{
	return 0;
}

#endif
