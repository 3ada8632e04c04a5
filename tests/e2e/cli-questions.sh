#!/bin/sh
# questions: those that fit are printed with a call that this program accepts, for a process, several,
# a tree, a name, a file; a file of the user adds some; what is wrong in it is said. The questions that are
# shipped name probes that programs installed here have. Does not cover: what the calls measure.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip 'no python3'

mkdir -p "$tmp/config/probes-tui"
export XDG_CONFIG_HOME="$tmp/config"
cat >"$tmp/config/probes-tui/questions" <<'END'
question = how often plain
call     = count counts:plain
note     = only an example
question = rounds that are "many"
call     = latency counts:plain,counts:many -by thread
question = nothing here
call     = count counts:nosuch
question = only one of them
call     = count counts:plain,counts:nosuch
END

# --- a file
want 0 questions -prog "$VICTIMS/counts"
same 'what fits' "$(cat "$tmp/out")" 'how often plain
    probes-tui count -pid PID counts:plain
    (only an example)
rounds that are "many"
    probes-tui latency -pid PID counts:plain,counts:many -by thread'
same 'nothing else is said' "$(cat "$tmp/err")" ''
want 0 questions -prog "$VICTIMS/counts" -format json
declared questions "$tmp/out"
same 'JSON' "$(python3 -c 'import json, sys
print([(q["question"], q["call"], q["note"], q["source"]) for q in json.load(open(sys.argv[1]))][0])' "$tmp/out")" \
	"('how often plain', 'probes-tui count -pid PID counts:plain', 'only an example', None)"

# --- processes: the calls that are printed name them
start counts
for target in "-pid $pid" "-pid $pid,$$" "-tree $pid" '-comm counts'; do
	# shellcheck disable=SC2086 # words
	"$PROBES_TUI" questions -quiet $target >"$tmp/out" 2>"$tmp/err"
	has "$target" "^    probes-tui count $target counts:plain\$" "$tmp/out"
done
want 3 questions -pid 2147483647
refuses 2 'no process or program is named' questions
refuses 2 'give one of text\|json$' questions -pid "$pid" -format csv

# --- nothing fits; a mistake is named, and the other questions are there
echo 'question = q
call = attach -enable-all' >>"$tmp/config/probes-tui/questions"
want 0 questions -prog "$VICTIMS/early"
same 'nothing fits' "$(cat "$tmp/out")" ''
has 'it is said, and where the file lies' "^probes-tui: none of the questions fits this program.* to $XDG_CONFIG_HOME/probes-tui/questions\$"
has 'a mistake' '/questions:11: call: is not a verb that measures' "$tmp/err"

# --- each shipped question of a program that is installed here fits it, unless later versions lack a probe of it
# fitting FILE PROVIDER: their number
fitting()
{
	# What python has no longer, from 3.12 on.
	for one in function__entry line; do
		notes "$1" | grep -q "^python $one " || echo "python:$one"
	done >"$tmp/lacking"
	grep "^call .* $2:" "$srcdir/ui/options/questions.conf" | grep -cvf "$tmp/lacking"
}
rm "$tmp/config/probes-tui/questions"
for file in /usr/lib/postgresql/*/bin/postgres /usr/lib/jvm/*/lib/server/libjvm.so /usr/bin/python3.[0-9]* \
	/usr/lib/*/libruby-*.so.*.* /usr/bin/php8.[0-9]*; do
	[ -f "$file" ] || continue
	provider=$("$PROBES_TUI" list -quiet -prog "$file" -format csv 2>/dev/null |
		awk -F , 'NR > 1 && $4 ~ /^(postgresql|hotspot|python|ruby|php)$/ { print $4; exit }')
	[ -n "$provider" ] || continue
	want 0 questions -quiet -prog "$file"
	same "those of $provider that fit $file" "$(grep -c '^    probes-tui ' "$tmp/out")" "$(fitting "$file" "$provider")"
done
finish
