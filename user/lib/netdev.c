// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The index of a netdev. if_nametoindex() is not used: for an unknown name it makes the kernel
 * try to load a module of this name, which starts a process and takes up to a second.
 */
#include <errno.h>
#include <string.h>

#include <linux/rtnetlink.h>
#include <net/if.h>

#include "netlink.h"

static int answered(const struct nlmsghdr *n, void *arg)
{
	const struct ifinfomsg *link = mnl_nlmsg_get_payload(n);
	__u32 *index = arg;

	if (n->nlmsg_type == RTM_NEWLINK && mnl_nlmsg_get_payload_len(n) >= sizeof(*link))
		*index = link->ifi_index;
	return MNL_CB_OK;
}

__u32 xroce_ifindex(const char *netdev)
{
	char buffer[XROCE_NETLINK_BYTES] __attribute__((aligned(4)));
	struct mnl_socket *s;
	__u32 index = 0;
	int err;

	if (!*netdev || strnlen(netdev, IFNAMSIZ) == IFNAMSIZ) {
		errno = ENODEV;
		return 0;
	}
	s = xroce_netlink_open();
	if (!s)
		return 0;
	xroce_netlink_request(buffer, RTM_GETLINK, sizeof(struct ifinfomsg));
	mnl_attr_put_strz((struct nlmsghdr *)buffer, IFLA_IFNAME, netdev);
	err = xroce_netlink_ask(s, buffer, answered, &index);
	mnl_socket_close(s);
	errno = err ? -err : ENODEV;
	return index;
}
