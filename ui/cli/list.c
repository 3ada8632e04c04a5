/* The verb list: every probe with its sites and semaphores; with -prog from the file alone. */
#include "ui/cli/show.h"
#include "ui/cli/text.h"
#include "ui/cli/verbs.h"

int list_run(const struct options *o)
{
	static const struct show_style style = {.text = &text_ops};

	return show_run(o, &style);
}
