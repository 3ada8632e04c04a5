/*
 * A site before a nop of five bytes, as libbpf's usdt.h may have it, and one that is such a nop:
 * Linux 6.18 writes a call over it once a uprobe there was hit.
 */
#include "drive.h"

#include <stdatomic.h>
#include <stdio.h>

static atomic_ulong passes;

__asm__(".section .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"
	".weak _.stapsdt.base\n"
	".hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n"
	".text\n"
	".globl nop_site\n"
	".type nop_site, @function\n"
	"nop_site: nop\n"
	".globl nop_behind\n"
	".type nop_behind, @function\n"
	"nop_behind: .byte 0x0f, 0x1f, 0x44, 0, 0\n"
	".globl nop_itself\n"
	"nop_itself: .byte 0x0f, 0x1f, 0x44, 0, 0\n"
	"ret\n"
	".size nop_site, . - nop_site\n"
	".size nop_behind, . - nop_behind\n"
	".pushsection .note.stapsdt, \"\", \"note\"\n"
	".balign 4\n"
	".4byte 3f - 2f, 5f - 4f, 3\n"
	"2: .asciz \"stapsdt\"\n"
	"3: .balign 4\n"
	"4: .8byte nop_site, _.stapsdt.base, 0\n"
	".asciz \"victim\"\n"
	".asciz \"widenop\"\n"
	".asciz \"\"\n"
	"5: .balign 4\n"
	".4byte 3f - 2f, 5f - 4f, 3\n"
	"2: .asciz \"stapsdt\"\n"
	"3: .balign 4\n"
	"4: .8byte nop_itself, _.stapsdt.base, 0\n"
	".asciz \"victim\"\n"
	".asciz \"itself\"\n"
	".asciz \"\"\n"
	"5: .balign 4\n"
	".popsection\n");

void nop_site(void);

static void widenop_round(long n)
{
	(void)n;
	nop_site();
	atomic_fetch_add(&passes, 1);
}

static void widenop_report(void)
{
	printf("widenop passes=%lu\n", atomic_load(&passes));
}

int main(int argc, char **argv)
{
	static const struct drive_ops ops = {.round = widenop_round, .report = widenop_report};

	return drive(argc, argv, &ops);
}
