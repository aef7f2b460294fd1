/* SPDX-License-Identifier: GPL-2.0-only */
/* The way back to a peer whose frames have been deferred. */
#ifndef _XR_DEFER_WAY_H
#define _XR_DEFER_WAY_H

#include <linux/types.h>

#include "frame/batch.h"

/**
 * struct xr_defer_way - the way to the peer
 * @l2: Ethernet header of one of its frames
 * @l2_len: its length in bytes; 0: there was none
 */
struct xr_defer_way {
	u8 l2[XR_TX_L2_ROOM];
	u32 l2_len;
};

#endif
