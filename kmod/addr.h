/* SPDX-License-Identifier: GPL-2.0-only */
/* The Ethernet addresses of a link's network device. */
#ifndef _XR_ADDR_H
#define _XR_ADDR_H

#include <linux/types.h>

struct bpf_map;
struct xr_link;

struct bpf_map *xr_addr_map(int fd);
void xr_addr_publish(struct xr_link *link);
bool xr_addr_ours(const struct xr_link *link, const void *frame);

#endif
