/*
 * The requests: one row each, in the order of the help and the footer. REQUEST(NAME, what does it,
 * struct request_info): NULL where it is up to the view (its `request` or `move`). Included several
 * times, see request.h.
 */
REQUEST(RUN, act_look_run, .keys = {'r'}, .where = IN_WORKING, .need = NEED_HELD,
	.section = SECTION_SWITCH, .help = "start the held program", .footer = "RUN IT", .rank = 2)
REQUEST(REOPEN, act_look_reopen, .keys = {'r'}, .where = IN_LIST | IN_DETAIL, .need = NEED_GONE,
	.section = SECTION_LOOK, .help = "reopen a process that has ended or called exec",
	.footer = "REOPEN", .rank = 2)
REQUEST(TAG, act_find_tag, .keys = {' '}, .where = IN_LIST | IN_PICKER, .section = SECTION_TAG,
	.help = "tag or untag, and move down", .footer = "Tag", .rank = 7)
REQUEST(TAG_SHOWN, act_find_tag, .keys = {'*'}, .where = IN_LIST | IN_PICKER,
	.section = SECTION_TAG, .help = "tag all rows shown (not those that the filter hides)")
REQUEST(TAG_REGEX, act_find, .keys = {'T'}, .where = IN_LIST, .section = SECTION_TAG,
	.help = "tag the rows shown whose provider:name contains a match for a regular "
		"expression")
REQUEST(UNTAG, act_find_tag, .keys = {'U'}, .where = IN_LIST | IN_PICKER, .section = SECTION_TAG,
	.help = "untag all, shown or not")
REQUEST(ON, act_switch, .keys = {'e'}, .where = IN_ROWS | IN_PAIRS,
	.need = NEED_SWITCH | NEED_SWITCHABLE, .section = SECTION_SWITCH,
	.help = "switch on the tagged probes, else the probe or group under the cursor",
	.footer = "Enable", .rank = 3)
REQUEST(OFF, act_switch, .keys = {'d'}, .where = IN_ROWS | IN_PAIRS,
	.need = NEED_SWITCH | NEED_SWITCHABLE, .section = SECTION_SWITCH,
	.help = "switch off the tagged probes, else the probe or group under the cursor",
	.footer = "Disable", .rank = 4)
REQUEST(HITS, act_count, .keys = {'H'}, .where = IN_ROWS | IN_PAIRS, .need = NEED_SWITCH,
	.section = SECTION_SWITCH,
	.help = "count hits of the tagged probes, else the probe or group under the "
		"cursor; "
		"again: stop counting",
	.footer = "Hits", .rank = 3)
REQUEST(LATENCY, act_latency, .keys = {'L'}, .where = IN_ROWS | IN_PAIRS, .need = NEED_LATENCY,
	.section = SECTION_SWITCH,
	.help = "measure how long it takes from a probe to its partner (NAME_start, NAME_end), "
		"or between the two tagged: histogram and percentiles",
	.footer = "Latency", .rank = 6)
REQUEST(LATENCY_ANEW, act_latency_anew, .keys = {'r'}, .where = IN_LATENCY, .need = NEED_SWITCH,
	.section = SECTION_SWITCH, .help = "start again from 0", .footer = "Reset", .rank = 3)
REQUEST(LATENCY_END, act_latency_end, .keys = {'L'}, .where = IN_LATENCY, .need = NEED_SWITCH,
	.section = SECTION_SWITCH,
	.help = "stop measuring, and the counting that L started (q leaves both on)",
	.footer = "Stop", .rank = 4)
REQUEST(EVENTS, act_events, .keys = {'v'}, .where = IN_ROWS | IN_PAIRS, .need = NEED_EVENTS,
	.section = SECTION_SWITCH,
	.help = "view the hits of the tagged probes, else of the probe under the cursor, "
		"as they come: time, thread, arguments",
	.footer = "Events", .rank = 9)
REQUEST(EVENTS_ANEW, act_events_anew, .keys = {'r'}, .where = IN_EVENTS | IN_HISTOGRAM | IN_CALLERS,
	.need = NEED_SWITCH, .section = SECTION_SWITCH, .help = "start again with an empty list",
	.footer = "Reset", .rank = 6)
REQUEST(EVENTS_END, act_events_end, .keys = {'v'}, .where = IN_EVENTS, .need = NEED_SWITCH,
	.section = SECTION_SWITCH,
	.help = "stop, and end the counting that v started (q leaves both on)", .footer = "Stop",
	.rank = 4)
REQUEST(EVENTS_TEXTS, act_events_ask, .keys = {'s'}, .where = IN_EVENTS | IN_HISTOGRAM | IN_CALLERS,
	.need = NEED_SWITCH, .section = SECTION_SWITCH,
	.help = "choose the arguments that point to texts, to show the texts", .footer = "Strings",
	.rank = 5)
REQUEST(EVENTS_FILTER, act_events_ask, .keys = {'\\', K_F4},
	.where = IN_EVENTS | IN_HISTOGRAM | IN_CALLERS, .need = NEED_CONDITION,
	.section = SECTION_FIND,
	.help = "from now on keep only events of which this is true: arg1 > 100 and arg2 "
		"~ select; ^U Enter: all",
	.footer = "Filter", .rank = 5)
REQUEST(EVENT, act_look_open, .keys = {K_ENTER, 'i'}, .where = IN_EVENTS, .section = SECTION_LOOK,
	.help = "all of an event: each argument in full, its site, its process", .footer = "Info",
	.rank = 7)
REQUEST(EVENTS_SHOW, act_look_open, .keys = {'v'}, .where = IN_HISTOGRAM | IN_CALLERS,
	.section = SECTION_LOOK, .help = "show the events themselves", .footer = "Events",
	.rank = 4)
REQUEST(HISTOGRAM, act_histogram, .keys = {'A'},
	.where = IN_ROWS | IN_PAIRS | IN_EVENTS | IN_CALLERS, .need = NEED_EVENTS,
	.section = SECTION_SWITCH,
	.help = "histogram of an argument of the probe under the cursor, and its most "
		"frequent values",
	.footer = "Values", .rank = 12)
REQUEST(HISTOGRAM_NEXT, act_histogram_next, .keys = {'A'}, .where = IN_HISTOGRAM,
	.section = SECTION_SWITCH, .help = "the next argument", .footer = "Next argument",
	.rank = 3)
REQUEST(CALLERS, act_callers, .keys = {'C'}, .where = IN_ROWS | IN_PAIRS | IN_EVENTS | IN_HISTOGRAM,
	.need = NEED_EVENTS, .section = SECTION_SWITCH,
	.help = "callers: which functions the hits of the probe under the cursor come from",
	.footer = "Callers", .rank = 13)
REQUEST(PAIR, act_pair, .keys = {'p'}, .where = IN_ROWS | IN_PAIRS,
	.need = NEED_SWITCH | NEED_SWITCHABLE, .section = SECTION_SWITCH,
	.help = "switch a probe and its partner (NAME_start, NAME_end), or the two tagged, so "
		"that no end is lost",
	.footer = "Pair", .rank = 9)
REQUEST(PAIRS, act_look_open, .keys = {'P'}, .where = IN_LIST, .section = SECTION_SWITCH,
	.help = "list pairs, by name or chosen (tag two, p), and which are incomplete",
	.footer = "Pairs", .rank = 13)
REQUEST(GO_TO, NULL, .keys = {K_ENTER}, .where = IN_PAIRS, .section = SECTION_LOOK,
	.help = "go to the start probe of this pair in the list", .footer = "Go to", .rank = 5)
REQUEST(EXPLAIN, act_look_explain, .keys = {'!'}, .where = IN_ROWS, .need = NEED_PROCESS,
	.section = SECTION_SWITCH,
	.help = "explain what disagrees in an inconsistent or partial probe, and repair "
		"it")
REQUEST(REPAIR, act_switch_force, .keys = {'y'}, .where = IN_INCONSISTENT, .need = NEED_SWITCH,
	.section = SECTION_SWITCH, .help = "repair: switch the sites to match the count",
	.footer = "Repair", .rank = 3)
REQUEST(FORCE_ON, act_switch_force, .keys = {'e'}, .where = IN_INCONSISTENT, .need = NEED_SWITCH,
	.section = SECTION_SWITCH, .help = "force it on: the count to 1, every site on",
	.footer = "Force on", .rank = 4)
REQUEST(FORCE_OFF, act_switch_force, .keys = {'d'}, .where = IN_INCONSISTENT, .need = NEED_SWITCH,
	.section = SECTION_SWITCH, .help = "force it off: the count to 0, every site off",
	.footer = "Force off", .rank = 5)
REQUEST(UNDO, act_switch_undo, .keys = {'u'},
	.where = IN_ROWS | IN_PAIRS | IN_LATENCY | IN_EVENTS | IN_HISTOGRAM | IN_CALLERS,
	.need = NEED_SWITCH, .section = SECTION_SWITCH, .help = "undo the last change",
	.footer = "Undo", .rank = 11)
REQUEST(REDO, act_switch_undo, .keys = {K_CTRL('R')},
	.where = IN_ROWS | IN_PAIRS | IN_LATENCY | IN_EVENTS | IN_HISTOGRAM | IN_CALLERS,
	.need = NEED_SWITCH, .section = SECTION_SWITCH, .help = "redo the change undone last")
REQUEST(SWEEP, act_sweep, .keys = {'W'}, .where = IN_LIST, .need = NEED_SWITCH,
	.section = SECTION_SWITCH,
	.help = "sweep: undo the changes of this session that forked children inherited")
REQUEST(PREVIEW, act_switch_preview, .keys = {'z'}, .where = IN_ROWS | IN_PAIRS,
	.need = NEED_SWITCH, .section = SECTION_SWITCH,
	.help = "preview what on, off and counting would write; write nothing")
REQUEST(SEARCH, act_find, .keys = {'/', K_F3}, .where = IN_SEARCHED, .section = SECTION_FIND,
	.help = "go to the next probe (provider:name), process or line of a text that "
		"contains a word or ~regex",
	.footer = "Find", .rank = 8)
REQUEST(NEXT, act_find_next, .keys = {'n'}, .where = IN_SEARCHED, .section = SECTION_FIND,
	.help = "next match")
REQUEST(PREVIOUS, act_find_next, .keys = {'N'}, .where = IN_SEARCHED, .section = SECTION_FIND,
	.help = "previous match")
REQUEST(FILTER, act_find, .keys = {'\\', K_F4}, .where = IN_LIST | IN_PAIRS | IN_PICKER,
	.section = SECTION_FIND, .help = "show only what matches; ^U Enter clears the filter",
	.footer = "Filter", .rank = 5)
REQUEST(OPEN, NULL, .keys = {K_ENTER, 'i'}, .where = IN_PICKER, .section = SECTION_LOOK,
	.help = "open the process, or all tagged ones in one list", .footer = "Open", .rank = 2)
REQUEST(DETAIL, act_look_detail, .keys = {'i', K_ENTER}, .where = IN_LIST, .section = SECTION_LOOK,
	.help = "details of a probe: sites, bytes, semaphores, arguments and their "
		"values; on a group of the tree: fold or unfold it",
	.footer = "Info", .rank = 10)
REQUEST(CODE, act_look_open, .keys = {'x'}, .where = IN_ROWS, .need = NEED_PROCESS,
	.section = SECTION_LOOK, .help = "code bytes and instructions around each site")
REQUEST(ARGUMENTS, act_look_open, .keys = {'a'}, .where = IN_ROWS, .section = SECTION_LOOK,
	.help = "type and location of each argument, site by site")
REQUEST(LIBRARIES, act_look_open, .keys = {'O'}, .where = IN_LIST, .section = SECTION_LOOK,
	.help = "mapped objects (files): their probes, and why one could not be read")
REQUEST(TREE, act_look_tree, .keys = {'t', K_F5}, .where = IN_LIST, .section = SECTION_LOOK,
	.help = "show a tree by object and provider, or the list again; on a group, e, d "
		"and Space act on all of its rows shown",
	.footer = "Tree", .rank = 12)
REQUEST(OUTPUT, act_look_output, .keys = {'o'}, .where = IN_LIST | IN_OUTPUT, .need = NEED_PROGRAM,
	.section = SECTION_LOOK,
	.help = "show all of the started program's terminal, or the list again", .footer = "Output",
	.rank = 11)
REQUEST(NEXT_PANE, act_look_next_pane, .keys = {K_TAB}, .where = IN_LIST | IN_DETAIL | IN_OUTPUT,
	.section = SECTION_LOOK, .help = "next pane: list, detail, output of the started program")
REQUEST(FIND_OUTPUT, NULL, .keys = {'/', K_F3}, .where = IN_OUTPUT, .section = SECTION_FIND,
	.help = "search the output upwards for a word or ~regex", .footer = "Find", .rank = 8)
REQUEST(OLDER, NULL, .keys = {'n'}, .where = IN_OUTPUT, .section = SECTION_FIND,
	.help = "next match above")
REQUEST(NEWER, NULL, .keys = {'N'}, .where = IN_OUTPUT, .section = SECTION_FIND,
	.help = "next match below")
REQUEST(TYPE, act_look_type, .keys = {K_CTRL(']')}, .where = IN_LIST | IN_OUTPUT,
	.need = NEED_PROGRAM, .section = SECTION_LOOK,
	.help = "type into the started program; ^] again returns", .footer = "Type", .rank = 13)
REQUEST(RETRY, act_look_retry, .keys = {'r'}, .where = IN_DENIED, .section = SECTION_LOOK,
	.help = "check again whether switching is permitted", .footer = "Retry", .rank = 3)
REQUEST(LIST, act_look_back, .keys = {K_ENTER}, .where = IN_DENIED, .need = NEED_LISTABLE,
	.section = SECTION_LOOK, .help = "continue to the list with what is permitted",
	.footer = "List", .rank = 4)
REQUEST(SORT, act_look_sort, .keys = {'s'}, .where = IN_LIST, .section = SECTION_SCREEN,
	.help = "sort by the next column (:sort NAME chooses one)")
REQUEST(SORT_BY, act_command, .keys = {K_F6}, .where = IN_LIST, .section = SECTION_SCREEN,
	.help = "choose the column to sort by")
REQUEST(INVERT, act_look_sort, .keys = {'I'}, .where = IN_LIST, .section = SECTION_SCREEN,
	.help = "reverse the sort order")
REQUEST(COLUMNS, act_look_columns, .keys = {'c', K_F2}, .where = IN_LIST, .section = SECTION_SCREEN,
	.help = "choose the columns")
REQUEST(FASTER, act_look_interval, .keys = {'-'}, .where = IN_WORKING, .need = NEED_PROCESS,
	.section = SECTION_SCREEN, .help = "shorter refresh interval")
REQUEST(SLOWER, act_look_interval, .keys = {'+'}, .where = IN_WORKING, .need = NEED_PROCESS,
	.section = SECTION_SCREEN, .help = "longer refresh interval")
REQUEST(FREEZE, act_look_freeze, .keys = {'Z'}, .where = IN_WORKING, .need = NEED_PROCESS,
	.section = SECTION_SCREEN, .help = "freeze the states shown, or resume refreshing")
REQUEST(READ_ONLY, act_look_read_only, .keys = {'R'}, .where = IN_WORKING, .need = NEED_PROCESS,
	.section = SECTION_SCREEN, .help = "read-only: refuse to switch; again: allow it")
REQUEST(REDRAW, act_look_redraw, .keys = {K_CTRL('L')}, .where = IN_ALL, .section = SECTION_SCREEN,
	.help = "redraw the screen")
REQUEST(DOWN, NULL, .keys = {'j', K_DOWN}, .where = IN_ALL, .section = SECTION_MOVE,
	.help = "down one line")
REQUEST(UP, NULL, .keys = {'k', K_UP}, .where = IN_ALL, .section = SECTION_MOVE,
	.help = "up one line")
REQUEST(PAGE_DOWN, NULL, .keys = {K_PAGE_DOWN, K_CTRL('F')}, .where = IN_ALL,
	.section = SECTION_MOVE, .help = "down one page", .footer = "Page", .rank = 12)
REQUEST(PAGE_UP, NULL, .keys = {K_PAGE_UP, K_CTRL('B')}, .where = IN_ALL, .section = SECTION_MOVE,
	.help = "up one page")
REQUEST(HALF_DOWN, NULL, .keys = {K_CTRL('D')}, .where = IN_ALL, .section = SECTION_MOVE,
	.help = "down half a page")
REQUEST(HALF_UP, NULL, .keys = {K_CTRL('U')}, .where = IN_ALL, .section = SECTION_MOVE,
	.help = "up half a page")
REQUEST(FIRST, NULL, .keys = {'g', K_HOME}, .where = IN_ALL, .section = SECTION_MOVE,
	.help = "to the first line")
REQUEST(LAST, NULL, .keys = {'G', K_END}, .where = IN_ALL, .section = SECTION_MOVE,
	.help = "to the last line")
REQUEST(LEFT, NULL, .keys = {'h', K_LEFT}, .where = IN_ALL, .section = SECTION_MOVE,
	.help = "scroll long lines and names to the left; in the tree: fold, or go to the "
		"group")
REQUEST(RIGHT, NULL, .keys = {'l', K_RIGHT}, .where = IN_ALL, .section = SECTION_MOVE,
	.help = "scroll to the right; in the tree: unfold")
REQUEST(HELP, act_look_open, .keys = {'?', K_F1}, .where = IN_ALL & ~IN_TEXT,
	.section = SECTION_SCREEN, .help = "this help", .footer = "Help", .rank = 1)
REQUEST(BACK, act_look_back, .keys = {'q', K_ESC, K_F10, K_CTRL('C')}, .where = IN_OVERLAY,
	.section = SECTION_LEAVE, .help = "back to the list", .footer = "Back", .rank = 2)
REQUEST(FORGET, act_find_forget, .keys = {K_ESC}, .where = IN_LIST | IN_PICKER,
	.section = SECTION_FIND, .help = "clear the search and the result line")
REQUEST(QUIT, act_leave, .keys = {'q', K_F10, K_CTRL('C')},
	.where = IN_LIST | IN_DENIED | IN_PICKER, .section = SECTION_LEAVE,
	.help = "quit and undo the changes of this session", .footer = "Quit", .rank = 2)
REQUEST(QUIT_LEAVE, act_leave, .keys = {'Q'}, .where = IN_WORKING, .need = NEED_PROCESS,
	.section = SECTION_LEAVE, .help = "quit and leave the probes as they are now")
REQUEST(SUSPEND, act_look_redraw, .keys = {K_CTRL('Z')}, .where = IN_ALL, .section = SECTION_LEAVE,
	.help = "suspend to the shell (fg returns; the target runs on)")
REQUEST(AS_COMMAND, act_look_open, .keys = {'y'}, .where = IN_ROWS | IN_PAIRS,
	.need = NEED_SWITCHABLE, .section = SECTION_RECORD,
	.help = "show the last action, and what is tagged now, as a command line")
REQUEST(OTHERS, act_look_open, .keys = {'y'}, .where = IN_ROWS | IN_PAIRS,
	.need = NEED_UNSWITCHABLE, .section = SECTION_RECORD,
	.help = "where no probe can be switched: commands that count or trace them",
	.footer = "Commands", .rank = 3)
REQUEST(SCRIPT, act_write, .keys = {'S'}, .where = IN_WORKING, .need = NEED_PROCESS,
	.section = SECTION_RECORD, .help = "write the changes of this session as a shell script")
REQUEST(WRITE, act_write, .keys = {'w'}, .where = IN_WORKING, .section = SECTION_RECORD,
	.help = "write this view to a file: text; the list also as .csv or .json")
REQUEST(NOTE, act_write, .keys = {'m'}, .where = IN_WORKING, .need = NEED_PROCESS,
	.section = SECTION_RECORD, .help = "add a note to the record (the script, -log, syslog)")
REQUEST(COMMAND, act_command, .keys = {':'}, .where = IN_WORKING, .section = SECTION_RECORD,
	.help = "command line: :enable-regexp gc_.*  :attach ACTIONS  :filter  :sort  :q  "
		":12 (row 12)  :$ (the last); Tab completes")
