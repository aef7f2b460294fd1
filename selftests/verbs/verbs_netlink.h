/* SPDX-License-Identifier: GPL-2.0-only */
/* "rdma link add" and "rdma link delete" in this process, whose allocations a test can fail. */
#ifndef XROCE_VERBS_NETLINK_H
#define XROCE_VERBS_NETLINK_H

/* Make a verbs device of xroce on a netdev of namespace xr. Return: 0 or a negative errno. */
int verbs_netlink_add(const char *name, const char *netdev);

/* Delete it. Return: 0 or a negative errno. */
int verbs_netlink_delete(const char *name);

#endif /* XROCE_VERBS_NETLINK_H */
