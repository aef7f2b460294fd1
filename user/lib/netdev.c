// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The index of a netdev, and of its master. if_nametoindex() is not used: for an unknown name it
 * makes the kernel try to load a module of this name, which starts a process and takes up to a
 * second.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <linux/rtnetlink.h>
#include <net/if.h>

#include "netlink.h"

/**
 * struct answer - the answer to RTM_GETLINK
 * @index: index of the device; 0: no answer
 * @master: index of its master; 0: it has none
 */
struct answer {
	__u32 index;
	__u32 master;
};

static int attribute(const struct nlattr *attr, void *arg)
{
	struct answer *answer = arg;

	if (mnl_attr_get_type(attr) == IFLA_MASTER && !mnl_attr_validate(attr, MNL_TYPE_U32))
		answer->master = mnl_attr_get_u32(attr);
	return MNL_CB_OK;
}

static int answered(const struct nlmsghdr *n, void *arg)
{
	const struct ifinfomsg *link = mnl_nlmsg_get_payload(n);
	struct answer *answer = arg;

	if (n->nlmsg_type != RTM_NEWLINK || mnl_nlmsg_get_payload_len(n) < sizeof(*link))
		return MNL_CB_OK;
	answer->index = link->ifi_index;
	return mnl_attr_parse(n, sizeof(*link), attribute, answer);
}

/* Return: whether there was an answer; else errno is set. */
static bool ask(const char *netdev, struct answer *answer)
{
	char buffer[XROCE_NETLINK_BYTES] __attribute__((aligned(4)));
	struct mnl_socket *s;
	int err;

	*answer = (struct answer){};
	if (!*netdev || strnlen(netdev, IFNAMSIZ) == IFNAMSIZ) {
		errno = ENODEV;
		return false;
	}
	s = xroce_netlink_open();
	if (!s)
		return false;
	xroce_netlink_request(buffer, RTM_GETLINK, sizeof(struct ifinfomsg));
	mnl_attr_put_strz((struct nlmsghdr *)buffer, IFLA_IFNAME, netdev);
	err = xroce_netlink_ask(s, buffer, answered, answer);
	mnl_socket_close(s);
	errno = err ? -err : ENODEV;
	return answer->index;
}

__u32 xroce_ifindex(const char *netdev)
{
	struct answer answer;

	return ask(netdev, &answer) ? answer.index : 0;
}

__u32 xroce_master(const char *netdev)
{
	struct answer answer;

	return ask(netdev, &answer) ? answer.master : 0;
}

int xroce_link_next(struct xroce_link_query *q, bool all)
{
	__u32 number = q->size ? q->link + 1 : 0;
	struct stat ns;
	int err;

	if (stat("/proc/self/ns/net", &ns))
		return -errno;
	for (;; number = q->link + 1) {
		memset(q, 0, sizeof(*q));
		q->flags = XROCE_F_NEXT;
		q->link = number;
		err = xroce_link_query(q);
		if (err)
			return err;
		if (all || (!(q->flags & XROCE_F_DEAD) && q->netns == ns.st_ino))
			return 0;
	}
}
