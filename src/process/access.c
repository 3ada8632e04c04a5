/*
 * The access checks: from facts to what works, what fails, and why. Source of the rules: ptrace(2)
 * "Ptrace access mode checking", Documentation/admin-guide/LSM/Yama.rst, and __ptrace_may_access()
 * in kernel/ptrace.c.
 */
#include "process/access.h"

#include "base/error.h"
#include "process/capability.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ACCESS_NAMED 2 /* this many names, then a count */

static const char *const access_names[] = {"CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER",
	"FSETID", "KILL", "SETGID", "SETUID", "SETPCAP", "LINUX_IMMUTABLE", "NET_BIND_SERVICE",
	"NET_BROADCAST", "NET_ADMIN", "NET_RAW", "IPC_LOCK", "IPC_OWNER", "SYS_MODULE", "SYS_RAWIO",
	"SYS_CHROOT", "SYS_PTRACE", "SYS_PACCT", "SYS_ADMIN", "SYS_BOOT", "SYS_NICE",
	"SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "MKNOD", "LEASE", "AUDIT_WRITE",
	"AUDIT_CONTROL", "SETFCAP", "MAC_OVERRIDE", "MAC_ADMIN", "SYSLOG", "WAKE_ALARM",
	"BLOCK_SUSPEND", "AUDIT_READ", "PERFMON", "BPF", "CHECKPOINT_RESTORE"};

const char *access_capabilities(uint64_t set, char *out, size_t size)
{
	const unsigned known = sizeof access_names / sizeof *access_names;
	unsigned named = 0, more = 0;
	size_t used = 0;

	*out = '\0';
	for (unsigned i = 0; i < 64; i++) {
		const char *comma = named ? ", " : "";

		if (!capability_in(set, i))
			continue;
		if (named == ACCESS_NAMED)
			more++;
		else if (used < size && i < known)
			used += (size_t)snprintf(
				out + used, size - used, "%sCAP_%s", comma, access_names[i]);
		else if (used < size) /* of a newer kernel */
			used += (size_t)snprintf(
				out + used, size - used, "%scapability %u", comma, i);
		if (named < ACCESS_NAMED)
			named++;
	}
	if (more && used < size)
		snprintf(out + used, size - used, " and %u more", more);
	return out;
}

__attribute__((format(printf, 3, 4))) static void access_check(
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

#define access_ok(a, ...) access_check(a, PROBES_ACCESS_OK, __VA_ARGS__)
#define access_fail(a, ...) access_check(a, PROBES_ACCESS_FAIL, __VA_ARGS__)
#define access_why(a, ...) access_check(a, PROBES_ACCESS_WHY, __VA_ARGS__)
#define access_try(a, ...) access_check(a, PROBES_ACCESS_TRY, __VA_ARGS__)

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
	access_try(a, "%s %s", words, program_invocation_short_name);
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
		access_fail(a, "list    only 64-bit x86-64 programs are known");
	else if (a->can_list)
		access_ok(a, "list    /proc/%d/maps is readable", f->pid);
	else
		access_fail(a, "list    /proc/%d/maps: %s", f->pid, strerror(-f->maps_error));
	if (!known)
		return;
	if (a->can_read)
		access_ok(a, "read    process_vm_readv(%d) answers", f->pid);
	else
		access_fail(
			a, "read    process_vm_readv(%d): %s", f->pid, strerror(-f->read_error));
	if (a->can_switch)
		access_ok(a, "switch  /proc/%d/mem opens for writing", f->pid);
	else if (!f->write_error)
		access_fail(a, "switch  /proc/%d/mem opens, but %s", f->pid,
			!a->can_read                  ? "nothing can be read"
			: f->override == ACCESS_NEVER ? "takes no code"
						      : "its code must not be changed");
	else
		access_fail(a, "switch  /proc/%d/mem: %s", f->pid, strerror(-f->write_error));
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
	access_try(a, "run %s outside of your user namespace", program_invocation_short_name);
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
		access_try(a, "run %s on the host, as root", program_invocation_short_name);
		access_try(a, "add CAP_SYS_PTRACE: docker run --cap-add SYS_PTRACE; Kubernetes: "
			      "capabilities.add; systemd: CapabilityBoundingSet=");
	} else if (f->our_uid == 0) {
		access_try(
			a, "start it from a shell of root that has CAP_SYS_PTRACE (capsh --print)");
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
		access_why(a, "it runs as uid %u (effective %u, saved %u), you are uid %u%s",
			f->real_uid, f->effective_uid, f->saved_uid, f->our_uid, root);
	} else if (access_other_group(f)) {
		access_why(a, "it runs as gid %u (effective %u, saved %u), you are gid %u%s",
			f->real_gid, f->effective_gid, f->saved_gid, f->our_gid, root);
	} else if (f->not_dumpable) {
		access_why(a,
			"it made itself undumpable (a set-uid program, or prctl PR_SET_DUMPABLE)%s",
			root);
	} else if (f->same_user_namespace == 0) {
		access_why(a, "it lives in another user namespace%s%s",
			f->enclosed ? "" : ": run this inside of it, or as root", root);
	} else if (more) {
		access_why(a, "it holds capabilities that you do not: %s%s",
			access_capabilities(more, names, sizeof names), root);
	} else if (f->ptrace_scope == 1) {
		access_why(a, "kernel.yama.ptrace_scope = 1: only a parent or CAP_SYS_PTRACE may%s",
			root);
		access_try(a, "start the program from here: a parent may trace its child");
		access_try(a,
			"admin: sysctl kernel.yama.ptrace_scope=0    (host-wide, lowers safety)");
	} else if (f->ptrace_scope == 2) {
		access_why(a, "kernel.yama.ptrace_scope = 2: only CAP_SYS_PTRACE may%s", root);
	} else {
		access_why(
			a, "the kernel or a security module (SELinux, AppArmor) says no%s", root);
	}
	access_suggest(f, a);
}

static void access_cause(const struct access_facts *f, struct probes_access *a)
{
	char why[sizeof a->checks->text];

	if (f->machine[0]) {
		access_why(a, "its program is for another machine: %s", f->machine);
		access_try(a, "readelf -n shows its notes; bpftrace and perf may trace them");
	} else if (f->translator && a->can_read) {
		access_why(a, "%s", translator_why(f->translator, why, sizeof why));
		access_try(a, "run the program without %s", f->translator->name);
	} else if (f->override == ACCESS_NEVER && !f->write_error) {
		access_why(a, "booted with proc_mem.force_override=never: no code can be changed");
		access_try(a, "admin: boot with proc_mem.force_override=ptrace");
	} else if (a->can_read && f->write_error == -EROFS) {
		access_why(a, "/proc is mounted read-only here: what it shows cannot be changed");
		access_try(a, "admin: mount -o remount,rw /proc, or run %s where /proc is writable",
			program_invocation_short_name);
	} else if (f->ptrace_scope == 3) {
		access_why(a, "kernel.yama.ptrace_scope = 3: nobody may, until the next boot");
	} else if (f->our_seccomp && a->can_list && f->write_error != -EACCES) {
		/* The kernel denies /proc/PID/mem with EACCES; a filter cannot, it sees no paths.
		 */
		access_why(a, "a seccomp filter on %s denies it (a container's default profile)",
			program_invocation_short_name);
		access_try(a, "run the container with --cap-add SYS_PTRACE, or %s on the host",
			program_invocation_short_name);
	} else if (f->privileged && a->can_read && f->write_error == -EACCES &&
		   f->our_uid != (f->not_dumpable ? 0 : f->effective_uid) &&
		   !capability_in(f->our_capabilities, CAPABILITY_DAC_OVERRIDE)) {
		access_why(a, "only its owner may open /proc/%d/mem; CAP_SYS_PTRACE is not enough",
			f->pid);
		access_try(a,
			"add CAP_DAC_OVERRIDE: setcap cap_sys_ptrace,cap_dac_override=ep; docker "
			"run --cap-add DAC_OVERRIDE; systemd: AmbientCapabilities=");
	} else if (f->privileged) {
		access_why(a, "%s",
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
		access_fail(a, "access to process %d cannot be tried", f->pid);
		access_why(a, "%s", why);
		if (*hint)
			access_try(a, "%s", hint);
		return;
	}
	if (!f->exists) {
		const struct procfs_absence *absence = f->absence;

		access_fail(a, "cannot open process %d: %s", f->pid, absence->why);
		access_try(a, "%s", absence->hint);
		return;
	}
	if (f->kernel_thread || f->zombie) {
		access_fail(a, "process %d %s", f->pid,
			f->zombie ? "has ended and only waits for its parent (zombie)"
				  : "is a kernel thread and has no program");
		return;
	}
	access_attempts(f, a);
	if (f->tracer)
		access_ok(a,
			"traced by %d (%s): reading and switching go on, but its threads cannot be "
			"stopped",
			f->tracer, f->tracer_name);
	if (f->its_seccomp)
		access_ok(a, "a seccomp filter confines it: switching still works");
	if (f->override == ACCESS_PTRACE && a->can_switch)
		access_ok(a,
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
