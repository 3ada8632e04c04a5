/* Function names and source lines, all of it libdwfl's work. */
#include "elf/symbols.h"

#include "elf/demangle.h"

#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct symbols {
	Dwfl *dwfl;
	Dwfl_Module *module;
	GElf_Addr bias; /* that libdwfl gave the file */
};

/*
 * Debug files by build-id, else by debuglink. libdwfl's own order ends at a debuginfod server where
 * the environment names one: nobody who looks at a probe expects to wait for a network.
 */
static int symbols_find_debuginfo(Dwfl_Module *module, void **data, const char *name,
	Dwarf_Addr base, const char *file, const char *link, GElf_Word crc, char **found)
{
	int fd = dwfl_build_id_find_debuginfo(module, data, name, base, file, link, crc, found);

	if (fd >= 0 || getenv("DEBUGINFOD_URLS"))
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

struct symbols *symbols_open(int fd, const char *path)
{
	struct symbols *s = calloc(1, sizeof *s);

	if (s)
		s->dwfl = dwfl_begin(&symbols_callbacks);
	if (s && s->dwfl && symbols_report(s, fd, path))
		return s;
	symbols_close(s);
	return NULL;
}

void symbols_close(struct symbols *s)
{
	if (!s)
		return;
	dwfl_end(s->dwfl);
	free(s);
}

void symbols_find(struct symbols *s, uint64_t vaddr, struct probes_where *where)
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
