// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * One client of xroce serve, and its objects while it is connected: what all handshakes share.
 * sessions.c has all clients.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "limit_reason.h"
#include "message.h"
#include "names.h"
#include "netaddr.h"
#include "serve/cm.h"
#include "serve/handshake.h"
#include "serve/peer.h"
#include "serve/session.h"

#define MIN_RNR_TIMER	12	/* 0.64 ms */

int session_problem(struct session *s, int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(s->report->result, sizeof(s->report->result), fmt, args);
	va_end(args);
	return err;
}

int session_bad_read(struct session *s, int err, const char *what)
{
	if (err == -EINTR)
		return session_problem(s, err, "stopped");
	if (err == -ETIMEDOUT)
		return session_problem(s, err, "no %s in time", what);
	if (err < 0)
		return session_problem(s, err, "%s: %s", what, strerror(-err));
	return session_problem(s, -EPIPE, "closed before its %s", what);
}

int session_write(struct session *s, const void *buf, size_t size)
{
	int err = peer_write(s->fd, buf, size, s->server->step_ms);

	if (err == -EINTR)
		return session_problem(s, err, "stopped");
	return err ? session_problem(s, err, "reply: %s", strerror(-err)) : 0;
}

int session_add_pd(struct session *s)
{
	int err;

	if (s->have_pd)
		return 0;
	err = xroce_pd_add(s->server->x, 0, &s->pd);
	if (err)
		return session_problem(s, err, "protection domain: %s",
				       limit_reason(s->server->x, err, NULL,
						    &(struct wanted){ XROCE_COUNT_PD }));
	s->have_pd = true;
	return 0;
}

static int choose_gid(struct session *s, struct session_qp *qp)
{
	const struct server *server = s->server;
	const bool ipv4 = netaddr_is_ipv4(qp->peer.gid);
	const char *wrong = netaddr_gid_error(qp->peer.gid);
	char peer[INET6_ADDRSTRLEN], own[INET6_ADDRSTRLEN];
	int err;

	name_of_gid(qp->peer.gid, peer);
	if (wrong)
		return session_problem(s, -EPROTO, "gid %s: is %s, not a host's", peer,
				       wrong);
	if (server->have_gid) {
		memcpy(qp->own.gid, server->gid, sizeof(qp->own.gid));
		if (netaddr_is_ipv4(server->gid) == ipv4)
			return 0;
		return session_problem(s, -EAFNOSUPPORT,
				       "gid %s: is IPv%c, but the server's address is %s",
				       peer, ipv4 ? '4' : '6',
				       name_of_gid(server->gid, own));
	}
	err = netaddr_gid(server->netdev, qp->peer.gid, qp->own.gid);
	if (err)
		return session_problem(s, err, "gid %s: the server's device %s has no IPv%c address for it",
				       peer, server->netdev, ipv4 ? '4' : '6');
	return 0;
}

struct session_qp *session_add_qp(struct session *s, const struct session_end *peer,
				  const __u8 *own_gid)
{
	struct session_qp *qp = &s->qps[s->nqps];
	__u32 qpn;
	int err;

	if (s->nqps == s->server->max_qps) {
		session_problem(s, -EPROTO, "more than %u queue pairs",
				s->server->max_qps);
		return NULL;
	}
	if (session_add_pd(s))
		return NULL;
	err = xroce_qp_create_responder(s->server->x, 0, s->pd, &qpn);
	if (err) {
		session_problem(s, err, "queue pair: %s",
				limit_reason(s->server->x, err, NULL,
					     &(struct wanted){ XROCE_COUNT_QP }));
		return NULL;
	}
	s->nqps++;
	memset(qp, 0, sizeof(*qp));
	qp->buf = MAP_FAILED;
	qp->peer = *peer;
	qp->own.qpn = qpn;
	if (getrandom(&qp->own.psn, sizeof(qp->own.psn), 0) < 0) {
		session_problem(s, -errno, "random number: %s", strerror(errno));
		return NULL;
	}
	qp->own.psn &= 0xffffff;
	if (!own_gid)
		return choose_gid(s, qp) ? NULL : qp;
	memcpy(qp->own.gid, own_gid, sizeof(qp->own.gid));
	return qp;
}

int session_connect_qp(struct session *s, struct session_qp *qp, __u32 access)
{
	struct xroce_connect connect = {
		.size = sizeof(connect),
		.qpn = qp->own.qpn,
		.access = access,
		.path_mtu = s->mtu,
		.dest_qpn = qp->peer.qpn,
		.rq_psn = qp->peer.psn,
		.min_rnr_timer = MIN_RNR_TIMER,
		.max_dest_rd_atomic = SESSION_RD_ATOMIC,
	};
	int err;

	memcpy(connect.sgid, qp->own.gid, sizeof(connect.sgid));
	memcpy(connect.dgid, qp->peer.gid, sizeof(connect.dgid));
	err = xroce_qp_connect(s->server->x, &connect);
	if (err == -EADDRINUSE)
		return session_problem(s, err, "queue pair 0x%06x: another program's queue pair is connected with the client's 0x%06x; the client should make a new one",
				       qp->own.qpn, qp->peer.qpn);
	if (err == -EADDRNOTAVAIL)
		return session_problem(s, err, "queue pair 0x%06x: the network device does not have the own address any more",
				       qp->own.qpn);
	if (err)
		return session_problem(s, err, "queue pair 0x%06x: %s",
				       qp->own.qpn, strerror(-err));
	return 0;
}

void session_sum_up(struct session *s)
{
	struct session_report *r = s->report, sum = {};
	struct xroce_qp_query q;
	unsigned int i;

	for (i = 0; i < s->nqps; i++) {
		memset(&q, 0, sizeof(q));
		q.qpn = s->qps[i].own.qpn;
		if (xroce_qp_query(s->server->x, &q))
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
	pthread_mutex_lock(&s->server->lock);
	r->qps = s->nqps;
	r->qpn = s->nqps ? s->qps[0].own.qpn : 0;
	r->packets = sum.packets;
	r->bytes = sum.bytes;
	r->tx = sum.tx;
	r->tx_bytes = sum.tx_bytes;
	r->duplicates = sum.duplicates;
	r->naks = sum.naks;
	r->cause = sum.cause;
	pthread_mutex_unlock(&s->server->lock);
}

int session_second(struct session *s, int limit_ms)
{
	__u64 packets;

	session_sum_up(s);
	packets = s->report->packets + s->report->duplicates;
	s->idle_ms = packets == s->packets ? s->idle_ms + 1000 : 0;
	s->packets = packets;
	if (!limit_ms || s->idle_ms < limit_ms)
		return 0;
	return session_problem(s, -ETIMEDOUT, "idle for %d s", s->idle_ms / 1000);
}

/* Queue pairs first: then nothing uses the regions. */
static void take_back(struct session *s)
{
	struct xroce *x = s->server->x;
	unsigned int i;

	for (i = 0; i < s->nqps; i++)
		xroce_qp_del(x, s->qps[i].own.qpn);
	for (i = 0; i < s->nmrs; i++)
		xroce_mr_dereg(x, s->mrs[i]);
	for (i = 0; i < s->nqps; i++) {
		if (s->qps[i].have_mr)
			xroce_mr_dereg(x, s->qps[i].mr);
		if (s->qps[i].buf != MAP_FAILED)
			munmap(s->qps[i].buf, s->server->size);
	}
	if (s->have_pd)
		xroce_pd_del(x, s->pd);
}

/* Serve a TCP client by the handshake that its first byte tells. */
static int serve_tcp(struct session *s, char *first)
{
	int err = peer_peek(s->fd, first, s->server->step_ms);

	if (err <= 0)
		return session_bad_read(s, err, "handshake");
	return *first == HANDSHAKE_BEGINS ? session_json(s) : session_perftest(s);
}

int session_serve(struct server *server, int fd, struct cm_client *cm,
		  struct session_report *report)
{
	struct session *s = malloc(sizeof(*s));
	char first = 0;
	int err;

	memset(report, 0, sizeof(*report));
	if (!s) {
		strcpy(report->result, "no memory");
		return 0;
	}
	s->server = server;
	s->report = report;
	s->fd = fd;
	s->cm = cm;
	s->have_pd = false;
	s->packets = 0;
	s->idle_ms = 0;
	s->nqps = 0;
	s->nmrs = 0;

	err = cm ? session_cm(s) : serve_tcp(s, &first);
	session_sum_up(s);
	take_back(s);
	/* Has no effect on a connection that has been accepted. */
	if (err && err != -EINTR && cm)
		cm_reject(cm, report->result);
	else if (err && err != -EINTR && first == HANDSHAKE_BEGINS)
		session_json_refuse(s);
	free(s);
	return err == -EINTR ? err : 0;
}
