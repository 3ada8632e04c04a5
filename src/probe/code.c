/* Disassembly by Zydis 4, AT&T syntax as probe arguments are written in. */
#include "probe/code.h"

#include <stdio.h>
#include <string.h>

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>

static void code_line(const ZydisDecoder *decoder, const ZydisFormatter *formatter,
	const uint8_t *bytes, size_t size, struct probes_instruction *out)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction instruction;

	if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, bytes, size, &instruction, operands)) &&
		ZYAN_SUCCESS(ZydisFormatterFormatInstruction(formatter, &instruction, operands,
			instruction.operand_count_visible, out->text, sizeof out->text,
			out->address, NULL))) {
		out->length = instruction.length;
	} else {
		out->length = 1;
		snprintf(out->text, sizeof out->text, ".byte 0x%02x", bytes[0]);
	}
	memcpy(out->bytes, bytes, out->length);
}

size_t code_disassemble(const uint8_t *bytes, size_t size, uint64_t address,
	struct probes_instruction *out, size_t max)
{
	ZydisFormatter formatter;
	ZydisDecoder decoder;
	size_t count = 0;

	if (ZYAN_FAILED(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
		ZYAN_FAILED(ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT)))
		return 0;
	for (size_t at = 0; at < size && count < max; at += out[count++].length) {
		out[count] = (struct probes_instruction){.address = address + at};
		code_line(&decoder, &formatter, bytes + at, size - at, &out[count]);
	}
	return count;
}

#else

size_t code_disassemble(const uint8_t *bytes, size_t size, uint64_t address,
	struct probes_instruction *out, size_t max)
{
	(void)bytes;
	(void)size;
	(void)address;
	(void)out;
	(void)max;
	return 0;
}

#endif
