/*
 * What the kernel says of the victim's uprobes: that it could not count one, or not remove it. It
 * never forgets such a uprobe, whatever memory looks like.
 */
#ifndef STRESS_KLOG_H
#define STRESS_KLOG_H

#include "truth.h"

/* From here on; false: its log cannot be read here. */
bool klog_begin(void);
/* A fault for each new line of that kind that is about this victim. */
void klog_check(const struct truth *t);

#endif
