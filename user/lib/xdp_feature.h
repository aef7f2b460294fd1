/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The XDP features that a driver reports. */
#ifndef _LIBXROCE_XDP_FEATURE_H
#define _LIBXROCE_XDP_FEATURE_H

#include <linux/types.h>

#include "priv.h"

/* Bits of the kernel's enum netdev_xdp_act, which older headers lack. */
#define XROCE_XDP_BASIC		(1u << 0)	/* native XDP */
#define XROCE_XDP_NDO_XMIT	(1u << 2)	/* takes frames of others; veth: its peer does */
#define XROCE_XDP_HW_OFFLOAD	(1u << 4)
#define XROCE_XDP_RX_SG		(1u << 5)	/* frames of several buffers */

/* Bit of the kernel's enum netdev_xdp_rx_metadata: a program can ask for the VLAN tag. */
#define XROCE_XDPHINT_VLAN_TAG	(1u << 2)

/**
 * struct xroce_xdpfeatures - XDP features of a driver
 * @features: XROCE_XDP_* and others
 * @hints: XROCE_XDPHINT_* and others
 */
struct xroce_xdpfeatures {
	__u64 features;
	__u64 hints;
};

/**
 * xroce_xdpfeature() - query XDP features by the generic netlink family "netdev"
 * @ifindex: index of the device, in the caller's network namespace
 * @has: out
 *
 * Return: 0 or a negative errno; -EOPNOTSUPP: the kernel does not report them.
 */
XROCE_HIDDEN int xroce_xdpfeature(__u32 ifindex, struct xroce_xdpfeatures *has);

#endif /* _LIBXROCE_XDP_FEATURE_H */
