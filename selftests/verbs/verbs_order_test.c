// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests of one connection that are posted from two CPUs leave in the order of their PSNs,
 * though the queue of one of the CPUs is slow: the thread that receives from it has the lowest
 * priority on a CPU that is busy. Nothing is sent twice, as there are no retries.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/wait.h>

#include "live.h"
#include "setting.h"
#include "verbs_end.h"
#include "verbs_netem.h"

#include "xroce_map.h"

#define MESSAGES	60u
#define LENGTH		4000u		/* four packets */
#define PREFIX		"napi/c0-"

static struct ibv_cq *cq, *peer_cq;
static struct ibv_qp *qp, *peer;
static struct ibv_mr *mr, *peer_mr;
static char from[LENGTH], to[LENGTH];
static unsigned int messages = MESSAGES;	/* that may be outstanding */

static bool pin(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return check(!sched_setaffinity(pid, sizeof(set), &set), "CPU %d: %s", cpu,
		     strerror(errno));
}

/* The thread of a queue of c0. Return: its number; 0: there are not so many. */
static pid_t receiver(unsigned int queue)
{
	struct dirent **all;
	char path[300], name[32];
	pid_t found = 0;
	FILE *f;
	int n = scandir("/proc", &all, NULL, versionsort), i;

	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "/proc/%s/comm", all[i]->d_name);
		f = isdigit((unsigned char)*all[i]->d_name) ? fopen(path, "r") : NULL;
		if (f && fgets(name, sizeof(name), f) &&
		    !strncmp(name, PREFIX, strlen(PREFIX)) && !queue--)
			found = atoi(all[i]->d_name);
		if (f)
			fclose(f);
		free(all[i]);
	}
	if (n >= 0)
		free(all);
	return found;
}

/* A process that keeps a CPU busy. */
static pid_t spinner(int cpu)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	pin(0, cpu);
	for (;;)
		;
}

static bool set_up(enum ibv_qp_type type)
{
	if (!ends_open())
		return false;
	cq = ibv_create_cq(xr_end.ctx, messages, NULL, NULL, 0);
	peer_cq = ibv_create_cq(rxe_end.ctx, messages, NULL, NULL, 0);
	mr = ibv_reg_mr(xr_end.pd, from, LENGTH, IBV_ACCESS_LOCAL_WRITE);
	peer_mr = ibv_reg_mr(rxe_end.pd, to, LENGTH,
			     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!check(cq && peer_cq && mr && peer_mr, "objects: %s", strerror(errno)))
		return false;
	qp = end_qp(&xr_end, type, cq, cq, NULL, messages, 1);
	peer = end_qp(&rxe_end, type, peer_cq, peer_cq, NULL, 1, messages);
	return qp && peer;
}

/* Neither timeouts nor retries. */
static bool connect_once(void)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS, .sq_psn = END_PSN, .max_rd_atomic = 1,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return check(!end_move(&xr_end, qp, &rxe_end, peer->qp_num, IBV_QPS_RTR) &&
		     !end_move(&rxe_end, peer, &xr_end, qp->qp_num, IBV_QPS_RTS) &&
		     !ibv_modify_qp(qp, &attr, mask), "connect");
}

static void tear_down(void)
{
	check(!ibv_destroy_qp(qp) && !ibv_destroy_qp(peer) && !ibv_dereg_mr(mr) &&
	      !ibv_dereg_mr(peer_mr) && !ibv_destroy_cq(cq) && !ibv_destroy_cq(peer_cq),
	      "destroy");
	ends_close();
}

static void post(uint32_t i)
{
	struct ibv_sge sge = { (uintptr_t)from, LENGTH, mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.wr_id = i, .sg_list = &sge, .num_sge = 1, .imm_data = i,
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)to, peer_mr->rkey },
	};

	check(!ibv_post_send(qp, &wr, &bad), "post %u", i);
}

static void all_arrive(void)
{
	struct ibv_recv_wr *bad, recv = {};
	struct ibv_wc wc;
	uint32_t i;
	int ret;

	for (i = 0; i < MESSAGES; i++)
		check(!ibv_post_recv(peer, &recv, &bad), "receive");
	for (i = 0; i < MESSAGES && !test_failed(); i++) {
		pin(0, i % 2);
		post(i);
	}
	for (i = 0; i < MESSAGES && !test_failed(); i++) {
		ret = end_wait(peer_cq, &wc);
		check(!ret && wc.imm_data == i, "message %u: %d, number %u", i, ret, wc.imm_data);
	}
	for (i = 0; i < MESSAGES && !test_failed(); i++) {
		ret = end_wait(cq, &wc);
		check(!ret && wc.wr_id == i, "completion %u: %d", i, ret);
	}
}

/* Of this service; the queue is slow. */
static void in_order(enum ibv_qp_type type, unsigned int queue)
{
	pid_t slow = receiver(queue), busy;
	struct xroce_stat before, after;
	cpu_set_t was;

	if (!check(slow, "c0 has no queue %u", queue) || !set_up(type) || !connect_once() ||
	    !netdev_counters("x0", &before))
		return;
	sched_getaffinity(0, sizeof(was), &was);
	busy = spinner(0);
	check(busy > 0 && !setpriority(PRIO_PROCESS, slow, 19) && pin(slow, 0), "slow");
	all_arrive();
	kill(busy, SIGKILL);
	waitpid(busy, NULL, 0);
	setpriority(PRIO_PROCESS, slow, 0);
	sched_setaffinity(slow, sizeof(was), &was);
	sched_setaffinity(0, sizeof(was), &was);
	if (netdev_counters("x0", &after))
		check(after.req_retransmit == before.req_retransmit, "%llu packets sent again",
		      (unsigned long long)(after.req_retransmit - before.req_retransmit));
	tear_down();
}

#define FIRST		5u		/* so that the queue does not begin at its first entry */
#define WAITING		250u

static bool move_to(enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int err = ibv_modify_qp(qp, &attr, IBV_QP_STATE);

	return check(!err, "state %d: %s", state, strerror(err));
}

/* Messages of different lengths: @n of them from number @i on. */
static void post_lengths(uint32_t i, uint32_t n)
{
	struct ibv_sge sge = { (uintptr_t)from, 0, mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED,
	};

	for (; n-- && !test_failed(); i++) {
		sge.length = 1 + i;
		wr.wr_id = i;
		wr.imm_data = i;
		check(!ibv_post_send(qp, &wr, &bad), "post %u", i);
	}
}

/* They arrive and complete, each once and in order. */
static void lengths_arrive(uint32_t i, uint32_t n)
{
	struct ibv_wc wc;
	int ret;

	for (; n-- && !test_failed(); i++) {
		ret = end_wait(peer_cq, &wc);
		check(!ret && wc.imm_data == i && wc.byte_len == 1 + i,
		      "message %u: %d, number %u, %u bytes", i, ret, wc.imm_data, wc.byte_len);
		ret = end_wait(cq, &wc);
		check(!ret && wc.wr_id == i, "completion %u: %d", i, ret);
	}
}

/* The queue has room for few work requests until more wait at a time: in SQD they do. */
TEST(order_grown, "V7 V5", "work requests of a queue that grows while they wait in it")
{
	struct ibv_sge sge = { (uintptr_t)to, LENGTH, 0 };
	struct ibv_recv_wr *bad, recv = { .sg_list = &sge, .num_sge = 1 };
	uint32_t i;

	messages = FIRST + WAITING;
	if (!set_up(IBV_QPT_RC) || !connect_once())
		return;
	sge.lkey = peer_mr->lkey;
	for (i = 0; i < FIRST + WAITING; i++)
		check(!ibv_post_recv(peer, &recv, &bad), "receive");
	post_lengths(0, FIRST);
	lengths_arrive(0, FIRST);
	if (move_to(IBV_QPS_SQD)) {
		post_lengths(FIRST, WAITING);
		if (move_to(IBV_QPS_RTS))
			lengths_arrive(FIRST, WAITING);
	}
	tear_down();
	messages = MESSAGES;
}

TEST(order_rc_first_queue, "V7 D2", "RC, the first queue is slow") { in_order(IBV_QPT_RC, 0); }
TEST(order_rc_second_queue, "V7 D2", "RC, the second queue is slow") { in_order(IBV_QPT_RC, 1); }
TEST(order_uc_first_queue, "V7 D2", "UC, the first queue is slow") { in_order(IBV_QPT_UC, 0); }
TEST(order_uc_second_queue, "V7 D2", "UC, the second queue is slow") { in_order(IBV_QPT_UC, 1); }

TEST_MAIN(harness_main);
