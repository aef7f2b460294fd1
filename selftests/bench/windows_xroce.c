// SPDX-License-Identifier: GPL-2.0-only
/*
 * The operations of windows.c with xroce.
 */
#include <errno.h>
#include <stdio.h>

#include "libxroce.h"
#include "responder.h"
#include "windows.h"
#include "xroce_map.h"

static struct {
	struct xroce *x;
	struct xroce_cq *cq;
	struct xroce_sq *sq;
	uint32_t pd;
	uint32_t qpn;
	struct xroce_mr_reg mr;
	struct xroce_bind one;
	struct xroce_bind two;
} own;

static struct xroce_mr_reg region(void)
{
	return (struct xroce_mr_reg){
		.pd = own.pd,
		.access = MW_REGION,
		.addr = (uintptr_t)mw_memory,
		.length = MW_LENGTH,
		.iova = (uintptr_t)mw_memory,
	};
}

static bool own_qp(void)
{
	struct xroce_qp_add add = { .pd = own.pd, .type = XROCE_QPT_RC };
	struct xroce_qp_modify m = {
		.pkey = 0xffff,
		.path_mtu = XROCE_MTU_4096,
		.dest_qpn = PEER_QPN,
	};
	struct xroce_rq *rq;
	int err;

	add.send_cq = xroce_cq_id(own.cq);
	err = xroce_qp_create(own.x, &add, &rq);
	own.qpn = m.qpn = add.qpn;
	responder_gid(RESPONDER_ADDR, m.sgid);
	responder_gid(PEER_ADDR, m.dgid);
	m.mask = XROCE_QP_STATE | XROCE_QP_PKEY | XROCE_QP_ACCESS;
	m.state = XROCE_QPS_INIT;
	if (!err)
		err = xroce_qp_modify(own.x, &m);
	m.mask = XROCE_QP_STATE | XROCE_QP_AV | XROCE_QP_PATH_MTU |
		 XROCE_QP_DEST_QPN | XROCE_QP_RQ_PSN |
		 XROCE_QP_MIN_RNR_TIMER | XROCE_QP_MAX_DEST_RD_ATOMIC;
	m.state = XROCE_QPS_RTR;
	if (!err)
		err = xroce_qp_modify(own.x, &m);
	m.mask = XROCE_QP_STATE;
	m.state = XROCE_QPS_RTS;
	if (!err)
		err = xroce_qp_modify(own.x, &m);
	return mw_done(err, "xroce: queue pair");
}

static bool own_window(uint32_t type, struct xroce_bind *b)
{
	struct xroce_mw_add add = { .pd = own.pd, .type = type };

	*b = (struct xroce_bind){
		.qpn = own.qpn,
		.lkey = own.mr.lkey,
		.addr = own.mr.iova,
		.length = MW_LENGTH,
		.access = MW_RIGHTS,
	};
	if (!mw_done(xroce_mw_add(own.x, &add), "xroce: window"))
		return false;
	b->rkey = add.rkey;
	return true;
}

bool own_open(void)
{
	struct xroce_attach_opts opts = { .size = sizeof(opts) };

	if (xroce_attach(RESPONDER_DEV, &opts)) {
		fprintf(stderr, "bench: xroce: attach: %s\n", opts.error);
		return false;
	}
	own.x = xroce_open(RESPONDER_DEV);
	if (!own.x || !mw_done(xroce_pd_add(own.x, 0, &own.pd), "xroce: domain"))
		return false;
	own.cq = xroce_cq_add(own.x, 256);
	own.sq = xroce_sq_add(own.x, MW_BATCH);
	if (!mw_done(own.cq && own.sq ? 0 : errno, "xroce: queues"))
		return false;
	own.mr = region();
	return mw_done(xroce_mr_reg(own.x, &own.mr), "xroce: region") &&
	       own_qp() && own_window(XROCE_MW_TYPE_1, &own.one) &&
	       own_window(XROCE_MW_TYPE_2B, &own.two);
}

void own_close(void)
{
	char error[XROCE_ERROR_MAX] = "";

	/* Mapped queues would keep the handle open. */
	xroce_mw_del(own.x, own.one.rkey >> XROCE_KEY_SHIFT);
	xroce_mw_del(own.x, own.two.rkey >> XROCE_KEY_SHIFT);
	xroce_qp_del(own.x, own.qpn);
	xroce_sq_del(own.sq);
	xroce_cq_del(own.cq);
	xroce_close(own.x);
	if (xroce_detach(RESPONDER_DEV, XROCE_F_FORCE, error))
		fprintf(stderr, "bench: xroce: detach: %s\n", error);
}

static void own_completion(void)
{
	struct xroce_cqe cqe = { .status = ~0u };

	mw_done(xroce_cq_poll(own.cq, &cqe, 1) == 1 && !cqe.status ? 0 : EIO,
		"xroce: completion");
}

/* Post a batch, and apply it. */
void own_one_posted(uint32_t n)
{
	while (n--)
		mw_done(xroce_bind_mw(own.sq, &own.one), "xroce: post");
	mw_done(xroce_sq_apply(own.sq), "xroce: apply");
}

/* Pairs: one half are binds, the other invalidations. */
void own_two_posted(uint32_t n)
{
	for (; n; n -= 2) {
		own.two.rkey = xroce_inc_rkey(own.two.rkey);
		mw_done(xroce_post_bind(own.sq, &own.two), "xroce: post");
		mw_done(xroce_post_local_inv(own.sq, 0, own.qpn, own.two.rkey,
					     0), "xroce: post");
	}
	mw_done(xroce_sq_apply(own.sq), "xroce: apply");
}

void own_two_alone(uint32_t n)
{
	for (own.two.flags = XROCE_SQ_SIGNALED; n; n -= 2) {
		own.two.rkey = xroce_inc_rkey(own.two.rkey);
		mw_done(xroce_post_bind(own.sq, &own.two), "xroce: post");
		mw_done(xroce_sq_apply(own.sq), "xroce: apply");
		own_completion();
		mw_done(xroce_post_local_inv(own.sq, 0, own.qpn, own.two.rkey,
					     XROCE_SQ_SIGNALED), "xroce: post");
		mw_done(xroce_sq_apply(own.sq), "xroce: apply");
		own_completion();
	}
	own.two.flags = 0;
}

void own_one_alone(uint32_t n)
{
	for (own.one.flags = XROCE_SQ_SIGNALED; n; n--) {
		mw_done(xroce_bind_mw(own.sq, &own.one), "xroce: post");
		mw_done(xroce_sq_apply(own.sq), "xroce: apply");
		own_completion();
	}
	own.one.flags = 0;
}

void own_register(uint32_t n)
{
	struct xroce_mr_reg r;

	while (n--) {
		r = region();
		mw_done(xroce_mr_reg(own.x, &r), "xroce: register");
		mw_done(xroce_mr_dereg(own.x, r.mr), "xroce: deregister");
	}
}

/* Alternate between two sets of rights, over the same memory. */
static void change(uint32_t n, uint32_t mask)
{
	static struct xroce_mr_reg r;
	struct xroce_mr_rereg c;

	if (!r.mr) {
		r = region();
		mw_done(xroce_mr_reg(own.x, &r), "xroce: register");
	}
	while (n--) {
		c = (struct xroce_mr_rereg){
			.mr = r.mr,
			.mask = mask,
			.access = MW_REGION & ~(n & 1 ? MW_RIGHTS : 0),
			.addr = r.addr,
			.length = r.length,
			.iova = r.iova,
		};
		mw_done(xroce_mr_rereg(own.x, &c), "xroce: re-register");
	}
}

/* The memory is pinned again. */
void own_reregister(uint32_t n)
{
	change(n, XROCE_REREG_TRANSLATION | XROCE_REREG_ACCESS);
}

/* The memory stays pinned. */
void own_rights(uint32_t n)
{
	change(n, XROCE_REREG_ACCESS);
}
