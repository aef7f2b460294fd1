/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What a driver says that it can do for XDP. */
#ifndef _XROCE_XDPFEATURE_H
#define _XROCE_XDPFEATURE_H

#include <linux/types.h>

/* Bits of the kernel's enum netdev_xdp_act, which older headers lack. */
#define XDPFEATURE_BASIC	(1u << 0)	/* in the driver */
#define XDPFEATURE_HW_OFFLOAD	(1u << 4)
#define XDPFEATURE_RX_SG	(1u << 5)	/* frames of several buffers */

/**
 * xdpfeature_get() - ask the kernel, by generic netlink's family "netdev"
 * @ifindex: the device, in the caller's network namespace
 * @features: out: XDPFEATURE_* and others
 *
 * Return: 0 or a negative errno; -EOPNOTSUPP: the kernel does not say.
 */
int xdpfeature_get(__u32 ifindex, __u64 *features);

#endif /* _XROCE_XDPFEATURE_H */
