/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asking the real responder: a queue pair, and a raw packet that writes by a key.
 * What becomes of it is seen in the map "qp" and in memory.
 */
#ifndef XROCE_PROBE_H
#define XROCE_PROBE_H

#include <stdbool.h>

#include <linux/types.h>

#include "libxroce.h"

#define PROBE_MAX	1024	/* bytes of a WRITE */

/**
 * struct probe - a queue pair that is ready to receive
 * @x: its owner
 * @qpn: its number
 * @sock: packet socket on the peer of LIVE_DEV
 * @qp_map: map "qp" of LIVE_DEV
 * @pattern: of the last WRITE
 */
struct probe {
	struct xroce *x;
	__u32 qpn;
	int sock;
	int qp_map;
	__u8 pattern;
};

/* A new one of a protection domain. Return: false and a failed check if not. */
bool probe_open(struct probe *p, struct xroce *x, __u32 pd);
void probe_close(struct probe *p);

/**
 * probe_write() - send an RDMA WRITE and wait for what becomes of it
 * @p: the queue pair; it is connected anew after a refusal
 * @rkey: R_Key
 * @va: address
 * @len: bytes, 1 to PROBE_MAX, of a pattern that differs from call to call
 *
 * Return: enum xroce_cause; 0: executed; -1 and a failed check: nothing.
 */
int probe_write(struct probe *p, __u32 rkey, __u64 va, __u32 len);

/* A WRITE is executed, and is to be seen at @at. */
void probe_lands(struct probe *p, __u32 rkey, __u64 va, __u32 len,
		 const void *at);

/* A WRITE of a byte is refused for @cause. */
void probe_refused(struct probe *p, __u32 rkey, __u64 va, int cause);

#endif /* XROCE_PROBE_H */
