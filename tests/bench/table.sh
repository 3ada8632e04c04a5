#!/bin/sh
# Medians and ranges of the figures that bench printed:
#
#	table.sh text|csv|markdown FIGURES
#
# One line for each row, size, unit: ours, then everybody else's, with the ratio to ours.
set -eu
format=${1:?usage: table.sh text|csv|markdown FIGURES}
LC_ALL=C sort -s -t '	' -k1,4 -k5,5g "${2:?}" | awk -F '\t' -v format="$format" '
function number(x) {
	if (x == 0) return "0"
	if (x >= 100) return sprintf("%.0f", x)
	if (x >= 10) return sprintf("%.1f", x)
	if (x >= 1) return sprintf("%.2f", x)
	return sprintf("%.3g", x)
}
function flush() {
	if (!n)
		return
	median = n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
	at = row SUBSEP size SUBSEP unit
	if (!(at in seen)) {
		seen[at] = 1
		order[++count] = at
	}
	if (who != "ours")
		others[at] = others[at] " " who
	mid[at, who] = median
	low[at, who] = v[1]
	high[at, who] = v[n]
	turns[at, who] = n
	n = 0
}
{
	key = $1 SUBSEP $2 SUBSEP $3 SUBSEP $4
	if (key != last)
		flush()
	last = key
	row = $1; size = $2; who = $3; unit = $4
	v[++n] = $5
}
function line(at, who,   p, ratio) {
	split(at, p, SUBSEP)
	ratio = ""
	if (who != "ours" && (at, "ours") in mid && mid[at, "ours"] > 0)
		ratio = sprintf("%.2f", mid[at, who] / mid[at, "ours"])
	if (format == "csv")
		printf "%s,\"%s\",%s,%s,%d,%.9g,%.9g,%.9g,%s\n", p[1], p[2], who, p[3],
			turns[at, who], mid[at, who], low[at, who], high[at, who], ratio
	else if (format == "markdown")
		printf "| %s | %s | %s | %s %s | %s-%s | %s |\n", p[1], p[2], who,
			number(mid[at, who]), p[3], number(low[at, who]), number(high[at, who]), ratio
	else
		printf "%-18s %-16s %-10s %10s %-12s %9s - %-9s %8s\n", p[1], p[2], who,
			number(mid[at, who]), p[3], number(low[at, who]), number(high[at, who]), ratio
}
END {
	flush()
	if (format == "csv")
		print "row,size,who,unit,turns,median,low,high,times_ours"
	else if (format == "markdown")
		print "| row | size | who | median | range | times ours |\n|---|---|---|---|---|---|"
	else
		printf "%-18s %-16s %-10s %10s %-12s %21s %8s\n", "row", "size", "who", "median",
			"unit", "range", "x ours"
	for (i = 1; i <= count; i++) {
		at = order[i]
		if ((at, "ours") in mid)
			line(at, "ours")
		k = split(others[at], w, " ")
		for (j = 1; j <= k; j++)
			line(at, w[j])
	}
}'
