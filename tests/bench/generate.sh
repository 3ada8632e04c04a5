#!/bin/sh
# Writes to stdout an assembly program part with very many probes, to be linked with target.c:
#
#	generate.sh N [PROVIDER]
#
# N probes p000000, p000001 ... of provider `ocaml` (or any other word: then sdt sites), each with
# two sites and two semaphores, one a site, as two compilation units that know a name leave them:
# N names, 2 N notes. bench_some passes the first eight probes, bench_round all of them.
set -eu

probes=${1:?usage: generate.sh N [PROVIDER]}
provider=${2:-ocaml}

case $provider in
ocaml) code='.byte 0x90, 0x3d; .long bench_wrapper - . - 4' ;;
*) code='nop' ;;
esac

cat <<END
	.macro site name unit
1:	$code
	.pushsection .probes, "wa", "progbits"
2:	.2byte 0
	.popsection
	.pushsection .note.stapsdt, "", "note"
	.balign 4
	.4byte 8, 5f - 4f, 3
	.ascii "stapsdt\\0"
4:	.8byte 1b, _.stapsdt.base, 2b
	.asciz "$provider"
	.asciz "\\name"
	.asciz "8@%rax"
5:	.balign 4
	.popsection
	.endm

	.section .stapsdt.base, "aG", "progbits", .stapsdt.base, comdat
	.weak _.stapsdt.base
	.hidden _.stapsdt.base
_.stapsdt.base: .space 1

	.local bench_hits
	.comm bench_hits, 8, 8

	# Flags are dead at a site, and no other register is touched.
	.text
	.type bench_wrapper, @function
bench_wrapper:
	lock incq bench_hits(%rip)
	ret
	.size bench_wrapper, . - bench_wrapper
END
awk -v n="$probes" '
function begin(name) {
	printf "\t.globl %s\n\t.type %s, @function\n%s:\n", name, name, name
}
function end(name) {
	printf "\tret\n\t.size %s, . - %s\n", name, name
}
BEGIN {
	some = n < 8 ? n : 8
	begin("bench_some")
	for (i = 0; i < some; i++)
		printf "\tsite p%06d\n", i
	end("bench_some")
	begin("bench_round")
	for (i = some; i < n; i++)
		printf "\tsite p%06d\n", i
	for (i = 0; i < n; i++)
		printf "\tsite p%06d\n", i
	end("bench_round")
}'
printf '\t.section .note.GNU-stack, "", @progbits\n'
