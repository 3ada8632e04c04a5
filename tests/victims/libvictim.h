/* What libvictim.so exports. */
#ifndef VICTIM_LIBVICTIM_H
#define VICTIM_LIBVICTIM_H

#include "record.h"

struct libvictim {
	void (*round)(long n);
	struct record *const *records;
	size_t count;
};

const struct libvictim *libvictim(void);

#endif
