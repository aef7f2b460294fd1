// SPDX-License-Identifier: GPL-2.0-only
/* Xroce's own provider: completion queues with timestamps, and those that nobody guards. */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "live.h"
#include "provider_end.h"

#define MANY	40u	/* more than the smallest queue has */

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static struct ibv_cq *cq_with(uint64_t wc_flags, uint32_t flags)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 16, .wc_flags = wc_flags, .flags = flags,
		.comp_mask = flags ? IBV_CQ_INIT_ATTR_MASK_FLAGS : 0,
	};
	struct ibv_cq_ex *cq = ibv_create_cq_ex(xr_end.ctx, &attr);

	return cq ? ibv_cq_ex_to_cq(cq) : NULL;
}

static struct ibv_cq *cq_stamped(void)
{
	return cq_with(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
		       IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK, 0);
}

static struct ibv_cq *cq_unbounded(void)
{
	return cq_with(0, IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN);
}

static struct ibv_cq *cq_bounded(void)
{
	return cq_with(0, 0);
}

static bool begins(void *cq)
{
	struct ibv_poll_cq_attr attr = {};

	return !ibv_start_poll(cq, &attr);
}

TEST_OPENED(own, own, own_open(&own, cq_stamped, 0), own_close, provider_timestamps, "V5 V6",
	    "when a completion was made, by both clocks")
{
	struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK }, none = {
		.comp_mask = 1u << 7,
	};
	struct ibv_sge sge = { (uintptr_t)own->memory, 8, own->mr->lkey };
	struct ibv_send_wr *bad, wr = own_wr(own, IBV_WR_RDMA_WRITE, &sge);
	struct ibv_cq_ex *cq = (struct ibv_cq_ex *)own->cq;
	struct ibv_device_attr_ex dev = {};
	uint64_t before, after, wall, at;

	check(!ibv_query_device_ex(xr_end.ctx, NULL, &dev) && dev.completion_timestamp_mask &&
	      dev.hca_core_clock == 1000000, "a clock of %lu kHz", (long)dev.hca_core_clock);
	wall = now_ns(CLOCK_REALTIME);
	before = now_ns(CLOCK_MONOTONIC);
	check(!ibv_post_send(own->qp, &wr, &bad), "post");
	if (!check(live_wait(begins, cq), "no completion"))
		return;
	after = now_ns(CLOCK_MONOTONIC);
	at = ibv_wc_read_completion_ts(cq);
	check(at >= before && at <= after, "%lu is not from %lu to %lu", (long)at, (long)before,
	      (long)after);
	at = ibv_wc_read_completion_wallclock_ns(cq);
	check(at + 1000000 >= wall && at <= now_ns(CLOCK_REALTIME), "%lu by the wall", (long)at);
	ibv_end_poll(cq);
	check(!ibv_query_rt_values_ex(xr_end.ctx, &values) &&
	      (uint64_t)values.raw_clock.tv_nsec >= after, "the clock now");
	check_is(ibv_query_rt_values_ex(xr_end.ctx, &none), EINVAL, "another value");
}

static bool ready(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	check(!ibv_query_qp(qp, &attr, IBV_QP_STATE, &init), "query");
	return attr.qp_state == IBV_QPS_RTS;
}

/* The last WRITE has arrived, or the queue pair has ended. */
static bool settled(void *arg)
{
	const struct own *own = arg;

	return *(volatile char *)own->peer_memory == *own->memory || !ready(own->qp);
}

/* Post MANY WRITEs, one after the other, and read no completion. */
static void flood(struct own *own)
{
	struct ibv_sge sge = { (uintptr_t)own->memory, 8, own->mr->lkey };
	struct ibv_send_wr *bad, wr = own_wr(own, IBV_WR_RDMA_WRITE, &sge);
	uint32_t i;

	for (i = 1; i <= MANY && ready(own->qp); i++) {
		*own->memory = i;
		if (!check(!ibv_post_send(own->qp, &wr, &bad), "post %u", i) ||
		    !check(live_wait(settled, own), "WRITE %u has not arrived", i))
			return;
	}
}

TEST_OPENED(own, own, own_open(&own, cq_unbounded, 0), own_close, provider_overrun, "V5 V6",
	    "a queue that may be overrun does not fail")
{
	flood(own);
	check(ready(own->qp), "the queue pair");
	check_is(end_events(&xr_end, IBV_EVENT_CQ_ERR), 0, "events");
	check_is(own->peer_memory[0], MANY, "the last one");
}

TEST_OPENED(own, own, own_open(&own, cq_bounded, 0), own_close, provider_overrun_not, "V5 V6",
	    "another queue fails")
{
	flood(own);
	check(!ready(own->qp), "the queue pair");
	check_is(end_events(&xr_end, IBV_EVENT_CQ_ERR), 1, "events");
}

static struct ibv_cq *cq_ex(void)
{
	return cq_with(IBV_WC_STANDARD_FLAGS, 0);
}

/* A window of type 2 that is bound without the doorbell. @key: out. Return: the window. */
static struct ibv_mw *bind_quietly(struct own *own, struct ibv_qp *qp, uint64_t wr_id)
{
	struct ibv_mw *mw = ibv_alloc_mw(xr_end.pd, IBV_MW_TYPE_2);
	struct ibv_send_wr *bad, wr = {
		.wr_id = wr_id, .opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED,
		.bind_mw.bind_info = { .mr = own->mr, .addr = (uintptr_t)own->memory,
				       .length = 64, .mw_access_flags = IBV_ACCESS_REMOTE_WRITE },
	};

	if (!check(mw, "window: %s", strerror(errno)))
		return NULL;
	wr.bind_mw.mw = mw;
	wr.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
	check(!ibv_post_send(qp, &wr, &bad), "bind");
	return mw;
}

/* A lock that is taken twice would wait for ever; so would two that are taken crosswise. */
TEST_OPENED(own, own, own_open(&own, cq_ex, 0), own_close, provider_poll_open, "V5 V6 W10",
	    "arming and binding while a completion is being read")
{
	struct ibv_sge sge = { (uintptr_t)own->memory, 8, own->mr->lkey };
	struct ibv_send_wr *bad, wr = own_wr(own, IBV_WR_RDMA_WRITE, &sge);
	struct ibv_cq_ex *cq = (struct ibv_cq_ex *)own->cq;
	struct ibv_mw *mw;

	alarm(20);
	check(!ibv_post_send(own->qp, &wr, &bad), "post");
	if (!check(live_wait(begins, cq), "no completion"))
		return;
	mw = bind_quietly(own, own->qp, 7);
	check(!ibv_req_notify_cq(own->cq, 0), "arm");
	ibv_end_poll(cq);
	if (check(live_wait(begins, cq), "no completion of the bind")) {
		check(cq->wr_id == 7 && cq->status == IBV_WC_SUCCESS, "%lu: %d", (long)cq->wr_id,
		      cq->status);
		ibv_end_poll(cq);
	}
	check(mw && !ibv_dealloc_mw(mw), "window");
	alarm(0);
}

/* The completions of another queue pair come all the time. */
OWN_TEST(provider_poll_busy, "V5 W10", "a bind completes on a queue that is never empty")
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC, .send_cq = own->cq, .recv_cq = own->cq,
	};
	struct ibv_sge sge = { (uintptr_t)own->memory, 8, own->mr->lkey };
	struct ibv_send_wr *bad, wr = own_wr(own, IBV_WR_RDMA_WRITE, &sge);
	struct ibv_qp *qp = own_qp(xr_end.pd, &init), *first = own->qp;
	struct ibv_mw *mw = NULL;
	bool bound = false;
	struct ibv_wc wc;
	int i;

	if (!qp)
		return;
	own->qp = qp;
	if (own_again(own))
		mw = bind_quietly(own, qp, 7);
	/* The first one flushes what is posted: completions, too. */
	check_is(end_state(first, IBV_QPS_ERR), 0);
	for (i = 0; mw && i < 300 && !bound && !test_failed(); i++) {
		check(!ibv_post_send(first, &wr, &bad), "post");
		while (ibv_poll_cq(own->cq, 1, &wc) == 1)
			bound |= wc.wr_id == 7;
	}
	check(bound, "the bind has not completed");
	check(mw && !ibv_dealloc_mw(mw), "window");
	check(!ibv_destroy_qp(qp), "queue pair");
	own->qp = first;
	own_again(own);
}

TEST_MAIN(harness_main);
