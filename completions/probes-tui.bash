# bash completion for probes-tui. What can stand at the cursor, `probes-tui complete` says: verbs,
# options, processes, and the probes of the process or file that the line names. It gets the line as text;
# nothing of the line or of the answer is ever evaluated.

_probes_tui()
{
	local program=${COMP_WORDS[0]} what
	local -a answer

	COMPREPLY=()
	# The program that is being called, unless only the shell's expansion would find it.
	type -P -- "$program" >/dev/null || program=probes-tui
	mapfile -t answer < <("$program" complete -bash "$COMP_TYPE" "$2" "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
	what=${answer[0]-}
	COMPREPLY=("${answer[@]:1}")
	case $what in
	nospace)
		compopt -o nospace -o nosort
		;;
	words)
		compopt -o nosort
		;;
	files | programs)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$2")
		[ "$what" = files ] || [ ${#COMPREPLY[@]} -gt 0 ] || mapfile -t COMPREPLY < <(compgen -c -- "$2")
		;;
	esac
}

complete -F _probes_tui probes-tui
