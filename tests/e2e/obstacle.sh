# Scripts that count in the victim `obstacle`, by tally; source it instead of lib.sh, which it includes.
. "${srcdir:-.}/tests/e2e/lib.sh"
file=$VICTIMS/obstacle

# tally ARG...: count in $pid, print and undo: $status, $tmp/out, $tmp/err.
tally()
{
	"$VICTIMS/../e2e/tally" "$pid" "$@" >"$tmp/out" 2>"$tmp/all" </dev/null
	status=$?
	sed '/^tally: notice: .* probes, bias /d' "$tmp/all" >"$tmp/err"
}

code()
{
	peek "0x$text" $((0x$text_size)) | cksum
}

mappings()
{
	grep -c /memfd:probes-tui "/proc/$pid/maps"
}

begin()
{
	start obstacle "$@"
	before=$(code)
}

# unharmed WHAT
unharmed()
{
	same "code, $1" "$(code)" "$before"
	same "descriptors, $1" "$(find "/proc/$pid/fd" -lname '*memfd:probes-tui*' | wc -l)" 0
	same "journals, $1" "$(ls "$PROBES_TUI_RECORDS")" ''
	ask step
	same "it goes on, $1" "$(value all passes)" "${2:-1}"
}

# no WHAT STATUS PATTERN ARG...: refused, and nothing was mapped for good.
no()
{
	what=$1 want_status=$2 want_pattern=$3
	shift 3
	tally "$@"
	same "exit status, $what" "$status" "$want_status"
	same "lines of error, $what" "$(wc -l <"$tmp/err" | tr -d ' ')" 1
	has "sentence, $what" "^tally: .*$want_pattern"
	same "output, $what" "$(cat "$tmp/out")" ''
}

# counts WHAT NAME=LINE...: what is counted of each.
counts()
{
	same "exit status, $1" "$status $(cat "$tmp/err")" '0 '
	what=$1
	shift
	for one; do
		has "$what" "^${one%%=*} ${one#*=}\$" "$tmp/out"
	done
}

# Its code, as another reader sees it.
text_of() { readelf -SW "$VICTIMS/obstacle" | sed 's/^ *\[ *[0-9]*\] *//' | awk '$1 == ".text" { print $'"$1"' }'; }
text=$(text_of 3) text_size=$(text_of 5)
