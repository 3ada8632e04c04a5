/* What the victim with little room and its driver share. */
#ifndef STRESS_CROWD_H
#define STRESS_CROWD_H

#define CROWD_SITES 1024 /* of one name, each on a page of its own */
#define CROWD_PAGE 4096

#endif
