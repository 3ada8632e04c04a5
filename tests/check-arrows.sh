#!/bin/sh
# The arrows of the house (DESIGN section 5), read from the #include lines:
#
#   src:     base <- elf, arch <- process <- probe <- patch <- count <- session
#   ui:      probes.h <- words <- options, figures <- output <- recording <- cli, tui
#   ui/tui:  terminal <- widgets <- rows <- process <- operations <- app <- views <- actions <- tui
#
# Folders include downwards only; the faces (ui/cli, ui/tui) do not know each other; no circle
# between modules, a module being one .c with its .h; ptrace is known in src/process only, curses
# in ui/tui/terminal only; messages of src name no options and no verbs.
# Not covered: what a file declares for itself without a header.
#
# Several files may share one header: calls are read from the symbols of all objects as well, and
# must not form a circle either. Without a build there are none: that part is left out.
set -eu
build=$PWD
cd "${srcdir:-.}"
source=$PWD

edges=$(mktemp)
trap 'rm -f "$edges"' EXIT

# shellcheck disable=SC2016 # awk expands
find src ui -name '*.[ch]' | LC_ALL=C sort | xargs awk -v edges="$edges" '
function wrong(text) {
	printf "%s:%d: %s\n", FILENAME, FNR, text
	failed = 1
}
function folder(path) {
	return path ~ "/" ? substr(path, 1, match(path, "/[^/]*$") - 1) : "."
}
function module(path) {
	sub(/\.[ch]$/, "", path)
	return path
}
# The file that an #include names.
function resolve(name) {
	return name ~ "^ui/" ? name : "src/" name
}
function allowed(from, to) {
	if (to == "src/probes.h" || folder(from) == folder(to))
		return 1
	if ((from ~ "^ui/") != (to ~ "^ui/"))
		return 0
	if (module(from) == "ui/main")
		return 1
	if ((from ~ "^ui/cli/" && to ~ "^ui/tui/") || (from ~ "^ui/tui/" && to ~ "^ui/cli/"))
		return 0
	if (!(folder(from) in rank) || !(folder(to) in rank))
		return 0
	return rank[folder(to)] < rank[folder(from)]
}
BEGIN {
	rank["src/base"] = 1
	rank["src/elf"] = 2
	rank["src/arch"] = 2
	rank["src/process"] = 3
	rank["src/probe"] = 4
	rank["src/patch"] = 5
	rank["src/count"] = 6
	rank["src/session"] = 7
	rank["ui/words"] = 1
	rank["ui/options"] = 2
	rank["ui/figures"] = 2
	rank["ui/output"] = 3
	rank["ui/recording"] = 4
	rank["ui/cli"] = 5
	count = split("terminal widgets rows process operations app views actions", folders, " ")
	for (i = 1; i <= count; i++)
		rank["ui/tui/" folders[i]] = 4 + i
	rank["ui/tui"] = 5 + count
}
/^[ \t]*#[ \t]*include[ \t]*</ {
	split($0, part, /[<>]/)
	if (part[2] ~ /ptrace\.h$/ && FILENAME !~ "^src/process/")
		wrong("<" part[2] "> is for src/process only")
	if (part[2] ~ /curses/ && FILENAME !~ "^ui/tui/terminal/")
		wrong("<" part[2] "> is for ui/tui/terminal only")
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, part, "\"")
	to = resolve(part[2])
	if ((getline line < to) < 0)
		wrong("\"" part[2] "\" is no path below src/, nor one that begins with ui/")
	else if (!allowed(FILENAME, to))
		wrong("an arrow that runs the wrong way: " folder(FILENAME) " must not include " part[2])
	close(to)
	if (module(FILENAME) != module(to) && to != "src/probes.h")
		print module(FILENAME), module(to) > edges
}
# The library does not know the program: its messages say what to do, not which option does it.
FILENAME ~ "^src/.*[.]c$" && /"([^"]*[ (])?-(force|kernel|max-stop|pid|prog|stop)[ ;,"]|"[^"]*(probes-tui |with (attach|count|info|list|repair)[" ;,])/ {
	wrong("a message of the library names an option or a verb of probes-tui")
}
END {
	exit failed
}'

if ! circle=$(tsort "$edges" 2>&1 >/dev/null); then
	echo "modules that include each other in a circle:"
	echo "$circle" | sed -n 's/^tsort: \([^ ]*\)$/  \1/p'
	exit 1
fi

# shellcheck disable=SC2016 # awk expands
if ! circle=$(cd "$build" && find src ui -name '*.o' ! -path '*/.libs/*' 2>/dev/null | xargs -r nm -A -g |
	awk -v source="$source" '{ sub(/[.]o:/, " ") }
	$2 == "U" { from[++count] = $1; called[count] = $3 }
	NF == 4 && (getline line < (source "/" $1 ".c")) >= 0 { owner[$4] = $1; close(source "/" $1 ".c") }
	END {
		for (i = 1; i <= count; i++)
			if (called[i] in owner && owner[called[i]] != from[i])
				print from[i], owner[called[i]]
	}' | tsort 2>&1 >/dev/null) || [ -n "$circle" ]; then
	echo "files that call each other in a circle:"
	echo "$circle" | sed -n '2,/ loop/s/^tsort: \([^ ]*\)$/  \1/p'
	exit 1
fi
