/* Redo reverts the operation that undo performed, and vice versa. */
#include "ui/tui/operations/history.h"

#include "ui/tui/terminal/mem.h"

#include <stdlib.h>

static void history_push(struct history_stack *s, struct operation *o)
{
	s->all = mem_grow(s->all, &s->capacity, s->count + 1, sizeof(struct operation *));
	s->all[s->count++] = o;
}

static void history_clear(struct history_stack *s)
{
	while (s->count)
		operation_free(s->all[--s->count]);
}

void history_done(struct history *h)
{
	history_clear(&h->done);
	history_clear(&h->undone);
	free(h->done.all);
	free(h->undone.all);
	*h = (struct history){0};
}

void history_add(struct history *h, struct operation *o)
{
	history_clear(&h->undone);
	history_push(&h->done, o);
}

const struct operation *history_last(const struct history *h, bool redo)
{
	const struct history_stack *s = redo ? &h->undone : &h->done;

	return s->count ? s->all[s->count - 1] : NULL;
}

void history_reverted(struct history *h, bool redo, struct operation *by)
{
	struct history_stack *from = redo ? &h->undone : &h->done;

	operation_free(from->all[--from->count]);
	history_push(redo ? &h->done : &h->undone, by);
}
