/* The help text, made from the tables of options.h. */
#ifndef UI_USAGE_H
#define UI_USAGE_H

#include <stdio.h>

#include "ui/options.h"

/* All of it for VERB_SCREEN, else one verb's. */
void usage_print(FILE *out, enum verb verb);

#endif
