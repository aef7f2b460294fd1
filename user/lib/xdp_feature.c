// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The XDP features that a driver reports. libbpf 1.1 cannot query them. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>

#include "xdp_feature.h"

/* From uapi/linux/netdev.h of the kernel, which is newer than some headers. */
#define NETDEV_GET		1	/* NETDEV_CMD_DEV_GET */
#define NETDEV_IFINDEX		1	/* NETDEV_A_DEV_IFINDEX */
#define NETDEV_XDP_FEATURES	3	/* NETDEV_A_DEV_XDP_FEATURES */
#define NETDEV_XDP_HINTS	5	/* NETDEV_A_DEV_XDP_RX_METADATA_FEATURES */

/* A request with one attribute, or a reply. */
struct message {
	struct nlmsghdr n;
	struct genlmsghdr g;
	char attrs[4096];
};

/* Send a request in @m and receive the reply into it. Return: 0 or -errno. */
static int talk(int fd, struct message *m, __u16 type, __u16 attr,
		const void *value, __u16 len)
{
	struct nlattr *a = (struct nlattr *)m->attrs;
	struct nlmsgerr *error;
	ssize_t n;

	m->n.nlmsg_type = type;
	m->n.nlmsg_flags = NLM_F_REQUEST;
	m->n.nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN + NLA_HDRLEN +
			 NLA_ALIGN(len);
	a->nla_type = attr;
	a->nla_len = NLA_HDRLEN + len;
	memcpy(a + 1, value, len);
	if (send(fd, m, m->n.nlmsg_len, 0) < 0)
		return -errno;
	n = recv(fd, m, sizeof(*m), 0);
	if (n < 0)
		return -errno;
	if (n < NLMSG_HDRLEN || m->n.nlmsg_len > n)
		return -EPROTO;
	if (m->n.nlmsg_type != NLMSG_ERROR)
		return n < (ssize_t)offsetof(struct message, attrs) ? -EPROTO : 0;
	error = NLMSG_DATA(&m->n);
	return n < (ssize_t)NLMSG_LENGTH(sizeof(*error)) || !error->error ?
	       -EPROTO : error->error;
}

/* Copy an attribute of a reply. Return: 0 or -ENOENT. */
static int attribute(const struct message *m, __u16 type, void *to, size_t size)
{
	size_t left = m->n.nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN, step;
	const char *p = m->attrs;
	const struct nlattr *a;

	for (; left >= NLA_HDRLEN; p += step, left -= step) {
		a = (const struct nlattr *)p;
		if (a->nla_len < NLA_HDRLEN || a->nla_len > left)
			break;
		if ((a->nla_type & NLA_TYPE_MASK) == type &&
		    a->nla_len >= NLA_HDRLEN + size) {
			memcpy(to, a + 1, size);
			return 0;
		}
		step = NLA_ALIGN(a->nla_len);
		if (step > left)
			break;
	}
	return -ENOENT;
}

static int ask(int fd, __u32 ifindex, struct xroce_xdpfeatures *has)
{
	struct message m = { .g.cmd = CTRL_CMD_GETFAMILY, .g.version = 1 };
	__u16 family;
	int err;

	err = talk(fd, &m, GENL_ID_CTRL, CTRL_ATTR_FAMILY_NAME, "netdev",
		   sizeof("netdev"));
	if (!err)
		err = attribute(&m, CTRL_ATTR_FAMILY_ID, &family,
				sizeof(family));
	if (err)
		return err == -ENOENT ? -EOPNOTSUPP : err;
	memset(&m, 0, sizeof(m));
	m.g.cmd = NETDEV_GET;
	m.g.version = 1;
	err = talk(fd, &m, family, NETDEV_IFINDEX, &ifindex, sizeof(ifindex));
	if (!err)
		err = attribute(&m, NETDEV_XDP_FEATURES, &has->features,
				sizeof(has->features));
	if (!err && attribute(&m, NETDEV_XDP_HINTS, &has->hints, sizeof(has->hints)))
		has->hints = 0;
	return err == -ENOENT ? -EOPNOTSUPP : err;
}

int xroce_xdpfeature(__u32 ifindex, struct xroce_xdpfeatures *has)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	int err;

	if (fd < 0)
		return -errno;
	err = ask(fd, ifindex, has);
	close(fd);
	return err;
}
