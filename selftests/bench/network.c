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
#include <unistd.h>

#include <sys/socket.h>
#include <sys/wait.h>

#include "clock.h"
#include "latency.h"
#include "message.h"
#include "rc_end.h"
#include "tcp.h"

#define TIMEOUT		14	/* 67 ms */

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
static struct run run;

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

	message_fill(slot(run.opcode == IBV_WR_RDMA_READ ? &server : &client, i), run.size,
		     run.next);
	run.number[i] = run.next++;
	run.posted[i] = clock_ns();
	errno = ibv_post_send(client.qp, &wr, &bad);
	needs(!errno, "post");
}

static void sent(unsigned int i)
{
	if (run.opcode != IBV_WR_SEND)
		message_compare(slot(run.opcode == IBV_WR_RDMA_READ ? &client : &server, i),
				run.size, run.number[i]);
	run.done++;
	latency_add(clock_ns() - run.posted[i]);
	if (clock_ns() < run.end)
		post(i);
}

static void received(unsigned int i)
{
	message_compare(slot(&server, i), run.size, run.received++);
	post_receive(i);
}

/* @arg: the end */
static void completed(const struct ibv_wc *wc, void *arg)
{
	if (wc->status) {
		fprintf(stderr, "network: %s, after %u messages\n", ibv_wc_status_str(wc->status),
			run.done);
		exit(1);
	}
	if (arg == &server)
		received(wc->wr_id);
	else
		sent(wc->wr_id);
}

static void wait_events(void)
{
	struct rc_end *ends[] = { &client, &server };
	struct pollfd fds[] = {
		{ .fd = client.channel->fd, .events = POLLIN },
		{ .fd = server.channel->fd, .events = POLLIN },
	};
	int i, n = poll(fds, 2, 100);

	needs(n >= 0, "poll");
	for (i = 0; i < 2; i++)
		if (fds[i].revents)
			rc_end_event(ends[i], completed, ends[i]);
}

static int messages(char **argv)
{
	static const char *const ops[] = { "WRITE", "READ", "SEND" };
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_SEND,
	};
	int timeout = argv[8] ? atoi(argv[8]) : TIMEOUT;
	int64_t start, end;
	unsigned int i;

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
	rc_end_completions(&client, completed, &client);
	rc_end_completions(&server, completed, &server);
	start = clock_ns();
	run.end = start + atol(argv[7]) * 1000000ll;
	for (i = 0; i < run.depth; i++)
		post(i);
	while (clock_ns() < run.end)
		wait_events();
	end = clock_ns();
	if (!latency_sort()) {
		fprintf(stderr, "network: no message in time\n");
		return 1;
	}
	printf("%.1f %u %u %u\n", run.done * run.size * 8e3 / (end - start), latency_at(50),
	       latency_at(99), latency_at(100));
	rc_end_close(&client);
	rc_end_close(&server);
	return 0;
}

/* The server: read for the time, beginning with the first byte, and print. */
static void tcp_read(int fd, size_t size, int64_t ms)
{
	char *at = malloc(size);
	int64_t start, bytes = 0;
	ssize_t n;

	needs(at, "memory");
	needs(read(fd, at, 1) == 1, "read");
	start = clock_ns();
	while (clock_ns() < start + ms * 1000000) {
		n = read(fd, at, size);
		needs(n > 0, "read");
		bytes += n;
	}
	printf("%.1f 0 0 0\n", bytes * 8e3 / (clock_ns() - start));
	fflush(stdout);
	_exit(0);
}

static int tcp(char **argv)
{
	size_t size = atol(argv[2]);
	char *at = calloc(1, size);
	int from, to, status;
	pid_t child;

	needs(at, "memory");
	tcp_pair(argv[0], argv[1], &from, &to);
	child = fork();
	if (!child) {
		close(from);
		tcp_read(to, size, atol(argv[3]));
	}
	close(to);
	while (send(from, at, size, MSG_NOSIGNAL) > 0)
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
