/* The verb info: one line a probe, in the form of ocaml-probes. Without states it has nothing to
 * say. */
#include "ui/cli/show.h"
#include "ui/cli/text.h"
#include "ui/cli/verbs.h"

int info_run(const struct options *o)
{
	static const struct show_style style = {.text = &text_info_ops, .states_needed = true};

	return show_run(o, &style);
}
