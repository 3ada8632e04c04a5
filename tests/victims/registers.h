/* The probe `registers` and the check of all registers around its one site; see registers.c. */
#ifndef VICTIM_REGISTERS_H
#define VICTIM_REGISTERS_H

#include "record.h"

extern struct record registers_record;

/* 0 when every register kept its value across the site, 1 when one did not. */
int register_check(void) __attribute__((visibility("hidden")));

#endif
