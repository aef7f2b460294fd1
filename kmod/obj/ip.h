/* SPDX-License-Identifier: GPL-2.0-only */
/* IP addresses of this machine, and the network device to which the stack gives a frame. */
#ifndef _XR_IP_H
#define _XR_IP_H

#include <linux/types.h>

struct in6_addr;
struct net_device;

#define XR_IP_ANY_VLAN	0u	/* of xr_ip_has(): in any VLAN or none */

struct net_device *xr_ip_upper(struct net_device *dev, u32 tag);
u64 xr_ip_group(struct net_device *dev, const void *frame, u32 l3, u32 tag);
bool xr_ip_local(struct net_device *dev, const void *frame, u32 l3, u32 len);
bool xr_ip_has(struct net_device *dev, const struct in6_addr *ip, u16 vlan);

#endif
