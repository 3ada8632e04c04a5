/*
 * The access checks. Source of the rules: ptrace(2) "Ptrace access mode checking",
 * Documentation/admin-guide/LSM/Yama.rst, and __ptrace_may_access() in kernel/ptrace.c.
 */
#include "process/access.h"

#include "base/error.h"
#include "elf/machine.h"
#include "process/capability.h"
#include "process/descriptors.h"
#include "process/identity.h"
#include "process/maps.h"
#include "process/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- gathering ---- */

/* Try to read maps, one byte of memory, and to open mem for writing. */
static void access_try(struct access_facts *f)
{
	struct array mappings;
	size_t size, malformed, count;
	char path[64], *text, byte;
	int fd;

	array_init(&mappings, sizeof(struct mapping));
	snprintf(path, sizeof path, "/proc/%d/maps", f->thread);
	f->maps_error = procfs_read_lines(AT_FDCWD, path, maps_drop_anonymous, &text, &size);
	f->read_error = f->maps_error;
	count = text && maps_parse(text, &mappings, &malformed) ? mappings.count : 0;
	f->translator = count ? translator_find(&mappings) : NULL;
	if (count)
		f->read_error = -EFAULT;
	for (size_t i = 0; i < count; i++) {
		const struct mapping *m = ARRAY_AT(&mappings, struct mapping, i);
		struct iovec remote = {(void *)(uintptr_t)m->start, 1}, local = {&byte, 1};

		if (!m->readable || !strcmp(m->path, "[vvar]"))
			continue;
		if (process_vm_readv(f->thread, &local, 1, &remote, 1, 0) < 0)
			f->read_error = -errno;
		else
			f->read_error = 0;
		break;
	}
	array_done(&mappings);
	free(text);
	snprintf(path, sizeof path, "/proc/%d/mem", f->thread);
	fd = open(path, O_RDWR | O_CLOEXEC);
	f->write_error = fd < 0 ? -errno : 0;
	if (fd >= 0)
		close(fd);
}

enum access_override access_override(const char *command_line)
{
	static const char option[] = "proc_mem.force_override=";
	const char *at = command_line, *last = NULL;

	while ((at = strstr(at, option)))
		last = at += sizeof option - 1;
	if (last && !strncmp(last, "never", 5))
		return ACCESS_NEVER;
	return last && !strncmp(last, "ptrace", 6) ? ACCESS_PTRACE : ACCESS_ALWAYS;
}

static void access_gather_self(struct access_facts *f)
{
	size_t size;
	char *text;

	f->our_uid = getuid();
	f->our_gid = getgid();
	if (procfs_read(AT_FDCWD, "/proc/self/status", &text, &size) == 0) {
		f->our_capabilities = procfs_status_set(text, "CapEff");
		f->privileged = capability_in(f->our_capabilities, CAPABILITY_SYS_PTRACE);
		f->bounded =
			!capability_in(procfs_status_set(text, "CapBnd"), CAPABILITY_SYS_PTRACE);
		f->our_seccomp = procfs_status(text, "Seccomp", 0) > 0;
		f->no_new_privs = procfs_status(text, "NoNewPrivs", 0) > 0;
	}
	free(text);
	if (procfs_read(AT_FDCWD, "/proc/cmdline", &text, &size) == 0)
		f->override = access_override(text);
	free(text);
	f->ptrace_scope = -1;
	if (procfs_read(AT_FDCWD, "/proc/sys/kernel/yama/ptrace_scope", &text, &size) == 0)
		f->ptrace_scope = atoi(text);
	free(text);
}

/* Record a shortage of descriptors or memory, which says nothing about the process. */
static int access_noted(struct access_facts *f, int code)
{
	if (error_is_shortage(code))
		f->shortage = code;
	return code;
}

static void access_gather_process(struct access_facts *f)
{
	char path[64], ours[64] = "", theirs[64] = "", *text, *our_map;
	unsigned long first, outside, count;
	uint64_t uids[3] = {0}, gids[3] = {0};
	size_t size;

	snprintf(path, sizeof path, "/proc/%d/status", f->pid);
	if (procfs_read(AT_FDCWD, path, &text, &size) == 0) {
		procfs_status_numbers(text, "Uid", 10, uids, 3);
		procfs_status_numbers(text, "Gid", 10, gids, 3);
		f->real_uid = (uid_t)uids[0];
		f->effective_uid = (uid_t)uids[1];
		f->saved_uid = (uid_t)uids[2];
		f->real_gid = (gid_t)gids[0];
		f->effective_gid = (gid_t)gids[1];
		f->saved_gid = (gid_t)gids[2];
		f->tracer = (pid_t)procfs_status(text, "TracerPid", 0);
		f->its_seccomp = procfs_status(text, "Seccomp", 0) > 0;
		f->its_capabilities = procfs_status_set(text, "CapPrm");
	}
	free(text);
	procfs_name(f->tracer, f->tracer_name, sizeof f->tracer_name);
	snprintf(path, sizeof path, "/proc/%d/ns/user", f->pid);
	if (readlink("/proc/self/ns/user", ours, sizeof ours - 1) < 0)
		return;
	if (readlink(path, theirs, sizeof theirs - 1) >= 0)
		f->same_user_namespace = !strcmp(ours, theirs);
	/* The uid maps may be readable even if the link is not: different maps prove different
	 * namespaces. The first namespace of the machine maps every id to itself. */
	snprintf(path, sizeof path, "/proc/%d/uid_map", f->pid);
	if (procfs_read(AT_FDCWD, "/proc/self/uid_map", &our_map, &size) == 0) {
		if (f->same_user_namespace < 0 && procfs_read(AT_FDCWD, path, &text, &size) == 0) {
			if (strcmp(our_map, text))
				f->same_user_namespace = 0;
			free(text);
		}
		f->enclosed = f->same_user_namespace == 0 &&
			      (sscanf(our_map, "%lu %lu %lu", &first, &outside, &count) != 3 ||
				      first || outside || count != UINT32_MAX);
	}
	free(our_map);
}

void access_gather(pid_t pid, struct access_facts *f)
{
	unsigned char header[MACHINE_HEADER];
	struct procfs_stat stat;
	char path[64];
	struct stat st;
	int fd;

	*f = (struct access_facts){.pid = pid, .same_user_namespace = -1};
	/* Check once that enough descriptors are free for everything below. */
	if (access_noted(f, descriptors_spare(0)) < 0)
		return;
	access_gather_self(f);
	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	if (access_noted(f, procfs_stat(AT_FDCWD, path, &stat)) < 0) {
		f->absence = procfs_absence(pid);
		return;
	}
	f->exists = true;
	f->thread = pid;
	if (stat.state == 'Z' || stat.state == 'X') {
		snprintf(path, sizeof path, "/proc/%d", pid);
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		f->thread = fd >= 0                     ? identity_living_thread(fd)
			    : error_is_shortage(-errno) ? -errno
							: 0;
		if (fd >= 0)
			close(fd);
	}
	if (f->thread < 0) {
		access_noted(f, f->thread);
		return;
	}
	f->zombie = !f->thread;
	f->kernel_thread = stat.flags & PROCFS_KERNEL_THREAD;
	memcpy(f->program, stat.comm, sizeof f->program);
	access_gather_process(f);
	snprintf(path, sizeof path, "/proc/%d/exe", f->thread);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && read(fd, header, sizeof header) == sizeof header)
		machine_foreign(header, f->machine, sizeof f->machine);
	if (fd >= 0)
		close(fd);
	/* The owner of the directory does not show this: task_dump_owner() in fs/proc/base.c. */
	snprintf(path, sizeof path, "/proc/%d/maps", pid);
	f->not_dumpable = f->effective_uid != 0 && lstat(path, &st) == 0 && st.st_uid == 0;
	access_try(f);
	access_noted(f, f->maps_error);
	access_noted(f, f->read_error);
	access_noted(f, f->write_error);
}

/* ---- the checks ---- */

static void access_check(struct probes_access *a, enum probes_access_mark mark, const char *text,
	...) __attribute__((format(printf, 3, 4)));

static void access_check(
	struct probes_access *a, enum probes_access_mark mark, const char *text, ...)
{
	struct probes_access_check *check;
	va_list args;

	if (a->count == sizeof a->checks / sizeof *a->checks)
		return;
	check = &a->checks[a->count++];
	check->mark = mark;
	va_start(args, text);
	vsnprintf(check->text, sizeof check->text, text, args);
	va_end(args);
}

/* The same call, after these words. */
__attribute__((format(printf, 2, 3))) static void access_try_as(
	struct probes_access *a, const char *as, ...)
{
	char words[sizeof a->checks->as];
	size_t before = a->count;
	va_list args;

	va_start(args, as);
	vsnprintf(words, sizeof words, as, args);
	va_end(args);
	access_check(a, PROBES_ACCESS_TRY, "%s %s", words, program_invocation_short_name);
	if (a->count > before)
		memcpy(a->checks[before].as, words, sizeof words);
}

static void access_attempts(const struct access_facts *f, struct probes_access *a)
{
	bool known = !f->machine[0];

	a->can_list = known && f->maps_error == 0;
	a->can_read = known && (f->read_error == 0 || f->write_error == 0);
	a->can_switch =
		a->can_read && f->write_error == 0 && f->override != ACCESS_NEVER && !f->translator;
	if (!known)
		access_check(
			a, PROBES_ACCESS_FAIL, "list    only 64-bit x86-64 programs are known");
	else if (a->can_list)
		access_check(a, PROBES_ACCESS_OK, "list    /proc/%d/maps is readable", f->pid);
	else
		access_check(a, PROBES_ACCESS_FAIL, "list    /proc/%d/maps: %s", f->pid,
			strerror(-f->maps_error));
	if (!known)
		return;
	if (a->can_read)
		access_check(a, PROBES_ACCESS_OK, "read    process_vm_readv(%d) answers", f->pid);
	else
		access_check(a, PROBES_ACCESS_FAIL, "read    process_vm_readv(%d): %s", f->pid,
			strerror(-f->read_error));
	if (a->can_switch)
		access_check(a, PROBES_ACCESS_OK, "switch  /proc/%d/mem opens for writing", f->pid);
	else if (!f->write_error)
		access_check(a, PROBES_ACCESS_FAIL, "switch  /proc/%d/mem opens, but %s", f->pid,
			!a->can_read                  ? "nothing can be read"
			: f->override == ACCESS_NEVER ? "takes no code"
						      : "its code must not be changed");
	else
		access_check(a, PROBES_ACCESS_FAIL, "switch  /proc/%d/mem: %s", f->pid,
			strerror(-f->write_error));
}

static bool access_other_user(const struct access_facts *f)
{
	return f->our_uid != f->real_uid || f->our_uid != f->effective_uid ||
	       f->our_uid != f->saved_uid;
}

static bool access_other_group(const struct access_facts *f)
{
	return f->our_gid != f->real_gid || f->our_gid != f->effective_gid ||
	       f->our_gid != f->saved_gid;
}

static void access_try_outside(struct probes_access *a)
{
	access_check(a, PROBES_ACCESS_TRY, "run %s outside of your user namespace",
		program_invocation_short_name);
}

/* What to try: become its user and group, or get CAP_SYS_PTRACE. The last one is the hint of an
 * error. */
static void access_suggest(const struct access_facts *f, struct probes_access *a)
{
	bool uid = f->real_uid == f->effective_uid && f->real_uid == f->saved_uid;
	bool gid = f->real_gid == f->effective_gid && f->real_gid == f->saved_gid;
	/* Would its user and group be enough, without any capability? */
	bool enough = (access_other_user(f) || access_other_group(f)) && uid && gid &&
		      f->real_uid != 0 && !f->its_capabilities && !f->not_dumpable &&
		      f->same_user_namespace != 0 && f->ptrace_scope <= 0;

	if (enough && f->our_uid != 0)
		access_try_as(a, "sudo -u '#%u' -g '#%u'", f->real_uid, f->real_gid);
	else if (enough && capability_in(f->our_capabilities, CAPABILITY_SETUID) &&
		 capability_in(f->our_capabilities, CAPABILITY_SETGID))
		access_try_as(a, "setpriv --reuid %u --regid %u --clear-groups", f->real_uid,
			f->real_gid);
	if (f->enclosed) {
		access_try_outside(a);
	} else if (f->bounded) {
		access_check(a, PROBES_ACCESS_TRY, "run %s on the host, as root",
			program_invocation_short_name);
		access_check(a, PROBES_ACCESS_TRY,
			"add CAP_SYS_PTRACE: docker run --cap-add SYS_PTRACE; Kubernetes: "
			"capabilities.add; systemd: CapabilityBoundingSet=");
	} else if (f->our_uid == 0) {
		access_check(a, PROBES_ACCESS_TRY,
			"start it from a shell of root that has CAP_SYS_PTRACE (capsh --print)");
	} else {
		access_try_as(a, "%s",
			f->no_new_privs ? "from a shell without no_new_privs: sudo" : "sudo");
	}
}

/* The checks of the kernel, in its order; CAP_SYS_PTRACE passes all of them. */
static void access_cause_unprivileged(const struct access_facts *f, struct probes_access *a)
{
	/* A denial surprises root: name the missing capability. */
	const char *root = f->our_uid != 0 ? ""
			   : f->bounded    ? "; you are root without CAP_SYS_PTRACE (bounding set)"
					   : "; you are root without CAP_SYS_PTRACE";
	uint64_t more = f->its_capabilities & ~f->our_capabilities;
	char names[80];

	if (access_other_user(f)) {
		access_check(a, PROBES_ACCESS_WHY,
			"it runs as uid %u (effective %u, saved %u), you are uid %u%s", f->real_uid,
			f->effective_uid, f->saved_uid, f->our_uid, root);
	} else if (access_other_group(f)) {
		access_check(a, PROBES_ACCESS_WHY,
			"it runs as gid %u (effective %u, saved %u), you are gid %u%s", f->real_gid,
			f->effective_gid, f->saved_gid, f->our_gid, root);
	} else if (f->not_dumpable) {
		access_check(a, PROBES_ACCESS_WHY,
			"it made itself undumpable (a set-uid program, or prctl "
			"PR_SET_DUMPABLE)%s",
			root);
	} else if (f->same_user_namespace == 0) {
		access_check(a, PROBES_ACCESS_WHY, "it lives in another user namespace%s%s",
			f->enclosed ? "" : ": run this inside of it, or as root", root);
	} else if (more) {
		access_check(a, PROBES_ACCESS_WHY, "it holds capabilities that you do not: %s%s",
			capability_say(more, names, sizeof names), root);
	} else if (f->ptrace_scope == 1) {
		access_check(a, PROBES_ACCESS_WHY,
			"kernel.yama.ptrace_scope = 1: only a parent or CAP_SYS_PTRACE may%s",
			root);
		access_check(a, PROBES_ACCESS_TRY,
			"start the program from here: a parent may trace its child");
		access_check(a, PROBES_ACCESS_TRY,
			"admin: sysctl kernel.yama.ptrace_scope=0    (host-wide, lowers safety)");
	} else if (f->ptrace_scope == 2) {
		access_check(a, PROBES_ACCESS_WHY,
			"kernel.yama.ptrace_scope = 2: only CAP_SYS_PTRACE may%s", root);
	} else {
		access_check(a, PROBES_ACCESS_WHY,
			"the kernel or a security module (SELinux, AppArmor) says no%s", root);
	}
	access_suggest(f, a);
}

static void access_cause(const struct access_facts *f, struct probes_access *a)
{
	char why[sizeof a->checks->text];

	if (f->machine[0]) {
		access_check(
			a, PROBES_ACCESS_WHY, "its program is for another machine: %s", f->machine);
		access_check(a, PROBES_ACCESS_TRY,
			"readelf -n shows its notes; bpftrace and perf may trace them");
	} else if (f->translator && a->can_read) {
		access_check(
			a, PROBES_ACCESS_WHY, "%s", translator_why(f->translator, why, sizeof why));
		access_check(
			a, PROBES_ACCESS_TRY, "run the program without %s", f->translator->name);
	} else if (f->override == ACCESS_NEVER && !f->write_error) {
		access_check(a, PROBES_ACCESS_WHY,
			"booted with proc_mem.force_override=never: no code can be changed");
		access_check(
			a, PROBES_ACCESS_TRY, "admin: boot with proc_mem.force_override=ptrace");
	} else if (a->can_read && f->write_error == -EROFS) {
		access_check(a, PROBES_ACCESS_WHY,
			"/proc is mounted read-only here: what it shows cannot be changed");
		access_check(a, PROBES_ACCESS_TRY,
			"admin: mount -o remount,rw /proc, or run %s where /proc is writable",
			program_invocation_short_name);
	} else if (f->ptrace_scope == 3) {
		access_check(a, PROBES_ACCESS_WHY,
			"kernel.yama.ptrace_scope = 3: nobody may, until the next boot");
	} else if (f->our_seccomp && a->can_list && f->write_error != -EACCES) {
		/* The kernel denies /proc/PID/mem with EACCES; a filter cannot, it sees no paths.
		 */
		access_check(a, PROBES_ACCESS_WHY,
			"a seccomp filter on %s denies it (a container's default profile)",
			program_invocation_short_name);
		access_check(a, PROBES_ACCESS_TRY,
			"run the container with --cap-add SYS_PTRACE, or %s on the host",
			program_invocation_short_name);
	} else if (f->privileged && a->can_read && f->write_error == -EACCES &&
		   f->our_uid != (f->not_dumpable ? 0 : f->effective_uid) &&
		   !capability_in(f->our_capabilities, CAPABILITY_DAC_OVERRIDE)) {
		access_check(a, PROBES_ACCESS_WHY,
			"only its owner may open /proc/%d/mem; CAP_SYS_PTRACE is not enough",
			f->pid);
		access_check(a, PROBES_ACCESS_TRY,
			"add CAP_DAC_OVERRIDE: setcap cap_sys_ptrace,cap_dac_override=ep; docker "
			"run --cap-add DAC_OVERRIDE; systemd: AmbientCapabilities=");
	} else if (f->privileged) {
		access_check(a, PROBES_ACCESS_WHY, "%s",
			f->same_user_namespace == 0
				? "your CAP_SYS_PTRACE does not reach into its user namespace"
				: "a security module (SELinux, AppArmor) or lockdown says no");
		if (f->same_user_namespace == 0)
			access_try_outside(a);
	} else {
		access_cause_unprivileged(f, a);
	}
}

void access_evaluate(const struct access_facts *f, struct probes_access *a)
{
	char why[120], hint[120];

	*a = (struct probes_access){0};
	/* No other fact is valid: report only the shortage. */
	if (f->shortage) {
		error_explain_shortage(f->shortage, why, sizeof why, hint, sizeof hint);
		access_check(a, PROBES_ACCESS_FAIL, "access to process %d cannot be tried", f->pid);
		access_check(a, PROBES_ACCESS_WHY, "%s", why);
		if (*hint)
			access_check(a, PROBES_ACCESS_TRY, "%s", hint);
		return;
	}
	if (!f->exists) {
		const struct procfs_absence *absence = f->absence;

		access_check(
			a, PROBES_ACCESS_FAIL, "cannot open process %d: %s", f->pid, absence->why);
		access_check(a, PROBES_ACCESS_TRY, "%s", absence->hint);
		return;
	}
	if (f->kernel_thread || f->zombie) {
		access_check(a, PROBES_ACCESS_FAIL, "process %d %s", f->pid,
			f->zombie ? "has ended and only waits for its parent (zombie)"
				  : "is a kernel thread and has no program");
		return;
	}
	access_attempts(f, a);
	if (f->tracer)
		access_check(a, PROBES_ACCESS_OK,
			"traced by %d (%s): reading and switching go on, but its threads cannot be "
			"stopped",
			f->tracer, f->tracer_name);
	if (f->its_seccomp)
		access_check(a, PROBES_ACCESS_OK,
			"a seccomp filter confines it: no hindrance, nothing is called in it");
	if (f->override == ACCESS_PTRACE && a->can_switch)
		access_check(a, PROBES_ACCESS_OK,
			"proc_mem.force_override=ptrace: a thread is seized while code is written");
	if (!a->can_list || !a->can_read || !a->can_switch)
		access_cause(f, a);
}

void probes_explain(pid_t pid, struct probes_access *access)
{
	struct access_facts facts;

	access_gather(pid, &facts);
	access_evaluate(&facts, access);
}

int access_explain(pid_t pid, struct probes_error *e)
{
	struct probes_access a;

	/* The error describes the shortage already; access rights are not the cause. */
	if (error_is_shortage(e->code))
		return e->code;
	probes_explain(pid, &a);
	for (size_t i = 0; i < a.count; i++)
		if (a.checks[i].mark == PROBES_ACCESS_WHY)
			error_why(e, "%s", a.checks[i].text);
	for (size_t i = 0; i < a.count; i++)
		if (a.checks[i].mark == PROBES_ACCESS_TRY) {
			error_hint(e, "%s", a.checks[i].text);
			snprintf(e->as, sizeof e->as, "%s", a.checks[i].as);
		}
	return e->code;
}
