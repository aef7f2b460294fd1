// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxroce.h"
#include "responder.h"

#define PAGE		4096ull
#define BENCH_REMOTE	(XROCE_ACCESS_REMOTE_WRITE | XROCE_ACCESS_REMOTE_READ | \
			 XROCE_ACCESS_REMOTE_ATOMIC)

static struct xroce *x;
static bool attached;
static uint32_t pd, mpt_entries, qp_entries;
static uint64_t base;		/* address of the memory for the peer */
static struct xroce_mr_reg mr;
static struct xroce_cq *cq;	/* of the queue pair that receives; there is */
static struct xroce_rq *rq;	/* only one at a time */

static bool done(int err, const char *what)
{
	if (err)
		fprintf(stderr, "bench: xroce: %s: %s\n", what, strerror(-err));
	return !err;
}

void responder_xroce_tables(uint32_t mpts, uint32_t qps)
{
	mpt_entries = mpts;
	qp_entries = qps;
}

static struct xroce_mr_reg region(void *memory, uint64_t length)
{
	return (struct xroce_mr_reg){
		.pd = pd,
		.access = XROCE_ACCESS_LOCAL_WRITE | BENCH_REMOTE,
		.addr = (uintptr_t)memory,
		.length = length,
		.iova = (uintptr_t)memory,
	};
}

bool responder_xroce_regions(uint32_t first, uint32_t end,
			     struct target *targets, uint32_t n)
{
	uint32_t i, j, page;
	struct xroce_mr_reg r;

	for (i = first; i < end; i++) {
		page = i % (RESPONDER_MEMORY / PAGE);
		r = region((void *)(uintptr_t)(base + page * PAGE), PAGE);
		if (!done(xroce_mr_reg(x, &r), "region"))
			return false;
		j = (uint64_t)i * n / end;
		targets[j].rkey = r.rkey;
		targets[j].va = r.iova;
	}
	return true;
}

static bool xroce_take(void *memory)
{
	struct xroce_attach_opts opts = {
		.size = sizeof(opts),
		.mpt_entries = mpt_entries,
		.qp_entries = qp_entries,
	};
	const char *demand = getenv("XROCE_BENCH_DEMAND");
	struct xroce_mr_advise advise;

	if (xroce_attach(RESPONDER_DEV, &opts)) {
		fprintf(stderr, "bench: xroce: attach: %s\n", opts.error);
		return false;
	}
	attached = true;
	x = xroce_open(RESPONDER_DEV);
	if (!done(x ? 0 : -errno, "open") ||
	    !done(xroce_pd_add(x, 0, &pd), "protection domain"))
		return false;
	if (getenv("XROCE_BENCH_SQ")) {
		struct xroce_mw_add mw = { .pd = pd, .type = XROCE_MW_TYPE_2B };

		if (!done(xroce_mw_add(x, &mw), "window"))
			return false;
	}
	mr = region(memory, RESPONDER_MEMORY);
	base = mr.iova;
	/* On-demand memory, made resident, instead of pinned memory. */
	if (demand)
		mr.access |= XROCE_ACCESS_ON_DEMAND;
	if (demand && !strcmp(demand, "all")) {
		mr.addr = mr.iova = 0;
		mr.length = XROCE_LENGTH_ALL;
	}
	if (!done(xroce_mr_reg(x, &mr), "region"))
		return false;
	advise = (struct xroce_mr_advise){
		.mr = mr.mr,
		.advice = XROCE_ADVISE_PREFETCH_WRITE,
		.iova = base,
		.length = RESPONDER_MEMORY,
	};
	return !(mr.access & XROCE_ACCESS_ON_DEMAND) ||
	       done(xroce_mr_advise(x, &advise), "advice");
}

/* Make the queue pair and post its receives. */
static bool create(struct target *target)
{
	struct xroce_sge_local sge = {
		.addr = base, .length = RESPONDER_RECEIVE, .lkey = mr.lkey,
	};
	struct xroce_qp_add add = { .pd = pd, .type = XROCE_QPT_RC };
	uint32_t i;
	int err;

	if (!target->receives && !getenv("XROCE_BENCH_SQ"))
		return done(xroce_qp_create_responder(x, 0, pd, &target->qpn), "queue pair");
	cq = xroce_cq_add(x, XROCE_RQ_MAX);
	if (!done(cq ? 0 : -errno, "completion queue"))
		return false;
	if (target->receives) {
		add.recv_cq = xroce_cq_id(cq);
		add.rq_entries = XROCE_RQ_MAX;
		add.rq_max_sge = 1;
	}
	if (getenv("XROCE_BENCH_SQ")) {
		add.send_cq = xroce_cq_id(cq);
		add.send_entries = XROCE_SEND_MIN;
	}
	if (!done(xroce_qp_create(x, &add, &rq), "queue pair"))
		return false;
	target->qpn = add.qpn;
	for (i = 0, err = 0; i < target->receives && !err; i++)
		err = xroce_post_recv(rq, i, &sge, 1);
	return done(err, "receives");
}

static void xroce_disconnect(const struct target *target)
{
	done(rq ? xroce_qp_destroy(rq) : xroce_qp_del(x, target->qpn), "queue pair");
	rq = NULL;
	if (cq)
		done(xroce_cq_del(cq), "completion queue");
	cq = NULL;
}

static bool xroce_connect(struct target *target)
{
	struct xroce_qp_modify modify = {
		.mask = XROCE_QP_STATE | XROCE_QP_PKEY | XROCE_QP_ACCESS,
		.state = XROCE_QPS_INIT,
		.access = BENCH_REMOTE,
		.pkey = 0xffff,
	};

	if (!create(target))
		return false;
	modify.qpn = target->qpn;
	if (!done(xroce_qp_modify(x, &modify), "INIT"))
		goto err;
	modify.mask = XROCE_QP_STATE | XROCE_QP_AV | XROCE_QP_PATH_MTU |
		      XROCE_QP_DEST_QPN | XROCE_QP_RQ_PSN |
		      XROCE_QP_MIN_RNR_TIMER | XROCE_QP_MAX_DEST_RD_ATOMIC;
	modify.state = XROCE_QPS_RTR;
	modify.path_mtu = XROCE_MTU_4096;
	modify.dest_qpn = PEER_QPN;
	modify.rq_psn = target->psn;
	modify.min_rnr_timer = 12;
	modify.max_dest_rd_atomic = RESPONDER_RD_ATOMIC;
	responder_gid(RESPONDER_ADDR, modify.sgid);
	responder_gid(PEER_ADDR, modify.dgid);
	if (!done(xroce_qp_modify(x, &modify), "RTR"))
		goto err;
	target->rkey = mr.rkey;
	target->va = base;
	return true;
err:
	xroce_disconnect(target);
	return false;
}

static uint32_t xroce_received(void)
{
	struct xroce_cqe cqe;
	uint32_t n = 0;

	while (cq && xroce_cq_poll(cq, &cqe, 1) > 0)
		n += !cqe.status;
	return n;
}

static void xroce_leave(void)
{
	char error[XROCE_ERROR_MAX];

	xroce_close(x);
	if (attached && xroce_detach(RESPONDER_DEV, XROCE_F_FORCE, error))
		fprintf(stderr, "bench: xroce: detach: %s\n", error);
	attached = false;
	x = NULL;
}

const struct responder responder_xroce = {
	.name = "xroce",
	.executes = true,
	.open = xroce_take,
	.connect = xroce_connect,
	.received = xroce_received,
	.disconnect = xroce_disconnect,
	.close = xroce_leave,
};
