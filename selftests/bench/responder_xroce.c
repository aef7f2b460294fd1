// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxroce.h"
#include "responder.h"

#define BENCH_REMOTE	(XROCE_ACCESS_REMOTE_WRITE | XROCE_ACCESS_REMOTE_READ | \
			 XROCE_ACCESS_REMOTE_ATOMIC)

static struct xroce *x;
static struct xroce_sq *sq;	/* with XROCE_BENCH_SQ */
static bool attached;
static uint32_t pd, qpn;
static uint64_t first;		/* byte of the memory, as the peer names it */
static struct xroce_mr_reg mr;

static bool done(int err, const char *what)
{
	if (err)
		fprintf(stderr, "bench: xroce: %s: %s\n", what, strerror(-err));
	return !err;
}

static bool xroce_take(void *memory)
{
	struct xroce_attach_opts opts = { .size = sizeof(opts) };
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
		sq = xroce_sq_add(x, XROCE_SQ_MIN);
		if (!done(sq ? 0 : -errno, "send queue"))
			return false;
	}
	mr = (struct xroce_mr_reg){
		.pd = pd,
		.access = XROCE_ACCESS_LOCAL_WRITE | BENCH_REMOTE,
		.addr = (uintptr_t)memory,
		.length = RESPONDER_MEMORY,
		.iova = (uintptr_t)memory,
		.name = "bench",
	};
	first = mr.iova;
	/* Resident memory on demand, in place of pinned memory. */
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
		.iova = first,
		.length = RESPONDER_MEMORY,
	};
	return !(mr.access & XROCE_ACCESS_ON_DEMAND) ||
	       done(xroce_mr_advise(x, &advise), "advice");
}

static bool xroce_connect(struct target *target)
{
	struct xroce_qp_modify modify = {
		.mask = XROCE_QP_STATE | XROCE_QP_PKEY | XROCE_QP_ACCESS,
		.state = XROCE_QPS_INIT,
		.access = BENCH_REMOTE,
		.pkey = 0xffff,
	};

	if (!done(xroce_qp_add(x, 0, pd, &qpn), "queue pair"))
		return false;
	modify.qpn = qpn;
	if (!done(xroce_qp_modify(x, &modify), "INIT"))
		goto err;
	modify.mask = XROCE_QP_STATE | XROCE_QP_AV | XROCE_QP_PATH_MTU |
		      XROCE_QP_DEST_QPN | XROCE_QP_RQ_PSN |
		      XROCE_QP_MIN_RNR_TIMER | XROCE_QP_MAX_DEST_RD_ATOMIC;
	modify.state = XROCE_QPS_RTR;
	modify.path_mtu = XROCE_MTU_4096;
	modify.dest_qpn = PEER_QPN;
	modify.rq_psn = PEER_PSN;
	modify.min_rnr_timer = 12;
	modify.max_dest_rd_atomic = RESPONDER_RD_ATOMIC;
	responder_gid(RESPONDER_ADDR, modify.sgid);
	responder_gid(PEER_ADDR, modify.dgid);
	if (!done(xroce_qp_modify(x, &modify), "RTR"))
		goto err;
	*target = (struct target){ qpn, mr.rkey, first };
	return true;
err:
	xroce_qp_del(x, qpn);
	return false;
}

static void xroce_disconnect(void)
{
	done(xroce_qp_del(x, qpn), "queue pair");
}

static void xroce_leave(void)
{
	char error[XROCE_ERROR_MAX];

	if (sq)
		xroce_sq_del(sq);
	sq = NULL;
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
	.disconnect = xroce_disconnect,
	.close = xroce_leave,
};
