/*
 * x86-64: stubs that count hits. Pure.
 *
 *     lea -128(%rsp), %rsp            past the red zone
 *     push %rax; push %rcx; push %rdx
 *     lahf; seto %al                  flags, without a write to the stack
 *     push %rax
 *     mov %fs:0, %rcx                 the thread pointer
 *     imul $multiplier, %ecx, %edx; shr $(26 - log2(slots)), %edx; and $(slots - 1) * 64, %edx
 *     add cookie(%rip), %rcx
 *     lea slots(%rip), %rax; add %rax, %rdx
 *     cmp %rcx, (%rdx)
 *     jne slow
 *  count:
 *     incq 8(%rdx)                    nobody else writes this slot
 *  done:
 *     pop %rax; add $127, %al; sahf   127 + 1 overflows: OF as before
 *     pop %rdx; pop %rcx; pop %rax
 *     lea 128(%rsp), %rsp
 *     jmp end
 *  slow:
 *     cmpq $0, cookie(%rip); je shared
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
 *  end:
 *
 * Thread pointers often differ in few bits: the stacks of a JVM's threads are 1 MiB apart. The
 * highest bits of the product depend on all of the lower 32. Without slots only `lock incq
 * shared(%rip)` stands between the flags.
 */
#include "arch/arch.h"

#include <string.h>

struct x86_64_stub {
	uint8_t *code;
	size_t size;
	uint64_t at;
	bool too_far;
};

#define X86_64_EMIT(stub, ...) \
	x86_64_stub_emit(      \
		stub, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void x86_64_stub_emit(struct x86_64_stub *s, const uint8_t *bytes, size_t size)
{
	memcpy(s->code + s->size, bytes, size);
	s->size += size;
}

/* A disp32 to `address`; `after` bytes of the instruction follow it. */
static void x86_64_stub_address(struct x86_64_stub *s, uint64_t address, size_t after)
{
	int64_t disp = (int64_t)(address - (s->at + s->size + 4 + after));
	int32_t disp32 = (int32_t)disp;

	s->too_far |= disp32 != disp;
	x86_64_stub_emit(s, (const uint8_t *)&disp32, sizeof disp32);
}

/* Let the rel8 at `place` reach the end of what is written. */
static void x86_64_stub_here(struct x86_64_stub *s, size_t place)
{
	s->code[place] = (uint8_t)(s->size - place - 1);
}

#define X86_64_JE 0x74 /* with a rel8 */
#define X86_64_JMP 0xeb

static void x86_64_stub_back(struct x86_64_stub *s, uint8_t jump, size_t target)
{
	X86_64_EMIT(s, jump, (uint8_t)(target - (s->size + 2)));
}

/* Returns where `done` is: the rest of the stub jumps there. */
static size_t x86_64_stub_restore(struct x86_64_stub *s)
{
	size_t done = s->size;

	X86_64_EMIT(s, 0x58, 0x04, 0x7f, 0x9e);                /* pop %rax; add $127, %al; sahf */
	X86_64_EMIT(s, 0x5a, 0x59, 0x58);                      /* pop %rdx; pop %rcx; pop %rax */
	X86_64_EMIT(s, 0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0); /* lea 128(%rsp), %rsp */
	return done;
}

static void x86_64_stub_shared(struct x86_64_stub *s, const struct arch_counter *counter)
{
	X86_64_EMIT(s, 0xf0, 0x48, 0xff, 0x05); /* lock incq shared(%rip) */
	x86_64_stub_address(s, counter->shared, 0);
}

/* Claim the slot and go to `count`. *taken: the rel8 of the jump if it belongs to another thread.
 */
static void x86_64_stub_claim(struct x86_64_stub *s, size_t count, size_t *taken)
{
	X86_64_EMIT(s, 0x31, 0xc0, 0x48, 0x39, 0x02, 0x75, 0); /* xor; cmp %rax, (%rdx); jne */
	*taken = s->size - 1;
	X86_64_EMIT(s, 0xf0, 0x48, 0x0f, 0xb1, 0x0a); /* lock cmpxchg %rcx, (%rdx) */
	x86_64_stub_back(s, X86_64_JE, count);
}

static void x86_64_stub_slow(
	struct x86_64_stub *s, const struct arch_counter *counter, size_t count, size_t done)
{
	uint32_t half = counter->slot_count / 2 * (uint32_t)sizeof(struct arch_slot);
	size_t child, first, second;

	X86_64_EMIT(s, 0x48, 0x83, 0x3d); /* cmpq $0, cookie(%rip) */
	x86_64_stub_address(s, counter->cookie, 1);
	X86_64_EMIT(s, 0, X86_64_JE, 0);
	child = s->size - 1;
	x86_64_stub_claim(s, count, &first);
	x86_64_stub_here(s, first);
	X86_64_EMIT(s, 0x48, 0x8d, 0x05); /* lea slots(%rip), %rax */
	x86_64_stub_address(s, counter->slots, 0);
	X86_64_EMIT(s, 0x48, 0x29, 0xc2, 0x81, 0xf2); /* sub %rax, %rdx; xor half, %edx */
	x86_64_stub_emit(s, (const uint8_t *)&half, sizeof half);
	X86_64_EMIT(s, 0x48, 0x01, 0xc2, 0x48, 0x39, 0x0a); /* add %rax, %rdx; cmp %rcx, (%rdx) */
	x86_64_stub_back(s, X86_64_JE, count);
	x86_64_stub_claim(s, count, &second);
	x86_64_stub_here(s, child);
	x86_64_stub_here(s, second);
	x86_64_stub_shared(s, counter);
	x86_64_stub_back(s, X86_64_JMP, done);
}

static void x86_64_stub_slots(struct x86_64_stub *s, const struct arch_counter *counter)
{
	uint32_t mask = (counter->slot_count - 1) * (uint32_t)sizeof(struct arch_slot);
	uint8_t shift = (uint8_t)(26 - __builtin_ctz(counter->slot_count));
	size_t slow, end, count, done;

	X86_64_EMIT(s, 0x64, 0x48, 0x8b, 0x0c, 0x25, 0, 0, 0, 0); /* mov %fs:0, %rcx */
	X86_64_EMIT(s, 0x69, 0xd1, 0xb1, 0x79, 0x37, 0x9e);       /* imul, by 2^32 / golden ratio */
	X86_64_EMIT(s, 0xc1, 0xea, shift, 0x81, 0xe2);            /* shr; and mask, %edx */
	x86_64_stub_emit(s, (const uint8_t *)&mask, sizeof mask);
	X86_64_EMIT(s, 0x48, 0x03, 0x0d); /* add cookie(%rip), %rcx */
	x86_64_stub_address(s, counter->cookie, 0);
	X86_64_EMIT(s, 0x48, 0x8d, 0x05); /* lea slots(%rip), %rax */
	x86_64_stub_address(s, counter->slots, 0);
	X86_64_EMIT(s, 0x48, 0x01, 0xc2, 0x48, 0x39, 0x0a); /* add %rax, %rdx; cmp %rcx, (%rdx) */
	X86_64_EMIT(s, 0x75, 0);
	slow = s->size - 1;
	count = s->size;
	X86_64_EMIT(s, 0x48, 0xff, 0x42, 0x08); /* incq 8(%rdx) */
	done = x86_64_stub_restore(s);
	X86_64_EMIT(s, X86_64_JMP, 0);
	end = s->size - 1;
	x86_64_stub_here(s, slow);
	x86_64_stub_slow(s, counter, count, done);
	x86_64_stub_here(s, end);
}

size_t arch_stub_count(
	uint64_t at, const struct arch_counter *counter, uint8_t out[ARCH_STUB_BYTES])
{
	struct x86_64_stub s = {.code = out, .at = at};

	X86_64_EMIT(&s, 0x48, 0x8d, 0x64, 0x24, 0x80); /* lea -128(%rsp), %rsp */
	X86_64_EMIT(&s, 0x50, 0x51, 0x52);             /* push %rax; push %rcx; push %rdx */
	X86_64_EMIT(&s, 0x9f, 0x0f, 0x90, 0xc0, 0x50); /* lahf; seto %al; push %rax */
	if (counter->slots) {
		x86_64_stub_slots(&s, counter);
	} else {
		x86_64_stub_shared(&s, counter);
		x86_64_stub_restore(&s);
	}
	return s.too_far ? 0 : s.size;
}

/*
 *     66 83 3d disp32 00    cmpw $0, semaphore(%rip)
 *     74 05                 je, past the jump
 *     e9 rel32              jmp handler
 *     c3                    ret
 */
size_t arch_stub_run(
	uint64_t at, uint64_t semaphore, uint64_t handler, uint8_t out[ARCH_STUB_RUN_BYTES])
{
	struct x86_64_stub s = {.code = out, .at = at};

	X86_64_EMIT(&s, 0x66, 0x83, 0x3d);
	x86_64_stub_address(&s, semaphore, 1);
	X86_64_EMIT(&s, 0, 0x74, ARCH_JUMP_BYTES, ARCH_JUMP);
	x86_64_stub_address(&s, handler, 0);
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
