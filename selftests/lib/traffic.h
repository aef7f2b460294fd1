/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process that sends RDMA WRITEs to queue pairs as fast as it can, and ignores the
 * responses. Each packet has the expected PSN, read from the map "qp".
 */
#ifndef XROCE_TRAFFIC_H
#define XROCE_TRAFFIC_H

#include <stdbool.h>
#include <sys/types.h>

#include <linux/types.h>

#define TRAFFIC_TARGETS	8
#define TRAFFIC_BYTES	1000	/* payload of each packet */

/**
 * struct traffic - what to send, in shared memory
 * @sent: number of packets sent so far; the sender writes it
 * @target: where to send; entries whose qpn is 0 are skipped
 *
 * Tests change @target at any time without a lock. The sender may see a part of a change.
 */
struct traffic {
	__u64 sent;
	struct traffic_target {
		__u32 qpn;
		__u32 rkey;
		__u64 iova;
	} target[TRAFFIC_TARGETS];
};

/* Allocate it, zeroed, in shared memory. */
struct traffic *traffic_new(void);

/**
 * traffic_start() - start the sender
 * @t: what to send
 * @from: network device to send from
 * @dev: network device at the other end, with the link
 *
 * Return: the process, for traffic_stop().
 */
pid_t traffic_start(struct traffic *t, const char *from, const char *dev);
void traffic_stop(pid_t sender);

/* Wait until @n more packets have been sent. Return: whether they have. */
bool traffic_goes_on(struct traffic *t, __u64 n);

#endif /* XROCE_TRAFFIC_H */
