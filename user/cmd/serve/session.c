// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A session of xroce serve: what a client was given, while it stays. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "cmd.h"
#include "limit.h"
#include "names.h"
#include "netaddr.h"
#include "serve/handshake.h"
#include "serve/peer.h"
#include "serve/session.h"

#define MIN_RNR_TIMER	12	/* 0.64 ms */

int client_problem(struct client *c, int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(c->report->result, sizeof(c->report->result), fmt, args);
	va_end(args);
	return err;
}

int client_bad_read(struct client *c, int err, const char *what)
{
	if (err == -EINTR)
		return client_problem(c, err, "stopped");
	if (err == -ETIMEDOUT)
		return client_problem(c, err, "no %s in time", what);
	if (err < 0)
		return client_problem(c, err, "%s: %s", what, strerror(-err));
	return client_problem(c, -EPIPE, "closed before its %s", what);
}

int client_write(struct client *c, const void *buf, size_t size)
{
	int err = peer_write(c->fd, buf, size, c->server->step_ms);

	if (err == -EINTR)
		return client_problem(c, err, "stopped");
	return err ? client_problem(c, err, "answer: %s", strerror(-err)) : 0;
}

int client_add_pd(struct client *c)
{
	int err;

	if (c->have_pd)
		return 0;
	err = xroce_pd_add(c->server->x, 0, &c->pd);
	if (err)
		return client_problem(c, err, "protection domain: %s",
				      limit_reason(c->server->x, err, NULL,
						   &(struct wanted){ XROCE_COUNT_PD }));
	c->have_pd = true;
	return 0;
}

static int choose_gid(struct client *c, struct client_qp *qp)
{
	const struct server *s = c->server;
	const bool ipv4 = netaddr_is_ipv4(qp->peer.gid);
	const char *wrong = netaddr_gid_error(qp->peer.gid);
	char peer[INET6_ADDRSTRLEN], own[INET6_ADDRSTRLEN];
	int err;

	name_of_gid(qp->peer.gid, peer);
	if (wrong)
		return client_problem(c, -EPROTO, "gid %s: is %s, no host's", peer,
				      wrong);
	if (s->have_gid) {
		memcpy(qp->own.gid, s->gid, sizeof(qp->own.gid));
		if (netaddr_is_ipv4(s->gid) == ipv4)
			return 0;
		return client_problem(c, -EAFNOSUPPORT,
				      "gid %s: is IPv%c, the server's address is %s",
				      peer, ipv4 ? '4' : '6',
				      name_of_gid(s->gid, own));
	}
	err = netaddr_gid(s->netdev, qp->peer.gid, qp->own.gid);
	if (err)
		return client_problem(c, err, "gid %s: the server's device %s has no IPv%c address for it",
				      peer, s->netdev, ipv4 ? '4' : '6');
	return 0;
}

struct client_qp *client_add_qp(struct client *c, const struct client_end *peer)
{
	struct client_qp *qp = &c->qps[c->nqps];
	__u32 qpn;
	int err;

	if (c->nqps == c->server->max_qps) {
		client_problem(c, -EPROTO, "more than %u queue pairs",
			       c->server->max_qps);
		return NULL;
	}
	if (client_add_pd(c))
		return NULL;
	err = xroce_qp_add(c->server->x, 0, c->pd, &qpn);
	if (err) {
		client_problem(c, err, "queue pair: %s",
			       limit_reason(c->server->x, err, NULL,
					    &(struct wanted){ XROCE_COUNT_QP }));
		return NULL;
	}
	c->nqps++;
	memset(qp, 0, sizeof(*qp));
	qp->buf = MAP_FAILED;
	qp->peer = *peer;
	qp->own.qpn = qpn;
	if (getrandom(&qp->own.psn, sizeof(qp->own.psn), 0) < 0) {
		client_problem(c, -errno, "random number: %s", strerror(errno));
		return NULL;
	}
	qp->own.psn &= 0xffffff;
	return choose_gid(c, qp) ? NULL : qp;
}

/* RESET to INIT to RTR to RTS. */
int client_connect_qp(struct client *c, struct client_qp *qp, __u32 access)
{
	struct xroce_connect connect = {
		.size = sizeof(connect),
		.qpn = qp->own.qpn,
		.access = access,
		.path_mtu = c->mtu,
		.dest_qpn = qp->peer.qpn,
		.rq_psn = qp->peer.psn,
		.min_rnr_timer = MIN_RNR_TIMER,
		.max_dest_rd_atomic = CLIENT_RD_ATOMIC,
	};
	int err;

	memcpy(connect.sgid, qp->own.gid, sizeof(connect.sgid));
	memcpy(connect.dgid, qp->peer.gid, sizeof(connect.dgid));
	err = xroce_qp_connect(c->server->x, &connect);
	if (err)
		return client_problem(c, err, "queue pair 0x%06x: %s",
				      qp->own.qpn, strerror(-err));
	return 0;
}

void client_sum_up(struct client *c)
{
	struct client_report *r = c->report, sum = {};
	struct xroce_qp_query q;
	unsigned int i;

	for (i = 0; i < c->nqps; i++) {
		memset(&q, 0, sizeof(q));
		q.qpn = c->qps[i].own.qpn;
		if (xroce_qp_query(c->server->x, &q))
			continue;
		sum.packets += q.packets;
		sum.bytes += q.bytes;
		sum.tx += q.tx;
		sum.tx_bytes += q.tx_bytes;
		sum.duplicates += q.duplicates;
		sum.naks += q.naks;
		if (!sum.cause)
			sum.cause = q.cause;
	}
	pthread_mutex_lock(&c->server->lock);
	r->qps = c->nqps;
	r->qpn = c->nqps ? c->qps[0].own.qpn : 0;
	r->packets = sum.packets;
	r->bytes = sum.bytes;
	r->tx = sum.tx;
	r->tx_bytes = sum.tx_bytes;
	r->duplicates = sum.duplicates;
	r->naks = sum.naks;
	r->cause = sum.cause;
	pthread_mutex_unlock(&c->server->lock);
}

/* Queue pairs first: then nothing uses the regions. */
static void take_back(struct client *c)
{
	struct xroce *x = c->server->x;
	unsigned int i;

	for (i = 0; i < c->nqps; i++)
		xroce_qp_del(x, c->qps[i].own.qpn);
	for (i = 0; i < c->nmrs; i++)
		xroce_mr_dereg(x, c->mrs[i]);
	for (i = 0; i < c->nqps; i++) {
		if (c->qps[i].have_mr)
			xroce_mr_dereg(x, c->qps[i].mr);
		if (c->qps[i].buf != MAP_FAILED)
			munmap(c->qps[i].buf, c->server->size);
	}
	if (c->have_pd)
		xroce_pd_del(x, c->pd);
}

int client_serve(struct server *server, int fd, struct client_report *report)
{
	struct client *c = malloc(sizeof(*c));
	char first = 0;
	int err;

	memset(report, 0, sizeof(*report));
	if (!c) {
		strcpy(report->result, "no memory");
		return 0;
	}
	c->server = server;
	c->report = report;
	c->fd = fd;
	c->have_pd = false;
	c->nqps = 0;
	c->nmrs = 0;

	err = peer_peek(fd, &first, server->step_ms);
	if (err <= 0)
		err = client_bad_read(c, err, "handshake");
	else if (first == HANDSHAKE_BEGINS)
		err = client_json(c);
	else
		err = client_perftest(c);

	client_sum_up(c);
	take_back(c);
	if (err && err != -EINTR && first == HANDSHAKE_BEGINS)
		client_json_refuse(c);
	free(c);
	return err == -EINTR ? err : 0;
}
