// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each allocation of each operation of libibverbs on the verbs device fails once (verbs_case.h).
 * What has been posted stays in the ring: only the doorbell is repeated.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "fault.h"
#include "fuzz.h"
#include "mem.h"
#include "verbs_case.h"
#include "verbs_end.h"
#include "verbs_netlink.h"
#include "verbs_ring.h"

static const int all_rights = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			      IBV_ACCESS_REMOTE_READ | IBV_ACCESS_MW_BIND;

/* Objects that are there in every case, and the one that the operation makes or destroys. */
static struct {
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	struct ibv_mw *mw;
	char memory[MEM_PAGE] __attribute__((aligned(MEM_PAGE)));
} with;

/* --- The operations. */

static int open_device(void)
{
	return result(ibv_open_device(xr_end.ctx->device));
}

static void close_device(void)
{
	check(!ibv_close_device(made.ctx), "close");
}

static int alloc_pd(void)
{
	return result(ibv_alloc_pd(xr_end.ctx));
}

static int dealloc_pd(void)
{
	return ibv_dealloc_pd(made.pd);
}

static int reg_pinned(void)
{
	return result(ibv_reg_mr(xr_end.pd, FAR, FAR_PAGES * MEM_PAGE, all_rights));
}

static int reg_odp(void)
{
	return result(ibv_reg_mr(xr_end.pd, FAR, FAR_PAGES * MEM_PAGE,
				 all_rights | IBV_ACCESS_ON_DEMAND));
}

static int reg_implicit(void)
{
	return result(ibv_reg_mr(xr_end.pd, NULL, SIZE_MAX,
				 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND));
}

static int dereg(void)
{
	return ibv_dereg_mr(made.mr);
}

static int alloc_mw_1(void)
{
	return result(ibv_alloc_mw(xr_end.pd, IBV_MW_TYPE_1));
}

static int alloc_mw_2(void)
{
	return result(ibv_alloc_mw(xr_end.pd, IBV_MW_TYPE_2));
}

static int dealloc_mw(void)
{
	return ibv_dealloc_mw(made.mw);
}

static int create_cq(void)
{
	return result(ibv_create_cq(xr_end.ctx, 100, NULL, with.channel, 0));
}

static int destroy_cq(void)
{
	return ibv_destroy_cq(made.cq);
}

/* ibv_resize_cq() returns -1 or an errno. */
static int resize_cq(void)
{
	int ret = ibv_resize_cq(made.cq, 500);

	return ret < 0 ? errno : ret;
}

static int req_notify(void)
{
	return ibv_req_notify_cq(with.cq, 0);
}

static int create_srq(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 20, .max_sge = 2 } };

	return result(ibv_create_srq(xr_end.pd, &init));
}

static int modify_srq(void)
{
	struct ibv_srq_attr attr = {};

	return ibv_modify_srq(with.srq, &attr, IBV_SRQ_LIMIT);
}

static int resize_srq(void)
{
	struct ibv_srq_attr attr = { .max_wr = 500 };

	return ibv_modify_srq(made.srq, &attr, IBV_SRQ_MAX_WR);
}

static int query_srq(void)
{
	struct ibv_srq_attr attr;

	return ibv_query_srq(with.srq, &attr);
}

static int destroy_srq(void)
{
	return ibv_destroy_srq(made.srq);
}

static int create_ah(void)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh = { .sgid_index = xr_end.gid_index, .hop_limit = 64, .dgid = rxe_end.gid },
	};

	return result(ibv_create_ah(xr_end.pd, &attr));
}

static int destroy_ah(void)
{
	return ibv_destroy_ah(made.ah);
}

static int create_qp(enum ibv_qp_type type, struct ibv_srq *srq)
{
	struct ibv_qp_init_attr init = {
		.qp_type = type,
		.send_cq = with.cq,
		.recv_cq = with.cq,
		.srq = srq,
		.cap = { .max_send_wr = 20, .max_send_sge = 1,
			 .max_recv_wr = srq ? 0 : 40, .max_recv_sge = srq ? 0 : 2 },
	};

	return result(ibv_create_qp(xr_end.pd, &init));
}

static int create_rc(void)
{
	return create_qp(IBV_QPT_RC, NULL);
}

static int create_uc(void)
{
	return create_qp(IBV_QPT_UC, NULL);
}

static int create_ud(void)
{
	return create_qp(IBV_QPT_UD, NULL);
}

static int create_with_srq(void)
{
	return create_qp(IBV_QPT_RC, with.srq);
}

static int destroy_qp(void)
{
	return ibv_destroy_qp(made.qp);
}

/* Prepare and make transitions of @with's queue pair, which later ones undo. */
static void in(enum ibv_qp_state state)
{
	check(!end_move(&xr_end, with.qp, &rxe_end, 0x11, state), "state %d", state);
}

static void in_reset(void)
{
	in(IBV_QPS_RESET);
}

static void in_init(void)
{
	in(IBV_QPS_INIT);
}

static void in_rtr(void)
{
	in(IBV_QPS_RTR);
}

static void in_rts(void)
{
	in(IBV_QPS_RTS);
}

static int to_init(void)
{
	return end_step(&xr_end, with.qp, &rxe_end, 0x11, IBV_QPS_INIT);
}

static int to_rtr(void)
{
	return end_step(&xr_end, with.qp, &rxe_end, 0x11, IBV_QPS_RTR);
}

static int to_rts(void)
{
	return end_step(&xr_end, with.qp, &rxe_end, 0x11, IBV_QPS_RTS);
}

static int to_sqd(void)
{
	return end_state(with.qp, IBV_QPS_SQD);
}

static int to_err(void)
{
	return end_state(with.qp, IBV_QPS_ERR);
}

static int to_reset(void)
{
	return end_state(with.qp, IBV_QPS_RESET);
}

static int query_qp(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(with.qp, &attr, IBV_QP_STATE, &init);
}

static int query_device(void)
{
	struct ibv_device_attr attr;

	return ibv_query_device(xr_end.ctx, &attr);
}

static int query_port(void)
{
	struct ibv_port_attr attr;

	return ibv_query_port(xr_end.ctx, 1, &attr);
}

static void window(void)
{
	in_rts();
	check(!alloc_mw_2(), "window: %s", strerror(errno));
}

static int bind(void)
{
	struct ibv_send_wr *bad, wr = {
		.opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_mw = {
			.mw = made.mw,
			.rkey = ibv_inc_rkey(made.mw->rkey),
			.bind_info = { .mr = with.mr, .addr = (uintptr_t)with.memory,
				       .length = MEM_PAGE,
				       .mw_access_flags = IBV_ACCESS_REMOTE_WRITE },
		},
	};
	int ret = ibv_post_send(with.qp, &wr, &bad);

	if (!ret)
		made.mw->rkey = wr.bind_mw.rkey;
	return ret;
}

/* Nothing more is posted. */
static int ring(void)
{
	return -ring_doorbell(xr_end.ctx, with.qp->handle);
}

static int bind_rung(void)
{
	int ret = ring();

	if (!ret)
		made.mw->rkey = ibv_inc_rkey(made.mw->rkey);
	return ret;
}

static void completes(void)
{
	struct ibv_wc wc;

	check_is(end_wait(with.cq, &wc), 0, "completion");
}

static void bound(void)
{
	window();
	check(!bind(), "bind");
	completes();
}

static int invalidate(void)
{
	struct ibv_send_wr *bad, wr = {
		.opcode = IBV_WR_LOCAL_INV,
		.send_flags = IBV_SEND_SIGNALED,
		.invalidate_rkey = made.mw->rkey,
	};

	return ibv_post_send(with.qp, &wr, &bad);
}

static void window_after(void)
{
	completes();
	check(!dealloc_mw(), "window");
	in_reset();
}

/* Undo by the operation that destroys what was made. */
#define UNDO(call)	static void undo_##call(void) { check(!call(), #call); }
UNDO(dealloc_pd)
UNDO(dereg)
UNDO(dealloc_mw)
UNDO(destroy_cq)
UNDO(destroy_srq)
UNDO(destroy_ah)
UNDO(destroy_qp)

/* Prepare by the operation that makes what will be destroyed. */
#define MAKE(call)	static void make_##call(void) { check(!call(), #call); }
MAKE(alloc_pd)
MAKE(alloc_mw_1)
MAKE(create_cq)
MAKE(create_srq)
MAKE(create_ah)
MAKE(create_rc)
MAKE(create_uc)
MAKE(create_ud)
MAKE(create_with_srq)

static void region_gone(void)
{
	undo_dereg();
	far_unmap();
}

static void region_pinned(void)
{
	far_map();
	check(!reg_pinned(), "region");
}

static void region_odp(void)
{
	far_map();
	check(!reg_odp(), "region");
}

static const struct verbs_case making[] = {
	{ "open", NULL, open_device, close_device, .any_error = true },
	{ "alloc_pd", NULL, alloc_pd, undo_dealloc_pd },
	{ "reg_mr", far_map, reg_pinned, region_gone },
	{ "reg_mr, on demand", far_map, reg_odp, region_gone },
	{ "reg_mr, implicit", NULL, reg_implicit, undo_dereg },
	{ "alloc_mw, type 1", NULL, alloc_mw_1, undo_dealloc_mw },
	{ "alloc_mw, type 2", NULL, alloc_mw_2, undo_dealloc_mw },
	{ "create_cq", NULL, create_cq, undo_destroy_cq },
	{ "create_srq", NULL, create_srq, undo_destroy_srq },
	{ "create_ah", NULL, create_ah, undo_destroy_ah },
	{ "create_qp, RC", NULL, create_rc, undo_destroy_qp },
	{ "create_qp, UC", NULL, create_uc, undo_destroy_qp },
	{ "create_qp, UD", NULL, create_ud, undo_destroy_qp },
	{ "create_qp, with a shared queue", NULL, create_with_srq, undo_destroy_qp },
};

static const struct verbs_case changing[] = {
	{ "resize_cq", make_create_cq, resize_cq, undo_destroy_cq },
	{ "req_notify_cq", NULL, req_notify, NULL },
	{ "modify_srq", NULL, modify_srq, NULL },
	{ "resize_srq", make_create_srq, resize_srq, undo_destroy_srq },
	{ "query_srq", NULL, query_srq, NULL },
	{ "query_qp", NULL, query_qp, NULL },
	{ "query_device", NULL, query_device, NULL },
	{ "query_port", NULL, query_port, NULL },
	{ "to INIT", in_reset, to_init, in_reset },
	{ "to RTR", in_init, to_rtr, in_reset },
	{ "to RTS", in_rtr, to_rts, in_reset },
	{ "to SQD", in_rts, to_sqd, in_reset },
	{ "to ERR", in_rts, to_err, in_reset },
	{ "to RESET", in_rts, to_reset, in_reset },
	{ "bind", window, bind, window_after, .repeat = bind_rung },
	{ "invalidate", bound, invalidate, window_after, .repeat = ring },
};

static const struct verbs_case destroying[] = {
	{ "dealloc_pd", make_alloc_pd, dealloc_pd, NULL },
	{ "dereg_mr", region_pinned, dereg, far_unmap },
	{ "dereg_mr, on demand", region_odp, dereg, far_unmap },
	{ "dealloc_mw", make_alloc_mw_1, dealloc_mw, NULL },
	{ "destroy_cq", make_create_cq, destroy_cq, NULL },
	{ "destroy_srq", make_create_srq, destroy_srq, NULL },
	{ "destroy_ah", make_create_ah, destroy_ah, NULL },
	{ "destroy_qp, RC", make_create_rc, destroy_qp, NULL },
	{ "destroy_qp, UC", make_create_uc, destroy_qp, NULL },
	{ "destroy_qp, UD", make_create_ud, destroy_qp, NULL },
	{ "destroy_qp, with a shared queue", make_create_with_srq, destroy_qp, NULL },
};

static bool objects(void)
{
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = 20, .max_sge = 2 } };

	if (!verbs_cases_open() || !ends_open())
		return false;
	with.channel = ibv_create_comp_channel(xr_end.ctx);
	with.cq = ibv_create_cq(xr_end.ctx, 100, NULL, with.channel, 0);
	with.srq = ibv_create_srq(xr_end.pd, &srq);
	with.mr = ibv_reg_mr(xr_end.pd, with.memory, MEM_PAGE, all_rights);
	with.mw = ibv_alloc_mw(xr_end.pd, IBV_MW_TYPE_1);
	with.qp = end_qp(&xr_end, IBV_QPT_RC, with.cq, with.cq, NULL, 20, 40);
	verbs_case_qp = with.qp;
	return check(with.channel && with.cq && with.srq && with.mr && with.mw && with.qp,
		     "objects: %s", strerror(errno));
}

static void objects_gone(void)
{
	check(!ibv_destroy_qp(with.qp) && !ibv_dealloc_mw(with.mw) && !ibv_dereg_mr(with.mr) &&
	      !ibv_destroy_srq(with.srq) && !ibv_destroy_cq(with.cq) &&
	      !ibv_destroy_comp_channel(with.channel), "destroy");
	verbs_case_qp = NULL;
	ends_close();
}

static void run_all(const struct verbs_case *ops, size_t n)
{
	if (!objects())
		return;
	verbs_cases_run(ops, n);
	objects_gone();
	verbs_cases_close();
}

TEST(verbs_fault_make, "V5 R9", "making objects") { run_all(making, ARRAY_SIZE(making)); }

TEST(verbs_fault_change, "V5 D2", "changing and querying objects, binding windows")
{
	run_all(changing, ARRAY_SIZE(changing));
}

TEST(verbs_fault_destroy, "V5", "destroying objects")
{
	run_all(destroying, ARRAY_SIZE(destroying));
}

static int add_device(void)
{
	int ret = -verbs_netlink_add("xr0", "x0");

	/* There was no memory for the kernel's answer. */
	if (ret == ENOBUFS)
		ret = access("/sys/class/infiniband/xr0", F_OK) ? ENOMEM : 0;
	return ret;
}

static void delete_device(void)
{
	check_is(verbs_netlink_delete("xr0"), 0, "rdma link delete");
}

/* rdma link add, on a link without a verbs device. */
TEST(verbs_fault_link, "V5 V1", "making the device")
{
	const struct verbs_case op = {
		.name = "rdma link add", .run = add_device, .after = delete_device, .places = 300,
	};

	fuzz_begin();
	if (!verbs_cases_open())
		return;
	delete_device();
	verbs_case_run(&op);
	check(!add_device(), "rdma link add");
	verbs_cases_close();
}

TEST_MAIN(fault_harness_main);
