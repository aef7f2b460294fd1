// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The provider: which devices it is for, and their contexts. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <infiniband/cmd_ioctl.h>
#include <rdma/ib_user_ioctl_cmds.h>

#include "ah.h"
#include "clock.h"
#include "resp.h"
#include "cq.h"
#include "mr.h"
#include "mw.h"
#include "pd.h"
#include "poller.h"
#include "qp.h"
#include "srq.h"
#include "td.h"

static const struct verbs_match_ent match_table[] = {
	VERBS_DRIVER_ID(XROCE_DRIVER_ID),
	{}
};

static int query_device_ex(struct ibv_context *ibctx, const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t size)
{
	struct ib_uverbs_ex_query_device_resp resp;
	size_t resp_size = sizeof(resp);
	uint64_t fw;
	int err;

	err = ibv_cmd_query_device_any(ibctx, input, attr, size, &resp, &resp_size);
	if (err)
		return err;
	fw = resp.base.fw_ver;
	snprintf(attr->orig_attr.fw_ver, sizeof(attr->orig_attr.fw_ver),
		 "%" PRIu64 ".%" PRIu64 ".%" PRIu64, fw >> 32 & 0xffff, fw >> 16 & 0xffff,
		 fw & 0xffff);
	return 0;
}

static int query_port(struct ibv_context *ibctx, uint8_t port, struct ibv_port_attr *attr)
{
	struct ibv_query_port cmd;

	return ibv_cmd_query_port(ibctx, port, attr, &cmd, sizeof(cmd));
}

static void free_context(struct ibv_context *ibctx)
{
	struct xp_context *ctx = to_xp_context(ibctx);

	close(ctx->doorbell);
	xp_ring_unmap(&ctx->poller);
	pthread_mutex_destroy(&ctx->lock);
	pthread_mutex_destroy(&ctx->qpn_lock);
	verbs_uninit_context(&ctx->vctx);
	free(ctx);
}

/* The clock of completions' timestamps, in nanoseconds, all of them in tv_nsec as with NICs. */
static int query_rt_values(struct ibv_context *ibctx __attribute__((unused)),
			   struct ibv_values_ex *values)
{
	if (values->comp_mask & ~(uint32_t)IBV_VALUES_MASK_RAW_CLOCK)
		return EINVAL;
	if (values->comp_mask)
		values->raw_clock = (struct timespec){ .tv_nsec = xp_clock_ns(CLOCK_MONOTONIC) };
	return 0;
}

/* A verb that is missing here returns EOPNOTSUPP. */
static const struct verbs_context_ops context_ops = {
	.advise_mr = xp_advise_mr,
	.alloc_mw = xp_alloc_mw,
	.alloc_null_mr = xp_alloc_null_mr,
	.alloc_parent_domain = xp_alloc_parent_domain,
	.alloc_pd = xp_alloc_pd,
	.alloc_td = xp_alloc_td,
	.attach_mcast = ibv_cmd_attach_mcast,
	.bind_mw = xp_bind_mw,
	.create_ah = xp_create_ah,
	.create_cq = xp_create_cq,
	.create_cq_ex = xp_create_cq_ex,
	.create_qp = xp_create_qp,
	.create_qp_ex = xp_create_qp_ex,
	.create_srq = xp_create_srq,
	.create_srq_ex = xp_create_srq_ex,
	.dealloc_mw = xp_dealloc_mw,
	.dealloc_pd = xp_dealloc_pd,
	.dealloc_td = xp_dealloc_td,
	.dereg_mr = xp_dereg_mr,
	.destroy_ah = xp_destroy_ah,
	.destroy_cq = xp_destroy_cq,
	.destroy_qp = xp_destroy_qp,
	.destroy_srq = xp_destroy_srq,
	.detach_mcast = ibv_cmd_detach_mcast,
	.free_context = free_context,
	.get_srq_num = xp_get_srq_num,
	.import_mr = xp_import_mr,
	.import_pd = xp_import_pd,
	.modify_cq = xp_modify_cq,
	.modify_qp = xp_modify_qp,
	.modify_srq = xp_modify_srq,
	.poll_cq = xp_poll_cq,
	.post_recv = xp_post_recv,
	.post_send = xp_post_send,
	.post_srq_recv = xp_post_srq_recv,
	.query_device_ex = query_device_ex,
	.query_port = query_port,
	.query_qp = xp_query_qp,
	.query_rt_values = query_rt_values,
	.query_srq = xp_query_srq,
	.reg_mr = xp_reg_mr,
	.req_notify_cq = xp_req_notify_cq,
	.rereg_mr = xp_rereg_mr,
	.resize_cq = xp_resize_cq,
	.unimport_mr = xp_unimport_mr,
	.unimport_pd = xp_unimport_pd,
};

static void open_context(struct xp_context *ctx, const struct xroce_alloc_ucontext_resp *resp)
{
	ctx->doorbell = resp->doorbell;
	pthread_mutex_init(&ctx->lock, NULL);
	pthread_mutex_init(&ctx->qpn_lock, NULL);
	list_head_init(&ctx->qps);
	verbs_set_ops(&ctx->vctx, &context_ops);
}

static struct verbs_context *alloc_context(struct ibv_device *device, int cmd_fd,
					   void *private_data __attribute__((unused)))
{
	struct xp_get_context_resp resp = { .xroce.doorbell = -1 };
	struct xp_get_context_cmd cmd = { .xroce.poll_us = xp_poller_wanted() };
	struct xp_context *ctx;

	ctx = verbs_init_and_alloc_context(device, cmd_fd, ctx, vctx, XROCE_DRIVER_ID);
	if (!ctx)
		return NULL;
	if (ibv_cmd_get_context(&ctx->vctx, &cmd.ibv, sizeof(cmd), &resp.ibv, sizeof(resp))) {
		verbs_uninit_context(&ctx->vctx);
		free(ctx);
		return NULL;
	}
	open_context(ctx, &resp.xroce);
	if (cmd.xroce.poll_us)
		xp_poller_open(ctx, &resp.xroce);
	return &ctx->vctx;
}

/* The context exists already; another process has opened it. */
static struct verbs_context *import_context(struct ibv_device *device, int cmd_fd)
{
	struct xroce_alloc_ucontext_resp resp = { .doorbell = -1 };
	struct xp_context *ctx;

	DECLARE_COMMAND_BUFFER_LINK(driver, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT, 1,
				    NULL);
	ctx = verbs_init_and_alloc_context(device, cmd_fd, ctx, vctx, XROCE_DRIVER_ID);
	if (!ctx)
		return NULL;
	fill_attr_out_ptr(driver, XROCE_ATTR_QUERY_CONTEXT, &resp);
	if (ibv_cmd_query_context(&ctx->vctx.context, driver)) {
		verbs_uninit_context(&ctx->vctx);
		free(ctx);
		return NULL;
	}
	open_context(ctx, &resp);
	return &ctx->vctx;
}

static struct verbs_device *alloc_device(struct verbs_sysfs_dev *sysfs_dev __attribute__((unused)))
{
	return calloc(1, sizeof(struct verbs_device));
}

static void uninit_device(struct verbs_device *device)
{
	free(device);
}

static const struct verbs_device_ops device_ops = {
	.name = "xroce",
	.match_min_abi_version = XROCE_ABI_VERSION,
	.match_max_abi_version = XROCE_ABI_VERSION,
	.match_table = match_table,
	.alloc_device = alloc_device,
	.uninit_device = uninit_device,
	.alloc_context = alloc_context,
	.import_context = import_context,
};

PROVIDER_DRIVER(xroce, device_ops);
