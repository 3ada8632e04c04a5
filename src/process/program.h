/* Which file a program's name means, and what a script is run by. Starts nothing. */
#pragma once

#include "probes.h"

/*
 * The file of a program: `file` itself if it contains a slash, else that file in the current
 * directory, else in PATH. *path is never without a slash; the caller frees it. Status
 * PROBES_NO_TARGET: there is none; the error names the directories.
 */
int program_find(const char *file, char **path, struct probes_error *e);

/* Does the file begin as an ELF file does? It may still be damaged, or for another machine. */
bool program_is_elf(const char *path);

#define PROGRAM_LINE 256 /* BINPRM_BUF_SIZE: what the kernel reads of a script's first line */

/*
 * The program that a script's first line names: its interpreter, or where that is env, the name
 * that env looks up in PATH ("#!/usr/bin/env -S python3 -u"). `head` is its beginning. Returns the
 * name's length in `name`, 0: no script, or it names none. Source: fs/binfmt_script.c, env(1).
 */
size_t program_interpreter(const char *head, size_t size, char name[PROGRAM_LINE]);
