// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Verbs devices: RDMA devices that the module xroce_ib makes on links, by RDMA netlink. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/netlink.h>
#include <net/if.h>
#include <rdma/rdma_netlink.h>

#include "libxroce.h"
#include "message.h"
#include "verbs.h"

#define LINK_TYPE	"xroce"		/* MODULE_ALIAS_RDMA_LINK() of xroce_ib */
#define NEWLINK		RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_NEWLINK)

/* The kernel's names of RDMA devices, without those that rdma(8) or sysfs take otherwise. */
static bool parse_name(const char *text, void *to)
{
	size_t len = strlen(text), i;

	if (!isalpha((unsigned char)*text) || len >= VERBS_NAME_MAX)
		return false;
	for (i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("._-", text[i]))
			return false;
	memcpy(to, text, len + 1);
	return true;
}

const struct arg_type verbs_arg_name = {
	"1 to 63 letters, digits, dots, underscores and hyphens, beginning with a letter",
	parse_name
};

/* A request, with room for three attributes. */
struct request {
	struct nlmsghdr n;
	char attrs[3 * NLA_HDRLEN + VERBS_NAME_MAX + NLA_ALIGN(sizeof(LINK_TYPE)) +
		   NLA_ALIGN(IF_NAMESIZE)];
};

static void put_text(struct request *r, __u16 type, const char *text)
{
	struct nlattr *a = (struct nlattr *)((char *)r + r->n.nlmsg_len);
	size_t len = strlen(text) + 1;

	a->nla_type = type;
	a->nla_len = NLA_HDRLEN + len;
	memcpy(a + 1, text, len);
	r->n.nlmsg_len += NLA_ALIGN(a->nla_len);
}

/* Return: 0, or the kernel's negative errno. */
static int talk(int fd, const struct request *r)
{
	struct {
		struct nlmsghdr n;
		struct nlmsgerr e;
	} answer;
	ssize_t n;

	if (send(fd, r, r->n.nlmsg_len, 0) < 0)
		return -errno;
	/* The rest, which is a copy of the request, is cut off. */
	n = recv(fd, &answer, sizeof(answer), 0);
	if (n < 0)
		return -errno;
	if (n < (ssize_t)sizeof(answer) || answer.n.nlmsg_type != NLMSG_ERROR)
		return -EPROTO;
	return answer.e.error;
}

/* Return: 0 or -errno; -EPROTONOSUPPORT: the kernel has no RDMA. */
static int new_link(const char *dev, const char *name)
{
	struct request r = {
		.n.nlmsg_len = NLMSG_HDRLEN,
		.n.nlmsg_type = NEWLINK,
		.n.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
	};
	int fd, err;

	if (strlen(dev) >= IF_NAMESIZE)
		return -ENODEV;
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	if (fd < 0)
		return -errno;
	put_text(&r, RDMA_NLDEV_ATTR_DEV_NAME, name);
	put_text(&r, RDMA_NLDEV_ATTR_LINK_TYPE, LINK_TYPE);
	put_text(&r, RDMA_NLDEV_ATTR_NDEV_NAME, dev);
	err = talk(fd, &r);
	close(fd);
	return err;
}

static const struct reason reasons[] = {
	{ EPROTONOSUPPORT,
	  "the kernel has no RDMA, or its module ib_core is not installed" },
	{ ENFILE, "another RDMA device has this name; 'rdma dev show' lists them" },
	{ ENODEV, "the network device is gone" },
	{ EUNATCH, "the network device has no link any more" },
	{ EPERM, "not permitted: CAP_NET_ADMIN is needed" },
	{}
};

int verbs_add(const char *dev, const char *name)
{
	struct xroce_link_query q = {};
	int err = new_link(dev, name);

	if (!err)
		return EXIT_OK;
	/* For the kernel, a link type whose module it cannot load is a wrong argument. */
	if (err == -EINVAL && access("/sys/module/xroce_ib", F_OK))
		return fail("verbs %s: module xroce_ib is not loaded, and modprobe does not find it; install it, or load it with insmod",
			    name);
	if (err == -EEXIST && !xroce_link_find(dev, &q) && *q.verbs)
		return fail("verbs %s: dev %s has a verbs device, %.*s", name, dev,
			    (int)sizeof(q.verbs), q.verbs);
	return fail("verbs %s: on dev %s: %s", name, dev, reason(err, reasons));
}
