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

size_t spans_got(const struct spans *s, size_t offset, size_t length)
{
	const struct span *list = s->list.data;
	size_t low = 0, high = s->list.count, at;

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
	return list[low - 1].got - at < length ? list[low - 1].got - at : length;
}
