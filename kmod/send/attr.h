/* SPDX-License-Identifier: GPL-2.0-only */
/* Attributes of a requester. */
#ifndef _XR_SEND_ATTR_H
#define _XR_SEND_ATTR_H

#include <linux/if_ether.h>
#include <linux/types.h>

/**
 * struct xr_send_attr - attributes of a requester (IBTA 11.2.4.2)
 * @dmac: Ethernet address of the peer, or of the next hop
 * @vlan: VLAN id; 0xffff: no tag
 * @prio: priority in the tag
 * @flow: flow label of IPv6, 20 bits
 * @psn: PSN of the first request
 * @timeout: code of the local ACK timeout, 0 to 31; 0: none
 * @retry: times that requests are sent again without progress, 0 to 7
 * @rnr_retry: likewise after RNR NAKs; 7: without end
 * @max_rd_atomic: what xr_send::reads may be at most, 0 to 128
 */
struct xr_send_attr {
	u8 dmac[ETH_ALEN];
	u16 vlan;
	u8 prio;
	u32 flow;
	u32 psn;
	u8 timeout;
	u8 retry;
	u8 rnr_retry;
	u8 max_rd_atomic;
};

#endif
