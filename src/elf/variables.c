#include "elf/variables.h"

#include "base/now.h"
#include "elf/location.h"

#include <ctype.h>
#include <dwarf.h>
#include <string.h>

#define VARIABLES_SCOPES 64              /* nested ones */
#define VARIABLES_SPACES 16              /* nested namespaces */
#define VARIABLES_TYPES 16               /* typedef of typedef of const ... */
#define VARIABLES_NS INT64_C(2000000000) /* for one search */

struct variables {
	Dwfl_Module *module;
	Dwarf_Addr pc, bias; /* address of libdwfl's = pc + bias */
	const struct operand_place *cfa;
	struct operand_place frame; /* base of the function's */
	bool framed;
	struct variables_wanted *wanted;
	size_t count;
	int64_t end; /* now_ns */
	bool late;
};

/*
 * The next entry of the same parent. An entry that is not behind this one would be a circle. libdw
 * may read all that is nested in an entry to find the next one.
 */
static bool variables_next(struct variables *v, Dwarf_Die *die)
{
	Dwarf_Die next;

	v->late = v->late || (int64_t)now_ns() > v->end;
	if (v->late || dwarf_siblingof(die, &next) != 0 ||
		dwarf_dieoffset(&next) <= dwarf_dieoffset(die))
		return false;
	*die = next;
	return true;
}

/* Bytes of a variable; 0: unknown. */
static unsigned variables_size(Dwarf_Die *variable)
{
	Dwarf_Die type = *variable;

	for (int i = 0; i < VARIABLES_TYPES; i++) {
		Dwarf_Attribute attribute;
		int bytes;

		if (!dwarf_attr_integrate(&type, DW_AT_type, &attribute) ||
			!dwarf_formref_die(&attribute, &type))
			return 0;
		switch (dwarf_tag(&type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			break;
		case DW_TAG_pointer_type:
		case DW_TAG_reference_type:
		case DW_TAG_rvalue_reference_type:
			return 8;
		default:
			bytes = dwarf_bytesize(&type);
			return bytes > 0 ? (unsigned)bytes : 0;
		}
	}
	return 0;
}

static bool variables_is_name(const char *name)
{
	size_t length = name ? strlen(name) : 0;

	if (!length || length >= VARIABLES_NAME || isdigit((unsigned char)*name))
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("_$.", *name) &&
			(unsigned char)*name < 0x80)
			return false;
	return true;
}

/* Does a symbol, as an operand names it, begin at an address of the file? */
static bool variables_is_symbol(
	const struct variables *v, int64_t at, const struct operand_place *operand)
{
	GElf_Off offset = 0;
	GElf_Sym symbol;
	const char *name;

	if (!operand->symbol || operand->value)
		return false;
	name = dwfl_module_addrinfo(
		v->module, (GElf_Addr)at + v->bias, &offset, &symbol, NULL, NULL, NULL);
	return name && !offset && strlen(name) == operand->symbol_length &&
	       !memcmp(name, operand->symbol, operand->symbol_length);
}

/* Compare a variable with all that is wanted. found: how many of this scope lie there. */
static void variables_compare(struct variables *v, Dwarf_Die *variable, unsigned char *found)
{
	struct operand_place place;
	const char *name = NULL;
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t length;
	unsigned size = 0;

	if (!dwarf_attr_integrate(variable, DW_AT_location, &attribute) ||
		dwarf_getlocation_addr(&attribute, v->pc, &ops, &length, 1) != 1 ||
		!location_place(ops, length, v->framed ? &v->frame : NULL, v->cfa, &place))
		return;
	for (size_t i = 0; i < v->count; i++) {
		struct variables_wanted *w = &v->wanted[i];
		bool there = place.number == OPERAND_NONE && place.what == OPERAND_MEMORY
				     ? variables_is_symbol(v, place.value, &w->place)
				     : location_is(&place, &w->place);

		if (!there)
			continue;
		if (!name) {
			name = dwarf_diename(variable);
			size = variables_size(variable);
		}
		if (!w->size || size != w->size)
			continue;
		found[i] = (unsigned char)(found[i] ? 2 : 1);
		snprintf(w->name, sizeof w->name, "%s",
			found[i] == 1 && variables_is_name(name) ? name : "");
	}
}

/* Is the address in its code? What has none of its own (the abstract form of a function) is not. */
static bool variables_has(struct variables *v, Dwarf_Die *scope)
{
	int tag = dwarf_tag(scope);

	return (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
		       tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
		       tag == DW_TAG_catch_block) &&
	       dwarf_haspc(scope, v->pc) > 0;
}

/*
 * Look at the variables of a scope, and find the scope inside that has the address. `globals`: of a
 * file or a namespace. False: there is none.
 */
static bool variables_scope(struct variables *v, Dwarf_Die *scope, bool globals, Dwarf_Die *inner)
{
	unsigned char found[PROBES_EVENT_ARGUMENTS] = {0};
	bool deeper = false, symbols = false;
	Dwarf_Die die;

	for (size_t i = 0; i < v->count; i++)
		symbols = symbols || v->wanted[i].place.symbol;
	if (dwarf_child(scope, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) {
			if (!globals || symbols)
				variables_compare(v, &die, found);
		} else if (!deeper && variables_has(v, &die)) {
			*inner = die;
			deeper = true;
		}
	} while (variables_next(v, &die));
	return deeper;
}

/* The function in a file or a namespace; its globals are compared on the way. */
static bool variables_function(
	struct variables *v, Dwarf_Die *space, unsigned depth, Dwarf_Die *function)
{
	Dwarf_Die die;

	if (variables_scope(v, space, true, function))
		return true;
	if (depth == VARIABLES_SPACES || dwarf_child(space, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);

		if ((tag == DW_TAG_namespace || tag == DW_TAG_module ||
			    tag == DW_TAG_structure_type || tag == DW_TAG_class_type) &&
			variables_function(v, &die, depth + 1, function))
			return true;
	} while (variables_next(v, &die));
	return false;
}

/* Does the unit describe itself? What a skeleton names, libdw would open. */
static bool variables_unit_is_whole(const Dwarf_Die *unit)
{
	uint8_t type = 0;

	return dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) == 0 &&
	       type == DW_UT_compile;
}

Dwarf_Die *variables_unit(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);

	if (unit)
		return variables_unit_is_whole(unit) ? unit : NULL;
	while ((unit = dwfl_module_nextcu(module, unit, bias)))
		if (variables_unit_is_whole(unit) && dwarf_haspc(unit, address - *bias) > 0)
			return unit;
	return NULL;
}

bool variables_find(Dwfl_Module *module, Dwarf_Addr address, const struct operand_place *cfa,
	struct variables_wanted *wanted, size_t count)
{
	struct variables v = {.module = module,
		.cfa = cfa,
		.wanted = wanted,
		.end = (int64_t)now_ns() + VARIABLES_NS};
	Dwarf_Die *unit = variables_unit(module, address, &v.bias), scope, inner;
	Dwarf_Attribute base;
	size_t length;
	Dwarf_Op *ops;

	v.count = count < PROBES_EVENT_ARGUMENTS ? count : PROBES_EVENT_ARGUMENTS;
	for (size_t i = 0; i < count; i++)
		wanted[i].name[0] = '\0';
	if (!unit)
		return true;
	v.pc = address - v.bias;
	if (!variables_function(&v, unit, 0, &scope))
		return !v.late;
	v.framed = dwarf_attr_integrate(&scope, DW_AT_frame_base, &base) &&
		   dwarf_getlocation_addr(&base, v.pc, &ops, &length, 1) == 1 &&
		   location_frame(ops, length, cfa, &v.frame);
	for (int i = 0; i < VARIABLES_SCOPES && variables_scope(&v, &scope, false, &inner); i++)
		scope = inner;
	for (size_t i = 0; v.late && i < count; i++)
		wanted[i].name[0] = '\0';
	return !v.late;
}
