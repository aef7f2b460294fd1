/* SPDX-License-Identifier: GPL-2.0-only */
/* A queue pair's responses that wait to be sent: see response.h. */
#ifndef _XR_QP_RESPONSE_H
#define _XR_QP_RESPONSE_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/spinlock.h>

#include "tx_batch.h"

struct xr_response;

/**
 * struct xr_responses - the queue of a queue pair
 * @lock: for all of it; taken in softirq, by processes with bottom halves off
 * @response: a ring; NULL until the first one is queued
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
struct xr_responses {
	spinlock_t lock;
	struct xr_response *response;
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

#endif
