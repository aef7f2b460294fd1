// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The Ethernet address of a peer, or of the next hop to it: as the kernel would choose it for a
 * packet that leaves through the link's netdev.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>

#include "netlink.h"

/* The kernel asks three times, a second apart. */
#define POLL_US		10000
#define POLLS		320

#define NUD_VALID	(NUD_PERMANENT | NUD_NOARP | NUD_REACHABLE | NUD_PROBE | NUD_STALE | \
			 NUD_DELAY)

/* An IP address; @bytes is 4 or 16. */
struct address {
	__u8 family;
	__u8 bytes;
	__u8 of[16];
};

/**
 * struct lookup - the search for an Ethernet address
 * @s: socket
 * @ifindex: the netdev
 * @hop: the peer, or the next hop to it
 * @local: the peer is this machine
 * @reachable: there is a route to it
 * @found: @mac is the address
 * @mac: result
 * @buffer: request and answer
 */
struct lookup {
	struct mnl_socket *s;
	__u32 ifindex;
	struct address hop;
	bool local;
	bool reachable;
	bool found;
	__u8 *mac;
	char buffer[XROCE_NETLINK_BYTES] __attribute__((aligned(4)));
};

static struct address address_of(const __u8 gid[16])
{
	struct address a = { AF_INET6, 16 };

	memcpy(a.of, gid, 16);
	if (IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)a.of)) {
		a = (struct address){ AF_INET, 4 };
		memcpy(a.of, gid + 12, 4);
	}
	return a;
}

static void set_hop(struct lookup *l, __u8 family, const void *address, size_t bytes)
{
	if (bytes != (family == AF_INET ? 4 : 16))
		return;
	l->hop.family = family;
	l->hop.bytes = bytes;
	memcpy(l->hop.of, address, bytes);
}

static void set_mac(struct lookup *l, const struct nlattr *a)
{
	if (mnl_attr_get_payload_len(a) != 6)
		return;
	memcpy(l->mac, mnl_attr_get_payload(a), 6);
	l->found = true;
}

static int route_answered(const struct nlmsghdr *n, void *arg)
{
	const struct rtmsg *route = mnl_nlmsg_get_payload(n);
	const struct nlattr *a;
	struct lookup *l = arg;
	const struct rtvia *via;

	if (n->nlmsg_type != RTM_NEWROUTE || mnl_nlmsg_get_payload_len(n) < sizeof(*route))
		return MNL_CB_OK;
	l->local = route->rtm_type == RTN_LOCAL;
	l->reachable = l->local || route->rtm_type == RTN_UNICAST;
	mnl_attr_for_each(a, n, sizeof(*route)) {
		switch (mnl_attr_get_type(a)) {
		case RTA_GATEWAY:
			set_hop(l, route->rtm_family, mnl_attr_get_payload(a),
				mnl_attr_get_payload_len(a));
			break;
		case RTA_VIA:
			via = mnl_attr_get_payload(a);
			if (mnl_attr_get_payload_len(a) > sizeof(*via))
				set_hop(l, via->rtvia_family, via->rtvia_addr,
					mnl_attr_get_payload_len(a) - sizeof(*via));
			break;
		}
	}
	return MNL_CB_OK;
}

static int find_route(struct lookup *l)
{
	struct rtmsg *route = xroce_netlink_request(l->buffer, RTM_GETROUTE, sizeof(*route));
	struct nlmsghdr *n = (struct nlmsghdr *)l->buffer;
	int err;

	route->rtm_family = l->hop.family;
	route->rtm_dst_len = 8 * l->hop.bytes;
	mnl_attr_put(n, RTA_DST, l->hop.bytes, l->hop.of);
	mnl_attr_put_u32(n, RTA_OIF, l->ifindex);
	err = xroce_netlink_ask(l->s, l->buffer, route_answered, l);
	if (!err && !l->reachable)
		err = -ENETUNREACH;
	return err;
}

static int link_answered(const struct nlmsghdr *n, void *arg)
{
	const struct nlattr *a;

	if (n->nlmsg_type == RTM_NEWLINK)
		mnl_attr_for_each(a, n, sizeof(struct ifinfomsg))
			if (mnl_attr_get_type(a) == IFLA_ADDRESS)
				set_mac(arg, a);
	return MNL_CB_OK;
}

/* The address of the netdev itself. */
static int find_own(struct lookup *l)
{
	struct ifinfomsg *link = xroce_netlink_request(l->buffer, RTM_GETLINK, sizeof(*link));

	link->ifi_index = l->ifindex;
	return xroce_netlink_ask(l->s, l->buffer, link_answered, l);
}

static int neigh_answered(const struct nlmsghdr *n, void *arg)
{
	const struct ndmsg *neigh = mnl_nlmsg_get_payload(n);
	const struct nlattr *a;

	if (n->nlmsg_type != RTM_NEWNEIGH || mnl_nlmsg_get_payload_len(n) < sizeof(*neigh) ||
	    !(neigh->ndm_state & NUD_VALID))
		return MNL_CB_OK;
	mnl_attr_for_each(a, n, sizeof(*neigh))
		if (mnl_attr_get_type(a) == NDA_LLADDR)
			set_mac(arg, a);
	return MNL_CB_OK;
}

/* Return: 0, also if the kernel does not know it; or -errno. */
static int find_neigh(struct lookup *l)
{
	struct ndmsg *neigh = xroce_netlink_request(l->buffer, RTM_GETNEIGH, sizeof(*neigh));
	int err;

	neigh->ndm_family = l->hop.family;
	neigh->ndm_ifindex = l->ifindex;
	mnl_attr_put((struct nlmsghdr *)l->buffer, NDA_DST, l->hop.bytes, l->hop.of);
	err = xroce_netlink_ask(l->s, l->buffer, neigh_answered, l);
	return err == -ENOENT ? 0 : err;
}

/*
 * Make the kernel look for the next hop: send an empty datagram to the discard service (RFC 863).
 * Everybody may do that, while a request by netlink needs CAP_NET_ADMIN.
 */
static int prod(const struct lookup *l)
{
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} to;
	int fd = socket(l->hop.family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int ifindex = l->ifindex, err = 0;

	if (fd < 0)
		return -errno;
	memset(&to, 0, sizeof(to));
	to.any.sa_family = l->hop.family;
	if (l->hop.family == AF_INET) {
		to.in.sin_port = htons(9);
		memcpy(&to.in.sin_addr, l->hop.of, 4);
	} else {
		to.in6.sin6_port = htons(9);
		to.in6.sin6_scope_id = l->ifindex;
		memcpy(&to.in6.sin6_addr, l->hop.of, 16);
	}
	if (setsockopt(fd, SOL_SOCKET, SO_BINDTOIFINDEX, &ifindex, sizeof(ifindex)) ||
	    sendto(fd, NULL, 0, MSG_DONTWAIT, &to.any, sizeof(to)) < 0)
		err = -errno;
	close(fd);
	return err;
}

static int wait_for_neigh(struct lookup *l)
{
	int i, err = prod(l);

	for (i = 0; !err && !l->found && i < POLLS; i++) {
		usleep(POLL_US);
		err = find_neigh(l);
	}
	return err;
}

static int look_up(struct lookup *l)
{
	int err = find_route(l);

	if (err)
		return err;
	err = l->local ? find_own(l) : find_neigh(l);
	if (!err && !l->found && !l->local)
		err = wait_for_neigh(l);
	if (!err && !l->found)
		err = -EHOSTUNREACH;
	return err;
}

/* The index of the link's netdev, which must be in this network namespace. */
static int netdev_of(struct xroce *x, __u32 *ifindex)
{
	struct xroce_link_query q = { .size = sizeof(q), .link = x->link };
	struct stat ns;
	int err = xroce_command(x->fd, XROCE_CMD_LINK_QUERY, &q);

	if (err)
		return err;
	if (stat("/proc/self/ns/net", &ns))
		return -errno;
	if (q.flags & XROCE_F_DEAD || q.netns != ns.st_ino)
		return -ENODEV;
	*ifindex = q.ifindex;
	return 0;
}

int xroce_peer_mac(struct xroce *x, const __u8 dgid[16], __u8 mac[6])
{
	struct lookup l = { .hop = address_of(dgid), .mac = mac };
	int err = netdev_of(x, &l.ifindex);

	if (err)
		return err;
	l.s = xroce_netlink_open();
	if (!l.s)
		return -errno;
	err = look_up(&l);
	mnl_socket_close(l.s);
	return err;
}
