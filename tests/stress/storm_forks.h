/*
 * The children of the victim: born by fork at a steady pace, alive until they are gathered. It owns
 * their pids and the pipe that holds them; what a child does in the end is the caller's.
 */
#ifndef STRESS_STORM_FORKS_H
#define STRESS_STORM_FORKS_H

#define FORKS_MOST 256

/*
 * Carry out a line of the driver and answer it: "fork N US", "calm", "gather". `finally` is called
 * in each child before it ends, and gives its exit status. 0: the line is something else.
 */
int forks_obey(const char *line, int (*finally)(void));

#endif
