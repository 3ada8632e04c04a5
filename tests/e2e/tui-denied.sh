#!/bin/sh
# Permission denied: as nobody on a process of root's: the screen that says why, r retries, q
# leaves; the target is untouched.
# Does not cover: Yama, user namespaces, processes that are not dumpable.
. "${srcdir:-.}/tests/e2e/tmux.sh"
[ "$(id -u)" = 0 ] || skip 'not root: cannot become somebody else'
command -v setpriv >/dev/null || skip 'no setpriv'
lend "$PROBES_TUI"
setpriv --reuid 65534 --clear-groups "$lent" -version >/dev/null 2>&1 ||
	skip "nobody cannot run $lent"
need_switching
start loop_ocaml2_pie
before=$(live "$VICTIMS/loop_ocaml2_pie" first)
terminal 80 24
type_command "setpriv --reuid 65534 --clear-groups '$lent' -no-syslog -pid $pid"
wait_for 'CANNOT .*SWITCH PROBES'
seen 'what fails' ' FAIL +'
seen 'why' ' why +.*uid 0.* you are uid 65534'
# Where root lacks CAP_SYS_PTRACE (a container) sudo would not help.
way=' 1  sudo ' last=' 1  sudo '
capable 19 || way=' 1  ' last=' 2  add CAP_SYS_PTRACE'
seen 'a way' "$way"
seen 'untouched' 'Nothing in the target was changed\.'
keys e
keys r
wait_for 'tried again'
keys '?'
wait_for '^Help: '
seen 'only what works' ' r +check again'
unseen 'only what works' 'switch on the tagged'
keys q
wait_for 'CANNOT .*SWITCH PROBES'
resize 40 10
wait_for 'j: more'
keys G
wait_for "$last"
keys q
wait_for 'status=0$'
same 'its memory' "$(live "$VICTIMS/loop_ocaml2_pie" first)" "$before"
stop
finish
