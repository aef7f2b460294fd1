// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another size for a shared receive queue (IBTA 11.2.3.3). No work request is lost, repeated or
 * overtaken: the peer numbers its messages, and message N arrives in the Nth receive.
 */
#include <errno.h>
#include <string.h>

#include "rng.h"
#include "setting.h"
#include "verbs_end.h"
#include "verbs_ring.h"

#define RECVS	15u
#define SENDS	16u		/* of the peer at a time */
#define SLOTS	1024u		/* for messages: receive N has slot N modulo SLOTS */

static uint32_t slots[SLOTS], numbers[SENDS];
static struct ibv_mr *mr, *peer_mr;
static struct ibv_cq *cq, *peer_cq;
static struct ibv_qp *qp, *peer;
static struct ibv_srq *srq;
static uint32_t posted, sent, finished, arrived;

static bool objects(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = RECVS, .max_sge = 2 } };

	posted = sent = finished = arrived = 0;
	if (!ends_open())
		return false;
	mr = ibv_reg_mr(xr_end.pd, slots, sizeof(slots), IBV_ACCESS_LOCAL_WRITE);
	peer_mr = ibv_reg_mr(rxe_end.pd, numbers, sizeof(numbers), IBV_ACCESS_LOCAL_WRITE);
	cq = ibv_create_cq(xr_end.ctx, 2 * SLOTS, NULL, NULL, 0);
	peer_cq = ibv_create_cq(rxe_end.ctx, 2 * SENDS, NULL, NULL, 0);
	srq = ibv_create_srq(xr_end.pd, &init);
	if (!check(mr && peer_mr && cq && peer_cq && srq, "objects: %s", strerror(errno)))
		return false;
	qp = end_qp(&xr_end, IBV_QPT_RC, cq, cq, srq, 1, 0);
	peer = end_qp(&rxe_end, IBV_QPT_RC, peer_cq, peer_cq, NULL, SENDS, 1);
	return qp && peer && ends_connect(qp, peer);
}

static void objects_gone(void)
{
	check(!ibv_destroy_qp(qp) && !ibv_destroy_qp(peer), "queue pairs");
	check(!ibv_destroy_srq(srq), "shared queue");
	check(!ibv_destroy_cq(cq) && !ibv_destroy_cq(peer_cq), "completion queues");
	check(!ibv_dereg_mr(mr) && !ibv_dereg_mr(peer_mr), "regions");
	ends_close();
}

/* Post one receive. Return: 0 or an errno. */
static int try_post(void)
{
	struct ibv_sge sge = {
		(uintptr_t)&slots[posted % SLOTS], sizeof(*slots), mr->lkey,
	};
	struct ibv_recv_wr *bad, wr = { .wr_id = posted, .sg_list = &sge, .num_sge = 1 };
	int ret = ibv_post_srq_recv(srq, &wr, &bad);

	posted += !ret;
	return ret;
}

static void post(uint32_t n)
{
	while (n--)
		check(!try_post(), "receive %u", posted);
}

/* Let the peer send a message if it has room for it. */
static void send_one(void)
{
	uint32_t *number = &numbers[sent % SENDS];
	struct ibv_sge sge = { (uintptr_t)number, sizeof(*number), peer_mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.wr_id = sent, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};

	if (sent - finished == SENDS)
		return;
	*number = sent;
	check(!ibv_post_send(peer, &wr, &bad), "send %u", sent);
	sent++;
}

static void one_finished(int status, const struct ibv_wc *wc)
{
	check(!status && wc->wr_id == finished, "send %u: %d", finished, status);
	finished++;
}

static void one_arrived(int status, const struct ibv_wc *wc)
{
	check(!status && wc->wr_id == arrived && wc->byte_len == sizeof(*slots),
	      "receive %u: status %d, work request %lu", arrived, status, wc->wr_id);
	check(slots[arrived % SLOTS] == arrived, "message %u in receive %u",
	      slots[arrived % SLOTS], arrived);
	arrived++;
}

/* Take the completions that are there. */
static void taken(void)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(peer_cq, 1, &wc) == 1)
		one_finished(wc.status, &wc);
	while (ibv_poll_cq(cq, 1, &wc) == 1)
		one_arrived(wc.status, &wc);
}

/* Send @n messages, and wait for them. */
static void messages(uint32_t n)
{
	struct ibv_wc wc;

	while (n-- && !test_failed()) {
		send_one();
		one_finished(end_wait(peer_cq, &wc), &wc);
		one_arrived(end_wait(cq, &wc), &wc);
	}
}

static int resize(uint32_t max_wr)
{
	struct ibv_srq_attr attr = { .max_wr = max_wr };

	return ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR);
}

static void size_is(uint32_t max_wr, uint32_t limit)
{
	struct ibv_srq_attr attr = {};

	check(!ibv_query_srq(srq, &attr) && attr.max_wr == max_wr && attr.srq_limit == limit &&
	      attr.max_sge == 2, "%u, limit %u; not %u, limit %u", attr.max_wr, attr.srq_limit,
	      max_wr, limit);
}

/* Post until the queue is full: all @max_wr entries can be used, and no more. */
static void filled(uint32_t max_wr)
{
	int ret;

	while (!(ret = try_post()))
		;
	check(ret == ENOMEM && posted - arrived == max_wr, "full with %u: %d",
	      posted - arrived, ret);
}

TEST(srq_grow, "V5 D2", "a larger shared queue, with posted receives")
{
	struct ibv_device_attr device;

	if (!objects())
		return;
	check(!ibv_query_device(xr_end.ctx, &device) &&
	      device.device_cap_flags & IBV_DEVICE_SRQ_RESIZE, "not told");
	/* The posted work requests are at the end of the ring and at its beginning. */
	post(RECVS);
	messages(RECVS - 2);
	post(5);
	check(!resize(100), "100");
	size_is(127, 0);
	filled(127);
	messages(posted - arrived);
	objects_gone();
}

TEST(srq_shrink, "V5 D2", "a smaller one")
{
	if (!objects())
		return;
	check(!resize(500), "500");
	size_is(511, 0);
	post(10);
	messages(3);
	check(!resize(7), "the seven that are posted");
	size_is(7, 0);
	filled(7);
	messages(posted - arrived);
	objects_gone();
}

/* Nothing changes if the size is refused. */
TEST(srq_refused, "V5", "sizes out of range, and of fewer than are posted")
{
	struct ibv_device_attr device;
	struct ibv_srq_attr attr;

	if (!objects())
		return;
	post(8);
	check(!ibv_query_device(xr_end.ctx, &device), "query");
	check(resize(0) == EINVAL, "none");
	check(resize(device.max_srq_wr + 1) == EINVAL, "more than the device has");
	check(resize(~0u) == EINVAL, "far more");
	check(resize(7) == EINVAL, "less than posted");
	size_is(RECVS, 0);
	attr = (struct ibv_srq_attr){ .max_wr = 31, .srq_limit = 32 };
	check(ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT) == EINVAL,
	      "with a limit that exceeds it");
	size_is(RECVS, 0);
	messages(8);
	check(!resize(device.max_srq_wr), "as many as the device has");
	size_is(device.max_srq_wr, 0);
	filled(device.max_srq_wr);
	messages(20);
	objects_gone();
}

TEST(srq_limit, "V5 V6", "the size and the limit")
{
	struct ibv_srq_attr attr = { .max_wr = 7, .srq_limit = 3 };

	if (!objects())
		return;
	post(5);
	check(!ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT), "both");
	size_is(7, 3);
	check(resize(2) == EINVAL, "less than posted");
	messages(2);
	check(!end_events(&xr_end, IBV_EVENT_SRQ_LIMIT_REACHED), "an event too early");
	attr.srq_limit = 5;
	attr.max_wr = 5;
	/* Fewer than the limit are posted: the event is raised at once. */
	check(!ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT), "both");
	check(end_events(&xr_end, IBV_EVENT_SRQ_LIMIT_REACHED) == 1, "no event");
	size_is(7, 0);
	post(4);
	attr.srq_limit = 4;
	check(!ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT), "limit");
	check(!resize(15), "with an armed limit");
	size_is(15, 4);
	messages(3);
	check(end_events(&xr_end, IBV_EVENT_SRQ_LIMIT_REACHED) == 1, "a second event too early");
	messages(1);
	check(end_events(&xr_end, IBV_EVENT_SRQ_LIMIT_REACHED) == 2, "no second event");
	objects_gone();
}

/* System calls without the provider: the address for the response is missing or wrong. */
TEST(srq_response, "V5", "a wrong address for the response")
{
	struct mminfo mi = {};

	if (!objects())
		return;
	post(5);
	check(ring_resize_srq(xr_end.ctx, srq->handle, 100, NULL, 0) == -EINVAL, "missing");
	check(ring_resize_srq(xr_end.ctx, srq->handle, 100, &mi, 4) == -EINVAL, "half");
	check(ring_resize_srq(xr_end.ctx, srq->handle, 100, NULL, 8) == -EFAULT, "NULL");
	check(ring_resize_srq(xr_end.ctx, srq->handle, 100, (void *)(~0ul << 12), 8) == -EFAULT,
	      "the kernel's");
	size_is(RECVS, 0);
	messages(5);
	check(!ring_resize_srq(xr_end.ctx, srq->handle, 100, &mi, 8) && mi.size && mi.offset,
	      "right: size %u", mi.size);
	size_is(127, 0);
	objects_gone();
}

/* The size changes while packets take work requests. */
TEST(srq_traffic, "V5 D2", "another size while messages arrive")
{
	uint32_t i, rounds = setting("XROCE_SRQ_ROUNDS", 2000), done = 0, full = 0;
	struct ibv_wc wc;
	int ret;

	if (!objects())
		return;
	for (i = 0; i < rounds && !test_failed(); i++) {
		while (posted - arrived < 40 && !try_post())
			;
		send_one();
		send_one();
		taken();
		ret = resize(1 + rng_below(60));
		check(!ret || ret == EINVAL, "%s", strerror(ret));
		done += !ret;
		full += ret == EINVAL;
	}
	check(!resize(63), "enough for all");
	post(sent > posted ? sent - posted : 0);
	while (finished < sent && !test_failed())
		one_finished(end_wait(peer_cq, &wc), &wc);
	while (arrived < sent && !test_failed())
		one_arrived(end_wait(cq, &wc), &wc);
	note("%u messages; %u sizes, %u refused", arrived, done, full);
	check(done && full && arrived, "never");
	objects_gone();
}

static int run_tests(int argc, char **argv)
{
	rng_seed(setting("XROCE_SEED", 1));
	return harness_main(argc, argv);
}

TEST_MAIN(run_tests);
