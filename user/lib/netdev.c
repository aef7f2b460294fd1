// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The index of a netdev. if_nametoindex() is not used: for an unknown name it makes the kernel
 * try to load a module of this name, which starts a process and takes up to a second.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include "priv.h"

struct request {
	struct nlmsghdr head;
	struct ifinfomsg link;
	struct rtattr name;
	char bytes[IFNAMSIZ];
};

/* RTM_GETLINK by name. Return: index, or -errno. */
static int ask(int fd, const char *netdev)
{
	size_t len = strnlen(netdev, IFNAMSIZ);
	struct request r = {
		.head.nlmsg_len = sizeof(r),
		.head.nlmsg_type = RTM_GETLINK,
		.head.nlmsg_flags = NLM_F_REQUEST,
		.name.rta_len = sizeof(r.name) + IFNAMSIZ,
		.name.rta_type = IFLA_IFNAME,
	};
	struct {
		struct nlmsghdr head;
		union {
			struct ifinfomsg link;
			struct nlmsgerr error;
		};
	} answer;
	ssize_t n;

	if (!len || len == IFNAMSIZ)
		return -ENODEV;
	memcpy(r.bytes, netdev, len);
	if (send(fd, &r, sizeof(r), 0) < 0)
		return -errno;
	/* The rest of the message, its attributes, is cut off. */
	n = recv(fd, &answer, sizeof(answer), 0);
	if (n < 0)
		return -errno;
	if (n >= (ssize_t)(sizeof(answer.head) + sizeof(answer.link)) &&
	    answer.head.nlmsg_type == RTM_NEWLINK)
		return answer.link.ifi_index;
	return -ENODEV;
}

__u32 xroce_ifindex(const char *netdev)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	int ret;

	if (fd < 0)
		return 0;
	ret = ask(fd, netdev);
	close(fd);
	if (ret > 0)
		return ret;
	errno = -ret;
	return 0;
}
