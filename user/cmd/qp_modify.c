// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce qp modify: change a queue pair. */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "arg.h"
#include "dev.h"
#include "message.h"
#include "names.h"
#include "netaddr.h"
#include "qp.h"
#include "qp_change.h"

static const struct reason reasons[] = {
	{ ENOENT, "no such queue pair" },
	{ EBUSY, "a packet is being executed for it: try again" },
	{ EINVAL, "the module refused the change: its state has changed meanwhile" },
	{ ENODEV, "the link has been deleted" },
	{}
};

static bool parse_state(const char *text, void *to)
{
	static const __u32 states[] = {
		XROCE_QPS_RESET, XROCE_QPS_INIT, XROCE_QPS_RTR, XROCE_QPS_RTS,
		XROCE_QPS_SQD, XROCE_QPS_ERR
	};
	size_t i;

	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if (!strcmp(text, name_of_qp_state(states[i]))) {
			*(__u32 *)to = states[i];
			return true;
		}
	}
	return !strcmp(text, "error") && (*(__u32 *)to = XROCE_QPS_ERR);
}

static const struct arg_type arg_state = {
	"reset, init, rtr, rts, sqd or err", parse_state
};

/**
 * struct modify - the requested change
 * @change: the change
 * @force: accept an own address (sgid) that the device does not have
 */
struct modify {
	struct qp_change change;
	bool force;
};

/* What the module has refused, and why. Return: a negative number for other errors. */
static int refused(const struct xroce_qp_modify *m, int err)
{
	char name[INET6_ADDRSTRLEN];

	if (err == -EADDRNOTAVAIL)
		return fail("qp 0x%06x: sgid %s: the network device does not have this address, nor does its bridge or a VLAN device on top; another one needs CAP_NET_ADMIN or CAP_NET_RAW",
			    m->qpn, name_of_gid(m->sgid, name));
	if (err == -EADDRINUSE)
		return fail("qp 0x%06x: dgid %s, dest-qpn 0x%06x: another program's queue pair is connected with this peer; have the peer make a new queue pair, or end the other one",
			    m->qpn, name_of_gid(m->dgid, name), m->dest_qpn);
	return -1;
}

static int modify_one(struct xroce *x, const char *netdev, void *arg)
{
	struct modify *modify = arg;
	struct xroce_qp_modify *m = &modify->change.m;
	struct xroce_qp_query q = { .qpn = m->qpn };
	char error[QP_ERROR_MAX];
	int status, err = xroce_qp_query(x, &q);

	if (err)
		return fail("qp 0x%06x: %s", m->qpn, reason(err, reasons));
	if (!qp_change_check(&modify->change, q.type, q.state, error))
		return fail("qp 0x%06x: %s", m->qpn, error);
	if (modify->change.given & 1u << QP_SGID && !modify->force &&
	    !netaddr_has(netdev, m->sgid, error, sizeof(error)))
		return fail("qp 0x%06x: sgid %s; force accepts it nevertheless", m->qpn, error);
	err = xroce_qp_modify(x, m);
	if (!err)
		return EXIT_OK;
	status = refused(m, err);
	return status >= 0 ? status : fail("qp 0x%06x: %s", m->qpn, reason(err, reasons));
}

int qp_modify(int argc, char **argv)
{
	struct modify modify = {};
	struct xroce_qp_modify *m = &modify.change.m;
	const char *dev = NULL;
	__u8 rnr = 0, rd = 0;
	__u16 pkey = 0;
	struct arg args[] = {
		[QP_SGID] = { NULL, &arg_gid, m->sgid },
		[QP_DGID] = { NULL, &arg_gid, m->dgid },
		[QP_MTU] = { NULL, &arg_mtu, &m->path_mtu },
		[QP_DEST] = { NULL, &arg_24bit, &m->dest_qpn },
		[QP_PSN] = { NULL, &arg_24bit, &m->rq_psn },
		[QP_ACCESS] = { NULL, &arg_access, &m->access },
		[QP_PKEY] = { NULL, &arg_pkey, &pkey },
		[QP_RNR] = { NULL, &arg_rnr_timer, &rnr },
		[QP_RD] = { NULL, &arg_rd_atomic, &rd },
		[QP_SPORT] = { NULL, &arg_sport, &m->sport },
		[QP_TOS] = { NULL, &arg_byte, &m->tos },
		[QP_TTL] = { NULL, &arg_byte, &m->ttl },
		[QP_QKEY] = { NULL, &arg_number, &m->qkey },
		[QP_WORDS] = { "state", &arg_state, &m->state, ARG_OPTIONAL },
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{ "force", &arg_flag, &modify.force, ARG_OPTIONAL },
		{ "qpn", &arg_24bit, &m->qpn, ARG_NEEDED },
		{}
	};
	int status, i;

	for (i = 0; i < QP_WORDS; i++)
		args[i].name = qp_word(i);
	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	for (i = 0; i < QP_WORDS; i++)
		if (args[i].state & ARG_SEEN)
			modify.change.given |= 1u << i;
	if (args[QP_WORDS].state & ARG_SEEN)
		m->mask = XROCE_QP_STATE;
	if (!m->mask && !modify.change.given)
		return usage("qp 0x%06x: nothing to modify; give state or an attribute",
			     m->qpn);
	m->pkey = pkey;
	m->min_rnr_timer = rnr;
	m->max_dest_rd_atomic = rd;
	return dev_one(dev, modify_one, &modify);
}
