/* Source: kernel/events/uprobes.c, __update_ref_ctr; dev-kmsg in the kernel's ABI documents. */
#include "klog.h"

#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int klog = -1;

bool klog_begin(void)
{
	klog = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return klog >= 0 && lseek(klog, 0, SEEK_END) >= 0;
}

static const struct truth_probe *klog_whose(const struct truth *t, uint64_t address)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->probes[i].semaphore == address)
			return &t->probes[i];
	return NULL;
}

/* Others' victims make it say the same: the address tells, which is chosen at random. */
static void klog_line(const struct truth *t, char *line)
{
	static const char said[] = "ref_ctr going negative. vaddr: ";
	const char *at = strstr(line, said);
	const struct truth_probe *p =
		at ? klog_whose(t, strtoul(at + strlen(said), NULL, 16)) : NULL;

	if (!p)
		return;
	line[strcspn(line, "\n")] = '\0';
	fault("%s: the kernel says '%s': a uprobe's count was taken away (%s)", p->name, at,
		p->account);
}

void klog_check(const struct truth *t)
{
	char line[8192];
	ssize_t n;

	/* One record a call; EPIPE: some were overwritten before they were read. */
	while (klog >= 0 && ((n = read(klog, line, sizeof line - 1)) > 0 ||
				    (n < 0 && (errno == EPIPE || errno == EINTR)))) {
		line[n > 0 ? n : 0] = '\0';
		klog_line(t, line);
	}
}
