// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rights and ranges of the verbs device's objects. What is refused changes nothing; beside it
 * is what is accepted.
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/wait.h>

#include "gid.h"
#include "group.h"
#include "live.h"
#include "mem.h"
#include "verbs_command.h"
#include "verbs_end.h"

#define MESSAGE		64u
#define RW		(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)

static char memory[2 * MEM_PAGE] __attribute__((aligned(MEM_PAGE)));
static char zeros[2 * MEM_PAGE];
static char peer_message[MESSAGE];
static struct verbs_end other;
static struct ibv_pd *pd2;
static struct ibv_mr *mr, *mr2, *unbindable, *foreign, *peer_mr;
static struct ibv_cq *cq, *peer_cq;
static struct ibv_qp *qp, *peer;

static struct ibv_mr *reg(struct ibv_pd *pd, int access)
{
	struct ibv_mr *new = ibv_reg_mr(pd, memory, sizeof(memory), access);

	check(new, "region with %#x: %s", access, strerror(errno));
	return new;
}

static bool objects(void)
{
	if (!ends_open() || !end_open(&other, "xr0", "10.77.0.2"))
		return false;
	memset(peer_message, 0xc3, sizeof(peer_message));
	pd2 = ibv_alloc_pd(xr_end.ctx);
	mr = reg(xr_end.pd, RW | IBV_ACCESS_MW_BIND);
	unbindable = reg(xr_end.pd, RW);
	mr2 = pd2 ? reg(pd2, RW | IBV_ACCESS_MW_BIND) : NULL;
	foreign = reg(other.pd, RW | IBV_ACCESS_MW_BIND);
	peer_mr = ibv_reg_mr(rxe_end.pd, peer_message, MESSAGE, IBV_ACCESS_LOCAL_WRITE);
	cq = ibv_create_cq(xr_end.ctx, 64, NULL, NULL, 0);
	peer_cq = ibv_create_cq(rxe_end.ctx, 64, NULL, NULL, 0);
	if (!check(mr2 && peer_mr && cq && peer_cq, "objects: %s", strerror(errno)))
		return false;
	qp = end_qp(&xr_end, IBV_QPT_RC, cq, cq, NULL, 8, 8);
	peer = end_qp(&rxe_end, IBV_QPT_RC, peer_cq, peer_cq, NULL, 8, 1);
	return qp && peer && ends_connect(qp, peer);
}

static void objects_gone(void)
{
	check(!ibv_destroy_qp(qp) && !ibv_destroy_qp(peer), "queue pairs");
	check(!ibv_destroy_cq(cq) && !ibv_destroy_cq(peer_cq), "completion queues");
	check(!ibv_dereg_mr(mr) && !ibv_dereg_mr(mr2) && !ibv_dereg_mr(unbindable) &&
	      !ibv_dereg_mr(foreign) && !ibv_dereg_mr(peer_mr), "regions");
	check(!ibv_dealloc_pd(pd2), "domain");
	end_close(&other);
	ends_close();
}

/* --- Regions. */

static void try_reg(void *at, size_t bytes, int access, int want)
{
	struct ibv_mr *new;

	errno = 0;
	new = ibv_reg_mr(xr_end.pd, at, bytes, access);
	check(new ? !want : errno == want, "%zu bytes at %p with %#x: %s, not %s", bytes, at,
	      access, new ? "accepted" : strerror(errno), strerror(want));
	check(!new || !ibv_dereg_mr(new), "deregister");
}

TEST(object_regions, "V5 R7", "rights and memory of regions")
{
	char *read_only = mmap(NULL, MEM_PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!objects())
		return;
	try_reg(memory, MEM_PAGE, 0, 0);
	try_reg(memory, 1, IBV_ACCESS_REMOTE_READ, 0);
	try_reg(memory, MEM_PAGE, RW | IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_RELAXED_ORDERING, 0);
	try_reg(memory, MEM_PAGE, IBV_ACCESS_REMOTE_WRITE, EINVAL);
	try_reg(memory, MEM_PAGE, IBV_ACCESS_REMOTE_ATOMIC, EINVAL);
	try_reg(memory, MEM_PAGE, RW | IBV_ACCESS_ZERO_BASED, EOPNOTSUPP);
	try_reg(memory, 0, RW, EINVAL);
	try_reg(read_only, MEM_PAGE, IBV_ACCESS_REMOTE_READ, 0);
	try_reg(read_only, MEM_PAGE, RW, EFAULT);
	check(!munmap(read_only, MEM_PAGE), "unmap");
	try_reg(read_only, MEM_PAGE, IBV_ACCESS_REMOTE_READ, EFAULT);
	objects_gone();
}

/* As a daemon: an ordinary user, in a child of the process that has opened the device. */
TEST(object_inherited, "V2 R1", "a daemon's child registers its memory")
{
	struct ibv_mr *new;
	int status = 0;
	pid_t pid;

	if (!objects())
		return;
	pid = fork();
	if (!pid) {
		if (setuid(65534))
			_exit(255);
		new = ibv_reg_mr(xr_end.pd, memory, sizeof(memory), RW);
		_exit(new ? ibv_dereg_mr(new) : errno);
	}
	waitpid(pid, &status, 0);
	check(WIFEXITED(status) && !WEXITSTATUS(status), "in a child: %s",
	      strerror(WEXITSTATUS(status)));
	objects_gone();
}

/* --- Windows. */

/* A message of the peer, of @bytes to @at. Return: status of its completion. */
static int peer_writes(uint32_t rkey, uint32_t at, uint32_t bytes)
{
	struct ibv_sge sge = { (uintptr_t)peer_message, bytes, peer_mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = (uintptr_t)memory + at, .rkey = rkey },
	};
	struct ibv_wc wc;

	return check(!ibv_post_send(peer, &wr, &bad), "post") ? end_wait(peer_cq, &wc) : -1;
}

/* A WRITE with a key is executed, or refused without writing anything. */
static void try_write(uint32_t rkey, uint32_t at, bool accept, const char *what)
{
	int ret = peer_writes(rkey, at, MESSAGE);

	check(ret == (accept ? IBV_WC_SUCCESS : IBV_WC_REM_ACCESS_ERR), "%s: %d", what, ret);
	check(memcmp(memory, zeros, sizeof(memory)) ? accept : !accept, "%s: memory", what);
	memset(memory, 0, sizeof(memory));
	if (!accept)
		ends_connect(qp, peer);
}

/* A bind in the form of the provider, for both types. */
struct binding {
	struct ibv_mw *mw;
	struct ibv_mr *mr;
	uint32_t present;
	uint32_t next;
	uint32_t at;
	uint64_t length;
	unsigned int access;
};

static struct binding binding(struct ibv_mw *mw)
{
	return (struct binding){
		.mw = mw,
		.mr = mr,
		.present = mw->rkey,
		.next = ibv_inc_rkey(mw->rkey),
		.at = MESSAGE,
		.length = 2 * MESSAGE,
		.access = IBV_ACCESS_REMOTE_WRITE,
	};
}

/* Bind, and check the status. A failed bind ends the queue pair, which is connected again. */
static void try_bind(struct binding b, int want, const char *what)
{
	struct ibv_mw with_key = *b.mw;
	struct ibv_send_wr *bad, wr = {
		.opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_mw = {
			.mw = &with_key,
			.rkey = b.next,
			.bind_info = { .mr = b.mr, .addr = (uintptr_t)memory + b.at,
				       .length = b.length, .mw_access_flags = b.access },
		},
	};
	struct ibv_wc wc;
	int ret;

	with_key.rkey = b.present;
	check(!ibv_post_send(qp, &wr, &bad), "%s: post", what);
	ret = end_wait(cq, &wc);
	check(ret == want, "%s: %d, not %d", what, ret, want);
	if (ret)
		ends_connect(qp, peer);
	else
		b.mw->rkey = b.next;
}

static void try_binds(enum ibv_mw_type type)
{
	struct ibv_mw *mw = ibv_alloc_mw(xr_end.pd, type), *mw2 = ibv_alloc_mw(pd2, type);
	struct binding b;

	if (!check(mw && mw2, "windows: %s", strerror(errno)))
		return;
	try_write(mw->rkey, MESSAGE, false, "unbound");
	b = binding(mw);
	b.present ^= 1;
	try_bind(b, IBV_WC_MW_BIND_ERR, "another present key");
	b = binding(mw);
	b.next ^= 1u << 20;
	try_bind(b, IBV_WC_MW_BIND_ERR, "a key of another index");
	b = binding(mw);
	b.length = sizeof(memory) - MESSAGE + 1;
	try_bind(b, IBV_WC_MW_BIND_ERR, "a byte past the end");
	b = binding(mw);
	b.mr = mr2;
	try_bind(b, IBV_WC_MW_BIND_ERR, "a region of another domain");
	b.mr = foreign;
	try_bind(b, IBV_WC_MW_BIND_ERR, "a region of another context");
	b.mr = unbindable;
	try_bind(b, IBV_WC_MW_BIND_ERR, "a region without the right");
	b = binding(mw2);
	try_bind(b, IBV_WC_MW_BIND_ERR, "a window of another domain");
	b = binding(mw);
	b.access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_MW_BIND;
	try_bind(b, IBV_WC_MW_BIND_ERR, "a right that windows do not have");
	b.access = IBV_ACCESS_REMOTE_WRITE | 1u << 30;
	try_bind(b, IBV_WC_MW_BIND_ERR, "an unknown right");
	try_write(mw->rkey, MESSAGE, false, "still unbound");

	b = binding(mw);
	try_bind(b, 0, "a range inside");
	try_write(mw->rkey, MESSAGE, true, "bound");
	try_write(mw->rkey, 2 * MESSAGE, true, "its end");
	check(ibv_dereg_mr(mr) == EBUSY, "the region of a bound window");
	check(!ibv_dealloc_mw(mw) && !ibv_dealloc_mw(mw2), "windows");
}

static void bounds(enum ibv_mw_type type)
{
	const uint32_t outside[] = { MESSAGE - 1, 2 * MESSAGE + 1, 0, 3 * MESSAGE };
	struct ibv_mw *mw;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(outside); i++) {
		mw = ibv_alloc_mw(xr_end.pd, type);
		if (!check(mw, "window: %s", strerror(errno)))
			return;
		try_bind(binding(mw), 0, "a range inside");
		try_write(mw->rkey, MESSAGE, true, "bound");
		try_write(mw->rkey, outside[i], false, "a byte outside");
		check(!ibv_dealloc_mw(mw), "window");
	}
}

TEST(object_windows_1, "V5 W1", "binding and using windows of type 1")
{
	if (!objects())
		return;
	try_binds(IBV_MW_TYPE_1);
	bounds(IBV_MW_TYPE_1);
	objects_gone();
}

TEST(object_windows_2, "V5 W1", "binding and using windows of type 2")
{
	if (!objects())
		return;
	try_binds(IBV_MW_TYPE_2);
	bounds(IBV_MW_TYPE_2);
	objects_gone();
}

/* --- Keys of others. */

TEST(object_keys, "V5 R7", "keys of other domains and contexts")
{
	struct ibv_sge sge = { (uintptr_t)memory, MESSAGE, foreign ? foreign->lkey : 0 };
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_send_wr *bad_send, send = {
		.sg_list = &(struct ibv_sge){ (uintptr_t)peer_message, MESSAGE, 0 },
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};
	struct ibv_wc wc = {};
	int i, ours, theirs;

	if (!objects())
		return;
	try_write(mr->rkey, 0, true, "its own");
	try_write(mr2->rkey, 0, false, "of another domain");
	try_write(foreign->rkey, 0, false, "of another context");
	send.sg_list->lkey = peer_mr->lkey;
	for (i = 0; i < 3; i++) {
		sge.lkey = i == 0 ? mr->lkey : i == 1 ? mr2->lkey : foreign->lkey;
		check(!ibv_post_recv(qp, &wr, &bad) && !ibv_post_send(peer, &send, &bad_send),
		      "post");
		ours = end_wait(cq, &wc);
		theirs = end_wait(peer_cq, &wc);
		check(!ours == !i && !theirs == !i, "key %d: %d, peer's %d", i, ours, theirs);
		check(!memcmp(memory, zeros, sizeof(memory)) == !!i, "key %d: memory", i);
		memset(memory, 0, sizeof(memory));
		ends_connect(qp, peer);
	}
	objects_gone();
}

/* A region is changed in place: what is refused leaves keys, rights and domain as they were. */
TEST(object_rereg, "V5 R7", "changing regions in place")
{
	uint32_t key;
	int ret;

	if (!objects())
		return;
	key = mr->rkey;
	ret = command_rereg(mr, IBV_REREG_MR_CHANGE_ACCESS, xr_end.pd, NULL, 0,
			    IBV_ACCESS_ZERO_BASED);
	check(ret == EOPNOTSUPP, "a right that there is not: %d", ret);
	check_is(command_rereg(mr, IBV_REREG_MR_CHANGE_TRANSLATION, xr_end.pd, memory, 0, 0),
		 EINVAL, "no bytes");
	check(mr->rkey == key, "the key");
	try_write(mr->rkey, 0, true, "as before");
	check(!command_rereg(mr, IBV_REREG_MR_CHANGE_ACCESS, xr_end.pd, NULL, 0,
			     IBV_ACCESS_LOCAL_WRITE), "rights");
	try_write(mr->rkey, 0, false, "without the right");
	check(!command_rereg(mr, IBV_REREG_MR_CHANGE_ACCESS | IBV_REREG_MR_CHANGE_TRANSLATION,
			     xr_end.pd, memory, MEM_PAGE, RW), "rights and memory");
	try_write(key, 0, false, "the first key");
	try_write(mr->rkey, MEM_PAGE - MESSAGE + 1, false, "past the new end");
	try_write(mr->rkey, MEM_PAGE - MESSAGE, true, "its end");
	check(!command_rereg(mr, IBV_REREG_MR_CHANGE_PD, pd2, NULL, 0, 0), "domain");
	try_write(mr->rkey, 0, false, "in another domain");
	objects_gone();
}

/* Advice for regions of others, and by a key that is not theirs. */
TEST(object_advise, "V5 R7", "advice for regions of other domains and contexts")
{
	struct ibv_sge sge = { (uintptr_t)memory, MEM_PAGE, 0 };
	struct ibv_mr *on_demand;

	if (!objects())
		return;
	on_demand = reg(xr_end.pd, RW | IBV_ACCESS_ON_DEMAND);
	if (!on_demand)
		return;
	sge.lkey = on_demand->lkey;
	check(!command_advise(xr_end.pd, &sge), "its own: %s", strerror(errno));
	check(command_advise(pd2, &sge) == EFAULT, "another domain: %s", strerror(errno));
	check(command_advise(other.pd, &sge) == EFAULT, "another context: %s", strerror(errno));
	sge.lkey ^= 1;
	check(command_advise(xr_end.pd, &sge) == EFAULT, "another key: %s", strerror(errno));
	sge.lkey ^= 1;
	sge.length = sizeof(memory) + 1;
	check(command_advise(xr_end.pd, &sge) == EFAULT, "past its end: %s", strerror(errno));
	check(!ibv_dereg_mr(on_demand), "deregister");
	objects_gone();
}

/* --- Queue pairs. */

static enum ibv_qp_state state(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr = {};

	check(!ibv_query_qp(qp, &attr, IBV_QP_STATE, &init), "query");
	return attr.qp_state;
}

static void refused(struct ibv_qp_attr *attr, int mask, const char *what)
{
	enum ibv_qp_state was = state();
	int ret = ibv_modify_qp(qp, attr, mask);

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
	check(!ibv_modify_qp(qp, &copy, mask), "state %d", attr->qp_state);
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

	if (!objects())
		return;
	rtr.ah_attr.grh.sgid_index = xr_end.gid_index;
	rtr.ah_attr.grh.hop_limit = 64;
	rtr.ah_attr.grh.dgid = rxe_end.gid;
	check(!end_state(qp, IBV_QPS_RESET), "RESET");
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
	objects_gone();
}

/* Capacities that there are not. */
static void no_qp(struct ibv_qp_cap cap, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr init = {
		.qp_type = type, .send_cq = cq, .recv_cq = cq, .cap = cap,
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

	if (!objects())
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
	objects_gone();
}

/* --- Receives. */

/* Post a SEND of MESSAGE bytes at the peer. Return: false and errno: it is refused. */
static bool peer_sends(void)
{
	struct ibv_sge from = { (uintptr_t)peer_message, MESSAGE, peer_mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &from, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};

	errno = ibv_post_send(peer, &wr, &bad);
	return !errno;
}

/* The peer sends MESSAGE bytes to a receive of @num_sge elements of @bytes. */
static void try_receive(struct ibv_qp *self, int num_sge, uint32_t bytes, enum ibv_wc_status want)
{
	struct ibv_sge to = { (uintptr_t)memory, bytes, mr->lkey };
	struct ibv_recv_wr *bad, recv = { .sg_list = &to, .num_sge = num_sge };
	struct ibv_wc wc;
	int ret;

	memset(memory, 0, MESSAGE);
	if (!ends_connect(self, peer) ||
	    !check(!ibv_post_recv(self, &recv, &bad) && peer_sends(), "post: %s", strerror(errno)))
		return;
	ret = end_wait(cq, &wc);
	check(ret == (int)want, "%d of %u bytes: %d, not %d", num_sge, bytes, ret, want);
	check(!memcmp(memory, want ? zeros : peer_message, MESSAGE), "%d of %u bytes: memory",
	      num_sge, bytes);
	ret = end_wait(peer_cq, &wc);
	check(ret == (want ? IBV_WC_REM_INV_REQ_ERR : IBV_WC_SUCCESS), "peer: %d", ret);
}

TEST(object_receive_short, "V5 R7", "messages longer than the receive")
{
	struct ibv_qp *self;

	if (!objects())
		return;
	self = end_qp(&xr_end, IBV_QPT_RC, cq, cq, NULL, 1, 1);
	if (!self)
		return;
	/* The third one has the place of the first in a ring of rxe's form. */
	try_receive(self, 1, MESSAGE, IBV_WC_SUCCESS);
	try_receive(self, 1, MESSAGE, IBV_WC_SUCCESS);
	try_receive(self, 0, 0, IBV_WC_LOC_LEN_ERR);
	try_receive(self, 1, MESSAGE - 1, IBV_WC_LOC_LEN_ERR);
	check(!ibv_destroy_qp(self), "destroy");
	memset(memory, 0, MESSAGE);
	objects_gone();
}

TEST(object_receive_late, "V5", "a message without a receive takes none of before")
{
	struct ibv_sge to = { (uintptr_t)memory + MEM_PAGE, MESSAGE };
	struct ibv_recv_wr *bad, recv = { .wr_id = 7, .sg_list = &to, .num_sge = 1 };
	struct ibv_qp *self;
	struct ibv_wc wc;

	if (!objects())
		return;
	to.lkey = mr->lkey;
	self = end_qp(&xr_end, IBV_QPT_RC, cq, cq, NULL, 1, 1);
	if (!self)
		return;
	try_receive(self, 1, MESSAGE, IBV_WC_SUCCESS);
	try_receive(self, 1, MESSAGE, IBV_WC_SUCCESS);
	memset(memory, 0, MESSAGE);
	if (!ends_connect(self, peer) || !check(peer_sends(), "post"))
		return;
	check(end_wait(peer_cq, &wc) == IBV_WC_RNR_RETRY_EXC_ERR, "peer: %d", wc.status);
	check(!ibv_poll_cq(cq, 1, &wc), "a completion without a receive");
	/* The peer alone begins again, with the same packet. See ends_connect(). */
	if (end_move(&rxe_end, peer, &xr_end, self->qp_num, IBV_QPS_RTS))
		check(!end_move(&rxe_end, peer, &xr_end, self->qp_num, IBV_QPS_RTS), "RTS");
	check(!ibv_post_recv(self, &recv, &bad) && peer_sends(), "post");
	check(!end_wait(cq, &wc) && wc.wr_id == 7, "work request %lu", wc.wr_id);
	check(!end_wait(peer_cq, &wc), "peer");
	check(!memcmp(memory + MEM_PAGE, peer_message, MESSAGE) &&
	      !memcmp(memory, zeros, MESSAGE), "memory");
	check(!ibv_destroy_qp(self), "destroy");
	memset(memory, 0, sizeof(memory));
	objects_gone();
}

/* --- Data in the work request. */

/*
 * Eight bytes in a work request to the peer's region. @want: status of its completion, or the
 * provider has refused it.
 */
static void try_inline(enum ibv_wr_opcode opcode, uint32_t rkey, enum ibv_wc_status want)
{
	struct ibv_sge sge = { (uintptr_t)memory, 8, mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
		.wr.rdma = { .remote_addr = (uintptr_t)peer_message, .rkey = rkey },
	};
	struct ibv_wc wc;
	int ret;

	if (opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = (uintptr_t)peer_message;
		wr.wr.atomic.rkey = rkey;
	}
	if (!ends_connect(qp, peer) || (ibv_post_send(qp, &wr, &bad) && want))
		return;
	ret = end_wait(cq, &wc);
	check(ret == (int)want, "opcode %d: %d, not %d", opcode, ret, want);
}

TEST(object_inline, "V5 V2", "only SEND and WRITE have their data in the work request")
{
	struct ibv_mr *all;

	if (!objects())
		return;
	all = ibv_reg_mr(rxe_end.pd, peer_message, MESSAGE, RW | IBV_ACCESS_REMOTE_READ |
			 IBV_ACCESS_REMOTE_ATOMIC);
	if (!check(all, "region: %s", strerror(errno)))
		return;
	memset(memory, 0x77, 8);
	try_inline(IBV_WR_RDMA_READ, all->rkey, IBV_WC_LOC_QP_OP_ERR);
	try_inline(IBV_WR_ATOMIC_FETCH_AND_ADD, all->rkey, IBV_WC_LOC_QP_OP_ERR);
	try_inline(IBV_WR_ATOMIC_CMP_AND_SWP, all->rkey, IBV_WC_LOC_QP_OP_ERR);
	check((uint8_t)peer_message[0] == 0xc3, "the peer's memory has changed");
	try_inline(IBV_WR_RDMA_WRITE, all->rkey, IBV_WC_SUCCESS);
	check(!memcmp(peer_message, memory, 8) && (uint8_t)peer_message[8] == 0xc3,
	      "eight bytes are written");
	memset(memory, 0, 8);
	check(!ibv_dereg_mr(all), "deregister");
	objects_gone();
}

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

	if (!objects())
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
	objects_gone();
}

/* --- Datagrams. */

/* A datagram from a queue pair to itself, between @e's address and itself. */
static void try_datagram(const struct verbs_end *e, struct ibv_qp *self, uint8_t sl)
{
	struct ibv_ah_attr to = {
		.is_global = 1, .port_num = 1,
		.grh = { .sgid_index = e->gid_index, .hop_limit = 64, .dgid = e->gid },
	};
	struct ibv_sge sge = { (uintptr_t)memory, 40 + MESSAGE, mr->lkey };
	struct ibv_recv_wr *bad_recv, recv = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_send_wr *bad, wr = { .opcode = IBV_WR_SEND };
	struct ibv_ah *ah = ibv_create_ah(xr_end.pd, &to), *back;
	struct ibv_wc wc = {};

	if (!check(ah, "%s", strerror(errno)))
		return;
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = self->qp_num;
	wr.wr.ud.remote_qkey = END_QKEY;
	check(!ibv_post_recv(self, &recv, &bad_recv) && !ibv_post_send(self, &wr, &bad), "post");
	check(!end_wait(cq, &wc) && wc.wc_flags == IBV_WC_GRH, "flags %#x", wc.wc_flags);
	check(wc.sl == sl, "service level %u, not %u", wc.sl, sl);
	back = ibv_create_ah_from_wc(xr_end.pd, &wc, (struct ibv_grh *)memory, 1);
	check(back && !ibv_destroy_ah(back), "answer: %s", strerror(errno));
	check(!ibv_destroy_ah(ah), "destroy");
}

/* Send @bytes from @self to itself by @ah. The completion has the status @want. */
static void sends_datagram(struct ibv_qp *self, struct ibv_ah *ah, uint32_t bytes,
			   enum ibv_wc_status want, const char *what)
{
	struct ibv_sge sge = { (uintptr_t)memory, bytes, mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = { .ah = ah, .remote_qpn = self->qp_num, .remote_qkey = END_QKEY },
	};
	struct ibv_wc wc;
	int ret;

	if (!check(ah, "%s: %s", what, strerror(errno)) ||
	    !check(!end_move(&xr_end, self, &xr_end, 0, IBV_QPS_RTS), "%s: RTS", what))
		return;
	check(!ibv_post_send(self, &wr, &bad), "%s: post", what);
	ret = end_wait(cq, &wc);
	check(ret == (int)want, "%s: %d, not %d", what, ret, want);
}

/* Datagrams by the address handles of others, or longer than a packet. */
TEST(object_datagram_refused, "V5 V2", "address handles of others, and too long a datagram")
{
	struct ibv_ah_attr to = {
		.is_global = 1, .port_num = 1,
		.grh = { .hop_limit = 64 },
	};
	struct ibv_ah *ah, *domain, *context;
	struct ibv_port_attr port;
	struct ibv_qp *self;
	uint32_t most;

	if (!objects())
		return;
	to.grh.sgid_index = xr_end.gid_index;
	to.grh.dgid = xr_end.gid;
	ah = ibv_create_ah(xr_end.pd, &to);
	domain = ibv_create_ah(pd2, &to);
	context = ibv_create_ah(other.pd, &to);
	self = end_qp(&xr_end, IBV_QPT_UD, cq, cq, NULL, 1, 1);
	if (!self || !check(!ibv_query_port(xr_end.ctx, 1, &port), "port"))
		return;
	most = 128u << port.active_mtu;
	sends_datagram(self, ah, most, IBV_WC_SUCCESS, "one packet");
	sends_datagram(self, ah, most + 1, IBV_WC_LOC_LEN_ERR, "a byte more");
	sends_datagram(self, domain, 1, IBV_WC_LOC_QP_OP_ERR, "another domain");
	sends_datagram(self, context, 1, IBV_WC_LOC_QP_OP_ERR, "another context");
	check(!ibv_destroy_qp(self) && !ibv_destroy_ah(ah) && !ibv_destroy_ah(domain) &&
	      !ibv_destroy_ah(context), "destroy");
	objects_gone();
}

/* As NICs do, the completion says in its service level which header the datagram had. */
TEST(object_datagram_sl, "V2", "the service level tells IPv4 from IPv6")
{
	struct verbs_end six;
	struct ibv_qp *self;

	if (!objects() || !end_open(&six, "xr0", "fd77::2"))
		return;
	self = end_qp(&xr_end, IBV_QPT_UD, cq, cq, NULL, 1, 1);
	if (!self || !check(!end_move(&xr_end, self, &xr_end, 0, IBV_QPS_RTS), "RTS"))
		return;
	try_datagram(&xr_end, self, 8 | 2);
	try_datagram(&six, self, 8 | 1);
	check(!ibv_destroy_qp(self), "destroy");
	end_close(&six);
	objects_gone();
}

/* What others use cannot be destroyed. */
TEST(object_busy, "V5", "destroying what is in use")
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 1, .max_sge = 1 } };
	struct ibv_srq *srq;
	struct ibv_qp *user;
	struct ibv_cq *used;

	if (!objects())
		return;
	srq = ibv_create_srq(xr_end.pd, &init);
	used = ibv_create_cq(xr_end.ctx, 1, NULL, NULL, 0);
	check(srq && used, "objects: %s", strerror(errno));
	user = end_qp(&xr_end, IBV_QPT_RC, used, cq, srq, 1, 0);
	check(ibv_destroy_cq(used) == EBUSY, "a completion queue for sends");
	check(ibv_destroy_cq(cq) == EBUSY, "a completion queue for receives");
	check(ibv_destroy_srq(srq) == EBUSY, "a shared queue");
	check(ibv_dealloc_pd(xr_end.pd) == EBUSY, "a domain");
	check(!ibv_destroy_qp(user) && !ibv_destroy_cq(used) && !ibv_destroy_srq(srq), "destroy");
	objects_gone();
}

#define NOBODY		65534
#define MOST_HANDLES	(1u << 18)	/* of a link */

/* To a group, whose Ethernet address needs no neighbour. */
static struct ibv_ah *handle(void)
{
	union ibv_gid to = {};
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = 1,
		.grh = { .sgid_index = xr_end.gid_index, .hop_limit = 1 },
	};

	gid_parse("239.1.2.3", to.raw);
	attr.grh.dgid = to;
	return ibv_create_ah(xr_end.pd, &attr);
}

/* Bytes that are charged to the group for @n address handles of @ah. */
static unsigned long long charged_for(struct ibv_ah **ah, unsigned int n)
{
	unsigned long long before = group_used();
	unsigned int i;

	for (i = 0; i < n; i++) {
		ah[i] = handle();
		if (!check(ah[i], "handle %u: %s", i, strerror(errno)))
			return 0;
	}
	return group_used() - before;
}

/* A user's address handles are charged to the control group, and limited by the user's share. */
static void handles_as_user(void)
{
	const unsigned int some = 16384, most = (MOST_HANDLES - MOST_HANDLES / 8) / 2;
	struct ibv_ah **ah = calloc(most + 1, sizeof(*ah));
	unsigned long long bytes;
	unsigned int n;

	/* The real user id counts; the effective one may still read what is charged. */
	live_drop_cap(CAP_NET_ADMIN);
	if (!check(!setresuid(NOBODY, -1, -1), "setresuid: %s", strerror(errno)) ||
	    !end_open(&xr_end, "xr0", "10.77.0.2") || !ah)
		return;
	memset(ah, 0, (most + 1) * sizeof(*ah));
	bytes = charged_for(ah, some);
	note("%llu bytes for a handle", bytes / some);
	if (!check(bytes / some >= 300, "%llu bytes are charged for %u handles", bytes, some))
		return;
	for (n = some; n <= most; n++) {
		ah[n] = handle();
		if (!ah[n])
			break;
	}
	check(n == most && errno == EDQUOT, "%u handles: %s", n, strerror(errno));
	/* They are given back, also those that the end of the process destroys. */
	if (n)
		check(!ibv_destroy_ah(ah[--n]) && (ah[n] = handle()), "again: %s",
		      strerror(errno));
}

TEST(object_handles, "V5 R10", "address handles are charged, and a user has a share")
{
	int status = -1;
	pid_t pid;

	if (!group_open("memory"))
		return;
	pid = fork();
	if (!pid) {
		if (check(group_join(0), "join"))
			handles_as_user();
		fflush(stdout);
		_exit(test_failed());
	}
	waitpid(pid, &status, 0);
	check(!status, "the user's process: %d", status);
	group_close();
}

TEST_MAIN(harness_main);
