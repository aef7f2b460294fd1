// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gid.h"
#include "rc_end.h"
#include "verbs_device.h"

#define POLLED		16

void needs(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

void rc_end_open(struct rc_end *e, const char *device, const char *address, size_t length,
		 unsigned int depth)
{
	struct ibv_qp_init_attr init = {
		.cap = { depth, depth, 1, 1 },
		.qp_type = IBV_QPT_RC,
	};

	memset(e, 0, sizeof(*e));
	e->ctx = verbs_device_open(device);
	needs(e->ctx, device);
	gid_parse(address, e->gid.raw);
	e->gid_index = gid_index(e->ctx, e->gid.raw);
	needs(e->gid_index >= 0, address);
	e->pd = ibv_alloc_pd(e->ctx);
	e->channel = ibv_create_comp_channel(e->ctx);
	needs(e->pd && e->channel, device);
	e->cq = ibv_create_cq(e->ctx, 2 * depth, NULL, e->channel, 0);
	e->memory = aligned_alloc(4096, length);
	needs(e->cq && e->memory, device);
	memset(e->memory, 0, length);
	e->length = length;
	e->mr = ibv_reg_mr(e->pd, e->memory, length, RC_END_ACCESS);
	init.send_cq = e->cq;
	init.recv_cq = e->cq;
	e->qp = ibv_create_qp(e->pd, &init);
	needs(e->mr && e->qp, device);
}

void rc_end_connect(struct rc_end *e, const struct rc_end *peer, unsigned int timeout)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = RC_END_ACCESS & ~IBV_ACCESS_LOCAL_WRITE,
		.path_mtu = IBV_MTU_4096,
		.dest_qp_num = peer->qp->qp_num,
		.max_dest_rd_atomic = 16,
		.max_rd_atomic = 16,
		.min_rnr_timer = 12,
		.timeout = timeout,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .dgid = peer->gid, .sgid_index = e->gid_index,
				      .hop_limit = 64 } },
	};

	errno = ibv_modify_qp(e->qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			      IBV_QP_ACCESS_FLAGS);
	needs(!errno, "INIT");
	a.qp_state = IBV_QPS_RTR;
	errno = ibv_modify_qp(e->qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			      IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			      IBV_QP_MIN_RNR_TIMER);
	needs(!errno, "RTR");
	a.qp_state = IBV_QPS_RTS;
	errno = ibv_modify_qp(e->qp, &a, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			      IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
	needs(!errno, "RTS");
}

void rc_end_completions(struct rc_end *e, void (*handle)(const struct ibv_wc *wc, void *arg),
			void *arg)
{
	struct ibv_wc wc[POLLED];
	int n, i, armed = 0;

	do {
		n = ibv_poll_cq(e->cq, POLLED, wc);
		needs(n >= 0, "poll");
		for (i = 0; i < n; i++)
			handle(&wc[i], arg);
		if (!n && !armed++) {
			errno = ibv_req_notify_cq(e->cq, 0);
			needs(!errno, "notify");
			n = 1;
		}
	} while (n);
}

void rc_end_event(struct rc_end *e, void (*handle)(const struct ibv_wc *wc, void *arg), void *arg)
{
	struct ibv_cq *cq;
	void *context;

	needs(!ibv_get_cq_event(e->channel, &cq, &context), "event");
	ibv_ack_cq_events(cq, 1);
	rc_end_completions(e, handle, arg);
}

void rc_end_close(struct rc_end *e)
{
	ibv_destroy_qp(e->qp);
	ibv_dereg_mr(e->mr);
	ibv_destroy_cq(e->cq);
	ibv_destroy_comp_channel(e->channel);
	ibv_dealloc_pd(e->pd);
	free(e->memory);
	ibv_close_device(e->ctx);
}
