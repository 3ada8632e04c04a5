/*
 * x86-64: trampolines that count hits. Pure.
 *
 *     lea -128(%rsp), %rsp            past the red zone
 *     push %rax; push %rcx; push %rdx
 *     lahf; seto %al                  flags, without a write to the stack
 *     push %rax
 *     rdfsbase %rcx                   the thread pointer; no memory is read
 *     imul $multiplier, %ecx, %edx; shr $(26 - log2(slots)), %edx; and $(slots - 1) * 64, %edx
 *     add cookie(%rip), %rcx
 *     lea slots(%rip), %rax; add %rax, %rdx
 *     cmp %rcx, (%rdx)
 *     jne slow
 *  count:
 *     incq 8(%rdx)                    nobody else writes this slot
 *  done:
 *     cmpb $0, role(%rip); jne record
 *  restore:
 *     pop %rax; add $127, %al; sahf   127 + 1 overflows: OF as before
 *     pop %rdx; pop %rcx; pop %rax
 *     lea 128(%rsp), %rsp
 *     jmp end
 *  slow:
 *     mov cookie(%rip), %rax
 *     test $1, %al; je shared         a forked child; thread pointers are not proven distinct
 *     cmp %rax, %rcx; je shared       the thread pointer is 0
 *     xor %eax, %eax
 *     cmp %rax, (%rdx); jne second    a slot of another thread: do not take its cache line away
 *     lock cmpxchg %rcx, (%rdx)       claim a free slot
 *     je count
 *  second:
 *     lea slots(%rip), %rax; sub %rax, %rdx; xor $(slots / 2) * 64, %edx; add %rax, %rdx
 *     cmp %rcx, (%rdx); je count
 *     xor %eax, %eax
 *     cmp %rax, (%rdx); jne shared
 *     lock cmpxchg %rcx, (%rdx)
 *     je count
 *  shared:
 *     lock incq shared(%rip)
 *     jmp done
 *  record:
 *     lea role(%rip), %rcx; call recorder      role + 1: the site has called the trampoline
 *     jmp restore
 *  end:
 *
 * Thread pointers often differ in few bits: the stacks of a JVM's threads are 1 MiB apart. The
 * highest bits of the product depend on all of the lower 32. Without slots only `lock incq
 * shared(%rip)` stands between the flags.
 */
#include "arch/arch.h"

#include <string.h>

struct x86_64_trampoline {
	uint8_t *code;
	size_t size;
	uint64_t at;
	bool too_far;
};

#define X86_64_EMIT(trampoline, ...)                                       \
	x86_64_trampoline_emit(trampoline, (const uint8_t[]){__VA_ARGS__}, \
		sizeof((const uint8_t[]){__VA_ARGS__}))

static void x86_64_trampoline_emit(struct x86_64_trampoline *s, const uint8_t *bytes, size_t size)
{
	memcpy(s->code + s->size, bytes, size);
	s->size += size;
}

/* A disp32 to `address`; `after` bytes of the instruction follow it. */
static void x86_64_trampoline_address(struct x86_64_trampoline *s, uint64_t address, size_t after)
{
	int64_t disp = (int64_t)(address - (s->at + s->size + 4 + after));
	int32_t disp32 = (int32_t)disp;

	s->too_far |= disp32 != disp;
	x86_64_trampoline_emit(s, (const uint8_t *)&disp32, sizeof disp32);
}

/* Let the rel8 at `place` reach the end of what is written. */
static void x86_64_trampoline_here(struct x86_64_trampoline *s, size_t place)
{
	s->too_far |= s->size - place - 1 > 127;
	s->code[place] = (uint8_t)(s->size - place - 1);
}

/* The same for a rel32. */
static void x86_64_trampoline_here32(struct x86_64_trampoline *s, size_t place)
{
	uint32_t rel = (uint32_t)(s->size - place - 4);

	memcpy(s->code + place, &rel, sizeof rel);
}

#define X86_64_JE 0x74 /* with a rel8 */
#define X86_64_JMP 0xeb

static void x86_64_trampoline_back(struct x86_64_trampoline *s, uint8_t jump, size_t target)
{
	s->too_far |= s->size + 2 - target > 128;
	X86_64_EMIT(s, jump, (uint8_t)(target - (s->size + 2)));
}

/* Where the parts are that others jump to. */
struct x86_64_labels {
	size_t done, restore;
	size_t record; /* the rel32 of a jump to it */
};

static struct x86_64_labels x86_64_trampoline_restore(
	struct x86_64_trampoline *s, const struct arch_counter *counter)
{
	struct x86_64_labels at = {.done = s->size};

	if (counter->recorder) {
		X86_64_EMIT(s, 0x80, 0x3d); /* cmpb $0, role(%rip) */
		x86_64_trampoline_address(s, counter->role, 1);
		X86_64_EMIT(s, 0, 0x0f, 0x85, 0, 0, 0, 0); /* jne */
		at.record = s->size - 4;
	}
	at.restore = s->size;
	X86_64_EMIT(s, 0x58, 0x04, 0x7f, 0x9e);                /* pop %rax; add $127, %al; sahf */
	X86_64_EMIT(s, 0x5a, 0x59, 0x58);                      /* pop %rdx; pop %rcx; pop %rax */
	X86_64_EMIT(s, 0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0); /* lea 128(%rsp), %rsp */
	return at;
}

static void x86_64_trampoline_recorder(struct x86_64_trampoline *s,
	const struct arch_counter *counter, const struct x86_64_labels *at)
{
	uint32_t back;

	x86_64_trampoline_here32(s, at->record);
	X86_64_EMIT(s, 0x48, 0x8d, 0x0d); /* lea role(%rip), %rcx */
	x86_64_trampoline_address(s, counter->role + counter->called, 0);
	X86_64_EMIT(s, 0xe8); /* call recorder */
	x86_64_trampoline_address(s, counter->recorder, 0);
	X86_64_EMIT(s, ARCH_JUMP);
	back = (uint32_t)(at->restore - s->size - 4);
	x86_64_trampoline_emit(s, (const uint8_t *)&back, sizeof back);
}

static void x86_64_trampoline_shared(
	struct x86_64_trampoline *s, const struct arch_counter *counter)
{
	X86_64_EMIT(s, 0xf0, 0x48, 0xff, 0x05); /* lock incq shared(%rip) */
	x86_64_trampoline_address(s, counter->shared, 0);
}

/* Claim the slot and go to `count`. *taken: the rel8 of the jump if it belongs to another thread.
 */
static void x86_64_trampoline_claim(struct x86_64_trampoline *s, size_t count, size_t *taken)
{
	X86_64_EMIT(s, 0x31, 0xc0, 0x48, 0x39, 0x02, 0x75, 0); /* xor; cmp %rax, (%rdx); jne */
	*taken = s->size - 1;
	X86_64_EMIT(s, 0xf0, 0x48, 0x0f, 0xb1, 0x0a); /* lock cmpxchg %rcx, (%rdx) */
	x86_64_trampoline_back(s, X86_64_JE, count);
}

static void x86_64_trampoline_slow(
	struct x86_64_trampoline *s, const struct arch_counter *counter, size_t count, size_t done)
{
	uint32_t half = counter->slot_count / 2 * (uint32_t)sizeof(struct arch_slot);
	size_t unproven, absent, first, second;

	X86_64_EMIT(s, 0x48, 0x8b, 0x05); /* mov cookie(%rip), %rax */
	x86_64_trampoline_address(s, counter->cookie, 0);
	X86_64_EMIT(s, 0xa8, ARCH_COOKIE_DISTINCT, X86_64_JE, 0); /* test $1, %al; je */
	unproven = s->size - 1;
	X86_64_EMIT(s, 0x48, 0x39, 0xc1, X86_64_JE, 0); /* cmp %rax, %rcx; je */
	absent = s->size - 1;
	x86_64_trampoline_claim(s, count, &first);
	x86_64_trampoline_here(s, first);
	X86_64_EMIT(s, 0x48, 0x8d, 0x05); /* lea slots(%rip), %rax */
	x86_64_trampoline_address(s, counter->slots, 0);
	X86_64_EMIT(s, 0x48, 0x29, 0xc2, 0x81, 0xf2); /* sub %rax, %rdx; xor half, %edx */
	x86_64_trampoline_emit(s, (const uint8_t *)&half, sizeof half);
	X86_64_EMIT(s, 0x48, 0x01, 0xc2, 0x48, 0x39, 0x0a); /* add %rax, %rdx; cmp %rcx, (%rdx) */
	x86_64_trampoline_back(s, X86_64_JE, count);
	x86_64_trampoline_claim(s, count, &second);
	x86_64_trampoline_here(s, unproven);
	x86_64_trampoline_here(s, absent);
	x86_64_trampoline_here(s, second);
	x86_64_trampoline_shared(s, counter);
	x86_64_trampoline_back(s, X86_64_JMP, done);
}

static void x86_64_trampoline_slots(struct x86_64_trampoline *s, const struct arch_counter *counter)
{
	uint32_t mask = (counter->slot_count - 1) * (uint32_t)sizeof(struct arch_slot);
	uint8_t shift = (uint8_t)(26 - __builtin_ctz(counter->slot_count));
	struct x86_64_labels at;
	size_t slow, end, count;

	X86_64_EMIT(s, 0xf3, 0x48, 0x0f, 0xae, 0xc1);       /* rdfsbase %rcx */
	X86_64_EMIT(s, 0x69, 0xd1, 0xb1, 0x79, 0x37, 0x9e); /* imul, by 2^32 / golden ratio */
	X86_64_EMIT(s, 0xc1, 0xea, shift, 0x81, 0xe2);      /* shr; and mask, %edx */
	x86_64_trampoline_emit(s, (const uint8_t *)&mask, sizeof mask);
	X86_64_EMIT(s, 0x48, 0x03, 0x0d); /* add cookie(%rip), %rcx */
	x86_64_trampoline_address(s, counter->cookie, 0);
	X86_64_EMIT(s, 0x48, 0x8d, 0x05); /* lea slots(%rip), %rax */
	x86_64_trampoline_address(s, counter->slots, 0);
	X86_64_EMIT(s, 0x48, 0x01, 0xc2, 0x48, 0x39, 0x0a); /* add %rax, %rdx; cmp %rcx, (%rdx) */
	X86_64_EMIT(s, 0x75, 0);
	slow = s->size - 1;
	count = s->size;
	X86_64_EMIT(s, 0x48, 0xff, 0x42, 0x08); /* incq 8(%rdx) */
	at = x86_64_trampoline_restore(s, counter);
	X86_64_EMIT(s, ARCH_JUMP, 0, 0, 0, 0);
	end = s->size - 4;
	x86_64_trampoline_here(s, slow);
	x86_64_trampoline_slow(s, counter, count, at.done);
	if (counter->recorder)
		x86_64_trampoline_recorder(s, counter, &at);
	x86_64_trampoline_here32(s, end);
}

size_t arch_trampoline_count(
	uint64_t address, const struct arch_counter *counter, uint8_t out[ARCH_TRAMPOLINE_BYTES])
{
	struct x86_64_trampoline s = {.code = out, .at = address};
	struct x86_64_labels at;
	size_t end;

	X86_64_EMIT(&s, 0x48, 0x8d, 0x64, 0x24, 0x80); /* lea -128(%rsp), %rsp */
	X86_64_EMIT(&s, 0x50, 0x51, 0x52);             /* push %rax; push %rcx; push %rdx */
	X86_64_EMIT(&s, 0x9f, 0x0f, 0x90, 0xc0, 0x50); /* lahf; seto %al; push %rax */
	if (counter->slots) {
		x86_64_trampoline_slots(&s, counter);
	} else {
		x86_64_trampoline_shared(&s, counter);
		at = x86_64_trampoline_restore(&s, counter);
		if (counter->recorder) {
			X86_64_EMIT(&s, ARCH_JUMP, 0, 0, 0, 0);
			end = s.size - 4;
			x86_64_trampoline_recorder(&s, counter, &at);
			x86_64_trampoline_here32(&s, end);
		}
	}
	return s.too_far ? 0 : s.size;
}

/*
 * On the stack are the return address, flags, %rdx, %rcx, %rax and the red zone; %rcx: the role.
 *
 *     push %r15 ... %r8, %rdi, %rsi, %rbp
 *     lea 256(%rsp), %rdx; push %rdx           %rsp as it was at the site
 *     push %rbx; push 120(%rsp); push 136(%rsp); push 152(%rsp)     %rdx, %rcx, %rax
 *     mov %rsp, %rdi; mov %rcx, %rsi; mov %rsp, %rbx
 *     mov state(%rip), %rdx; mov cookie(%rip), %rcx
 *     and $-16, %rsp; call code
 *     lea 24(%rbx), %rsp
 *     pop %rbx; lea 8(%rsp), %rsp; pop %rbp, %rsi, %rdi, %r8 ... %r15
 *     ret
 */
size_t arch_trampoline_record(
	uint64_t at, const struct arch_record *record, uint8_t out[ARCH_TRAMPOLINE_RECORD_BYTES])
{
	struct x86_64_trampoline s = {.code = out, .at = at};

	for (uint8_t i = 8; i-- > 0;)
		X86_64_EMIT(&s, 0x41, 0x50 + i);
	X86_64_EMIT(&s, 0x57, 0x56, 0x55);
	X86_64_EMIT(&s, 0x48, 0x8d, 0x94, 0x24, 0, 1, 0, 0, 0x52, 0x53);
	X86_64_EMIT(&s, 0xff, 0x74, 0x24, 120);
	X86_64_EMIT(&s, 0xff, 0xb4, 0x24, 136, 0, 0, 0, 0xff, 0xb4, 0x24, 152, 0, 0, 0);
	X86_64_EMIT(&s, 0x48, 0x89, 0xe7, 0x48, 0x89, 0xce, 0x48, 0x89, 0xe3);
	X86_64_EMIT(&s, 0x48, 0x8b, 0x15);
	x86_64_trampoline_address(&s, record->state, 0);
	X86_64_EMIT(&s, 0x48, 0x8b, 0x0d);
	x86_64_trampoline_address(&s, record->cookie, 0);
	X86_64_EMIT(&s, 0x48, 0x83, 0xe4, 0xf0, 0xe8);
	x86_64_trampoline_address(&s, record->code, 0);
	X86_64_EMIT(&s, 0x48, 0x8d, 0x63, 24, 0x5b, 0x48, 0x8d, 0x64, 0x24, 8, 0x5d, 0x5e, 0x5f);
	for (uint8_t i = 0; i < 8; i++)
		X86_64_EMIT(&s, 0x41, 0x58 + i);
	X86_64_EMIT(&s, 0xc3);
	return s.too_far ? 0 : s.size;
}

/*
 *     66 83 3d disp32 00    cmpw $0, semaphore(%rip)
 *     74 05                 je, past the jump
 *     e9 rel32              jmp handler
 *     c3                    ret
 */
size_t arch_trampoline_run(
	uint64_t at, uint64_t semaphore, uint64_t handler, uint8_t out[ARCH_TRAMPOLINE_RUN_BYTES])
{
	struct x86_64_trampoline s = {.code = out, .at = at};

	X86_64_EMIT(&s, 0x66, 0x83, 0x3d);
	x86_64_trampoline_address(&s, semaphore, 1);
	X86_64_EMIT(&s, 0, 0x74, ARCH_JUMP_BYTES, ARCH_JUMP);
	x86_64_trampoline_address(&s, handler, 0);
	X86_64_EMIT(&s, 0xc3);
	return s.too_far ? 0 : s.size;
}

uint64_t arch_call_target(uint64_t at, const uint8_t bytes[ARCH_JUMP_BYTES])
{
	int32_t rel32;

	memcpy(&rel32, bytes + 1, sizeof rel32);
	return at + ARCH_JUMP_BYTES + (uint64_t)(int64_t)rel32;
}

bool arch_call(uint64_t at, uint64_t target, uint8_t out[ARCH_JUMP_BYTES])
{
	bool fits = arch_jump(at, target, out);

	out[0] = arch_site_ocaml.on[0];
	return fits;
}

bool arch_jump(uint64_t at, uint64_t target, uint8_t out[ARCH_JUMP_BYTES])
{
	int64_t rel = (int64_t)(target - (at + ARCH_JUMP_BYTES));
	int32_t rel32 = (int32_t)rel;

	out[0] = ARCH_JUMP;
	memcpy(out + 1, &rel32, sizeof rel32);
	return rel32 == rel;
}

void arch_jump_far(uint64_t target, uint8_t out[ARCH_JUMP_FAR_BYTES])
{
	static const uint8_t through[] = {0xff, 0x25, 0, 0, 0, 0}; /* jmp *0(%rip) */

	memcpy(out, through, sizeof through);
	memcpy(out + sizeof through, &target, sizeof target);
}
