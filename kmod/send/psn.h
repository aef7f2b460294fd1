/* SPDX-License-Identifier: GPL-2.0-only */
/* Packet sequence numbers, on a circle of 2^24 (IBTA 9.7.2). */
#ifndef _XR_SEND_PSN_H
#define _XR_SEND_PSN_H

#include <linux/types.h>

#include "xroce_wire.h"

/* PSNs from @from to @psn on the circle of 2^24, where @psn is not before @from. */
static inline u32 xr_psn_distance(u32 psn, u32 from)
{
	return (psn - from) & XROCE_PSN_MASK;
}

static inline u32 xr_psn_add(u32 psn, u32 n)
{
	return (psn + n) & XROCE_PSN_MASK;
}

/* Distance of @a from @b, negative if it is before (IBTA 9.7.1): less than half the circle. */
static inline s32 xr_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

#endif
