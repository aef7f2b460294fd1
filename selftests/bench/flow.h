/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A flow: messages on a connection of RDMA or TCP, both ends of which are in this process. It sends
 * as fast as it can, and counts what has arrived. If its connection fails, it ends, the program
 * goes on.
 */
#ifndef XROCE_BENCH_FLOW_H
#define XROCE_BENCH_FLOW_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "rc_end.h"

#define FLOW_FDS	2
#define FLOW_BIN_NS	10000000ll
#define FLOW_BINS	6000

/**
 * struct flow - a flow
 * @tcp: TCP; messages of a page or more are a stream, shorter ones are answered one by one
 * @read: the bytes go from the server to the client
 * @timed: latency_add() gets the latency of each message; not of a stream
 * @active: it sends
 * @failed: its connection has ended with an error
 * @size: bytes of a message
 * @depth: messages outstanding
 * @posted: for each slot: when its message was posted
 * @number: for each slot: the number of its message
 * @idle: slots whose message has completed
 * @idles: how many
 * @next: number of the next message
 * @client: one end, of RDMA
 * @server: the other end
 * @fd: of TCP: the end that sends, and the one that receives
 * @buffer: of TCP
 * @begin: when the first bin began
 * @bin: bytes that arrived in each FLOW_BIN_NS; of RDMA whole messages
 */
struct flow {
	bool tcp;
	bool read;
	bool timed;
	bool active;
	bool failed;
	size_t size;
	unsigned int depth;
	int64_t *posted;
	unsigned int *number;
	unsigned int *idle;
	unsigned int idles;
	unsigned int next;
	struct rc_end client;
	struct rc_end server;
	int fd[2];
	char *buffer;
	int64_t begin;
	uint32_t bin[FLOW_BINS];
};

/**
 * struct flow_kind - what a flow is like
 * @op: WRITE: the client sends, or READ: the server does
 * @client: verbs device, or "tcp"
 * @server: verbs device
 */
struct flow_kind {
	char op[8];
	size_t size;
	unsigned int depth;
	char client[16];
	char client_ip[16];
	char server[16];
	char server_ip[16];
};

/* Connect. An error ends the program. */
void flow_open(struct flow *f, const struct flow_kind *kind);

/* Begin to send. @begin: of the first bin */
void flow_start(struct flow *f, int64_t begin);

/* What it waits for; an unused one has a negative descriptor. */
void flow_wants(const struct flow *f, struct pollfd fds[FLOW_FDS]);

/* Handle what poll() has found. */
void flow_ready(struct flow *f, const struct pollfd fds[FLOW_FDS]);

/* End the connection, whatever is outstanding. */
void flow_stop(struct flow *f);

/* Bytes that arrived from bin @from to before bin @to */
uint64_t flow_bytes(const struct flow *f, unsigned int from, unsigned int to);
void flow_close(struct flow *f);

#endif /* XROCE_BENCH_FLOW_H */
