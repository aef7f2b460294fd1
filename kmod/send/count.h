/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of a requester, in struct xroce_qp. */
#ifndef _XR_SEND_COUNT_H
#define _XR_SEND_COUNT_H

#include <linux/compiler.h>
#include <linux/types.h>

/*
 * Add to a counter, which readers of the map may load at any time. The lock of the send side is
 * held, so nobody else adds.
 */
static inline void xr_requester_count(u64 *counter, u64 n)
{
	WRITE_ONCE(*counter, *counter + n);
}

#endif
