// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce qp: queue pairs. */
#include <errno.h>
#include <string.h>

#include "arg.h"
#include "cc_arg.h"
#include "cmd.h"
#include "counter.h"
#include "dev.h"
#include "limit_reason.h"
#include "names.h"
#include "one.h"
#include "pd.h"
#include "print.h"
#include "qp.h"

static const struct reason reasons[] = {
	{ ENOENT, "no such queue pair" },
	{ EBUSY, "a packet is being executed for it: try again" },
	{ ENODEV, "the link has been deleted" },
	{}
};

static const struct reason add_reasons[] = {
	{ ENOENT, "no such protection domain" },
	{ ENOSPC, "the queue pair table is full" },
	{ ENODEV, "the link has been deleted" },
	{}
};

static int qp_add(int argc, char **argv)
{
	const char *dev = NULL;
	__u32 pd = 0, qpn;
	struct arg args[] = {
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{ "pd", &arg_pd, &pd, ARG_NEEDED },
		{}
	};
	struct xroce *x;
	int status, err;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	status = dev_open(dev, &x);
	if (status)
		return status;
	err = xroce_qp_create_responder(x, XROCE_F_PERSISTENT, pd, &qpn);
	status = pd_foreign(x, "qp", pd, err) ? EXIT_ERROR :
		 err ? fail("qp: pd %u: %s", pd, limit_reason(x, err, add_reasons,
			&(struct wanted){ XROCE_COUNT_QP, .persistent = true })) :
		       EXIT_OK;
	xroce_close(x);
	if (status)
		return status;

	print_begin();
	print_hex("qpn", 6, qpn);
	print_end();
	return EXIT_OK;
}

/* Say which window of type 2A keeps a queue pair. Return: EXIT_ERROR. */
static int tied(struct xroce *x, __u32 qpn)
{
	struct xroce_mw_query q = {};
	__u32 next = 0;

	do {
		memset(&q, 0, sizeof(q));
		q.flags = XROCE_F_NEXT;
		q.mw = next;
		if (xroce_mw_query(x, &q))
			return fail("qp 0x%06x: a window of type 2a is tied to it", qpn);
		next = q.mw + 1;
	} while (!q.bound || q.type != XROCE_MW_TYPE_2A || q.qpn != qpn);
	return fail("qp 0x%06x: window 0x%x of type 2a is tied to it", qpn, q.mw);
}

static int del_one(struct xroce *x, const union one *qp)
{
	int err = xroce_qp_del(x, qp->number);

	if (err == -EBUSY)
		return tied(x, qp->number);
	if (err)
		return fail("qp 0x%06x: %s", qp->number, reason(err, reasons));
	return EXIT_OK;
}

static int qp_del(int argc, char **argv)
{
	return one_do(argc, argv, "qpn", &arg_24bit, del_one);
}

__u64 qp_drops(const struct xroce_qp_query *q)
{
	__u64 sum = 0;
	int i;

	for (i = 0; i < QP_DROPS; i++)
		sum += q->drops[i];
	return sum;
}

/* A counter that is omitted as text while it is 0. */
static void show_nonzero(const char *name, __u64 value)
{
	if (value || options.json)
		print_num(name, value);
}

/* Responses sent, packets dropped by cause, requests, and what the requester knows of the path. */
static void show_stats(const struct xroce_qp_query *q)
{
	int i;

	print_num("tx", q->tx);
	print_num("tx_bytes", q->tx_bytes);
	for (i = 0; i < QP_DROPS; i++)
		show_nonzero(QP_DROP_COUNTERS[i].name, q->drops[i]);
	for (i = QP_RESPONDER; i < QP_COUNTERS; i++)
		show_nonzero(xroce_qp_counters[i].name,
			     counter_value(&xroce_qp_counters[i], q));
	show_nonzero("sq_srtt", q->sq_srtt);
	show_nonzero("sq_window", q->sq_window);
	show_nonzero("sq_outstanding", q->sq_outstanding);
	show_nonzero("sq_holes", q->sq_holes);
	if (q->cc_window) {
		print_str("cc", q->cc);
		print_num("cc_window", q->cc_window);
		show_nonzero("cc_rate", q->cc_rate);
	}
	show_nonzero("read_rate", q->read_rate);
}

/* The send queue and the attributes of the requester. */
static void show_send_queue(const struct xroce_qp_query *q)
{
	print_num("sq_entries", q->sq_entries);
	print_num("sq_pending", q->sq_pending);
	print_flag("sq_draining", q->sq_draining);
	print_num("sq_psn", q->sq_psn);
	if (q->type == XROCE_QPT_RC) {
		print_num("timeout", q->timeout);
		print_num("retry_cnt", q->retry_cnt);
		print_num("rnr_retry", q->rnr_retry);
		print_num("req_rd_atomic", q->max_rd_atomic);
	}
	if (q->type != XROCE_QPT_UD)
		print_mac("dmac", q->dmac);
	if (q->vlan_tci)
		print_num("vlan", q->vlan_tci & 0xfff);
}

static void show_one(const char *netdev, const struct xroce_qp_query *q)
{
	print_begin();
	print_hex("qpn", 6, q->qpn);
	print_dev(netdev);
	print_num("pd", q->pd);
	print_str("type", name_of_qp_type(q->type));
	print_colored("state", name_of_qp_state(q->state),
		      q->state == XROCE_QPS_ERR ? COLOR_BAD :
		      q->state >= XROCE_QPS_RTR ? COLOR_GOOD : COLOR_NONE);
	if (q->cause)
		print_colored("cause", xroce_cause_str(q->cause), COLOR_BAD);
	print_bits("access", access_names, ACCESS_BITS,
		   q->access);
	print_hex("pkey", 4, q->pkey);
	/* These attributes have no meaning before RTR. */
	if (q->path_mtu) {
		print_num("mtu", 128ull << (q->path_mtu & 7));
		print_hex("dest_qpn", 6, q->dest_qpn);
		print_gid("sgid", q->sgid);
		print_gid("dgid", q->dgid);
		print_num("rq_psn", q->rq_psn);
		print_num("msn", q->msn);
		print_num("min_rnr_timer", q->min_rnr_timer);
		print_num("max_rd_atomic", q->max_dest_rd_atomic);
		print_num("sport", q->sport);
		print_num("tos", q->tos);
		print_num("ttl", q->ttl);
	}
	if (q->sq_entries && q->state >= XROCE_QPS_RTS)
		show_send_queue(q);
	print_num("packets", q->packets);
	print_num("bytes", q->bytes);
	print_num("duplicates", q->duplicates);
	print_num("naks", q->naks);
	if (options.stats)
		show_stats(q);
	print_num("pid", q->pid);
	print_flag("persistent", q->flags & XROCE_F_PERSISTENT);
	print_flag("kernel", q->flags & XROCE_F_KERNEL);
	print_end();
}

int qp_next(struct xroce *x, __u32 entries, __u32 *place,
	    struct xroce_qp_query *q)
{
	int err;

	if (*place >= entries)
		return -ENOENT;
	memset(q, 0, sizeof(*q));
	q->flags = XROCE_F_NEXT;
	q->qpn = *place;
	err = xroce_qp_query(x, q);
	if (!err)
		*place = q->qpn % entries + 1;
	return err;
}

static int show_all(struct xroce *x, const char *netdev, void *arg)
{
	const union one *wanted = arg;
	struct xroce_link_query link;
	struct xroce_qp_query q = {};
	__u32 place = 0;
	int err;

	if (wanted) {
		q.qpn = wanted->number;
		err = xroce_qp_query(x, &q);
		if (err)
			return fail("qp 0x%06x: %s", wanted->number,
				    reason(err, reasons));
		show_one(netdev, &q);
		return EXIT_OK;
	}
	err = xroce_link_find(netdev, &link);
	if (err)
		return fail("dev %s: %s", netdev, strerror(-err));
	while (!(err = qp_next(x, link.qp_entries, &place, &q)))
		show_one(netdev, &q);
	if (err != -ENOENT)
		return fail("dev %s: qp: %s", netdev, reason(err, reasons));
	return EXIT_OK;
}

static int qp_show(int argc, char **argv)
{
	return one_show(argc, argv, "qpn", &arg_24bit, show_all);
}

const struct cmd qp_verbs[] = {
	{ "show", qp_show, "[dev DEV] [[qpn] N]" },
	{ "add", qp_add, "[dev DEV] pd N|last" },
	{ "modify", qp_modify, "[dev DEV] qpn N [state reset|init|rtr|rts|sqd|err]\n"
	  "\t[sgid A] [dgid A] [dest-qpn N] [rq-psn N] [mtu BYTES] [access LIST]\n"
	  "\t[pkey N] [min-rnr-timer N] [max-rd-atomic N] [sport N] [tos N] [ttl N]\n"
	  "\t[qkey N] [force]" },
	{ "set", qp_set, "[dev DEV] qpn N cc NAME" },
	{ "del", qp_del, "[dev DEV] [qpn] N" },
	{}
};
