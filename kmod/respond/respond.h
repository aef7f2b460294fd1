/* SPDX-License-Identifier: GPL-2.0-only */
/* The responses of a queue pair that wait to be sent: see respond/queue.h. */
#ifndef _XR_RESPOND_H
#define _XR_RESPOND_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/spinlock.h>

#include "frame/backoff.h"
#include "frame/batch.h"

#include "repeat.h"

struct xr_pace;
struct xr_response;

/**
 * struct xr_responses - responses that the module sends for a queue pair, in order
 * @lock: protects all fields; taken in softirq, and by processes with bottom halves off
 * @response: ring of XR_RESPONSE_MAX entries; NULL until the first response is queued
 * @head: position of the response that is being sent
 * @count: number of responses
 * @reads: number of READ responses among them
 * @failed: a response could not be built, so the queue pair has moved to ERR. xr_qp_fail()
 *	has yet to be called, after @lock is released: recv->lock is taken before @lock
 * @active: responses may be queued: since xr_responses_open(), until xr_responses_close()
 * @naks: NAKs instead of responses that could not be built
 * @backoff: when the device has no room, or memory is missing
 * @pace: pacing of READ responses; NULL: there was no congestion notification lately
 * @paced: they are paced, so the module sends all of them
 * @repeat: pacing of READ responses that are sent again
 * @l2: Ethernet header of all responses, with VLAN tags
 * @l2_len: its length in bytes
 * @cnp: a congestion notification waits to be sent, before all responses
 * @sack: a selective acknowledgement waits to be made and sent, likewise
 * @cnp_next: earliest time of the next congestion notification, nanoseconds of CLOCK_MONOTONIC
 * @batch: frames that are built but not sent, and counters of the frames sent
 * @armed: @tasklet is scheduled
 * @tasklet: sends the responses
 * @timer: schedules @tasklet again after the gap of @backoff, or when @pace or @repeat allows
 */
struct xr_responses {
	spinlock_t lock;
	struct xr_response *response;
	u32 head;
	u32 count;
	u32 reads;
	bool failed;
	bool active;
	u32 naks;
	struct xr_backoff backoff;
	struct xr_pace *pace;
	bool paced;
	struct xr_repeat repeat;
	u8 l2[XR_TX_L2_ROOM];
	u32 l2_len;
	bool cnp;
	bool sack;
	u64 cnp_next;
	struct xr_tx_batch batch;
	bool armed;
	struct tasklet_struct tasklet;
	struct hrtimer timer;
};

#endif
