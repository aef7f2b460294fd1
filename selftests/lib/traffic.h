/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process that sends RDMA WRITEs at queue pairs as fast as it can, whatever
 * comes of them. Each carries the PSN that the map "qp" says is expected.
 */
#ifndef XROCE_TRAFFIC_H
#define XROCE_TRAFFIC_H

#include <stdbool.h>
#include <sys/types.h>

#include <linux/types.h>

#define TRAFFIC_TARGETS	8
#define TRAFFIC_BYTES	1000	/* payload of each packet */

/**
 * struct traffic - what to send; in memory that processes share
 * @sent: packets sent so far
 * @target: where to; those with number 0 are left out
 *
 * Written by anyone at any time: the sender takes what it finds.
 */
struct traffic {
	__u64 sent;
	struct traffic_target {
		__u32 qpn;
		__u32 rkey;
		__u64 iova;
	} target[TRAFFIC_TARGETS];
};

/* Shared memory, zeroed. */
struct traffic *traffic_new(void);

/**
 * traffic_start() - begin to send
 * @t: what
 * @from: network interface to send from
 * @dev: network device at the other end, whose link it is
 *
 * Return: the process, for traffic_stop().
 */
pid_t traffic_start(struct traffic *t, const char *from, const char *dev);
void traffic_stop(pid_t sender);

/* Wait until @n packets more have been sent. Return: whether they have. */
bool traffic_goes_on(struct traffic *t, __u64 n);

#endif /* XROCE_TRAFFIC_H */
