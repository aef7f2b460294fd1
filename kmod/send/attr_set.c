// SPDX-License-Identifier: GPL-2.0-only
/* Attributes of a requester, and the length of its local ACK timeout. */
#include <linux/jiffies.h>
#include <linux/minmax.h>

#include "xroce_map.h"
#include "xroce_wire.h"

#include "qp/qp.h"

#include "attr_set.h"

/* Greatest values of attributes: a code of 5 bits, and counts of 3 bits. */
#define XR_TIMEOUT_MAX		31
#define XR_RETRY_MAX		7

/* 4.096 microseconds times 2 to the code, at least two ticks (IBTA 9.7.6.1.3). */
static unsigned long xr_send_ticks(u8 code)
{
	return code ? max(nsecs_to_jiffies(4096ull << code), 1ul) + 1 : 0;
}

/* True if the values of @a are possible. The address and the tag of the peer are the caller's. */
bool xr_send_attr_ok(const struct xr_send_attr *a)
{
	return a->psn <= XROCE_PSN_MASK && a->timeout <= XR_TIMEOUT_MAX &&
	       a->retry <= XR_RETRY_MAX && a->rnr_retry <= XR_RETRY_MAX &&
	       a->max_rd_atomic <= XROCE_RD_MAX;
}

/**
 * xr_send_set() - set attributes
 * @qp: the queue pair, before RTS or in SQD
 * @attr: all of them
 */
void xr_send_set(struct xr_qp *qp, const struct xr_send_attr *attr)
{
	struct xr_send *s = &qp->send;

	spin_lock_bh(&s->lock);
	s->attr = *attr;
	s->ticks = xr_send_ticks(attr->timeout);
	spin_unlock_bh(&s->lock);
}
