/* Which names of a session are unambiguous? Escapes names; the engine unescapes them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ui/words/probe_name.h"

/* Flags of a probe: needs "provider:name"; several objects have this "provider:name". */
enum { FULL = 1, SHARED = 2 };

static int compare(const void *x, const void *y, void *session)
{
	const struct probes_probe *a = probes_at(session, *(const size_t *)x);
	const struct probes_probe *b = probes_at(session, *(const size_t *)y);
	int c = strcmp(a->name, b->name);

	return c ? c : strcmp(a->provider, b->provider);
}

int probe_name_init(struct probe_name *s, const struct probes_session *session)
{
	size_t n = probes_count(session);
	size_t *order = calloc(n + 1, sizeof *order);

	*s = (struct probe_name){.session = session, .flags = calloc(n + 1, 1)};
	if (!order || !s->flags) {
		free(order);
		probe_name_done(s);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		order[i] = i;
		/* The engine would parse "x:y" as provider x. */
		if (strchr(probes_at(session, i)->name, ':'))
			s->flags[i] = FULL;
	}
	qsort_r(order, n, sizeof *order, compare, (void *)session);
	for (size_t i = 1; i < n; i++) {
		const struct probes_probe *x = probes_at(session, order[i - 1]);
		const struct probes_probe *y = probes_at(session, order[i]);
		unsigned char flags = strcmp(x->provider, y->provider) ? FULL : FULL | SHARED;

		if (strcmp(x->name, y->name))
			continue;
		s->flags[order[i - 1]] |= flags;
		s->flags[order[i]] |= flags;
	}
	free(order);
	return 0;
}

void probe_name_done(struct probe_name *s)
{
	free(s->flags);
	s->flags = NULL;
}

/* Escape text to position "at" of a buffer; past its end only measure. Returns the length. */
static size_t append(const char *text, char *out, size_t size, size_t at)
{
	return at < size ? probes_escape(text, out + at, size - at) : probes_escape(text, NULL, 0);
}

/* As append, but escape commas too: they separate names on the command line. */
static size_t append_word(const char *text, char *out, size_t size, size_t at)
{
	/* Nearly all names need no escaping. */
	static const bool plain[256] = {
		['0' ... '9'] = true,
		['A' ... 'Z'] = true,
		['a' ... 'z'] = true,
		['-'] = true,
		['.'] = true,
		['_'] = true,
	};
	size_t n = 0;

	while (plain[(unsigned char)text[n]])
		n++;
	if (!text[n] && at + n < size) {
		memcpy(out + at, text, n + 1);
		return n;
	}
	n = 0;
	for (const char *comma; (comma = strchr(text, ',')); text = comma + 1) {
		char *part = strndup(text, comma - text);

		n += append(part ? part : "", out, size, at + n);
		free(part);
		if (at + n + 4 < size)
			memcpy(out + at + n, "\\x2c", 5);
		n += 4;
	}
	return n + append(text, out, size, at + n);
}

size_t probe_name_full(const struct probes_probe *probe, char *out, size_t size)
{
	size_t n = append_word(probe->provider, out, size, 0);

	if (n + 1 < size)
		memcpy(out + n, ":", 2);
	n++;
	return n + append_word(probe->name, out, size, n);
}

size_t probe_name_short(const struct probe_name *s, size_t probe, char *out, size_t size)
{
	const struct probes_probe *p = probes_at(s->session, probe);

	if (s->flags[probe] & FULL)
		return probe_name_full(p, out, size);
	return append_word(p->name, out, size, 0);
}

bool probe_name_shared(const struct probe_name *s, size_t probe)
{
	return s->flags[probe] & SHARED;
}

const char *probe_name_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}
