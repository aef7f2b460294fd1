/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process that sends requests to a queue pair, one at a time, and repeats each until it
 * is answered. It compares responses and memory with a model. It runs beside a test that
 * does something to the link, to other links or to the machine; this may delay responses,
 * but must have no other effect.
 */
#ifndef XROCE_CHECKED_H
#define XROCE_CHECKED_H

#include <stdbool.h>
#include <sys/types.h>

#include <linux/types.h>

struct xroce;

/**
 * struct checked - the process, seen from the test
 * @pid: its process id
 * @seen: memory that it shares with the test
 */
struct checked {
	pid_t pid;
	struct checked_seen {
		__u64 done;	/* requests answered correctly */
		__u64 again;	/* retransmissions, as no response came in time */
		bool failed;
		bool ready;
		bool stop;
	} *seen;
};

/**
 * checked_start() - start the process
 * @c: out
 * @dev: device with the link; NULL: LIVE_DEV
 * @from: device at the other end; NULL: c0
 *
 * Return: whether it has started and some requests have been answered.
 */
bool checked_start(struct checked *c, const char *dev, const char *from);

/* Wait until @n more requests are answered. Return: whether they were, and correctly. */
bool checked_goes_on(struct checked *c, __u64 n);

/*
 * Stop the process, which closes its handle. The test fails if the process has seen an
 * error. Return: number of packets that it has sent, retransmissions included.
 */
__u64 checked_stop(struct checked *c);

#endif /* XROCE_CHECKED_H */
