#!/bin/sh
# Names that are hostile or odd: whatever a listing prints is accepted as input (also by -provider
# and -object), and nothing of it reaches an output raw; JSON holds the raw name.
# Does not cover: notes that are malformed (the fuzzers do).
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v as >/dev/null && command -v ld >/dev/null || skip 'no assembler and linker'
[ "$(uname -m)" = x86_64 ] || skip 'written for x86-64'

# The names, as the assembler reads them: a line each.
cat >"$tmp/names" <<'NAMES'
plain
a,b
p:q
esc\033[31mred\007
bad\377\376
utf\303\251
\342\200\256bidi
back\\slash
back\\x41
twin\033e
twin\\x1be
sp ace
quo\"te
-enable
new\nline
tab\t
\346\274\242\345\255\227
NAMES
long=$(printf '%03000d' 7)
echo "$long" >>"$tmp/names"
count=$(wc -l <"$tmp/names" | tr -d ' ')

# A program that says "ready" and a number, and ends with its input. One probe a name; the last one
# has a provider of its own.
{
	cat <<'ASM'
	.globl _start
_start:	mov $1, %eax
	mov $1, %edi
	lea text(%rip), %rsi
	mov $8, %edx
	syscall
	xor %eax, %eax
	xor %edi, %edi
	lea buffer(%rip), %rsi
	mov $1, %edx
	syscall
	mov $60, %eax
	xor %edi, %edi
	syscall
text:	.ascii "ready 0\n"
	.lcomm buffer, 8
ASM
	n=0
	while IFS= read -r name; do
		n=$((n + 1))
		provider=prov
		[ $n != "$count" ] || provider='pr\033ov'
		cat <<ASM
	.text
s$n:	nop
	.section .probes, "aw"
	.balign 2
m$n:	.2byte 0
	.section .note.stapsdt, "", "note"
	.balign 4
	.4byte 8, 9f - 8f, 3
	.asciz "stapsdt"
8:	.8byte s$n, 0, m$n
	.asciz "$provider"
	.asciz "$name"
	.asciz "8@%rax"
9:	.balign 4
ASM
	done <"$tmp/names"
} >"$tmp/odd.s"
program=$tmp/$(printf 'o\033dd')
as "$tmp/odd.s" -o "$tmp/odd.o" && ld "$tmp/odd.o" -o "$program" 2>"$tmp/err" || skip 'cannot be built'

fifos
"$program" <"$tmp/in" >"$tmp/answers" &
pid=$!
started="$started $pid"
exec 3>"$tmp/in" 4<"$tmp/answers"
read -r word <&4
same 'first word' "$word" 'ready 0'

# rows_on: how many rows of list are on.
rows_on()
{
	run list -quiet -pid "$pid"
	grep -c '^\[\*\]' "$tmp/out"
}

run info -pid "$pid"
[ "$status" != 4 ] || skip 'not permitted here'
same 'rows of info' "$(wc -l <"$tmp/out" | tr -d ' ')" "$count"
sed 's/ disabled$//' "$tmp/out" >"$tmp/info"
while IFS= read -r name; do
	attach -enable "$name"
done <"$tmp/info"
same 'all on, as info spells them' "$(rows_on)" "$count"
sed 's/^\[.\]   //; s/ *-\/1 .*//' "$tmp/out" >"$tmp/list"
while IFS= read -r name; do
	attach -disable "$name"
done <"$tmp/list"
same 'all off, as list spells them' "$(rows_on)" 0
attach -enable "$(paste -s -d , "$tmp/info")"
same 'all on, by one list' "$(rows_on)" "$count"
attach -disable-all

# --- the listed name of one is the other's very name
attach -enable 'prov:twin\x1be'
same 'the listed one' "$(rows_on)" 1
has 'it is that' '^\[\*\]   prov:twin.x1be ' "$tmp/out"
attach -disable-all

# --- narrowed, as list spells a provider and an object: by list, by attach, and from a file
want 0 list -quiet -pid "$pid" -provider 'pr\x1bov' -object 'o\x1bdd'
same 'rows of one provider' "$(wc -l <"$tmp/out" | tr -d ' ')" 1
has 'its provider' '^\[ \]   pr.x1bov:' "$tmp/out"
has 'its object' '  o.x1bdd  ' "$tmp/out"
want 0 list -quiet -prog "$program" -object "$tmp/"'o\x1bdd'
same 'rows of one object' "$(wc -l <"$tmp/out" | tr -d ' ')" "$count"
attach -enable-all -provider 'pr\x1bov' -object 'o\x1bdd'
same 'one on' "$(rows_on)" 1
attach -disable-all -provider "$(printf 'pr\033ov')"
same 'none on' "$(rows_on)" 0

# --- nothing raw: only printable characters, and none that hide or turn others
for format in text csv json; do
	want 0 list -pid "$pid" -format $format
	same "control characters in $format" \
		"$(LC_ALL=C tr -d '\012\040-\176\200-\377' <"$tmp/out" | wc -c | tr -d ' ')" 0
	same "bidi in $format" "$(grep -c "$(printf '\342\200\256')" "$tmp/out")" 0
done
if command -v python3 >/dev/null; then
	checks=$((checks + 1))
	python3 -c '
import json, subprocess, sys
names = [p["name"] for p in json.load(open(sys.argv[1]))["probes"]]
for name in ("a,b", "p:q", "esc\x1b[31mred\a", "back\\slash", "back\\x41", "new\nline", "\u202ebidi"):
	assert name in names, name
' "$tmp/out" || fail 'raw names in JSON'
fi
# Errors are escaped too.
run attach -no-syslog -pid "$pid" -enable "$(printf 'esc\033[31mre')"
same 'status' "$status" 2
same 'control characters in an error' "$(LC_ALL=C tr -d '\012\040-\176\200-\377' <"$tmp/err" | wc -c | tr -d ' ')" 0
exec 3>&- 4<&-
wait "$pid"
same 'exit status' $? 0
gone "$pid"
finish
