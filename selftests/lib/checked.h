/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process that makes requests of a queue pair, one at a time and again until it
 * is answered, and compares what it finds and what memory holds with a model. It
 * runs beside a test that does something to the link, to other links, or to the
 * machine: that may delay an answer, and nothing more.
 */
#ifndef XROCE_CHECKED_H
#define XROCE_CHECKED_H

#include <stdbool.h>
#include <sys/types.h>

#include <linux/types.h>

struct xroce;

/**
 * struct checked - the process, seen from the test
 * @pid: its number
 * @seen: what both of them know
 */
struct checked {
	pid_t pid;
	struct checked_seen {
		__u64 done;	/* requests answered, and found to be right */
		__u64 again;	/* sent once more, as no answer came in time */
		bool failed;
		bool ready;
		bool stop;
	} *seen;
};

/**
 * checked_start() - begin
 * @c: out
 * @dev: device with the link; NULL: LIVE_DEV
 * @from: device at the other end; NULL: c0
 *
 * Return: whether it has begun, and some requests have been answered.
 */
bool checked_start(struct checked *c, const char *dev, const char *from);

/* Wait until @n more are answered. Return: whether they were, and all is right. */
bool checked_goes_on(struct checked *c, __u64 n);

/*
 * It gives all back and ends; a failed check when it has seen something wrong. Return:
 * how many packets it has sent: one for each request, each time.
 */
__u64 checked_stop(struct checked *c);

#endif /* XROCE_CHECKED_H */
