/*
 * The protocol by which a test drives a victim: lines on stdin, lines on stdout, no timing. It
 * knows nothing of probes. README.md describes the protocol.
 */
#ifndef VICTIM_DRIVE_H
#define VICTIM_DRIVE_H

struct drive_ops {
	/* Pass every site once; n counts the rounds of the calling thread from 1. */
	void (*round)(long n);
	/* Print one line for each probe. */
	void (*report)(void);
	/* Print what happened since the last step; may be NULL. */
	void (*events)(void);
	/* A line that the driver does not know; 1 if understood. May be NULL. */
	int (*command)(const char *line);
};

/* Read the options, print `ready PID`, obey until `quit` or the end of stdin; the exit status. */
int drive(int argc, char **argv, const struct drive_ops *ops);

#endif
