# Manual pages of libprobes, from the comments of probes.h: libprobes(3), one page for each section
# of the header, and for each call a link to its page.
#
#   awk -v folder=DIR -f calls.awk probes.h
#
# Relies on the layout of the header: a line of dashes names a section; a comment describes the
# declarations below it, up to the next empty line.

function troff(text) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	gsub(/`/, "", text)
	gsub(/~/, "\\(ti", text)
	gsub(/\^/, "\\(ha", text)
	gsub(/"/, "\\(dq", text)
	if (text ~ /^[.']/)
		text = "\\\&" text
	return text
}

function begin_page(name, about) {
	page = name
	page_about = about
	page_calls = page_synopsis = page_text = ""
}

function end_page(    file, i, count, calls) {
	if (page == "")
		return
	file = folder "/" page ".3"
	printf ".TH %s 3 \"\" \"probes\\-tui %s\" \"Library Functions Manual\"\n", toupper(page), version >file
	printf ".SH NAME\n%s%s \\- %s\n", page, page_calls, page_about >file
	printf ".SH SYNOPSIS\n.nf\n.B #include <probes.h>\n" >file
	if (page_synopsis != "")
		printf ".PP\n%s", page_synopsis >file
	printf ".fi\n.PP\n.I cc $(pkg\\-config \\-\\-cflags \\-\\-libs probes)\n" >file
	printf ".SH DESCRIPTION\n%s", page_text >file
	if (page == "libprobes") {
		printf ".SH SEE ALSO\n%s.BR probes (7)\n", others >file
	} else {
		others = others ".BR " page " (3),\n"
		printf ".SH SEE ALSO\n.BR libprobes (3),\n.BR probes (7)\n" >file
	}
	close(file)
	count = split(page_calls, calls, ", ")
	for (i = 1; i <= count; i++)
		if (calls[i] != "") {
			file = folder "/" calls[i] ".3"
			printf ".so man3/%s.3\n", page >file
			close(file)
		}
}

# A comment, line by line, without its stars.
function put_comment(line) {
	if (line ~ /^   ?-  ?|^ - |^  - /) {
		sub(/^ *- */, "", line)
		close_code()
		comment = comment ".IP \\(bu 2\n" troff(line) "\n"
	} else if (line ~ /^   [^ ]/) {
		if (!in_code)
			comment = comment ".PP\n.RS 4\n.nf\n"
		in_code = 1
		sub(/^ */, "", line)
		comment = comment troff(line) "\n"
	} else if (line ~ /^ *$/) {
		close_code()
		if (comment != "")
			comment = comment ".PP\n"
	} else {
		close_code()
		sub(/^ */, "", line)
		comment = comment troff(line) "\n"
	}
}

function close_code() {
	if (in_code)
		comment = comment ".fi\n.RE\n"
	in_code = 0
}

# A block between two empty lines or two comments: declarations, and their comment.
function end_block() {
	close_code()
	if (tags != "")
		page_text = page_text tags (comment == "" ? "See above.\n" : comment)
	else if (comment != "")
		page_text = page_text ".PP\n" comment
	page_text = page_text blocks
	comment = tags = blocks = ""
}

# A call: the prototype goes to the synopsis, the name above its description.
function put_call(text,    name, note) {
	note = ""
	if (match(text, /\/\*.*\*\//)) {
		note = substr(text, RSTART + 2, RLENGTH - 4)
		text = substr(text, 1, RSTART - 1)
	}
	gsub(/PROBES_API |PROBES_CHECK /, "", text)
	gsub(/[ \t\n]+/, " ", text)
	sub(/ $/, "", text)
	sub(/\( /, "(", text)
	name = text
	sub(/\(.*/, "", name)
	sub(/.*[ *]/, "", name)
	page_calls = page_calls ", " name
	page_synopsis = page_synopsis ".HP 4\n.B \"" troff(text) "\"\n"
	tags = tags (tags == "" ? ".TP\n" : ".TQ\n") ".BR " name " ()\n"
	gsub(/[ \t\n]+/, " ", note)
	sub(/^ /, "", note)
	if (note != "")
		comment = comment toupper(substr(note, 1, 1)) troff(substr(note, 2)) ".\n"
}

# A type, verbatim.
function put_type(text,    count, lines, i) {
	blocks = blocks ".PP\n.RS 4\n.nf\n"
	count = split(text, lines, "\n")
	for (i = 1; i <= count; i++) {
		gsub(/\t/, "    ", lines[i])
		blocks = blocks troff(lines[i]) "\n"
	}
	blocks = blocks ".fi\n.RE\n"
}

function put(text) {
	if (text ~ /PROBES_API/ && text !~ /^#/)
		put_call(text)
	else
		put_type(text)
}

/^#define PROBES_VERSION/ { version = $3; gsub(/"/, "", version) }
/^\/\* -+ .* \*\/$/ {
	if (started)
		end_block()
	end_page()
	title = $0
	gsub(/^\/\* -+ | \*\/$/, "", title)
	short = title
	sub(/^the /, "", short)
	begin_page("libprobes_" short, "calls of libprobes: " title)
	started = 1
	next
}
!started && FNR == 1 { overview = 1; next }
!started && overview {
	if ($0 ~ /^ \*\//) {
		close_code()
		overview = 0
		overview_text = comment
		comment = ""
	} else {
		sub(/^ \*/, "")
		put_comment($0)
	}
	next
}
!started { next }
/^#ifdef __cplusplus/ { exit }
in_comment {
	ends = sub(/ *\*\/$/, "")
	sub(/^ \*/, "")
	if (!ends || $0 !~ /^ *$/)
		put_comment($0)
	in_comment = !ends
	next
}
declaration != "" {
	declaration = declaration "\n" $0
	if ($0 ~ /^}/ || (!braces && $0 ~ /;/ && open_comments() <= 0)) {
		put(declaration)
		declaration = ""
	}
	next
}
/^$/ { end_block(); next }
/^\/\*.*\*\/$/ {
	end_block()
	sub(/^\/\*/, "")
	sub(/ *\*\/$/, "")
	put_comment($0)
	next
}
/^\/\*/ {
	end_block()
	in_comment = 1
	sub(/^\/\*/, "")
	if ($0 !~ /^ *$/)
		put_comment($0)
	next
}
{
	declaration = $0
	braces = $0 ~ /{[^}]*$/
	if ($0 ~ /^#/ || (!braces && $0 ~ /;/ && open_comments() <= 0)) {
		put(declaration)
		declaration = ""
	}
}

# Is a comment of this declaration still open?
function open_comments(    rest) {
	rest = declaration
	return gsub(/\/\*/, "", rest) - gsub(/\*\//, "", rest)
}

END {
	end_block()
	end_page()
	begin_page("libprobes", "see, switch and count the statically defined probes of a live process")
	page_text = overview_text
	end_page()
}
