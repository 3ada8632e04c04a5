#!/bin/sh
# Ready questions on the screen: help lists those that fit, :ask with the beginning of a name answers one with the
# latency of a pair or with hits, Tab completes names; what the screen cannot answer names the call.
# Does not cover: which questions are shipped (cli-questions.sh).
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching
need_zydis
mkdir -p "$tmp/config/probes-tui"
export XDG_CONFIG_HOME="$tmp/config"
cat >"$tmp/config/probes-tui/questions" <<'END'
question = time of a request
call     = latency pairs:start,pairs:end
note     = only an example
question = time of an order
call     = latency pairs:start,pairs:end -by arg1
question = how many begin
call     = count pairs:start
question = of another program
call     = count counts:plain
END
start pairs

# answered PATTERN: the answer is there, whether or not it asks for a stop before
answered()
{
	wait_for "$1|only if all threads stop"
	! grep -q 'only if all' "$tmp/screen" || keys y
	wait_for "$1"
}

terminal 140 60
screen -max-overhead 0
keys '?'
wait_for '^What people ask of such a program$'
seen 'one that fits' '^  :ask  *time of a request \(only an example\)$'
seen 'another' '^  :ask  *how many begin$'
unseen 'one that does not' 'of another program'
keys q
wait_list

# --- Tab
keys ':'
wait_for '^:'
text 'ask ti'
keys Tab
wait_for '^:ask time of a'
wait_for '^time of a request  time of an order'
text ' '
keys Tab
wait_for '^:ask time of a request'
keys Enter
answered '^Latency: pairs:start -> pairs:end$|^Latency: pairs:start -> end$'
ask 'run 1 10'
wait_for '^  pairs     10, '
keys L q
wait_list
wait_state 'no switch' 'pairs:start '

# asks TEXT: a command of the screen
asks()
{
	keys ':'
	wait_for '^:$'
	text "$1"
	keys Enter
}

# --- hits, whatever is tagged
keys '*'
wait_for 'tagged the [0-9]+ shown'
asks 'ask how'
answered 'counted  *pairs:start '
keys U # which a question would take
wait_for '  counted  *pairs:start '
ask 'run 1 10'
wait_for '  counted  *pairs:start .* 10 '

# --- what it cannot
asks 'ask time of an order'
wait_for 'in a shell, with -pid: probes-tui latency pairs:start,pairs:end -by arg1'
asks 'ask time'
wait_for '2 questions begin with that'
asks 'ask of another'
wait_for 'no such question; '
keys q
wait_for '^status=0$'
finish
