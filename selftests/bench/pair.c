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

#include "clock.h"
#include "mark.h"
#include "median.h"
#include "rc_end.h"

#define ROUNDS	3	/* and one before them, to warm up */
#define DEPTH	64	/* messages outstanding */
#define GROUP	16	/* the last of so many requests is signalled */
#define LONGEST	(1u << 20)
#define TIMEOUT	20	/* 4.3 s: no packet is lost */

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

static struct rc_end client, server;

/* Poll once, and yield the CPU if there is nothing. Return: completions. */
static int polled(struct rc_end *e)
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
		start = clock_raw_ns();
		messages(r);
		cost[i] = (clock_raw_ns() - start) / r->n;
	}
	mark(MARK_END);
	check_bytes(r);
	printf("%s %u %s %.0f %d\n", r->op, r->size, how_names[r->how], median(cost + 1, ROUNDS),
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
	rc_end_open(&client, argv[1], argv[2], LONGEST, 2 * DEPTH);
	rc_end_open(&server, argv[3], argv[4], LONGEST, 2 * DEPTH);
	rc_end_connect(&client, &server, TIMEOUT);
	rc_end_connect(&server, &client, TIMEOUT);
	measure(r);
	rc_end_close(&client);
	rc_end_close(&server);
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
