/*
 * What runs in the process at each hit (recorder_hit, and what is inlined into it), and its copy.
 *
 * It never faults, waits, loops without end, or trusts what it finds in the data: the program, and
 * its forked children, can write there. A signal handler of the same thread may run between any two
 * instructions, and hit the same pair: what it may find half done is written so that its own pair
 * comes before or after.
 */
#include "count/recorder.h"

#include "count/events_write.h"
#include "process/threads.h"

#include <string.h>

#define RECORDER_ALIGN 16
#define RECORDER_SECTION "recorder_copied"
#define RECORDER_STARTS 8        /* of one start, each of which a handler has interrupted */
#define RECORDER_ABOVE (8 << 20) /* the C library keeps its own above the stack of a thread */
#define RECORDER_STORE(to, value) __atomic_store_n(to, value, __ATOMIC_RELAXED)

/* The bounds of the section, by the linker. */
extern const uint8_t __start_recorder_copied[] __attribute__((visibility("hidden")));
extern const uint8_t __stop_recorder_copied[] __attribute__((visibility("hidden")));

/* Before the copy, and like that only read: addresses, and what trampolines call. */
struct recorder_head {
	uint64_t state, cookie;
	struct recorder_sealed sealed;
	uint8_t record[ARCH_TRAMPOLINE_RECORD_BYTES];
};

/* ---- in the process ---- */

/* The number of a forked child is in the highest bits of its threads' owners. */
ARCH_INLINE size_t recorder_hash(uint64_t value, size_t places)
{
	return (size_t)((value ^ value >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (places - 1);
}

/*
 * One value a process. A forked child finds 0, and takes a number of its own: its threads have the
 * thread pointers of its parent's. Pointers have 47 bits. Numbers are not used again: the last one
 * is for all that come later.
 *
 * A handler may fork between any two instructions, and no copy may get the number of its parent.
 * So a thread first finds, or leaves, a mark of the time there, and its number replaces only that
 * mark: a copy finds 0 instead. No thread waits for another one: all that find the mark take a
 * number, and that of the first counts.
 */
ARCH_INLINE uint64_t recorder_process(struct recorder_state *state, uint64_t *cookie)
{
	const uint64_t last = (uint64_t)(EVENTS_CHILDREN - 1) << 48;
	uint64_t value = EVENTS_LOAD(cookie), number;

	if (__builtin_expect((value & ARCH_COOKIE_OWN) != 0, 1))
		return value;
	if (!value) {
		uint64_t mark = last | (arch_now() << 16 >> 16 & ~ARCH_COOKIE_OWN);

		if (__atomic_compare_exchange_n(
			    cookie, &value, mark, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			value = mark;
		else if (value & ARCH_COOKIE_OWN)
			return value;
	}
	number = __atomic_add_fetch(&state->children, 1, __ATOMIC_RELAXED);
	/* 0 is the number of their parent. */
	number = (number && number < EVENTS_CHILDREN ? number << 48 : last) | ARCH_COOKIE_DISTINCT;
	if (__atomic_compare_exchange_n(
		    cookie, &value, number, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return number;
	return value & ARCH_COOKIE_OWN ? value : last | ARCH_COOKIE_SHARED;
}

/* What is known of the thread that hits, and may be relied on. */
struct recorder_self {
	uint64_t owner;   /* as in struct recorder_slot; 0: its thread pointer may be another's */
	uint64_t pointer; /* 0: there is none */
	uint64_t calls;   /* it may make system calls until then */
	uint32_t tid;     /* 0: unknown */
};

ARCH_INLINE const struct recorder_thread *recorder_find(
	const struct recorder_proven *proven, uint64_t owner)
{
	size_t at = recorder_hash(owner, RECORDER_THREADS);

	for (size_t i = 0; i < RECORDER_TRIES; i++) {
		const struct recorder_thread *t =
			&proven->threads[(at + i) & (RECORDER_THREADS - 1)];
		uint64_t found = EVENTS_LOAD(&t->owner);

		if (found == owner)
			return t;
		if (!found)
			break;
	}
	return NULL;
}

/*
 * The C library keeps the tid behind the thread pointer, but only if it has made the thread. That
 * memory is read if it was proven of a thread with this pointer; or, where that was proven of all
 * threads a moment ago, if it lies above the stack and looks like the C library's. Elsewhere it
 * need not even be mapped. A thread may make calls only if they were proven of itself, not of a
 * dead one that had its pointer.
 *
 * A forked child has a copy of that memory. If it holds the tid of its parent's thread, the C
 * library did not know of the fork (clone(2)), and the tid is unknown.
 */
ARCH_INLINE bool recorder_is_made(
	const struct recorder_proven *proven, uint64_t pointer, uint64_t stack)
{
	const volatile uint64_t *head = (const volatile uint64_t *)pointer;

	return EVENTS_LOAD(&proven->tids) && pointer % THREADS_ALIGN == 0 &&
	       pointer - stack < RECORDER_ABOVE && head[0] == pointer &&
	       head[THREADS_SELF_AT / 8] == pointer;
}

ARCH_INLINE struct recorder_self recorder_self(
	const struct recorder_proven *proven, uint64_t process, uint64_t stack)
{
	struct recorder_self self = {.pointer = arch_thread()};
	const struct recorder_thread *known, *parent = NULL;

	if (!self.pointer || !(process & ARCH_COOKIE_DISTINCT))
		return self;
	if (process >> 48 != EVENTS_CHILDREN - 1)
		self.owner = self.pointer + process;
	known = recorder_find(proven, self.pointer + process);
	if (!known && process != ARCH_COOKIE_DISTINCT)
		parent = recorder_find(proven, self.pointer + ARCH_COOKIE_DISTINCT);
	if (!known && !parent && !recorder_is_made(proven, self.pointer, stack))
		return self;
	self.tid = *(const volatile uint32_t *)(self.pointer + THREADS_TID_AT);
	if (known && self.tid == EVENTS_LOAD(&known->tid))
		self.calls = EVENTS_LOAD(&known->calls);
	else if (parent && self.tid == EVENTS_LOAD(&parent->tid))
		self.tid = 0;
	return self;
}

/* The slot of this thread, or the shared one. */
ARCH_INLINE struct recorder_slot *recorder_slot(struct recorder_state *state, uint64_t owner)
{
	size_t at = recorder_hash(owner, RECORDER_SLOTS);

	for (size_t i = 0; owner && i < RECORDER_TRIES; i++) {
		struct recorder_slot *slot = &state->slots[(at + i) & (RECORDER_SLOTS - 1)];
		uint64_t found = EVENTS_LOAD(&slot->owner);

		if (found == owner)
			return slot;
		if (!found && (__atomic_compare_exchange_n(&slot->owner, &found, owner, false,
				       __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
				      found == owner))
			return slot;
	}
	return &state->slots[RECORDER_SLOTS];
}

/* Add to what a slot holds: several threads at once, if it has no owner. */
ARCH_INLINE void recorder_add(const struct recorder_slot *slot, uint64_t *to, uint64_t value)
{
	if (__builtin_expect(slot->owner != 0, 1))
		arch_add(to, value);
	else
		arch_add_shared(to, value);
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
	uint64_t ticks = now - start, epoch = EVENTS_LOAD(&state->epoch);

	if (now < start) {
		recorder_add(slot, &slot->backwards, 1);
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
	recorder_add(slot, &slot->sum, ticks);
	recorder_add(slot,
		&slot->buckets[recorder_bucket(
			(uint64_t)((unsigned __int128)ticks * state->multiplier >> 32))],
		1);
}

/*
 * Stacks grow down: a start at or above the stack pointer of the open one proves that the frame of
 * that is gone, by an exception or longjmp. So does another thread, which has the thread pointer of
 * a dead one; `certain`: it is known to be the same one.
 */
ARCH_INLINE void recorder_start(struct recorder_slot *slot, struct recorder_begun *begun,
	uint32_t tid, bool certain, uint64_t stack)
{
	if (EVENTS_LOAD(&begun->ticks)) {
		if (certain && EVENTS_LOAD(&begun->tid) == tid &&
			stack < EVENTS_LOAD(&begun->stack)) {
			recorder_add(slot, &slot->nested, 1);
			arch_add(&begun->depth, 1);
			return;
		}
		recorder_add(slot, &slot->restarted, 1);
	}
	RECORDER_STORE(&begun->tid, tid);
	RECORDER_STORE(&begun->depth, 0);
	/* A handler that comes between leaves its own stack pointer. Who else writes there without
	   end must not hold us up. */
	for (int tries = 0; tries < RECORDER_STARTS; tries++) {
		RECORDER_STORE(&begun->stack, stack);
		RECORDER_STORE(&begun->ticks, arch_now());
		if (*(volatile uint64_t *)&begun->stack == stack)
			break;
	}
}

/* Returns whether no start is open any more. */
ARCH_INLINE bool recorder_end(struct recorder_state *state, struct recorder_slot *slot,
	struct recorder_begun *begun, uint32_t tid, uint64_t now)
{
	uint64_t start = EVENTS_LOAD(&begun->ticks), before = EVENTS_LOAD(&begun->tid);

	if (start && before && tid && before != tid) {
		recorder_add(slot, &slot->restarted, 1);
		RECORDER_STORE(&begun->ticks, 0);
		start = 0;
	}
	if (!start) {
		recorder_add(slot, &slot->unstarted, 1);
	} else if (EVENTS_LOAD(&begun->depth)) {
		arch_add(&begun->depth, UINT64_MAX);
		return false;
	} else {
		RECORDER_STORE(&begun->ticks, 0);
		recorder_note(state, slot, start, now);
	}
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
			EVENTS_LOAD(&open->process) == process)
			return open;
	}
	for (size_t i = 0; add && i < RECORDER_TRIES; i++) {
		struct recorder_open *open = &state->opens[(at + i) & (RECORDER_OPENS - 1)];
		uint64_t none = 0;

		if (!EVENTS_LOAD(&open->key) &&
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
	if (EVENTS_LOAD(&open->key) == key)
		recorder_add(slot, &slot->restarted, 1);
	RECORDER_STORE(&open->process, process);
	RECORDER_STORE(&open->begun.ticks, arch_now());
	__atomic_store_n(&open->key, key, __ATOMIC_RELEASE);
	return true;
}

ARCH_INLINE void recorder_end_key(struct recorder_state *state, struct recorder_slot *slot,
	uint64_t key, uint64_t process, uint64_t now)
{
	struct recorder_open *open = recorder_open(state, key, process, false);
	uint64_t start = open ? EVENTS_LOAD(&open->begun.ticks) : 0, held = key;

	/* Of two ends of one key, one takes it. */
	if (open && __atomic_compare_exchange_n(
			    &open->key, &held, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		recorder_note(state, slot, start, now);
	else
		recorder_add(slot, &slot->unstarted, 1);
}

/* By thread, of one without a slot: its open start is in the table. False: that is full. */
ARCH_INLINE bool recorder_without_slot(struct recorder_state *state, struct recorder_slot *slot,
	const struct recorder_self *self, uint64_t process, bool ends, bool certain, uint64_t stack,
	uint64_t now)
{
	struct recorder_open *open = recorder_open(state, self->owner, process, !ends);

	if (!open) {
		if (ends)
			recorder_add(slot, &slot->unstarted, 1);
		return ends;
	}
	if (EVENTS_LOAD(&open->key) != self->owner) {
		RECORDER_STORE(&open->process, process);
		RECORDER_STORE(&open->begun.ticks, 0);
		__atomic_store_n(&open->key, self->owner, __ATOMIC_RELEASE);
	}
	if (!ends)
		recorder_start(slot, &open->begun, self->tid, certain, stack);
	else if (recorder_end(state, slot, &open->begun, self->tid, now))
		__atomic_store_n(&open->key, 0, __ATOMIC_RELEASE);
	return true;
}

/* What belongs to the code of which this is a part. */
ARCH_INLINE const struct recorder_sealed *recorder_sealed(void)
{
	const uint8_t *copied;

	__asm__("lea __start_recorder_copied(%%rip), %0" : "=r"(copied));
	return &((const struct recorder_head *)copied - 1)->sealed;
}

/* Is it a place that the code names? */
ARCH_INLINE bool recorder_is_older(uint64_t state, uint64_t cookie)
{
	const struct recorder_sealed *sealed = recorder_sealed();

	for (size_t i = 0; i < RECORDER_OLDER && sealed->older[i].state; i++)
		if (sealed->older[i].state == state)
			return sealed->older[i].cookie == cookie;
	return false;
}

__attribute__((section(RECORDER_SECTION), used, noinline)) ARCH_COPIED void recorder_hit(
	const struct arch_registers *r, uint64_t address, struct recorder_state *state,
	struct recorder_own *own)
{
	const struct recorder_role *role = (const struct recorder_role *)(address & ~UINT64_C(1));
	uint8_t what = EVENTS_LOAD(&role->what);
	bool ends = what == RECORDER_END, done, certain;
	uint64_t now, process, key = 0;
	uint64_t older = EVENTS_LOAD(&role->older.state), its = EVENTS_LOAD(&role->older.cookie);
	struct events_hit hit = {.registers = r,
		.statics = recorder_sealed()->statics,
		.stack = r->general[ARCH_STACK_POINTER] + (address & 1) * ARCH_RETURN_BYTES};
	struct recorder_self self;
	struct recorder_slot *slot;

	if (older) {
		if (!recorder_is_older(older, its))
			return;
		state = (struct recorder_state *)older;
		own = (struct recorder_own *)its;
	}
	/* A role that no session has written: the time may be denied (PR_SET_TSC). Forked children
	   have what their parent had when they were born. */
	if (!EVENTS_LOAD(&own->proven.may) && EVENTS_LOAD(&own->cookie) & ARCH_COOKIE_OWN &&
		!(EVENTS_LOAD(&own->cookie) >> 48))
		return;
	now = what == RECORDER_START ? 0 : arch_now();
	process = recorder_process(state, &own->cookie);
	self = recorder_self(&own->proven, process, r->general[ARCH_STACK_POINTER]);

	if (what == RECORDER_EVENT) {
		struct events_by by = {.cookie = &own->cookie,
			.thread = self.tid,
			.process = (uint16_t)(process >> 48),
			.calls = self.tid && now < self.calls};

		if (!self.tid && self.owner) {
			by.thread = (uint32_t)(self.pointer >> EVENTS_POINTER_SHIFT);
			by.by_pointer = 1;
		}
		events_write(hit, &state->events, EVENTS_LOAD(&role->key.value), &by, now);
		return;
	}
	certain = self.tid || !EVENTS_LOAD(&own->proven.tids);
	slot = recorder_slot(state, self.owner);
	if (role->key.what) {
		done = events_argument(&hit, &role->key, &key) && key + 1 && key + 2;
		if (done && ends)
			recorder_end_key(state, slot, key + 1, process, now);
		else if (done)
			done = recorder_start_key(state, slot, key + 1, process);
	} else if (!self.owner) {
		done = false;
	} else if (!slot->owner) {
		done = recorder_without_slot(state, slot, &self, process, ends, certain,
			r->general[ARCH_STACK_POINTER], now);
	} else {
		done = true;
		if (ends)
			(void)recorder_end(state, slot, &slot->begun, self.tid, now);
		else
			recorder_start(slot, &slot->begun, self.tid, certain,
				r->general[ARCH_STACK_POINTER]);
	}
	if (!done)
		arch_add_shared(&state->lost, 1);
}

/* ---- here ---- */

size_t recorder_code(const uint8_t **code, size_t *entry)
{
	*code = __start_recorder_copied;
	*entry = (size_t)((uintptr_t)recorder_hit - (uintptr_t)__start_recorder_copied);
	return (size_t)(__stop_recorder_copied - __start_recorder_copied);
}

size_t recorder_head_size(void)
{
	const uint8_t *code;
	size_t entry, size = sizeof(struct recorder_head) + recorder_code(&code, &entry);

	return (size + RECORDER_ALIGN - 1) / RECORDER_ALIGN * RECORDER_ALIGN;
}

size_t recorder_sealed_at(void)
{
	return offsetof(struct recorder_head, sealed);
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
	size_t made = arch_trampoline_record(recorder_entry(code), &record, head.record);

	memcpy(out, &head, sizeof head);
	memcpy(out + sizeof head, from, size);
	return made > 0;
}

size_t recorder_thread_at(uint64_t owner, size_t i)
{
	return (recorder_hash(owner, RECORDER_THREADS) + i) & (RECORDER_THREADS - 1);
}
