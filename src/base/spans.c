/* Merging neighbouring reads; see spans.h. */
#include "base/spans.h"

void spans_init(struct spans *s, size_t gap, size_t longest)
{
	*s = (struct spans){.gap = gap, .longest = longest};
	array_init(&s->list, sizeof(struct span));
}

void spans_done(struct spans *s)
{
	array_done(&s->list);
}

/* Extend the last span over the item; false where a new span is wanted. */
static bool spans_merge(struct spans *s, uint64_t address, size_t length, size_t *offset)
{
	struct span *last;
	uint64_t from, end;

	if (!s->list.count)
		return false;
	last = ARRAY_AT(&s->list, struct span, s->list.count - 1);
	from = address - last->address;
	end = from + length;
	if (from > last->length && from - last->length > s->gap)
		return false;
	if (end > s->longest && end > last->length)
		return false;
	if (end > last->length) {
		s->total += end - last->length;
		last->length = end;
	}
	*offset = last->offset + from;
	return true;
}

size_t spans_add(struct spans *s, uint64_t address, size_t length)
{
	struct span *span;
	size_t offset;

	if (address > UINT64_MAX - length)
		return SIZE_MAX;
	if (s->list.count && address < ARRAY_AT(&s->list, struct span, s->list.count - 1)->address)
		return SIZE_MAX;
	if (spans_merge(s, address, length, &offset))
		return offset;
	span = array_add(&s->list);
	if (!span)
		return SIZE_MAX;
	*span = (struct span){.address = address, .length = length, .offset = s->total};
	s->total += length;
	return span->offset;
}

/* How many pieces spans_split makes of a span. */
static size_t spans_pieces(const struct span *span, size_t page)
{
	uint64_t hole = span->address + span->got, end = span->address + span->length;

	if (span->got == span->length)
		return 1;
	return (size_t)((end - 1) / page - hole / page) + 1;
}

/* The first piece has what was got and the rest of the page with the hole; each other is a page. */
static void spans_cut(const struct span *span, size_t page, size_t pieces, struct span *to)
{
	uint64_t next = span->address, end = span->address + span->length;

	for (size_t i = 0; i < pieces; i++) {
		uint64_t from = next, last = i ? from : from + span->got;

		next = last - last % page + page;
		if (i + 1 == pieces)
			next = end;
		to[i] = (struct span){.address = from,
			.length = (size_t)(next - from),
			.offset = span->offset + (size_t)(from - span->address),
			.got = i ? 0 : span->got,
			.shared = span->shared};
	}
}

bool spans_split(struct spans *s, size_t page)
{
	size_t before = s->list.count, extra = 0, at;

	for (size_t i = 0; i < before; i++)
		extra += spans_pieces(ARRAY_AT(&s->list, struct span, i), page) - 1;
	if (!extra || !array_reserve(&s->list, extra))
		return false;
	s->list.count = at = before + extra;
	/* From the end, so that nothing is overwritten before it is cut. */
	for (size_t i = before; i-- > 0;) {
		struct span span = *ARRAY_AT(&s->list, struct span, i);
		size_t pieces = spans_pieces(&span, page);

		at -= pieces;
		if (pieces > 1)
			spans_cut(&span, page, pieces, ARRAY_AT(&s->list, struct span, at));
		else
			*ARRAY_AT(&s->list, struct span, at) = span;
	}
	return true;
}

/* Was the span before this one got whole, and is this what follows it? */
static bool spans_joined(const struct spans *s, size_t i)
{
	const struct span *list = s->list.data;

	return i < s->list.count && list[i - 1].got == list[i - 1].length &&
	       list[i].address == list[i - 1].address + list[i - 1].length;
}

bool spans_whole(const struct spans *s)
{
	for (size_t i = 0; i < s->list.count; i++) {
		const struct span *span = ARRAY_AT(&s->list, struct span, i);

		if (span->got != span->length)
			return false;
	}
	return true;
}

size_t spans_got(const struct spans *s, size_t offset, size_t length)
{
	const struct span *list = s->list.data;
	size_t low = 0, high = s->list.count, at, got;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	at = offset - list[low - 1].offset;
	if (at >= list[low - 1].got)
		return 0;
	/* One that was cut goes on in the next, if it got so far. */
	for (got = list[low - 1].got - at; got < length && spans_joined(s, low); low++)
		got += list[low].got;
	return got < length ? got : length;
}
