/*
 * The public calls that look closer at one site: where it lies in the source, how its arguments are
 * called there, and the instructions around it.
 */
#include "session/session.h"

#include "arch/arch.h"
#include "elf/reading.h"
#include "elf/symbols.h"
#include "process/mapped.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DETAIL_BEFORE 3   /* instructions shown before the site */
#define DETAIL_REACH 4096 /* how far back a function may begin, bytes */
#define DETAIL_AFTER 64   /* bytes read behind the site */

static const struct probes_site *detail_find(const struct probes_session *s, size_t probe,
	size_t site, struct object_probes **object_probes)
{
	size_t local;

	*object_probes = catalog_find(&s->catalog, probe, &local);
	return site < (*object_probes)->probes[local].site_count
		       ? &(*object_probes)->probes[local].sites[site]
		       : NULL;
}

static bool detail_wake_by_path(struct object_probes *h)
{
	return object_wake(h->file, open(h->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

void detail_rest(struct object_probes *h)
{
	int fd = h->file ? h->file->fd : -1;

	symbols_close(h->symbols);
	h->symbols = NULL;
	if (fd < 0)
		return;
	fd = dup(fd);
	object_rest(h->file);
	if (detail_wake_by_path(h))
		object_rest(h->file);
	else
		h->file->fd = fd;
	if (h->file->fd < 0 && fd >= 0)
		close(fd);
}

int detail_open(struct probes_session *s, struct object_probes *h)
{
	struct stat st;
	int fd = -1;

	if (h->file && h->file->fd >= 0)
		return dup(h->file->fd);
	/* It was closed: of an object without probes, or when descriptors are scarce
	 * (object_probes_new). */
	if (s->process && !h->info.gone && !(h->file && s->who.ended))
		fd = mapped_reopen(&s->who, &h->location, h->info.executable);
	if (h->file) {
		if (!(s->who.ended ? detail_wake_by_path(h) : object_wake(h->file, fd)))
			return -1;
		fd = dup(h->file->fd);
		object_rest(h->file);
		return fd;
	}
	/* A path may name another file by now. */
	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
			       (h->location.inode && st.st_ino != h->location.inode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

struct symbols *detail_symbols(struct probes_session *s, struct object_probes *h)
{
	int fd;

	if (h->symbols)
		return h->symbols;
	for (struct object_probes *other = catalog_first(&s->catalog); reading_crowded() && other;
		other = other->next) {
		symbols_close(other->symbols);
		other->symbols = NULL;
	}
	fd = detail_open(s, h);
	if (fd >= 0) {
		h->symbols = symbols_open(fd, h->path);
		close(fd);
	}
	return h->symbols;
}

void probes_source(struct probes_session *s, size_t probe, size_t site, struct probes_source *where)
{
	struct object_probes *h;
	const struct probes_site *at = detail_find(s, probe, site, &h);

	memset(where, 0, sizeof *where);
	if (!at)
		return;
	if (h->described) {
		const struct probes_described_site *d = h->described[at - h->sites];

		snprintf(where->function, sizeof where->function, "%s",
			d->function ? d->function : "");
		snprintf(where->file, sizeof where->file, "%s", d->file ? d->file : "");
		where->offset = d->offset;
		where->line = d->line;
		return;
	}
	if (detail_symbols(s, h))
		symbols_find(h->symbols, at->pc, where);
}

/*
 * What the arguments of a site are called: NUL-terminated, one behind the other; "" is unknown.
 * `symbols`: or NULL. NULL: no memory.
 */
static char *detail_name(struct symbols *symbols, const struct probes_site *at)
{
	struct variables_wanted wanted[PROBES_EVENT_ARGUMENTS] = {0};
	struct probes_argument all[PROBES_EVENT_ARGUMENTS];
	size_t count = probes_arguments(at->arguments, all, PROBES_EVENT_ARGUMENTS), size = 0;
	char *names;

	if (count > PROBES_EVENT_ARGUMENTS)
		count = PROBES_EVENT_ARGUMENTS;
	for (size_t i = 0; i < count; i++)
		if (all[i].parsed && operand_place(all[i].place, &wanted[i].place))
			wanted[i].size = (unsigned)abs(all[i].size);
	if (count && symbols)
		symbols_variables(symbols, at->pc, wanted, count);
	for (size_t i = 0; i < PROBES_EVENT_ARGUMENTS; i++)
		size += strlen(wanted[i].name) + 1;
	names = malloc(size);
	size = 0;
	for (size_t i = 0; names && i < PROBES_EVENT_ARGUMENTS; i++) {
		memcpy(names + size, wanted[i].name, strlen(wanted[i].name) + 1);
		size += strlen(wanted[i].name) + 1;
	}
	return names;
}

const char *probes_argument_name(
	struct probes_session *s, size_t probe, size_t site, unsigned argument)
{
	struct object_probes *h;
	const struct probes_site *at = detail_find(s, probe, site, &h);
	const char *name;
	size_t i;

	if (!at || argument < 1 || argument > PROBES_EVENT_ARGUMENTS)
		return NULL;
	i = (size_t)(at - h->sites);
	if (h->described)
		return h->described[i]->names[argument - 1];
	if (!h->names)
		h->names = calloc(h->site_count, sizeof *h->names);
	if (!h->names)
		return NULL;
	/* Without symbols all are unknown, once and for all: events ask again and again. */
	if (!h->names[i])
		h->names[i] = detail_name(detail_symbols(s, h), at);
	name = h->names[i];
	if (!name)
		return NULL;
	for (; argument > 1; argument--)
		name += strlen(name) + 1;
	return *name ? name : NULL;
}

size_t probes_code(struct probes_session *s, size_t probe, size_t site,
	struct probes_instruction *out, size_t max)
{
	uint8_t bytes[DETAIL_REACH + DETAIL_AFTER];
	uint64_t last[DETAIL_BEFORE], start, from, next;
	struct probes_instruction one;
	struct probes_source where;
	struct spans code;
	struct object_probes *h;
	const struct probes_site *at = detail_find(s, probe, site, &h);
	size_t got;

	if (!at || h->info.gone || h->described)
		return 0;
	probes_source(s, probe, site, &where);
	start = at->pc;
	if (where.function[0] && where.offset <= DETAIL_REACH)
		start = at->pc - where.offset;
	/* From memory, or from the file where there is no process. */
	got = at->pc - start + DETAIL_AFTER;
	spans_init(&code, 0, SIZE_MAX);
	if (spans_add(&code, (s->process ? h->info.bias : 0) + start, got) != 0)
		got = 0;
	else if (!s->process)
		object_read_spans(h->file, &code, bytes);
	else if (s->memory.ops->read(&s->memory, &code, bytes) < 0)
		got = 0;
	got = got ? spans_got(&code, 0, got) : 0;
	spans_done(&code);
	if (got <= at->pc - start)
		return 0;
	/* Walk from the start of the function to the site, and show it from the third instruction
	   before the site, if one begins at the site. */
	for (size_t i = 0; i < DETAIL_BEFORE; i++)
		last[i] = start;
	for (next = start; next < at->pc; next += one.length) {
		size_t offset = next - start;

		if (offset >= got || !arch_disassemble(bytes + offset, got - offset, next, &one, 1))
			break;
		memmove(last, last + 1, (DETAIL_BEFORE - 1) * sizeof *last);
		last[DETAIL_BEFORE - 1] = next;
	}
	from = next == at->pc ? last[0] : at->pc;
	return arch_disassemble(bytes + (from - start), got - (from - start),
		(s->process ? h->info.bias : 0) + from, out, max);
}

const uint8_t *probes_site_original(const struct probes_session *s, size_t probe, size_t site)
{
	static const uint8_t none[ARCH_SITE_BYTES];
	size_t local;
	const struct object_probes *h = catalog_find(&s->catalog, probe, &local);

	if (h->no_code)
		return NULL;
	return h->original ? h->original[object_probes_site(h, &h->probes[local]) + site] : none;
}
