/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which queue pair is connected with which peer.
 *
 * A peer knows a queue pair by its address and by what its packets carry: the peer's own queue pair
 * number. Whoever connects a second queue pair with the same peer could speak as the first one. So
 * the owner that is connected first has the peer (the address and the queue pair number) until its
 * queue pair leaves the connected states. Consumers in the kernel, and callers that could send any
 * packet anyway (CAP_NET_ADMIN or CAP_NET_RAW in the network namespace of the link), get it all the
 * same: queue pairs of others move to ERR then, unless such a caller connected them.
 */
#ifndef _XR_QP_PEER_H
#define _XR_QP_PEER_H

#include <linux/types.h>

struct in6_addr;
struct xr_link;
struct xr_owner;
struct xr_peer;
struct xr_qp;

bool xr_peer_privileged(const struct xr_link *link, const struct xr_owner *caller);
void xr_peers_lock(void);
void xr_peers_unlock(void);
struct xr_peer *xr_peer_get(const struct xr_qp *qp, const struct in6_addr *addr, u32 qpn);
int xr_peer_clear(struct xr_peer *peer, const struct xr_qp *qp, bool privileged);
void xr_peer_set(struct xr_qp *qp, struct xr_peer *peer, bool privileged);
void xr_peer_put(struct xr_peer *peer);
void xr_peer_leave(struct xr_qp *qp);

#endif
