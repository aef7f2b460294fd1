/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Queue pairs follow a peer, or the next hop to it, that gets another Ethernet address; and it is
 * told which of them may exceed the MTU of the network device.
 */
#ifndef _XR_QP_FOLLOW_H
#define _XR_QP_FOLLOW_H

#include <linux/types.h>

struct xr_path_change;
struct xr_qp;

void xr_follow(u32 link, const struct xr_path_change *change);
bool xr_follow_known(const struct xr_qp *qp);

#endif
