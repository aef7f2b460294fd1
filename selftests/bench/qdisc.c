// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include <libmnl/libmnl.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include "qdisc.h"
#include "rc_end.h"

static struct mnl_socket *rtnl(void)
{
	static struct mnl_socket *nl;

	if (!nl) {
		nl = mnl_socket_open(NETLINK_ROUTE);
		needs(nl && !mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID), "rtnetlink");
	}
	return nl;
}

static int of_stats(const struct nlattr *a, void *data)
{
	const void *from = mnl_attr_get_payload(a);
	struct qdisc_stats *s = data;
	struct gnet_stats_basic basic;
	struct gnet_stats_queue queue;
	struct tc_red_xstats red;

	switch (mnl_attr_get_type(a)) {
	case TCA_STATS_BASIC:
		memcpy(&basic, from, sizeof(basic));
		s->sent = basic.packets;
		break;
	case TCA_STATS_QUEUE:
		memcpy(&queue, from, sizeof(queue));
		s->dropped = queue.drops;
		s->queued = queue.qlen;
		break;
	case TCA_STATS_APP:
		if (mnl_attr_get_payload_len(a) != sizeof(red))
			break;
		memcpy(&red, from, sizeof(red));
		s->marked = red.marked;
		break;
	}
	return MNL_CB_OK;
}

static int of_qdisc(const struct nlattr *a, void *data)
{
	if (mnl_attr_get_type(a) == TCA_STATS2)
		mnl_attr_parse_nested(a, of_stats, data);
	return MNL_CB_OK;
}

static int answer(const struct nlmsghdr *h, void *data)
{
	mnl_attr_parse(h, sizeof(struct tcmsg), of_qdisc, data);
	return MNL_CB_STOP;
}

void qdisc_read(const char *dev, uint32_t parent, struct qdisc_stats *s)
{
	/* The answer has all statistics, whose size varies. */
	char buffer[8192] = {};
	struct nlmsghdr *h = mnl_nlmsg_put_header(buffer);
	struct tcmsg *t = mnl_nlmsg_put_extra_header(h, sizeof(*t));
	static unsigned int seq;
	ssize_t n;

	memset(s, 0, sizeof(*s));
	h->nlmsg_type = RTM_GETQDISC;
	h->nlmsg_flags = NLM_F_REQUEST | NLM_F_ECHO;
	h->nlmsg_seq = ++seq;
	t->tcm_ifindex = if_nametoindex(dev);
	t->tcm_parent = parent;
	needs(t->tcm_ifindex, dev);
	needs(mnl_socket_sendto(rtnl(), h, h->nlmsg_len) >= 0, dev);
	n = mnl_socket_recvfrom(rtnl(), buffer, sizeof(buffer));
	needs(n >= 0 && mnl_cb_run(buffer, n, seq, 0, answer, s) >= 0, dev);
}
