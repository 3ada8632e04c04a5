/* The file that a measurement prints its result to: -output. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "ui/options/options.h"

/* Where the result goes: -output, else standard output, which belongs to a program started here.
 * NULL: it cannot be opened, which is reported. */
FILE *result_open(const struct options *o);

/* Has the file failed, or has whoever reads it (a pipe) gone? */
bool result_reader_gone(FILE *file);

/* Was all of it written? If not, report why. code: the errno of an earlier failure, or 0. Returns
 * the exit status. */
int result_written(FILE *file, const struct options *o, int code);

/* Close the file of -output. Returns `status`; if that is 0, what came of it. */
int result_close(FILE *file, const struct options *o, int status);
