// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pairs and completion queues of the verbs device: their attributes and capacities, and what
 * is posted to them. What is refused changes nothing; beside it is what is accepted.
 */
#include <errno.h>
#include <string.h>

#include "mem.h"
#include "verbs_object.h"

/* --- Attributes and capacities. */

static enum ibv_qp_state state(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr = {};

	check(!ibv_query_qp(obj.qp, &attr, IBV_QP_STATE, &init), "query");
	return attr.qp_state;
}

static void refused(struct ibv_qp_attr *attr, int mask, const char *what)
{
	enum ibv_qp_state was = state();
	int ret = ibv_modify_qp(obj.qp, attr, mask);

	/* ENODATA is ib_core's: no such GID. */
	check(ret == EINVAL || ret == EOPNOTSUPP || ret == ENODATA, "%s: %d", what, ret);
	check(state() == was, "%s: state %d", what, state());
}

/* With any one attribute missing, nothing changes; with all, the state does. */
static void needs_all(const struct ibv_qp_attr *attr, int mask)
{
	struct ibv_qp_attr copy = *attr;
	int bit;

	for (bit = 1; bit <= mask; bit <<= 1)
		if (mask & bit && bit != IBV_QP_STATE)
			refused(&copy, mask & ~bit, "an attribute is missing");
	check(!ibv_modify_qp(obj.qp, &copy, mask), "state %d", attr->qp_state);
	check(state() == attr->qp_state, "state %d", state());
}

/* The same with a value out of range. */
#define OUT_OF_RANGE(attr, mask, field, value) do {		\
	struct ibv_qp_attr wrong = *(attr);			\
								\
	wrong.field = (value);					\
	refused(&wrong, mask, #field);				\
} while (0)

TEST(object_attributes, "V5 D2", "attributes of queue pairs out of range, or missing")
{
	const int init_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			      IBV_QP_ACCESS_FLAGS;
	const int rtr_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			     IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	const int rts_mask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			     IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	const struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	const struct ibv_qp_attr rts = {
		.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7,
	};
	struct ibv_qp_attr rtr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = 0x11,
		.ah_attr = { .is_global = 1, .port_num = 1 },
	};

	if (!objects_open())
		return;
	rtr.ah_attr.grh.sgid_index = xr_end.gid_index;
	rtr.ah_attr.grh.hop_limit = 64;
	rtr.ah_attr.grh.dgid = rxe_end.gid;
	check(!end_state(obj.qp, IBV_QPS_RESET), "RESET");
	refused(&(struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS }, IBV_QP_STATE, "RESET to RTS");
	OUT_OF_RANGE(&init, init_mask, port_num, 2);
	OUT_OF_RANGE(&init, init_mask, port_num, 0);
	OUT_OF_RANGE(&init, init_mask, pkey_index, 1);
	needs_all(&init, init_mask);
	OUT_OF_RANGE(&rtr, rtr_mask, path_mtu, 0);
	OUT_OF_RANGE(&rtr, rtr_mask, path_mtu, 6);
	OUT_OF_RANGE(&rtr, rtr_mask, min_rnr_timer, 32);
	OUT_OF_RANGE(&rtr, rtr_mask, max_dest_rd_atomic, 255);
	OUT_OF_RANGE(&rtr, rtr_mask, ah_attr.grh.sgid_index, 255);
	OUT_OF_RANGE(&rtr, rtr_mask, ah_attr.is_global, 0);
	OUT_OF_RANGE(&rtr, rtr_mask, ah_attr.port_num, 2);
	needs_all(&rtr, rtr_mask);
	refused(&(struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .cur_qp_state = IBV_QPS_RTS,
				       .timeout = 14, .retry_cnt = 7, .rnr_retry = 7 },
		rts_mask | IBV_QP_CUR_STATE, "another present state");
	refused(&(struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .path_mig_state = IBV_MIG_REARM,
				       .timeout = 14, .retry_cnt = 7, .rnr_retry = 7 },
		rts_mask | IBV_QP_PATH_MIG_STATE, "another path");
	OUT_OF_RANGE(&rts, rts_mask, timeout, 32);
	OUT_OF_RANGE(&rts, rts_mask, retry_cnt, 8);
	OUT_OF_RANGE(&rts, rts_mask, rnr_retry, 8);
	OUT_OF_RANGE(&rts, rts_mask, max_rd_atomic, 255);
	needs_all(&rts, rts_mask);
	objects_close();
}

/* Capacities that there are not. */
static void no_qp(struct ibv_qp_cap cap, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr init = {
		.qp_type = type, .send_cq = obj.cq, .recv_cq = obj.cq, .cap = cap,
	};
	struct ibv_qp *new = ibv_create_qp(xr_end.pd, &init);

	check(!new, "type %d, %u, %u, %u, %u, %u", type, cap.max_send_wr, cap.max_recv_wr,
	      cap.max_send_sge, cap.max_recv_sge, cap.max_inline_data);
	if (new)
		ibv_destroy_qp(new);
}

TEST(object_capacities, "V5 R9", "capacities out of range")
{
	const struct ibv_qp_cap one = { 1, 1, 1, 1, 0 };
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = 1u << 30, .max_sge = 1 } };

	if (!objects_open())
		return;
	no_qp(one, IBV_QPT_RAW_PACKET);
	no_qp(one, IBV_QPT_XRC_SEND);
	no_qp((struct ibv_qp_cap){ 1u << 31, 1, 1, 1, 0 }, IBV_QPT_RC);
	no_qp((struct ibv_qp_cap){ 1, ~0u, 1, 1, 0 }, IBV_QPT_RC);
	no_qp((struct ibv_qp_cap){ 1, 1, 1u << 28, 1, 0 }, IBV_QPT_RC);
	no_qp((struct ibv_qp_cap){ 1, 1, 1, 1u << 28, 0 }, IBV_QPT_RC);
	no_qp((struct ibv_qp_cap){ 1, 1, 1, 1, 1u << 31 }, IBV_QPT_RC);
	check(!ibv_create_cq(xr_end.ctx, 1 << 30, NULL, NULL, 0), "2^30 completions");
	check(!ibv_create_cq(xr_end.ctx, -1, NULL, NULL, 0), "2^32 - 1 completions");
	check(!ibv_create_cq(xr_end.ctx, 0, NULL, NULL, 0), "no completions");
	check(!ibv_create_srq(xr_end.pd, &srq), "2^30 receives");
	srq.attr.max_wr = 1;
	srq.attr.max_sge = 1u << 28;
	check(!ibv_create_srq(xr_end.pd, &srq), "2^28 elements");
	objects_close();
}

/* --- Receives. */

/* Post a SEND of MESSAGE bytes at the peer. Return: false and errno: it is refused. */
static bool peer_sends(void)
{
	struct ibv_sge from = { (uintptr_t)obj.peer_message, MESSAGE, obj.peer_mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &from, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};

	errno = ibv_post_send(obj.peer, &wr, &bad);
	return !errno;
}

/* The peer sends MESSAGE bytes to a receive of @num_sge elements of @bytes. */
static void try_receive(struct ibv_qp *self, int num_sge, uint32_t bytes, enum ibv_wc_status want)
{
	struct ibv_sge to = { (uintptr_t)obj.memory, bytes, obj.mr->lkey };
	struct ibv_recv_wr *bad, recv = { .sg_list = &to, .num_sge = num_sge };
	struct ibv_wc wc;
	int ret;

	memset(obj.memory, 0, MESSAGE);
	if (!ends_connect(self, obj.peer) ||
	    !check(!ibv_post_recv(self, &recv, &bad) && peer_sends(), "post: %s", strerror(errno)))
		return;
	ret = end_wait(obj.cq, &wc);
	check(ret == (int)want, "%d of %u bytes: %d, not %d", num_sge, bytes, ret, want);
	check(!memcmp(obj.memory, want ? obj.zeros : obj.peer_message, MESSAGE),
	      "%d of %u bytes: memory", num_sge, bytes);
	ret = end_wait(obj.peer_cq, &wc);
	check(ret == (want ? IBV_WC_REM_INV_REQ_ERR : IBV_WC_SUCCESS), "peer: %d", ret);
}

TEST(object_receive_short, "V5 R7", "messages longer than the receive")
{
	struct ibv_qp *self;

	if (!objects_open())
		return;
	self = end_qp(&xr_end, IBV_QPT_RC, obj.cq, obj.cq, NULL, 1, 1);
	if (!self)
		return;
	/* The third one has the place of the first in a ring of rxe's form. */
	try_receive(self, 1, MESSAGE, IBV_WC_SUCCESS);
	try_receive(self, 1, MESSAGE, IBV_WC_SUCCESS);
	try_receive(self, 0, 0, IBV_WC_LOC_LEN_ERR);
	try_receive(self, 1, MESSAGE - 1, IBV_WC_LOC_LEN_ERR);
	check(!ibv_destroy_qp(self), "destroy");
	memset(obj.memory, 0, MESSAGE);
	objects_close();
}

TEST(object_receive_late, "V5", "a message without a receive takes none of before")
{
	struct ibv_sge to = { (uintptr_t)obj.memory + MEM_PAGE, MESSAGE };
	struct ibv_recv_wr *bad, recv = { .wr_id = 7, .sg_list = &to, .num_sge = 1 };
	struct ibv_qp *self;
	struct ibv_wc wc;

	if (!objects_open())
		return;
	to.lkey = obj.mr->lkey;
	self = end_qp(&xr_end, IBV_QPT_RC, obj.cq, obj.cq, NULL, 1, 1);
	if (!self)
		return;
	try_receive(self, 1, MESSAGE, IBV_WC_SUCCESS);
	try_receive(self, 1, MESSAGE, IBV_WC_SUCCESS);
	memset(obj.memory, 0, MESSAGE);
	if (!ends_connect(self, obj.peer) || !check(peer_sends(), "post"))
		return;
	check(end_wait(obj.peer_cq, &wc) == IBV_WC_RNR_RETRY_EXC_ERR, "peer: %d", wc.status);
	check(!ibv_poll_cq(obj.cq, 1, &wc), "a completion without a receive");
	/* The peer alone begins again, with the same packet. See ends_connect(). */
	if (end_move(&rxe_end, obj.peer, &xr_end, self->qp_num, IBV_QPS_RTS))
		check(!end_move(&rxe_end, obj.peer, &xr_end, self->qp_num, IBV_QPS_RTS), "RTS");
	check(!ibv_post_recv(self, &recv, &bad) && peer_sends(), "post");
	check(!end_wait(obj.cq, &wc) && wc.wr_id == 7, "work request %lu", wc.wr_id);
	check(!end_wait(obj.peer_cq, &wc), "peer");
	check(!memcmp(obj.memory + MEM_PAGE, obj.peer_message, MESSAGE) &&
	      !memcmp(obj.memory, obj.zeros, MESSAGE), "memory");
	check(!ibv_destroy_qp(self), "destroy");
	memset(obj.memory, 0, sizeof(obj.memory));
	objects_close();
}

/* --- Data in the work request. */

/*
 * Eight bytes in a work request to the peer's region. @want: status of its completion, or the
 * provider has refused it.
 */
static void try_inline(enum ibv_wr_opcode opcode, uint32_t rkey, enum ibv_wc_status want)
{
	struct ibv_sge sge = { (uintptr_t)obj.memory, 8, obj.mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
		.wr.rdma = { .remote_addr = (uintptr_t)obj.peer_message, .rkey = rkey },
	};
	struct ibv_wc wc;
	int ret;

	if (opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = (uintptr_t)obj.peer_message;
		wr.wr.atomic.rkey = rkey;
	}
	if (!ends_connect(obj.qp, obj.peer) || (ibv_post_send(obj.qp, &wr, &bad) && want))
		return;
	ret = end_wait(obj.cq, &wc);
	check(ret == (int)want, "opcode %d: %d, not %d", opcode, ret, want);
}

TEST(object_inline, "V5 V2", "only SEND and WRITE have their data in the work request")
{
	struct ibv_mr *all;

	if (!objects_open())
		return;
	all = ibv_reg_mr(rxe_end.pd, obj.peer_message, MESSAGE, RW | IBV_ACCESS_REMOTE_READ |
			 IBV_ACCESS_REMOTE_ATOMIC);
	if (!check(all, "region: %s", strerror(errno)))
		return;
	memset(obj.memory, 0x77, 8);
	try_inline(IBV_WR_RDMA_READ, all->rkey, IBV_WC_LOC_QP_OP_ERR);
	try_inline(IBV_WR_ATOMIC_FETCH_AND_ADD, all->rkey, IBV_WC_LOC_QP_OP_ERR);
	try_inline(IBV_WR_ATOMIC_CMP_AND_SWP, all->rkey, IBV_WC_LOC_QP_OP_ERR);
	check((uint8_t)obj.peer_message[0] == 0xc3, "the peer's memory has changed");
	try_inline(IBV_WR_RDMA_WRITE, all->rkey, IBV_WC_SUCCESS);
	check(!memcmp(obj.peer_message, obj.memory, 8) && (uint8_t)obj.peer_message[8] == 0xc3,
	      "eight bytes are written");
	memset(obj.memory, 0, 8);
	check(!ibv_dereg_mr(all), "deregister");
	objects_close();
}

/* --- Completion queues, and what is in use. */

#define LARGE		65536	/* completions that engines ask for by default */
#define QUEUES		5u
#define QUEUE		16383u	/* the longest receive queue */

/* Return: whether the next completions are those of @wr_id from @from until @to. */
static bool in_order(struct ibv_cq *large, uint64_t from, uint64_t to)
{
	struct ibv_wc wc = {};

	for (; from < to && ibv_poll_cq(large, 1, &wc) == 1 && wc.wr_id == from; from++)
		;
	return check(from == to, "completion %llu, not %llu", (unsigned long long)wc.wr_id,
		     (unsigned long long)from);
}

/* All of the receives of a queue pair are flushed. @wr_id: the first and the next one. */
static bool flush_many(struct ibv_qp *many, uint64_t *wr_id)
{
	struct ibv_recv_wr *bad, wr = {};
	uint32_t i;

	if (!check(!end_move(&xr_end, many, &rxe_end, 0x11, IBV_QPS_INIT), "INIT"))
		return false;
	for (i = 0; i < QUEUE; i++) {
		wr.wr_id = (*wr_id)++;
		if (!check(!ibv_post_recv(many, &wr, &bad), "post %u", i))
			return false;
	}
	return check(!end_state(many, IBV_QPS_ERR), "ERR");
}

/* Completion queues as long as those of NICs; resized while many completions wait. */
TEST(object_large_queue, "V5 V2", "completion queues of 65,536 and more")
{
	struct ibv_qp *many[QUEUES] = {};
	struct ibv_device_attr attr = {};
	struct ibv_cq *large;
	uint64_t posted = 0;
	uint32_t i;

	if (!objects_open())
		return;
	check(!ibv_query_device(xr_end.ctx, &attr), "query");
	check(attr.max_cqe > LARGE, "max_cqe %d", attr.max_cqe);
	large = ibv_create_cq(xr_end.ctx, attr.max_cqe, NULL, NULL, 0);
	check(large && large->cqe == attr.max_cqe && !ibv_destroy_cq(large), "the longest");
	check(!ibv_create_cq(xr_end.ctx, attr.max_cqe + 1, NULL, NULL, 0), "one more");
	large = ibv_create_cq(xr_end.ctx, LARGE, NULL, NULL, 0);
	if (!check(large && large->cqe >= LARGE, "%d: %s", LARGE, strerror(errno)))
		return;
	for (i = 0; i < QUEUES && !test_failed(); i++) {
		many[i] = end_qp(&xr_end, IBV_QPT_RC, large, large, NULL, 1, QUEUE);
		if (!many[i] || !flush_many(many[i], &posted))
			return;
	}
	check(posted > LARGE && in_order(large, 0, 1000), "the first");
	check(ibv_resize_cq(large, posted - 1001), "to fewer than wait");
	check(!ibv_resize_cq(large, 4 * LARGE), "resize: %s", strerror(errno));
	check(large->cqe >= 4 * LARGE && in_order(large, 1000, posted), "the others");
	for (i = 0; i < QUEUES; i++)
		check(!ibv_destroy_qp(many[i]), "destroy");
	check(!ibv_destroy_cq(large), "destroy");
	objects_close();
}

/* What others use cannot be destroyed. */
TEST(object_busy, "V5", "destroying what is in use")
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 1, .max_sge = 1 } };
	struct ibv_srq *srq;
	struct ibv_qp *user;
	struct ibv_cq *used;

	if (!objects_open())
		return;
	srq = ibv_create_srq(xr_end.pd, &init);
	used = ibv_create_cq(xr_end.ctx, 1, NULL, NULL, 0);
	check(srq && used, "objects: %s", strerror(errno));
	user = end_qp(&xr_end, IBV_QPT_RC, used, obj.cq, srq, 1, 0);
	check(ibv_destroy_cq(used) == EBUSY, "a completion queue for sends");
	check(ibv_destroy_cq(obj.cq) == EBUSY, "a completion queue for receives");
	check(ibv_destroy_srq(srq) == EBUSY, "a shared queue");
	check(ibv_dealloc_pd(xr_end.pd) == EBUSY, "a domain");
	check(!ibv_destroy_qp(user) && !ibv_destroy_cq(used) && !ibv_destroy_srq(srq), "destroy");
	objects_close();
}

TEST_MAIN(harness_main);
