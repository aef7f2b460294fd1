// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of a doorbell with nothing posted, of posting a WRITE, of arming a completion queue, and
 * of doing nothing. Run by doorbell.sh.
 *
 *   doorbell CLIENT-DEV CLIENT-IP SERVER-DEV SERVER-IP
 *
 * prints "OP SIZE WHAT INSTRUCTIONS CALLS" for
 *
 *   DOORBELL 0 empty	a doorbell with nothing posted
 *   POST 64 write	a call of ibv_post_send(): with a doorbell it sends, and does here what the
 *			other end and the network have to do at once
 *   BATCH 64 write	the work of the whole machine for such a WRITE, of POSTS that are posted one
 *			by one and wait for one event, with its part of that
 *   ARM 0 empty	arming a completion queue
 *   IDLE 0 second	what the thread that polls, if there is one, does in a second without work
 *
 * the median of ROUNDS, which together have that number of calls, or of the calls. The machine's
 * clock counts instructions. If the client has such a thread, it is awake, and the doorbell is a
 * word in mapped memory. For POST and BATCH this process has the higher priority, so that on the
 * one CPU the thread runs while this one waits, and no longer: it does not poll in vain.
 */
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>

#include "uapi/rdma/xroce-abi.h"
#include "uapi/xroce.h"

#include "clock.h"
#include "median.h"
#include "poller.h"
#include "rc_end.h"

#define ROUNDS	5	/* and one before them, to warm up */
#define CALLS	2000	/* of a round */
#define BATCHES	30	/* of POSTS calls each */
#define POSTS	16
#define TIMEOUT	20	/* 4.3 s: no packet is lost */

static struct rc_end client, server;
static int file = -1;	/* the doorbell of xroce's provider; -1: the client's provider is another */

/* Find the doorbell of the client's context among the files of this process. */
static void find_doorbell(void)
{
	char path[32], to[64];
	struct dirent *d;
	ssize_t n;
	DIR *dir;
	int fd;

	dir = opendir("/proc/self/fd");
	needs(dir, "/proc/self/fd");
	while (file < 0 && (d = readdir(dir))) {
		fd = atoi(d->d_name);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		n = readlink(path, to, sizeof(to) - 1);
		if (n < 0)
			continue;
		to[n] = '\0';
		if (strstr(to, "xroce-doorbell") &&
		    !lseek(fd, client.qp->qp_num, XROCE_DOORBELL_SEND))
			file = fd;
	}
	closedir(dir);
}

/* As rdma-core's provider for rxe rings it. */
static void ring_uverbs(void)
{
	struct ib_uverbs_post_send_resp resp;
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_post_send post;
	} cmd = {
		.hdr = {
			.command = IB_USER_VERBS_CMD_POST_SEND,
			.in_words = sizeof(cmd) / 4,
			.out_words = sizeof(resp) / 4,
		},
		.post = {
			.response = (uintptr_t)&resp,
			.qp_handle = client.qp->handle,
			.wqe_size = sizeof(struct ib_uverbs_send_wr),
		},
	};

	needs(write(client.ctx->cmd_fd, &cmd, sizeof(cmd)) == sizeof(cmd), "doorbell");
}

static void ring_file(void)
{
	needs(!lseek(file, client.qp->qp_num, XROCE_DOORBELL_SEND), "doorbell");
}

static struct xroce_send_header *send_ring;	/* the client's; NULL: it has no such thread */
static const uint32_t *wake;

/* The memory of the thread is mapped first, then the completion queue and the send queue. */
static void find_thread(void)
{
	if (!poller_of(getpid()))
		return;
	wake = poller_mapped(client.ctx, 0);
	send_ring = poller_mapped(client.ctx, 2);
	needs(wake && send_ring, "mapped memory");
}

/* Wake the thread, which stays awake for longer than what follows takes. */
static void awake(void)
{
	while (wake && __atomic_load_n(wake, __ATOMIC_RELAXED)) {
		ring_file();
		usleep(100);
	}
}

/* As the provider does after it has written entries. */
static void ring_mapped(void)
{
	__atomic_store_n(&send_ring->tail, send_ring->tail, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	needs(!__atomic_load_n(wake, __ATOMIC_RELAXED), "the thread sleeps");
}

static void arm(void)
{
	errno = ibv_req_notify_cq(client.cq, 0);
	needs(!errno, "arm");
}

static void measure(const char *op, void (*call)(void))
{
	double cost[ROUNDS + 1], start;
	int i, n;

	for (i = 0; i <= ROUNDS; i++) {
		start = clock_raw_ns();
		for (n = 0; n < CALLS; n++)
			call();
		cost[i] = (clock_raw_ns() - start) / CALLS;
	}
	printf("%s 0 empty %.0f %d\n", op, median(cost + 1, ROUNDS), ROUNDS * CALLS);
	fflush(stdout);
}

static void post(int flags)
{
	struct ibv_sge sge = { (uintptr_t)client.memory, 64, client.mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = flags,
		.wr.rdma = { .remote_addr = (uintptr_t)server.memory, .rkey = server.mr->rkey },
	};

	errno = ibv_post_send(client.qp, &wr, &bad);
	needs(!errno, "post");
}

static double clock_cost(void)
{
	double cost[POSTS], start;
	int i;

	for (i = 0; i < POSTS; i++) {
		start = clock_raw_ns();
		cost[i] = clock_raw_ns() - start;
	}
	return median(cost, POSTS);
}

/* Wait for the last of a batch. */
static void batch_end(void)
{
	struct ibv_cq *cq;
	struct ibv_wc wc;
	void *context;

	errno = ibv_get_cq_event(client.channel, &cq, &context);
	needs(!errno, "event");
	ibv_ack_cq_events(cq, 1);
	needs(ibv_poll_cq(cq, 1, &wc) == 1 && !wc.status, "WRITE");
}

static void priority(int policy, int value)
{
	struct sched_param p = { .sched_priority = value };

	needs(!sched_setscheduler(0, policy, &p), "priority");
}

static void measure_posts(void)
{
	double cost[BATCHES * POSTS], all[BATCHES], start, begin, clock = clock_cost();
	int i, n;

	priority(SCHED_FIFO, 1);
	for (i = 0; i < BATCHES; i++) {
		awake();
		arm();
		begin = clock_raw_ns();
		for (n = 0; n < POSTS; n++) {
			start = clock_raw_ns();
			post(n == POSTS - 1 ? IBV_SEND_SIGNALED : 0);
			cost[i * POSTS + n] = clock_raw_ns() - start;
		}
		batch_end();
		all[i] = (clock_raw_ns() - begin) / POSTS;
	}
	priority(SCHED_OTHER, 0);
	printf("POST 64 write %.0f %d\n", median(cost, BATCHES * POSTS) - clock, BATCHES * POSTS);
	printf("BATCH 64 write %.0f %d\n", median(all, BATCHES) - 2 * clock, BATCHES * POSTS);
	fflush(stdout);
}

static void measure_idle(void)
{
	pid_t me = getpid(), tid = poller_of(me);
	uint64_t before;

	while (wake && !__atomic_load_n(wake, __ATOMIC_RELAXED))
		usleep(10000);
	/* It looks once more after it has set the word. */
	usleep(10000);
	before = poller_ran(me, tid);
	sleep(1);
	printf("IDLE 0 second %llu 1\n", (unsigned long long)(poller_ran(me, tid) - before));
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: doorbell CLIENT-DEV CLIENT-IP SERVER-DEV SERVER-IP\n");
		return 2;
	}
	rc_end_open(&client, argv[1], argv[2], 4096, 16);
	rc_end_open(&server, argv[3], argv[4], 4096, 16);
	rc_end_connect(&client, &server, TIMEOUT);
	rc_end_connect(&server, &client, TIMEOUT);
	find_doorbell();
	find_thread();
	awake();
	measure("DOORBELL", send_ring ? ring_mapped : file < 0 ? ring_uverbs : ring_file);
	measure_posts();
	measure("ARM", arm);
	measure_idle();
	rc_end_close(&client);
	rc_end_close(&server);
	return 0;
}
