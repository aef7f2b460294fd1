// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Asking the kernel by rtnetlink(7): the socket, a request, its answer. */
#include <errno.h>
#include <sys/socket.h>

#include <linux/netlink.h>

#include "netlink.h"

struct mnl_socket *xroce_netlink_open(void)
{
	struct mnl_socket *s = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);

	if (s && mnl_socket_bind(s, 0, MNL_SOCKET_AUTOPID)) {
		mnl_socket_close(s);
		s = NULL;
	}
	return s;
}

void *xroce_netlink_request(void *buffer, __u16 type, size_t bytes)
{
	struct nlmsghdr *n = mnl_nlmsg_put_header(buffer);

	n->nlmsg_type = type;
	n->nlmsg_flags = NLM_F_REQUEST;
	return mnl_nlmsg_put_extra_header(n, bytes);
}

int xroce_netlink_ask(struct mnl_socket *s, void *buffer, mnl_cb_t answered, void *arg)
{
	struct nlmsghdr *n = buffer;
	ssize_t bytes;

	if (mnl_socket_sendto(s, n, n->nlmsg_len) < 0)
		return -errno;
	bytes = mnl_socket_recvfrom(s, buffer, XROCE_NETLINK_BYTES);
	if (bytes < 0)
		return -errno;
	if (mnl_cb_run(buffer, bytes, 0, mnl_socket_get_portid(s), answered, arg) < 0)
		return -errno;
	return 0;
}
