/* SPDX-License-Identifier: GPL-2.0-only */
/* The send side of a queue pair: see send/queue.h and send/requester.h. */
#ifndef _XR_SEND_H
#define _XR_SEND_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/types.h>

#include "frame/backoff.h"
#include "frame/batch.h"
#include "obj/ring.h"
#include "own/event.h"

#include "arrived.h"
#include "attr.h"
#include "cc.h"
#include "keeps.h"
#include "rtt.h"

struct xr_cq;
struct xr_qp;
struct xr_swqe;

/* Work requests that are begun and not completed. */
#define XR_SEND_BEGUN	256u

/**
 * enum xr_send_state - what the send side of a queue pair does
 * @XR_SEND_IDLE: nothing is sent: before RTS, and in ERR
 * @XR_SEND_RUNNING: in RTS, requests are sent
 * @XR_SEND_DRAINING: in SQD, messages that have been begun are sent to their end
 * @XR_SEND_DYING: the queue pair is being destroyed: tasklet and timers do nothing, and nothing
 *	schedules them
 *
 *            start               drain
 *   IDLE ------------> RUNNING --------> DRAINING
 *    ^                    |    <--------    |
 *    |                    |      start      |
 *    +--------------------+-----------------+       any of them ------> DYING
 *    stop, reset, quit, a failure                               close
 *
 * The words are functions of state.h: xr_send_start(), and so on.
 */
enum xr_send_state {
	XR_SEND_IDLE,
	XR_SEND_RUNNING,
	XR_SEND_DRAINING,
	XR_SEND_DYING,
};

/**
 * enum xr_send_wait - what a send side waits for; meanwhile nothing is sent
 * @XR_WAIT_NONE: it does not wait
 * @XR_WAIT_PEER: the time of an RNR NAK, or local memory for the peer's response
 * @XR_WAIT_PACE: the rate: what it allows has been sent
 * @XR_WAIT_DEVICE: room in the device, or memory for frames
 * @XR_WAIT_MEMORY: on-demand memory of the next work request. The time that the peer has to
 *	acknowledge what was sent before goes on
 */
enum xr_send_wait {
	XR_WAIT_NONE,
	XR_WAIT_PEER,
	XR_WAIT_PACE,
	XR_WAIT_DEVICE,
	XR_WAIT_MEMORY,
};

/**
 * struct xr_send_fits - packets whose headers differ only in the PSN, and in what follows the BTH
 * @opcode: opcode without the service; XR_SEND_FITS_NONE: there are no such packets
 * @len: bytes of payload
 * @udp_len: bytes from the UDP header on
 */
struct xr_send_fits {
	u8 opcode;
	u32 len;
	u32 udp_len;
};

/* xr_send_fits::opcode of no packet: it has bits of a service, which are 0 in the others. */
#define XR_SEND_FITS_NONE	0xff

/**
 * struct xr_send_icrc - invariant CRCs of packets whose bytes up to the PSN hardly differ
 * @read: of a READ request with zeros from the PSN on
 * @swap: of a CMP_SWAP, likewise
 * @add: of a FETCH_ADD, likewise
 * @ack: of an acknowledgement of the peer over IPv4: see xr_icrc_expected()
 * @result: of an atomic acknowledgement, likewise
 *
 * @ack and @result are also read without the lock. A response whose CRC is not the value that was
 * read is judged by the program as any other packet, so an old value costs time and nothing else.
 * After a change of the peer's address in SQD both are old until the queue pair is in RTS.
 */
struct xr_send_icrc {
	u32 read;
	u32 swap;
	u32 add;
	u32 ack;
	u32 result;
};

/**
 * struct xr_send - the send side of a queue pair
 * @lock: all fields are written under it, but @posted (@post_lock) and @calls (atomic). Read
 *	without it are @head (by xr_send_slot_at() of a consumer in the kernel), @listens (by
 *	xr_cnp_queue()), @icrc (by xr_ack_checked()), @executed and @ring (by xr_post_poll()), and
 *	@attr (by commands). Taken in softirq, and by processes with bottom halves off
 * @wqes: struct xr_swqe, @have + 1 entries of @stride bytes; NULL: none can be posted
 * @mask: number of entries of the front end's ring - 1
 * @have: number of entries - 1; less than @mask until so many have been used at a time
 * @stride: size of an entry in bytes
 * @max_sge: elements in an entry
 * @max_data: bytes of inline data in an entry
 * @consumer: index in the program's ring up to which entries may be overwritten
 * @consumer_mask: the bits of @head that are written to it
 * @cq: completion queue
 * @signal_all: all work requests make completions
 * @by_kernel: a consumer in the kernel posts, to @posted
 * @posted: index of the next one that a consumer in the kernel posts. @tail follows it
 * @post_lock: protects @posted and the entries from @tail to it; taken with interrupts off, and
 *	no lock under it
 * @state: what it does. XR_SEND_DYING is written under @lock and @post_lock, and read under one of
 *	them
 * @notify: raise @drained once nothing is outstanding
 * @head: index of the oldest work request that is not completed. @head, @next and @tail count all
 *	work requests
 * @next: index of the work request that is sent next
 * @tail: index of the next one to be posted
 * @off: bytes of the work request at @next that have been sent
 * @una: oldest PSN that is not acknowledged
 * @psn: PSN of the next packet
 * @top: PSN after the last one that has been used. Beyond @psn if packets are sent again
 * @extra: PSNs between @una and @psn that belong to responses only
 * @reads: requests outstanding whose response is more than an acknowledgement: parts of READs,
 *	atomics, ATOMIC WRITE, FLUSH
 * @window: request packets that may be outstanding now, 1 to xr_cc::window
 * @silent: packets since the last one that asked for a response
 * @owed: one of the @silent packets should be acknowledged soon, as a completion depends on it: the
 *	last packet that can be sent asks for a response
 * @force: ask for an acknowledgement of each packet
 * @wait: what it waits for; the wait ends when @pace expires
 * @retries: times that requests were sent again since the last progress
 * @rnr_retries: likewise after RNR NAKs
 * @since: when the first wait since the last progress began, in nanoseconds of CLOCK_MONOTONIC;
 *	0: there was none
 * @backoff: time between attempts to send, while the device has no room or memory is missing
 * @nap_since: when the first of @backoff.fails attempts failed because on-demand memory was not
 *	resident, or because the packet exceeds the MTU of the device, in nanoseconds of
 *	CLOCK_MONOTONIC; 0: none did
 * @attr: attributes
 * @nak: PSN of the last NAK behind a hole
 * @keeps: whether the peer keeps requests behind a hole
 * @trial: XR_KEEPS_TRIAL: the PSN after the request that was sent again as the trial
 * @trial_reads: XR_KEEPS_TRIAL: that request is a READ or atomic
 * @paths: number of UDP source ports that requests may be divided among, see paths.h
 * @tried: @psn when xr_paths_try() last exchanged the order of two packets
 * @asks: packets ask the peer for selective acknowledgements (XROCE_BTH_SACK)
 * @sacked: the peer has sent a selective acknowledgement
 * @discards: NAKs for sequence errors while @keeps is XR_KEEPS_NOT, XR_SEND_DISCARDS + 1 at most
 * @score: what has arrived out of order
 * @rtt: round-trip time
 * @cc: congestion control: the window that the path needs
 * @listens: the algorithm of @cc hears of congestion marks. xr_request_ecn() writes it, and @ecn
 * @ecn: xr_request_ecn() has set the ECN bits of xroce_qp::tos for that algorithm
 * @tick: judges holes and probes, while anything is outstanding
 * @ticking: @tick is queued, or its function runs
 * @heard: number of responses that the module has taken
 * @heard_then: the sum of @heard and xroce_qp::req_stale at @heard_at
 * @heard_at: when xr_resend_watch() started @tick, or xr_resend_overdue() last looked for responses
 *	that had come since, in nanoseconds of CLOCK_MONOTONIC
 * @probes: times that @tick found nothing new, XR_PROBE_DOUBLE at most
 * @probe: packets to be sent as probes, XR_PROBE_*
 * @stale: xroce_qp::req_stale at the last local ACK timeout
 * @spared: times that the timeout was extended since the last progress
 * @ticks: the local ACK timeout in jiffies; 0: none
 * @deadline: when the local ACK timeout ends, in jiffies
 * @timer: notices @deadline; expires more often, so that progress need not restart it
 * @pace: expires after an RNR NAK's time, or when the device may have room again
 * @tasklet: sends what exceeds the budget of a system call or packet; flushes
 * @cpu: CPU that sent the last packets. While they may be in its queue of the device, no other CPU
 *	sends: its queue is another one, and might be faster
 * @sent: UC: when @cpu sent them, in jiffies
 * @called: @cpu has been told to send, and has not done so yet
 * @calls: number of calls by @call that are about to begin or have not ended; xr_steer_close()
 *	waits until it is 0. Atomic, under no lock
 * @call: schedules @tasklet on @cpu
 * @batch: frames that are built but not sent
 * @header: Ethernet to base transport header of all requests, with the lengths and opcode of @fits
 * @l2_len: bytes of the Ethernet header in it
 * @header_len: bytes of all headers in @header
 * @ipv6: the IP header is IPv6
 * @fits: packets that @header fits, most often also the next one
 * @icrc: RC: invariant CRCs that belong to @header
 * @drained: XROCE_EVENT_SQ_DRAINED
 * @ring: of a queue pair of /dev/xroce: the program's ring. See send/ring.h
 * @ring_stride: bytes of an entry of it
 * @poll: xr_post_poll(), which executes the binds and invalidations in @ring before a packet is
 *	judged; NULL: there is no ring
 * @executed: index in @ring. The binds and invalidations before it have been executed, unless they
 *	wait for a work request before them
 * @rest: the function by which the tasklet executes binds and invalidations that @poll has left;
 *	NULL: it has left none
 * @rest_end: index in @ring up to which @rest executes them
 *
 * @wqes to @by_kernel do not change while the queue pair exists, except that xr_send_close() clears
 * @consumer, and xr_send_grow() replaces @wqes, both under @lock. Programs post under @lock, and
 * increment @tail.
 */
struct xr_send {
	spinlock_t lock;
	void *wqes;
	u32 mask;
	u32 have;
	u32 stride;
	u32 max_sge;
	u32 max_data;
	u32 *consumer;
	u32 consumer_mask;
	struct xr_cq *cq;
	bool signal_all;
	bool by_kernel;
	u32 posted;
	raw_spinlock_t post_lock;
	enum xr_send_state state;
	bool notify;
	u32 head;
	u32 next;
	u32 tail;
	u32 off;
	u32 una;
	u32 psn;
	u32 top;
	u32 extra;
	u32 reads;
	u32 window;
	u32 silent;
	bool owed;
	bool force;
	enum xr_send_wait wait;
	u8 retries;
	u8 rnr_retries;
	u64 since;
	struct xr_backoff backoff;
	u64 nap_since;
	struct xr_send_attr attr;
	u32 nak;
	enum xr_keeps keeps;
	u32 trial;
	bool trial_reads;
	u32 paths;
	u32 tried;
	bool asks;
	bool sacked;
	u8 discards;
	struct xr_score score;
	struct xr_rtt rtt;
	struct xr_cc cc;
	bool listens;
	bool ecn;
	struct hrtimer tick;
	bool ticking;
	u32 heard;
	u32 heard_then;
	u64 heard_at;
	u8 probes;
	u8 probe;
	u8 spared;
	u32 stale;
	unsigned long ticks;
	unsigned long deadline;
	struct timer_list timer;
	struct hrtimer pace;
	struct tasklet_struct tasklet;
	int cpu;
	unsigned long sent;
	bool called;
	atomic_t calls;
	call_single_data_t call;
	struct xr_tx_batch batch;
	u8 header[XR_TX_L2_MAX + 40 + 8 + 12] __aligned(4);
	u32 l2_len;
	u32 header_len;
	bool ipv6;
	struct xr_send_fits fits;
	struct xr_send_icrc icrc;
	struct xr_event drained;
	struct xr_ring ring;
	u32 ring_stride;
	int (*poll)(struct xr_qp *qp);
	u32 executed;
	void (*rest)(struct xr_qp *qp);
	u32 rest_end;
};

/* True if nothing is sent though the rate would allow it. */
static inline bool xr_send_waits(const struct xr_send *s)
{
	return s->wait && s->wait != XR_WAIT_PACE;
}

/* True if requests are sent. */
static inline bool xr_send_active(const struct xr_send *s)
{
	return s->state == XR_SEND_RUNNING || s->state == XR_SEND_DRAINING;
}

#endif
