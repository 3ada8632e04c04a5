/* Files that the screen writes: private, never over one that is there. */
#ifndef UI_TUI_VIEWS_SAVE_H
#define UI_TUI_VIEWS_SAVE_H

#include "ui/tui/app/app.h"

#include <stdio.h>

enum save_form { SAVE_TEXT, SAVE_CSV, SAVE_JSON };

/* A new file (0600) to be written; NULL: why not. */
FILE *save_open(const char *path, char *why, size_t size);
/* Close it; what could not be written is said: -1 and why. */
int save_close(FILE *out, char *why, size_t size);

/* What a file name's ending asks for. */
enum save_form save_form(const char *path);
/* The view in front, as it is shown: all of its lines, not only those on the screen. */
void save_view(struct app *a, enum save_form form, FILE *out);

#endif
