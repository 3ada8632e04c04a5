/* The facts that access checks rest on, gathered by trying. */
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Try to read maps, one byte of memory, and to open mem for writing. */
static void access_try(struct access_facts *f)
{
	struct array mappings = ARRAY_OF(struct mapping);
	size_t malformed, count;
	char path[64], *text, byte;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/maps", f->thread);
	f->maps_error = procfs_read_lines(AT_FDCWD, path, maps_drop_anonymous, &text, NULL);
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
	fd = procfs_open(AT_FDCWD, O_RDWR, "/proc/%d/mem", f->thread);
	f->write_error = fd < 0 ? fd : 0;
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
	char *text;

	f->our_uid = getuid();
	f->our_gid = getgid();
	if (procfs_read(AT_FDCWD, &text, NULL, "/proc/self/status") == 0) {
		f->our_capabilities = procfs_status_set(text, "CapEff");
		f->privileged = capability_in(f->our_capabilities, CAPABILITY_SYS_PTRACE);
		f->bounded =
			!capability_in(procfs_status_set(text, "CapBnd"), CAPABILITY_SYS_PTRACE);
		f->our_seccomp = procfs_status(text, "Seccomp", 0) > 0;
		f->no_new_privs = procfs_status(text, "NoNewPrivs", 0) > 0;
	}
	free(text);
	if (procfs_read(AT_FDCWD, &text, NULL, "/proc/cmdline") == 0)
		f->override = access_override(text);
	free(text);
	f->ptrace_scope = -1;
	if (procfs_read(AT_FDCWD, &text, NULL, "/proc/sys/kernel/yama/ptrace_scope") == 0)
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

	if (procfs_read(AT_FDCWD, &text, NULL, "/proc/%d/status", f->pid) == 0) {
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
	if (procfs_read(AT_FDCWD, &our_map, NULL, "/proc/self/uid_map") == 0) {
		if (f->same_user_namespace < 0 &&
			procfs_read(AT_FDCWD, &text, NULL, "/proc/%d/uid_map", f->pid) == 0) {
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
	if (access_noted(f, procfs_stat(AT_FDCWD, &stat, "/proc/%d/stat", pid)) < 0) {
		f->absence = procfs_absence(pid);
		return;
	}
	f->exists = true;
	f->thread = pid;
	if (stat.state == 'Z' || stat.state == 'X') {
		fd = procfs_open(AT_FDCWD, O_RDONLY | O_DIRECTORY, "/proc/%d", pid);
		f->thread = fd >= 0                 ? identity_find_thread(fd, false)
			    : error_is_shortage(fd) ? fd
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
	access_gather_process(f);
	fd = procfs_open(AT_FDCWD, O_RDONLY | O_NONBLOCK | O_NOCTTY, "/proc/%d/exe", f->thread);
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
