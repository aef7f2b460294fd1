/* SPDX-License-Identifier: GPL-2.0-only */
/* Verbs devices: making and removing them. */
#ifndef _XR_VERBS_DEVICE_H
#define _XR_VERBS_DEVICE_H

struct ib_client;
struct net_device;
struct rdma_link_ops;

extern struct ib_client xr_ib_client;
extern struct rdma_link_ops xr_ib_link_ops;
extern struct rdma_link_ops xr_ib_link_own_ops;

void xr_ibdev_netdev_gone(struct net_device *ndev);
void xr_ibdev_netdev_moved(struct net_device *ndev);
void xr_ibdev_netdev_changed(struct net_device *ndev);
void xr_ibdev_remove_all(void);

#endif
