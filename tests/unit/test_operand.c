/*
 * Covers elf/operand and probes_arguments: every form of DESIGN section 3, strings as readelf
 * shows them of real files, broken ones; where each kind of operand is.
 */
#include "elf/operand.h"

#include "suites.h"

#include <string.h>

static const struct operand_case {
	const char *text;
	bool parsed;
	int size;
	bool is_float;
	const char *place;
} operand_cases[] = {
	{"8@%rdi", true, 8, false, "%rdi"},
	{"-4@%eax", true, -4, false, "%eax"},
	{"8@%eax", true, 8, false, "%eax"}, /* the count, not the register, is the width */
	{"1@%al", true, 1, false, "%al"},
	{"2@%r14w", true, 2, false, "%r14w"},
	{"-1@$0", true, -1, false, "$0"},
	{"-4@$-1", true, -4, false, "$-1"},
	{"8@$0x7f", true, 8, false, "$0x7f"},
	{"8@-320(%rbp)", true, 8, false, "-320(%rbp)"},
	{"4@0(%r13)", true, 4, false, "0(%r13)"},
	{"8@(%rsp)", true, 8, false, "(%rsp)"},
	{"8@8(%rax,%rbx,4)", true, 8, false, "8(%rax,%rbx,4)"},
	{"8@(,%rbx,8)", true, 8, false, "(,%rbx,8)"},
	{"-4@NBuffers(%rip)", true, -4, false, "NBuffers(%rip)"},
	{"-4@64+CheckpointStats(%rip)", true, -4, false, "64+CheckpointStats(%rip)"},
	{"8@sym@GOTPCREL(%rip)", true, 8, false, "sym@GOTPCREL(%rip)"},
	{"8f@%xmm0", true, 8, true, "%xmm0"},
	{"-8f@%xmm15", true, -8, true, "%xmm15"},
	{"4f@-12(%rbp)", true, 4, true, "-12(%rbp)"},
	{"8@%fs:0", true, 8, false, "%fs:0"},
	{"8@(%rax, %rbx)", true, 8, false, "(%rax, %rbx)"},
	{"%rax", true, 0, false, "%rax"}, /* the count may be missing */
	{"24(%rsp)", true, 0, false, "24(%rsp)"},
	{"$5", true, 0, false, "$5"},
	/* shown raw */
	{"3@%rax", false, 0, false, "3@%rax"},
	{"16@%xmm0", false, 0, false, "16@%xmm0"},
	{"@%rax", false, 0, false, "@%rax"},
	{"8@", false, 0, false, "8@"},
	{"8@%", false, 0, false, "8@%"},
	{"8@$", false, 0, false, "8@$"},
	{"f@%rax", false, 0, false, "f@%rax"},
	{"8ff@%rax", false, 0, false, "8ff@%rax"},
	{"8 @%rax", true, 0, false, "8"}, /* two items */
	{"\t8@%rax", false, 0, false, "\t8@%rax"},
	{"8@\x1b[2J", false, 0, false, "8@\x1b[2J"},
	{"99999999999999999999@%rax", false, 0, false, "99999999999999999999@%rax"},
	{"-99999999999999999999@%rax", false, 0, false, "-99999999999999999999@%rax"},
	{"-9223372036854775808@%rax", false, 0, false, "-9223372036854775808@%rax"},
	{"4294967304@%rax", false, 0, false, "4294967304@%rax"}, /* 8 in 32 bits */
	{"8@(%rax 4@%rbx", false, 0, false, "8@(%rax 4@%rbx"},
};

START_TEST(operand_forms)
{
	const struct operand_case *c = &operand_cases[_i];
	struct probes_argument a;
	const char *text = c->text;

	ck_assert(operand_next(&text, &a));
	ck_assert_str_eq(a.place, c->place);
	ck_assert_msg(a.parsed == c->parsed, "%s", c->text);
	ck_assert_int_eq(a.size, c->size);
	ck_assert_int_eq(a.is_float, c->is_float);
}
END_TEST

static const struct {
	const char *text;
	size_t count;
} operand_real[] = {
	{"", 0},
	{"   ", 0},
	{"-8@%rax 8@%rdx -4@%ecx 8@%rsi -4@%edi 8@%r8 -4@%r9d", 7}, /* libjvm */
	{"8@%r12 -4@-144(%rbp) -8@-120(%rbp) 8@%r15 1@%al", 5},
	{"-4@%r13d 4@%r12d 4@(%rbx) 4@4(%rbx) 4@8(%rbx) -4@12(%rbx) -4@%eax -4@$8192", 8}, /* pg */
	{"8@-320(%rbp) 8@-312(%rbp) 8@-304(%rbp) -4@-296(%rbp)", 4}, /* libruby */
	{"8@%rax 8@%r14 -4@%r13d 8@(%rsp) 8@16(%rsp)", 5},           /* php */
	{"8@%rdx 8@-80(%rbx)", 2},                                   /* libstdc++ */
	{"  8@%rdi   -4@$0  ", 2},
};

START_TEST(operand_counts_of_real_strings)
{
	struct probes_argument out[12];
	size_t count = probes_arguments(operand_real[_i].text, out, 12);

	ck_assert_uint_eq(count, operand_real[_i].count);
	for (size_t i = 0; i < count; i++) {
		ck_assert(out[i].parsed);
		ck_assert_int_ne(out[i].size, 0);
	}
}
END_TEST

START_TEST(operand_writes_no_more_than_asked)
{
	struct probes_argument out[3] = {0};

	memset(&out[2], '#', sizeof out[2]);
	ck_assert_uint_eq(probes_arguments("8@%rax 8@%rbx 8@%rcx 8@%rdx", out, 2), 4);
	ck_assert_str_eq(out[1].place, "%rbx");
	ck_assert_int_eq(out[2].place[0], '#');
	ck_assert_uint_eq(probes_arguments("8@%rax 8@%rbx", NULL, 0), 2);
}
END_TEST

START_TEST(operand_cuts_what_is_too_long)
{
	char text[400] = "8@";
	struct probes_argument a;
	const char *at = text;

	memset(text + 2, 'a', sizeof text - 3);
	ck_assert(operand_next(&at, &a));
	ck_assert_uint_eq(strlen(a.place), sizeof a.place - 1);
	ck_assert_int_eq(*at, '\0');
	ck_assert(!operand_next(&at, &a));
}
END_TEST

/* Whatever the bytes are: every item moves on, and the end is reached. */
START_TEST(operand_survives_anything)
{
	static const char alphabet[] = "8-@%$( )f,+a.9\x80";
	unsigned state = 12345;

	for (int round = 0; round < 20000; round++) {
		char text[24];
		size_t length = (state >> 8) % (sizeof text - 1), items = 0;
		struct probes_argument a;
		const char *at = text;

		for (size_t i = 0; i < length; i++) {
			state = state * 1103515245 + 12345;
			text[i] = alphabet[(state >> 16) % (sizeof alphabet - 1)];
		}
		state = state * 1103515245 + 12345;
		text[length] = '\0';
		while (operand_next(&at, &a)) {
			struct operand_place place;

			(void)operand_place(a.place, &place);
			ck_assert(strstr(text, a.place));
			ck_assert_uint_le(++items, length);
		}
		ck_assert_ptr_eq(at, text + length);
	}
}
END_TEST

/* ---- places ---- */

#define REGISTER(n)                                                            \
	{                                                                      \
		.what = OPERAND_REGISTER, .number = (n), .index = OPERAND_NONE \
	}
#define VECTOR(n)                                                            \
	{                                                                    \
		.what = OPERAND_VECTOR, .number = (n), .index = OPERAND_NONE \
	}
#define CONSTANT(v)                                                           \
	{                                                                     \
		.what = OPERAND_CONSTANT, .value = (v), .index = OPERAND_NONE \
	}
#define MEMORY(b, i, s, on_stack, v)                                               \
	{                                                                          \
		.what = OPERAND_MEMORY, .number = (b), .index = (i), .scale = (s), \
		.stack = (on_stack), .value = (v)                                  \
	}
#define SYMBOL(name, v)                                                                \
	{                                                                              \
		.what = OPERAND_MEMORY, .number = OPERAND_NONE, .index = OPERAND_NONE, \
		.value = (v), .symbol = (name)                                         \
	}

static const struct operand_place_case {
	const char *text;
	struct operand_place place;
} operand_places[] = {
	{"%rax", REGISTER(0)},
	{"%ecx", REGISTER(1)},
	{"%dx", REGISTER(2)},
	{"%bl", REGISTER(3)},
	{"%spl", REGISTER(4)},
	{"%rbp", REGISTER(5)},
	{"%sil", REGISTER(6)},
	{"%edi", REGISTER(7)},
	{"%r8", REGISTER(8)},
	{"%r9d", REGISTER(9)},
	{"%r15b", REGISTER(15)},
	{"$-3", CONSTANT(-3)},
	{"$0x10", CONSTANT(16)},
	{"%xmm0", VECTOR(0)},
	{"%xmm15", VECTOR(15)},
	{"-20(%rbp)", MEMORY(5, OPERAND_NONE, 1, true, -20)},
	{"(%rsp)", MEMORY(4, OPERAND_NONE, 1, true, 0)},
	{"8(%rdi)", MEMORY(7, OPERAND_NONE, 1, false, 8)},
	{"8(%rdi,%rax,4)", MEMORY(7, 0, 4, false, 8)},
	{"(%r13, %rbx)", MEMORY(13, 3, 1, false, 0)},
	{"-8(,%r9,8)", MEMORY(OPERAND_NONE, 9, 8, false, -8)},
	{"8(%rsp,%rax,1)", MEMORY(4, 0, 1, false, 8)},
	{"NBuffers(%rip)", SYMBOL("NBuffers", 0)},
	{"64+CheckpointStats(%rip)", SYMBOL("CheckpointStats", 64)},
	{"CheckpointStats+52(%rip)", SYMBOL("CheckpointStats", 52)},
	{"-4+buffer.12(%rip)", SYMBOL("buffer.12", -4)},
};

START_TEST(operand_where)
{
	const struct operand_place_case *c = &operand_places[_i];
	struct operand_place place;

	ck_assert_msg(operand_place(c->text, &place), "%s", c->text);
	ck_assert_int_eq((int)place.what, (int)c->place.what);
	ck_assert_int_eq(place.value, c->place.value);
	ck_assert_int_eq(place.stack, c->place.stack);
	if (place.what != OPERAND_CONSTANT)
		ck_assert_uint_eq(place.number, c->place.number);
	ck_assert_uint_eq(place.index, c->place.index);
	if (c->place.scale)
		ck_assert_uint_eq(place.scale, c->place.scale);
	ck_assert_int_eq(!place.symbol, !c->place.symbol);
	if (place.symbol) {
		ck_assert_uint_eq(place.symbol_length, strlen(c->place.symbol));
		ck_assert_mem_eq(place.symbol, c->place.symbol, place.symbol_length);
	}
}
END_TEST

static const char *const operand_nowhere[] = {"%ah", "%r16", "%r8x", "%", "", "$", "$3x", "8",
	"%xmm16", "%xmm", "%ymm0", "%st(0)", "%fs:0", "%rip", "(%rip)", "8(%rip)", "4+(%rip)",
	"sym@GOTPCREL(%rip)", "a b(%rip)", "8+sym+8(%rip)", "sym+x(%rip)", "99999999999(%rsp)",
	"99999999999+sym(%rip)", "8(%rsp", "()", "(,)", "(%rax,%rsp,1)", "(%rax,%rbx,3)",
	"(%rax,%rbx,44)", "(%rax,%rbx,)", "(%rax,,4)", "(%rax,%rbx,4,4)", "8(%rdi)x",
	"$99999999999999999999", "8(%xmm0)"};

START_TEST(operand_of_no_use)
{
	struct operand_place place;

	ck_assert_msg(!operand_place(operand_nowhere[_i], &place), "%s", operand_nowhere[_i]);
}
END_TEST

Suite *operand_suite(void)
{
	Suite *s = suite_create("operand");
	TCase *t = tcase_create("operand");

	tcase_add_loop_test(t, operand_forms, 0, sizeof operand_cases / sizeof *operand_cases);
	tcase_add_loop_test(
		t, operand_counts_of_real_strings, 0, sizeof operand_real / sizeof *operand_real);
	tcase_add_test(t, operand_writes_no_more_than_asked);
	tcase_add_test(t, operand_cuts_what_is_too_long);
	tcase_add_test(t, operand_survives_anything);
	tcase_add_loop_test(t, operand_where, 0, sizeof operand_places / sizeof *operand_places);
	tcase_add_loop_test(
		t, operand_of_no_use, 0, sizeof operand_nowhere / sizeof *operand_nowhere);
	suite_add_tcase(s, t);
	return s;
}
