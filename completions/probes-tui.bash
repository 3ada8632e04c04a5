# bash completion for probes-tui. Made by doc/make-docs.sh from the table of options:
# change nothing here.

# One of these words after the last comma of what was typed.
_probes_tui_last()
{
	local before=${cur%"${cur##*,}"}

	mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${cur##*,}")
}

_probes_tui()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local verb= words=

	COMPREPLY=()
	if [ "$COMP_CWORD" -gt 1 ]; then
		case ${COMP_WORDS[1]} in
		list | info | attach | trace | repair) verb=${COMP_WORDS[1]} ;;
		esac
	fi
	case $prev in
	-pid | --pid | -tree | --tree)
		_probes_tui_last "$(ps -eo pid=)"
		return ;;
	-comm | --comm)
		mapfile -t COMPREPLY < <(compgen -W "$(ps -eo comm=)" -- "$cur")
		return ;;
	-prog | --prog | -log | --log)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	-format | --format)
		mapfile -t COMPREPLY < <(compgen -W "text json csv" -- "$cur")
		return ;;
	-theme | --theme)
		mapfile -t COMPREPLY < <(compgen -W "dark light mono" -- "$cur")
		return ;;
	-enable | --enable | -disable | --disable | -enable-regexp | --enable-regexp | -disable-regexp | --disable-regexp | -enable-pair | --enable-pair | -disable-pair | --disable-pair | -provider | --provider | -object | --object | -for | --for | -max-stop | --max-stop | -refresh | --refresh | -lease | --lease | -columns | --columns)
		return ;;
	esac
	case $verb in
	'')
		words="-pid -tree -comm -prog -follow -enable -disable -enable-all -disable-all -enable-regexp -disable-regexp -enable-pair -disable-pair -provider -object -force -read-only -hold -end-program -quiet -verbose -log -no-syslog -refresh -lease -columns -no-color -theme -mouse -ascii -gigatext -help -version" ;;
	list)
		words="-pid -tree -comm -prog -provider -object -format -quiet -verbose -gigatext -help -version" ;;
	info)
		words="-pid -tree -comm -provider -object -format -quiet -verbose -gigatext -help -version" ;;
	attach)
		words="-pid -tree -comm -enable -disable -enable-all -disable-all -enable-regexp -disable-regexp -enable-pair -disable-pair -provider -object -force -dry-run -for -stop -max-stop -read-only -format -quiet -verbose -log -no-syslog -gigatext -help -version" ;;
	trace)
		words="-prog -enable -disable -enable-all -disable-all -enable-regexp -disable-regexp -enable-pair -disable-pair -provider -object -force -dry-run -wait -format -quiet -verbose -log -no-syslog -gigatext -help -version" ;;
	repair)
		words="-pid -tree -comm -format -quiet -verbose -log -no-syslog -gigatext -help -version" ;;
	esac
	case $cur in
	--*) words="--${words// -/ --}" words=${words/#---/--} ;;
	*) [ "$COMP_CWORD" -gt 1 ] || words="list info attach trace repair $words" ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -o default -F _probes_tui probes-tui
