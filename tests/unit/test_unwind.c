/*
 * Callers by registers and a copy of the stack of this process, at a known place: the same as those
 * of backtrace(3). A copy that is too short; code without tables; stacks and registers with any
 * content.
 * Does not cover: what is mapped in another process (e2e/cli-stack.sh).
 */
#include "elf/unwind.h"

#include "random.h"
#include "suites.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* A function with a frame pointer, one without, and one that no table knows. */
__asm__(".text\n"
	"framed_at_entry: .cfi_startproc\n push %rbp\n .cfi_def_cfa_offset 16\n"
	" mov %rsp, %rbp\n .cfi_def_cfa_register %rbp\n"
	"framed: nop\n"
	" pop %rbp\n .cfi_def_cfa %rsp, 8\n ret\n .cfi_endproc\n"
	"unframed: .cfi_startproc\n nop\n ret\n .cfi_endproc\n"
	"untold: nop\n ret\n");
extern const char framed[], framed_at_entry[], unframed[], untold[];

START_TEST(frame_pointers)
{
	const char *const at[] = {framed, framed_at_entry, unframed, untold, NULL};
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	uint64_t addresses[5];
	bool found[5];
	Dl_info info;

	ck_assert(dladdr(framed, &info));
	for (int i = 0; i < 5; i++)
		addresses[i] = (uint64_t)(at[i] - (const char *)info.dli_fbase);
	unwind_framed(fd, "unit", addresses, 5, found);
	close(fd);
	ck_assert(found[0] && !found[1] && !found[2] && !found[3] && !found[4]);
	/* No program at all. */
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	unwind_framed(fd, "unit", addresses, 5, found);
	close(fd);
	ck_assert(!found[0]);
}
END_TEST

#define DEEP 20
#define MOST 64
#define BYTES 65536

static uint64_t seed = 1;

/* What leave() left, and what backtrace(3) says there. */
static struct unwind *unwinder;
static uint64_t registers[17]; /* by the machine's numbers; then that of the code */
static uint8_t copy[BYTES];
static size_t copied;
static void *truth[MOST];
static int truths;

static int open_object(void *data, void *path)
{
	(void)data;
	return open(path, O_RDONLY | O_CLOEXEC);
}

static int map_object(struct dl_phdr_info *info, size_t size, void *with_tables)
{
	uint64_t start = UINT64_MAX, end = 0;
	static char own[] = "/proc/self/exe";
	char *path = *info->dlpi_name ? (char *)(uintptr_t)info->dlpi_name : own;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD)
			continue;
		if (info->dlpi_addr + p->p_vaddr < start)
			start = info->dlpi_addr + p->p_vaddr;
		if (info->dlpi_addr + p->p_vaddr + p->p_memsz > end)
			end = info->dlpi_addr + p->p_vaddr + p->p_memsz;
	}
	if (end)
		unwind_map(unwinder, with_tables ? (void *)path : NULL, start / 4096 * 4096,
			(end + 4095) / 4096 * 4096);
	return 0;
}

/* All registers, and what follows the stack pointer, as a hit leaves them. */
__attribute__((noinline)) static void leave(void)
{
	struct iovec to = {copy, sizeof copy}, from = {NULL, sizeof copy};
	ssize_t got;

	__asm__ volatile("movq %%rax, (%0)\n\t"
			 "movq %%rcx, 8(%0)\n\t"
			 "movq %%rdx, 16(%0)\n\t"
			 "movq %%rbx, 24(%0)\n\t"
			 "movq %%rsp, 32(%0)\n\t"
			 "movq %%rbp, 40(%0)\n\t"
			 "movq %%rsi, 48(%0)\n\t"
			 "movq %%rdi, 56(%0)\n\t"
			 "movq %%r8, 64(%0)\n\t"
			 "movq %%r9, 72(%0)\n\t"
			 "movq %%r10, 80(%0)\n\t"
			 "movq %%r11, 88(%0)\n\t"
			 "movq %%r12, 96(%0)\n\t"
			 "movq %%r13, 104(%0)\n\t"
			 "movq %%r14, 112(%0)\n\t"
			 "movq %%r15, 120(%0)\n\t"
			 "leaq 0f(%%rip), %%rax\n\t"
			 "0: movq %%rax, 128(%0)"
			 :
			 : "r"(registers)
			 : "rax", "memory");
	from.iov_base = (void *)registers[4];
	got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
	ck_assert_int_gt(got, 0);
	copied = (size_t)got;
	truths = backtrace(truth, MOST);
}

__attribute__((noinline)) static int deep(int more)
{
	volatile int one = 1;

	if (more)
		one = deep(more - 1);
	else
		leave();
	return one + 1;
}

static size_t callers(size_t size, uint64_t all[MOST], size_t most, const char **why)
{
	const struct unwind_stack stack = {.general = registers,
		.code = registers[16],
		.start = registers[4],
		.bytes = copy,
		.size = size,
		.why_short = "the copy is short"};

	return unwind_callers(unwinder, &stack, all, most, why);
}

/* Caller i of `count`: the outer ends are the same. */
static uint64_t of_truth(size_t count, size_t i)
{
	return (uint64_t)truth[(size_t)truths - count + i];
}

static void map_all(bool tables)
{
	unwinder = unwind_new(open_object, NULL);
	ck_assert_ptr_nonnull(unwinder);
	dl_iterate_phdr(map_object, tables ? unwinder : NULL);
	unwind_map_end(unwinder);
}

START_TEST(as_backtrace)
{
	uint64_t all[MOST];
	const char *why;
	size_t count;

	ck_assert_int_eq(deep(DEEP), DEEP + 2);
	ck_assert_int_gt(truths, DEEP + 2);
	map_all(true);
	count = callers(copied, all, MOST, &why);
	ck_assert_ptr_null(why);
	/* The first of backtrace is the call of backtrace itself; a sanitizer has one more. */
	ck_assert_int_ge(truths - (int)count, 1);
	ck_assert_int_le(truths - (int)count, 2);
	ck_assert_uint_gt(count, DEEP);
	for (size_t i = 0; i < count; i++)
		ck_assert_uint_eq(all[i], of_truth(count, i));
	/* Again, and with less room. */
	ck_assert_uint_eq(callers(copied, all, 5, &why), 5);
	ck_assert_str_eq(why, "they have more functions than are kept");
	ck_assert_uint_eq(all[4], of_truth(count, 4));
}
END_TEST

START_TEST(of_a_short_copy)
{
	uint64_t all[MOST];
	const char *why;
	size_t count = 0, before = 0, whole;

	deep(DEEP);
	map_all(true);
	whole = callers(copied, all, MOST, &why);
	for (size_t size = 0; size < copied; size += 40) {
		count = callers(size, all, MOST, &why);
		ck_assert_uint_ge(count, before);
		for (size_t i = 0; i < count; i++)
			ck_assert_uint_eq(all[i], of_truth(whole, i));
		if (count < whole)
			ck_assert_str_eq(why, "the copy is short");
		before = count;
	}
	ck_assert_uint_eq(before, whole);
}
END_TEST

/* Frame pointers lead somewhere or nowhere, and never to what is no code. */
START_TEST(without_tables)
{
	uint64_t all[MOST];
	const char *why;

	deep(DEEP);
	map_all(false);
	ck_assert_uint_le(callers(copied, all, MOST, &why), MOST);
	unwind_free(unwinder);
	unwinder = unwind_new(open_object, NULL);
	unwind_map_end(unwinder);
	ck_assert_uint_eq(callers(copied, all, MOST, &why), 0);
	ck_assert_ptr_nonnull(why);
}
END_TEST

START_TEST(of_any_content)
{
	uint64_t all[MOST], here = 0;
	const char *why;

	deep(DEEP);
	here = registers[16];
	map_all(true);
	for (int round = 0; round < 3000; round++) {
		size_t size = (size_t)(random_next(&seed) % sizeof copy);

		for (int i = 0; i < 16; i++)
			registers[i] = random_next(&seed) >> random_next(&seed) % 64;
		registers[16] = here + random_next(&seed) % 4096;
		for (size_t i = 0; i + 8 <= size; i += 8) {
			uint64_t word = round % 2 ? here + random_next(&seed) % 4096
						  : registers[4] + random_next(&seed) % size;

			memcpy(copy + i, &word, sizeof word);
		}
		ck_assert_uint_le(callers(size, all, MOST, &why), MOST);
	}
}
END_TEST

static void tear_down(void)
{
	unwind_free(unwinder);
	unwinder = NULL;
}

Suite *unwind_suite(void)
{
	Suite *s = suite_create("unwind");
	TCase *t = tcase_create("unwind");

	tcase_add_checked_fixture(t, NULL, tear_down);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, frame_pointers);
	tcase_add_test(t, as_backtrace);
	tcase_add_test(t, of_a_short_copy);
	tcase_add_test(t, without_tables);
	tcase_add_test(t, of_any_content);
	suite_add_tcase(s, t);
	return s;
}
