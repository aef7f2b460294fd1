/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames that the module sends itself, as many as go out together: see tx.h. */
#ifndef _XR_TX_BATCH_H
#define _XR_TX_BATCH_H

#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/percpu.h>
#include <linux/types.h>

#define XR_TX_L2_MAX	(ETH_HLEN + 2 * VLAN_HLEN)
/* Room for an Ethernet header, which is copied whole. */
#define XR_TX_L2_ROOM	24
#define XR_TX_BATCH	16

struct net_device;
struct xdp_frame;
struct xroce_stat;

/**
 * struct xr_tx_batch - frames that go out together
 * @dev: network device
 * @frame: those not taken by the device yet
 * @count: how many
 * @stat: counters of the link
 * @sent: frames that the device has taken, of all batches
 * @sent_bytes: their bytes
 * @lost: frames that it has not taken
 *
 * Counters are of the queue pair that the batch is of.
 */
struct xr_tx_batch {
	struct net_device *dev;
	struct xdp_frame *frame[XR_TX_BATCH];
	unsigned int count;
	struct xroce_stat __percpu *stat;
	u64 sent;
	u64 sent_bytes;
	u64 lost;
};

#endif
