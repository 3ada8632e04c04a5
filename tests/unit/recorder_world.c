/* See recorder_world.h. */
#include "recorder_world.h"

#include "arch/inline.h"

#include <check.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096
#define CODE_PAGES 4
#define OWN_SIZE ((sizeof(struct recorder_own) + PAGE - 1) / PAGE * PAGE)
#define STATE_SIZE ((sizeof(struct recorder_state) + PAGE - 1) / PAGE * PAGE)

struct recorder_world recorder_world;

/* Counters without slots, two in a page of their own; a ret behind the trampoline. */
static uint8_t *put_trampoline(uint8_t *at, uint8_t *counter)
{
	struct arch_counter to = {.shared = (uint64_t)counter,
		.role = (uint64_t)counter + 16,
		.recorder = recorder_entry((uint64_t)recorder_world.code),
		.called = true};
	size_t size = arch_trampoline_count((uint64_t)at, &to, at);

	ck_assert_uint_gt(size, 0);
	ck_assert_uint_le(size, ARCH_TRAMPOLINE_BYTES);
	at[size] = 0xc3;
	return at + size + 1;
}

/* 2^32: durations are ticks, which the test reads as well. */
void recorder_world_open(struct recorder_role by)
{
	struct recorder_world *w = &recorder_world;
	uint8_t *at, *counters;

	ck_assert_uint_lt(recorder_head_size(), PAGE * (CODE_PAGES - 1));
	w->code = mmap(NULL, (CODE_PAGES + 1) * PAGE + OWN_SIZE + STATE_SIZE,
		PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(w->code, MAP_FAILED);
	w->own = (struct recorder_own *)(w->code + CODE_PAGES * PAGE);
	counters = (uint8_t *)w->own + OWN_SIZE;
	w->state = (struct recorder_state *)(counters + PAGE);
	ck_assert_ptr_eq(mmap(w->state, STATE_SIZE, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
		w->state);
	w->own->cookie = 1;
	w->own->proven.may = 1;
	ck_assert_int_eq(madvise(w->own, RECORDER_COOKIE_BYTES, MADV_WIPEONFORK), 0);
	w->state->epoch = 1;
	w->state->multiplier = UINT64_C(1) << 32;
	ck_assert(recorder_write_head(
		w->code, (uint64_t)w->code, (uint64_t)w->state, (uint64_t)w->own));
	for (int i = 0; i < 2; i++) {
		w->roles[i] = (struct recorder_role *)(counters + 64 * i + 16);
		*w->roles[i] = by;
		w->roles[i]->what = i ? RECORDER_END : RECORDER_START;
	}
	at = w->code + (CODE_PAGES - 1) * PAGE;
	w->start = (recorder_trampoline *)at;
	w->end = (recorder_trampoline *)put_trampoline(at, counters);
	put_trampoline((uint8_t *)w->end, counters + 64);
	ck_assert_int_eq(mprotect(w->code, CODE_PAGES * PAGE, PROT_READ | PROT_EXEC), 0);
}

static void seal(size_t at, const void *bytes, size_t size)
{
	uint8_t *code = recorder_world.code;

	ck_assert_int_eq(mprotect(code, PAGE, PROT_READ | PROT_WRITE), 0);
	memcpy(code + recorder_sealed_at() + at, bytes, size);
	ck_assert_int_eq(mprotect(code, PAGE, PROT_READ | PROT_EXEC), 0);
}

void recorder_world_know(struct recorder_place older)
{
	seal(offsetof(struct recorder_sealed, older), &older, sizeof older);
}

void recorder_world_map(struct arch_range mapped)
{
	seal(offsetof(struct recorder_sealed, statics[1]), &mapped, sizeof mapped);
}

void recorder_world_prove(uint32_t tid, uint64_t calls)
{
	uint64_t owner = arch_thread() + recorder_world.own->cookie;

	for (size_t i = 0; i < RECORDER_TRIES; i++) {
		struct recorder_thread *t =
			&recorder_world.own->proven.threads[recorder_thread_at(owner, i)];

		if (t->owner && t->owner != owner)
			continue;
		*t = (struct recorder_thread){.owner = owner, .calls = calls, .tid = tid};
		return;
	}
	ck_abort_msg("no place for the proof");
}

void recorder_world_hit(recorder_trampoline *code, uint64_t rbx)
{
	__asm__ volatile("lea -128(%%rsp), %%rsp\n push %%rbx\n mov %[rbx], %%rbx\n call *%[code]\n"
			 "pop %%rbx\n lea 128(%%rsp), %%rsp\n"
			 :
			 : [code] "a"(code), [rbx] "d"(rbx)
			 : "memory", "cc");
}

void recorder_world_hit_by(recorder_trampoline *code, uint64_t pointer)
{
	uint64_t before = arch_thread();

	__asm__ volatile("lea -128(%%rsp), %%rsp\n wrfsbase %[pointer]\n call *%[code]\n"
			 "wrfsbase %[before]\n lea 128(%%rsp), %%rsp\n"
			 :
			 : [code] "r"(code), [pointer] "r"(pointer), [before] "r"(before)
			 : "memory", "cc");
}
