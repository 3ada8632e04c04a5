#include "count/arena.h"

#include "base/order.h"
#include "base/spans.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define ARENA_SEALS_FIRST F_SEAL_SHRINK /* while it grows */
#define ARENA_SEALS (F_SEAL_SHRINK | F_SEAL_GROW)
#define ARENA_SEALS_ALL (ARENA_SEALS | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL)
#define ARENA_GAP 256
#define ARENA_LONGEST (1 << 20)

size_t arena_head_size(size_t sites)
{
	size_t size = sites * sizeof(struct arena_mark) +
		      ARENA_HOLDERS * (sizeof(struct arena_holder) + (sites + 7) / 8);

	return (size + 63) / 64 * 64; /* counters have cache lines of their own */
}

size_t arena_records_size(size_t sites)
{
	return (sizeof(struct arena_head) + sites * sizeof(struct arena_site) + 63) / 64 * 64;
}

/* Where its data is mapped here. */
static unsigned char *arena_here(const struct arena *w)
{
	return w->file + w->file_size - w->data_size;
}

/* The data but the state: what is read again and again. */
static size_t arena_counters_end(const struct arena *w)
{
	return w->data_size - TACTICS_STATE_BYTES;
}

/* ---- making ---- */

static void arena_fill(struct arena *w, const struct tactics *t)
{
	struct arena_head head = {.magic = ARENA_MAGIC,
		.data_size = w->data_size,
		.code_size = w->code_size,
		.recorder = w->recorder,
		.site_count = w->site_count,
		.owner = (uint64_t)getpid(),
		.file_size = w->file_size,
		.serial = w->serial,
		.cookie = ARCH_COOKIE_DISTINCT};
	size_t at = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct tactics_site *s = &t->sites[i];
		struct arena_site *to = &w->sites[at];

		if (!s->wanted || s->result != TACTICS_PLANNED)
			continue;
		*to = (struct arena_site){.address = s->address,
			.counter = s->counter - w->data,
			.tactic = s->tactic,
			.length = s->length};
		memcpy(to->old, s->code, ARCH_SITE_BYTES);
		memcpy(to->new_, s->bytes, ARCH_SITE_BYTES);
		if (s->code_size > sizeof to->behind)
			memcpy(to->behind, s->code + 1, sizeof to->behind);
		else if (s->code_size)
			memcpy(to->behind, s->code + 1, s->code_size - 1u);
		at++;
	}
	memcpy(w->file, t->code, t->code_size);
	memcpy(w->file, &head, sizeof head);
	memcpy(w->file + sizeof head, w->sites, w->site_count * sizeof *w->sites);
}

/* Those of them that this kernel has; or a negative errno. */
static int arena_seals_last(void)
{
	int fd = memfd_create("seals", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	bool known;

	if (fd < 0)
		return -errno;
	known = fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) == 0;
	close(fd);
	return F_SEAL_SEAL | (known ? F_SEAL_FUTURE_WRITE : 0);
}

int arena_make(struct arena *w, int fd, const struct tactics *t, bool locked, uint64_t serial,
	const struct recorder_sealed *sealed, struct array *landing_pages)
{
	size_t page;
	size_t state = locked ? 0 : TACTICS_STATE_BYTES;
	struct rlimit most;
	uint64_t last = 0;

	*w = (struct arena){.address = t->arena + TACTICS_OWN_BYTES + t->data_size,
		.data = t->arena + TACTICS_OWN_BYTES,
		.serial = serial,
		.data_size = t->data_size,
		.code_size = t->code_size,
		.recorder = (t->records_size + 63) / 64 * 64,
		.site_count = t->planned};
	w->landings = ARRAY_OF(struct tactics_landing);
	*landing_pages = ARRAY_OF(uint64_t);
	w->sites = calloc(t->planned + 1, sizeof *w->sites);
	if (!w->sites || !array_reserve(&w->landings, t->landings.count))
		return -ENOMEM;
	w->landings.count = t->landings.count;
	if (w->landings.count) { /* a call needs none */
		memcpy(w->landings.data, t->landings.data, t->landings.count * t->landings.size);
		if (!order_array(&w->landings, offsetof(struct tactics_landing, address)))
			return -ENOMEM;
	}
	ARRAY_EACH(const struct tactics_landing, l, &w->landings) {
		uint64_t of = l->address & -(uint64_t)TACTICS_PAGE;

		if ((!landing_pages->count || of != last) && !array_push(landing_pages, &of))
			return -ENOMEM;
		last = of;
	}
	w->file_size = t->code_size + landing_pages->count * TACTICS_PAGE + t->data_size;
	/* A file that grows beyond it raises SIGXFSZ, which would end us and leave the memory open
	 * in the process. */
	if (getrlimit(RLIMIT_FSIZE, &most) == 0 && w->file_size > most.rlim_cur)
		return -EFBIG;
	/* Allocated now, and charged to us: a process at its memory limit must not be killed by a
	   hit. */
	/* If the process could shrink it, our reads would end in SIGBUS. */
	if (fcntl(fd, F_ADD_SEALS, ARENA_SEALS_FIRST) < 0 ||
		ftruncate(fd, (off_t)w->file_size) < 0 ||
		fallocate(fd, 0, 0, (off_t)(w->file_size - state)) < 0 ||
		fcntl(fd, F_ADD_SEALS, ARENA_SEALS) < 0)
		return -errno;
	w->file = mmap(NULL, w->file_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (w->file == MAP_FAILED) {
		w->file = NULL;
		return -errno;
	}
	arena_fill(w, t);
	memcpy(w->file + w->recorder + recorder_sealed_at(), sealed, sizeof *sealed);
	page = 0;
	ARRAY_EACH(const struct tactics_landing, l, &w->landings) {
		uint8_t code[TACTICS_LANDING_BYTES];

		while (*ARRAY_AT(landing_pages, uint64_t, page) + TACTICS_PAGE <= l->address)
			page++;
		tactics_write_landing(l, code);
		memcpy(w->file + w->code_size + page * TACTICS_PAGE + l->address % TACTICS_PAGE,
			code, l->size);
	}
	w->seals = arena_seals_last();
	return w->seals < 0 ? w->seals : 0;
}

bool arena_is_sealed(int seals)
{
	return seals & ARENA_SEALS_FIRST && !(seals & ~ARENA_SEALS_ALL);
}

/* ---- reading ---- */

bool arena_lies(const struct arena *w, struct memory *m)
{
	char magic[sizeof ARENA_MAGIC - 1];

	return memory_read(m, w->address, magic, sizeof magic) &&
	       !memcmp(magic, ARENA_MAGIC, sizeof magic);
}

static bool arena_is_sound(const struct arena_head *head, uint64_t address, uint64_t mapped)
{
	/* There is room for every site that was asked for, whether it was planned or not. */
	uint64_t most = arena_head_size(ARENA_SITES) + ARENA_SITES * TACTICS_COUNTER_BYTES +
			TACTICS_STATE_BYTES;

	return !memcmp(head->magic, ARENA_MAGIC, sizeof head->magic) && head->data_size <= most &&
	       head->data_size % TACTICS_PAGE == 0 && head->site_count <= ARENA_SITES &&
	       arena_head_size(head->site_count) + TACTICS_STATE_BYTES <= head->data_size &&
	       head->data_size + TACTICS_OWN_BYTES <= address && head->code_size <= mapped &&
	       arena_records_size(head->site_count) <= head->recorder &&
	       head->recorder <= head->code_size &&
	       recorder_sealed_at() + sizeof(struct recorder_sealed) <=
		       head->code_size - head->recorder &&
	       head->file_size <= mapped && head->file_size >= head->data_size &&
	       head->file_size - head->data_size >= head->code_size;
}

static bool arena_site_is_sound(const struct arena *w, const struct arena_site *s)
{
	return s->length && s->length <= ARCH_SITE_BYTES && s->counter % 64 == 0 &&
	       s->counter >= arena_head_size(w->site_count) &&
	       s->counter <= arena_counters_end(w) &&
	       arena_counters_end(w) - s->counter >= TACTICS_COUNTER_BYTES &&
	       s->tactic <= PROBES_TACTIC_KERNEL;
}

enum arena_found arena_read(
	struct arena *w, struct memory *m, uint64_t address, uint64_t mapped, struct budget *budget)
{
	struct arena_head head;
	uint64_t cookie;
	bool sound;

	*w = (struct arena){.address = address};
	w->landings = ARRAY_OF(struct tactics_landing);
	w->counters = ARRAY_OF(uint64_t);
	if (!memory_read(m, address, &head, sizeof head) || !arena_is_sound(&head, address, mapped))
		return ARENA_NONE;
	if (budget &&
		!budget_take(budget,
			sizeof *w + head.site_count * (sizeof *w->sites + sizeof *w->watched)))
		return ARENA_LEFT_OUT;
	w->data = address - head.data_size;
	/* The page of the cookie is empty in a child, until that takes a number. */
	w->inherited = memory_read(m, arena_cookie(w), &cookie, sizeof cookie) &&
		       (!cookie || cookie & ~ARCH_COOKIE_OWN);
	w->serial = head.serial;
	w->data_size = head.data_size;
	w->code_size = head.code_size;
	w->recorder = head.recorder;
	w->site_count = head.site_count;
	w->sites = calloc(w->site_count + 1, sizeof *w->sites);
	w->watched = calloc(w->site_count + 1, sizeof *w->watched);
	if (!w->sites || !w->watched) {
		arena_done(w);
		return ARENA_LEFT_OUT;
	}
	sound = memory_read(m, address + sizeof head, w->sites, w->site_count * sizeof *w->sites);
	for (size_t i = 0; sound && i < w->site_count; i++)
		sound = arena_site_is_sound(w, &w->sites[i]) &&
			(!i || w->sites[i - 1].address < w->sites[i].address);
	arena_read_left(w, m);
	if (!sound)
		arena_done(w);
	return sound ? ARENA_FOUND : ARENA_NONE;
}

void arena_read_left(struct arena *w, struct memory *m)
{
	size_t size = w->site_count * sizeof(struct arena_mark);
	struct arena_mark *fresh = malloc(size + 1);

	if (fresh && arena_look(w, m, 0, fresh, size))
		for (size_t i = 0; i < w->site_count; i++)
			w->sites[i].left = fresh[i].left;
	free(fresh);
}

void arena_done(struct arena *w)
{
	if (w->file)
		munmap(w->file, w->file_size);
	free(w->copy);
	free(w->sites);
	free(w->watched);
	free(w->held);
	free(w->others);
	free(w->orphaned);
	array_done(&w->counters);
	array_done(&w->landings);
	*w = (struct arena){0};
}

bool arena_watch(struct arena *w, size_t site)
{
	if (w->file || w->watched[site])
		return true;
	/* Pages that are never written take no memory. */
	if (!w->copy)
		w->copy = calloc(1, arena_counters_end(w));
	if (!w->copy || !array_push(&w->counters, &w->sites[site].counter))
		return false;
	w->watched[site] = true;
	return true;
}

/* Where the base of a site is in the data. */
static size_t arena_base_at(size_t site)
{
	return site * sizeof(struct arena_mark) + offsetof(struct arena_mark, base);
}

bool arena_refresh(struct arena *w, struct memory *m)
{
	size_t *places = calloc(w->counters.count + w->site_count + 1, sizeof *places);
	size_t *bases = places ? places + w->counters.count : NULL;
	unsigned char *bytes = NULL;
	struct spans spans;
	bool good = places && order_array(&w->counters, 0);

	spans_init(&spans, ARENA_GAP, ARENA_LONGEST);
	/* Another session may have made a site count anew. */
	for (size_t i = 0; good && i < w->site_count; i++) {
		if (w->watched[i])
			bases[i] = spans_add(
				&spans, w->data + arena_base_at(i), sizeof w->sites->base);
		good = !w->watched[i] || bases[i] != SIZE_MAX;
	}
	for (size_t i = 0; good && i < w->counters.count; i++) {
		places[i] = spans_add(&spans, w->data + *ARRAY_AT(&w->counters, uint64_t, i),
			TACTICS_COUNTER_BYTES);
		good = places[i] != SIZE_MAX;
	}
	bytes = good ? malloc(spans.total + 1) : NULL;
	good = bytes && m->ops->read(m, &spans, bytes) == 0 && spans_whole(&spans);
	for (size_t i = 0; good && i < w->counters.count; i++)
		memcpy(w->copy + *ARRAY_AT(&w->counters, uint64_t, i), bytes + places[i],
			TACTICS_COUNTER_BYTES);
	for (size_t i = 0; good && i < w->site_count; i++)
		if (w->watched[i])
			memcpy(&w->sites[i].base, bytes + bases[i], sizeof w->sites[i].base);
	spans_done(&spans);
	free(bytes);
	free(places);
	return good;
}

/* ---- counting ---- */

/* Threads add meanwhile: each word is read once, whole (x86-64: aligned loads are atomic). */
static uint64_t arena_sum(const unsigned char *counter)
{
	const struct arch_slot *slots = (const struct arch_slot *)(counter + TACTICS_SLOTS_AT);
	uint64_t sum = __atomic_load_n((const uint64_t *)counter, __ATOMIC_RELAXED);

	for (size_t i = 0; i < TACTICS_SLOTS; i++)
		sum += __atomic_load_n(&slots[i].hits, __ATOMIC_RELAXED);
	return sum;
}

uint64_t arena_hits(const struct arena *w, size_t site)
{
	const unsigned char *data = w->file ? arena_here(w) : w->watched[site] ? w->copy : NULL;
	uint64_t base = w->sites[site].base, sum;

	if (w->file)
		memcpy(&base, arena_here(w) + arena_base_at(site), sizeof base);
	sum = base;
	if (data && !w->elsewhere)
		sum = arena_sum(data + w->sites[site].counter);
	return sum > base ? sum - base : 0; /* the process can write there, too */
}

bool arena_fits(const struct arena *w, size_t site, const uint8_t *code, size_t size)
{
	const struct arena_site *s = &w->sites[site];
	uint64_t from = s->address + 1;
	struct arch_displaced m;

	if (s->tactic != PROBES_TACTIC_EVICTED)
		return true;
	return size > 1 &&
	       arch_displace(code + 1, size - 1, from, from, false, &m) == ARCH_DISPLACED &&
	       !memcmp(code + 1, s->behind, m.length);
}

void arena_restart(struct arena *w, struct memory *m, size_t site)
{
	size_t at = arena_base_at(site);
	size_t counter = w->sites[site].counter;
	_Alignas(uint64_t) unsigned char now[TACTICS_COUNTER_BYTES];
	uint64_t base;

	/* Another process has the same counters, and its session has restarted them. */
	if (w->elsewhere)
		return;
	/* Hits until now, read or not, are not those of this count. */
	if (!w->file && !memory_read(m, w->data + counter, now, sizeof now))
		return;
	base = arena_sum(w->file ? arena_here(w) + counter : now);
	w->sites[site].base = base;
	(void)arena_write(w, m, at, &base, sizeof base);
	(void)arena_clear_role(w, m, site);
}

/* ---- its data ---- */

bool arena_look(const struct arena *w, struct memory *m, size_t at, void *to, size_t size)
{
	if (!w->file)
		return memory_read(m, w->data + at, to, size);
	memcpy(to, arena_here(w) + at, size);
	return true;
}

bool arena_write(struct arena *w, struct memory *m, size_t at, const void *bytes, size_t size)
{
	size_t part;

	if (w->file)
		memcpy(arena_here(w) + at, bytes, size);
	/* A write ends at the end of a page. */
	for (size_t done = 0; !w->file && done < size; done += part) {
		part = TACTICS_PAGE - (at + done) % TACTICS_PAGE;
		part = part < size - done ? part : size - done;
		if (m->ops->write(
			    m, w->data + at + done, (const unsigned char *)bytes + done, part) < 0)
			return false;
	}
	return true;
}

/* Hits come meanwhile: `what` is 0 until the rest is there. */
bool arena_set_role(
	struct arena *w, struct memory *m, size_t site, const struct recorder_role *role)
{
	size_t at = w->sites[site].counter + TACTICS_ROLE_AT;
	struct recorder_role none = *role;

	none.what = RECORDER_NONE;
	return arena_write(w, m, at, &none.what, sizeof none.what) &&
	       arena_write(w, m, at, &none, sizeof none) &&
	       arena_write(w, m, at, &role->what, sizeof role->what);
}

bool arena_clear_role(struct arena *w, struct memory *m, size_t site)
{
	return arena_set_role(w, m, site, &(const struct recorder_role){.what = RECORDER_NONE});
}

uint64_t arena_cookie(const struct arena *w)
{
	return w->data - TACTICS_OWN_BYTES;
}

uint64_t arena_state(const struct arena *w)
{
	return w->data + arena_counters_end(w);
}

bool arena_role(const struct arena *w, struct memory *m, size_t site, struct recorder_role *role)
{
	size_t at = w->sites[site].counter + TACTICS_ROLE_AT;

	return arena_look(w, m, at, role, sizeof *role);
}

/* ---- the state ---- */

bool arena_get(const struct arena *w, struct memory *m, size_t at, void *to, size_t size)
{
	const unsigned char *from = w->file ? arena_here(w) + arena_counters_end(w) + at : NULL;

	if (!from)
		return memory_read(m, arena_state(w) + at, to, size);
	if (size == sizeof(uint64_t))
		*(uint64_t *)to = __atomic_load_n((const uint64_t *)from, __ATOMIC_ACQUIRE);
	else
		memcpy(to, from, size);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return true;
}

bool arena_put(struct arena *w, struct memory *m, size_t at, const void *bytes, size_t size)
{
	return arena_write(w, m, arena_counters_end(w) + at, bytes, size);
}

bool arena_open_part(struct arena *w, struct memory *m, size_t at, size_t size)
{
	unsigned char *zeros;
	bool done;

	for (size_t i = 0; w->file && i < size; i++)
		if (!i || (at + i) % TACTICS_PAGE == 0)
			(void)__atomic_fetch_or(arena_here(w) + arena_counters_end(w) + at + i, 0,
				__ATOMIC_RELAXED);
	if (w->file)
		return true;
	zeros = calloc(1, size);
	done = zeros && arena_put(w, m, at, zeros, size);
	free(zeros);
	return done;
}
