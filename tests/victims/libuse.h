/*
 * How a loop victim uses libvictim: linked, or (LIBUSE_DLOPEN) opened by the command `load PATH`
 * and closed by `unload`; then `occupy` maps other memory in its place and `touched` tells whether
 * anybody has written there. While no library is there, these do nothing.
 */
#ifndef VICTIM_LIBUSE_H
#define VICTIM_LIBUSE_H

void libuse_round(long n);
void libuse_report(void);
int libuse_command(const char *line);

#endif
