/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which CPU sends the packets of a queue pair. A device has a queue for each CPU, and packets of a
 * connection that were given to one queue could be overtaken by those in another (IBTA 9.7.3). So
 * the CPU that has given the last packets goes on, until they have left: xr_send::cpu. It is told
 * by an interrupt, which schedules the tasklet there.
 */
#ifndef _XR_SEND_STEER_H
#define _XR_SEND_STEER_H

#include <linux/smp.h>
#include <linux/types.h>

#include "qp/qp.h"

void xr_steer_init(struct xr_send *s);
void xr_steer_start(struct xr_send *s);
void xr_steer_sent(struct xr_send *s);
bool xr_steer_call(struct xr_qp *qp);
void xr_steer_close(struct xr_send *s);

/**
 * xr_steer_moves() - have the CPU go on that has sent what may be in a queue of the device
 * @qp: the queue pair, which has something to send; the lock of its send side is held
 *
 * In softirq, or with bottom halves off.
 *
 * Return: true: another CPU has been told to send; false: this CPU may.
 */
static inline bool xr_steer_moves(struct xr_qp *qp)
{
	return unlikely(qp->send.cpu != smp_processor_id()) && xr_steer_call(qp);
}

#endif
