// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends while allocations fail: two queue pairs of xr0 that are connected with each other. A
 * packet for which there is no memory is sent later, and one that is lost is sent again: each
 * work request completes once, with success and the right bytes.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "fault.h"
#include "mem.h"
#include "setting.h"
#include "verbs_end.h"
#include "verbs_ring.h"

#define LENGTH		5000u	/* bytes of a message: five packets */
#define OFTEN		20u	/* percent of allocations that fail */
#define MOST		100u	/* allocations of a call */
#define MESSAGES	300u

static struct {
	struct ibv_cq *cq[2];
	struct ibv_qp *qp[2];
	struct ibv_mr *mr[2];
} pair;

static uint8_t memory[2][2 * LENGTH];

static bool pair_connect(void)
{
	int i, err = 0;

	for (i = 0; i < 2 && !err; i++)
		err = end_move(&xr_end, pair.qp[i], &xr_end, pair.qp[!i]->qp_num, IBV_QPS_RTS);
	return check(!err, "connect: %s", strerror(err));
}

static bool pair_open(void)
{
	int i;

	if (!ends_open())
		return false;
	for (i = 0; i < 2; i++) {
		pair.cq[i] = ibv_create_cq(xr_end.ctx, 20, NULL, NULL, 0);
		pair.mr[i] = ibv_reg_mr(xr_end.pd, memory[i], sizeof(memory[i]),
					IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
					IBV_ACCESS_REMOTE_READ);
		pair.qp[i] = end_qp(&xr_end, IBV_QPT_RC, pair.cq[i], pair.cq[i], NULL, 10, 10);
		if (!check(pair.cq[i] && pair.mr[i] && pair.qp[i], "objects"))
			return false;
	}
	return pair_connect();
}

static void pair_close(void)
{
	int i;

	for (i = 0; i < 2; i++)
		check(!ibv_destroy_qp(pair.qp[i]) && !ibv_dereg_mr(pair.mr[i]) &&
		      !ibv_destroy_cq(pair.cq[i]), "destroy");
	ends_close();
}

static void fill(uint8_t *at, unsigned int seed)
{
	unsigned int i;

	for (i = 0; i < LENGTH; i++)
		at[i] = seed * 31 + i * 7;
}

/* Post a work request of the first queue pair: a SEND, WRITE or READ by turns. */
static int post(unsigned int turn)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_SEND, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ,
	};
	struct ibv_sge sge = { (uintptr_t)memory[0], LENGTH, pair.mr[0]->lkey };
	struct ibv_send_wr wr = {
		.wr_id = turn,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcodes[turn % ARRAY_SIZE(opcodes)],
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)memory[1], pair.mr[1]->rkey },
	}, *bad;

	return ibv_post_send(pair.qp[0], &wr, &bad);
}

static int post_receive(unsigned int turn)
{
	struct ibv_sge sge = { (uintptr_t)memory[1], LENGTH, pair.mr[1]->lkey };
	struct ibv_recv_wr wr = { .wr_id = turn, .sg_list = &sge, .num_sge = 1 }, *bad;

	return ibv_post_recv(pair.qp[1], &wr, &bad);
}

/* Different bytes at both ends; for a SEND also a receive work request. */
static bool prepare(unsigned int turn)
{
	fill(memory[0], turn);
	fill(memory[1], turn + 1);
	return check(turn % 3 || !post_receive(turn), "post a receive");
}

/* The work request has completed, and the bytes are where they belong. */
static bool verify(unsigned int turn)
{
	static uint8_t want[LENGTH];
	struct ibv_wc wc = {};

	fill(want, turn % 3 == 2 ? turn + 1 : turn);
	if (!check(!end_wait(pair.cq[0], &wc) && wc.wr_id == turn, "message %u: %s, of %u", turn,
		   ibv_wc_status_str(wc.status), (unsigned int)wc.wr_id))
		return false;
	return check(turn % 3 || !end_wait(pair.cq[1], &wc), "receive %u", turn) &&
	       check(!memcmp(memory[0], want, LENGTH) && !memcmp(memory[1], want, LENGTH),
		     "message %u: other bytes", turn) &&
	       check(!ibv_poll_cq(pair.cq[0], 1, &wc), "message %u: completed twice", turn);
}

/* Each allocation of the system call fails once. */
TEST(fault_send_posts, "V5", "sends whose system call finds no memory are sent later")
{
	unsigned int nth = 0, turn = 0;
	bool hit = true, missed;
	int ret;

	if (!pair_open())
		return;
	while (hit && ++nth <= MOST && !test_failed()) {
		hit = false;
		for (turn = 0; turn < 3 && prepare(turn); turn++) {
			fault_nth(nth);
			ret = post(turn);
			missed = fault_nth_end();
			hit |= missed;
			/* The work request is in the ring; only the doorbell has failed. */
			if (ret == ENOMEM && missed)
				ret = -ring_doorbell(pair.qp[0]->context, pair.qp[0]->handle);
			if (!check(!ret, "place %u: %s", nth, strerror(ret)) || !verify(turn))
				break;
		}
	}
	check(nth <= MOST, "too many allocations");
	check(nth > 1, "no allocation");
	note("%u places", nth - 1);
	pair_close();
}

/* Allocations of the data path fail at random. */
TEST(fault_send_traffic, "V5", "sends while allocations of the data path fail")
{
	unsigned int turn, failed;

	if (!pair_open())
		return;
	fault_chance(FAULT_DATA_PATH, OFTEN);
	for (turn = 0; turn < MESSAGES && prepare(turn); turn++)
		if (!check(!post(turn), "post %u", turn) || !verify(turn))
			break;
	failed = fault_chance_end();
	check(failed, "no allocation failed");
	note("%u allocations failed", failed);
	pair_close();
}

TEST_MAIN(fault_harness_main);
