#include "process/filter.h"

#include "process/tracee.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>

#define FILTER_MOST 4096 /* instructions: BPF_MAXINSNS */

struct filter_state {
	uint32_t a, x, memory[BPF_MEMWORDS];
};

static uint32_t filter_compute(uint16_t operation, uint32_t a, uint32_t by)
{
	switch (operation) {
	case BPF_ADD:
		return a + by;
	case BPF_SUB:
		return a - by;
	case BPF_MUL:
		return a * by;
	case BPF_DIV:
		return by ? a / by : 0;
	case BPF_AND:
		return a & by;
	case BPF_OR:
		return a | by;
	case BPF_XOR:
		return a ^ by;
	case BPF_LSH:
		return by < 32 ? a << by : 0;
	case BPF_RSH:
		return by < 32 ? a >> by : 0;
	default:
		return -a; /* BPF_NEG */
	}
}

/* Loads and stores; false: malformed. */
static bool filter_move(
	struct filter_state *s, const struct sock_filter *i, const struct seccomp_data *call)
{
	uint32_t *to = BPF_CLASS(i->code) == BPF_LD ? &s->a : &s->x;

	switch (BPF_CLASS(i->code)) {
	case BPF_ST:
	case BPF_STX:
		if (i->k >= BPF_MEMWORDS)
			return false;
		s->memory[i->k] = BPF_CLASS(i->code) == BPF_ST ? s->a : s->x;
		return true;
	default:
		break;
	}
	switch (BPF_MODE(i->code)) {
	case BPF_IMM:
		*to = i->k;
		return true;
	case BPF_LEN:
		*to = sizeof *call;
		return true;
	case BPF_MEM:
		if (i->k >= BPF_MEMWORDS)
			return false;
		*to = s->memory[i->k];
		return true;
	case BPF_ABS:
		if (i->k % 4 || i->k > sizeof *call - 4)
			return false;
		memcpy(to, (const char *)call + i->k, sizeof *to);
		return true;
	default:
		return false;
	}
}

uint32_t filter_run(const struct sock_filter *code, size_t count, const struct seccomp_data *call)
{
	struct filter_state s = {0};

	/* Jumps go forward only. */
	for (size_t at = 0; at < count; at++) {
		const struct sock_filter *i = &code[at];
		uint32_t operand = BPF_SRC(i->code) == BPF_X ? s.x : i->k;
		bool holds;

		switch (BPF_CLASS(i->code)) {
		case BPF_RET:
			return BPF_RVAL(i->code) == BPF_A ? s.a : i->k;
		case BPF_ALU:
			s.a = filter_compute(BPF_OP(i->code), s.a, operand);
			break;
		case BPF_JMP:
			holds = BPF_OP(i->code) == BPF_JEQ   ? s.a == operand
				: BPF_OP(i->code) == BPF_JGT ? s.a > operand
				: BPF_OP(i->code) == BPF_JGE ? s.a >= operand
							     : (s.a & operand) != 0; /* BPF_JSET */
			at += BPF_OP(i->code) == BPF_JA ? i->k : holds ? i->jt : i->jf;
			break;
		case BPF_MISC:
			if (BPF_MISCOP(i->code) == BPF_TAX)
				s.x = s.a;
			else
				s.a = s.x;
			break;
		default:
			if (!filter_move(&s, i, call))
				return SECCOMP_RET_KILL_PROCESS;
		}
	}
	return SECCOMP_RET_KILL_PROCESS;
}

int filter_allows(pid_t tid, long number, const uint64_t arguments[6], uint64_t ip)
{
	struct seccomp_data call = {
		.nr = (int)number, .arch = AUDIT_ARCH_X86_64, .instruction_pointer = ip};
	struct sock_filter code[FILTER_MOST];
	uint32_t answer;
	int count;

	memcpy(call.args, arguments, sizeof call.args);
	for (unsigned i = 0; (count = tracee_get_filter(tid, i, NULL)) > 0; i++) {
		if (count > FILTER_MOST || tracee_get_filter(tid, i, code) != count)
			return -EFBIG;
		answer = filter_run(code, (size_t)count, &call) & SECCOMP_RET_ACTION_FULL;
		if (answer != SECCOMP_RET_ALLOW && answer != SECCOMP_RET_LOG)
			return 0;
	}
	return count == -ENOENT ? 1 : count; /* -ENOENT: there are no more */
}
