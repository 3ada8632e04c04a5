/*
 * Covers arch_displace by execution: each instruction runs where it lies and displaced, from the
 * same random registers, flags, vectors, memory and stack, and must end alike: in registers, flags,
 * vectors, memory, stack, the address of the next instruction, or the fault. The instructions are
 * forms written here, the code behind the probes of every library that is installed, and code
 * picked from these libraries. Does not cover: what arch_displace refuses, x87 state pointers, time
 * and random number instructions, writes through fs and gs (they would hit the test's own thread).
 */
#include <check.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "arch/arch.h"
#include "elf/object.h"
#include "tests/unit/random.h"

Suite *displace_suite(void);

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>

#define AREA 0x10000   /* code around the instruction */
#define SCRATCH 0x1000 /* what pointers point into */
#define VECTORS 1024   /* of the saved vector state that is compared */
#define ROUNDS 3       /* random states for each instruction */
#define SAMPLES 3000   /* instructions picked from each library */

/* The state before or after, all that is compared. */
struct state {
	greg_t registers[NGREG];
	int signal;
	uint64_t fault; /* si_addr */
	uint8_t vectors[VECTORS];
	uint8_t scratch[SCRATCH], stack[SCRATCH];
};

static struct place {
	uint8_t *code, *trampoline, *scratch, *stack;
} places[2]; /* below 2 GiB, and high */

static struct state start, ends[2];
static uint64_t entry;
static sigjmp_buf back;
static struct state *end;
static size_t vectors;

static uint64_t random_state = RANDOM_SEED;

/* The vector state in a signal frame: Linux, arch/x86/include/uapi/asm/sigcontext.h. */
static size_t vectors_size(const ucontext_t *context)
{
	const uint8_t *fx = (const uint8_t *)context->uc_mcontext.fpregs;
	uint32_t magic, size;

	memcpy(&magic, fx + 464, sizeof magic);
	memcpy(&size, fx + 464 + 16, sizeof size); /* xstate_size */
	if (magic != 0x46505853)
		size = 512;
	return size < VECTORS ? size : VECTORS;
}

static void on_signal(int signal, siginfo_t *info, void *data)
{
	ucontext_t *context = data;
	uint8_t *fx = (uint8_t *)context->uc_mcontext.fpregs;

	if (signal == SIGUSR1) {
		uint64_t features;

		vectors = vectors_size(context);
		for (int i = 0; i <= REG_R15; i++)
			context->uc_mcontext.gregs[i] = start.registers[i];
		for (int i = REG_RDI; i <= REG_RSP; i++)
			context->uc_mcontext.gregs[i] = start.registers[i];
		context->uc_mcontext.gregs[REG_EFL] = start.registers[REG_EFL];
		context->uc_mcontext.gregs[REG_RIP] = (greg_t)entry;
		memcpy(fx + 160, start.vectors, 256); /* xmm */
		if (vectors > 576 + 256) {
			memcpy(&features, fx + 512, sizeof features);
			/* Masks, and vectors beyond ymm, are 0: nothing sets them otherwise. */
			features = (features & ~UINT64_C(0xe0)) | 7;
			memcpy(fx + 512, &features, sizeof features);
			memcpy(fx + 576, start.vectors + 256, 256); /* upper halves of ymm */
		}
		return;
	}
	memcpy(end->registers, context->uc_mcontext.gregs, sizeof end->registers);
	end->signal = signal;
	end->fault = signal == SIGTRAP ? 0 : (uint64_t)info->si_addr;
	memset(end->vectors, 0, sizeof end->vectors);
	/* Control, status and tags, but not the pointers to the last x87 instruction; mxcsr; st,
	 * xmm, ymm. */
	memcpy(end->vectors, fx, 6);
	memcpy(end->vectors + 24, fx + 24, 4);
	memcpy(end->vectors + 32, fx + 32, 128 + 256);
	if (vectors > 576 + 256)
		memcpy(end->vectors + 576, fx + 576, 256);
	siglongjmp(back, 1);
}

static void run(uint64_t at, const struct place *p, struct state *result)
{
	memcpy(p->scratch, start.scratch, SCRATCH);
	memcpy(p->stack, start.stack, SCRATCH);
	entry = at;
	end = result;
	if (!sigsetjmp(back, 1))
		raise(SIGUSR1);
	memcpy(result->scratch, p->scratch, SCRATCH);
	memcpy(result->stack, p->stack, SCRATCH);
}

static void randomize(const struct place *p)
{
	static const greg_t flags[] = {1, 4, 0x10, 0x40, 0x80, 0x800};

	for (int i = REG_R8; i <= REG_RCX; i++) {
		uint64_t r = random_next(&random_state);

		switch (r % 8) {
		case 0:
			r = random_next(&random_state);
			break;
		case 1:
			r = random_next(&random_state) % 64;
			break;
		default:
			r = (uint64_t)p->scratch + SCRATCH / 2 +
			    (random_next(&random_state) % 128) * 8;
			break;
		}
		start.registers[i] = (greg_t)r;
	}
	start.registers[REG_RSP] = (greg_t)(p->stack + SCRATCH / 2);
	start.registers[REG_EFL] = 0x202;
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		start.registers[REG_EFL] |= random_next(&random_state) & 1 ? flags[i] : 0;
	for (size_t i = 0; i < SCRATCH; i += 8) {
		uint64_t value = random_next(&random_state);

		memcpy(start.scratch + i, &value, 8);
		value = random_next(&random_state) & 1 ? (uint64_t)p->code + AREA / 4 : value;
		memcpy(start.stack + i, &value, 8);
		if (i < 512)
			memcpy(start.vectors + i, &value, 8);
	}
	start.stack[SCRATCH / 2 + 1] &= 0xfe; /* popf: no trap flag, */
	start.stack[SCRATCH / 2 + 2] &= 0xfb; /* and no alignment check */
}

static void complain(
	const uint8_t *bytes, size_t length, const struct arch_displaced *m, const char *what)
{
	char text[400] = "";
	size_t n = 0;

	for (size_t i = 0; i < length; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%02x ", bytes[i]);
	n += (size_t)snprintf(text + n, sizeof text - n, "as ");
	for (size_t i = 0; i < m->size; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%02x ", m->code[i]);
	ck_abort_msg("%s: %s (signals %d %d, rip %llx %llx)", text, what, ends[0].signal,
		ends[1].signal, ends[0].registers[REG_RIP], ends[1].registers[REG_RIP]);
}

/* Put an instruction at an address; its branch or its operand relative to rip hits our places. */
static bool place_instruction(
	const struct place *p, uint8_t *at, const uint8_t *bytes, size_t *length)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction d;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, bytes, 15, &d, operands)))
		return false;
	*length = d.length;
	memcpy(at, bytes, d.length);
	if (d.raw.imm[0].is_relative && d.raw.imm[0].size == 32) {
		int32_t rel = (int32_t)(random_next(&random_state) % (AREA / 4));

		/* Not into the instruction itself, whose bytes are elsewhere when it is displaced.
		 */
		rel = rel & 1 ? rel : -rel - 16;
		memcpy(at + d.raw.imm[0].offset, &rel, 4);
	}
	/* The same, and endless loops. */
	if (d.raw.imm[0].is_relative && d.raw.imm[0].size == 8 && d.raw.imm[0].value.s < 0 &&
		d.raw.imm[0].value.s >= -d.length)
		return false;
	for (int i = 0; i < d.operand_count; i++) {
		const ZydisDecodedOperand *o = &operands[i];
		int64_t rel = p->scratch + SCRATCH / 2 + random_next(&random_state) % 128 -
			      (at + d.length);
		int32_t rel32 = (int32_t)rel;

		if (o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.base == ZYDIS_REGISTER_RIP) {
			ck_assert_int_eq(rel, rel32);
			memcpy(at + d.raw.disp.offset, &rel32, 4);
		}
		if (o->type == ZYDIS_OPERAND_TYPE_MEMORY &&
			o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
			(o->mem.segment == ZYDIS_REGISTER_FS ||
				o->mem.segment == ZYDIS_REGISTER_GS))
			return false;
	}
	switch (d.mnemonic) {
	case ZYDIS_MNEMONIC_RDTSC:
	case ZYDIS_MNEMONIC_RDTSCP:
	case ZYDIS_MNEMONIC_RDRAND:
	case ZYDIS_MNEMONIC_RDSEED:
	case ZYDIS_MNEMONIC_RDPID:
	case ZYDIS_MNEMONIC_CPUID:
	case ZYDIS_MNEMONIC_WRPKRU:
		return false;
	default:
		return true;
	}
}

/* Does it fault for another reason than an access that programs may expect to fault? */
static bool may_fault_unexpectedly(const uint8_t *at, size_t length)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction d;
	ZydisDecoder decoder;
	bool accesses = false;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, at, length, &d, operands)) ||
		d.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE)
		return true;
	for (int i = 0; i < d.operand_count; i++) {
		const ZydisDecodedOperandMem *m = &operands[i].mem;

		if (operands[i].type != ZYDIS_OPERAND_TYPE_MEMORY)
			continue;
		if (m->base == ZYDIS_REGISTER_RIP || m->base == ZYDIS_REGISTER_RSP ||
			m->segment == ZYDIS_REGISTER_FS || m->segment == ZYDIS_REGISTER_GS)
			return true;
		accesses = true;
	}
	return !accesses; /* cli, for one */
}

struct outcome {
	size_t displaced, refused, far, undecodable, skipped;
};

/* One instruction, at two places, from some random states. */
static void try(const uint8_t bytes[15], struct outcome *t)
{
	for (size_t i = 0; i < 2 * ROUNDS; i++) {
		const struct place *p = &places[i % 2];
		uint8_t *at = p->code + AREA / 2, *trampoline = p->trampoline + AREA / 2;
		struct arch_displaced m;
		size_t length;

		memset(at, 0xcc, 16); /* all else in both areas always is int3 */
		memset(trampoline, 0xcc, ARCH_MOVED_BYTES + 5);
		if (!place_instruction(p, at, bytes, &length)) {
			t->skipped += !i;
			return;
		}
		switch (arch_displace(at, length, (uint64_t)at, (uint64_t)trampoline, false, &m)) {
		case ARCH_DISPLACED:
			break;
		case ARCH_DISPLACE_TOO_FAR:
			t->far += !i;
			return;
		case ARCH_DISPLACE_UNDECODABLE:
			t->undecodable += !i;
			return;
		default:
			t->refused += !i;
			return;
		}
		t->displaced += !i;
		ck_assert_uint_eq(m.length, length);
		ck_assert_uint_le(m.size, ARCH_MOVED_BYTES);
		memcpy(trampoline, m.code, m.size);
		if (m.continues) {
			int32_t rel = (int32_t)(at + length - (trampoline + m.size + 5));

			trampoline[m.size] = 0xe9;
			memcpy(trampoline + m.size + 1, &rel, 4);
		}
		randomize(p);
		run((uint64_t)at, p, &ends[0]);
		run((uint64_t)trampoline, p, &ends[1]);
		if (ends[0].signal != SIGTRAP) {
			uint64_t in = (uint64_t)ends[0].registers[REG_RIP] - (uint64_t)at;

			/* A fault in the instruction is one in the displaced code. */
			if (in < length) {
				in = (uint64_t)ends[1].registers[REG_RIP] - (uint64_t)trampoline;
				if (in >= m.size)
					complain(at, length, &m, "faults elsewhere");
				ends[1].registers[REG_RIP] = ends[0].registers[REG_RIP];
				if (ends[0].signal == SIGFPE && !(m.faults & ARCH_FAULTS_DIVISION))
					complain(at, length, &m, "divides");
				if ((ends[0].signal == SIGSEGV || ends[0].signal == SIGBUS) &&
					!m.faults && !may_fault_unexpectedly(at, length))
					complain(at, length, &m, "faults");
				if (m.calls)
					continue; /* the push came first */
				if (ends[0].fault - (uint64_t)at < length)
					ends[1].fault = ends[0].fault;
			}
		}
		if (ends[0].signal != ends[1].signal || ends[0].fault != ends[1].fault)
			complain(at, length, &m, "another signal");
		for (int r = 0; r <= REG_EFL; r++)
			if (ends[0].registers[r] != ends[1].registers[r])
				complain(at, length, &m,
					r == REG_RIP   ? "another way"
					: r == REG_EFL ? "flags"
						       : "registers");
		if (memcmp(ends[0].vectors, ends[1].vectors, vectors))
			complain(at, length, &m, "vectors");
		if (memcmp(ends[0].scratch, ends[1].scratch, SCRATCH))
			complain(at, length, &m, "memory");
		if (memcmp(ends[0].stack, ends[1].stack, SCRATCH))
			complain(at, length, &m, "stack");
	}
}

static uint8_t *map_at(uint64_t address, size_t size, int protection)
{
	void *at = mmap((void *)address, size, protection,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	ck_assert_ptr_eq(at, (void *)address);
	return at;
}

static const int signals[] = {SIGUSR1, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

static void set_up(void)
{
	static uint8_t alternate[1 << 16];
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};

	sigfillset(&action.sa_mask);
	sigaltstack(&stack, NULL);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &action, NULL);
	for (int i = 0; i < 2; i++) {
		uint64_t base = i ? 0x7e1230000000 : 0x21000000;
		int all = PROT_READ | PROT_WRITE;

		places[i] = (struct place){.code = map_at(base, AREA, all | PROT_EXEC),
			.trampoline = map_at(base + 0x2f3a1000, AREA, all | PROT_EXEC),
			.scratch = map_at(base + 0x12345000, SCRATCH, all),
			.stack = map_at(base + 0x1a7b3000, SCRATCH, all)};
		memset(places[i].code, 0xcc, AREA);
		memset(places[i].trampoline, 0xcc, AREA);
	}
}

/* With sanitizers all tests run in one process. */
static void tear_down(void)
{
	const stack_t none = {.ss_flags = SS_DISABLE};

	for (int i = 0; i < 2; i++) {
		munmap(places[i].code, AREA);
		munmap(places[i].trampoline, AREA);
		munmap(places[i].scratch, SCRATCH);
		munmap(places[i].stack, SCRATCH);
	}
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		signal(signals[i], SIG_DFL);
	sigaltstack(&none, NULL);
}

/* ---------------------------------------------------------------- forms */

START_TEST(forms_end_alike)
{
	static const struct {
		uint8_t bytes[15];
		enum arch_displace_result result;
	} forms[] = {
		{{0x90}, ARCH_DISPLACED},                               /* nop */
		{{0x48, 0x8d, 0x05, 1, 2, 3, 4}, ARCH_DISPLACED},       /* lea rel(%rip) */
		{{0x48, 0x8b, 0x05, 1, 2, 3, 4}, ARCH_DISPLACED},       /* mov rel(%rip) */
		{{0xc7, 0x05, 1, 2, 3, 4, 9, 9, 9, 9}, ARCH_DISPLACED}, /* movl imm32, rel(%rip) */
		{{0x66, 0xc7, 0x05, 1, 2, 3, 4, 9, 9}, ARCH_DISPLACED}, /* movw imm16, rel(%rip) */
		{{0x80, 0x3d, 1, 2, 3, 4, 9}, ARCH_DISPLACED},          /* cmpb imm8, rel(%rip) */
		{{0xf0, 0x48, 0x0f, 0xc1, 0x05, 1, 2, 3, 4}, ARCH_DISPLACED}, /* lock xadd */
		{{0xc5, 0xfd, 0x6f, 0x05, 1, 2, 3, 4},
			ARCH_DISPLACED}, /* vmovdqa rel(%rip), %ymm0 */
		{{0x66, 0x0f, 0x3a, 0x0f, 0x05, 1, 2, 3, 4, 7},
			ARCH_DISPLACED},                          /* palignr imm, rel(%rip) */
		{{0xe8, 1, 2, 3, 4}, ARCH_DISPLACED},             /* call */
		{{0x66, 0x48, 0xe8, 1, 2, 3, 4}, ARCH_DISPLACED}, /* data16 rex.W call */
		{{0xff, 0xd0}, ARCH_DISPLACED},                   /* call *%rax */
		{{0x41, 0xff, 0xd4}, ARCH_DISPLACED},             /* call *%r12 */
		{{0xff, 0x15, 1, 2, 3, 4}, ARCH_DISPLACED},       /* call *rel(%rip) */
		{{0xff, 0x10}, ARCH_DISPLACED},                   /* call *(%rax) */
		{{0xff, 0x54, 0x24, 0x10}, ARCH_DISPLACED},       /* call *16(%rsp) */
		{{0xff, 0x14, 0x24}, ARCH_DISPLACED},             /* call *(%rsp) */
		{{0xff, 0x54, 0x24, 0x7c}, ARCH_DISPLACED},       /* call *124(%rsp) */
		{{0xff, 0x94, 0x24, 0, 1, 0, 0}, ARCH_DISPLACED}, /* call *256(%rsp) */
		{{0x42, 0xff, 0x14, 0xf4}, ARCH_DISPLACED},       /* call *(%rsp,%r14,8) */
		{{0x41, 0xff, 0x54, 0x24, 0x08}, ARCH_DISPLACED}, /* call *8(%r12) */
		{{0xff, 0xd4}, ARCH_DISPLACE_REFUSED},            /* call *%rsp */
		{{0x3e, 0xff, 0xe0}, ARCH_DISPLACED},             /* notrack jmp *%rax */
		{{0xe9, 1, 2, 3, 4}, ARCH_DISPLACED},             /* jmp rel32 */
		{{0xeb, 0x40}, ARCH_DISPLACED},                   /* jmp rel8 */
		{{0xeb, 0x80}, ARCH_DISPLACED},
		{{0xff, 0x25, 1, 2, 3, 4}, ARCH_DISPLACED},              /* jmp *rel(%rip) */
		{{0xf2, 0xe9, 1, 2, 3, 4}, ARCH_DISPLACED},              /* bnd jmp */
		{{0xe0, 0x20}, ARCH_DISPLACED},                          /* loopne */
		{{0xe1, 0xf0}, ARCH_DISPLACED},                          /* loope */
		{{0xe2, 0x20}, ARCH_DISPLACED},                          /* loop */
		{{0xe3, 0x20}, ARCH_DISPLACED},                          /* jrcxz */
		{{0x67, 0xe3, 0x20}, ARCH_DISPLACED},                    /* jecxz */
		{{0x67, 0xe2, 0x20}, ARCH_DISPLACED},                    /* loop on ecx */
		{{0xc3}, ARCH_DISPLACED},                                /* ret */
		{{0xf3, 0xc3}, ARCH_DISPLACED},                          /* rep ret */
		{{0xc2, 0x10, 0x00}, ARCH_DISPLACED},                    /* ret imm16 */
		{{0xc9}, ARCH_DISPLACED},                                /* leave */
		{{0xc8, 0x20, 0x00, 0x01}, ARCH_DISPLACED},              /* enter */
		{{0x55}, ARCH_DISPLACED},                                /* push %rbp */
		{{0x9c}, ARCH_DISPLACED},                                /* pushf */
		{{0xf3, 0x48, 0xa5}, ARCH_DISPLACED},                    /* rep movsq */
		{{0xf3, 0x0f, 0x1e, 0xfa}, ARCH_DISPLACED},              /* endbr64 */
		{{0xf0, 0x48, 0x0f, 0xb1, 0x0a}, ARCH_DISPLACED},        /* lock cmpxchg */
		{{0xd9, 0x00}, ARCH_DISPLACED},                          /* flds (%rax) */
		{{0x67, 0x8b, 0x05, 1, 2, 3, 4}, ARCH_DISPLACE_REFUSED}, /* mov rel(%eip) */
		{{0x66, 0xe8, 1, 2, 3, 4}, ARCH_DISPLACE_REFUSED}, /* 16 bits on AMD, 32 on Intel */
		{{0x66, 0xe9, 1, 2, 3, 4}, ARCH_DISPLACE_REFUSED},
		{{0xcb}, ARCH_DISPLACE_REFUSED},                         /* lret */
		{{0x48, 0xcf}, ARCH_DISPLACE_REFUSED},                   /* iretq */
		{{0xff, 0x18}, ARCH_DISPLACE_REFUSED},                   /* lcall */
		{{0x0f, 0x05}, ARCH_DISPLACE_REFUSED},                   /* syscall */
		{{0xcd, 0x80}, ARCH_DISPLACE_REFUSED},                   /* int 0x80 */
		{{0xcc}, ARCH_DISPLACE_REFUSED},                         /* int3 */
		{{0x0f, 0x0b}, ARCH_DISPLACE_REFUSED},                   /* ud2 */
		{{0xf4}, ARCH_DISPLACE_REFUSED},                         /* hlt */
		{{0xc7, 0xf8, 1, 2, 3, 4}, ARCH_DISPLACE_REFUSED},       /* xbegin */
		{{0xd9, 0x30}, ARCH_DISPLACE_REFUSED},                   /* fnstenv */
		{{0x8e, 0xd0}, ARCH_DISPLACE_REFUSED},                   /* mov %eax, %ss */
		{{0xf3, 0x48, 0x0f, 0xae, 0xd0}, ARCH_DISPLACE_REFUSED}, /* wrfsbase */
		{{0x06}, ARCH_DISPLACE_UNDECODABLE},
	};
	struct outcome t = {0};
	struct arch_displaced m;
	uint8_t condition[15] = {0};

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		ck_assert_msg(arch_displace(forms[i].bytes, 15, 0x401000, 0x501000, false, &m) ==
				      forms[i].result,
			"form %zu, %02x %02x", i, forms[i].bytes[0], forms[i].bytes[1]);
		if (forms[i].result == ARCH_DISPLACED)
			for (int round = 0; round < 20; round++)
				try(forms[i].bytes, &t);
	}
	for (uint8_t c = 0; c < 16; c++) {
		memcpy(condition, (uint8_t[]){(uint8_t)(0x70 | c), 0x30}, 2);
		for (int round = 0; round < 20; round++)
			try(condition, &t);
		memcpy(condition, (uint8_t[]){0x0f, (uint8_t)(0x80 | c), 1, 2, 3, 4}, 6);
		for (int round = 0; round < 20; round++)
			try(condition, &t);
	}
	ck_assert_uint_eq(t.refused + t.far + t.undecodable + t.skipped, 0);
}
END_TEST

/* What a program may recover from; the stack, the thread's and the object's memory are not that. */
START_TEST(which_may_fault)
{
	static const struct {
		uint8_t bytes[15], faults;
	} all[] = {
		{{0x8b, 0x00}, ARCH_FAULTS_MEMORY},                         /* mov (%rax), %eax */
		{{0x89, 0x47, 0x08}, ARCH_FAULTS_MEMORY},                   /* mov %eax, 8(%rdi) */
		{{0x8b, 0x04, 0x25, 0, 0, 0, 0}, ARCH_FAULTS_MEMORY},       /* mov 0, %eax */
		{{0x8b, 0x04, 0x04}, ARCH_FAULTS_MEMORY},                   /* mov (%rsp,%rax) */
		{{0xa4}, ARCH_FAULTS_MEMORY},                               /* movsb */
		{{0xd7}, ARCH_FAULTS_MEMORY},                               /* xlat */
		{{0xff, 0x10}, ARCH_FAULTS_MEMORY},                         /* call *(%rax) */
		{{0xff, 0x30}, ARCH_FAULTS_MEMORY},                         /* push (%rax) */
		{{0x66, 0x0f, 0xf7, 0xc1}, ARCH_FAULTS_MEMORY},             /* maskmovdqu */
		{{0xc4, 0xe2, 0x69, 0x92, 0x04, 0x08}, ARCH_FAULTS_MEMORY}, /* vgatherdps */
		{{0x8b, 0x45, 0x08}, ARCH_FAULTS_POINTER},                  /* mov 8(%rbp), %eax */
		{{0xf7, 0xf1}, ARCH_FAULTS_DIVISION},                       /* div %ecx */
		{{0x48, 0xf7, 0x3f}, ARCH_FAULTS_MEMORY | ARCH_FAULTS_DIVISION}, /* idiv (%rdi) */
		{{0x8b, 0x44, 0x24, 0x08}, 0},                      /* mov 8(%rsp), %eax */
		{{0x8b, 0x05, 1, 2, 3, 4}, 0},                      /* mov rel(%rip) */
		{{0x64, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0}, 0},       /* mov %fs:0x28 */
		{{0x8d, 0x00}, 0},                                  /* lea (%rax), %eax */
		{{0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}, 0}, /* nopw 0(%rax,%rax) */
		{{0x0f, 0x18, 0x08}, 0},                            /* prefetcht0 (%rax) */
		{{0x55}, 0},                                        /* push %rbp */
		{{0xe8, 1, 2, 3, 4}, 0},                            /* call */
		{{0xc3}, 0},                                        /* ret */
	};
	struct arch_displaced m;

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		ck_assert_int_eq(arch_displace(all[i].bytes, 15, 0x401000, 0x501000, false, &m),
			ARCH_DISPLACED);
		ck_assert_msg(m.faults == all[i].faults, "form %zu, %02x %02x: %u", i,
			all[i].bytes[0], all[i].bytes[1], m.faults);
	}
}
END_TEST

START_TEST(limits)
{
	static const uint8_t lea[15] = {0x48, 0x8d, 0x05, 0, 0, 0, 0},
			     call[15] = {0xe8, 0, 0, 0, 0};
	struct arch_displaced m;

	ck_assert_int_eq(arch_displace(lea, 15, 0x401000, 0x401000 + (1ull << 31) - 1, false, &m),
		ARCH_DISPLACED);
	ck_assert_int_eq(arch_displace(lea, 15, 0x401000, 0x401000 + (1ull << 31) + 1, false, &m),
		ARCH_DISPLACE_TOO_FAR);
	ck_assert_int_eq(arch_displace(call, 15, 0x401000, 0x7f0000000000, false, &m),
		ARCH_DISPLACE_TOO_FAR);
	ck_assert_int_eq(
		arch_displace(call, 15, 0x401000, 0x501000, true, &m), ARCH_DISPLACE_SHADOW_STACK);
	ck_assert_int_eq(
		arch_displace(lea, 6, 0x401000, 0x501000, false, &m), ARCH_DISPLACE_UNDECODABLE);
	ck_assert_int_eq(
		arch_displace(lea, 0, 0x401000, 0x501000, false, &m), ARCH_DISPLACE_UNDECODABLE);
	ck_assert_int_eq(arch_displace(call, 15, 0x401000, 0x501000, false, &m), ARCH_DISPLACED);
	ck_assert(m.calls && !m.continues);
}
END_TEST

/* ---------------------------------------------------------------- libraries */

static const char *const libraries[] = {"/lib/x86_64-linux-gnu/libc.so.6",
	"/lib/x86_64-linux-gnu/libm.so.6", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
	"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
	"/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so",
	"/usr/lib/postgresql/15/bin/postgres", "/usr/bin/python3.11", "/usr/bin/php8.2",
	"/usr/lib/x86_64-linux-gnu/libruby-3.1.so.3.1", "/usr/lib/x86_64-linux-gnu/libvirt.so.0",
	"/usr/lib/x86_64-linux-gnu/libZydis.so.4.0", "/usr/bin/gdb", "/bin/bash"};

static size_t code_at(const struct object *o, uint64_t vaddr, uint8_t bytes[15])
{
	for (size_t i = 0; i < o->segment_count; i++) {
		const struct object_segment *s = &o->segments[i];

		if (s->executable && vaddr >= s->vaddr && vaddr + 15 <= s->vaddr + s->filesz)
			return pread(o->fd, bytes, 15, (off_t)(s->offset + vaddr - s->vaddr)) == 15;
	}
	return 0;
}

START_TEST(libraries_end_alike)
{
	struct probes_error e = {0};
	struct object *o;
	uint8_t bytes[15];
	struct outcome t = {0};
	int fd = open(libraries[_i], O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	ck_assert_int_eq(object_read(fd, libraries[_i], &o, &e), 0);
	/* What lies behind the nop of each site: what a jump there would displace. */
	for (size_t i = 0; i < o->note_count; i++)
		if (code_at(o, o->notes[i].pc + 1, bytes))
			try(bytes, &t);
	if (o->note_count)
		printf("%s: %zu notes: %zu displaced, %zu refused, %zu undecodable, %zu skipped\n",
			libraries[_i], o->note_count, t.displaced, t.refused, t.undecodable,
			t.skipped);
	t = (struct outcome){0};
	for (size_t i = 0; i < o->segment_count; i++) {
		const struct object_segment *s = &o->segments[i];

		for (size_t n = 0; s->executable && n < SAMPLES; n++)
			if (code_at(o, s->vaddr + random_next(&random_state) % s->filesz, bytes))
				try(bytes, &t);
	}
	printf("%s: %zu displaced, %zu refused, %zu undecodable, %zu skipped\n", libraries[_i],
		t.displaced, t.refused, t.undecodable, t.skipped);
	object_free(o);
}
END_TEST

Suite *displace_suite(void)
{
	Suite *s = suite_create("displace");
	TCase *c = tcase_create("move");

	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_set_timeout(c, 60);
	tcase_add_test(c, forms_end_alike);
	tcase_add_test(c, which_may_fault);
	tcase_add_test(c, limits);
	/* A sanitizer's own memory is mapped where some instructions would write: they would spoil
	 * it. */
#ifndef __SANITIZE_ADDRESS__
	tcase_add_loop_test(c, libraries_end_alike, 0, (int)(sizeof libraries / sizeof *libraries));
#else
	(void)libraries_end_alike;
#endif
	suite_add_tcase(s, c);
	return s;
}

#else

Suite *displace_suite(void)
{
	return suite_create("displace");
}

#endif
