// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "clock.h"
#include "flow.h"
#include "latency.h"
#include "message.h"
#include "tcp.h"

#define TIMEOUT		14	/* 67 ms */
#define STREAM		4096	/* bytes of a message */
#define MARK		64	/* bytes of the shortest message */

static bool is_stream(const struct flow *f)
{
	return f->size >= STREAM;
}

static void fail(struct flow *f)
{
	f->failed = f->failed || f->active;
	f->active = false;
}

static void arrived(struct flow *f, size_t bytes)
{
	unsigned int bin = (clock_ns() - f->begin) / FLOW_BIN_NS;

	if (bin < FLOW_BINS)
		f->bin[bin] += bytes;
}

static char *slot(const struct flow *f, const struct rc_end *e, unsigned int i)
{
	return e->memory + i * f->size;
}

/* Its last bytes, which differ in each message. All of them would cost more than the transport. */
static char *mark(const struct flow *f, const struct rc_end *e, unsigned int i)
{
	return slot(f, e, i) + f->size - MARK;
}

/* Post the next message, in slot @i of both ends. */
static void post(struct flow *f, unsigned int i)
{
	const struct rc_end *c = &f->client, *s = &f->server;
	struct ibv_sge sge = { (uintptr_t)slot(f, c, i), f->size, c->mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = i, .sg_list = &sge, .num_sge = 1, .send_flags = IBV_SEND_SIGNALED,
		.opcode = f->read ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE,
		.wr.rdma = { (uintptr_t)slot(f, s, i), s->mr->rkey },
	}, *bad;

	message_fill(mark(f, f->read ? s : c, i), MARK, f->next);
	f->number[i] = f->next++;
	f->posted[i] = clock_ns();
	if (ibv_post_send(c->qp, &wr, &bad))
		fail(f);
}

static void completed(const struct ibv_wc *wc, void *arg)
{
	struct flow *f = arg;
	unsigned int i = wc->wr_id;

	if (wc->status) {
		fail(f);
		return;
	}
	message_compare(mark(f, f->read ? &f->client : &f->server, i), MARK, f->number[i]);
	arrived(f, f->size);
	if (f->timed)
		latency_add(clock_ns() - f->posted[i]);
	f->idle[f->idles++] = i;
}

/*
 * Not in completed(): on one CPU a short message may be complete when it has been posted, and the
 * completions of this flow would never end.
 */
static void post_idle(struct flow *f)
{
	while (f->active && f->idles)
		post(f, f->idle[--f->idles]);
}

static void tcp_open(struct flow *f, const struct flow_kind *kind)
{
	int *client = &f->fd[f->read], *server = &f->fd[!f->read], i, on = 1;

	tcp_pair(kind->client_ip, kind->server_ip, client, server);
	f->buffer = calloc(1, f->size);
	needs(f->buffer, "memory");
	for (i = 0; i < 2; i++) {
		needs(!fcntl(f->fd[i], F_SETFL, O_NONBLOCK), "fcntl");
		needs(!setsockopt(f->fd[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)), "nodelay");
	}
}

void flow_open(struct flow *f, const struct flow_kind *kind)
{
	size_t length = kind->depth * kind->size;

	f->size = kind->size;
	f->depth = kind->depth;
	f->tcp = !strcmp(kind->client, "tcp");
	f->read = !strcmp(kind->op, "READ");
	f->posted = calloc(f->depth, sizeof(*f->posted));
	f->number = calloc(f->depth, sizeof(*f->number));
	f->idle = calloc(f->depth, sizeof(*f->idle));
	needs(f->posted && f->number && f->idle, "memory");
	if (f->tcp) {
		tcp_open(f, kind);
		return;
	}
	/* aligned_alloc() wants whole pages. */
	length = (length + 4095) & ~4095ul;
	rc_end_open(&f->client, kind->client, kind->client_ip, length, 2 * f->depth);
	rc_end_open(&f->server, kind->server, kind->server_ip, length, 2 * f->depth);
	rc_end_connect(&f->client, &f->server, TIMEOUT);
	rc_end_connect(&f->server, &f->client, TIMEOUT);
	rc_end_completions(&f->client, completed, f);
}

/* As much of the stream as there is room for, or one message. */
static void tcp_send(struct flow *f)
{
	ssize_t n = send(f->fd[0], f->buffer, f->size, MSG_NOSIGNAL);

	f->posted[0] = clock_ns();
	if (n < 0 && errno != EAGAIN)
		fail(f);
}

/* @i: the end. Return: bytes; 0: none, or an error. */
static size_t tcp_receive(struct flow *f, unsigned int i)
{
	ssize_t n = recv(f->fd[i], f->buffer, f->size, 0);

	if (!n || (n < 0 && errno != EAGAIN))
		fail(f);
	return n < 0 ? 0 : n;
}

/* The receiver answers a message with one byte. */
static void tcp_answer(struct flow *f)
{
	if (tcp_receive(f, 1) && send(f->fd[1], f->buffer, 1, MSG_NOSIGNAL) != 1)
		fail(f);
}

static void tcp_answered(struct flow *f)
{
	if (!tcp_receive(f, 0))
		return;
	arrived(f, f->size);
	if (f->timed)
		latency_add(clock_ns() - f->posted[0]);
	if (f->active)
		tcp_send(f);
}

void flow_start(struct flow *f, int64_t begin)
{
	unsigned int i;

	f->begin = begin;
	f->active = true;
	if (f->tcp)
		tcp_send(f);
	for (i = 0; i < f->depth && !f->tcp; i++)
		post(f, i);
}

void flow_wants(const struct flow *f, struct pollfd fds[FLOW_FDS])
{
	memset(fds, 0, FLOW_FDS * sizeof(*fds));
	fds[0].fd = fds[1].fd = -1;
	if (!f->active)
		return;
	fds[0].events = fds[1].events = POLLIN;
	if (!f->tcp) {
		fds[0].fd = f->client.channel->fd;
		return;
	}
	if (is_stream(f))
		fds[0].events = POLLOUT;
	fds[0].fd = f->fd[0];
	fds[1].fd = f->fd[1];
}

void flow_ready(struct flow *f, const struct pollfd fds[FLOW_FDS])
{
	if (!f->tcp) {
		if (fds[0].revents)
			rc_end_event(&f->client, completed, f);
		post_idle(f);
	} else if (is_stream(f)) {
		if (fds[1].revents)
			arrived(f, tcp_receive(f, 1));
		if (fds[0].revents)
			tcp_send(f);
	} else {
		if (fds[1].revents)
			tcp_answer(f);
		if (fds[0].revents)
			tcp_answered(f);
	}
}

/* TCP sends nothing after a reset. */
static void tcp_close(struct flow *f)
{
	struct linger at_once = { .l_onoff = 1 };
	int i;

	for (i = 0; i < 2 && f->fd[i]; i++) {
		setsockopt(f->fd[i], SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
		close(f->fd[i]);
		f->fd[i] = 0;
	}
}

void flow_stop(struct flow *f)
{
	struct ibv_qp_attr error = { .qp_state = IBV_QPS_ERR };

	f->active = false;
	if (f->tcp) {
		tcp_close(f);
		return;
	}
	ibv_modify_qp(f->client.qp, &error, IBV_QP_STATE);
	ibv_modify_qp(f->server.qp, &error, IBV_QP_STATE);
}

uint64_t flow_bytes(const struct flow *f, unsigned int from, unsigned int to)
{
	uint64_t sum = 0;

	while (from < to && from < FLOW_BINS)
		sum += f->bin[from++];
	return sum;
}

void flow_close(struct flow *f)
{
	if (f->tcp) {
		tcp_close(f);
	} else {
		rc_end_close(&f->client);
		rc_end_close(&f->server);
	}
	free(f->posted);
	free(f->number);
	free(f->idle);
	free(f->buffer);
}
