/*
 * Covers elf/location: registers under both of their numbers, memory through a register, through
 * the frame of a function with and without a frame pointer, addresses; what is a computed value, a
 * part, or out of range lies nowhere; and which operand reads there.
 */
#include "elf/location.h"

#include "suites.h"

#include <dwarf.h>

/* The frame 48 bytes above rsp, as code without a frame pointer has it. */
static const struct operand_place location_cfa = {
	.what = OPERAND_MEMORY, .number = 4, .index = OPERAND_NONE, .scale = 1, .value = 48};

static const struct location_case {
	Dwarf_Op ops[3];
	size_t count;
	const char *operand; /* that reads there; NULL: it lies nowhere */
	const char *other;   /* that does not */
} location_cases[] = {
	{{{.atom = DW_OP_reg0}}, 1, "%eax", "%rcx"},
	{{{.atom = DW_OP_reg1}}, 1, "%dl", "%rcx"},
	{{{.atom = DW_OP_reg2}}, 1, "%cx", "%rdx"},
	{{{.atom = DW_OP_reg3}}, 1, "%rbx", "(%rbx)"},
	{{{.atom = DW_OP_reg4}}, 1, "%rsi", "%rsp"},
	{{{.atom = DW_OP_reg5}}, 1, "%edi", "%rbp"},
	{{{.atom = DW_OP_reg6}}, 1, "%rbp", "%rsi"},
	{{{.atom = DW_OP_reg7}}, 1, "%rsp", "%rdi"},
	{{{.atom = DW_OP_reg8}}, 1, "%r8d", "%r9"},
	{{{.atom = DW_OP_reg15}}, 1, "%r15", "%xmm15"},
	{{{.atom = DW_OP_regx, .number = 12}}, 1, "%r12", "%r13"},
	{{{.atom = DW_OP_reg17}}, 1, "%xmm0", "%rax"},
	{{{.atom = DW_OP_regx, .number = 32}}, 1, "%xmm15", "%r15"},
	{{{.atom = DW_OP_breg6, .number = (Dwarf_Word)-20}}, 1, "-20(%rbp)", "-24(%rbp)"},
	{{{.atom = DW_OP_breg7, .number = 8}}, 1, "8(%rsp)", "8(%rbp)"},
	{{{.atom = DW_OP_breg0}}, 1, "(%rax)", "(%rax,%rbx,4)"},
	{{{.atom = DW_OP_bregx, .number = 3, .number2 = 16}}, 1, "16(%rbx)", "$16"},
	{{{.atom = DW_OP_fbreg, .number = (Dwarf_Word)-40}}, 1, "8(%rsp)", "-40(%rbp)"},
	{{{.atom = DW_OP_call_frame_cfa}, {.atom = DW_OP_plus_uconst, .number = (Dwarf_Word)-8}}, 2,
		"40(%rsp)", "48(%rsp)"},
	/* Nowhere. */
	{{{.atom = DW_OP_reg16}}, 1, NULL, "%rax"},
	{{{.atom = DW_OP_regx, .number = 33}}, 1, NULL, "%xmm15"},
	{{{.atom = DW_OP_regx, .number = UINT64_MAX}}, 1, NULL, "%rax"},
	{{{.atom = DW_OP_bregx, .number = 17}}, 1, NULL, "(%rax)"},
	{{{.atom = DW_OP_breg0, .number = UINT64_C(1) << 31}}, 1, NULL, "(%rax)"},
	{{{.atom = DW_OP_fbreg, .number = INT64_MAX}}, 1, NULL, "(%rsp)"},
	{{{.atom = DW_OP_reg0}, {.atom = DW_OP_stack_value}}, 2, NULL, "%rax"},
	{{{.atom = DW_OP_breg0}, {.atom = DW_OP_stack_value}}, 2, NULL, "(%rax)"},
	{{{.atom = DW_OP_reg0}, {.atom = DW_OP_piece, .number = 4}}, 2, NULL, "%rax"},
	{{{.atom = DW_OP_reg0}, {.atom = DW_OP_plus_uconst, .number = 4}}, 2, NULL, "%rax"},
	{{{.atom = DW_OP_addr}, {.atom = DW_OP_plus_uconst, .number = 4}}, 2, NULL, "%rax"},
	{{{.atom = DW_OP_lit3}}, 1, NULL, "$3"},
	{{{.atom = DW_OP_entry_value}}, 1, NULL, "%rax"},
	{{{0}}, 0, NULL, "%rax"},
	{{{.atom = DW_OP_reg0}, {0}, {0}}, 3, NULL, "%rax"},
};

START_TEST(location_forms)
{
	const struct location_case *c = &location_cases[_i];
	struct operand_place at, operand;

	ck_assert_msg(location_place(c->ops, c->count, &location_cfa, &location_cfa, &at) ==
			      (c->operand != NULL),
		"case %d", _i);
	if (!c->operand)
		return;
	ck_assert(operand_place(c->operand, &operand));
	ck_assert_msg(location_is(&at, &operand), "%s", c->operand);
	ck_assert(operand_place(c->other, &operand));
	ck_assert_msg(!location_is(&at, &operand), "%s", c->other);
}
END_TEST

/* An address is compared by whoever knows symbols. */
START_TEST(location_addresses)
{
	const Dwarf_Op address = {.atom = DW_OP_addr, .number = UINT64_C(0x7f0000004010)};
	struct operand_place at, operand;

	ck_assert(location_place(&address, 1, NULL, NULL, &at));
	ck_assert_int_eq(at.what, OPERAND_MEMORY);
	ck_assert_int_eq(at.number, OPERAND_NONE);
	ck_assert(at.value == INT64_C(0x7f0000004010));
	ck_assert(operand_place("counter(%rip)", &operand));
	ck_assert(!location_is(&at, &operand));
}
END_TEST

/* The base of a frame is what a register holds: rbp, as clang says it. */
START_TEST(location_frames)
{
	const Dwarf_Op rbp = {.atom = DW_OP_reg6}, fbreg = {.atom = DW_OP_fbreg, .number = 4};
	const Dwarf_Op cfa = {.atom = DW_OP_call_frame_cfa}, xmm = {.atom = DW_OP_reg17};
	struct operand_place frame, at, operand;

	ck_assert(location_frame(&rbp, 1, NULL, &frame));
	ck_assert(location_place(&fbreg, 1, &frame, NULL, &at));
	ck_assert(operand_place("4(%rbp)", &operand));
	ck_assert(location_is(&at, &operand));
	ck_assert(location_frame(&cfa, 1, &location_cfa, &frame));
	ck_assert(location_place(&fbreg, 1, &frame, NULL, &at));
	ck_assert(operand_place("52(%rsp)", &operand));
	ck_assert(location_is(&at, &operand));
	/* Unknown: it would have to be guessed. */
	ck_assert(!location_frame(&cfa, 1, NULL, &frame));
	ck_assert(!location_frame(&xmm, 1, NULL, &frame));
	ck_assert(!location_place(&fbreg, 1, NULL, &location_cfa, &at));
}
END_TEST

Suite *location_suite(void)
{
	Suite *s = suite_create("location");
	TCase *t = tcase_create("location");

	tcase_add_loop_test(
		t, location_forms, 0, (int)(sizeof location_cases / sizeof *location_cases));
	tcase_add_test(t, location_addresses);
	tcase_add_test(t, location_frames);
	suite_add_tcase(s, t);
	return s;
}
