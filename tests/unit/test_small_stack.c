/*
 * Covers how much stack a hit writes to below the red zone, in all that it may do, by execution of
 * the recorder's copy as this compiler made it: the manual and hazards.md give the figures
 * (ARCH_TRAMPOLINE_STACK, RECORDER_STACK_BYTES).
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch/inline.h"
#include "recorder_world.h"
#include "suites.h"

#define PAGE 4096
#define GENERATION 5
#define it recorder_world

static uint8_t *stack; /* a guard page below it */

/* How far below the red zone a hit changes memory that is all `paint`. */
static size_t depth_with(recorder_trampoline *code, uint8_t paint, size_t unaligned)
{
	uint8_t *end = stack + PAGE - unaligned;
	size_t unchanged = 0;

	memset(stack, paint, PAGE);
	__asm__ volatile("mov %%rsp, %%rbx\n mov %[end], %%rsp\n call *%[code]\n"
			 "mov %%rbx, %%rsp\n"
			 :
			 : [code] "r"(code), [end] "r"(end)
			 : "memory", "cc", "rbx");
	while (unchanged < PAGE && stack[unchanged] == paint)
		unchanged++;
	/* The call above is the test's. */
	return PAGE - unaligned - 8 - 128 - unchanged;
}

/* The most of all alignments; what it writes may be like the paint. */
static size_t depth(recorder_trampoline *code)
{
	size_t most = 0;

	for (unsigned i = 0; i < 4; i++) {
		size_t one = depth_with(code, i & 1 ? 0x5a : 0xa5, i / 2 * 8);

		most = one > most ? one : most;
	}
	return most;
}

static void set_up(struct recorder_role by)
{
	recorder_world_open(by);
	recorder_world_prove((uint32_t)getpid(), UINT64_MAX);
	stack = mmap(
		NULL, (size_t)2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(stack, MAP_FAILED);
	ck_assert_int_eq(mprotect(stack, PAGE, PROT_NONE), 0);
	stack += PAGE;
}

START_TEST(depth_of_a_count)
{
	set_up((struct recorder_role){.what = RECORDER_NONE});
	it.roles[0]->what = RECORDER_NONE;
	ck_assert_uint_gt(depth(it.start), 0);
	ck_assert_uint_le(depth(it.start), ARCH_TRAMPOLINE_STACK);
}
END_TEST

static const struct recorder_role pairs[] = {
	{.key.what = EVENTS_UNREADABLE},
	{.key = {.what = EVENTS_REGISTER, .base = 3, .size = 8}},
	{.key = {.what = EVENTS_CONSTANT, .size = 8, .value = 7}},
	{.key = {.what = EVENTS_MEMORY,
		 .base = ARCH_STACK_POINTER,
		 .index = EVENTS_NO_REGISTER,
		 .size = -4,
		 .value = (uint64_t)-8}},
};

START_TEST(depth_of_a_pair)
{
	set_up(pairs[_i]);
	for (int slot = 0; slot < 2; slot++) {
		ck_assert_uint_le(depth(it.start), RECORDER_STACK_BYTES);
		ck_assert_uint_le(depth(it.end), RECORDER_STACK_BYTES);
		/* Now by a thread that has no slot. */
		for (size_t i = 0; i < RECORDER_SLOTS; i++)
			it.state->slots[i].owner = 1;
	}
}
END_TEST

/* All that a record holds, and all tests; memory that only the kernel can read. */
START_TEST(depth_of_an_event)
{
	struct events_state *state;
	struct events_site *site;

	set_up((struct recorder_role){.key.value = EVENTS_ROLE(GENERATION, 3)});
	it.roles[0]->what = RECORDER_EVENT;
	state = &it.state->events;
	site = &state->sites[3];
	*site = (struct events_site){.ring = (uint8_t)_i, .arguments = PROBES_EVENT_ARGUMENTS};
	for (unsigned i = 0; i < PROBES_EVENT_ARGUMENTS; i++)
		site->operands[i] =
			(struct events_operand){.what = i % 2 ? EVENTS_MEMORY : EVENTS_VECTOR,
				.base = i % 2 ? EVENTS_NO_REGISTER : 3,
				.index = EVENTS_NO_REGISTER,
				.size = -4,
				.text = (uint8_t)(i % 2 && i / 2 < EVENTS_TEXTS ? i / 2 + 1 : 0),
				.value = i % 2 ? (uint64_t) "a text" : 0};
	for (unsigned i = 0; i < EVENTS_TESTS; i++)
		site->tests[i] = (struct events_test){
			.argument = 1, .compare = PROBES_LESS | PROBES_EQUAL | PROBES_GREATER};
	state->chance = UINT64_C(1) << 32;
	state->rings[EVENTS_WITH_STACK].left = 4;
	ck_assert_uint_le(depth(it.start), RECORDER_STACK_BYTES);
	ck_assert_uint_gt(state->rings[_i].head, 0);
	ck_assert_uint_gt(depth(it.start), ARCH_TRAMPOLINE_STACK);
}
END_TEST

Suite *small_stack_suite(void)
{
	Suite *s = suite_create("small_stack");
	TCase *t = tcase_create("");

	tcase_add_test(t, depth_of_a_count);
	tcase_add_loop_test(t, depth_of_a_pair, 0, sizeof pairs / sizeof *pairs);
	tcase_add_loop_test(t, depth_of_an_event, 0, EVENTS_RINGS);
	suite_add_tcase(s, t);
	return s;
}
