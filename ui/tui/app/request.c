/*
 * The table of requests, key lookup and the footer.
 */
#include "ui/tui/app/request.h"

#include "ui/tui/terminal/key.h"

#include <stdio.h>
#include <string.h>

#define REQUEST_RANKS 20 /* the highest rank in the table */

static const struct request_info request_infos[REQUEST_COUNT] = {
	[REQUEST_RUN] = {.keys = {'r'},
		.where = IN_WORKING,
		.need = NEED_HELD,
		.section = SECTION_SWITCH,
		.help = "start the held program",
		.footer = "RUN IT",
		.rank = 2},
	[REQUEST_REOPEN] = {.keys = {'r'},
		.where = IN_LIST | IN_DETAIL,
		.need = NEED_GONE,
		.section = SECTION_LOOK,
		.help = "reopen a process that has ended or called exec",
		.footer = "REOPEN",
		.rank = 2},
	[REQUEST_TAG] = {.keys = {' '},
		.where = IN_LIST | IN_PICKER,
		.section = SECTION_TAG,
		.help = "tag or untag, and move down",
		.footer = "Tag",
		.rank = 7},
	[REQUEST_TAG_SHOWN] = {.keys = {'*'},
		.where = IN_LIST | IN_PICKER,
		.section = SECTION_TAG,
		.help = "tag all rows shown (not those that the filter hides)"},
	[REQUEST_TAG_REGEX] = {.keys = {'T'},
		.where = IN_LIST,
		.section = SECTION_TAG,
		.help = "tag the rows shown whose provider:name contains a match for a regular "
			"expression"},
	[REQUEST_UNTAG] = {.keys = {'U'},
		.where = IN_LIST | IN_PICKER,
		.section = SECTION_TAG,
		.help = "untag all, shown or not"},

	[REQUEST_ON] = {.keys = {'e'},
		.where = IN_ROWS | IN_PAIRS,
		.need = NEED_SWITCH | NEED_SWITCHABLE,
		.section = SECTION_SWITCH,
		.help = "switch on the tagged probes, else the probe or group under the cursor",
		.footer = "Enable",
		.rank = 3},
	[REQUEST_OFF] = {.keys = {'d'},
		.where = IN_ROWS | IN_PAIRS,
		.need = NEED_SWITCH | NEED_SWITCHABLE,
		.section = SECTION_SWITCH,
		.help = "switch off the tagged probes, else the probe or group under the cursor",
		.footer = "Disable",
		.rank = 4},
	[REQUEST_HITS] = {.keys = {'H'},
		.where = IN_ROWS | IN_PAIRS,
		.need = NEED_SWITCH,
		.section = SECTION_SWITCH,
		.help = "count hits of the tagged probes, else the probe or group under the "
			"cursor; "
			"again: stop counting",
		.footer = "Hits",
		.rank = 3},
	[REQUEST_PAIR] = {.keys = {'p'},
		.where = IN_ROWS | IN_PAIRS,
		.need = NEED_SWITCH | NEED_SWITCHABLE,
		.section = SECTION_SWITCH,
		.help = "switch a probe and its partner (X_start, X_end), or the two tagged, in "
			"the order that loses no end",
		.footer = "Pair",
		.rank = 9},
	[REQUEST_PAIRS] = {.keys = {'P'},
		.where = IN_LIST,
		.section = SECTION_SWITCH,
		.help = "list pairs, by name or chosen (tag two, p), and what is half on",
		.footer = "Pairs",
		.rank = 13},
	[REQUEST_GO_TO] = {.keys = {K_ENTER},
		.where = IN_PAIRS,
		.section = SECTION_LOOK,
		.help = "go to the start probe of this pair in the list",
		.footer = "Go to",
		.rank = 5},
	[REQUEST_EXPLAIN] = {.keys = {'!'},
		.where = IN_ROWS,
		.section = SECTION_SWITCH,
		.help = "explain what disagrees in an inconsistent or partial probe, and repair "
			"it"},
	[REQUEST_REPAIR] = {.keys = {'y'},
		.where = IN_INCONSISTENT,
		.need = NEED_SWITCH,
		.section = SECTION_SWITCH,
		.help = "repair: switch the sites to match the count",
		.footer = "Repair",
		.rank = 3},
	[REQUEST_FORCE_ON] = {.keys = {'e'},
		.where = IN_INCONSISTENT,
		.need = NEED_SWITCH,
		.section = SECTION_SWITCH,
		.help = "force it on: the count to 1, every site on",
		.footer = "Force on",
		.rank = 4},
	[REQUEST_FORCE_OFF] = {.keys = {'d'},
		.where = IN_INCONSISTENT,
		.need = NEED_SWITCH,
		.section = SECTION_SWITCH,
		.help = "force it off: the count to 0, every site off",
		.footer = "Force off",
		.rank = 5},
	[REQUEST_UNDO] = {.keys = {'u'},
		.where = IN_ROWS | IN_PAIRS,
		.need = NEED_SWITCH,
		.section = SECTION_SWITCH,
		.help = "undo the last change",
		.footer = "Undo",
		.rank = 11},
	[REQUEST_REDO] = {.keys = {K_CTRL('R')},
		.where = IN_ROWS | IN_PAIRS,
		.need = NEED_SWITCH,
		.section = SECTION_SWITCH,
		.help = "redo the change undone last"},
	[REQUEST_SWEEP] = {.keys = {'W'},
		.where = IN_LIST,
		.need = NEED_SWITCH,
		.section = SECTION_SWITCH,
		.help = "sweep: undo the changes of this session that forked children inherited"},
	[REQUEST_PREVIEW] = {.keys = {'z'},
		.where = IN_ROWS | IN_PAIRS,
		.need = NEED_SWITCH,
		.section = SECTION_SWITCH,
		.help = "preview what on, off and counting would write; write nothing"},

	[REQUEST_SEARCH] = {.keys = {'/', K_F3},
		.where = IN_SEARCHED,
		.section = SECTION_FIND,
		.help = "go to the next probe (provider:name), process or line of a text that "
			"contains a word or ~regex",
		.footer = "Find",
		.rank = 8},
	[REQUEST_NEXT] = {.keys = {'n'},
		.where = IN_SEARCHED,
		.section = SECTION_FIND,
		.help = "next match"},
	[REQUEST_PREVIOUS] = {.keys = {'N'},
		.where = IN_SEARCHED,
		.section = SECTION_FIND,
		.help = "previous match"},
	[REQUEST_FILTER] = {.keys = {'\\', K_F4},
		.where = IN_LIST | IN_PAIRS | IN_PICKER,
		.section = SECTION_FIND,
		.help = "show only what matches; ^U Enter clears the filter",
		.footer = "Filter",
		.rank = 5},

	[REQUEST_OPEN] = {.keys = {K_ENTER, 'i'},
		.where = IN_PICKER,
		.section = SECTION_LOOK,
		.help = "open the process, or all tagged ones in one list",
		.footer = "Open",
		.rank = 2},
	[REQUEST_DETAIL] = {.keys = {'i', K_ENTER},
		.where = IN_LIST,
		.section = SECTION_LOOK,
		.help = "details of a probe: sites, bytes, semaphores, arguments; on a group of "
			"the tree: fold or unfold it",
		.footer = "Info",
		.rank = 10},
	[REQUEST_CODE] = {.keys = {'x'},
		.where = IN_ROWS,
		.section = SECTION_LOOK,
		.help = "code bytes and instructions around each site"},
	[REQUEST_ARGUMENTS] = {.keys = {'a'},
		.where = IN_ROWS,
		.section = SECTION_LOOK,
		.help = "type and location of each argument, site by site"},
	[REQUEST_LIBRARIES] = {.keys = {'O'},
		.where = IN_LIST,
		.section = SECTION_LOOK,
		.help = "mapped objects (files): their probes, and why one could not be read"},
	[REQUEST_TREE] = {.keys = {'t', K_F5},
		.where = IN_LIST,
		.section = SECTION_LOOK,
		.help = "show a tree by object and provider, or the list again; on a group, e, d "
			"and Space act on all of its rows shown",
		.footer = "Tree",
		.rank = 12},
	[REQUEST_OUTPUT] = {.keys = {'o'},
		.where = IN_LIST | IN_OUTPUT,
		.need = NEED_PROGRAM,
		.section = SECTION_LOOK,
		.help = "show all of the started program's terminal, or the list again",
		.footer = "Output",
		.rank = 11},
	[REQUEST_NEXT_PANE] = {.keys = {K_TAB},
		.where = IN_LIST | IN_DETAIL | IN_OUTPUT,
		.section = SECTION_LOOK,
		.help = "next pane: list, detail, output of the started program"},
	[REQUEST_FIND_OUTPUT] = {.keys = {'/', K_F3},
		.where = IN_OUTPUT,
		.section = SECTION_FIND,
		.help = "search the output upwards for a word or ~regex",
		.footer = "Find",
		.rank = 8},
	[REQUEST_OLDER] = {.keys = {'n'},
		.where = IN_OUTPUT,
		.section = SECTION_FIND,
		.help = "next match above"},
	[REQUEST_NEWER] = {.keys = {'N'},
		.where = IN_OUTPUT,
		.section = SECTION_FIND,
		.help = "next match below"},
	[REQUEST_TYPE] = {.keys = {K_CTRL(']')},
		.where = IN_LIST | IN_OUTPUT,
		.need = NEED_PROGRAM,
		.section = SECTION_LOOK,
		.help = "type into the started program; ^] again returns",
		.footer = "Type",
		.rank = 13},
	[REQUEST_RETRY] = {.keys = {'r'},
		.where = IN_DENIED,
		.section = SECTION_LOOK,
		.help = "check again whether switching is permitted",
		.footer = "Retry",
		.rank = 3},
	[REQUEST_LIST] = {.keys = {K_ENTER},
		.where = IN_DENIED,
		.need = NEED_LISTABLE,
		.section = SECTION_LOOK,
		.help = "continue to the list with what is permitted",
		.footer = "List",
		.rank = 4},

	[REQUEST_SORT] = {.keys = {'s'},
		.where = IN_LIST,
		.section = SECTION_SCREEN,
		.help = "sort by the next column (:sort NAME chooses one)"},
	[REQUEST_SORT_BY] = {.keys = {K_F6},
		.where = IN_LIST,
		.section = SECTION_SCREEN,
		.help = "choose the column to sort by"},
	[REQUEST_INVERT] = {.keys = {'I'},
		.where = IN_LIST,
		.section = SECTION_SCREEN,
		.help = "reverse the sort order"},
	[REQUEST_COLUMNS] = {.keys = {'c', K_F2},
		.where = IN_LIST,
		.section = SECTION_SCREEN,
		.help = "choose the columns"},
	[REQUEST_FASTER] = {.keys = {'-'},
		.where = IN_WORKING,
		.section = SECTION_SCREEN,
		.help = "shorter refresh interval"},
	[REQUEST_SLOWER] = {.keys = {'+'},
		.where = IN_WORKING,
		.section = SECTION_SCREEN,
		.help = "longer refresh interval"},
	[REQUEST_FREEZE] = {.keys = {'Z'},
		.where = IN_WORKING,
		.section = SECTION_SCREEN,
		.help = "freeze the states shown, or resume refreshing"},
	[REQUEST_READ_ONLY] = {.keys = {'R'},
		.where = IN_WORKING,
		.section = SECTION_SCREEN,
		.help = "read-only: refuse to switch; again: allow it"},
	[REQUEST_REDRAW] = {.keys = {K_CTRL('L')},
		.where = IN_ALL,
		.section = SECTION_SCREEN,
		.help = "redraw the screen"},
	[REQUEST_DOWN] = {.keys = {'j', K_DOWN},
		.where = IN_ALL,
		.section = SECTION_MOVE,
		.help = "down one line"},
	[REQUEST_UP] = {.keys = {'k', K_UP},
		.where = IN_ALL,
		.section = SECTION_MOVE,
		.help = "up one line"},
	[REQUEST_PAGE_DOWN] = {.keys = {K_PAGE_DOWN, K_CTRL('F')},
		.where = IN_ALL,
		.section = SECTION_MOVE,
		.help = "down one page",
		.footer = "Page",
		.rank = 12},
	[REQUEST_PAGE_UP] = {.keys = {K_PAGE_UP, K_CTRL('B')},
		.where = IN_ALL,
		.section = SECTION_MOVE,
		.help = "up one page"},
	[REQUEST_HALF_DOWN] = {.keys = {K_CTRL('D')},
		.where = IN_ALL,
		.section = SECTION_MOVE,
		.help = "down half a page"},
	[REQUEST_HALF_UP] = {.keys = {K_CTRL('U')},
		.where = IN_ALL,
		.section = SECTION_MOVE,
		.help = "up half a page"},
	[REQUEST_FIRST] = {.keys = {'g', K_HOME},
		.where = IN_ALL,
		.section = SECTION_MOVE,
		.help = "to the first line"},
	[REQUEST_LAST] = {.keys = {'G', K_END},
		.where = IN_ALL,
		.section = SECTION_MOVE,
		.help = "to the last line"},
	[REQUEST_LEFT] = {.keys = {'h', K_LEFT},
		.where = IN_ALL,
		.section = SECTION_MOVE,
		.help = "scroll long lines and names to the left; in the tree: fold, or go to the "
			"group"},
	[REQUEST_RIGHT] = {.keys = {'l', K_RIGHT},
		.where = IN_ALL,
		.section = SECTION_MOVE,
		.help = "scroll to the right; in the tree: unfold"},

	[REQUEST_AS_COMMAND] = {.keys = {'y'},
		.where = IN_ROWS | IN_PAIRS,
		.need = NEED_SWITCHABLE,
		.section = SECTION_RECORD,
		.help = "show the last action, and what is tagged now, as a command line"},
	[REQUEST_OTHERS] = {.keys = {'y'},
		.where = IN_ROWS | IN_PAIRS,
		.need = NEED_UNSWITCHABLE,
		.section = SECTION_RECORD,
		.help = "where no probe can be switched: commands that count or trace them",
		.footer = "Commands",
		.rank = 3},
	[REQUEST_SCRIPT] = {.keys = {'S'},
		.where = IN_WORKING,
		.section = SECTION_RECORD,
		.help = "write the changes of this session as a shell script"},
	[REQUEST_WRITE] = {.keys = {'w'},
		.where = IN_WORKING,
		.section = SECTION_RECORD,
		.help = "write this view to a file: text; the list also as .csv or .json"},
	[REQUEST_NOTE] = {.keys = {'m'},
		.where = IN_WORKING,
		.section = SECTION_RECORD,
		.help = "add a note to the record (the script, -log, syslog)"},
	[REQUEST_COMMAND] = {.keys = {':'},
		.where = IN_WORKING,
		.section = SECTION_RECORD,
		.help = "command line: :enable-regexp gc_.*  :attach ACTIONS  :filter  :sort  :q  "
			":12 (row 12)  :$ (the last); Tab completes"},
	[REQUEST_BACK] = {.keys = {'q', K_ESC, K_F10, K_CTRL('C')},
		.where = IN_OVERLAY,
		.section = SECTION_LEAVE,
		.help = "back to the list",
		.footer = "Back",
		.rank = 2},
	[REQUEST_FORGET] = {.keys = {K_ESC},
		.where = IN_LIST | IN_PICKER,
		.section = SECTION_FIND,
		.help = "clear the search and the result line"},
	[REQUEST_QUIT] = {.keys = {'q', K_F10, K_CTRL('C')},
		.where = IN_LIST | IN_DENIED | IN_PICKER,
		.section = SECTION_LEAVE,
		.help = "quit and undo the changes of this session",
		.footer = "Quit",
		.rank = 2},
	[REQUEST_QUIT_LEAVE] = {.keys = {'Q'},
		.where = IN_WORKING,
		.section = SECTION_LEAVE,
		.help = "quit and leave the probes as they are now"},
	[REQUEST_SUSPEND] = {.keys = {K_CTRL('Z')},
		.where = IN_ALL,
		.section = SECTION_LEAVE,
		.help = "suspend to the shell (fg returns; the target runs on)"},
	[REQUEST_HELP] = {.keys = {'?', K_F1},
		.where = IN_ALL & ~IN_TEXT,
		.section = SECTION_SCREEN,
		.help = "this help",
		.footer = "Help",
		.rank = 1},
};

const struct request_info *request_info(enum request r)
{
	return &request_infos[r];
}

const char *request_section(enum request_section section)
{
	static const char *const names[SECTION_COUNT] = {
		[SECTION_MOVE] = "Move",
		[SECTION_FIND] = "Search and filter",
		[SECTION_TAG] = "Tag",
		[SECTION_SWITCH] = "Switch",
		[SECTION_LOOK] = "Look",
		[SECTION_SCREEN] = "Screen",
		[SECTION_RECORD] = "Record",
		[SECTION_LEAVE] = "Leave",
	};

	return names[section];
}

enum request request_of_key(uint32_t key, unsigned where)
{
	return request_of_key_now(key, where, 0);
}

enum request request_of_key_now(uint32_t key, unsigned where, unsigned have)
{
	enum request first = REQUEST_NONE;

	if (key == '\n')
		key = K_ENTER;
	for (int r = REQUEST_NONE + 1; key && r < REQUEST_COUNT; r++) {
		const struct request_info *info = &request_infos[r];
		int i = 0;

		while (i < REQUEST_KEYS && info->keys[i] != key)
			i++;
		if (i == REQUEST_KEYS || !(info->where & where))
			continue;
		if (request_possible((enum request)r, where, have))
			return (enum request)r;
		if (!first)
			first = (enum request)r;
	}
	return first;
}

const char *request_unknown(uint32_t key, unsigned where, char *out, size_t size)
{
	/* What users of htop reach for. */
	static const struct {
		uint32_t key;
		const char *text;
	} elsewhere[] = {
		{K_F6, "F6 sorts the list of probes, nothing else; / searches here"},
		{K_F7, "F7 and F8 renice nothing here: probes-tui leaves priorities alone"},
		{K_F8, "F7 and F8 renice nothing here: probes-tui leaves priorities alone"},
		{K_F9, "F9 kills nothing here: the target is never harmed; d switches a probe off"},
	};
	char name[16] = "that key";

	for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
		if (elsewhere[i].key == key) {
			snprintf(out, size, "%s", elsewhere[i].text);
			return out;
		}
	}
	if (key < 0x7f || key >= K_SPECIAL)
		key_label(key, name, sizeof name);
	snprintf(out, size, "%s does nothing here; %s", name,
		request_of_key('?', where) ? "? lists the keys" : "q goes back, / searches");
	return out;
}

const char *request_keys(enum request r, char *out, size_t size)
{
	size_t length = 0;

	out[0] = '\0';
	for (int i = 0; i < REQUEST_KEYS && request_infos[r].keys[i]; i++) {
		char name[16];

		key_label(request_infos[r].keys[i], name, sizeof name);
		if (length + strlen(name) + 2 > size)
			break;
		length += (size_t)sprintf(out + length, "%s%s", i ? " " : "", name);
	}
	return out;
}

bool request_possible(enum request r, unsigned where, unsigned have)
{
	const struct request_info *info = &request_infos[r];

	return (info->where & where) && !(info->need & ~have);
}

int request_footer(
	unsigned where, unsigned have, int width, struct request_label out[REQUEST_COUNT])
{
	struct request_label all[REQUEST_COUNT] = {{0}};
	int used = 0, count = 0;

	/* Choose what there is room for, the lowest rank first. */
	for (int rank = 1; rank <= REQUEST_RANKS; rank++) {
		for (int r = REQUEST_NONE + 1; r < REQUEST_COUNT; r++) {
			const struct request_info *info = &request_infos[r];
			struct request_label *l = &all[r];

			if (!info->footer || info->rank != rank ||
				!request_possible((enum request)r, where, have))
				continue;
			key_label(info->keys[0], l->key, sizeof l->key);
			l->width = (int)(strlen(l->key) + strlen(info->footer)) + 2;
			if (used + l->width <= width)
				l->request = (enum request)r;
			used += l->request ? l->width : 0;
		}
	}
	used = 0;
	for (int r = REQUEST_NONE + 1; r < REQUEST_COUNT; r++) {
		if (!all[r].request)
			continue;
		out[count] = all[r];
		out[count].text = request_infos[r].footer;
		out[count].x = used;
		used += out[count++].width;
	}
	return count;
}
