#!/bin/sh
# Writes to stdout an assembly program part with many probes: many_round passes every site once,
# many_hits counts the calls of the one handler. It is linked with many.c and drive.c.
#
#	many.sh N [SITES [PROVIDER [SPREAD]]]
#
# N probes p000000, p000001 ... with SITES sites each (1), of provider ocaml, ocaml.1, ocaml_1,
# ocaml_2 (default) or any other word, which gives sdt sites with semaphores; SPREAD bytes of nops
# between two sites (0).
set -eu

probes=${1:?usage: many.sh N [SITES [PROVIDER [SPREAD]]]}
sites=${2:-1}
provider=${3:-ocaml_2}
spread=${4:-0}

case $provider in
ocaml)
	semaphore='0'
	code='.byte 0x90, 0x3d; .long many_wrapper - . - 4' ;;
ocaml.1 | ocaml_1 | ocaml_2)
	semaphore='0, 0'
	code='.byte 0x90, 0x3d; .long many_wrapper - . - 4' ;;
*)
	semaphore='0'
	code='nop' ;;
esac

cat <<END
	.macro probe name
	.pushsection .probes, "wa", "progbits"
sema_\\name: .2byte $semaphore
	.popsection
	.endm

	.macro site name
1:	$code
	.pushsection .note.stapsdt, "", "note"
	.balign 4
	.4byte 8, 5f - 4f, 3
	.ascii "stapsdt\\0"
4:	.8byte 1b, _.stapsdt.base, sema_\\name
	.asciz "$provider"
	.asciz "\\name"
	.asciz "8@%rax"
5:	.balign 4
	.popsection
	.if $spread
	.nops $spread
	.endif
	.endm

	.section .stapsdt.base, "aG", "progbits", .stapsdt.base, comdat
	.weak _.stapsdt.base
	.hidden _.stapsdt.base
_.stapsdt.base: .space 1

	.bss
	.balign 8
	.globl many_hits
	.type many_hits, @object
	.size many_hits, 8
many_hits: .space 8

	# Flags are dead at a site, and no other register is touched.
	.text
	.type many_wrapper, @function
many_wrapper:
	lock incq many_hits(%rip)
	ret
	.size many_wrapper, . - many_wrapper

	.globl many_round
	.type many_round, @function
many_round:
END
awk -v n="$probes" -v k="$sites" 'BEGIN {
	for (i = 0; i < n; i++)
		printf "\tprobe p%06d\n", i
	for (j = 0; j < k; j++)
		for (i = 0; i < n; i++)
			printf "\tsite p%06d\n", i
}'
cat <<'END'
	ret
	.size many_round, . - many_round
	.section .note.GNU-stack, "", @progbits
END
