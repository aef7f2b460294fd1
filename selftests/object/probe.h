/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes of the real responder: a queue pair, and a raw WRITE packet with a given key. The
 * outcome is read from the map "qp" and from memory.
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
 * @pattern: payload pattern of the last WRITE
 */
struct probe {
	struct xroce *x;
	__u32 qpn;
	int sock;
	int qp_map;
	__u8 pattern;
};

/* Make a queue pair in a protection domain. Return: false, with a failed check, on error. */
bool probe_open(struct probe *p, struct xroce *x, __u32 pd);
void probe_close(struct probe *p);

/**
 * probe_write() - send an RDMA WRITE and wait for its outcome
 * @p: the queue pair; it is connected again after a refusal
 * @rkey: R_Key
 * @va: address
 * @len: bytes, 1 to PROBE_MAX; the pattern differs from call to call
 *
 * Return: enum xroce_cause of a refusal; 0: executed; -1, with a failed check: no outcome.
 */
int probe_write(struct probe *p, __u32 rkey, __u64 va, __u32 len);

/* Check that a WRITE is executed and its bytes are at @at. */
void probe_lands(struct probe *p, __u32 rkey, __u64 va, __u32 len,
		 const void *at);

/* Check that a WRITE of one byte is refused for @cause. */
void probe_refused(struct probe *p, __u32 rkey, __u64 va, int cause);

#endif /* XROCE_PROBE_H */
