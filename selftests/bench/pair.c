// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of messages between two verbs devices, both ends and the network together. Run by
 * pair.sh.
 *
 *   pair CLIENT-DEV CLIENT-IP SERVER-DEV SERVER-IP [PART-OF-A-ROW]...
 *
 * prints "OP SIZE HOW INSTRUCTIONS MESSAGES" for each row: the median of ROUNDS, which together
 * have that number of messages. One process has both ends, so that the machine's clock, a
 * nanosecond for each instruction, counts the work of both, and nothing else: after an empty poll
 * the process yields the CPU, on which rxe's worker waits.
 */
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <infiniband/verbs.h>

#include "gid.h"
#include "mark.h"
#include "verbs_device.h"

#define ROUNDS	3	/* and one before them, to warm up */
#define DEPTH	64	/* messages outstanding */
#define GROUP	16	/* the last of so many requests is signalled */
#define LONGEST	(1u << 20)
#define ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
		 IBV_ACCESS_REMOTE_ATOMIC)

/* How requests are posted: one by one, in lists of GROUP, each after the previous one's end. */
enum how { SINGLE, LIST, ALONE };

static const char *const how_names[] = { "single", "list", "alone" };

/**
 * struct row - what is measured
 * @op: for readers and in JSON
 * @opcode: of the requests
 * @size: bytes of a message
 * @how: how they are posted
 * @n: messages of a round, a multiple of DEPTH
 */
static const struct row {
	const char *op;
	enum ibv_wr_opcode opcode;
	uint32_t size;
	enum how how;
	int n;
} rows[] = {
	{ "WRITE", IBV_WR_RDMA_WRITE, 64, SINGLE, 1920 },
	{ "WRITE", IBV_WR_RDMA_WRITE, 64, LIST, 1920 },
	{ "WRITE", IBV_WR_RDMA_WRITE, 64, ALONE, 640 },
	{ "WRITE", IBV_WR_RDMA_WRITE, 4096, SINGLE, 1920 },
	{ "WRITE", IBV_WR_RDMA_WRITE, 4096, LIST, 1920 },
	{ "WRITE", IBV_WR_RDMA_WRITE, 65536, SINGLE, 256 },
	{ "WRITE", IBV_WR_RDMA_WRITE, LONGEST, SINGLE, 64 },
	{ "READ", IBV_WR_RDMA_READ, 64, SINGLE, 1920 },
	{ "READ", IBV_WR_RDMA_READ, 64, ALONE, 640 },
	{ "READ", IBV_WR_RDMA_READ, 4096, SINGLE, 1920 },
	{ "READ", IBV_WR_RDMA_READ, 65536, SINGLE, 256 },
	{ "READ", IBV_WR_RDMA_READ, LONGEST, SINGLE, 64 },
	{ "SEND", IBV_WR_SEND, 64, SINGLE, 1920 },
	{ "SEND", IBV_WR_SEND, 64, ALONE, 640 },
	{ "SEND", IBV_WR_SEND, 4096, SINGLE, 1920 },
	{ "SEND", IBV_WR_SEND, 65536, SINGLE, 256 },
	{ "SEND", IBV_WR_SEND, LONGEST, SINGLE, 64 },
	{ "FETCH_ADD", IBV_WR_ATOMIC_FETCH_AND_ADD, 8, SINGLE, 1920 },
	{ "FETCH_ADD", IBV_WR_ATOMIC_FETCH_AND_ADD, 8, ALONE, 640 },
};

/**
 * struct end - one end
 * @memory: LONGEST bytes
 */
struct end {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	union ibv_gid gid;
	int gid_index;
	char *memory;
};

static struct end client, server;

static void needs(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "pair: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void end_open(struct end *e, const char *name, const char *address)
{
	struct ibv_qp_init_attr init = {
		.cap = { 2 * DEPTH, 2 * DEPTH, 1, 1 },
		.qp_type = IBV_QPT_RC,
	};

	e->ctx = verbs_device_open(name);
	needs(e->ctx, name);
	gid_parse(address, e->gid.raw);
	e->gid_index = gid_index(e->ctx, e->gid.raw);
	needs(e->gid_index >= 0, address);
	e->pd = ibv_alloc_pd(e->ctx);
	e->cq = ibv_create_cq(e->ctx, 4 * DEPTH, NULL, NULL, 0);
	e->memory = aligned_alloc(4096, LONGEST);
	needs(e->pd && e->cq && e->memory, name);
	memset(e->memory, 0, LONGEST);
	e->mr = ibv_reg_mr(e->pd, e->memory, LONGEST, ACCESS);
	init.send_cq = e->cq;
	init.recv_cq = e->cq;
	e->qp = ibv_create_qp(e->pd, &init);
	needs(e->mr && e->qp, name);
}

static void end_connect(struct end *e, const struct end *peer)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = ACCESS & ~IBV_ACCESS_LOCAL_WRITE,
		.path_mtu = IBV_MTU_4096,
		.dest_qp_num = peer->qp->qp_num,
		.max_dest_rd_atomic = 16,
		.max_rd_atomic = 16,
		.min_rnr_timer = 12,
		.timeout = 20,
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

/* Poll once, and yield the CPU if there is nothing. Return: completions. */
static int polled(struct end *e)
{
	struct ibv_wc wc[GROUP];
	int n = ibv_poll_cq(e->cq, GROUP, wc), i;

	needs(n >= 0, "poll");
	for (i = 0; i < n; i++) {
		if (wc[i].status) {
			fprintf(stderr, "pair: %s\n", ibv_wc_status_str(wc[i].status));
			exit(1);
		}
	}
	return n;
}

static void post_receives(int n, uint32_t size)
{
	struct ibv_sge sge = { (uintptr_t)server.memory, size, server.mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	while (n--) {
		errno = ibv_post_recv(server.qp, &wr, &bad);
		needs(!errno, "receive");
	}
}

/* Post the requests @first to @first + @n - 1, in one list. */
static void post(const struct row *r, int first, int n)
{
	struct ibv_sge sge = { (uintptr_t)client.memory, r->size, client.mr->lkey };
	struct ibv_send_wr wr[GROUP], *bad;
	int i;

	for (i = 0; i < n; i++) {
		wr[i] = (struct ibv_send_wr){
			.next = i + 1 < n ? &wr[i + 1] : NULL,
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = r->opcode,
			.send_flags = r->how == ALONE || (first + i) % GROUP == GROUP - 1 ?
				      IBV_SEND_SIGNALED : 0,
		};
		if (r->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
			wr[i].wr.atomic.remote_addr = (uintptr_t)server.memory;
			wr[i].wr.atomic.rkey = server.mr->rkey;
			wr[i].wr.atomic.compare_add = 1;
		} else {
			wr[i].wr.rdma.remote_addr = (uintptr_t)server.memory;
			wr[i].wr.rdma.rkey = server.mr->rkey;
		}
	}
	errno = ibv_post_send(client.qp, wr, &bad);
	needs(!errno, "post");
}

/* Send the messages of a round, and receive them if they are SENDs, before more are sent. */
static void messages(const struct row *r)
{
	int depth = r->how == ALONE ? 1 : DEPTH, list = r->how == LIST ? GROUP : 1;
	int worth = r->how == ALONE ? 1 : GROUP;
	bool send = r->opcode == IBV_WR_SEND;
	int posted = 0, done = 0, received = send ? 0 : r->n, got, n;

	while (done < r->n || received < r->n) {
		while (posted < r->n && posted + list - done <= depth &&
		       posted + list - received <= depth) {
			post(r, posted, list);
			posted += list;
		}
		n = polled(&client);
		done += worth * n;
		if (send) {
			got = polled(&server);
			received += got;
			post_receives(got, r->size);
			n += got;
		}
		if (!n)
			sched_yield();
	}
}

/* Have the bytes arrived? An atomic has counted. */
static void check_bytes(const struct row *r)
{
	bool read = r->opcode == IBV_WR_RDMA_READ;
	uint64_t sum;

	errno = EBADMSG;
	if (r->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		memcpy(&sum, server.memory, sizeof(sum));
		needs(sum == (uint64_t)r->n * (ROUNDS + 1), r->op);
		return;
	}
	needs(!memcmp(client.memory, server.memory, r->size) &&
	      client.memory[r->size - 1] == (read ? 's' : 'c'), r->op);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void measure(const struct row *r)
{
	double cost[ROUNDS + 1], start;
	int i;

	memset(client.memory, 'c', LONGEST);
	memset(server.memory, r->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? 0 : 's', LONGEST);
	if (r->opcode == IBV_WR_SEND)
		post_receives(DEPTH + GROUP, r->size);
	for (i = 0; i <= ROUNDS; i++) {
		if (i == 1)
			mark(MARK_BEGIN);
		start = now();
		messages(r);
		cost[i] = (now() - start) / r->n;
	}
	mark(MARK_END);
	check_bytes(r);
	qsort(cost + 1, ROUNDS, sizeof(*cost), compare);
	printf("%s %u %s %.0f %d\n", r->op, r->size, how_names[r->how], cost[1 + ROUNDS / 2],
	       ROUNDS * r->n);
	fflush(stdout);
}

static bool wanted(const struct row *r, char **words)
{
	char name[64];

	snprintf(name, sizeof(name), "%s:%u:%s", r->op, r->size, how_names[r->how]);
	if (!*words)
		return true;
	for (; *words; words++)
		if (strstr(name, *words))
			return true;
	return false;
}

/* A row has queue pairs of its own, so that receives of the previous one are gone. */
static void run(const struct row *r, char **argv)
{
	end_open(&client, argv[1], argv[2]);
	end_open(&server, argv[3], argv[4]);
	end_connect(&client, &server);
	end_connect(&server, &client);
	measure(r);
	ibv_destroy_qp(client.qp);
	ibv_destroy_qp(server.qp);
	ibv_dereg_mr(client.mr);
	ibv_dereg_mr(server.mr);
	free(client.memory);
	free(server.memory);
	ibv_close_device(client.ctx);
	ibv_close_device(server.ctx);
}

int main(int argc, char **argv)
{
	size_t i, n = 0;

	if (argc < 5) {
		fprintf(stderr, "usage: pair CLIENT-DEV CLIENT-IP SERVER-DEV SERVER-IP [ROW]...\n");
		return 2;
	}
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (wanted(&rows[i], argv + 5)) {
			run(&rows[i], argv);
			n++;
		}
	}
	needs(n, "no such row");
	return 0;
}
