#include "probe/kind.h"

/* A kind that accepts any provider comes last. */
const struct kind_ops *const kind_table[] = {
	[PROBES_OCAML] = &ocaml_ops,
	[PROBES_SDT] = &sdt_ops,
};

const struct kind_provider *kind_provider(const char *name)
{
	const struct kind_provider *found = NULL;

	for (size_t i = 0; !found && i < sizeof kind_table / sizeof *kind_table; i++)
		found = kind_table[i]->provider(name);
	return found;
}

const char *probes_kind_name(enum probes_kind kind)
{
	return kind_table[kind]->name;
}

const char *probes_kind_about(const struct probes_probe *probe)
{
	return kind_of(probe)->about(probe);
}
