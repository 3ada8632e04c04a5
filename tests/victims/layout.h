/*
 * Commands by which a victim makes its own mappings unusual, all while it runs:
 *   split: pages of its text and data get other rights, so that segments are several mappings
 *   gigatext: its text moves to anonymous memory at the same addresses; `gigatext all`: its headers
 * and constants, too; `gigatext part`: only these and the first page of its text
 *   share: its text is mapped shared, so that nobody but who may write its file can change it
 */
#ifndef VICTIM_LAYOUT_H
#define VICTIM_LAYOUT_H

/* 1 if understood. */
int layout_command(const char *line);

#endif
