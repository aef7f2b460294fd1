/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The requester of a queue pair (IBTA 9.7.3, 9.8): it sends what is posted to the send
 * queue (send/queue.h), in order, as the peer's responses (ack.c) allow.
 *
 * The system call that posts a work request sends its first packets, and the packet of a
 * response those that it allows. Packets beyond their budget are left to a tasklet, so that other
 * queue pairs are served, too.
 *
 * All PSNs before xr_send::una are acknowledged; those up to xr_send::psn are sent. After a NAK
 * xr_requester_rewind() goes back to xr_send::una, and all is sent again from there, since the peer
 * has discarded it. A READ is then requested from the first packet of the response that is missing.
 * Missing packets of a response whose later packets have arrived are requested by themselves, and a
 * silent peer is probed: resend.h. The local ACK timeout counts attempts, which end the connection
 * (IBTA 9.7.6.1.3), and sends a probe.
 *
 * A peer that has requests sent again, by NAKs or by silence, must not make this host busy, nor the
 * network. So each time the window is halved, to one packet by an RNR NAK; it grows by what is
 * acknowledged, up to what the path needs (rtt.h). So about as many packets are sent again as have
 * been acknowledged, and the window does not exceed what gets through between two losses.
 * After an RNR NAK, and while memory is brought in, the waits grow to a quarter of the time since
 * the last progress (xr_requester_pause()).
 *
 * On UC and UD nothing is acknowledged: a message is complete when it has been sent.
 */
#ifndef _XR_SEND_REQUESTER_H
#define _XR_SEND_REQUESTER_H

#include <linux/minmax.h>
#include <linux/types.h>

#include "psn.h"
#include "queue.h"
#include "trace.h"

struct xr_link;
struct xr_qp;

/* Packets per system call, packet or run of the tasklet. */
#define XR_REQUESTER_BUDGET	(2 * XR_TX_BATCH)

/* Initialises all but @s->lock, which is taken before: xr_qp_new(). */
void xr_requester_init(struct xr_send *s, struct xr_link *link, struct xr_qp *qp);
void xr_requester_posted(struct xr_qp *qp);
void xr_requester_kick(struct xr_qp *qp);

/* For posts, responses and changes of state. The lock of the send side is held. */
void xr_requester_arm(struct xr_send *s);
void xr_requester_idle(struct xr_send *s);
void xr_requester_show(struct xr_qp *qp);
void xr_requester_drop(struct xr_send *s);
void xr_requester_take(struct xr_send *s);
void xr_requester_fail(struct xr_qp *qp, u32 status);
void xr_requester_restart(struct xr_send *s);
void xr_requester_progress(struct xr_send *s, u32 packets);
void xr_requester_locals(struct xr_qp *qp);
void xr_requester_run(struct xr_qp *qp);
bool xr_requester_quiet(struct xr_qp *qp);

/* retry.c */
bool xr_requester_again(struct xr_qp *qp, enum xr_again why);
bool xr_requester_retries(struct xr_qp *qp, enum xr_again why);
void xr_requester_back(struct xr_qp *qp, u32 psn);
void xr_requester_rewind(struct xr_qp *qp);

/* wait.c */
void xr_requester_wait(struct xr_send *s, enum xr_send_wait wait, u64 ns);
void xr_requester_pause(struct xr_send *s, u64 ns);
void xr_requester_nap(struct xr_send *s, enum xr_send_wait wait);
void xr_requester_narrow(struct xr_qp *qp);

/*
 * True if the time that passes is none of the local ACK timeout: that of an RNR NAK, and that in
 * which the device has no room. While memory of the next request is brought in, those before may be
 * lost as ever.
 */
static inline bool xr_requester_excused(const struct xr_send *s)
{
	return s->wait == XR_WAIT_PEER || s->wait == XR_WAIT_DEVICE;
}

/* Of the timers of struct xr_send, without the lock: wait.c, silence.c */
enum hrtimer_restart xr_requester_wake(struct hrtimer *timer);
void xr_requester_timeout(struct timer_list *timer);
enum hrtimer_restart xr_requester_tick(struct hrtimer *timer);

#endif
