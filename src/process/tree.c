#include "process/tree.h"

#include "base/error.h"
#include "base/order.h"
#include "process/procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

static int tree_by_parent(const void *a, const void *b)
{
	const struct tree_link *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

size_t tree_descendants(struct tree_link *links, size_t count, pid_t root, pid_t *out)
{
	size_t found = 0;

	for (size_t i = 0; i < count && !found; i++)
		if (links[i].pid == root)
			out[found++] = root;
	qsort(links, count, sizeof *links, tree_by_parent);
	/* A pass over /proc is no snapshot: limited by count, so that even a cycle ends. */
	for (size_t at = 0; at < found; at++) {
		size_t i;

		ORDER_FIND(i, count, links[i].parent < out[at]);
		for (; i < count && links[i].parent == out[at] && found < count; i++)
			if (links[i].pid != root)
				out[found++] = links[i].pid;
	}
	return found;
}

int tree_gather(struct array *links)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int r = proc ? 0 : -errno;

	while (r == 0 && (entry = readdir(proc))) {
		struct procfs_stat stat;
		struct tree_link *link;
		int seen;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		seen = procfs_stat(AT_FDCWD, &stat, "/proc/%s/stat", entry->d_name);
		if (error_is_shortage(seen))
			r = seen;
		if (seen < 0 || stat.state == 'Z' || stat.flags & PROCFS_KERNEL_THREAD)
			continue;
		link = array_add(links);
		if (!link) {
			r = -ENOMEM;
			break;
		}
		*link = (struct tree_link){.pid = atoi(entry->d_name),
			.parent = stat.parent,
			.start_time = stat.start_time,
			.forked = stat.flags & PROCFS_FORKED};
		snprintf(link->comm, sizeof link->comm, "%.15s", stat.comm);
	}
	if (proc)
		closedir(proc);
	return r;
}

/* Those of the tree of a process; root NULL: all. 0 or a negative errno. */
static int tree_list(const pid_t *root, pid_t **pids, size_t *count)
{
	struct array links = ARRAY_OF(struct tree_link);
	int r;

	*count = 0;
	r = tree_gather(&links);
	*pids = r == 0 ? calloc(links.count + 1, sizeof **pids) : NULL;
	if (*pids && root)
		*count = tree_descendants(links.data, links.count, *root, *pids);
	for (size_t i = 0; *pids && !root && i < links.count; i++)
		(*pids)[(*count)++] = ARRAY_AT(&links, struct tree_link, i)->pid;
	array_done(&links);
	return r == 0 && !*pids ? -ENOMEM : r;
}

int probes_tree(pid_t root, pid_t **pids, size_t *count, struct probes_error *e)
{
	int r = tree_list(&root, pids, count);

	if (*count)
		return 0;
	free(*pids);
	*pids = NULL;
	error_set(e, PROBES_NO_TARGET, error_is_shortage(r) ? r : -ESRCH,
		"cannot follow the tree of process %d", root);
	if (r == 0) {
		const struct procfs_absence *absence = procfs_absence(root);

		error_why(e, "%s", absence->why);
		error_hint(e, "%s", absence->hint);
		snprintf(e->as, sizeof e->as, "%s", absence->as);
		return e->code;
	}
	return error_why(e, "/proc cannot be read");
}

int probes_processes(pid_t **pids, size_t *count, struct probes_error *e)
{
	int r = tree_list(NULL, pids, count);

	if (r == 0)
		return 0;
	error_set(e, PROBES_FAILED, error_is_shortage(r) ? r : -ENOENT, "cannot list processes");
	return error_why(e, "/proc cannot be read");
}
