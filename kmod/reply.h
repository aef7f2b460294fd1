/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replies that wait to be sent, a queue for each queue pair.
 *
 * The XDP program queues them under the queue pair's claim, so in order. A tasklet
 * sends them: a few packets a run, so that others get their turn, and a device
 * without room is tried again later. While anything waits the map says so
 * (xroce_qp::queued), and the program answers nothing itself.
 *
 * What the program has answered itself leaves the driver no sooner than the end
 * of its poll. What is queued behind it must not go before: so a tasklet, which
 * runs on the CPU that polls, after the poll. A work item would run where its
 * last run has not ended yet. And it is told only once to run: told again
 * while it starts, it would find what came since.
 */
#ifndef _XR_REPLY_H
#define _XR_REPLY_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/spinlock.h>

#include "xroce_kfunc.h"

#include "tx.h"

struct xr_link;
struct xr_qp;

/* READs and atomics that may be outstanding, and acknowledgements between. */
#define XR_REPLY_MAX	256

/**
 * struct xr_reply - a reply, and how far it has got
 * @psn: of the next packet
 * @msn: message sequence number
 * @key: READ: R_Key
 * @left: READ: bytes to send
 * @va: READ: next byte
 * @result: atomic: what was there
 * @opcode: XROCE_RC_ACK, XROCE_RC_ATOMIC_ACK, XROCE_RC_READ_RESPONSE_ONLY
 * @syndrome: of XROCE_RC_ACK
 * @begun: its first packet has been sent
 */
struct xr_reply {
	u32 psn;
	u32 msn;
	u32 key;
	u32 left;
	u64 va;
	u64 result;
	u8 opcode;
	u8 syndrome;
	bool begun;
};

/**
 * struct xr_replies - the queue of a queue pair
 * @lock: for all of it; taken in softirq, by processes with bottom halves off
 * @reply: a ring; NULL until the first one is queued
 * @head: place of the one being sent
 * @count: how many there are
 * @reads: READs among them
 * @failed: one could not be built, which has ended the queue pair; not said to its receive
 *	queue yet, whose lock comes before this one
 * @dead: the queue pair is being destroyed, or reset: nothing is queued
 * @naps: times in a row that the device had no room
 * @gap: nanoseconds between batches; 0: none
 * @l2: Ethernet header of all of them
 * @l2_len: its length
 * @cnp: a congestion notification is to be sent; before all others
 * @cnp_next: when there may be another one, nanoseconds of CLOCK_MONOTONIC
 * @batch: frames built but not sent, and counters of those that were
 * @armed: @tasklet is to run
 * @tasklet: sends
 * @timer: after @gap, has @tasklet run again
 */
struct xr_replies {
	spinlock_t lock;
	struct xr_reply *reply;
	u32 head;
	u32 count;
	u32 reads;
	bool failed;
	bool dead;
	u32 naps;
	u64 gap;
	u8 l2[XR_TX_L2_ROOM];
	u32 l2_len;
	bool cnp;
	u64 cnp_next;
	struct xr_tx_batch batch;
	bool armed;
	struct tasklet_struct tasklet;
	struct hrtimer timer;
};

void xr_replies_init(struct xr_replies *rs, struct xroce_stat __percpu *stat);
void xr_replies_open(struct xr_replies *rs);
void xr_replies_reset(struct xr_replies *rs);
void xr_replies_close(struct xr_qp *qp);
void xr_replies_free(struct xr_replies *rs);
int xr_reply_queue(struct xr_qp *qp, const struct xroce_reply *r,
		   const void *l2, u32 l2_len, bool must);
void xr_reply_frame(struct xr_qp *qp, struct xdp_frame *frame);
void xr_reply_rnr(struct xr_qp *qp, const void *l2, u32 l2_len, u32 psn,
		  u32 msn);
void xr_replies_start(struct xr_qp *qp, const void *l2, u32 l2_len);

#endif
