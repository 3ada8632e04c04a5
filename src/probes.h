/*
 * libprobes: see, switch and count the statically defined probes of a live process.
 *
 * The one public header. A program opens a session on a process (or on a
 * file, to list only), reads the probes and their live states, and switches
 * them while the process runs on.
 *
 *   struct probes_session *s;
 *   struct probes_error e;
 *   if (probes_open_pid(pid, NULL, &s, &e) < 0) ...
 *   if (probes_refresh(s, NULL, 0, &e) < 0) ...
 *   struct probes_action a = {.verb = PROBES_ENABLE, .by = PROBES_BY_NAME, .text = "req_start"};
 *   struct probes_result *r;
 *   if (probes_switch(s, &a, 1, NULL, &r, &e) < 0) ...
 *
 * Rules that hold everywhere:
 *  - A call that can fail returns 0 or a negative errno and fills the error;
 *    the caller must check the result. Nothing is printed, nothing exits.
 *  - Strings that come from an ELF file or a process (paths, providers, names,
 *    arguments) are untrusted and raw: pass them through probes_escape before
 *    they reach a terminal.
 *  - A returned pointer belongs to the session and is valid until probes_close,
 *    unless the call says that the caller owns it.
 *  - Only one thread at a time may use a session. From probes_start until probes_resume the
 *    library has a thread of its own, which traces the program (ptrace(2)): nobody may wait for
 *    that child meanwhile (waitpid(2) would consume what the tracer waits for).
 *  - If the caller itself runs out of descriptors or memory, the error has the status
 *    PROBES_FAILED and the code -EMFILE, -ENFILE or -ENOMEM, whatever was called: such an error
 *    says nothing about the process. A session holds 3 descriptors, and one more for each object
 *    with probes; once an eighth of RLIMIT_NOFILE is in use, 2 in all. A call needs 8 free ones,
 *    a switch more.
 *  - Addresses are those of the process, in bytes; "pc" is the link-time address,
 *    as the file has it.
 *
 * Written for x86-64 Linux; needs pidfd_open(2) (5.3) and openat2(2) (5.6).
 */
#ifndef PROBES_H
#define PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PROBES_VERSION "0.1.0"

#define PROBES_API __attribute__((visibility("default")))
#define PROBES_CHECK __attribute__((warn_unused_result))

/* ------------------------------------------------------------------ errors */

/* The kind of failure; the numbers are the exit statuses of probes-tui. */
enum probes_status {
	PROBES_OK = 0,
	PROBES_FAILED = 1,    /* done in part, or failed */
	PROBES_USAGE = 2,     /* unknown probe, bad expression, bad pair */
	PROBES_NO_TARGET = 3, /* no such process, not ELF or for another machine, no probes */
	PROBES_DENIED = 4,    /* not permitted */
	PROBES_GONE = 5,      /* the process ended or called exec */
	PROBES_REFUSED = 6,   /* refused because it would not be safe */
};

struct probes_error {
	enum probes_status status;
	int code;       /* a negative errno */
	char what[512]; /* what failed: "cannot read the maps of process 12" */
	char why[512];  /* the cause: "No such process" */
	char hint[512]; /* what to try; may be empty */
	char as[80];    /* not empty: the same call succeeds after these words ("sudo"), and hint
			   is an example of such a call */
};

/*
 * Fill an error as the engine does, after one of the caller's own system calls failed with the
 * negative errno `code`: `what` failed, the cause, and for a shortage of descriptors or memory how
 * to raise the limit. Returns code.
 */
PROBES_API int probes_failed(struct probes_error *e, int code, const char *what);

/* Is the error a shortage of the caller's descriptors or memory? It says nothing about the process.
 */
PROBES_API bool probes_is_shortage(const struct probes_error *e);

/* ---------------------------------------------------------------- the facts */

enum probes_kind {
	PROBES_OCAML, /* a site is a compare that one byte turns into a call */
	PROBES_SDT,   /* a site is a nop; wanted while a semaphore is > 0 */
};

enum probes_state {
	PROBES_UNKNOWN, /* not read: a file without a process */
	PROBES_OFF,
	PROBES_ON,
	PROBES_PARTIAL,      /* not all sites (or not all semaphores) agree */
	PROBES_FOREIGN,      /* another tool holds the byte that switches it */
	PROBES_INCONSISTENT, /* code and semaphore disagree, in two readings */
	PROBES_UNREADABLE,   /* the memory could not be read */
	PROBES_NO_SWITCH,    /* it has neither semaphore nor handler, so there is nothing to switch;
				its hits can be counted, timed and recorded (PROBES_COUNT) */
	PROBES_UNLOADED,     /* its object is no longer mapped: see probes_rescan */
};

#define PROBES_NONE UINT32_MAX

/* One probe location. */
struct probes_site {
	uint64_t pc;           /* link-time address, prelink-adjusted */
	uint64_t address;      /* in the process; 0 where there is none */
	uint32_t semaphore;    /* index into the probe's semaphores, or PROBES_NONE */
	const char *arguments; /* raw argument string, "" if none */
};

struct probes_semaphore {
	uint64_t vaddr;   /* of the count itself (that of OCaml at +2, if present) */
	uint64_t address; /* in the process, or 0 */
};

/* Why a probe cannot be switched. */
enum probes_flaw {
	PROBES_SOUND,
	PROBES_FLAW_NOTES,     /* its notes cannot be trusted */
	PROBES_FLAW_READ_ONLY, /* its semaphore cannot be written at present */
	PROBES_FLAW_SHARED,    /* its semaphore lies in shared memory at present */
	PROBES_FLAW_CODE, /* the original code at its sites is not known; its state is still read */
};

/* All sites with one provider and name in one object. */
struct probes_probe {
	uint32_t object; /* index for probes_object_at */
	enum probes_kind kind : 8;
	enum probes_flaw flaw : 8;
	const char *provider;
	const char *name;
	const char *arguments; /* of the first site */
	const char *broken;    /* its flaw in words; NULL: none */
	uint32_t site_count;   /* sites at one address are one site; 0: it has only a semaphore */
	uint32_t semaphore_count;
	const struct probes_site *sites;
	const struct probes_semaphore *semaphores;
};

/* An ELF file that holds notes, as one mapping of it in a process. */
struct probes_object {
	const char *path;     /* as in /proc/PID/maps, without " (deleted)" */
	const char *build_id; /* hexadecimal, or NULL */
	uint64_t bias;        /* address in the process = bias + pc */
	bool deleted;         /* the file was removed or replaced since */
	bool executable;      /* the program itself, not a library */
	bool gone;            /* no longer mapped: see probes_rescan */
	bool unread; /* its file could not be read (deleted by an upgrade, and the caller lacks
			privilege): it may have probes that are not listed; see `why` */
	size_t probe_count;
	size_t first_probe; /* index of its first probe; the others follow it */
	size_t left_out;    /* notes that exceeded the limit on what all sessions of a program keep
			       (256 MiB; 192 of one process); `why` says so */
	size_t malformed;   /* notes that are cut short, or lack a provider or a name; `why` says so
			     */
	const char *why;    /* why probes are missing, all or some; or NULL */
	const char *remedy; /* what would help: how to build a runtime so that it has probes, how to
			       read an unread file; a part of `why`, or NULL */
};

/* Another tool that has changed a site. */
enum probes_holder {
	PROBES_HOLDER_NONE,
	PROBES_HOLDER_INT3, /* a breakpoint: of a uprobe or a debugger */
	PROBES_HOLDER_OTHER /* any other bytes */
};

/* The live state of a probe at the last refresh. */
struct probes_live {
	enum probes_state state : 8;
	enum probes_holder holder : 8; /* of a foreign site */
	bool mine;                     /* this session's net change raised one of its semaphores */
	bool mine_enabled;             /* ... by more than it needs to count hits */
	bool mine_counted;             /* this session counts the hits of one of its sites */
	uint32_t sites_counted; /* sites whose hits are counted, by whomever: see probes_hits */
	uint32_t sites_on;      /* PROBES_NONE if its sites have no switch of their own (sdt) */
	uint32_t ref_min;       /* smallest and largest semaphore; PROBES_NONE: none or not read */
	uint32_t ref_max;
	uint32_t ref_mine; /* how much of ref_max this session has raised */
};

/* The live state of one site. */
struct probes_site_live {
	uint8_t bytes[6]; /* at the site's address */
	uint8_t count;    /* number of valid bytes */
	enum probes_state
		state : 8; /* on, off, foreign, unreadable; unknown: has no switch of its own */
	bool counted;      /* its hits are counted: the bytes are a jump of this library */
};

/* How the hits of a site are counted: what its bytes were replaced by. */
enum probes_tactic {
	PROBES_TACTIC_NONE,
	PROBES_TACTIC_PUNNED,  /* one byte: the bytes behind it are the displacement of a jump */
	PROBES_TACTIC_EVICTED, /* a jump; the next instruction was displaced. Needs a stop */
	PROBES_TACTIC_OCAML,   /* the displacement of its call */
	PROBES_TACTIC_KERNEL,  /* a uprobe of the kernel: needs privilege */
};

/*
 * The hits of a probe, summed over the sites that are counted, or were in this session. A child by
 * fork counts in the counters of its parent.
 */
struct probes_cost {
	double count_ns;   /* to count it */
	unsigned event_ns; /* to keep it as an event as well; 0: its hits are not, or no longer */
};
struct probes_hits {
	uint64_t hits;    /* since counting began, at each of these sites */
	uint64_t since;   /* of these, since this session began to count; where it does not count
			     itself, since its first reading */
	uint32_t counted; /* sites at present: where fewer than the probe has, the sum is a part */
	pid_t shared;     /* a process from which it was forked, or which was forked from it, and
			     whose hits are in the same counters: these are not its own. 0: they
			     are; -1: which is unknown */
	bool misses_end;  /* it is counted as probes_misses_end says */
};

/* The hits of one site. */
struct probes_site_hits {
	uint64_t hits;
	uint64_t since; /* as in struct probes_hits */
	bool counted;
	enum probes_tactic tactic; /* of the counting; of the last try otherwise */
	const char *why; /* why the last try to count it failed: one line; NULL: none did */
	pid_t shared;    /* as in struct probes_hits */
};

/* ------------------------------------------------------------- the sessions */

struct probes_session;

enum probes_log_level { PROBES_LOG_NOTICE, PROBES_LOG_DEBUG };

struct probes_options {
	bool read_only;  /* probes_switch refuses everything but a dry run */
	bool persistent; /* changes are meant to stay: once a call has succeeded, no journal remains
			 for probes_repair */
	/* notices ("disable actions are ignored under trace") and, at debug
	   level, what the engine does; may be NULL */
	void (*log)(void *data, enum probes_log_level level, const char *text);
	void *log_data;
};

/* A program to start. */
struct probes_program {
	const char *file;      /* without a slash: in the current directory, else in PATH */
	char *const *argv;     /* argv[0] included, NULL at the end; NULL: {file, NULL} */
	const int *terminal;   /* a pty's slave that becomes its controlling terminal and its
				  0, 1 and 2, in a session of its own; NULL: inherit the caller's */
	unsigned long files;   /* its soft RLIMIT_NOFILE; 0: inherit the caller's. For a caller that
				  raised its own limit: select(2) breaks beyond 1023 */
	const char *oom_score; /* its oom_score_adj (proc(5)), for a caller that raised its own;
				  NULL or "": inherit the caller's */
};

/*
 * Open a running process. Finds every mapped object with probes. Stops nothing, writes nothing.
 * Succeeds even if only listing is permitted: see probes_access.
 * A process without probes gives a session with probe count 0; each object says why.
 * options may be NULL.
 */
PROBES_API PROBES_CHECK int probes_open_pid(pid_t pid, const struct probes_options *options,
	struct probes_session **session, struct probes_error *e);

/* The result of probes_survey. */
struct probes_survey {
	size_t probes;   /* as probes_count would return */
	size_t objects;  /* mapped ones */
	size_t unread;   /* of these, those that could not be read: their probes are unknown */
	bool more;       /* there are more probes: at most 524,288 of one object are counted */
	bool semaphores; /* some have one; without any, there is nothing to switch */
};

/*
 * Count the probes of a process and keep nothing, neither memory nor descriptors: for a scan of all
 * processes, some of which may be crafted to exhaust the caller's memory. Needs at most 8 MiB
 * during the call, besides the list of mappings. Fails as probes_open_pid does.
 */
PROBES_API PROBES_CHECK int probes_survey(
	pid_t pid, struct probes_survey *survey, struct probes_error *e);

/*
 * Open an ELF file, to list what it declares: addresses are 0, states unknown. Without a slash it
 * is the file in the current directory, else in PATH. Of a script (#!) its interpreter is opened,
 * with a notice.
 */
PROBES_API PROBES_CHECK int probes_open_file(const char *path, const struct probes_options *options,
	struct probes_session **session, struct probes_error *e);

/*
 * Start a program and hold it: all its libraries are mapped, no constructor has run, only resolvers
 * of IFUNC symbols and LD_AUDIT libraries have. Then select and switch,
 * then call probes_resume. Until then the program dies with the caller, and with probes_close.
 * A set-user-ID or set-group-ID program, or one with file capabilities, is started without that
 * privilege unless the caller holds CAP_SYS_PTRACE (execve(2)): a notice says so.
 */
PROBES_API PROBES_CHECK int probes_start(const struct probes_program *program,
	const struct probes_options *options, struct probes_session **session,
	struct probes_error *e);

/*
 * Start a program that probes_start or probes_follow holds, and detach from it for good; or let go
 * of one that is followed.
 */
PROBES_API PROBES_CHECK int probes_resume(struct probes_session *session, struct probes_error *e);

/*
 * Is it a program started here that has no probe to switch (probes of libraries such as libstdc++,
 * which nothing switches, do not count), and may become one by exec: a script's interpreter, env,
 * nice, a shim? It is held until probes_follow lets it run.
 */
PROBES_API bool probes_is_launcher(const struct probes_session *session);

/*
 * Let a launcher run, and follow it from exec to exec until it becomes a program with probes. Waits
 * at most wait_ms (negative: for ever; 0: not at all). On success *next is the session of that
 * program, held at its start as by probes_start, and `session` is only to be closed; or *next is
 * NULL: not yet, call again, at the latest when probes_follow_fd is readable. Fails with
 * PROBES_NO_TARGET if the process ended before; its exit status is then the caller's to wait for.
 *
 * A launcher has begun, so it is not harmed: it is never stopped, its signals are passed on, and it
 * runs on if the caller dies, calls probes_resume or closes the session. Only between an exec and
 * the first instruction of the new program does it die with the caller. Its children are not
 * followed.
 */
PROBES_API PROBES_CHECK int probes_follow(struct probes_session *session, int wait_ms,
	struct probes_session **next, struct probes_error *e);
PROBES_API int probes_follow_fd(const struct probes_session *session); /* -1: not followed */

/*
 * What a process was before, launcher by launcher: "/usr/bin/env: no probe notes: ..." (untrusted).
 * If there are very many, only the first and the last ones.
 */
PROBES_API size_t probes_follow_count(const struct probes_session *session);
PROBES_API const char *probes_follow_at(const struct probes_session *session, size_t index);

/*
 * Free everything. Changes nothing in the process: call probes_restore first to
 * undo changes. A program still held is killed.
 */
PROBES_API void probes_close(struct probes_session *session);

PROBES_API pid_t probes_pid(const struct probes_session *session); /* 0 for a file */
/* Its pid in its own pid namespace; equals probes_pid if that is the caller's. */
PROBES_API pid_t probes_ns_pid(const struct probes_session *session);
PROBES_API const char *probes_path(
	const struct probes_session *session);                     /* of the program or file */
PROBES_API bool probes_held(const struct probes_session *session); /* by probes_start */
/*
 * What runs a translation of the code of the process, or records the process ("valgrind", "rr"):
 * nothing can be switched or counted then. NULL: nothing that is known.
 */
PROBES_API const char *probes_translator(const struct probes_session *session);

/*
 * Is it still the process that was opened? 0 if so; -ESRCH with status PROBES_GONE
 * after its end or an exec. Cheap: two system calls.
 */
PROBES_API PROBES_CHECK int probes_alive(struct probes_session *session, struct probes_error *e);

/* How the process of a session came to its end. */
enum probes_end {
	PROBES_END_NONE, /* it has not */
	PROBES_END_EXIT, /* it has ended, not by a signal as far as anybody can tell */
	PROBES_END_SIGNAL,
	PROBES_END_EXEC, /* it runs another program */
};

/*
 * *signal: what ended it, else 0. Of a process whose parent has collected it, only Linux 6.15 and
 * later tell.
 */
PROBES_API enum probes_end probes_end(struct probes_session *session, int *signal);

/* All processes except kernel threads; the caller frees the array. */
PROBES_API PROBES_CHECK int probes_processes(pid_t **pids, size_t *count, struct probes_error *e);

/* What /proc/PID/stat says about a process. */
struct probes_process_info {
	char name[16];   /* comm, untrusted */
	uint64_t start;  /* clock ticks after boot; with the pid it names one process */
	long up_seconds; /* since the start; -1: unknown */
	long threads;    /* -1: unknown */
	bool stopped;    /* by job control: SIGSTOP, ^Z */
};
/* Works without a session and for any process. On failure both numbers are -1. */
PROBES_API int probes_process_info(
	pid_t pid, struct probes_process_info *info, struct probes_error *e);

/* A process and all its running descendants, itself first; the caller frees the array. */
PROBES_API PROBES_CHECK int probes_tree(
	pid_t root, pid_t **pids, size_t *count, struct probes_error *e);

/* What the caller may do with a process, check by check, and why not: for people to read. */
enum probes_access_mark {
	PROBES_ACCESS_OK,
	PROBES_ACCESS_FAIL,
	PROBES_ACCESS_WHY,
	PROBES_ACCESS_TRY
};
struct probes_access_check {
	enum probes_access_mark mark;
	char text[160];
	char as[80]; /* of what to try: as in struct probes_error */
};
struct probes_access {
	bool can_list, can_read, can_switch;
	size_t count;
	struct probes_access_check checks[16];
};
/* Works without a session, for a process that could not be opened. Never fails. */
PROBES_API void probes_explain(pid_t pid, struct probes_access *access);
/* The same for an open session, which owns the answer. */
PROBES_API const struct probes_access *probes_access(struct probes_session *session);

/* ---------------------------------------------------------------- the lists */

PROBES_API size_t probes_object_count(const struct probes_session *session);
PROBES_API const struct probes_object *probes_object_at(
	const struct probes_session *session, size_t index);
PROBES_API size_t probes_count(const struct probes_session *session);
/* Probes are sorted by object, then provider, then name. */
PROBES_API const struct probes_probe *probes_at(const struct probes_session *session, size_t index);

/*
 * Read the live states of the `count` probes with the indices `which`, or of all (NULL).
 * Bytes and semaphores are two reads: a probe found inconsistent is read a second time.
 * Memory that cannot be read makes its probes unreadable; the call itself fails with
 * PROBES_GONE, or with PROBES_DENIED if nothing may be read.
 */
PROBES_API PROBES_CHECK int probes_refresh(
	struct probes_session *session, const size_t *which, size_t count, struct probes_error *e);
/* What probes_rescan found. */
struct probes_rescanned {
	size_t new_objects, new_probes; /* they are the last ones of the lists now */
	size_t gone_objects;            /* only objects with probes */
	size_t gone_probes;
	size_t gone_first; /* index of one of these objects */
	size_t lost;       /* of the gone probes, those that this session had changed */
};

/*
 * Check whether the process has loaded or unloaded objects meanwhile (dlopen, dlclose). New ones
 * are appended; indices stay valid and are never reused. An object that is no longer mapped is
 * `gone`; its probes are PROBES_UNLOADED and never written again, and this session's changes in
 * them are gone as well: there is nothing to undo. Mapped again, it is a new object. If nothing
 * changed, the cost is one read of maps, and no file is opened.
 */
PROBES_API PROBES_CHECK int probes_rescan(
	struct probes_session *session, struct probes_rescanned *what, struct probes_error *e);

/*
 * The number of readings (by probes_refresh, probes_switch and so on) that found a change: while
 * this number stays the same, so do all live states.
 */
PROBES_API uint64_t probes_changes(const struct probes_session *session);
PROBES_API const struct probes_live *probes_live_at(
	const struct probes_session *session, size_t index);
PROBES_API const struct probes_site_live *probes_site_live_at(
	const struct probes_session *session, size_t probe, size_t site);
/* The count of one semaphore at the last refresh, or PROBES_NONE. */
PROBES_API uint32_t probes_semaphore_live_at(
	const struct probes_session *session, size_t probe, size_t semaphore);

/* ----------------------------------------------------------------- the hits */

/*
 * Read the counters of all probes that are counted. Costs no system call where the session itself
 * counts, else one for each mapping of counters. PROBES_GONE: the process has ended; the hits are
 * its last ones where the session itself counts, else those of the last reading.
 */
PROBES_API PROBES_CHECK int probes_read_hits(
	struct probes_session *session, struct probes_error *e);

/* The hits at the last reading. */
PROBES_API struct probes_hits probes_hits(const struct probes_session *session, size_t index);
PROBES_API struct probes_site_hits probes_site_hits_at(
	const struct probes_session *session, size_t probe, size_t site);

/* Roughly what a hit of a probe costs the process, by the tactics of the sites that were hit. */
PROBES_API struct probes_cost probes_cost(const struct probes_session *session, size_t probe);

/*
 * Sites that this session made count, and whose jumps were gone at the last reading of states:
 * another program or session removed them, or their library was reloaded. *probe: that of the
 * first.
 */
PROBES_API size_t probes_lost_sites(const struct probes_session *session, size_t *probe);
/* Is it one of these sites? */
PROBES_API bool probes_site_lost(const struct probes_session *session, size_t probe, size_t site);

/*
 * Does this session read counters that another one has made? They vanish with the process, and with
 * them what came after the last reading, unless a forked child has them, too.
 */
PROBES_API bool probes_misses_end(const struct probes_session *session);

/* -------------------------------------------------------------- the latency */

/*
 * How long it takes from one probe, the start, to another one, the end: measured in the process, so
 * at any rate. Starts and ends are matched by thread, or by the value of an argument, as of a
 * request that changes threads. Of nested starts of one thread the outermost one counts.
 *
 * Buckets are 8 for each power of 2 ns; bucket i begins at probes_latency_from(i).
 */
#define PROBES_LATENCY_BUCKETS 320

/* Roughly what one measured pair costs the process, in ns. */
#define PROBES_PAIR_NS 100

struct probes_latency {
	uint64_t matched;
	uint64_t open;              /* started, but not yet ended */
	uint64_t end_without_start; /* also the ends of pairs that began before measuring did */
	uint64_t start_without_end; /* another start came first, or its thread has ended */
	uint64_t nested;            /* by thread: starts inside an open one */
	uint64_t lost; /* hits without a place in the table of threads or keys, or whose key cannot
			  be read safely; pairs whose two processors disagree about the time */
	uint64_t sum_ns, min_ns, max_ns; /* of those matched; 0: none was */
	uint64_t buckets[PROBES_LATENCY_BUCKETS];
	pid_t shared; /* a process with the same counters, among whose pairs those of this one are;
			 0: they are here */
};

/*
 * Begin to measure a pair whose sites this session counts (PROBES_COUNT: measuring needs its
 * jumps). argument: 0: match by thread; 1 or more: by this argument of both probes, which must be a
 * number in a register, a constant, or on the stack. A session measures one pair: an earlier one
 * ends. A thread of the process is stopped for less than a millisecond; if this session has
 * switched with probes_switch_options.atomically, also in a system call that returns early then.
 * PROBES_USAGE: there is no such argument, or it cannot be a key. PROBES_REFUSED: this session
 * counts no site of a probe, another session measures or keeps events there, or there is no clock.
 */
PROBES_API PROBES_CHECK int probes_latency_begin(struct probes_session *session, size_t start,
	size_t end, unsigned argument, struct probes_error *e);

/* Can this argument of all sites of both probes be a key? Else it fails as probes_latency_begin. */
PROBES_API PROBES_CHECK int probes_latency_check(const struct probes_session *session, size_t start,
	size_t end, unsigned argument, struct probes_error *e);

/*
 * What was measured so far. If it cannot be read, the call fails, and *latency is that of the last
 * reading. After the end of the process these are its last values, if this session made the
 * counters.
 */
PROBES_API PROBES_CHECK int probes_latency_read(
	struct probes_session *session, struct probes_latency *latency, struct probes_error *e);

/* Begin again from 0. Pairs that are open stay open. */
PROBES_API PROBES_CHECK int probes_latency_reset(
	struct probes_session *session, struct probes_error *e);

/* Stop measuring; counting goes on. What was measured can still be read. */
PROBES_API void probes_latency_end(struct probes_session *session);

/* Add what another process measured. */
PROBES_API void probes_latency_add(
	struct probes_latency *sum, const struct probes_latency *latency);

/* Where a bucket begins, ns; for PROBES_LATENCY_BUCKETS: UINT64_MAX. */
PROBES_API uint64_t probes_latency_from(size_t bucket);

/*
 * The duration, ns, that `share` (0 to 1) of the matched pairs do not exceed, computed from the
 * buckets: off by at most an eighth. 0: none was matched.
 */
PROBES_API uint64_t probes_latency_quantile(const struct probes_latency *latency, double share);

/* --------------------------------------------------------------- the events */

/*
 * Events: every hit, with its time, its thread and its arguments. They are kept in the process, in
 * rings that this session reads: the process never waits, and what was overwritten before it was
 * read is counted as lost.
 */
#define PROBES_EVENT_ARGUMENTS 12
#define PROBES_EVENT_TEXT 200 /* bytes of a text, at most */

/* A comparison is true if its bit for less, equal or greater is set. */
enum probes_compare {
	PROBES_LESS = 1,
	PROBES_EQUAL = 2,
	PROBES_LESS_EQUAL = 3,
	PROBES_GREATER = 4,
	PROBES_UNEQUAL = 5,
	PROBES_GREATER_EQUAL = 6,
};

enum probes_value_kind {
	PROBES_VALUE_UNREADABLE, /* its operand is unknown, or its memory could not be read */
	PROBES_VALUE_SIGNED,
	PROBES_VALUE_UNSIGNED,
	PROBES_VALUE_FLOAT,
};

struct probes_value {
	enum probes_value_kind kind;
	int8_t size; /* bytes */
	union {
		int64_t number;
		uint64_t bits; /* of an unsigned number */
		double real;
	};
	bool asked;       /* its text was asked for (probes_event_options) */
	const char *text; /* NUL-terminated, untrusted; NULL: it was not asked for, or could not be
			     read. Valid during the call that delivers it */
	bool cut;         /* the text goes on, or its end could not be read */
};

struct probes_event {
	size_t probe;
	uint32_t site;      /* of the probe */
	int64_t time_ns;    /* CLOCK_REALTIME */
	pid_t pid;          /* the process, or a forked child of it; 0: unknown */
	pid_t tid;          /* 0: unknown */
	const char *thread; /* its name (comm), untrusted; "": it has ended, or is unknown */
	bool unproven; /* memory other than its stack and static variables was not read: the thread
			  was too new, or may not make the system call (probes_events_begin) */
	bool late;     /* it was not read because we looked at the threads too late: this process
			  was stopped, or got no CPU time */
	uint64_t caller; /* the return address of the function at the site; 0: it was not asked
			    for, or is unknown. See probes_caller */
	/* The return addresses of all callers, the innermost first, if stacks were asked for. Valid
	   during the call that delivers it. See probes_caller. */
	const uint64_t *stack;
	size_t depth;
	const char *stack_why; /* why outer callers may be missing (a static text), or NULL */
	size_t count;          /* of arguments */
	struct probes_value values[PROBES_EVENT_ARGUMENTS];
};

/*
 * A condition on events: "arg1 > 100 and not tid == 12", "arg2 ~ select or comm == \"worker\"".
 * Terms: argN, tid and pid with == != < <= > >= and a number; argN, comm and probe with == != ~ !~
 * and a text: a word, or anything between double quotes. ~ searches for a regular expression
 * (PCRE2; Str's \|, \( and \) mean the same as | ( ) there). They are combined by and, or, not and
 * parentheses. A comparison of an argument that the probe does not have, or that could not be read,
 * is neither true nor false.
 */
struct probes_condition;

/* PROBES_USAGE: it cannot be understood; `why` names the place. */
PROBES_API PROBES_CHECK int probes_condition_parse(
	const char *text, struct probes_condition **condition, struct probes_error *e);
PROBES_API void probes_condition_free(struct probes_condition *condition);
/* The arguments that it compares, as bits (bit 0: arg1); *texts: those that it compares as texts.
 */
PROBES_API unsigned probes_condition_arguments(
	const struct probes_condition *condition, unsigned *texts);
/* Does it hold for an event of this probe? `probe` in it matches name or provider:name. */
PROBES_API bool probes_condition_holds(const struct probes_condition *condition,
	const struct probes_event *event, const struct probes_probe *probe);
/*
 * Is it neither true nor false of an event because something could not be read: a text, or the
 * process or thread of a child that has ended? Arguments that the probe does not have do not count.
 */
PROBES_API bool probes_condition_undecided(const struct probes_condition *condition,
	const struct probes_event *event, const struct probes_probe *probe);

struct probes_event_options {
	unsigned texts; /* arguments that point to texts, as bits (bit 0: arg1), at most 4 */
	/* Read only these arguments, as bits, those in `texts`, and those that the condition
	   compares; the others are PROBES_VALUE_UNREADABLE. 0: all, unless `bare`. */
	unsigned arguments;
	/* Only hits for which it holds are events; NULL: all. Must live until probes_events_end.
	   The process itself tests what it can of the numbers; a hit that fails takes no place in a
	   ring. */
	const struct probes_condition *condition;
	/* A thread may be stopped in a system call that returns early then, such as epoll_wait(2),
	   if none can be stopped elsewhere; as probes_switch_options.atomically. */
	bool interrupts;
	bool callers; /* keep the callers, by the unwind tables of the objects, which are read now:
			 that may take a second */
	/* Keep so many hits a second at most, of all probes together, with their stacks; 0: all,
	   without. A thread that leaves its stack copies up to 31 KiB of it. */
	unsigned stacks;
	/* Read no arguments but those in `arguments` and `texts`, and those that the condition
	   compares. */
	bool bare;
};

/*
 * Could probes_events_begin keep events of these probes, once they are counted? Changes nothing.
 * PROBES_USAGE: none of the probes has such an argument, or it cannot point to a text.
 */
PROBES_API PROBES_CHECK int probes_events_check(struct probes_session *session,
	const size_t *probes, size_t count, const struct probes_event_options *options,
	struct probes_error *e);

/*
 * Keep the hits of these probes as events: at those of their sites that this session counts
 * (PROBES_COUNT) by a jump. An earlier call ends. A thread of the process is stopped for less than
 * a millisecond. Memory of the program other than its stack and static variables, and texts, are
 * read by a system call of the thread that hits the probe: not in its first moment, and not where a
 * thread of the process has a seccomp filter or no_new_privs, the process a userfaultfd, or threads
 * share a thread pointer (probes_events.no_calls). PROBES_REFUSED: this
 * session counts no site, the times of one are measured, another session keeps events there, or
 * there is no clock.
 */
PROBES_API PROBES_CHECK int probes_events_begin(struct probes_session *session,
	const size_t *probes, size_t count, const struct probes_event_options *options,
	struct probes_error *e);

/*
 * Deliver the new events, in the order of time. Call it every 10 to 100 ms. Events that are newer
 * than the previous call wait for the next one, because an older one may still come; `last`:
 * deliver all. An event whose thread was interrupted for longer while it recorded it comes late,
 * behind younger ones. After the end of the process these are its last events, if this session made
 * the counters. each: returns false to end the call; the events that were not delivered are not
 * lost.
 */
typedef bool probes_event_fn(void *data, const struct probes_event *event);

/* Begin again from now: no earlier event is delivered, or counted as lost. */
PROBES_API void probes_events_reset(struct probes_session *session);

/*
 * Of several processes whose events are merged: call probes_events_round for each of them, with one
 * `now` (probes_events_clock), before the first of them is read, in every round. Then the events
 * of a round are older, in whatever process, than those that the next one delivers.
 */
PROBES_API uint64_t probes_events_clock(void);
PROBES_API void probes_events_round(struct probes_session *session, uint64_t now);

PROBES_API PROBES_CHECK int probes_events_read(struct probes_session *session, bool last,
	probes_event_fn *each, void *data, struct probes_error *e);

/*
 * Read what is at an address of the process now, up to a NUL, as a text: to find out whether the
 * value of an argument points to one. Returns its length, at most size - 1 bytes; 0: there is none,
 * or it cannot be read. text: NUL-terminated, untrusted.
 */
PROBES_API size_t probes_text_at(
	struct probes_session *session, uint64_t address, char *text, size_t size);

/* Since probes_events_begin. */
struct probes_events {
	uint64_t delivered;
	uint64_t rejected;  /* by the condition, after they were read */
	uint64_t undecided; /* of these: what the condition compares could not be read */
	uint64_t lost;
	uint64_t unfinished;  /* of these: a thread began the event, or an earlier one in its place,
				 and did not finish it in time: it was killed or stopped, left by
				 longjmp, or had no CPU */
	bool calls;           /* memory of the program other than its stack is read */
	const char *no_calls; /* why not; NULL: it is */
};
PROBES_API struct probes_events probes_events(const struct probes_session *session);

/*
 * Why the callers at a site are unknown, whose hits are kept with their callers (a static text);
 * NULL: they are known, as far as the stack can be read.
 */
PROBES_API const char *probes_events_no_caller(
	const struct probes_session *session, size_t probe, size_t site);

/* Keep no more events of a probe; its hits are still counted. */
PROBES_API void probes_events_drop(struct probes_session *session, size_t probe);

/* Keep no more events; counting goes on. Events that were kept can still be read. */
PROBES_API void probes_events_end(struct probes_session *session);

/* ---------------------------------------------------------------- the names */

/* "", "punned", "evicted", "ocaml", "uprobe". */
PROBES_API const char *probes_tactic_name(enum probes_tactic tactic);

/* "on", "off", "partial", "foreign", "inconsistent", "unreadable", "none" (no switch), "gone",
 * "unknown". */
PROBES_API const char *probes_state_name(enum probes_state state);

/* "" (none), "int3", "other". */
PROBES_API const char *probes_holder_name(enum probes_holder holder);

/* "OCaml", "sdt". */
PROBES_API const char *probes_kind_name(enum probes_kind kind);
/* One line: what the sites of a probe are, and what switches it. */
PROBES_API const char *probes_kind_about(const struct probes_probe *probe);

/* --------------------------------------------------------------- the detail */

/* The source location of a site. What is unknown is empty or 0. */
struct probes_source {
	char function[256]; /* demangled */
	uint64_t offset;    /* of the site in the function, bytes */
	char file[256];
	int line;
};

/*
 * Look a site up in the symbol tables and debug information of its object; works for files, too.
 * The first call for a large object may take a second; later calls are quick.
 */
PROBES_API void probes_source(
	struct probes_session *session, size_t probe, size_t site, struct probes_source *where);

/*
 * What the program calls an argument (from 1 on, at most PROBES_EVENT_ARGUMENTS) of a site: the
 * variable or parameter of its function that the debug information places exactly where the
 * argument is read, with the same size. Letters, digits, _ $ . and characters that are not ASCII;
 * untrusted. It belongs to the session. NULL: unknown, or there are two. As slow as probes_source.
 */
PROBES_API const char *probes_argument_name(
	struct probes_session *session, size_t probe, size_t site, unsigned argument);

/* A site that the caller describes. What is unknown is 0 or NULL. */
struct probes_described_site {
	uint64_t pc;
	const char *arguments;                     /* raw, as struct probes_site */
	const char *names[PROBES_EVENT_ARGUMENTS]; /* of its arguments: probes_argument_name */
	const char *function, *file;               /* and where it is: probes_source */
	uint64_t offset;
	int line;
};

/* A probe that the caller describes. */
struct probes_described {
	uint32_t object; /* index of its object */
	enum probes_kind kind;
	const char *provider, *name;
	const struct probes_described_site *sites;
	uint32_t site_count;
};

/*
 * Open a session of probes that the caller describes, such as those of a recording: it has no
 * process and reads no file, and nothing can be switched in it. path: for probes_path. Of the
 * objects path, build_id, bias and executable are used. The probes are in the order of their
 * objects; index i of them is index i of the session. All texts and sites must live until
 * probes_close. PROBES_USAGE: the probes are in another order.
 */
PROBES_API PROBES_CHECK int probes_open_described(const char *path,
	const struct probes_object *objects, size_t object_count,
	const struct probes_described *probes, size_t probe_count, struct probes_session **session,
	struct probes_error *e);

/* What lies at a return address. What is unknown is empty, 0 or NULL. */
struct probes_caller {
	const char *object;         /* the path of its file, untrusted; it belongs to the session */
	uint64_t pc;                /* the link-time address in it */
	struct probes_source where; /* `offset` of the address, file and line of the call */
};

/*
 * Look up the caller of an event (probes_event.caller), in whatever object of the process it lies.
 * As slow as probes_source at first; later calls for the same address are quick.
 */
PROBES_API void probes_caller(
	struct probes_session *session, uint64_t address, struct probes_caller *caller);

/* One instruction. */
struct probes_instruction {
	uint64_t address;
	uint8_t bytes[15];
	uint8_t length;
	char text[111]; /* AT&T syntax */
};

/*
 * The instructions around a site as they are in memory now (for a file: in the file), at most max:
 * up to three before it, if the start of its function is known and near enough to be sure of the
 * boundaries, and those after it. Returns their number; 0: unreadable, or built without a
 * disassembler.
 */
PROBES_API size_t probes_code(struct probes_session *session, size_t probe, size_t site,
	struct probes_instruction *out, size_t max);

/* The 6 bytes of the file at a site, to compare with those in memory; NULL: unknown. */
PROBES_API const uint8_t *probes_site_original(
	const struct probes_session *session, size_t probe, size_t site);

/* -------------------------------------------------------------- the actions */

/*
 * Counting puts a jump at each site of a probe, to code that counts the hit and jumps back; it also
 * enables a probe that has semaphores (+ 1), so that guarded sites are reached. Uncounting puts the
 * bytes of the file back, and takes that 1 away, and no other: a probe that is enabled before or
 * meanwhile stays enabled, and to disable it does not end the count. Sessions can count the same
 * sites: each adds its 1, and the last one puts the bytes back. Jumps whose session has ended are
 * counted by whoever counts next, and can be uncounted by any session.
 */
enum probes_verb { PROBES_ENABLE, PROBES_DISABLE, PROBES_COUNT, PROBES_UNCOUNT };

enum probes_by {
	PROBES_BY_NAME,   /* text: "name" or "provider:name", in every object */
	PROBES_BY_REGEXP, /* text: matched from the first character of the name (of
			     provider:name if the expression contains a colon); a\|b and a|b */
	PROBES_BY_PAIR,   /* text, second: switched so that no start loses its end */
	PROBES_BY_ALL,
	PROBES_BY_PREDICATE, /* predicate, data */
	PROBES_BY_INDEX,     /* indices, count */
};

struct probes_action {
	enum probes_verb verb;
	enum probes_by by;
	const char *text;
	const char *second;
	bool (*predicate)(void *data, const struct probes_session *session, size_t probe);
	void *data;
	const size_t *indices;
	size_t count;
	bool named; /* PROBES_BY_INDEX, PROBES_BY_PAIR by index: the user named these probes, so
		       one that would be skipped is an error, as under PROBES_BY_NAME */
};

struct probes_switch_options {
	/* Both raw, or as probes_escape writes them; a provider that can be read both ways is the
	   escaped one, if that exists. If they leave no probe, the call fails with
	   PROBES_USAGE and names those that exist. */
	const char *provider; /* act on this provider only, or NULL */
	const char *object;   /* act on objects of this path or file name only, or NULL */
	bool force;           /* set counts to 1 or 0, sites follow; also for inconsistent probes */
	bool keep_counts;     /* under force: counts stay, and sites are set as they say */
	bool once;            /* do not enable again what this session's net change holds enabled:
				 such probes are no items; result->already counts them. Ignored with
				 force */
	bool kernel;          /* under PROBES_COUNT: where no jump can be written, count by kernel
				 uprobes, if the caller is privileged (CAP_PERFMON and CAP_BPF, or
				 root). A hit costs about a microsecond; hits in forked children
				 are not counted there */
	bool dry_run;         /* plan only, write nothing */
	bool atomically; /* stop all threads of the process meanwhile, so that every site changes
			    at one instant. Under PROBES_COUNT, this also counts the sites whose
			    jump needs a stop; the other sites never stop the process. A program
			    that is held at its start need not be stopped */
	unsigned max_stop_ms; /* give up without a change if stopping takes longer; 0: 1000 */
};

enum probes_outcome { PROBES_DONE, PROBES_SKIPPED, PROBES_NOT_DONE };

/* Why a probe is skipped. */
enum probes_skip {
	PROBES_SKIP_NOT,       /* it is not skipped */
	PROBES_SKIP_OFF,       /* it was to be disabled, and is not enabled */
	PROBES_SKIP_NO_SWITCH, /* see PROBES_NO_SWITCH */
	PROBES_SKIP_UNLOADED,  /* see PROBES_UNLOADED */
	PROBES_SKIP_AGREES,    /* an undo left its code, which agrees with its count */
	PROBES_SKIP_COUNTED,   /* it is counted already */
	PROBES_SKIP_UNCOUNTED, /* it was to be uncounted, and is not counted */
	PROBES_SKIP_COUNTING,  /* it was to be disabled, and is on only because this session counts
				  its hits */
	PROBES_SKIPS
};

/* The outcome of one action for one probe. */
struct probes_item {
	size_t probe;
	enum probes_verb verb;
	enum probes_outcome outcome : 8;
	enum probes_skip skip : 8;
	bool force_helps; /* it is inconsistent: only force switches it */
	const char *why;  /* for all but done, else ""; owned by the result */
};

/* What an edit changes; this decides how it is undone. Journals record these numbers. */
enum probes_role {
	PROBES_ROLE_CODE = 1,      /* bytes of a site that follow its semaphore: undone with that */
	PROBES_ROLE_SEMAPHORE = 2, /* a 16-bit count, little-endian, in which other tools count as
				      well: undone by subtracting what was added */
	PROBES_ROLE_CODE_ALONE = 3, /* bytes of a site whose semaphore stayed 0, or stayed > 0,
				       under force: undone by writing `old` back, but only where
				       that agrees with the semaphore by then */
	PROBES_ROLE_COUNTER = 4,    /* bytes of a site that jumps to a counter: undone by writing
				       `old` back where `new_` still is */
	PROBES_ROLE_UPROBE = 5,     /* the byte of a site that holds a uprobe of this session. The
				       kernel writes it, and puts it back when counting ends, the
				       session is closed or the caller dies. No journal records
				       it */
};

#define PROBES_EDIT_BYTES 8

/* One change of the process's memory, planned or made. */
struct probes_edit {
	uint64_t address;
	uint8_t length; /* bytes of `old` and `new_`: 1 to PROBES_EDIT_BYTES; 2 for a semaphore */
	enum probes_role role : 8;
	uint8_t old[PROBES_EDIT_BYTES], new_[PROBES_EDIT_BYTES];
	uint32_t index; /* of the site or semaphore within the probe */
	size_t probe;
};

struct probes_result {
	struct probes_item *items; /* in the order they were acted on */
	size_t item_count;
	char **texts; /* messages made for single items */
	size_t text_count;
	struct probes_edit *edits; /* in the order they were made, but uprobes last */
	size_t edit_count;
	size_t done, skipped, not_done; /* items, counted */
	size_t skips[PROBES_SKIPS];     /* the skipped ones, by reason */
	bool cannot_enable;             /* enabling was asked for, and not one of the probes to
					   enable has anything to switch: no success, although each
					   of them is skipped */
	size_t already;                 /* probes skipped because of probes_switch_options.once */
	size_t still_raised; /* probes_repair: probes whose counter was removed, and whose
				semaphores are not 0: nobody knows who raised them */
	size_t sites;        /* sites whose byte was changed */
	bool dry_run;        /* planned only */
	uint64_t stopped_ns; /* how long all its threads were stopped together; normally 0 */
	/* Of PROBES_COUNT. */
	size_t counted_sites;   /* sites that are counted now (or would be) */
	size_t uncounted_sites; /* sites of the probes that cannot be counted: see
				   probes_site_hits_at */
	size_t stop_sites;      /* of these, those that `atomically` would count */
	size_t kernel_sites;    /* of the other uncounted ones, those that `kernel` may count */
	size_t uprobe_sites;    /* of the counted ones, those that this call gave a uprobe */
	size_t mapped_pages;    /* of 4 KiB: counters, trampolines and landings */
	uint64_t held_ns; /* how long one of its threads was held to map them; the others ran */
	/* The kernel copies a page at the first write to it, and charges the copy to the process.
	   A switch that needs more memory than is left is refused (PROBES_REFUSED). A dry run sets:
	 */
	size_t copied_pages; /* of 4 KiB; if pagemap cannot be read: all pages of a plan, none of an
				undo */
	uint64_t cost_bytes; /* of the copied pages */
	uint64_t room_bytes; /* what the memory cgroups of the process and the machine leave;
				UINT64_MAX: no limit can be seen, or nothing is written */
	bool no_room;        /* cost_bytes exceed room_bytes: the switch would be refused */
	char *cost;          /* the same in words; NULL: nothing is written */
};

/*
 * Execute actions in their order, all or nothing: everything is looked up and read
 * first; if a named probe cannot be switched, nothing is written and the call fails.
 * With PROBES_BY_ALL, _REGEXP, _PREDICATE and _INDEX (not `named`) such a probe is
 * skipped and marked in the result (not done or skipped). A failed write undoes the
 * writes before it. In a program that probes_start holds, counts are set to 1, and
 * disabling is ignored with a notice.
 *
 * The caller frees *result (probes_result_free). It is set whenever items were
 * examined, also on failure; else NULL. options may be NULL.
 */
PROBES_API PROBES_CHECK int probes_switch(struct probes_session *session,
	const struct probes_action *actions, size_t count,
	const struct probes_switch_options *options, struct probes_result **result,
	struct probes_error *e);

/*
 * Undo what an earlier result of this session did to the semaphores, and let
 * the sites follow: the undo of an undo is a redo. Counts changed by others
 * meanwhile are kept. Where force made the code of an inconsistent probe agree
 * with its count, and it still does, that is left, and the probe is skipped.
 */
PROBES_API PROBES_CHECK int probes_revert(struct probes_session *session,
	const struct probes_result *done, struct probes_result **result, struct probes_error *e);

/*
 * Undo this session's net change of every semaphore, and let the sites follow. Nothing to undo is
 * success. Changes in an object that was unloaded are skipped in the result, as is code that is
 * left (probes_revert). If uprobes of other tools may
 * own the rest of a count, the probe is not done and remains a change of this session, on record
 * after probes_close, too: call again when these tools have detached, or call probes_repair then.
 * The same holds if another session lowered the count and will raise it again, and for
 * probes_revert.
 */
PROBES_API PROBES_CHECK int probes_restore(
	struct probes_session *session, struct probes_result **result, struct probes_error *e);

/*
 * How long probes_revert and probes_restore wait while another session switches in the process; 0:
 * 5 s, as in probes_switch. Set more if no user is there to try again. On timeout both fail with
 * PROBES_REFUSED, and what should have been undone stays on record for probes_repair.
 */
PROBES_API void probes_set_lock_timeout(struct probes_session *session, unsigned milliseconds);

/* Changes left by a session whose owner died before it could undo them. */
struct probes_leftover {
	pid_t owner;      /* 0: sites count for sessions that ended, and left them so */
	size_t changes;   /* counts that it changed and had not undone */
	bool interrupted; /* in the middle of a switch */
	/* Not empty: changes may remain that probes_repair cannot undo now, since a journal or a
	   folder of journals cannot be read, or it is unknown whether the owner is alive. Names
	   the path and the reason; `owner` is 0 if unknown, all other members are 0. */
	char unjudged[520];
};

/*
 * What interrupted sessions left in this process, according to their journals, and the counters
 * that no session owns any more; the caller frees the array. Root also finds those of the user who
 * owns the process.
 */
PROBES_API PROBES_CHECK int probes_leftovers(struct probes_session *session,
	struct probes_leftover **leftovers, size_t *count, struct probes_error *e);

/* Another session that holds changes in this process: it lives and will undo them, or it is dying.
 */
struct probes_other {
	pid_t pid;      /* in its pid namespace */
	bool elsewhere; /* that namespace is not ours */
	bool dying;     /* killed, or exiting: it undoes nothing; repair when it is gone */
	char name[64];  /* comm, untrusted; "" if elsewhere */
};

/* These sessions, according to their journals and to the counters; the caller frees the array. */
PROBES_API PROBES_CHECK int probes_others(struct probes_session *session,
	struct probes_other **others, size_t *count, struct probes_error *e);

/*
 * The forked children of this process, and theirs, of which a session that has ended left a record;
 * the caller frees the array. probes_repair does not look for them where the process itself has
 * none, nor for those that are older than its changes.
 */
PROBES_API PROBES_CHECK int probes_heirs(
	struct probes_session *session, pid_t **pids, size_t *count, struct probes_error *e);

/*
 * Undo exactly what interrupted sessions left, and nothing else. If others make it unclear whether
 * a count holds a part of such a session, the probe is not done, and stays on record: call again.
 * Nothing to repair is success. What was undone stays on record until probes_group_sweep has found
 * the forked children, or the session is closed. *result as for probes_switch, one item for each
 * session that left a probe; NULL if there was nothing.
 */
PROBES_API PROBES_CHECK int probes_repair(
	struct probes_session *session, struct probes_result **result, struct probes_error *e);

/* How many probes this session's net change holds on (or off). */
PROBES_API size_t probes_owned_count(const struct probes_session *session);

PROBES_API void probes_result_free(struct probes_result *result);

/*
 * The probes that a text names, as PROBES_BY_NAME or PROBES_BY_REGEXP would choose them, or, by
 * PROBES_BY_ALL (text is ignored), all that `provider` and `object` of the options leave.
 * The caller frees *indices. No match is an error that gives the nearest names; the error of a
 * bad expression gives the position.
 */
PROBES_API PROBES_CHECK int probes_find(const struct probes_session *session, enum probes_by by,
	const char *text, const struct probes_switch_options *options, size_t **indices,
	size_t *count, struct probes_error *e);

/* --------------------------------------------------------------- the groups */

/*
 * Several processes that are switched together, and their forked children.
 *
 * The members are the processes that a caller lists: those that it opened, and the descendants
 * that joined later. A forked child of a member is a copy of it: probes that a session of the
 * group had switched before the fork are switched in the child, too, and nobody else undoes them
 * there. The group finds such children (probes_group_look), makes what they inherited a change of
 * the child's session, recorded for probes_repair, and undoes it. A child that calls exec has
 * inherited nothing.
 *
 * A group owns its sessions. Members are never removed: their indices and addresses stay valid
 * until probes_group_close, also when their process has ended.
 */
struct probes_group;

struct probes_member {
	pid_t pid;                      /* 0: a file */
	struct probes_session *session; /* NULL: the process could not be opened */
	struct probes_error error;      /* why not */
	bool child;       /* a forked child that is no member: its address is valid during the call
			     that reports it */
	size_t inherited; /* probes that it had inherited by fork as a session of the group had
			     switched them; 0 after an exec */
};

/* `options` apply to all processes opened; NULL is allowed. */
PROBES_API PROBES_CHECK int probes_group_new(
	const struct probes_options *options, struct probes_group **group, struct probes_error *e);

/* probes_close for all sessions; changes nothing in the processes. NULL is allowed. */
PROBES_API void probes_group_close(struct probes_group *group);

/*
 * Open processes; each becomes a member, also one that cannot be opened. `found`: the processes
 * are the result of a search; those without probes, those that have ended and the caller itself
 * are skipped. If none remains, the first one becomes a member, to explain why.
 */
PROBES_API PROBES_CHECK int probes_group_open(struct probes_group *group, const pid_t *pids,
	size_t count, bool found, struct probes_error *e);

/* Open a file; it becomes a member, also if it cannot be opened. */
PROBES_API PROBES_CHECK int probes_group_open_file(
	struct probes_group *group, const char *path, struct probes_error *e);

/* Open a process and all its descendants, as `found`. */
PROBES_API PROBES_CHECK int probes_group_open_tree(
	struct probes_group *group, pid_t root, struct probes_error *e);

/* Make an open session a member. On failure it remains the caller's. */
PROBES_API PROBES_CHECK int probes_group_add(
	struct probes_group *group, struct probes_session *session, struct probes_error *e);

PROBES_API size_t probes_group_count(const struct probes_group *group); /* members */
PROBES_API const struct probes_member *probes_group_at(
	const struct probes_group *group, size_t index);

/*
 * The forked children of members that are kept; NULL: there are no more. Valid until the next look
 * (probes_group_look). One that lost a jump before it was found is among them.
 */
PROBES_API const struct probes_member *probes_group_child(
	const struct probes_group *group, size_t index);

/* How many forked children of members run and hold a change; *probes: their probes, summed. */
PROBES_API size_t probes_group_children(const struct probes_group *group, size_t *probes);

/*
 * Does any process that runs, member or child, hold a change? While times are measured call it
 * every 50 ms or so: it learns of new threads, whose hits are not measured before.
 */
PROBES_API bool probes_group_holds(const struct probes_group *group);

/*
 * Search for new processes. Call it before every switch and undo: what a child inherited can be
 * determined only until its parent changes again. Forked children that inherited something are
 * kept, at most `most` new ones in this call. `follow`: descendants (of the root of an opened tree,
 * else of the members, except those that the first call finds) that have probes become members,
 * forked or not. Calls `born` for each; its session is NULL if descriptors or memory were short.
 * Costs nothing without `follow` while no session has switched anything.
 */
PROBES_API PROBES_CHECK int probes_group_look(struct probes_group *group, bool follow, size_t most,
	void (*born)(void *data, const struct probes_member *member), void *data,
	struct probes_error *e);

/* The outcome of the undo of a group for one process. */
struct probes_undone {
	const struct probes_member *member;
	bool newborn;  /* a forked child that was born meanwhile; closed after the callback */
	size_t probes; /* undone; for a newborn child: those that it had inherited */
	size_t kept;   /* that should have been undone but were not */
	struct probes_result *result;     /* or NULL; the callback may take it and set it to NULL */
	const struct probes_error *error; /* why some probes stay, or may stay, as they are: they
					     are recorded for probes_repair. PROBES_GONE: the
					     process has ended, nothing is left. Or NULL */
};
typedef void probes_undone_fn(void *data, struct probes_undone *undone);

/*
 * probes_restore in all members and children that hold a change, then probes_group_sweep. Calls
 * `each` for each of them. lock_timeout_ms: as for probes_set_lock_timeout, in this call. Fails
 * only if the processes cannot be searched.
 */
PROBES_API PROBES_CHECK int probes_group_restore(struct probes_group *group,
	unsigned lock_timeout_ms, probes_undone_fn *each, void *data, struct probes_error *e);

/*
 * Undo in members and children only what they inherited by fork and no call switched there since.
 */
PROBES_API void probes_group_restore_inherited(
	struct probes_group *group, probes_undone_fn *each, void *data);

/*
 * After an undo (probes_restore, probes_repair) in the members: find the forked children that were
 * born before the undo was complete, and their children, and undo the changes there, too. Repeats
 * until a search finds none; searches once if a member still holds a change. Calls `each` for every
 * such child; with an error if the child cannot be opened, if others count there, or if for more
 * than five seconds children were forked faster than they could be undone. If it fails, what was
 * undone in the members stays on record, so that a repair searches again. Costs nothing if no
 * session changed anything.
 */
PROBES_API PROBES_CHECK int probes_group_sweep(
	struct probes_group *group, probes_undone_fn *each, void *data, struct probes_error *e);

/* ---------------------------------------------------------------- the texts */

/*
 * Write text in a form that is safe on a terminal and in one line: control
 * characters, invalid UTF-8, bidirectional and invisible formatting characters,
 * private and unassigned ones (as the installed libunistring knows Unicode)
 * and the backslash become \xNN, \u{NNNN} or \\. Always NUL-terminated if size
 * > 0; a cut never splits a character. Returns the length that a large enough
 * buffer would hold, as snprintf does.
 */
PROBES_API size_t probes_escape(const char *text, char *out, size_t size);

/*
 * Translate a regular expression from the syntax of PROBES_BY_REGEXP into PCRE2's: Str's operators
 * \| \( \) lose their backslash. `out` needs strlen(text) + 1 bytes. If origin is not NULL, it
 * has as many elements: origin[i] is the position in text of out[i], for error messages.
 */
PROBES_API void probes_regexp_translate(const char *text, char *out, size_t *origin);

/*
 * One argument of a probe, decoded from "N@OP"; see probes(7).
 */
struct probes_argument {
	int8_t size; /* bytes, negative: signed; 0: not given */
	bool is_float;
	char place[64]; /* operand as written, cut to fit */
	bool parsed;    /* false: place holds the raw text */
};
/* Decode an argument string, at most max arguments. Returns how many the string has. */
PROBES_API size_t probes_arguments(const char *text, struct probes_argument *out, size_t max);

#ifdef __cplusplus
}
#endif
#endif
