/*
 * From the live values of a probe to its state. The first that applies:
 *
 *     unreadable    a site or a semaphore could not be read
 *     foreign       another tool has changed a site
 *     partial       some sites are on, others off
 *     inconsistent  a site is on and its semaphore 0, or the other way round
 *     partial       some semaphores are 0, others not
 *     no switch     it has no semaphore, and its sites have no switch
 *     on            a semaphore is > 0, or (without semaphores) the sites are on
 *     off
 */
#pragma once

#include "probe/object_probes.h"

/*
 * Judge one probe by the bytes and counts that a reader stored in its object, and store the result
 * there. Code and semaphores are two reads: the caller confirms an inconsistent probe by reading it
 * once more.
 */
void state_judge(struct object_probes *h, size_t local);
