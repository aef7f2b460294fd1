/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* VLAN tags that a device takes out of frames before XDP sees them. */
#ifndef _LIBXROCE_VLAN_H
#define _LIBXROCE_VLAN_H

#include <linux/types.h>
#include <stdbool.h>

#include "priv.h"

/* Name of the device's driver; "unknown". */
XROCE_HIDDEN const char *xroce_driver(const char *netdev, char driver[32]);

/*
 * Does the device take tags out of frames? veth never has them in the frame, but where
 * the sender's tx-vlan-offload is off.
 */
XROCE_HIDDEN bool xroce_vlan_stripped(const char *netdev);

/* Can a program in the driver ask for the tag? */
XROCE_HIDDEN bool xroce_vlan_told(__u32 ifindex);

#endif /* _LIBXROCE_VLAN_H */
