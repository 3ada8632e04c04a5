/*
 * x86-64: displacing one instruction to another address, for trampolines that run the code whose
 * place they took. Pure.
 *
 * Most instructions mean the same everywhere and are copied. Rewritten are
 *
 *     operand relative to rip    the same bytes, another disp32
 *     jcc rel8, rel32            0f 8x rel32
 *     loop, loope, loopne,       e2 02            loop to the jump
 *     jrcxz, jecxz               eb 05            skip the jump
 *                                e9 rel32         jump to the target
 *     jmp rel8, rel32            e9 rel32
 *     call rel32                 68 imm32         push the low half of the return address
 *                                c7 44 24 04 ..   store the high half
 *                                e9 rel32
 *     call *operand              the two above, and jmp *operand; an operand that is relative
 *                                to rsp begins 8 bytes higher, since the push came first
 *
 * A call pushes the original return address: unwinders and garbage collectors see nothing of us.
 */
#include "arch/arch.h"

#include <string.h>

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>

#define X86_64_RSP 4 /* in ModRM.rm: a SIB byte follows; in SIB.base: rsp */

struct x86_64_instruction {
	const uint8_t *bytes;
	ZydisDecodedInstruction decoded;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t from, to;
};

static void x86_64_emit(struct arch_displaced *out, const void *bytes, size_t size)
{
	memcpy(out->code + out->size, bytes, size);
	out->size = (uint8_t)(out->size + size);
}

/* A jump to an absolute address, with its opcode. */
static bool x86_64_emit_jump(struct arch_displaced *out, uint64_t to, const uint8_t *opcode,
	size_t size, uint64_t target)
{
	int64_t distance;
	int32_t rel32;

	x86_64_emit(out, opcode, size);
	distance = (int64_t)(target - (to + out->size + sizeof rel32));
	rel32 = (int32_t)distance;
	x86_64_emit(out, &rel32, sizeof rel32);
	return rel32 == distance;
}

/* The instruction's bytes; its disp32 still means the same if it is relative to rip. */
static bool x86_64_emit_copy(struct arch_displaced *out, const struct x86_64_instruction *i)
{
	size_t start = out->size, at = i->decoded.raw.disp.offset;
	bool relative = false;
	int64_t disp;
	int32_t disp32;

	for (int n = 0; n < i->decoded.operand_count; n++)
		relative |= i->operands[n].type == ZYDIS_OPERAND_TYPE_MEMORY &&
			    i->operands[n].mem.base == ZYDIS_REGISTER_RIP;
	x86_64_emit(out, i->bytes, i->decoded.length);
	if (!relative)
		return true;
	disp = i->decoded.raw.disp.value + (int64_t)(i->from - (i->to + start));
	disp32 = (int32_t)disp;
	memcpy(out->code + start + at, &disp32, sizeof disp32);
	return disp32 == disp;
}

/* call *operand, after its return address was pushed: jmp *operand. */
static bool x86_64_emit_indirect(struct arch_displaced *out, const struct x86_64_instruction *i)
{
	const ZydisDecodedOperand *operand = &i->operands[0];
	size_t start = out->size, modrm = i->decoded.raw.modrm.offset, sib;
	int64_t disp;
	int32_t disp32;

	/* FF /2 becomes FF /4. */
	if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || operand->mem.base != ZYDIS_REGISTER_RSP) {
		if (!x86_64_emit_copy(out, i))
			return false;
		out->code[start + modrm] = (uint8_t)((out->code[start + modrm] & ~0x38) | 4 << 3);
		return true;
	}
	/* With a disp32, whatever the length of its displacement was. */
	sib = modrm + 1;
	x86_64_emit(out, i->bytes, sib + 1);
	out->code[start + modrm] = 2 << 6 | 4 << 3 | X86_64_RSP;
	disp = i->decoded.raw.disp.value + 8;
	disp32 = (int32_t)disp;
	x86_64_emit(out, &disp32, sizeof disp32);
	return disp32 == disp;
}

/* Does the program see where the instruction lies, or is it one that a trampoline must not run? */
static bool x86_64_is_refused(const struct x86_64_instruction *i)
{
	const ZydisDecodedInstruction *d = &i->decoded;

	bool branch = d->meta.category == ZYDIS_CATEGORY_CALL ||
		      d->meta.category == ZYDIS_CATEGORY_COND_BR ||
		      d->meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
		      d->meta.category == ZYDIS_CATEGORY_RET;

	if (d->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED ||
		(branch && d->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR))
		return true;
	/* The branches of Knights Corner: Zydis decodes them, other machines do not. */
	if (branch && d->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		return true;
	/* A 66 prefix on a branch: AMD cuts rip to 16 bits, Intel ignores the prefix. */
	if (branch && d->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE && !(d->raw.rex.W))
		return true;
	/* A return with opcode CA or CB is far, too. */
	if (d->meta.category == ZYDIS_CATEGORY_RET && (d->opcode & 0xfe) != 0xc2)
		return true;
	for (int n = 0; n < d->operand_count; n++) {
		const ZydisDecodedOperand *o = &i->operands[n];

		/* The address of an operand relative to eip wraps at 4 GiB. */
		if (o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.base == ZYDIS_REGISTER_EIP)
			return true;
		/* call *%rsp: the push would come first. */
		if (d->meta.category == ZYDIS_CATEGORY_CALL &&
			o->type == ZYDIS_OPERAND_TYPE_REGISTER &&
			o->visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT &&
			o->reg.value == ZYDIS_REGISTER_RSP)
			return true;
		/* A segment register: mov to ss also delays signals past the next instruction. */
		if (o->type == ZYDIS_OPERAND_TYPE_REGISTER &&
			o->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
			ZydisRegisterGetClass(o->reg.value) == ZYDIS_REGCLASS_SEGMENT &&
			o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			return true;
	}
	switch (d->meta.category) {
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_SYSCALL: /* leaves the address of the next instruction in rcx */
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_SYSTEM:
	case ZYDIS_CATEGORY_IO:
	case ZYDIS_CATEGORY_IOSTRINGOP:
	case ZYDIS_CATEGORY_RDWRFSGS: /* the trampoline may use the thread pointer */
	case ZYDIS_CATEGORY_CET:
		return d->mnemonic != ZYDIS_MNEMONIC_ENDBR64 &&
		       d->mnemonic != ZYDIS_MNEMONIC_ENDBR32;
	default:
		break;
	}
	switch (d->mnemonic) {
	case ZYDIS_MNEMONIC_XBEGIN: /* an abort continues elsewhere */
	case ZYDIS_MNEMONIC_XABORT:
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_FNSTENV: /* these store the address of the last x87 instruction */
	case ZYDIS_MNEMONIC_FNSAVE:
		return true;
	default:
		return false;
	}
}

static bool x86_64_emit_branch(struct arch_displaced *out, const struct x86_64_instruction *i)
{
	static const uint8_t jump = 0xe9, around[] = {0x02, 0xeb, 0x05};
	static const uint8_t push = 0x68, store[] = {0xc7, 0x44, 0x24, 0x04};
	const ZydisDecodedInstruction *d = &i->decoded;
	uint64_t next = i->from + d->length, target = next + (uint64_t)d->raw.imm[0].value.s;
	uint8_t condition[] = {0x0f, (uint8_t)(0x80 | (d->opcode & 0xf))};
	bool immediate = d->raw.imm[0].is_relative;

	if (d->meta.category == ZYDIS_CATEGORY_CALL) {
		x86_64_emit(out, &push, sizeof push);
		x86_64_emit(out, &next, 4);
		x86_64_emit(out, store, sizeof store);
		x86_64_emit(out, (const uint8_t *)&next + 4, 4);
	}
	if (!immediate)
		return d->meta.category == ZYDIS_CATEGORY_CALL ? x86_64_emit_indirect(out, i)
							       : x86_64_emit_copy(out, i);
	if (d->meta.category != ZYDIS_CATEGORY_COND_BR)
		return x86_64_emit_jump(out, i->to, &jump, sizeof jump, target);
	if (d->raw.imm[0].size == 8 && d->opcode >= 0xe0) { /* loop and jrcxz: prefixes count */
		x86_64_emit(out, i->bytes, d->length - 1u);
		x86_64_emit(out, around, sizeof around);
		return x86_64_emit_jump(out, i->to, &jump, sizeof jump, target);
	}
	return x86_64_emit_jump(out, i->to, condition, sizeof condition, target);
}

/* An access relative to rsp, rip or the thread pointer, without an index, is not expected to fault.
 */
static uint8_t x86_64_access_faults(const ZydisDecodedOperandMem *m)
{
	if (m->index != ZYDIS_REGISTER_NONE)
		return ARCH_FAULTS_MEMORY;
	switch (m->base) {
	case ZYDIS_REGISTER_RSP:
	case ZYDIS_REGISTER_RIP:
		return 0;
	case ZYDIS_REGISTER_RBP:
		return ARCH_FAULTS_POINTER;
	case ZYDIS_REGISTER_NONE:
		return m->segment == ZYDIS_REGISTER_FS || m->segment == ZYDIS_REGISTER_GS
			       ? 0
			       : ARCH_FAULTS_MEMORY;
	default:
		return ARCH_FAULTS_MEMORY;
	}
}

static uint8_t x86_64_faults(const struct x86_64_instruction *i)
{
	const ZydisDecodedInstruction *d = &i->decoded;
	uint8_t faults = 0;

	switch (d->meta.category) {
	case ZYDIS_CATEGORY_NOP: /* these never access the memory of their operand */
	case ZYDIS_CATEGORY_WIDENOP:
	case ZYDIS_CATEGORY_PREFETCH:
		return 0;
	default:
		break;
	}
	if (d->mnemonic == ZYDIS_MNEMONIC_DIV || d->mnemonic == ZYDIS_MNEMONIC_IDIV)
		faults |= ARCH_FAULTS_DIVISION;
	/* Operands that are not written in the assembler's text count, too. */
	for (int n = 0; n < d->operand_count; n++) {
		const ZydisDecodedOperand *o = &i->operands[n];

		if (o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.type != ZYDIS_MEMOP_TYPE_AGEN)
			faults |= x86_64_access_faults(&o->mem);
	}
	return faults;
}

enum arch_displace_result arch_displace(const uint8_t *bytes, size_t size, uint64_t from,
	uint64_t to, bool shadow_stack, struct arch_displaced *out)
{
	struct x86_64_instruction i = {.bytes = bytes, .from = from, .to = to};
	ZydisInstructionCategory category;
	ZydisDecoder decoder;
	bool fits;

	*out = (struct arch_displaced){0};
	if (ZYAN_FAILED(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
		ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, bytes, size, &i.decoded, i.operands)))
		return ARCH_DISPLACE_UNDECODABLE;
	category = i.decoded.meta.category;
	out->length = i.decoded.length;
	if (x86_64_is_refused(&i))
		return ARCH_DISPLACE_REFUSED;
	out->calls = category == ZYDIS_CATEGORY_CALL;
	out->continues = category != ZYDIS_CATEGORY_CALL && category != ZYDIS_CATEGORY_UNCOND_BR &&
			 category != ZYDIS_CATEGORY_RET;
	out->faults = x86_64_faults(&i);
	if (out->calls && shadow_stack)
		return ARCH_DISPLACE_SHADOW_STACK;
	fits = category == ZYDIS_CATEGORY_CALL || category == ZYDIS_CATEGORY_UNCOND_BR ||
			       category == ZYDIS_CATEGORY_COND_BR
		       ? x86_64_emit_branch(out, &i)
		       : x86_64_emit_copy(out, &i);
	return fits ? ARCH_DISPLACED : ARCH_DISPLACE_TOO_FAR;
}

/* As insn_is_nop of Linux (arch/x86/kernel/alternative.c). */
uint8_t arch_wide_nop(const uint8_t *bytes, size_t size)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction d;
	ZydisDecoder decoder;

	if (ZYAN_FAILED(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
		ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, bytes, size, &d, operands)) ||
		d.length < ARCH_JUMP_BYTES)
		return 0;
	if (d.meta.category != ZYDIS_CATEGORY_NOP && d.meta.category != ZYDIS_CATEGORY_WIDENOP &&
		(d.mnemonic != ZYDIS_MNEMONIC_LEA || d.raw.disp.value) &&
		(d.mnemonic != ZYDIS_MNEMONIC_JMP || d.raw.imm[0].value.s))
		return 0;
	return d.length;
}

#else

/* Any nopl. */
uint8_t arch_wide_nop(const uint8_t *bytes, size_t size)
{
	return size >= 2 && bytes[0] == 0x0f && bytes[1] == 0x1f ? ARCH_JUMP_BYTES : 0;
}

enum arch_displace_result arch_displace(const uint8_t *bytes, size_t size, uint64_t from,
	uint64_t to, bool shadow_stack, struct arch_displaced *out)
{
	*out = (struct arch_displaced){0};
	return ARCH_DISPLACE_NO_DECODER;
}

#endif
