/* SPDX-License-Identifier: GPL-2.0-only */
/* IP addresses of this machine, and the network device to which the stack gives a frame. */
#ifndef _XR_IP_H
#define _XR_IP_H

#include <linux/types.h>

struct in6_addr;
struct net_device;

#define XR_ADDR_ANY_VLAN	0u	/* of xr_addr_has_ip(): in any VLAN or none */

struct net_device *xr_addr_upper(struct net_device *dev, u32 tag);
u64 xr_addr_group(struct net_device *dev, const void *frame, u32 l3, u32 tag);
bool xr_addr_local(struct net_device *dev, const void *frame, u32 l3, u32 len);
bool xr_addr_has_ip(struct net_device *dev, const struct in6_addr *ip, u16 vlan);

#endif
