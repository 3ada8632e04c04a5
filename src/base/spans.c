#include "base/spans.h"

#include "base/order.h"

void spans_init(struct spans *s, size_t gap, size_t longest)
{
	*s = (struct spans){.gap = gap, .longest = longest};
	s->list = ARRAY_OF(struct span);
}

void spans_done(struct spans *s)
{
	array_done(&s->list);
}

size_t spans_add(struct spans *s, uint64_t address, size_t length)
{
	struct span *span = s->list.data;

	span = s->list.count ? span + s->list.count - 1 : NULL;
	if (address > UINT64_MAX - length || (span && address < span->address))
		return SIZE_MAX;
	if (span) {
		uint64_t from = address - span->address, end = from + length;
		bool near = from <= span->length || from - span->length <= s->gap;

		if (near && (end <= s->longest || end <= span->length)) {
			if (end > span->length) {
				s->total += end - span->length;
				span->length = end;
			}
			return span->offset + from;
		}
	}
	if (!array_push(&s->list,
		    &(struct span){.address = address, .length = length, .offset = s->total}))
		return SIZE_MAX;
	s->total += length;
	return s->total - length;
}

/* How many pieces spans_split makes of a span. */
static size_t spans_pieces(const struct span *span, size_t page)
{
	uint64_t hole = span->address + span->got, end = span->address + span->length;

	if (span->got == span->length)
		return 1;
	return (size_t)((end - 1) / page - hole / page) + 1;
}

bool spans_split(struct spans *s, size_t page)
{
	size_t before = s->list.count, extra = 0, at;

	for (size_t i = 0; i < before; i++)
		extra += spans_pieces(ARRAY_AT(&s->list, struct span, i), page) - 1;
	if (!extra || !array_reserve(&s->list, extra))
		return false;
	s->list.count = at = before + extra;
	/* From the end, so that no span is overwritten before it is split. */
	for (size_t i = before; i-- > 0;) {
		struct span span = *ARRAY_AT(&s->list, struct span, i), *to;
		size_t pieces = spans_pieces(&span, page);
		uint64_t from = span.address, next;

		at -= pieces;
		to = ARRAY_AT(&s->list, struct span, at);
		*to = span;
		/* The first piece ends with the page of the hole, each other is one page. */
		for (size_t k = 0; pieces > 1 && k < pieces; k++, from = next) {
			uint64_t last = k ? from : from + span.got;

			next = last - last % page + page;
			if (k + 1 == pieces)
				next = span.address + span.length;
			to[k] = (struct span){.address = from,
				.length = (size_t)(next - from),
				.offset = span.offset + (size_t)(from - span.address),
				.got = k ? 0 : span.got,
				.shared = span.shared};
		}
	}
	return true;
}

bool spans_whole(const struct spans *s)
{
	ARRAY_EACH(const struct span, span, &s->list)
		if (span->got != span->length)
			return false;
	return true;
}

size_t spans_got(const struct spans *s, size_t offset, size_t length)
{
	const struct span *list = s->list.data;
	size_t next, at, got;

	ORDER_FIND(next, s->list.count, list[next].offset <= offset);
	if (!next)
		return 0;
	at = offset - list[next - 1].offset;
	if (at >= list[next - 1].got)
		return 0;
	/* A split span continues in the next one, if it was read to its end. */
	got = list[next - 1].got - at;
	for (; got < length && next < s->list.count; next++) {
		const struct span *last = &list[next - 1];

		if (last->got < last->length || list[next].address != last->address + last->length)
			break;
		got += list[next].got;
	}
	return got < length ? got : length;
}
