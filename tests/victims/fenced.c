/*
 * Runs a command behind a seccomp filter, as a container does: the named system calls fail.
 *
 *	fenced NAME=ERRNO... -- COMMAND [WORD...]
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FENCES_MAX = 16 };

static const struct {
	const char *name;
	unsigned number;
} calls[] = {
	{"process_vm_readv", SYS_process_vm_readv},
	{"pwrite64", SYS_pwrite64},
	{"ptrace", SYS_ptrace},
};

/* Two instructions for each: compare, and fail. Returns how many. */
static size_t fence(struct sock_filter *code, const char *word)
{
	const char *sign = strchr(word, '=');

	for (size_t i = 0; sign && i < sizeof calls / sizeof *calls; i++) {
		struct sock_filter two[] = {
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, 0, 1),
			BPF_STMT(BPF_RET | BPF_K,
				SECCOMP_RET_ERRNO | (unsigned)(atoi(sign + 1) & 0xfff)),
		};

		if (strlen(calls[i].name) != (size_t)(sign - word) ||
			strncmp(calls[i].name, word, (size_t)(sign - word)))
			continue;
		memcpy(code, two, sizeof two);
		return 2;
	}
	fprintf(stderr, "unknown: %s\n", word);
	exit(2);
}

int main(int argc, char **argv)
{
	struct sock_filter code[2 * FENCES_MAX + 2] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
	struct sock_fprog program = {1, code};
	int at = 1;

	for (; at < argc && at <= FENCES_MAX && strcmp(argv[at], "--"); at++)
		program.len += (unsigned short)fence(&code[program.len], argv[at]);
	if (at + 1 >= argc)
		return 2;
	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
		perror("seccomp");
		return 77;
	}
	execvp(argv[at + 1], &argv[at + 1]);
	perror(argv[at + 1]);
	return 127;
}
