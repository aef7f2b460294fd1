// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verbs that xroce's own provider does not have. Each says EOPNOTSUPP at once, the first one that a
 * program would ask for as well as those that need an object made before.
 */
#include <errno.h>
#include <string.h>

#include "provider_end.h"

/* A verb that makes an object has made none. */
#define no_object(object, what) do {							\
	errno = 0;									\
	check(!(object) && errno == EOPNOTSUPP, "%s: errno %d", what, errno);		\
} while (0)

/* One that changes an object returns the errno. */
#define no_such(call, what) do {							\
	int ret_ = call;								\
											\
	check(ret_ == EOPNOTSUPP, "%s: %d", what, ret_);				\
} while (0)

OWN_TEST(provider_refused_memory, "V5", "memory of other kinds")
{
	struct ibv_alloc_dm_attr dm = { .length = 4096 };
	struct ibv_mr *mr;

	no_object(ibv_alloc_dm(xr_end.ctx, &dm), "alloc_dm");
	no_object(ibv_import_dm(xr_end.ctx, 1), "import_dm");
	no_object(ibv_reg_dmabuf_mr(xr_end.pd, 0, MEM_PAGE, 0, 0, OWN_RW), "reg_dmabuf_mr");
	no_object(ibv_reg_mr(xr_end.pd, own->memory, MEM_PAGE, OWN_RW | IBV_ACCESS_ZERO_BASED),
		  "reg_mr, zero-based");
	mr = ibv_reg_mr(xr_end.pd, own->memory, MEM_PAGE, OWN_RW);
	check(mr && !ibv_dereg_mr(mr), "an ordinary one");
}

OWN_TEST(provider_refused_queues, "V5", "work queues, XRC, flows, counters")
{
	struct ibv_xrcd_init_attr xrcd = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = -1,
	};
	struct ibv_wq_init_attr wq = {
		.wq_type = IBV_WQT_RQ, .max_wr = 1, .max_sge = 1, .pd = xr_end.pd, .cq = own->cq,
	};
	struct ibv_rwq_ind_table_init_attr table = {};
	struct ibv_qp_open_attr open = { .comp_mask = IBV_QP_OPEN_ATTR_NUM };
	struct ibv_flow_attr flow = { .size = sizeof(flow), .port = 1 };
	struct ibv_counters_init_attr counters = {};
	struct ibv_flow_action_esp_attr esp = {};

	no_object(ibv_open_xrcd(xr_end.ctx, &xrcd), "open_xrcd");
	no_object(ibv_open_qp(xr_end.ctx, &open), "open_qp");
	no_object(ibv_create_wq(xr_end.ctx, &wq), "create_wq");
	no_object(ibv_create_rwq_ind_table(xr_end.ctx, &table), "create_rwq_ind_table");
	no_object(ibv_create_flow(own->qp, &flow), "create_flow");
	no_object(ibv_create_flow_action_esp(xr_end.ctx, &esp), "create_flow_action_esp");
	no_object(ibv_create_counters(xr_end.ctx, &counters), "create_counters");
}

/* Kinds and flags of what there is. */
OWN_TEST(provider_refused_kinds, "V5", "other kinds of queues, and what they would have")
{
	struct ibv_qp_init_attr_ex qp = {
		.qp_type = IBV_QPT_RC, .send_cq = own->cq, .recv_cq = own->cq,
		.comp_mask = IBV_QP_INIT_ATTR_PD, .pd = xr_end.pd,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	}, other;
	struct ibv_srq_init_attr_ex srq = {
		.attr = { .max_wr = 1, .max_sge = 1 }, .pd = xr_end.pd,
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
	};
	struct ibv_cq_init_attr_ex cq = { .cqe = 1, .wc_flags = IBV_WC_EX_WITH_FLOW_TAG };
	const enum ibv_qp_type types[] = {
		IBV_QPT_RAW_PACKET, IBV_QPT_XRC_SEND, IBV_QPT_XRC_RECV, IBV_QPT_DRIVER,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		other = qp;
		other.qp_type = types[i];
		no_object(ibv_create_qp_ex(xr_end.ctx, &other), "type of a queue pair");
	}
	other = qp;
	other.comp_mask |= IBV_QP_INIT_ATTR_CREATE_FLAGS;
	other.create_flags = IBV_QP_CREATE_SCATTER_FCS;
	no_object(ibv_create_qp_ex(xr_end.ctx, &other), "flag of a queue pair");
	other = qp;
	other.comp_mask |= IBV_QP_INIT_ATTR_MAX_TSO_HEADER;
	no_object(ibv_create_qp_ex(xr_end.ctx, &other), "attribute of a queue pair");
	other = qp;
	other.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	other.send_ops_flags = IBV_QP_EX_WITH_TSO;
	no_object(ibv_create_qp_ex(xr_end.ctx, &other), "an operation");
	other.qp_type = IBV_QPT_UC;
	other.send_ops_flags = IBV_QP_EX_WITH_ATOMIC_WRITE;
	no_object(ibv_create_qp_ex(xr_end.ctx, &other), "an operation of RC");
	srq.srq_type = IBV_SRQT_XRC;
	no_object(ibv_create_srq_ex(xr_end.ctx, &srq), "type of a shared queue");
	srq.srq_type = IBV_SRQT_TM;
	no_object(ibv_create_srq_ex(xr_end.ctx, &srq), "tag matching");
	no_object(ibv_create_cq_ex(xr_end.ctx, &cq), "field of a completion");
}

OWN_TEST(provider_refused_calls, "V5", "calls to objects that there are")
{
	struct ibv_qp_rate_limit_attr rate = {};
	struct ibv_ece ece = {};

	no_such(ibv_modify_qp_rate_limit(own->qp, &rate), "modify_qp_rate_limit");
	no_such(ibv_set_ece(own->qp, &ece), "set_ece");
	no_such(ibv_query_ece(own->qp, &ece), "query_ece");
	own_try_write(own, own->mr->rkey, own->memory, true, "the queue pair is as before");
}

TEST_MAIN(harness_main);
