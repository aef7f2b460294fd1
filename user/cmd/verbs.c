// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Verbs devices: RDMA devices that the module xroce_ib makes on links, by RDMA netlink. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <libmnl/libmnl.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <rdma/rdma_netlink.h>

#include "libxroce.h"
#include "message.h"
#include "verbs.h"

#define BYTES		8192		/* of a request, and of an answer */
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

/* Send a request and take the answer, which overwrites it. Return: 0, or the kernel's -errno. */
static int talk(struct mnl_socket *s, char *buffer)
{
	const struct nlmsghdr *n = (const struct nlmsghdr *)buffer;
	ssize_t bytes;

	if (mnl_socket_bind(s, 0, MNL_SOCKET_AUTOPID) ||
	    mnl_socket_sendto(s, n, n->nlmsg_len) < 0)
		return -errno;
	bytes = mnl_socket_recvfrom(s, buffer, BYTES);
	if (bytes < 0 || mnl_cb_run(buffer, bytes, 0, mnl_socket_get_portid(s), NULL, NULL) < 0)
		return -errno;
	return 0;
}

/* Return: 0 or -errno; -EPROTONOSUPPORT: the kernel has no RDMA. */
static int new_link(const char *dev, const char *name, const char *type)
{
	char buffer[BYTES] __attribute__((aligned(4)));
	struct nlmsghdr *n = mnl_nlmsg_put_header(buffer);
	struct mnl_socket *s;
	int err;

	if (strlen(dev) >= IF_NAMESIZE)
		return -ENODEV;
	n->nlmsg_type = NEWLINK;
	n->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	mnl_attr_put_strz(n, RDMA_NLDEV_ATTR_DEV_NAME, name);
	mnl_attr_put_strz(n, RDMA_NLDEV_ATTR_LINK_TYPE, type);
	mnl_attr_put_strz(n, RDMA_NLDEV_ATTR_NDEV_NAME, dev);
	s = mnl_socket_open2(NETLINK_RDMA, SOCK_CLOEXEC);
	if (!s)
		return -errno;
	err = talk(s, buffer);
	mnl_socket_close(s);
	return err;
}

static const struct reason reasons[] = {
	{ EPROTONOSUPPORT,
	  "the kernel has no RDMA, or its module ib_core is not installed" },
	{ ENFILE, "another RDMA device has this name; 'rdma dev show' lists them" },
	{ ENODEV, "the network device is gone" },
	{ EOPNOTSUPP, "a VLAN device: make the verbs device on the device below, which has its GIDs" },
	{ EUNATCH, "the network device has no link any more" },
	{ EPERM, "not permitted: CAP_NET_ADMIN is needed" },
	{}
};

int verbs_add(const char *dev, const char *name, enum xroce_provider provider)
{
	int err = new_link(dev, name, provider_link_type(provider));
	struct xroce_link_query q = {};

	if (!err) {
		provider_check(name, provider);
		return EXIT_OK;
	}
	/* For the kernel, a link type whose module it cannot load is a wrong argument. */
	if (err == -EINVAL && access("/sys/module/xroce_ib", F_OK))
		return fail("verbs %s: module xroce_ib is not loaded, and modprobe does not find it; install it, or load it with insmod",
			    name);
	if (err == -EEXIST && !xroce_link_find(dev, &q) && *q.verbs)
		return fail("verbs %s: dev %s has a verbs device, %.*s", name, dev,
			    (int)sizeof(q.verbs), q.verbs);
	return fail("verbs %s: on dev %s: %s", name, dev, reason(err, reasons));
}
