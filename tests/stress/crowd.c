/*
 * A victim whose every site lies on a page of its own: whoever switches it on makes the process pay
 * for CROWD_SITES pages. Lines on stdin, lines on stdout:
 *
 *   (start)   ready PID SITES COUNT    addresses of the first site and of its semaphore's count
 *   hit       hit N                    each site once; so many handlers ran
 *
 * It ends with its stdin. What it needs itself it touches before it says that it is ready.
 */
#include "crowd.h"

#include "tests/victims/ocaml_probe.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

OCAML_PROBE_DEFINE(crowd);
OCAML_HANDLER void handle_crowd(long x, long y);

static unsigned long hits;

OCAML_HANDLER void handle_crowd(long x, long y)
{
	(void)x;
	(void)y;
	hits++;
}

extern unsigned char crowd_sites[];
extern uint16_t crowd_count[];
/* clang-format off */
__asm__(".pushsection .text\n"
	".balign " TEXT(CROWD_PAGE) "\n"
	".globl crowd_sites\n"
	".hidden crowd_sites\n"
	"crowd_sites:\n"
	".rept " TEXT(CROWD_SITES) "\n"
	OCAML_SITE_ASM("crowd", OCAML_OFF, "")
	"ret\n"
	".balign " TEXT(CROWD_PAGE) "\n"
	".endr\n"
	".popsection\n"
	".globl crowd_count\n"
	".hidden crowd_count\n"
	".set crowd_count, caml_probes_semaphore_crowd + 2\n");
/* clang-format on */

static unsigned long hit(void)
{
	unsigned long before = hits;

	for (size_t i = 0; i < CROWD_SITES; i++) {
		void (*site)(void);
		unsigned char *code = crowd_sites + i * CROWD_PAGE;

		memcpy(&site, &code, sizeof site);
		site();
	}
	return hits - before;
}

static void touch_stack(void)
{
	volatile char stack[65536];

	for (size_t i = 0; i < sizeof stack; i += 1024)
		stack[i] = 1;
}

int main(void)
{
	char line[16];

	touch_stack();
	handle_crowd(0, 0);
	hit();
	printf("ready %d %p %p\n", getpid(), (void *)crowd_sites, (void *)crowd_count);
	fflush(stdout);
	while (fgets(line, sizeof line, stdin)) {
		printf("hit %lu\n", hit());
		fflush(stdout);
	}
	return 0;
}
