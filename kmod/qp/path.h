/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The network around connections changes: what has changed is noted here, and a work item tells
 * the queue pairs (follow.h).
 */
#ifndef _XR_QP_PATH_H
#define _XR_QP_PATH_H

#include <linux/types.h>

struct xr_link;

/**
 * struct xr_path_change - what may have changed for the queue pairs of a link
 * @moved: the Ethernet address of a peer, or of the next hop to it
 * @silent: the same, and nothing will tell: a peer has not answered
 * @mtu: the MTU of the network device
 */
struct xr_path_change {
	bool moved;
	bool silent;
	bool mtu;
};

int xr_path_init(void (*look)(u32 link, const struct xr_path_change *change));
void xr_path_exit(void);
void xr_path_silent(const struct xr_link *link);

#endif
