#include "elf/location.h"

#include <dwarf.h>

#define LOCATION_VECTOR 17 /* the first of 16 */

uint8_t location_general(unsigned number)
{
	/* rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp */
	static const uint8_t low[8] = {0, 2, 1, 3, 6, 7, 5, 4};

	return number < 8 ? low[number] : (uint8_t)number;
}

static bool location_register(uint64_t number, struct operand_place *out)
{
	out->index = OPERAND_NONE;
	if (number < LOCATION_GENERAL) {
		out->what = OPERAND_REGISTER;
		out->number = location_general((unsigned)number);
		return true;
	}
	out->what = OPERAND_VECTOR;
	out->number = (uint8_t)(number - LOCATION_VECTOR);
	return number >= LOCATION_VECTOR && number < LOCATION_VECTOR + 16;
}

/* Memory `offset` bytes behind a place in memory. */
static bool location_behind(
	const struct operand_place *from, uint64_t offset, struct operand_place *out)
{
	if (!from || from->what != OPERAND_MEMORY || from->number >= OPERAND_NONE)
		return false;
	*out = *from;
	out->value = (int64_t)((uint64_t)from->value + offset);
	return out->value == (int32_t)out->value;
}

static bool location_memory(uint64_t number, uint64_t offset, struct operand_place *out)
{
	struct operand_place at = {.scale = 1};

	if (!location_register(number, &at) || at.what != OPERAND_REGISTER)
		return false;
	at.what = OPERAND_MEMORY;
	at.stack = at.number == 4 || at.number == 5;
	return location_behind(&at, offset, out);
}

bool location_place(const Dwarf_Op *ops, size_t count, const struct operand_place *frame,
	const struct operand_place *cfa, struct operand_place *out)
{
	struct operand_place at = {.scale = 1, .index = OPERAND_NONE};
	bool known;

	if (count < 1 || count > 2)
		return false;
	switch (ops->atom) {
	case DW_OP_reg0 ... DW_OP_reg31:
		known = location_register(ops->atom - DW_OP_reg0, &at);
		break;
	case DW_OP_regx:
		known = location_register(ops->number, &at);
		break;
	case DW_OP_breg0 ... DW_OP_breg31:
		known = location_memory(ops->atom - DW_OP_breg0, ops->number, &at);
		break;
	case DW_OP_bregx:
		known = location_memory(ops->number, ops->number2, &at);
		break;
	case DW_OP_fbreg:
		known = location_behind(frame, ops->number, &at);
		break;
	case DW_OP_call_frame_cfa:
		known = location_behind(cfa, 0, &at);
		break;
	case DW_OP_addr:
		at.what = OPERAND_MEMORY;
		at.number = OPERAND_NONE;
		at.value = (int64_t)ops->number;
		known = count == 1;
		break;
	default:
		known = false;
	}
	*out = at;
	if (!known || count == 1)
		return known;
	return ops[1].atom == DW_OP_plus_uconst && location_behind(&at, ops[1].number, out);
}

bool location_frame(const Dwarf_Op *ops, size_t count, const struct operand_place *cfa,
	struct operand_place *out)
{
	if (!location_place(ops, count, NULL, cfa, out))
		return false;
	if (out->what == OPERAND_REGISTER) {
		out->what = OPERAND_MEMORY;
		out->scale = 1;
	}
	return out->what == OPERAND_MEMORY;
}

bool location_is(const struct operand_place *location, const struct operand_place *operand)
{
	if (location->what != operand->what || operand->symbol ||
		location->number != operand->number)
		return false;
	return location->what != OPERAND_MEMORY ||
	       (operand->index == OPERAND_NONE && location->number < OPERAND_NONE &&
		       location->value == operand->value);
}
