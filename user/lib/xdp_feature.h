/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What a driver says that it can do for XDP. */
#ifndef _LIBXROCE_XDP_FEATURE_H
#define _LIBXROCE_XDP_FEATURE_H

#include <linux/types.h>

#include "priv.h"

/* Bits of the kernel's enum netdev_xdp_act, which older headers lack. */
#define XROCE_XDP_BASIC		(1u << 0)	/* in the driver */
#define XROCE_XDP_HW_OFFLOAD	(1u << 4)
#define XROCE_XDP_RX_SG		(1u << 5)	/* frames of several buffers */

/* A bit of its enum netdev_xdp_rx_metadata: a program can ask for the VLAN tag. */
#define XROCE_XDPHINT_VLAN_TAG	(1u << 2)

/**
 * struct xroce_xdpfeatures - what a driver can do
 * @features: XROCE_XDP_* and others
 * @hints: XROCE_XDPHINT_* and others
 */
struct xroce_xdpfeatures {
	__u64 features;
	__u64 hints;
};

/**
 * xroce_xdpfeature() - ask the kernel, by generic netlink's family "netdev"
 * @ifindex: the device, in the caller's network namespace
 * @has: filled in
 *
 * Return: 0 or a negative errno; -EOPNOTSUPP: the kernel does not say.
 */
XROCE_HIDDEN int xroce_xdpfeature(__u32 ifindex, struct xroce_xdpfeatures *has);

#endif /* _LIBXROCE_XDP_FEATURE_H */
