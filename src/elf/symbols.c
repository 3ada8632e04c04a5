#include "elf/symbols.h"

#include "elf/location.h"
#include "elf/reading.h"

#include <ctype.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#endif

#define SYMBOLS_DEBUG "/usr/lib/debug/" /* where debug files of the system are */
#define SYMBOLS_RETURN 16               /* the number of the return address in DWARF */

struct symbols {
	Dwfl *dwfl;
	Dwfl_Module *module;
	GElf_Addr bias; /* that libdwfl gave the file */
	bool slow;      /* its debug information takes too long to search */
	size_t bytes;   /* that it takes: struct reading */
};

/* Can it be opened without blocking: is it a regular file, or absent? */
static bool symbols_harmless(const char *folder, int length, const char *below, const char *name)
{
	char path[4096];
	struct stat st;
	int needed = snprintf(path, sizeof path, "%.*s%s/%s", length, folder, below, name);

	return needed < (int)sizeof path && (stat(path, &st) < 0 || S_ISREG(st.st_mode));
}

/*
 * Debug files by build-id, else by debuglink. A debuglink is a plain file name (gdb's manual,
 * "Separate Debug Files"): a path would make us open a file of an attacker's choice, and a FIFO
 * blocks. The folders checked are those where libdwfl looks. libdwfl's own search ends at a
 * debuginfod server if the environment names one: showing a probe must not wait for a network.
 */
static int symbols_find_debuginfo(Dwfl_Module *module, void **data, const char *name,
	Dwarf_Addr base, const char *file, const char *link, GElf_Word crc, char **found)
{
	int fd = dwfl_build_id_find_debuginfo(module, data, name, base, file, link, crc, found);
	const char *slash = file ? strrchr(file, '/') : NULL;
	int length = slash ? (int)(slash - file) : 0;

	if (fd >= 0 || getenv("DEBUGINFOD_URLS") || !slash)
		return fd;
	if (link && (strchr(link, '/') || !symbols_harmless(file, length, "", link) ||
			    !symbols_harmless(file, length, "/.debug", link)))
		return fd;
	return dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, found);
}

static const Dwfl_Callbacks symbols_callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = symbols_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

struct symbols *symbols_open(int fd, const char *path)
{
	struct symbols *s = calloc(1, sizeof *s);
	struct reading reading;
	bool good = false;
	int copy;

	reading_begin(&reading);
	if (s)
		s->dwfl = dwfl_begin(&symbols_callbacks);
	copy = s && s->dwfl ? dup(fd) : -1;
	if (copy >= 0) {
		dwfl_report_begin(s->dwfl);
		s->module = dwfl_report_offline(s->dwfl, path, path, copy);
		if (!s->module)
			close(copy);
		dwfl_report_end(s->dwfl, NULL, NULL);
		good = s->module && dwfl_module_getelf(s->module, &s->bias);
	}
	reading_end(&reading, s ? &s->bytes : NULL);
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
	reading_release(s->bytes);
	free(s);
}

/*
 * OCaml: camlFoo__bar_123 is Foo.bar; camlDune__exe__Main__f_5 is Dune.exe.Main.f; $2b stands for
 * the character 0x2b (asmcomp/compilenv.ml and emit: symbols are "caml" ^ unit ^ "__" ^ name ^ "_"
 * ^ stamp; OCaml 5 separates with "." or "$" instead of "__").
 */
void symbols_demangle(const char *symbol, char *out, size_t size)
{
	/* Some tables have "name@@VERSION". */
	const char *version = *symbol ? strchr(symbol + 1, '@') : NULL;
	size_t length = version ? (size_t)(version - symbol) : strlen(symbol);
	size_t end = length, used = 0;
	char *plain = NULL;

	if (strncmp(symbol, "caml", 4) || !isupper((unsigned char)symbol[4]) || size == 0) {
#ifdef HAVE_LIBIBERTY
		char *bare = strndup(symbol, length);

		if (bare && bare[0] == '_' && bare[1] == 'Z')
			plain = cplus_demangle(bare, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
		free(bare);
#endif
		snprintf(out, size, "%.*s", plain ? INT_MAX : (int)length, plain ? plain : symbol);
		free(plain);
		return;
	}
	while (end > 0 && isdigit((unsigned char)symbol[end - 1]))
		end--;
	/* Without the stamp. */
	end = end < length && end > 0 && symbol[end - 1] == '_' ? end - 1 : length;
	for (size_t at = 4; at < end && used + 1 < size;) {
		char hex[3] = "";
		long code = -1;

		if (symbol[at] == '$') {
			snprintf(hex, sizeof hex, "%.2s", symbol + at + 1);
			if (isxdigit((unsigned char)hex[0]) && isxdigit((unsigned char)hex[1]))
				code = strtol(hex, NULL, 16);
		}
		if (code >= 0x20 && at + 3 <= end) {
			out[used++] = (char)code;
			at += 3;
		} else if (symbol[at] == '_' && symbol[at + 1] == '_' && at + 2 < end) {
			out[used++] = '.';
			at += 2;
		} else {
			out[used++] = symbol[at] == '$' ? '.' : symbol[at];
			at++;
		}
	}
	out[used] = '\0';
}

void symbols_find(struct symbols *s, uint64_t vaddr, struct probes_source *where)
{
	GElf_Addr address = vaddr + s->bias;
	struct reading reading;
	const char *name, *file = NULL;
	GElf_Off offset = 0;
	GElf_Sym symbol;
	Dwfl_Line *indexed;
	Dwarf_Line *line;
	Dwarf_Addr bias;
	Dwarf_Die *unit;

	reading_begin(&reading);
	name = dwfl_module_addrinfo(s->module, address, &offset, &symbol, NULL, NULL, NULL);
	indexed = dwfl_module_getsrc(s->module, address);
	unit = indexed ? NULL : variables_unit(s->module, address, &bias);
	line = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;
	if (indexed)
		file = dwfl_lineinfo(indexed, NULL, &where->line, NULL, NULL, NULL);
	else if (line && dwarf_lineno(line, &where->line) == 0)
		file = dwarf_linesrc(line, NULL, NULL);
	if (name) {
		symbols_demangle(name, where->function, sizeof where->function);
		where->offset = offset;
	}
	if (file)
		snprintf(where->file, sizeof where->file, "%s", file);
	reading_end(&reading, &s->bytes);
}

/*
 * May libdw follow the debug information to where its supplementary file (dwz) is? It opens any
 * path; we let it open a file of the system.
 */
static bool symbols_whole(struct symbols *s)
{
	const char *main_file = NULL, *debug_file = NULL, *name, *slash;
	char path[PATH_MAX], real[PATH_MAX];
	const void *id;
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(s->module, &bias);
	struct stat st;
	int length = 0;

	if (!dwarf)
		return false;
	if (dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) <= 0)
		return true;
	dwfl_module_info(s->module, NULL, NULL, NULL, NULL, NULL, &main_file, &debug_file);
	debug_file = debug_file ? debug_file : main_file;
	slash = debug_file && *name != '/' ? strrchr(debug_file, '/') : NULL;
	if (slash)
		length = (int)(slash + 1 - debug_file);
	return snprintf(path, sizeof path, "%.*s%s", length, slash ? debug_file : "", name) <
		       (int)sizeof path &&
	       realpath(path, real) && !strncmp(real, SYMBOLS_DEBUG, strlen(SYMBOLS_DEBUG)) &&
	       stat(real, &st) == 0 && S_ISREG(st.st_mode);
}

/* The frame at an address of libdwfl's; NULL: no unwind table has it. The caller frees it. */
static Dwarf_Frame *symbols_frame(struct symbols *s, GElf_Addr address)
{
	Dwarf_CFI *(*const tables[])(Dwfl_Module *, Dwarf_Addr *) = {
		dwfl_module_eh_cfi, dwfl_module_dwarf_cfi};

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		Dwarf_Addr bias = 0;
		Dwarf_CFI *table = tables[i](s->module, &bias);
		Dwarf_Frame *frame;

		if (table && dwarf_cfi_addrframe(table, address - bias, &frame) == 0)
			return frame;
	}
	return NULL;
}

/* Where the frame begins: memory at a register and an offset. */
static bool symbols_cfa(Dwarf_Frame *frame, struct operand_place *cfa)
{
	Dwarf_Op *ops;
	size_t count;

	return dwarf_frame_cfa(frame, &ops, &count) == 0 &&
	       location_place(ops, count, NULL, NULL, cfa) && cfa->what == OPERAND_MEMORY &&
	       cfa->number < OPERAND_NONE;
}

void symbols_variables(
	struct symbols *s, uint64_t vaddr, struct variables_wanted *wanted, size_t count)
{
	struct reading reading;
	struct operand_place cfa;
	Dwarf_Frame *frame;

	reading_begin(&reading);
	if (!s->slow && symbols_whole(s)) {
		frame = symbols_frame(s, vaddr + s->bias);
		s->slow = !variables_find(s->module, vaddr + s->bias,
			frame && symbols_cfa(frame, &cfa) ? &cfa : NULL, wanted, count);
		free(frame);
	}
	reading_end(&reading, &s->bytes);
}

const char *symbols_return(struct symbols *s, uint64_t vaddr, struct operand_place *place)
{
	const char *why = "there is no unwind information";
	struct reading reading;
	struct operand_place cfa;
	Dwarf_Op memory[3], *ops = NULL;
	Dwarf_Frame *frame;
	size_t count = 0;

	reading_begin(&reading);
	frame = symbols_frame(s, vaddr + s->bias);
	if (frame) {
		why = "the unwind information computes it";
		if (symbols_cfa(frame, &cfa) &&
			dwarf_frame_register(frame, SYMBOLS_RETURN, memory, &ops, &count) == 0 &&
			location_place(ops, count, NULL, &cfa, place) &&
			place->what == OPERAND_MEMORY && place->number < OPERAND_NONE)
			why = NULL;
		else if (!count && ops == memory)
			why = "nothing calls the function, by the unwind information";
	}
	reading_end(&reading, &s->bytes);
	free(frame);
	return why;
}
