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
	struct xroce_send *send;
	uint32_t pd;
	uint32_t qpn;
	struct xroce_mr_reg mr;
	struct xroce_wr one;
	struct xroce_wr two;
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
	struct xroce_qp_add add = {
		.pd = own.pd,
		.type = XROCE_QPT_RC,
		.send_cq = xroce_cq_id(own.cq),
		.send_entries = MW_BATCH,
	};
	struct xroce_qp_modify m = {
		.pkey = 0xffff,
		.path_mtu = XROCE_MTU_4096,
		.dest_qpn = PEER_QPN,
		.dmac = { 2, [5] = 1 },
	};
	int err;

	err = xroce_qp_create(own.x, &add, NULL);
	own.qpn = m.qpn = add.qpn;
	own.send = err ? NULL : xroce_send_open(own.x, &add);
	if (!err && !own.send)
		err = -errno;
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
	m.mask = XROCE_QP_STATE | XROCE_QP_SQ_PSN | XROCE_QP_TIMEOUT | XROCE_QP_RETRY_CNT |
		 XROCE_QP_RNR_RETRY | XROCE_QP_MAX_RD_ATOMIC | XROCE_QP_DMAC;
	m.state = XROCE_QPS_RTS;
	if (!err)
		err = xroce_qp_modify(own.x, &m);
	return mw_done(err, "xroce: queue pair");
}

static bool own_window(uint32_t type, struct xroce_wr *b)
{
	struct xroce_mw_add add = { .pd = own.pd, .type = type };

	*b = (struct xroce_wr){
		.opcode = XROCE_WR_BIND_MW,
		.rkey = own.mr.lkey,
		.addr = own.mr.iova,
		.length = MW_LENGTH,
		.access = MW_RIGHTS,
	};
	if (!mw_done(xroce_mw_add(own.x, &add), "xroce: window"))
		return false;
	b->imm_or_key = add.rkey;
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
	if (!mw_done(own.cq ? 0 : errno, "xroce: completion queue"))
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
	xroce_mw_del(own.x, own.one.imm_or_key >> XROCE_KEY_SHIFT);
	xroce_mw_del(own.x, own.two.imm_or_key >> XROCE_KEY_SHIFT);
	xroce_qp_del(own.x, own.qpn);
	xroce_send_close(own.send);
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

static void bind_one(void)
{
	own.one.imm_or_key = xroce_draw_rkey(own.send, own.one.imm_or_key);
	mw_done(xroce_post_send(own.send, &own.one, 1), "xroce: post");
}

/* A bind, which is first in @wr, and an invalidation of the same key. */
static void pair_two(struct xroce_wr wr[2])
{
	own.two.imm_or_key = xroce_inc_rkey(own.two.imm_or_key);
	wr[0] = own.two;
	wr[1] = (struct xroce_wr){
		.opcode = XROCE_WR_LOCAL_INV,
		.flags = own.two.flags,
		.imm_or_key = own.two.imm_or_key,
	};
}

static void execute(void)
{
	mw_done(xroce_send_doorbell(own.send), "xroce: doorbell");
}

/* Post a batch, and have it executed. */
void own_one_posted(uint32_t n)
{
	while (n--)
		bind_one();
	execute();
}

/* Pairs: one half are binds, the other invalidations. */
void own_two_posted(uint32_t n)
{
	struct xroce_wr wr[2];

	for (; n; n -= 2) {
		pair_two(wr);
		mw_done(xroce_post_send(own.send, wr, 2), "xroce: post");
	}
	execute();
}

void own_two_alone(uint32_t n)
{
	struct xroce_wr wr[2];
	int i;

	for (own.two.flags = XROCE_SEND_SIGNALED; n; n -= 2) {
		pair_two(wr);
		for (i = 0; i < 2; i++) {
			mw_done(xroce_post_send(own.send, &wr[i], 1), "xroce: post");
			execute();
			own_completion();
		}
	}
	own.two.flags = 0;
}

void own_one_alone(uint32_t n)
{
	for (own.one.flags = XROCE_SEND_SIGNALED; n; n--) {
		bind_one();
		execute();
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
