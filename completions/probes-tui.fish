# fish completion for probes-tui. What can stand at the cursor, `probes-tui complete` says: verbs,
# options, processes, and the probes of the process or file that the line names. Nothing of the line
# or of the answer is ever evaluated.

function __probes_tui_complete
	set -l words (commandline -opc)
	set -l token (commandline -ct)
	set -l typed (string unescape -- $token)
	# An open quote is no mistake here.
	test (count $typed) -eq 1; or set typed (string replace -r -- '^["\']' '' $token)
	# The program that is being called, unless only the shell's expansion would find it.
	set -l program $words[1]
	type -q -f -- $program; or set program probes-tui
	set -l answer (command $program complete $words[2..-1] "$typed" 2>/dev/null)
	switch "$answer[1]"
		case files programs
			__fish_complete_path "$typed"
			test "$answer[1]" = programs; and __fish_complete_command
		case '*'
			printf '%s\n' $answer[2..-1]
	end
end

complete -c probes-tui -f -k -a '(__probes_tui_complete)'
