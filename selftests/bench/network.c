// SPDX-License-Identifier: GPL-2.0-only
/*
 * Goodput and latency on a network that delays, loses or reorders. Run by networks.sh.
 *
 *   network CLIENT-DEV CLIENT-IP SERVER-DEV SERVER-IP OP SIZE DEPTH MS [TIMEOUT]
 *   network tcp CLIENT-IP SERVER-IP SIZE MS
 *
 * sends messages of SIZE bytes for MS milliseconds, DEPTH of them outstanding, and prints
 * "MBIT P50 P99 MAX": payload in Mbit/s, and latency in microseconds from posting to completion,
 * or for TCP zeroes. OP is WRITE, READ or SEND. TIMEOUT is the code of the local ACK timeout.
 *
 * One process has both ends and sleeps until there is a completion. The bytes of each message are
 * those of its number, and are compared when it has arrived; another byte ends the program. So
 * does an error of a connection.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "rc_end.h"

#define TIMEOUT		14	/* 67 ms */
#define LATENCIES	(1u << 20)
#define POLLED		16

struct run {
	enum ibv_wr_opcode opcode;
	size_t size;
	unsigned int depth;
	int64_t end;		/* nanoseconds of CLOCK_MONOTONIC, as the next */
	int64_t *posted;	/* for each slot: when its message was posted */
	unsigned int *number;	/* and that message's number */
	unsigned int next;	/* number of the next message */
	unsigned int received;	/* SENDs */
	unsigned int done;
};

static struct rc_end client, server;
static uint32_t latency[LATENCIES];	/* in microseconds */
static struct run run;

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

/* Write the bytes of message @number. */
static void fill(char *at, unsigned int number)
{
	unsigned int *word = (unsigned int *)at;
	size_t i;

	for (i = 0; i < run.size / sizeof(*word); i++)
		word[i] = number * 0x9e3779b1u + i;
}

static void compare(const char *at, unsigned int number)
{
	const unsigned int *word = (const unsigned int *)at;
	size_t i;

	for (i = 0; i < run.size / sizeof(*word); i++) {
		if (word[i] == number * 0x9e3779b1u + i)
			continue;
		fprintf(stderr, "network: message %u, byte %zu: 0x%08x\n", number,
			i * sizeof(*word), word[i]);
		exit(1);
	}
}

static char *slot(const struct rc_end *e, unsigned int i)
{
	return e->memory + i * run.size;
}

static void post_receive(unsigned int i)
{
	struct ibv_sge sge = { (uintptr_t)slot(&server, i), run.size, server.mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 }, *bad;

	errno = ibv_post_recv(server.qp, &wr, &bad);
	needs(!errno, "receive");
}

/* Post the next message, in slot @i of both ends. */
static void post(unsigned int i)
{
	struct ibv_sge sge = { (uintptr_t)slot(&client, i), run.size, client.mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = i, .sg_list = &sge, .num_sge = 1, .opcode = run.opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)slot(&server, i), server.mr->rkey },
	}, *bad;

	fill(slot(run.opcode == IBV_WR_RDMA_READ ? &server : &client, i), run.next);
	run.number[i] = run.next++;
	run.posted[i] = now();
	errno = ibv_post_send(client.qp, &wr, &bad);
	needs(!errno, "post");
}

static void sent(unsigned int i)
{
	if (run.opcode != IBV_WR_SEND)
		compare(slot(run.opcode == IBV_WR_RDMA_READ ? &client : &server, i),
			run.number[i]);
	latency[run.done++ % LATENCIES] = (now() - run.posted[i]) / 1000;
	if (now() < run.end)
		post(i);
}

static void received(unsigned int i)
{
	compare(slot(&server, i), run.received++);
	post_receive(i);
}

/* Handle all completions of an end, and ask for an event at the next. */
static void completions(struct rc_end *e)
{
	struct ibv_wc wc[POLLED];
	int n, i, armed = 0;

	do {
		n = ibv_poll_cq(e->cq, POLLED, wc);
		needs(n >= 0, "poll");
		for (i = 0; i < n; i++) {
			if (wc[i].status) {
				fprintf(stderr, "network: %s, after %u messages\n",
					ibv_wc_status_str(wc[i].status), run.done);
				exit(1);
			}
			if (wc[i].opcode & IBV_WC_RECV)
				received(wc[i].wr_id);
			else
				sent(wc[i].wr_id);
		}
		if (!n && !armed++) {
			errno = ibv_req_notify_cq(e->cq, 0);
			needs(!errno, "notify");
			n = 1;
		}
	} while (n);
}

static void wait_events(void)
{
	struct rc_end *ends[] = { &client, &server };
	struct pollfd fds[] = {
		{ .fd = client.channel->fd, .events = POLLIN },
		{ .fd = server.channel->fd, .events = POLLIN },
	};
	struct ibv_cq *cq;
	void *context;
	int i, n = poll(fds, 2, 100);

	needs(n >= 0, "poll");
	for (i = 0; i < 2; i++) {
		if (!fds[i].revents)
			continue;
		needs(!ibv_get_cq_event(ends[i]->channel, &cq, &context), "event");
		ibv_ack_cq_events(cq, 1);
		completions(ends[i]);
	}
}

static int by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int messages(char **argv)
{
	static const char *const ops[] = { "WRITE", "READ", "SEND" };
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_SEND,
	};
	int timeout = argv[8] ? atoi(argv[8]) : TIMEOUT;
	unsigned int i, n;
	int64_t start;

	for (i = 0; i < 2 && strcmp(argv[4], ops[i]); i++)
		;
	errno = EINVAL;
	needs(!strcmp(argv[4], ops[i]), argv[4]);
	run.opcode = opcodes[i];
	run.size = atol(argv[5]);
	run.depth = atoi(argv[6]);
	run.posted = calloc(run.depth, sizeof(*run.posted));
	run.number = calloc(run.depth, sizeof(*run.number));
	needs(run.posted && run.number, "memory");
	/* Receives are posted again before the requests that need them. */
	rc_end_open(&client, argv[0], argv[1], 2 * run.depth * run.size, 2 * run.depth);
	rc_end_open(&server, argv[2], argv[3], 2 * run.depth * run.size, 2 * run.depth);
	rc_end_connect(&client, &server, timeout);
	rc_end_connect(&server, &client, timeout);
	for (i = 0; i < 2 * run.depth && run.opcode == IBV_WR_SEND; i++)
		post_receive(i);
	completions(&client);
	completions(&server);
	start = now();
	run.end = start + atol(argv[7]) * 1000000ll;
	for (i = 0; i < run.depth; i++)
		post(i);
	while (now() < run.end)
		wait_events();
	n = run.done;
	if (n > LATENCIES)
		n = LATENCIES;
	if (!n) {
		fprintf(stderr, "network: no message in time\n");
		return 1;
	}
	qsort(latency, n, sizeof(*latency), by_value);
	printf("%.1f %u %u %u\n", run.done * run.size * 8e3 / (now() - start), latency[n / 2],
	       latency[n - 1 - n / 100], latency[n - 1]);
	rc_end_close(&client);
	rc_end_close(&server);
	return 0;
}

static struct sockaddr_in address(const char *ip)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(5001) };

	errno = EINVAL;
	needs(inet_pton(AF_INET, ip, &a.sin_addr) == 1, ip);
	return a;
}

/* The server: read for the time, beginning with the first byte, and print. */
static void tcp_read(int listener, size_t size, int64_t ms)
{
	int fd = accept(listener, NULL, NULL);
	char *at = malloc(size);
	int64_t start, bytes = 0;
	ssize_t n;

	needs(fd >= 0 && at, "accept");
	needs(read(fd, at, 1) == 1, "read");
	start = now();
	while (now() < start + ms * 1000000) {
		n = read(fd, at, size);
		needs(n > 0, "read");
		bytes += n;
	}
	printf("%.1f 0 0 0\n", bytes * 8e3 / (now() - start));
	fflush(stdout);
	_exit(0);
}

static int tcp(char **argv)
{
	struct sockaddr_in from = address(argv[0]), to = address(argv[1]);
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd, on = 1, status;
	size_t size = atol(argv[2]);
	char *at = calloc(1, size);
	pid_t child;

	from.sin_port = 0;
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	needs(at && !bind(listener, (void *)&to, sizeof(to)) && !listen(listener, 1), argv[1]);
	child = fork();
	if (!child)
		tcp_read(listener, size, atol(argv[3]));
	fd = socket(AF_INET, SOCK_STREAM, 0);
	needs(!bind(fd, (void *)&from, sizeof(from)) && !connect(fd, (void *)&to, sizeof(to)),
	      "connect");
	while (send(fd, at, size, MSG_NOSIGNAL) > 0)
		;
	needs(waitpid(child, &status, 0) == child && !status, "server");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 6 && !strcmp(argv[1], "tcp"))
		return tcp(argv + 2);
	if (argc == 9 || argc == 10)
		return messages(argv + 1);
	fprintf(stderr, "usage: network CLIENT-DEV CLIENT-IP SERVER-DEV SERVER-IP OP SIZE DEPTH MS [TIMEOUT]\n"
			"       network tcp CLIENT-IP SERVER-IP SIZE MS\n");
	return 2;
}
