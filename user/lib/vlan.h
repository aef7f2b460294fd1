/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Drivers that remove VLAN tags from frames before XDP sees them. */
#ifndef _LIBXROCE_VLAN_H
#define _LIBXROCE_VLAN_H

#include <linux/types.h>
#include <stdbool.h>

#include "priv.h"

/* Name of the device's driver, or "unknown". Return: @driver. */
XROCE_HIDDEN const char *xroce_driver(const char *netdev, char driver[32]);

/*
 * True if the device removes VLAN tags from frames. So it is for veth, whose frames contain the
 * tag only if the sender's tx-vlan-offload is off.
 */
XROCE_HIDDEN bool xroce_vlan_stripped(const char *netdev);

/* True if an XDP program can ask the driver for the VLAN tag. */
XROCE_HIDDEN bool xroce_vlan_told(__u32 ifindex);

#endif /* _LIBXROCE_VLAN_H */
