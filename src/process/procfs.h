/* Reads whole small files of /proc, and parses those that several modules need. */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROCFS_MOST ((size_t)64 << 20) /* bytes kept of one file */

/*
 * Read the file of this name (a format), relative to the directory descriptor or absolute with
 * AT_FDCWD, into memory that the caller frees; a NUL follows the bytes. `size` may be NULL. Returns
 * 0 or a negative errno; -EFBIG: it is larger than PROCFS_MOST.
 */
int procfs_read(int dir, char **text, size_t *size, const char *file, ...)
	__attribute__((format(printf, 4, 5)));

/* Open one. A descriptor, or a negative errno. */
int procfs_open(int dir, int flags, const char *file, ...) __attribute__((format(printf, 3, 4)));

/* List a directory, whose descriptor it takes. NULL (errno): no memory, or the number is negative.
 */
DIR *procfs_list(int fd);

/*
 * procfs_read for a file of lines: `drop` removes unwanted lines from the whole lines read so far,
 * in place, and returns the bytes that are left. The limit applies to the rest.
 */
int procfs_read_lines(int dir, const char *file, size_t (*drop)(char *text, size_t size),
	char **text, size_t *size);

/* The same from where a descriptor stands. */
int procfs_read_open(int fd, size_t (*drop)(char *text, size_t size), char **text, size_t *size);

/* The number behind "Key:" in a /proc/PID/status text, or `otherwise`. Base 10. */
long procfs_status(const char *status, const char *key, long otherwise);

/* Likewise the last number of several. */
long procfs_status_last(const char *status, const char *key, long otherwise);

/* A set of bits in hexadecimal ("CapEff"); 0 if absent. */
uint64_t procfs_status_set(const char *status, const char *key);

/* Does the thread check its return addresses on a shadow stack? Linux 6.6 and later say so. */
bool procfs_status_shadow_stack(const char *status);

/* Up to `most` numbers after "Key:"; returns how many there are. */
size_t procfs_status_numbers(
	const char *status, const char *key, int base, uint64_t *numbers, size_t most);

#define PROCFS_KERNEL_THREAD 0x00200000 /* PF_KTHREAD, include/linux/sched.h */
#define PROCFS_EXITING 0x00000004       /* PF_EXITING */
#define PROCFS_FORKED 0x00000040        /* PF_FORKNOEXEC: no exec since its fork */

/* Fields of a /proc/PID/stat text. */
struct procfs_stat {
	char comm[64]; /* untrusted */
	char state;    /* R S D Z T t X ... */
	pid_t parent;
	unsigned long flags; /* PF_* */
	unsigned long threads;
	uint64_t
		start_time; /* clock ticks since boot; identifies a process together with its pid */
};

/* Parse one; 0 or -EBADMSG. The comm may contain blanks and parentheses: the last ')' ends it. */
int procfs_parse_stat(const char *text, struct procfs_stat *stat);

/* The current time, in the unit of start_time. */
uint64_t procfs_now(void);

/* procfs_read of a stat file and procfs_parse_stat in one. */
int procfs_stat(int dir, struct procfs_stat *stat, const char *file, ...)
	__attribute__((format(printf, 3, 4)));

/* Why /proc has no process, and what to try, as in struct probes_error. */
struct procfs_absence {
	const char *why, *hint, *as;
};

/* It has ended; or /proc hides it (hidepid), or is not mounted. Never NULL. */
const struct procfs_absence *procfs_absence(pid_t pid);

/* The name (comm, untrusted) of a process; "" if there is none. */
void procfs_name(pid_t pid, char *name, size_t size);

/* The tracer in a status file: its pid and name (untrusted); 0: none. */
pid_t procfs_tracer(int dir, char *name, size_t size, const char *file, ...)
	__attribute__((format(printf, 4, 5)));
