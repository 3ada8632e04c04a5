# fish completion for probes-tui. Made by doc/make-docs.sh from the table of options:
# change nothing here.

# Whether the verb that was given, or else the screen, is one of these.
function __probes_tui_verb
	set -l words (commandline -opc)
	if test (count $words) -gt 1; and contains -- $words[2] list info attach trace repair
		contains -- $words[2] $argv
	else
		contains -- screen $argv
	end
end

complete -c probes-tui -f
complete -c probes-tui -n 'test (count (commandline -opc)) -eq 1' -a list -d 'every probe with its sites and semaphores'
complete -c probes-tui -n 'test (count (commandline -opc)) -eq 1' -a info -d 'one line a probe: NAME enabled'
complete -c probes-tui -n 'test (count (commandline -opc)) -eq 1' -a attach -d 'switch probes in running processes'
complete -c probes-tui -n 'test (count (commandline -opc)) -eq 1' -a trace -d 'start a program with probes on from the start'
complete -c probes-tui -n 'test (count (commandline -opc)) -eq 1' -a repair -d 'undo what interrupted runs left in running processes'
complete -c probes-tui -n '__probes_tui_verb screen list info attach repair' -o 'pid' -x -a '(__fish_complete_list , __fish_complete_pids)' -d 'one running process, or several'
complete -c probes-tui -n '__probes_tui_verb screen list info attach repair' -o 'tree' -x -a '(__fish_complete_list , __fish_complete_pids)' -d 'a process and all its descendants'
complete -c probes-tui -n '__probes_tui_verb screen list info attach repair' -o 'comm' -x -a '(ps -eo comm=)' -d 'every process of this name (as in ps -o comm)'
complete -c probes-tui -n '__probes_tui_verb screen list trace' -o 'prog' -r -F -d 'the program or library'
complete -c probes-tui -n '__probes_tui_verb screen' -o 'follow' -d 'children forked later join the list (always so with -tree)'
complete -c probes-tui -n '__probes_tui_verb screen attach trace' -o 'enable' -x -d 'switch these probes on (repeatable)'
complete -c probes-tui -n '__probes_tui_verb screen attach trace' -o 'disable' -x -d 'switch these probes off (repeatable)'
complete -c probes-tui -n '__probes_tui_verb screen attach trace' -o 'enable-all' -d 'switch every probe on'
complete -c probes-tui -n '__probes_tui_verb screen attach trace' -o 'disable-all' -d 'switch every probe off'
complete -c probes-tui -n '__probes_tui_verb screen attach trace' -o 'enable-regexp' -x -d 'switch on names that match R, anchored at the start'
complete -c probes-tui -n '__probes_tui_verb screen attach trace' -o 'disable-regexp' -x -d 'switch off names that match R, anchored at the start'
complete -c probes-tui -n '__probes_tui_verb screen attach trace' -o 'enable-pair' -x -d 'switch on B, then A (repeatable)'
complete -c probes-tui -n '__probes_tui_verb screen attach trace' -o 'disable-pair' -x -d 'switch off A, then B (repeatable)'
complete -c probes-tui -n '__probes_tui_verb screen list info attach trace' -o 'provider' -x -d 'only probes of this provider'
complete -c probes-tui -n '__probes_tui_verb screen list info attach trace' -o 'object' -x -d 'only probes in this file (path or file name)'
complete -c probes-tui -n '__probes_tui_verb screen attach trace' -o 'force' -d 'set counts to 1 or 0, whatever their values'
complete -c probes-tui -n '__probes_tui_verb screen attach trace' -o 'f' -d 'set counts to 1 or 0, whatever their values'
complete -c probes-tui -n '__probes_tui_verb attach trace' -o 'dry-run' -d 'print the plan, write nothing'
complete -c probes-tui -n '__probes_tui_verb attach' -o 'for' -x -d 'undo after this time, such as 30s or 5m'
complete -c probes-tui -n '__probes_tui_verb attach' -o 'stop' -d 'stop all threads, so that all sites change at once'
complete -c probes-tui -n '__probes_tui_verb attach' -o 'max-stop' -x -d 'with -stop: give up after this many ms (1000)'
complete -c probes-tui -n '__probes_tui_verb screen attach' -o 'read-only' -d 'refuse to change anything'
complete -c probes-tui -n '__probes_tui_verb trace' -o 'wait' -d 'wait for the program, exit with its status'
complete -c probes-tui -n '__probes_tui_verb screen' -o 'hold' -d 'with -prog: hold the program at its start'
complete -c probes-tui -n '__probes_tui_verb screen' -o 'end-program' -d 'with -prog: end the program when the screen ends, however it ends'
complete -c probes-tui -n '__probes_tui_verb list info attach trace repair' -o 'format' -x -a 'text json csv' -d 'output format'
complete -c probes-tui -n '__probes_tui_verb screen list info attach trace repair' -o 'quiet' -d 'no notices, no details'
complete -c probes-tui -n '__probes_tui_verb screen list info attach trace repair' -o 'q' -d 'no notices, no details'
complete -c probes-tui -n '__probes_tui_verb screen list info attach trace repair' -o 'verbose' -d 'more details'
complete -c probes-tui -n '__probes_tui_verb screen list info attach trace repair' -o 'v' -d 'more details'
complete -c probes-tui -n '__probes_tui_verb screen attach trace repair' -o 'log' -r -F -d 'log every change to this file'
complete -c probes-tui -n '__probes_tui_verb screen attach trace repair' -o 'no-syslog' -d 'do not log changes to syslog'
complete -c probes-tui -n '__probes_tui_verb screen' -o 'refresh' -x -d 'interval between readings of the states'
complete -c probes-tui -n '__probes_tui_verb screen' -o 'lease' -x -d 'undo changes after this long without a key (15; 0: never)'
complete -c probes-tui -n '__probes_tui_verb screen' -o 'columns' -x -d 'show only these: sites,count,proc,held,object,arguments,detail; all; none'
complete -c probes-tui -n '__probes_tui_verb screen' -o 'no-color' -d 'no colours'
complete -c probes-tui -n '__probes_tui_verb screen' -o 'theme' -x -a 'dark light mono' -d 'colours for such a terminal'
complete -c probes-tui -n '__probes_tui_verb screen' -o 'mouse' -d 'a click moves the cursor, the wheel scrolls'
complete -c probes-tui -n '__probes_tui_verb screen' -o 'ascii' -d 'draw with ASCII only'
complete -c probes-tui -n '__probes_tui_verb screen list info attach trace repair' -o 'gigatext' -d 'accepted for compatibility with ocaml-probes; not needed'
complete -c probes-tui -n '__probes_tui_verb screen list info attach trace repair' -o 'help' -d 'this text'
complete -c probes-tui -n '__probes_tui_verb screen list info attach trace repair' -o 'h' -d 'this text'
complete -c probes-tui -n '__probes_tui_verb screen list info attach trace repair' -o 'version' -d 'the version'
