/*
 * What is made from the tables of options and of keys: parts of the manual
 * page, the key table of README.md.
 */
#ifndef DOC_GEN_H
#define DOC_GEN_H

#include <stdio.h>

/* The manual page: `template`, with its lines @SYNOPSIS@, @VERBS@, @OPTIONS@, @SETTINGS@,
 * @STATES@, @KEYS@ and @FIELDS@ replaced.
 */
void gen_manual(FILE *template, FILE *out);

/* The keys as a table in Markdown. */
void gen_keys(FILE *out);

#endif
