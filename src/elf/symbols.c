/* Function names and source lines, all of it libdwfl's work. */
#include "elf/symbols.h"

#include "elf/demangle.h"

#include <elfutils/libdwfl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Limit on the symbols of all open files together: half a megabyte of .gnu_debugdata can expand to
 * 3 GB. */
#define SYMBOLS_MOST_BYTES ((rlim_t)1 << 30)

struct symbols {
	Dwfl *dwfl;
	Dwfl_Module *module;
	GElf_Addr bias; /* that libdwfl gave the file */
	rlim_t bytes;   /* growth of our address space while it was read, by other threads, too */
};

/* Can it be opened without waiting for somebody: a file, or nothing at all? */
static bool symbols_harmless(const char *folder, int length, const char *below, const char *name)
{
	char path[4096];
	struct stat st;
	int needed = snprintf(path, sizeof path, "%.*s%s/%s", length, folder, below, name);

	return needed < (int)sizeof path && (stat(path, &st) < 0 || S_ISREG(st.st_mode));
}

/*
 * A debuglink is the plain name of a file (gdb's manual, "Separate Debug Files"): one that is a
 * path comes from somebody who wants us to open what he chooses, and a FIFO would be waited for.
 * These are the places where libdwfl looks.
 */
static bool symbols_trusted(const char *file, const char *link)
{
	const char *slash = file ? strrchr(file, '/') : NULL;
	int length = slash ? (int)(slash - file) : 0;

	if (!slash || (link && strchr(link, '/')))
		return false;
	return !link || (symbols_harmless(file, length, "", link) &&
				symbols_harmless(file, length, "/.debug", link));
}

/*
 * Debug files by build-id, else by debuglink. libdwfl's own order ends at a debuginfod server where
 * the environment names one: nobody who looks at a probe expects to wait for a network.
 */
static int symbols_find_debuginfo(Dwfl_Module *module, void **data, const char *name,
	Dwarf_Addr base, const char *file, const char *link, GElf_Word crc, char **found)
{
	int fd = dwfl_build_id_find_debuginfo(module, data, name, base, file, link, crc, found);

	if (fd >= 0 || getenv("DEBUGINFOD_URLS") || !symbols_trusted(file, link))
		return fd;
	return dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, found);
}

static const Dwfl_Callbacks symbols_callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = symbols_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static bool symbols_report(struct symbols *s, int fd, const char *path)
{
	int copy = dup(fd);

	if (copy < 0)
		return false;
	dwfl_report_begin(s->dwfl);
	s->module = dwfl_report_offline(s->dwfl, path, path, copy);
	if (!s->module)
		close(copy);
	dwfl_report_end(s->dwfl, NULL, NULL);
	return s->module && dwfl_module_getelf(s->module, &s->bias);
}

/* Our present size in memory, in bytes; 0: cannot be told. */
static rlim_t symbols_size_of_us(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%lu", &pages) != 1)
		pages = 0;
	fclose(file);
	return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* The limit is the process's: two threads that set it at once would restore each other's. */
static pthread_mutex_t symbols_limited = PTHREAD_MUTEX_INITIALIZER;
static rlim_t symbols_held; /* by all open files; under the lock */

/* While libdwfl reads. */
struct symbols_reading {
	struct rlimit before;
	rlim_t size; /* ours; 0: not limited */
};

/* libdwfl has no bound of its own: what goes beyond ours is no memory, which it can live with. */
static void symbols_limit(struct symbols_reading *r)
{
	struct rlimit limit;
	rlim_t most;

	pthread_mutex_lock(&symbols_limited);
	r->size = symbols_size_of_us();
	if (!r->size || getrlimit(RLIMIT_AS, &r->before) < 0) {
		r->size = 0;
		return;
	}
	most = symbols_held < SYMBOLS_MOST_BYTES ? SYMBOLS_MOST_BYTES - symbols_held : 0;
	limit = r->before;
	if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > r->size + most)
		limit.rlim_cur = r->size + most;
	if (setrlimit(RLIMIT_AS, &limit) < 0)
		r->size = 0;
}

static void symbols_unlimit(struct symbols *s, const struct symbols_reading *r)
{
	rlim_t now = r->size ? symbols_size_of_us() : 0;

	if (r->size)
		(void)setrlimit(RLIMIT_AS, &r->before);
	if (s && now > r->size) {
		s->bytes += now - r->size;
		symbols_held += now - r->size;
	}
	pthread_mutex_unlock(&symbols_limited);
}

bool symbols_crowded(void)
{
	bool crowded;

	pthread_mutex_lock(&symbols_limited);
	crowded = symbols_held > SYMBOLS_MOST_BYTES / 4;
	pthread_mutex_unlock(&symbols_limited);
	return crowded;
}

struct symbols *symbols_open(int fd, const char *path)
{
	struct symbols *s = calloc(1, sizeof *s);
	struct symbols_reading reading;
	bool good;

	symbols_limit(&reading);
	if (s)
		s->dwfl = dwfl_begin(&symbols_callbacks);
	good = s && s->dwfl && symbols_report(s, fd, path);
	symbols_unlimit(s, &reading);
	if (good)
		return s;
	symbols_close(s);
	return NULL;
}

void symbols_close(struct symbols *s)
{
	if (!s)
		return;
	dwfl_end(s->dwfl);
	pthread_mutex_lock(&symbols_limited);
	symbols_held -= s->bytes;
	pthread_mutex_unlock(&symbols_limited);
	free(s);
}

static void symbols_ask(struct symbols *s, uint64_t vaddr, struct probes_source *where)
{
	GElf_Addr address = vaddr + s->bias;
	GElf_Off offset = 0;
	GElf_Sym symbol;
	const char *name =
		dwfl_module_addrinfo(s->module, address, &offset, &symbol, NULL, NULL, NULL);
	Dwfl_Line *line = dwfl_module_getsrc(s->module, address);
	const char *file = line ? dwfl_lineinfo(line, NULL, &where->line, NULL, NULL, NULL) : NULL;

	if (name) {
		demangle_symbol(name, where->function, sizeof where->function);
		where->offset = offset;
	}
	if (file)
		snprintf(where->file, sizeof where->file, "%s", file);
}

void symbols_find(struct symbols *s, uint64_t vaddr, struct probes_source *where)
{
	struct symbols_reading reading;

	symbols_limit(&reading);
	symbols_ask(s, vaddr, where);
	symbols_unlimit(s, &reading);
}
