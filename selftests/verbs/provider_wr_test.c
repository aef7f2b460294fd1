// SPDX-License-Identifier: GPL-2.0-only
/* Xroce's own provider: ibv_wr_*(), and completions by ibv_start_poll() and by events. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live.h"
#include "provider_end.h"

#define OPS	(IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | \
		 IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ | \
		 IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | \
		 IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_SEND_WITH_INV)
#define IMM	0x01020304u

#define WR_TEST(name, ids, about) \
	TEST_OPENED(own, own, own_open(&own, NULL, OPS), own_close, name, ids, about)

static struct ibv_qp_ex *begin(struct own *own, uint64_t id)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(own->qp);

	if (!check(ex, "no extended queue pair"))
		return NULL;
	ibv_wr_start(ex);
	ex->wr_id = id;
	ex->wr_flags = IBV_SEND_SIGNALED;
	return ex;
}

static uint64_t target(struct own *own, uint32_t at)
{
	return (uintptr_t)own->peer_memory + at;
}

static void completes(struct own *own, uint64_t id, enum ibv_wc_opcode opcode)
{
	struct ibv_wc wc = {};
	int status = end_wait(own->cq, &wc);

	check(!status && wc.wr_id == id && wc.opcode == opcode, "status %d, id %lu, opcode %d",
	      status, (unsigned long)wc.wr_id, wc.opcode);
}

WR_TEST(provider_wr_write, "V5 D2", "ibv_wr_rdma_write() with each setter, one doorbell")
{
	struct ibv_data_buf buf[] = { { "in", 2 }, { "line ", 5 }, { "list", 5 } };
	struct ibv_sge sge[] = {
		{ (uintptr_t)own->memory, 4, own->mr->lkey },
		{ (uintptr_t)own->memory + 100, 8, own->mr->lkey },
	};
	uint32_t rkey = own->peer_mr->rkey;
	struct ibv_qp_ex *ex;

	strcpy(own->memory, "one two");
	strcpy(own->memory + 100, "element");
	ex = begin(own, 1);
	if (!ex)
		return;
	ibv_wr_rdma_write(ex, rkey, target(own, 0));
	ibv_wr_set_sge(ex, own->mr->lkey, (uintptr_t)own->memory, 8);
	ex->wr_id = 2;
	ibv_wr_rdma_write(ex, rkey, target(own, 100));
	ibv_wr_set_sge_list(ex, 2, sge);
	ex->wr_id = 3;
	ibv_wr_rdma_write(ex, rkey, target(own, 200));
	ibv_wr_set_inline_data(ex, own->memory, 8);
	ex->wr_id = 4;
	ibv_wr_rdma_write(ex, rkey, target(own, 300));
	ibv_wr_set_inline_data_list(ex, ARRAY_SIZE(buf), buf);
	check(!own->peer_memory[0], "sent before ibv_wr_complete()");
	check_is(ibv_wr_complete(ex), 0);
	memset(own->memory + 200, 0, 100);
	completes(own, 1, IBV_WC_RDMA_WRITE);
	completes(own, 2, IBV_WC_RDMA_WRITE);
	completes(own, 3, IBV_WC_RDMA_WRITE);
	completes(own, 4, IBV_WC_RDMA_WRITE);
	check(!strcmp(own->peer_memory, "one two"), "an element");
	check(!strcmp(own->peer_memory + 100, "one element"), "%s", own->peer_memory + 100);
	check(!strcmp(own->peer_memory + 200, "one two"), "inline");
	check(!strcmp(own->peer_memory + 300, "inline list"), "%s", own->peer_memory + 300);
}

WR_TEST(provider_wr_refused, "V5", "what is wrong posts nothing; ibv_wr_abort()")
{
	uint32_t rkey = own->peer_mr->rkey, i;
	struct ibv_sge sge[64] = { { (uintptr_t)own->memory, 8, own->mr->lkey } };
	struct ibv_qp_ex *ex;
	struct ibv_wc wc;

	memset(own->memory, 'x', 600);
	for (i = 0; i < 5; i++) {
		ex = begin(own, i);
		if (!ex)
			return;
		ibv_wr_rdma_write(ex, rkey, target(own, 0));
		ibv_wr_set_sge(ex, own->mr->lkey, (uintptr_t)own->memory, 8);
		if (i == 3)
			ex->wr_flags |= IBV_SEND_IP_CSUM;
		if (i == 4)
			ibv_wr_rdma_read(ex, rkey, target(own, 0));
		else
			ibv_wr_rdma_write(ex, rkey, target(own, 0));
		if (i == 0)
			ibv_wr_set_sge_list(ex, own->cap.max_send_sge + 1, sge);
		if (i == 1)
			ibv_wr_set_inline_data(ex, own->memory, own->cap.max_inline_data + 1);
		if (i == 4)
			ibv_wr_set_inline_data(ex, own->memory, 8);
		if (i == 2)
			ibv_wr_abort(ex);
		else
			check_is(ibv_wr_complete(ex), EINVAL, "%u", i);
	}
	usleep(10000);
	check(!ibv_poll_cq(own->cq, 1, &wc) && !own->peer_memory[0], "something was sent");

	ex = begin(own, 7);
	for (i = 0; i <= own->cap.max_send_wr; i++) {
		ibv_wr_rdma_write(ex, rkey, target(own, 0));
		ibv_wr_set_sge(ex, own->mr->lkey, (uintptr_t)own->memory, 8);
	}
	check_is(ibv_wr_complete(ex), ENOMEM, "one too many");
	ex = begin(own, 8);
	ibv_wr_rdma_write(ex, rkey, target(own, 0));
	ibv_wr_set_sge(ex, own->mr->lkey, (uintptr_t)own->memory, 8);
	check_is(ibv_wr_complete(ex), 0);
	completes(own, 8, IBV_WC_RDMA_WRITE);
	check(own->peer_memory[7] == 'x' && !own->peer_memory[8], "the last one");
}

WR_TEST(provider_wr_answers, "V5 D2", "READ and atomics")
{
	uint32_t rkey = own->peer_mr->rkey;
	uint64_t *theirs = (uint64_t *)own->peer_memory, *ours = (uint64_t *)own->memory;
	struct ibv_qp_ex *ex;

	theirs[0] = 40;
	theirs[1] = 7;
	ex = begin(own, 1);
	if (!ex)
		return;
	ibv_wr_rdma_read(ex, rkey, target(own, 0));
	ibv_wr_set_sge(ex, own->mr->lkey, (uintptr_t)ours, 16);
	check_is(ibv_wr_complete(ex), 0);
	completes(own, 1, IBV_WC_RDMA_READ);
	check(ours[0] == 40 && ours[1] == 7, "READ");
	ex = begin(own, 2);
	ibv_wr_atomic_fetch_add(ex, rkey, target(own, 0), 2);
	ibv_wr_set_sge(ex, own->mr->lkey, (uintptr_t)&ours[2], 8);
	ex->wr_id = 3;
	ibv_wr_atomic_cmp_swp(ex, rkey, target(own, 8), 7, 9);
	ibv_wr_set_sge(ex, own->mr->lkey, (uintptr_t)&ours[3], 8);
	ex->wr_id = 4;
	ibv_wr_atomic_cmp_swp(ex, rkey, target(own, 8), 7, 11);
	ibv_wr_set_sge(ex, own->mr->lkey, (uintptr_t)&ours[4], 8);
	check_is(ibv_wr_complete(ex), 0);
	completes(own, 2, IBV_WC_FETCH_ADD);
	completes(own, 3, IBV_WC_COMP_SWAP);
	completes(own, 4, IBV_WC_COMP_SWAP);
	check(theirs[0] == 42 && theirs[1] == 9, "%lu, %lu", theirs[0], theirs[1]);
	check(ours[2] == 40 && ours[3] == 7 && ours[4] == 9, "%lu, %lu, %lu", ours[2], ours[3],
	      ours[4]);
}

#define OWN_AW_TEST(name, ids, about) \
	TEST_OPENED(own, own, own_open(&own, NULL, OPS | IBV_QP_EX_WITH_ATOMIC_WRITE), own_close, \
		    name, ids, about)

OWN_AW_TEST(provider_wr_atomic_write, "V5 D2", "ibv_wr_atomic_write()")
{
	uint64_t *theirs = (uint64_t *)own->peer_memory, value = 0x1122334455667788ull;
	uint32_t rkey = own->peer_mr->rkey;
	struct ibv_qp_ex *ex;
	struct ibv_wc wc;

	theirs[0] = theirs[1] = theirs[2] = 1;
	ex = begin(own, 1);
	if (!ex)
		return;
	ibv_wr_atomic_write(ex, rkey, target(own, 8), &value);
	value = 0;
	check_is(ibv_wr_complete(ex), 0);
	completes(own, 1, IBV_WC_ATOMIC_WRITE);
	check(theirs[0] == 1 && theirs[1] == 0x1122334455667788ull && theirs[2] == 1,
	      "%lx, %lx, %lx", theirs[0], theirs[1], theirs[2]);
	/* The bytes are in the entry: there is nothing that an element or inline data could say. */
	ex = begin(own, 2);
	ibv_wr_atomic_write(ex, rkey, target(own, 8), &value);
	ibv_wr_set_inline_data(ex, own->memory, 8);
	check_is(ibv_wr_complete(ex), EINVAL, "inline data");
	ex = begin(own, 3);
	ibv_wr_atomic_write(ex, rkey, target(own, 4), &value);
	check_is(ibv_wr_complete(ex), 0);
	check(end_wait(own->cq, &wc) > 0 && theirs[1] == 0x1122334455667788ull,
	      "not aligned: status %d, %lx", wc.status, theirs[1]);
}

#ifdef XROCE_HAS_WR_FLUSH
#define OWN_FLUSH_TEST(name, ids, about) \
	TEST_OPENED(own, own, own_open(&own, NULL, OPS | IBV_QP_EX_WITH_FLUSH), own_close, \
		    name, ids, about)

/* Behind a WRITE; and one that the region has no right for. */
OWN_FLUSH_TEST(provider_wr_flush, "V5 D2", "ibv_wr_flush()")
{
	struct ibv_mr *mr = ibv_reg_mr(rxe_end.pd, own->peer_memory, MEM_PAGE,
				       OWN_RW | IBV_ACCESS_FLUSH_GLOBAL);
	struct ibv_qp_attr attr = { .qp_access_flags = OWN_RW | IBV_ACCESS_FLUSH_GLOBAL };
	struct ibv_qp_ex *ex = begin(own, 1);
	struct ibv_wc wc;

	if (!check(mr, "region: %s", strerror(errno)) || !ex)
		return;
	check_is(ibv_modify_qp(own->peer, &attr, IBV_QP_ACCESS_FLAGS), 0, "rights of the peer");
	strcpy(own->memory, "flushed");
	ibv_wr_rdma_write(ex, mr->rkey, target(own, 0));
	ibv_wr_set_sge(ex, own->mr->lkey, (uintptr_t)own->memory, 8);
	ex->wr_id = 2;
	ibv_wr_flush(ex, mr->rkey, target(own, 0), 8, IBV_FLUSH_GLOBAL, IBV_FLUSH_RANGE);
	check_is(ibv_wr_complete(ex), 0);
	completes(own, 1, IBV_WC_RDMA_WRITE);
	completes(own, 2, IBV_WC_FLUSH);
	check(!strcmp(own->peer_memory, "flushed"), "memory");
	ex = begin(own, 3);
	ibv_wr_flush(ex, own->peer_mr->rkey, target(own, 0), 8, IBV_FLUSH_GLOBAL, IBV_FLUSH_RANGE);
	check_is(ibv_wr_complete(ex), 0);
	check_is(end_wait(own->cq, &wc), IBV_WC_REM_ACCESS_ERR, "without the right");
	check(!ibv_dereg_mr(mr), "region");
}
#endif

/* A completion of rxe0. */
static void peer_gets(struct own *own, struct ibv_wc *wc)
{
	check_is(end_wait(own->peer_cq, wc), IBV_WC_SUCCESS, "the peer");
}

WR_TEST(provider_wr_send, "V5 D2", "SEND, immediate data and invalidation")
{
	struct ibv_sge sge = { (uintptr_t)own->peer_memory, 64, own->peer_mr->lkey };
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_qp_ex *ex;
	struct ibv_wc wc;
	int i;

	for (i = 0; i < 3; i++)
		check(!ibv_post_recv(own->peer, &wr, &bad), "receive");
	strcpy(own->memory, "hello");
	ex = begin(own, 1);
	if (!ex)
		return;
	ibv_wr_send(ex);
	ibv_wr_set_sge(ex, own->mr->lkey, (uintptr_t)own->memory, 6);
	ibv_wr_send_imm(ex, htobe32(IMM));
	ibv_wr_set_inline_data(ex, own->memory, 6);
	ibv_wr_rdma_write_imm(ex, own->peer_mr->rkey, target(own, 100), htobe32(IMM + 1));
	ibv_wr_set_sge(ex, own->mr->lkey, (uintptr_t)own->memory, 6);
	check_is(ibv_wr_complete(ex), 0);
	peer_gets(own, &wc);
	check(wc.opcode == IBV_WC_RECV && wc.byte_len == 6 && !(wc.wc_flags & IBV_WC_WITH_IMM),
	      "SEND: %u bytes", wc.byte_len);
	peer_gets(own, &wc);
	check(wc.wc_flags & IBV_WC_WITH_IMM && be32toh(wc.imm_data) == IMM, "SEND with data");
	peer_gets(own, &wc);
	check(wc.opcode == IBV_WC_RECV_RDMA_WITH_IMM && be32toh(wc.imm_data) == IMM + 1,
	      "WRITE with data");
	check(!strcmp(own->peer_memory, "hello") && !strcmp(own->peer_memory + 100, "hello"),
	      "memory");
	for (i = 0; i < 3; i++)
		completes(own, 1, i < 2 ? IBV_WC_SEND : IBV_WC_RDMA_WRITE);
}

/* The receiver is another queue pair of xr0, whose window is bound. */
static void try_inv(struct own *own, struct ibv_qp *other, struct ibv_mw *mw, bool accept)
{
	struct ibv_recv_wr *bad, wr = { .wr_id = 9 };
	struct ibv_qp_ex *ex;
	struct ibv_wc wc[2];
	int i, n = 0;

	check(!ibv_post_recv(other, &wr, &bad), "receive");
	ex = begin(own, 1);
	if (!ex)
		return;
	ibv_wr_send_inv(ex, mw->rkey);
	check_is(ibv_wr_complete(ex), 0);
	for (i = 0; i < 2; i++)
		if (end_wait(own->cq, &wc[i]) == IBV_WC_SUCCESS)
			n += wc[i].wr_id == 1 || (wc[i].wc_flags & IBV_WC_WITH_INV &&
						  wc[i].invalidated_rkey == mw->rkey);
	check(n == (accept ? 2 : 0), "%d completions of success: %d, %d", n, wc[0].status,
	      wc[1].status);
}

WR_TEST(provider_wr_inv, "V5 W10", "SEND with invalidation")
{
	struct ibv_mw *mw = ibv_alloc_mw(xr_end.pd, IBV_MW_TYPE_2);
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC, .send_cq = own->cq, .recv_cq = own->cq,
	};
	struct ibv_qp *other = own_qp(xr_end.pd, &init);
	struct ibv_send_wr *bad, bind = {
		.opcode = IBV_WR_BIND_MW,
		.bind_mw = { .mw = mw, .bind_info = { .mr = own->mr, .length = 64,
						      .addr = (uintptr_t)own->memory } },
	};

	if (!check(mw && other, "objects: %s", strerror(errno)))
		return;
	check(!end_move(&xr_end, own->qp, &xr_end, other->qp_num, IBV_QPS_RTS) &&
	      !end_move(&xr_end, other, &xr_end, own->qp->qp_num, IBV_QPS_RTS), "RTS");
	bind.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
	check_is(ibv_post_send(other, &bind, &bad), 0, "bind");
	try_inv(own, other, mw, true);
	try_inv(own, other, mw, false);
	check(!ibv_destroy_qp(other) && !ibv_dealloc_mw(mw), "objects");
}

WR_TEST(provider_wr_mw, "V5 W10", "windows without a system call")
{
	struct ibv_mw_bind_info info = {
		.mr = own->mr, .addr = (uintptr_t)own->memory + 64, .length = 64,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	struct ibv_mw *mw = ibv_alloc_mw(xr_end.pd, IBV_MW_TYPE_2);
	struct ibv_qp_ex *ex;
	int kept;

	if (!check(mw, "window: %s", strerror(errno)))
		return;
	kept = own_cut(own->doorbell);
	ex = begin(own, 1);
	if (!ex)
		return;
	ex->wr_flags = 0;
	ibv_wr_bind_mw(ex, mw, ibv_inc_rkey(mw->rkey), &info);
	check_is(ibv_wr_complete(ex), 0, "bind");
	own_mend(own->doorbell, kept);
	own_try_write(own, mw->rkey, own->memory + 64, true, "bound");
	kept = own_cut(own->doorbell);
	ex = begin(own, 2);
	ex->wr_flags = 0;
	ibv_wr_local_inv(ex, mw->rkey);
	check_is(ibv_wr_complete(ex), 0, "invalidate");
	own_mend(own->doorbell, kept);
	own_try_write(own, mw->rkey, own->memory + 64, false, "invalidated");
	ex = begin(own, 3);
	ibv_wr_bind_mw(ex, mw, mw->rkey ^ 1u << 20, &info);
	check_is(ibv_wr_complete(ex), EINVAL, "a key of another index");
	check(!ibv_dealloc_mw(mw), "window");
}

WR_TEST(provider_wr_mw_abort, "V5 W10", "a window whose bind is not posted keeps its key")
{
	struct ibv_mw_bind_info info = {
		.mr = own->mr, .addr = (uintptr_t)own->memory + 64, .length = 64,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	struct ibv_mw *mw = ibv_alloc_mw(xr_end.pd, IBV_MW_TYPE_2);
	struct ibv_qp_ex *ex;
	uint32_t key, i;

	if (!check(mw, "window: %s", strerror(errno)))
		return;
	key = mw->rkey;
	for (i = 0; i < 2; i++) {
		ex = begin(own, i);
		if (!ex)
			return;
		ibv_wr_bind_mw(ex, mw, ibv_inc_rkey(mw->rkey), &info);
		ibv_wr_bind_mw(ex, mw, ibv_inc_rkey(mw->rkey), &info);
		check(mw->rkey == ibv_inc_rkey(ibv_inc_rkey(key)), "meanwhile: %#x", mw->rkey);
		if (i) {
			ibv_wr_bind_mw(ex, mw, mw->rkey ^ 1u << 20, &info);
			check_is(ibv_wr_complete(ex), EINVAL, "a key of another index");
		} else {
			ibv_wr_abort(ex);
		}
		check(mw->rkey == key, "%#x, not %#x", mw->rkey, key);
	}
	check(!ibv_dealloc_mw(mw), "window");
}

/* --- Datagrams. */

static struct ibv_ah *address(struct own *own)
{
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = 1,
		.grh = { .sgid_index = xr_end.gid_index, .hop_limit = 64, .dgid = rxe_end.gid },
	};
	struct ibv_ah *ah = ibv_create_ah(own->qp->pd, &attr);

	check(ah, "address handle: %s", strerror(errno));
	return ah;
}

OWN_TEST(provider_wr_ud, "V5 D2", "ibv_wr_set_ud_addr()")
{
	struct ibv_sge sge = { (uintptr_t)own->peer_memory, 256, own->peer_mr->lkey };
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_UD, .send_cq = own->cq, .recv_cq = own->cq,
		.comp_mask = IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM,
	};
	struct ibv_qp *ud = own_qp(xr_end.pd, &init), *first = own->qp;
	struct ibv_qp *peer = end_qp(&rxe_end, IBV_QPT_UD, own->peer_cq, own->peer_cq, NULL, 4, 4);
	struct ibv_ah *ah = address(own);
	struct ibv_qp_ex *ex;
	struct ibv_wc wc;

	if (!ud || !peer || !ah)
		return;
	check(!end_move(&xr_end, ud, &rxe_end, 0, IBV_QPS_RTS) &&
	      !end_move(&rxe_end, peer, &xr_end, 0, IBV_QPS_RTS), "RTS");
	check(!ibv_post_recv(peer, &wr, &bad), "receive");
	own->qp = ud;
	strcpy(own->memory, "datagram");
	ex = begin(own, 1);
	if (!ex)
		return;
	ibv_wr_send_imm(ex, htobe32(IMM));
	ibv_wr_set_ud_addr(ex, ah, peer->qp_num, END_QKEY ^ 1);
	ibv_wr_set_sge(ex, own->mr->lkey, (uintptr_t)own->memory, 9);
	ex->wr_id = 2;
	ibv_wr_send_imm(ex, htobe32(IMM));
	ibv_wr_set_ud_addr(ex, ah, peer->qp_num, END_QKEY);
	ibv_wr_set_sge(ex, own->mr->lkey, (uintptr_t)own->memory, 9);
	check_is(ibv_wr_complete(ex), 0);
	completes(own, 1, IBV_WC_SEND);
	completes(own, 2, IBV_WC_SEND);
	/* That with a wrong key was dropped. */
	peer_gets(own, &wc);
	check(wc.src_qp == ud->qp_num && wc.byte_len == 49 && be32toh(wc.imm_data) == IMM,
	      "from %u, %u bytes", wc.src_qp, wc.byte_len);
	check(!strcmp(own->peer_memory + 40, "datagram"), "memory");
	check(!ibv_poll_cq(own->peer_cq, 1, &wc), "another one");
	own->qp = first;
	check(!ibv_destroy_ah(ah) && !ibv_destroy_qp(ud) && !ibv_destroy_qp(peer), "objects");
}

/* --- Completions. */

static struct ibv_cq *cq_ex(void)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 32,
		.wc_flags = IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_CVLAN,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED,
	};
	struct ibv_cq_ex *cq = ibv_create_cq_ex(xr_end.ctx, &attr);

	return cq ? ibv_cq_ex_to_cq(cq) : NULL;
}

static bool begins(void *arg)
{
	struct ibv_poll_cq_attr attr = {};

	return !ibv_start_poll(arg, &attr);
}

TEST_OPENED(own, own, own_open(&own, cq_ex, 0), own_close, provider_cq_ex, "V5 V6",
	    "ibv_start_poll() and the fields of completions")
{
	struct ibv_sge sge = { (uintptr_t)own->memory, 64, own->mr->lkey };
	struct ibv_sge theirs = { (uintptr_t)own->peer_memory, 13, own->peer_mr->lkey };
	struct ibv_cq_ex *cq = (struct ibv_cq_ex *)own->cq;
	struct ibv_poll_cq_attr attr = {}, wrong = { .comp_mask = 1 };
	struct ibv_recv_wr *bad, wr = { .wr_id = 5, .sg_list = &sge, .num_sge = 1 };
	struct ibv_send_wr *bad_send, send = {
		.sg_list = &theirs, .num_sge = 1, .opcode = IBV_WR_SEND_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED, .imm_data = htobe32(IMM),
	};
	struct ibv_wc wc;
	int i;

	check_is(ibv_start_poll(cq, &attr), ENOENT, "empty");
	check_is(ibv_start_poll(cq, &wrong), EINVAL, "attributes");
	for (i = 0; i < 3; i++) {
		check(!ibv_post_recv(own->qp, &wr, &bad), "receive");
		wr.wr_id++;
		check(!ibv_post_send(own->peer, &send, &bad_send), "send");
	}
	for (i = 0; i < 3; i++)
		peer_gets(own, &wc);
	if (!check(live_wait(begins, cq), "no completion"))
		return;
	for (i = 0; i < 3; i++) {
		check(cq->wr_id == 5u + i && cq->status == IBV_WC_SUCCESS, "%lu: %d",
		      (unsigned long)cq->wr_id, cq->status);
		check(ibv_wc_read_opcode(cq) == IBV_WC_RECV && ibv_wc_read_byte_len(cq) == 13 &&
		      be32toh(ibv_wc_read_imm_data(cq)) == IMM &&
		      ibv_wc_read_wc_flags(cq) == IBV_WC_WITH_IMM &&
		      ibv_wc_read_qp_num(cq) == own->qp->qp_num && !ibv_wc_read_vendor_err(cq) &&
		      !ibv_wc_read_sl(cq) && !ibv_wc_read_slid(cq) && !ibv_wc_read_cvlan(cq) &&
		      !ibv_wc_read_dlid_path_bits(cq), "fields of %d", i);
		check_is(ibv_next_poll(cq), i < 2 ? 0 : ENOENT, "after %d", i);
	}
	ibv_end_poll(cq);
	check_is(ibv_start_poll(cq, &attr), ENOENT, "all are taken");
}

static struct ibv_comp_channel *channel;

static struct ibv_cq *cq_event(void)
{
	channel = ibv_create_comp_channel(xr_end.ctx);
	if (!channel)
		return NULL;
	fcntl(channel->fd, F_SETFL, O_NONBLOCK);
	return ibv_create_cq(xr_end.ctx, 32, NULL, channel, 0);
}

/* Return: whether there is an event within @ms. */
static bool event(struct own *own, int ms)
{
	struct pollfd fd = { .fd = channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *context;

	if (poll(&fd, 1, ms) <= 0 || ibv_get_cq_event(channel, &cq, &context))
		return false;
	ibv_ack_cq_events(cq, 1);
	return cq == own->cq;
}

/* Arm without a system call. */
static void arm(struct own *own, int solicited)
{
	int kept = own_cut(xr_end.ctx->cmd_fd);

	check_is(ibv_req_notify_cq(own->cq, solicited), 0);
	own_mend(xr_end.ctx->cmd_fd, kept);
}

/* The peer sends, and the completion is taken. */
static void receive(struct own *own, unsigned int flags)
{
	struct ibv_send_wr *bad_send, send = {
		.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED | flags,
	};
	struct ibv_recv_wr *bad, wr = {};
	struct ibv_wc wc;

	check(!ibv_post_recv(own->qp, &wr, &bad) &&
	      !ibv_post_send(own->peer, &send, &bad_send), "post");
	peer_gets(own, &wc);
	check_is(end_wait(own->cq, &wc), IBV_WC_SUCCESS);
}

static void event_close(struct own *own)
{
	own_close(own);
	check(!ibv_destroy_comp_channel(channel), "channel");
}

TEST_OPENED(own, own, own_open(&own, cq_event, 0), event_close, provider_events, "V5 V6",
	    "completion queues are armed by a word in the ring")
{
	receive(own, 0);
	check(!event(own, 50), "it is not armed");
	arm(own, 0);
	check(!event(own, 50), "nothing has come since");
	receive(own, 0);
	check(event(own, 5000), "any completion");
	receive(own, 0);
	check(!event(own, 50), "it is armed once");

	arm(own, 1);
	receive(own, 0);
	check(!event(own, 50), "it is armed for a solicited one");
	receive(own, IBV_SEND_SOLICITED);
	check(event(own, 5000), "a solicited one");

	arm(own, 0);
	arm(own, 1);
	receive(own, 0);
	check(event(own, 5000), "an arm for any is not weakened");
	arm(own, 1);
	arm(own, 0);
	receive(own, 0);
	check(event(own, 5000), "it is widened");
}

/* Who waits for an event of a bind, armed before or after it, gets it. */
TEST_OPENED(own, own, own_open(&own, cq_event, 0), event_close, provider_events_bind, "V5 W10",
	    "an event of a bind, which rings no doorbell")
{
	struct ibv_mw *mw = ibv_alloc_mw(xr_end.pd, IBV_MW_TYPE_2);
	struct ibv_send_wr *bad, wr = {
		.opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED,
		.bind_mw = { .mw = mw, .bind_info = { .mr = own->mr, .length = 64,
						      .addr = (uintptr_t)own->memory } },
	};
	struct ibv_wc wc;
	int i;

	if (!check(mw, "window: %s", strerror(errno)))
		return;
	for (i = 0; i < 2; i++) {
		wr.opcode = IBV_WR_BIND_MW;
		wr.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
		if (i)
			arm(own, 0);
		check_is(ibv_post_send(own->qp, &wr, &bad), 0, "bind");
		if (!i)
			arm(own, 0);
		check(event(own, 5000), i ? "armed before" : "armed after");
		check_is(end_wait(own->cq, &wc), IBV_WC_SUCCESS);
		wr.opcode = IBV_WR_LOCAL_INV;
		wr.invalidate_rkey = mw->rkey;
		check_is(ibv_post_send(own->qp, &wr, &bad), 0, "invalidate");
		check_is(end_wait(own->cq, &wc), IBV_WC_SUCCESS);
	}
	check(!ibv_dealloc_mw(mw), "window");
}

TEST_MAIN(harness_main);
