#!/bin/sh
# The user quits the screen, or its lease expires, while children are born continuously: no child keeps
# a change, by each child's own report of handlers, counts and code.
# Does not cover: every moment (tests/stress/births.sh); hundreds that live on.
. "${srcdir:-.}/tests/e2e/tmux.sh"
need_switching

# clean WHAT: all children that live.
clean()
{
	ask cease
	ask check
	same "that hold anything, $1" "$(grep '^child' "$tmp/answer" | grep -v ' hits=0 counts=0 on=0$')" ''
	ask end
}

start ../stress/breeder
terminal 100 40
for _ in 1 2 3; do
	screen -refresh 0.2
	ask 'breed 3000'
	keys '*'
	keys e
	wait_state on 'ocaml_2:a0'
	keys q
	wait_for '^status=0$'
	seen 'said' 'undid this session.s changes: '
	clean 'left'
done

screen -refresh 0.2 -lease 2s
ask 'breed 3000'
keys '*'
keys e
wait_state on 'ocaml_2:a0'
wait_for 'the lease ran out, undone: '
clean 'lease'
keys q
wait_for '^status=0$'

screen -refresh 0.2
ask 'breed 3000'
keys '*'
keys e
wait_state on 'ocaml_2:a0'
kill -TERM "$(ours)"
wait_for '^status=143$'
clean 'terminated'
stop
finish
