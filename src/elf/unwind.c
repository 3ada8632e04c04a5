#include "elf/unwind.h"

#include "elf/location.h"
#include "elf/reading.h"
#include "elf/section.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#define UNWIND_THREAD 1 /* the number of the only thread that libdwfl gets to know */
#define UNWIND_LARGEST ((uint64_t)64 << 20) /* stack */

/* DWARF's number of rbp: System V ABI, AMD64 supplement, figure 3.36. */
#define UNWIND_POINTER 6

void unwind_framed(int fd, const char *name, const uint64_t *addresses, size_t count, bool *framed)
{
	struct probes_error ignored;
	struct reading reading;
	Dwarf_CFI *table;
	Elf64_Ehdr header;
	Elf *elf;

	memset(framed, 0, count * sizeof *framed);
	elf = section_begin(fd, &header, name, &ignored);
	if (!elf)
		return;
	reading_begin(&reading);
	table = section_check_table(fd, &header, name, &ignored) == 0 ? dwarf_getcfi_elf(elf)
								      : NULL;
	for (size_t i = 0; table && i < count; i++) {
		Dwarf_Frame *frame = NULL;
		Dwarf_Op *ops = NULL;
		size_t length = 0;

		if (dwarf_cfi_addrframe(table, addresses[i], &frame) == 0 &&
			dwarf_frame_cfa(frame, &ops, &length) == 0 && length == 1)
			framed[i] = (ops->atom == DW_OP_bregx && ops->number == UNWIND_POINTER) ||
				    ops->atom == DW_OP_breg0 + UNWIND_POINTER;
		free(frame);
	}
	if (table)
		dwarf_cfi_end(table);
	elf_end(elf);
	reading_end(&reading, NULL);
}

/* What libdwfl keeps with one of its modules. */
struct unwind_module {
	struct unwind *u;
	void *object;
	struct unwind_module *next;
};

struct unwind {
	Dwfl *dwfl;
	struct unwind_module *modules;
	Elf64_Ehdr header; /* of no file: tells libdwfl the machine, before any object is open */
	Elf *machine;
	unwind_open_fn *open;
	void *data;
	size_t bytes; /* that it takes: struct reading */
	/* While it unwinds: */
	const struct unwind_stack *stack;
	uint64_t *callers;
	size_t count, most;
	bool inside; /* the code of the site itself was passed */
	bool failed; /* libdwfl could not read something; it may take that for the end */
	bool beyond; /* behind the end of the copy, where the stack may go on */
	const char *why;
};

static int unwind_find_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
	char **file_name, Elf **elf)
{
	const struct unwind_module *m = *userdata;

	return m->object ? m->u->open(m->u->data, m->object) : -1;
}

/* The tables are in the object itself. */
static int unwind_find_debuginfo(Dwfl_Module *module, void **userdata, const char *name,
	Dwarf_Addr base, const char *file, const char *link, GElf_Word crc, char **found)
{
	return -1;
}

static pid_t unwind_next_thread(Dwfl *dwfl, void *u, void **thread)
{
	pid_t next = *thread ? 0 : UNWIND_THREAD;

	*thread = u;
	return next;
}

static bool unwind_get_thread(Dwfl *dwfl, pid_t tid, void *u, void **thread)
{
	*thread = u;
	return tid == UNWIND_THREAD;
}

static bool unwind_read_memory(Dwfl *dwfl, Dwarf_Addr at, Dwarf_Word *value, void *data)
{
	struct unwind *u = data;
	uint64_t offset = at - u->stack->start;

	if (offset < u->stack->size && u->stack->size - offset >= sizeof *value) {
		memcpy(value, u->stack->bytes + offset, sizeof *value);
		return true;
	}
	u->failed = true;
	u->beyond = u->beyond || offset < UNWIND_LARGEST;
	return false;
}

static bool unwind_set_registers(Dwfl_Thread *thread, void *data)
{
	const struct unwind *u = data;
	Dwarf_Word all[LOCATION_GENERAL + 1]; /* the last one is the return address */

	for (unsigned i = 0; i < LOCATION_GENERAL; i++)
		all[i] = u->stack->general[location_general(i)];
	all[LOCATION_GENERAL] = u->stack->code;
	return dwfl_thread_state_registers(thread, 0, LOCATION_GENERAL + 1, all);
}

static const Dwfl_Callbacks unwind_callbacks = {.find_elf = unwind_find_elf,
	.find_debuginfo = unwind_find_debuginfo,
	.section_address = dwfl_offline_section_address};

static const Dwfl_Thread_Callbacks unwind_threads = {.next_thread = unwind_next_thread,
	.get_thread = unwind_get_thread,
	.memory_read = unwind_read_memory,
	.set_initial_registers = unwind_set_registers};

struct unwind *unwind_new(unwind_open_fn *open, void *data)
{
	struct unwind *u = calloc(1, sizeof *u);

	if (!u)
		return NULL;
	u->open = open;
	u->data = data;
	u->header = (Elf64_Ehdr){.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof u->header};
	memcpy(u->header.e_ident, ELFMAG, SELFMAG);
	u->header.e_ident[EI_CLASS] = ELFCLASS64;
	u->header.e_ident[EI_DATA] = ELFDATA2LSB;
	u->header.e_ident[EI_VERSION] = EV_CURRENT;
	u->machine = elf_memory((char *)&u->header, sizeof u->header);
	u->dwfl = u->machine ? dwfl_begin(&unwind_callbacks) : NULL;
	if (u->dwfl && dwfl_attach_state(u->dwfl, u->machine, UNWIND_THREAD, &unwind_threads, u)) {
		dwfl_report_begin(u->dwfl);
		return u;
	}
	unwind_free(u);
	return NULL;
}

void unwind_free(struct unwind *u)
{
	if (!u)
		return;
	dwfl_end(u->dwfl);
	elf_end(u->machine);
	reading_release(u->bytes);
	while (u->modules) {
		struct unwind_module *next = u->modules->next;

		free(u->modules);
		u->modules = next;
	}
	free(u);
}

void unwind_map(struct unwind *u, void *object, uint64_t start, uint64_t end)
{
	struct unwind_module *m = malloc(sizeof *m);
	Dwfl_Module *module = m ? dwfl_report_module(u->dwfl, "code", start, end) : NULL;
	void **userdata;

	if (!module) {
		free(m);
		return;
	}
	*m = (struct unwind_module){.u = u, .object = object, .next = u->modules};
	u->modules = m;
	(void)dwfl_module_info(module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = m;
}

void unwind_map_end(struct unwind *u)
{
	(void)dwfl_report_end(u->dwfl, NULL, NULL);
}

static int unwind_frame(Dwfl_Frame *frame, void *data)
{
	struct unwind *u = data;
	Dwarf_Addr code;

	if (!dwfl_frame_pc(frame, &code, NULL))
		return DWARF_CB_ABORT;
	if (!u->inside) {
		u->inside = true;
		return DWARF_CB_OK;
	}
	/* Frame pointers may be anything, in code that uses the register otherwise. */
	if (!dwfl_addrmodule(u->dwfl, code - 1))
		return DWARF_CB_ABORT;
	if (u->count == u->most) {
		u->why = "they have more functions than are kept";
		return DWARF_CB_ABORT;
	}
	u->callers[u->count++] = code;
	return DWARF_CB_OK;
}

size_t unwind_callers(struct unwind *u, const struct unwind_stack *stack, uint64_t *callers,
	size_t most, const char **why)
{
	struct reading reading;
	int r;

	u->stack = stack;
	u->callers = callers;
	u->count = 0;
	u->most = most;
	u->inside = u->failed = u->beyond = false;
	u->why = NULL;
	reading_begin(&reading);
	r = dwfl_getthread_frames(u->dwfl, UNWIND_THREAD, unwind_frame, u);
	reading_end(&reading, &u->bytes);
	if ((r != 0 || u->failed) && !u->why)
		u->why = u->beyond ? stack->why_short
			 : u->failed
				 ? "the rest is on another stack, or there is no unwind information"
				 : "there is no unwind information";
	*why = u->why;
	return u->count;
}
