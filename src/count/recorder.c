/*
 * What runs in the process at each hit (recorder_hit, and what is inlined into it), and the reading
 * of what it left.
 *
 * It never faults, waits, loops without end, or trusts what it finds in the data: the program can
 * write there. A signal handler of the same thread may run between any two instructions, and hit
 * the same pair: what it may find half done is written so that its own pair comes before or after.
 */
#include "count/recorder.h"

#include "count/events_write.h"

#include <stddef.h>
#include <string.h>

#define RECORDER_ALIGN 16
#define RECORDER_SECTION "recorder_copied"
#define RECORDER_LOAD(from) __atomic_load_n(from, __ATOMIC_RELAXED)
#define RECORDER_STORE(to, value) __atomic_store_n(to, value, __ATOMIC_RELAXED)

/* The bounds of the section, by the linker. */
extern const uint8_t __start_recorder_copied[] __attribute__((visibility("hidden")));
extern const uint8_t __stop_recorder_copied[] __attribute__((visibility("hidden")));

/* ---- in the process ---- */

ARCH_INLINE size_t recorder_hash(uint64_t value, size_t places)
{
	return (size_t)(value * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (places - 1);
}

/*
 * One value a process. A child by fork finds 0, and takes a number of its own: its threads have the
 * thread pointers of its parent's. Pointers have 47 bits. Numbers are not used again: the last one
 * is for all that come later.
 */
ARCH_INLINE uint64_t recorder_process(struct recorder_state *state, uint64_t *cookie)
{
	uint64_t value = RECORDER_LOAD(cookie), none = 0;

	if (__builtin_expect(value != 0, 1))
		return value;
	value = __atomic_add_fetch(&state->children, 1, __ATOMIC_RELAXED);
	value = (value < EVENTS_CHILDREN ? value : EVENTS_CHILDREN - 1) << 48 | 1;
	return __atomic_compare_exchange_n(
		       cookie, &none, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
		       ? value
		       : none;
}

/* The slot of this thread; NULL: there is no free one. */
ARCH_INLINE struct recorder_slot *recorder_slot(struct recorder_state *state, uint64_t process)
{
	uint64_t owner = arch_thread() + process;
	size_t at = recorder_hash(owner, RECORDER_SLOTS);

	for (size_t i = 0; i < RECORDER_TRIES; i++) {
		struct recorder_slot *slot = &state->slots[(at + i) & (RECORDER_SLOTS - 1)];
		uint64_t found = RECORDER_LOAD(&slot->owner);

		if (found == owner)
			return slot;
		if (!found && (__atomic_compare_exchange_n(&slot->owner, &found, owner, false,
				       __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
				      found == owner))
			return slot;
	}
	return NULL;
}

ARCH_INLINE size_t recorder_bucket(uint64_t ns)
{
	unsigned power;

	if (ns < 1u << RECORDER_FINE)
		return (size_t)ns;
	power = 63u - (unsigned)__builtin_clzll(ns);
	if (power > RECORDER_BUCKETS / 8 + 1)
		return RECORDER_BUCKETS - 1;
	return (power - RECORDER_FINE + 1) * 8 + (ns >> (power - RECORDER_FINE) & 7);
}

ARCH_INLINE void recorder_note(
	struct recorder_state *state, struct recorder_slot *slot, uint64_t start, uint64_t now)
{
	uint64_t ticks = now - start, epoch = RECORDER_LOAD(&state->epoch);

	if (now < start) {
		arch_add(&slot->backwards, 1);
		return;
	}
	if (__builtin_expect(slot->epoch != epoch, 0)) {
		RECORDER_STORE(&slot->least, UINT64_MAX);
		RECORDER_STORE(&slot->most, 0);
		RECORDER_STORE(&slot->epoch, epoch);
	}
	if (ticks < slot->least)
		RECORDER_STORE(&slot->least, ticks);
	if (ticks > slot->most)
		RECORDER_STORE(&slot->most, ticks);
	arch_add(&slot->sum, ticks);
	arch_add(&slot->buckets[recorder_bucket(
			 (uint64_t)((unsigned __int128)ticks * state->multiplier >> 32))],
		1);
}

/* A new thread may have the thread pointer of a dead one, whose start will not end. */
ARCH_INLINE void recorder_renew(struct recorder_slot *slot, const struct recorder_state *state)
{
	uint64_t tid = RECORDER_LOAD(&state->tid);
	uint32_t thread = tid && tid < ARCH_THREAD_BYTES ? arch_of_thread(tid) : 0;

	if (__builtin_expect(RECORDER_LOAD(&slot->thread) == thread, 1))
		return;
	RECORDER_STORE(&slot->thread, thread);
	if (RECORDER_LOAD(&slot->start)) {
		RECORDER_STORE(&slot->start, 0);
		arch_add(&slot->restarted, 1);
	}
}

/*
 * Stacks grow down: a start at or above the stack pointer of the open one proves that the frame of
 * that is gone, by an exception or longjmp.
 */
ARCH_INLINE void recorder_start(struct recorder_slot *slot, uint64_t stack)
{
	if (RECORDER_LOAD(&slot->start)) {
		if (stack < RECORDER_LOAD(&slot->stack)) {
			arch_add(&slot->nested, 1);
			arch_add(&slot->depth, 1);
			return;
		}
		arch_add(&slot->restarted, 1);
	}
	RECORDER_STORE(&slot->depth, 0);
	/* A handler that comes between leaves its own stack pointer. */
	do {
		RECORDER_STORE(&slot->stack, stack);
		RECORDER_STORE(&slot->start, arch_now());
	} while (*(volatile uint64_t *)&slot->stack != stack);
}

ARCH_INLINE void recorder_end(
	struct recorder_state *state, struct recorder_slot *slot, uint64_t now)
{
	uint64_t start = RECORDER_LOAD(&slot->start);

	if (!start) {
		arch_add(&slot->unstarted, 1);
	} else if (RECORDER_LOAD(&slot->depth)) {
		arch_add(&slot->depth, UINT64_MAX);
	} else {
		RECORDER_STORE(&slot->start, 0);
		recorder_note(state, slot, start, now);
	}
}

/* False: its memory may not be mapped. */
ARCH_INLINE bool recorder_key(
	const struct arch_registers *r, const struct recorder_role *role, uint64_t *key)
{
	int8_t size = RECORDER_LOAD(&role->size);
	unsigned bytes = (unsigned)(size < 0 ? -size : size);

	if (!bytes || bytes > 8)
		return false;
	*key = role->constant;
	if (role->key == RECORDER_REGISTER)
		*key = r->general[role->number & 15];
	if (role->key == RECORDER_STACK) {
		uint64_t stack = r->general[ARCH_STACK_POINTER] + role->pushed;
		uint64_t at = (uint64_t)(int64_t)role->displacement;

		at += role->number == ARCH_STACK_POINTER ? stack : r->general[role->number & 15];
		if (!events_load(stack, at, bytes, key))
			return false;
	}
	*key = events_extend(*key, size);
	return true;
}

/* The open start of a key; `add`: or a free place for it. NULL: there is none. */
ARCH_INLINE struct recorder_open *recorder_open(
	struct recorder_state *state, uint64_t key, uint64_t process, bool add)
{
	size_t at = recorder_hash(key + process, RECORDER_OPENS);

	for (size_t i = 0; i < RECORDER_TRIES; i++) {
		struct recorder_open *open = &state->opens[(at + i) & (RECORDER_OPENS - 1)];

		if (__atomic_load_n(&open->key, __ATOMIC_ACQUIRE) == key &&
			RECORDER_LOAD(&open->process) == process)
			return open;
	}
	for (size_t i = 0; add && i < RECORDER_TRIES; i++) {
		struct recorder_open *open = &state->opens[(at + i) & (RECORDER_OPENS - 1)];
		uint64_t none = 0;

		if (!RECORDER_LOAD(&open->key) &&
			__atomic_compare_exchange_n(&open->key, &none, UINT64_MAX, false,
				__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return open;
	}
	return NULL;
}

ARCH_INLINE bool recorder_start_key(
	struct recorder_state *state, struct recorder_slot *slot, uint64_t key, uint64_t process)
{
	struct recorder_open *open = recorder_open(state, key, process, true);

	if (!open)
		return false;
	if (RECORDER_LOAD(&open->key) == key)
		arch_add(&slot->restarted, 1);
	RECORDER_STORE(&open->process, process);
	RECORDER_STORE(&open->start, arch_now());
	__atomic_store_n(&open->key, key, __ATOMIC_RELEASE);
	return true;
}

ARCH_INLINE void recorder_end_key(struct recorder_state *state, struct recorder_slot *slot,
	uint64_t key, uint64_t process, uint64_t now)
{
	struct recorder_open *open = recorder_open(state, key, process, false);
	uint64_t start = open ? RECORDER_LOAD(&open->start) : 0, held = key;

	/* Of two ends of one key, one takes it. */
	if (open && __atomic_compare_exchange_n(
			    &open->key, &held, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		recorder_note(state, slot, start, now);
	else
		arch_add(&slot->unstarted, 1);
}

/*
 * The two addresses of a role lie in memory that the program can write. Noise there must not be
 * followed: it agrees once in 2^64. `own` is part of the code, which the program cannot write.
 */
ARCH_INLINE uint64_t recorder_check(uint64_t own, uint64_t state, uint64_t cookie)
{
	uint64_t check = (own ^ state) * UINT64_C(0x9e3779b97f4a7c15);

	check = ((check ^ check >> 32) + cookie) * UINT64_C(0xbf58476d1ce4e5b9);
	return check ^ check >> 32;
}

__attribute__((section(RECORDER_SECTION), used, noinline)) ARCH_COPIED void recorder_hit(
	const struct arch_registers *r, const struct recorder_role *role,
	struct recorder_state *state, uint64_t *cookie)
{
	uint8_t what = RECORDER_LOAD(&role->what);
	bool ends = what == RECORDER_END, done;
	uint64_t now = what == RECORDER_START ? 0 : arch_now(), process, key = 0;
	uint64_t elsewhere = RECORDER_LOAD(&role->state), its = RECORDER_LOAD(&role->cookie);
	struct recorder_slot *slot;

	if (elsewhere) {
		if (recorder_check((uint64_t)state, elsewhere, its) != RECORDER_LOAD(&role->check))
			return;
		state = (struct recorder_state *)elsewhere;
		cookie = (uint64_t *)its;
	}
	process = recorder_process(state, cookie);

	if (what == RECORDER_EVENT) {
		events_write(r, &state->events, role->constant, (uint16_t)(process >> 48), now);
		return;
	}
	slot = recorder_slot(state, process);
	done = slot != NULL;
	if (role->key != RECORDER_THREAD) {
		done = done && recorder_key(r, role, &key) && key + 1 && key + 2;
		if (done && ends)
			recorder_end_key(state, slot, key + 1, process, now);
		else if (done)
			done = recorder_start_key(state, slot, key + 1, process);
	} else if (done) {
		recorder_renew(slot, state);
		if (ends)
			recorder_end(state, slot, now);
		else
			recorder_start(slot, r->general[ARCH_STACK_POINTER]);
	}
	if (!done)
		arch_add_shared(&state->lost, 1);
}

/* ---- here ---- */

ARCH_COPIED void recorder_send(
	struct recorder_role *role, uint64_t own, uint64_t state, uint64_t cookie)
{
	role->state = state;
	role->cookie = cookie;
	role->check = recorder_check(own, state, cookie);
}

size_t recorder_code(const uint8_t **code, size_t *entry)
{
	*code = __start_recorder_copied;
	*entry = (size_t)((uintptr_t)recorder_hit - (uintptr_t)__start_recorder_copied);
	return (size_t)(__stop_recorder_copied - __start_recorder_copied);
}

/* Before the copy: two addresses, and what stubs call. */
struct recorder_head {
	uint64_t state, cookie;
	uint8_t record[ARCH_STUB_RECORD_BYTES];
};

size_t recorder_head_size(void)
{
	const uint8_t *code;
	size_t entry, size = sizeof(struct recorder_head) + recorder_code(&code, &entry);

	return (size + RECORDER_ALIGN - 1) / RECORDER_ALIGN * RECORDER_ALIGN;
}

uint64_t recorder_entry(uint64_t code)
{
	return code + offsetof(struct recorder_head, record);
}

bool recorder_write_head(uint8_t *out, uint64_t code, uint64_t state, uint64_t cookie)
{
	struct recorder_head head = {.state = state, .cookie = cookie};
	const uint8_t *from;
	size_t entry, size = recorder_code(&from, &entry);
	struct arch_record record = {.code = code + sizeof head + entry,
		.state = code + offsetof(struct recorder_head, state),
		.cookie = code + offsetof(struct recorder_head, cookie)};
	size_t made = arch_stub_record(recorder_entry(code), &record, head.record);

	memcpy(out, &head, sizeof head);
	memcpy(out + sizeof head, from, size);
	return made > 0;
}

uint64_t recorder_from(size_t bucket)
{
	size_t power = bucket / 8;

	return power < 2 ? bucket : (UINT64_C(8) + bucket % 8) << (power - 1);
}

void recorder_read(const struct recorder_state *state, bool keyed, struct recorder_sum *sum)
{
	uint64_t epoch = RECORDER_LOAD(&state->epoch);

	*sum = (struct recorder_sum){.least = UINT64_MAX, .lost = RECORDER_LOAD(&state->lost)};
	for (size_t i = 0; i < RECORDER_SLOTS; i++) {
		const struct recorder_slot *slot = &state->slots[i];
		uint64_t least = RECORDER_LOAD(&slot->least), most = RECORDER_LOAD(&slot->most);

		if (!RECORDER_LOAD(&slot->owner))
			continue;
		sum->open += !keyed && RECORDER_LOAD(&slot->start);
		sum->nested += RECORDER_LOAD(&slot->nested);
		sum->restarted += RECORDER_LOAD(&slot->restarted);
		sum->unstarted += RECORDER_LOAD(&slot->unstarted);
		sum->backwards += RECORDER_LOAD(&slot->backwards);
		sum->sum += RECORDER_LOAD(&slot->sum);
		if (RECORDER_LOAD(&slot->epoch) == epoch) {
			sum->least = least < sum->least ? least : sum->least;
			sum->most = most > sum->most ? most : sum->most;
		}
		for (size_t k = 0; k < RECORDER_BUCKETS; k++) {
			uint64_t count = RECORDER_LOAD(&slot->buckets[k]);

			sum->buckets[k] += count;
			sum->matched += count;
		}
	}
	for (size_t i = 0; keyed && i < RECORDER_OPENS; i++)
		sum->open += RECORDER_LOAD(&state->opens[i].key) != 0;
}
