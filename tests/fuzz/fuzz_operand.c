/*
 * Argument strings: every item moves on, none reaches over the end, as many are counted as are cut,
 * sizes are those there are, and what was understood reads the same when it is written out again.
 */
#include "elf/operand.h"

#include "tests/fuzz/fuzz.h"

static void written_again(const struct probes_argument *one)
{
	struct probes_argument again;
	char text[sizeof one->place + 16];
	const char *at = text;

	if (one->size)
		snprintf(text, sizeof text, "%d%s@%s", one->size, one->is_float ? "f" : "",
			one->place);
	else
		snprintf(text, sizeof text, "%s", one->place);
	FUZZ_CHECK(operand_next(&at, &again));
	FUZZ_CHECK(!*at && again.parsed);
	FUZZ_CHECK(again.size == one->size && again.is_float == one->is_float);
	FUZZ_CHECK(!strcmp(again.place, one->place));
	FUZZ_CHECK(!operand_next(&at, &again));
}

static void one_item(const struct probes_argument *one)
{
	int width = one->size < 0 ? -one->size : one->size;
	size_t length = strlen(one->place);

	FUZZ_CHECK(length && length < sizeof one->place);
	FUZZ_CHECK(width == 0 || width == 1 || width == 2 || width == 4 || width == 8);
	FUZZ_CHECK(width || !one->is_float);
	FUZZ_CHECK(one->parsed || !width);
	for (size_t i = 0; one->parsed && i < length; i++)
		FUZZ_CHECK(one->place[i] >= ' ' && one->place[i] < 0x7f);
	/* One that was cut to fit is no longer what it was. */
	if (one->parsed && length < sizeof one->place - 1)
		written_again(one);
}

static void where(const struct probes_argument *one)
{
	struct operand_place place;

	if (!operand_place(one->place, &place))
		return;
	FUZZ_CHECK(place.number <= OPERAND_NONE && place.index <= OPERAND_NONE);
	FUZZ_CHECK(place.what == OPERAND_MEMORY || place.number < OPERAND_NONE);
	FUZZ_CHECK(!place.symbol ||
		   (place.symbol >= one->place && place.symbol_length &&
			   place.symbol + place.symbol_length < one->place + strlen(one->place)));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = fuzz_text(bytes, size);
	struct probes_argument one, few[3];
	const char *at = text, *before = text, *end = text + strlen(text);
	size_t count = 0;

	while (operand_next(&at, &one)) {
		FUZZ_CHECK(at > before && at <= end);
		before = at;
		one_item(&one);
		where(&one);
		count++;
	}
	FUZZ_CHECK(at == end);
	FUZZ_CHECK(probes_arguments(text, few, 3) == count);
	FUZZ_CHECK(probes_arguments(text, NULL, 0) == count);
	free(text);
	return 0;
}
