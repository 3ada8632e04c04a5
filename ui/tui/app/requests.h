/*
 * The requests: one row each, in the order of the help and the footer. REQUEST(NAME, what does it,
 * its section, in which views, the rest of struct request_info): act_by_view where it is up to the
 * view (its `request` or `move`). Included several times, see request.h.
 */
REQUEST(RUN, act_look_run, SWITCH, IN_WORKING, .keys = {'r'}, .need = NEED_HELD,
	.help = "start the held program", .footer = "RUN IT", .rank = 2)
REQUEST(REOPEN, act_look_reopen, LOOK, IN_LIST | IN_DETAIL, .keys = {'r'}, .need = NEED_GONE,
	.help = "reopen a process that has ended or called exec", .footer = "REOPEN", .rank = 2)
REQUEST(TAG, act_find_tag, TAG, IN_LIST | IN_PICKER, .keys = {' '},
	.help = "tag or untag, and move down", .footer = "Tag", .rank = 7)
REQUEST(TAG_SHOWN, act_find_tag, TAG, IN_LIST | IN_PICKER, .keys = {'*'},
	.help = "tag all rows shown (not those that the filter hides)")
REQUEST(TAG_REGEX, act_find, TAG, IN_LIST, .keys = {'T'},
	.help = "tag the rows shown whose provider:name contains a match for a regular expression")
REQUEST(UNTAG, act_find_tag, TAG, IN_LIST | IN_PICKER, .keys = {'U'},
	.help = "untag all, shown or not")
REQUEST(ON, act_switch, SWITCH, IN_ROWS | IN_PAIRS, .keys = {'e'},
	.need = NEED_SWITCH | NEED_SWITCHABLE,
	.help = "switch on the tagged probes, else the probe or group under the cursor",
	.footer = "Enable", .rank = 3)
REQUEST(OFF, act_switch, SWITCH, IN_ROWS | IN_PAIRS, .keys = {'d'},
	.need = NEED_SWITCH | NEED_SWITCHABLE,
	.help = "switch off the tagged probes, else the probe or group under the cursor",
	.footer = "Disable", .rank = 4)
REQUEST(HITS, act_count, SWITCH, IN_ROWS | IN_PAIRS, .keys = {'H'}, .need = NEED_SWITCH,
	.help = "count hits of the tagged probes, else the probe or group under the cursor; again: "
		"stop counting",
	.footer = "Hits", .rank = 3)
REQUEST(LATENCY, act_latency, SWITCH, IN_ROWS | IN_PAIRS, .keys = {'L'}, .need = NEED_LATENCY,
	.help = "measure how long it takes from a probe to its partner (NAME_start, NAME_end), or "
		"between the two tagged: histogram and percentiles",
	.footer = "Latency", .rank = 6)
REQUEST(LATENCY_ANEW, act_latency_anew, SWITCH, IN_LATENCY, .keys = {'r'}, .need = NEED_SWITCH,
	.help = "restart from 0", .footer = "Restart", .rank = 3)
REQUEST(LATENCY_END, act_latency_end, SWITCH, IN_LATENCY, .keys = {'L'},
	.need = NEED_SWITCH | NEED_RUNS,
	.help = "stop measuring, and the counting that L started (q leaves both on)",
	.footer = "Stop", .rank = 4)
REQUEST(EVENTS, act_events, SWITCH, IN_ROWS | IN_PAIRS, .keys = {'v'}, .need = NEED_EVENTS,
	.help = "view the hits of the tagged probes, else of the probe under the cursor, as they "
		"come: time, thread, arguments",
	.footer = "Events", .rank = 9)
REQUEST(EVENTS_ANEW, act_events_anew, SWITCH, IN_EVENTS | IN_HISTOGRAM | IN_CALLERS, .keys = {'r'},
	.need = NEED_SWITCH, .help = "restart with an empty list", .footer = "Restart", .rank = 6)
REQUEST(EVENTS_END, act_events_end, SWITCH, IN_EVENTS, .keys = {'v'},
	.need = NEED_SWITCH | NEED_RUNS,
	.help = "stop, and end the counting that v started (q leaves both on)", .footer = "Stop",
	.rank = 4)
REQUEST(EVENTS_TEXTS, act_events_ask, SWITCH, IN_EVENTS | IN_HISTOGRAM | IN_CALLERS, .keys = {'s'},
	.need = NEED_SWITCH, .help = "choose the arguments that point to texts, to show the texts",
	.footer = "Strings", .rank = 5)
REQUEST(EVENTS_FILTER, act_events_ask, FIND, IN_EVENTS | IN_HISTOGRAM | IN_CALLERS,
	.keys = {'\\', K_F4}, .need = NEED_CONDITION,
	.help = "keep only events that match, from now on: arg1 > 100 and arg2 ~ select; ^U Enter: "
		"all",
	.footer = "Filter", .rank = 5)
REQUEST(EVENT, act_look_open, LOOK, IN_EVENTS, .keys = {K_ENTER, 'i'},
	.help = "all of an event: each argument in full, its site, its process", .footer = "Info",
	.rank = 7)
REQUEST(EVENTS_SHOW, act_look_open, LOOK, IN_HISTOGRAM | IN_CALLERS, .keys = {'v'},
	.help = "show the events themselves", .footer = "Events", .rank = 4)
REQUEST(HISTOGRAM, act_events_values, SWITCH, IN_ROWS | IN_PAIRS | IN_EVENTS | IN_CALLERS,
	.keys = {'A'}, .need = NEED_EVENTS,
	.help = "histogram of an argument of the probe under the cursor, and its most frequent "
		"values",
	.footer = "Values", .rank = 12)
REQUEST(HISTOGRAM_NEXT, act_events_values_next, SWITCH, IN_HISTOGRAM, .keys = {'A'},
	.help = "the next argument", .footer = "Next argument", .rank = 3)
REQUEST(CALLERS, act_events_callers, SWITCH, IN_ROWS | IN_PAIRS | IN_EVENTS | IN_HISTOGRAM,
	.keys = {'C'}, .need = NEED_EVENTS,
	.help = "callers: which functions the hits of the probe under the cursor come from",
	.footer = "Callers", .rank = 13)
REQUEST(PAIR, act_pair, SWITCH, IN_ROWS | IN_PAIRS, .keys = {'p'},
	.need = NEED_SWITCH | NEED_SWITCHABLE,
	.help = "switch a probe and its partner (NAME_start, NAME_end), or the two tagged, so that "
		"no end is lost",
	.footer = "Pair", .rank = 9)
REQUEST(PAIRS, act_look_open, SWITCH, IN_LIST, .keys = {'P'},
	.help = "list pairs, by name or chosen (tag two, p), and which are incomplete",
	.footer = "Pairs", .rank = 13)
REQUEST(GO_TO, act_by_view, LOOK, IN_PAIRS, .keys = {K_ENTER},
	.help = "go to the start probe of this pair in the list", .footer = "Go to", .rank = 5)
REQUEST(EXPLAIN, act_look_explain, SWITCH, IN_ROWS, .keys = {'!'}, .need = NEED_PROCESS,
	.help = "explain what disagrees in an inconsistent or partial probe, and repair it")
REQUEST(REPAIR, act_switch_force, SWITCH, IN_INCONSISTENT, .keys = {'y'}, .need = NEED_SWITCH,
	.help = "repair: switch the sites to match the count", .footer = "Repair", .rank = 3)
REQUEST(FORCE_ON, act_switch_force, SWITCH, IN_INCONSISTENT, .keys = {'e'}, .need = NEED_SWITCH,
	.help = "force it on: the count to 1, every site on", .footer = "Force on", .rank = 4)
REQUEST(FORCE_OFF, act_switch_force, SWITCH, IN_INCONSISTENT, .keys = {'d'}, .need = NEED_SWITCH,
	.help = "force it off: the count to 0, every site off", .footer = "Force off", .rank = 5)
REQUEST(UNDO, act_switch_undo, SWITCH,
	IN_ROWS | IN_PAIRS | IN_LATENCY | IN_EVENTS | IN_HISTOGRAM | IN_CALLERS, .keys = {'u'},
	.need = NEED_SWITCH, .help = "undo the last change", .footer = "Undo", .rank = 11)
REQUEST(REDO, act_switch_undo, SWITCH,
	IN_ROWS | IN_PAIRS | IN_LATENCY | IN_EVENTS | IN_HISTOGRAM | IN_CALLERS,
	.keys = {K_CTRL('R')}, .need = NEED_SWITCH, .help = "redo the change undone last")
REQUEST(SWEEP, act_sweep, SWITCH, IN_LIST, .keys = {'W'}, .need = NEED_SWITCH,
	.help = "sweep: undo the changes of this session that forked children inherited")
REQUEST(PREVIEW, act_switch_preview, SWITCH, IN_ROWS | IN_PAIRS, .keys = {'z'}, .need = NEED_SWITCH,
	.help = "preview what on, off and counting would write; write nothing")
REQUEST(SEARCH, act_find, FIND, IN_SEARCHED, .keys = {'/', K_F3},
	.help = "go to the next probe (provider:name), process or line of a text that contains a "
		"word or ~regex",
	.footer = "Find", .rank = 8)
REQUEST(NEXT, act_find_next, FIND, IN_SEARCHED, .keys = {'n'}, .help = "next match")
REQUEST(PREVIOUS, act_find_next, FIND, IN_SEARCHED, .keys = {'N'}, .help = "previous match")
REQUEST(FILTER, act_find, FIND, IN_LIST | IN_PAIRS | IN_PICKER, .keys = {'\\', K_F4},
	.help = "show only what matches; ^U Enter clears the filter", .footer = "Filter", .rank = 5)
REQUEST(OPEN, act_by_view, LOOK, IN_PICKER, .keys = {K_ENTER, 'i'},
	.help = "open the process, or all tagged ones in one list", .footer = "Open", .rank = 2)
REQUEST(DETAIL, act_look_detail, LOOK, IN_LIST, .keys = {'i', K_ENTER},
	.help = "details of a probe: sites, bytes, semaphores, arguments and their values; on a "
		"group of the tree: fold or unfold it",
	.footer = "Info", .rank = 10)
REQUEST(CODE, act_look_open, LOOK, IN_ROWS, .keys = {'x'}, .need = NEED_PROCESS,
	.help = "code bytes and instructions around each site")
REQUEST(ARGUMENTS, act_look_open, LOOK, IN_ROWS, .keys = {'a'},
	.help = "type and location of each argument, site by site")
REQUEST(LIBRARIES, act_look_open, LOOK, IN_LIST, .keys = {'O'},
	.help = "mapped objects (files): their probes, and why one could not be read")
REQUEST(TREE, act_look_tree, LOOK, IN_LIST, .keys = {'t', K_F5},
	.help = "show a tree by object and provider, or the list again; on a group, keys such as "
		"Space act on all of its rows shown",
	.footer = "Tree", .rank = 12)
REQUEST(OUTPUT, act_look_output, LOOK, IN_LIST | IN_OUTPUT, .keys = {'o'}, .need = NEED_PROGRAM,
	.help = "show all of the started program's terminal, or the list again", .footer = "Output",
	.rank = 11)
REQUEST(NEXT_PANE, act_look_next_pane, LOOK, IN_LIST | IN_DETAIL | IN_OUTPUT, .keys = {K_TAB},
	.help = "next pane: list, detail, output of the started program")
REQUEST(FIND_OUTPUT, act_by_view, FIND, IN_OUTPUT, .keys = {'/', K_F3},
	.help = "search the output upwards for a word or ~regex", .footer = "Find", .rank = 8)
REQUEST(OLDER, act_by_view, FIND, IN_OUTPUT, .keys = {'n'}, .help = "next match above")
REQUEST(NEWER, act_by_view, FIND, IN_OUTPUT, .keys = {'N'}, .help = "next match below")
REQUEST(TYPE, act_look_type, LOOK, IN_LIST | IN_OUTPUT, .keys = {K_CTRL(']')}, .need = NEED_PROGRAM,
	.help = "type into the started program; ^] again returns", .footer = "Type", .rank = 13)
REQUEST(RETRY, act_look_retry, LOOK, IN_DENIED, .keys = {'r'},
	.help = "check again whether switching is permitted", .footer = "Retry", .rank = 3)
REQUEST(LIST, act_look_back, LOOK, IN_DENIED, .keys = {K_ENTER}, .need = NEED_LISTABLE,
	.help = "continue to the list with what is permitted", .footer = "List", .rank = 4)
REQUEST(SORT, act_look_sort, SCREEN, IN_LIST, .keys = {'s'},
	.help = "sort by the next column (:sort NAME chooses one)")
REQUEST(SORT_BY, act_command, SCREEN, IN_LIST, .keys = {K_F6},
	.help = "choose the column to sort by")
REQUEST(INVERT, act_look_sort, SCREEN, IN_LIST, .keys = {'I'}, .help = "reverse the sort order")
REQUEST(COLUMNS, act_look_columns, SCREEN, IN_LIST, .keys = {'c', K_F2},
	.help = "choose the columns")
REQUEST(FASTER, act_look_interval, SCREEN, IN_WORKING, .keys = {'-'}, .need = NEED_PROCESS,
	.help = "shorter refresh interval")
REQUEST(SLOWER, act_look_interval, SCREEN, IN_WORKING, .keys = {'+'}, .need = NEED_PROCESS,
	.help = "longer refresh interval")
REQUEST(FREEZE, act_look_freeze, SCREEN, IN_WORKING, .keys = {'Z'}, .need = NEED_PROCESS,
	.help = "freeze the states shown, or resume refreshing")
REQUEST(READ_ONLY, act_look_read_only, SCREEN, IN_WORKING, .keys = {'R'}, .need = NEED_PROCESS,
	.help = "read-only: refuse to switch; again: allow it")
REQUEST(REDRAW, act_look_redraw, SCREEN, IN_ALL, .keys = {K_CTRL('L')}, .help = "redraw the screen")
REQUEST(DOWN, act_by_view, MOVE, IN_ALL, .keys = {'j', K_DOWN}, .help = "down one line")
REQUEST(UP, act_by_view, MOVE, IN_ALL, .keys = {'k', K_UP}, .help = "up one line")
REQUEST(PAGE_DOWN, act_by_view, MOVE, IN_ALL, .keys = {K_PAGE_DOWN, K_CTRL('F')},
	.help = "down one page", .footer = "Page", .rank = 12)
REQUEST(PAGE_UP, act_by_view, MOVE, IN_ALL, .keys = {K_PAGE_UP, K_CTRL('B')}, .help = "up one page")
REQUEST(HALF_DOWN, act_by_view, MOVE, IN_ALL, .keys = {K_CTRL('D')}, .help = "down half a page")
REQUEST(HALF_UP, act_by_view, MOVE, IN_ALL, .keys = {K_CTRL('U')}, .help = "up half a page")
REQUEST(FIRST, act_by_view, MOVE, IN_ALL, .keys = {'g', K_HOME}, .help = "to the first line")
REQUEST(LAST, act_by_view, MOVE, IN_ALL, .keys = {'G', K_END}, .help = "to the last line")
REQUEST(LEFT, act_by_view, MOVE, IN_ALL, .keys = {'h', K_LEFT},
	.help = "scroll long lines and names to the left; in the tree: fold, or go to the group")
REQUEST(RIGHT, act_by_view, MOVE, IN_ALL, .keys = {'l', K_RIGHT},
	.help = "scroll to the right; in the tree: unfold")
REQUEST(HELP, act_look_open, SCREEN, IN_ALL & ~IN_TEXT, .keys = {'?', K_F1}, .help = "this help",
	.footer = "Help", .rank = 1)
REQUEST(BACK, act_look_back, LEAVE, IN_OVERLAY, .keys = {'q', K_ESC, K_F10, K_CTRL('C')},
	.help = "back to the list", .footer = "Back", .rank = 2)
REQUEST(FORGET, act_find_forget, FIND, IN_LIST | IN_PICKER, .keys = {K_ESC},
	.help = "clear the search and the result line")
REQUEST(QUIT, act_leave, LEAVE, IN_LIST | IN_DENIED | IN_PICKER, .keys = {'q', K_F10, K_CTRL('C')},
	.help = "quit and undo the changes of this session", .footer = "Quit", .rank = 2)
REQUEST(QUIT_LEAVE, act_leave, LEAVE, IN_WORKING, .keys = {'Q'}, .need = NEED_PROCESS,
	.help = "quit and leave the probes as they are now")
REQUEST(SUSPEND, act_look_redraw, LEAVE, IN_ALL, .keys = {K_CTRL('Z')},
	.help = "suspend to the shell (fg returns; the target runs on)")
REQUEST(AS_COMMAND, act_look_open, RECORD, IN_ROWS | IN_PAIRS, .keys = {'y'},
	.need = NEED_SWITCHABLE,
	.help = "show the last action, and what is tagged now, as a command line")
REQUEST(OTHERS, act_look_open, RECORD, IN_ROWS | IN_PAIRS, .keys = {'y'}, .need = NEED_UNSWITCHABLE,
	.help = "where no probe can be switched: commands that count or trace them",
	.footer = "Commands", .rank = 3)
REQUEST(SCRIPT, act_write, RECORD, IN_WORKING, .keys = {'S'}, .need = NEED_PROCESS,
	.help = "write the changes of this session as a shell script")
REQUEST(WRITE, act_write, RECORD, IN_WORKING, .keys = {'w'},
	.help = "write this view to a file: text; the list also as .csv or .json")
REQUEST(NOTE, act_write, RECORD, IN_WORKING, .keys = {'m'}, .need = NEED_PROCESS,
	.help = "add a mark to the record (the script, -log, syslog)")
REQUEST(COMMAND, act_command, RECORD, IN_WORKING, .keys = {':'},
	.help = "command line: :enable-regexp gc_.*  :attach ACTIONS  :filter  :sort  :q  :12 (row "
		"12)  :$ (the last); Tab completes")
