/* SPDX-License-Identifier: GPL-2.0-only */
/* The Ethernet addresses of a link's network device. */
#ifndef _XR_ADDR_H
#define _XR_ADDR_H

#include <linux/types.h>

struct bpf_map;
struct net_device;

struct bpf_map *xr_addr_map(int fd);
void xr_addr_publish(struct bpf_map *map, const struct net_device *dev);
bool xr_addr_local(const struct net_device *dev, const void *l3, u32 len);
bool xr_addr_ours(struct net_device *dev, const void *frame);

#endif
