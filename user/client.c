// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * One client of xroce serve.
 *
 * How many queue pairs a client has is never said. It sends a key message for
 * each, then all of them again, then the first a third time: the round is over
 * when the first number comes back.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client.h"
#include "netaddr.h"
#include "peer.h"
#include "perftest.h"
#include "progress.h"
#include "units.h"

/* What perftest's clients do. */
#define SERVED_ACCESS	(XROCE_ACCESS_REMOTE_WRITE | XROCE_ACCESS_REMOTE_READ | \
			 XROCE_ACCESS_REMOTE_ATOMIC)
#define MIN_RNR_TIMER	12	/* 0.64 ms */
#define MAX_RD_ATOMIC	16

struct client_qp {
	struct perftest_key peer;
	struct perftest_key own;
	void *buf;		/* MAP_FAILED: none */
	__u32 mr;
	bool have_mr;
};

struct client {
	const struct server *server;
	struct client_report *report;
	int fd;
	__u32 mtu;
	unsigned int nqps;
	struct client_qp qps[CLIENT_QPS_MAX];
};

static int problem(struct client *c, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Leave what went wrong for the report. Return: @err. */
static int problem(struct client *c, int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(c->report->result, sizeof(c->report->result), fmt, args);
	va_end(args);
	return err;
}

/* What did not come, or came in part. Return: a negative errno. */
static int bad_read(struct client *c, int err, const char *what)
{
	if (err == -EINTR)
		return problem(c, err, "stopped");
	if (err == -ETIMEDOUT)
		return problem(c, err, "no %s in time", what);
	if (err < 0)
		return problem(c, err, "%s: %s", what, strerror(-err));
	return problem(c, -EPIPE, "closed before its %s", what);
}

static int read_all(struct client *c, void *buf, size_t size, const char *what)
{
	int n = peer_read(c->fd, buf, size, c->server->step_ms);

	return n == (int)size ? 0 : bad_read(c, n, what);
}

static int write_all(struct client *c, const void *buf, size_t size)
{
	int err = peer_write(c->fd, buf, size);

	return err ? problem(c, err, "answer: %s", strerror(-err)) : 0;
}

static int exchange_versions(struct client *c)
{
	char text[PERFTEST_VERSION_SIZE];
	int err = read_all(c, text, sizeof(text), "version");

	if (err)
		return err;
	if (!perftest_version_ok(text))
		return problem(c, -EPROTO, "not a version of perftest since 5.70");
	return write_all(c, perftest_version, sizeof(perftest_version));
}

/* Each side takes the larger one; here nothing depends on it. */
static int exchange_number(struct client *c, __u32 own, const char *what)
{
	__be32 number;
	int err = read_all(c, &number, sizeof(number), what);

	if (err)
		return err;
	number = htonl(own);
	return write_all(c, &number, sizeof(number));
}

static int exchange_mtu(struct client *c)
{
	char text[PERFTEST_MTU_SIZE];
	int err = read_all(c, text, sizeof(text), "MTU");

	if (err)
		return err;
	c->mtu = perftest_mtu_parse(text);
	if (!c->mtu)
		return problem(c, -EPROTO, "its MTU is not one");
	perftest_mtu_format(c->server->mtu, text);
	if (c->mtu > c->server->mtu)
		c->mtu = c->server->mtu;
	c->report->mtu = 128 << c->mtu;
	return write_all(c, text, sizeof(text));
}

static int read_key(struct client *c, struct perftest_key *key)
{
	char text[PERFTEST_KEY_SIZE];
	int err = read_all(c, text, sizeof(text), "key message");

	if (err)
		return err;
	if (!perftest_key_parse(text, key))
		return problem(c, -EPROTO, "a key message that is not one");
	return 0;
}

static int write_key(struct client *c, const struct perftest_key *key)
{
	char text[PERFTEST_KEY_SIZE];

	perftest_key_format(key, text);
	return write_all(c, text, sizeof(text));
}

/* Make room in the file for the region at @offset. Return: 0 or -errno. */
static int grow_file(int fd, __u64 offset, __u64 size)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if ((__u64)st.st_size >= offset + size)
		return 0;
	return ftruncate(fd, offset + size) ? -errno : 0;
}

static int add_region(struct client *c, struct client_qp *qp)
{
	const struct server *s = c->server;
	struct xroce_mr_reg reg = {
		.pd = s->pd,
		.access = XROCE_ACCESS_LOCAL_WRITE | SERVED_ACCESS,
		.length = s->size,
		.name = "serve",
	};
	__u64 offset = s->size * (qp - c->qps);
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	int err;

	if (s->file >= 0) {
		flags = MAP_SHARED;
		err = grow_file(s->file, offset, s->size);
		if (err)
			return problem(c, err, "file: %s", strerror(-err));
	} else {
		offset = 0;
	}
	qp->buf = mmap(NULL, s->size, PROT_READ | PROT_WRITE, flags, s->file,
		       offset);
	if (qp->buf == MAP_FAILED)
		return problem(c, -errno, "memory: %s", strerror(errno));
	reg.addr = (uintptr_t)qp->buf;
	reg.iova = reg.addr;
	progress_begin("registering", s->size);
	err = xroce_mr_reg(s->x, &reg);
	progress_end();
	if (err)
		return problem(c, err, "region of %llu bytes: %s",
			       (unsigned long long)s->size, err == -ENOMEM ?
			       "no memory, or over RLIMIT_MEMLOCK" :
			       strerror(-err));
	qp->mr = reg.mr;
	qp->have_mr = true;
	qp->own.rkey = reg.rkey;
	qp->own.va = reg.iova;
	return 0;
}

static int choose_gid(struct client *c, struct client_qp *qp)
{
	const struct server *s = c->server;
	int err;

	if (s->have_gid) {
		memcpy(qp->own.gid, s->gid, sizeof(qp->own.gid));
		if (netaddr_is_ipv4(s->gid) == netaddr_is_ipv4(qp->peer.gid))
			return 0;
		err = -EAFNOSUPPORT;
	} else {
		err = netaddr_gid(s->netdev, qp->peer.gid, qp->own.gid);
	}
	if (err)
		return problem(c, err, "no address of the family of its GID");
	return 0;
}

/* RESET to INIT to RTR to RTS. */
static int connect_qp(struct client *c, struct client_qp *qp)
{
	struct xroce_qp_modify init = {
		.qpn = qp->own.qpn,
		.mask = XROCE_QP_STATE | XROCE_QP_PKEY | XROCE_QP_ACCESS,
		.state = XROCE_QPS_INIT,
		.pkey = 0xffff,
		.access = SERVED_ACCESS,
	};
	struct xroce_qp_modify rtr = {
		.qpn = qp->own.qpn,
		.mask = XROCE_QP_STATE | XROCE_QP_AV | XROCE_QP_PATH_MTU |
			XROCE_QP_DEST_QPN | XROCE_QP_RQ_PSN |
			XROCE_QP_MIN_RNR_TIMER | XROCE_QP_MAX_DEST_RD_ATOMIC,
		.state = XROCE_QPS_RTR,
		.path_mtu = c->mtu,
		.dest_qpn = qp->peer.qpn,
		.rq_psn = qp->peer.psn,
		.min_rnr_timer = MIN_RNR_TIMER,
		.max_dest_rd_atomic = MAX_RD_ATOMIC,
	};
	struct xroce_qp_modify rts = {
		.qpn = qp->own.qpn,
		.mask = XROCE_QP_STATE,
		.state = XROCE_QPS_RTS,
	};
	int err;

	memcpy(rtr.sgid, qp->own.gid, sizeof(rtr.sgid));
	memcpy(rtr.dgid, qp->peer.gid, sizeof(rtr.dgid));
	err = xroce_qp_modify(c->server->x, &init);
	if (!err)
		err = xroce_qp_modify(c->server->x, &rtr);
	if (!err)
		err = xroce_qp_modify(c->server->x, &rts);
	if (err)
		return problem(c, err, "queue pair 0x%06x: %s", qp->own.qpn,
			       strerror(-err));
	return 0;
}

static int add_qp(struct client *c, const struct perftest_key *peer)
{
	struct client_qp *qp = &c->qps[c->nqps];
	__u32 qpn;
	int err;

	if (c->nqps == c->server->max_qps)
		return problem(c, -EPROTO, "more than %u queue pairs",
			       c->server->max_qps);
	err = xroce_qp_add(c->server->x, 0, c->server->pd, &qpn);
	if (err)
		return problem(c, err, "queue pair: %s", strerror(-err));
	/* It is counted from here on, and so taken back. */
	c->nqps++;
	memset(qp, 0, sizeof(*qp));
	qp->buf = MAP_FAILED;
	qp->peer = *peer;
	qp->own.qpn = qpn;
	if (getrandom(&qp->own.psn, sizeof(qp->own.psn), 0) < 0)
		return problem(c, -errno, "random number: %s", strerror(errno));
	qp->own.psn &= 0xffffff;
	/* A client asks for as many as it is told: not more than it can. */
	qp->own.out_reads = peer->out_reads > MAX_RD_ATOMIC ? MAX_RD_ATOMIC :
			    peer->out_reads;

	err = choose_gid(c, qp);
	if (!err)
		err = add_region(c, qp);
	if (!err)
		err = connect_qp(c, qp);
	if (!err && c->server->verbose)
		fprintf(stderr,
			"xroce: qp 0x%06x peer 0x%06x psn 0x%06x rkey 0x%08x va 0x%llx\n",
			qpn, peer->qpn, peer->psn, qp->own.rkey,
			(unsigned long long)qp->own.va);
	return err;
}

/* Both rounds of key messages, and the one that lets the client go. */
static int exchange_keys(struct client *c)
{
	struct perftest_key key;
	unsigned int i;
	int err;

	for (;;) {
		err = read_key(c, &key);
		if (err)
			return err;
		if (c->nqps && key.qpn == c->qps[0].peer.qpn)
			break;
		err = add_qp(c, &key);
		if (!err)
			err = write_key(c, &c->qps[c->nqps - 1].own);
		if (err)
			return err;
	}
	for (i = 0; i <= c->nqps; i++) {
		const struct client_qp *qp = &c->qps[i % c->nqps];

		if (i) {
			err = read_key(c, &key);
			if (err)
				return err;
		}
		if (key.qpn != qp->peer.qpn)
			return problem(c, -EPROTO,
				       "its queue pairs come in another order");
		err = write_key(c, &qp->own);
		if (err)
			return err;
	}
	return 0;
}

static void sum_up(struct client *c)
{
	struct client_report *r = c->report;
	struct xroce_qp_query q;
	unsigned int i;

	r->qps = c->nqps;
	r->qpn = c->nqps ? c->qps[0].own.qpn : 0;
	r->packets = r->bytes = r->duplicates = r->naks = 0;
	for (i = 0; i < c->nqps; i++) {
		memset(&q, 0, sizeof(q));
		q.qpn = c->qps[i].own.qpn;
		if (xroce_qp_query(c->server->x, &q))
			continue;
		r->packets += q.packets;
		r->bytes += q.bytes;
		r->duplicates += q.duplicates;
		r->naks += q.naks;
		if (!r->cause)
			r->cause = q.cause;
	}
}

/* How it goes, for who looks at a terminal. */
static void show_progress(const struct client *c, __u64 packets, __u64 bytes)
{
	const struct client_report *r = c->report;
	char packet_rate[UNITS_MAX], byte_rate[UNITS_MAX];

	progress_show("%u queue pairs, %llu packets, %s packets/s, %s bytes/s, %llu naks",
		      r->qps, (unsigned long long)r->packets,
		      units_short(r->packets - packets, packet_rate),
		      units_short(r->bytes - bytes, byte_rate),
		      (unsigned long long)r->naks);
}

/* Wait while the client works without a word. Return: 0 when it speaks. */
static int let_work(struct client *c)
{
	__u64 before = 0, now, packets, bytes;
	int idle = 0, err;

	for (;;) {
		err = peer_wait(c->fd, 1000);
		if (err != -ETIMEDOUT) {
			progress_clear();
			return err < 0 ? bad_read(c, err, "end") : 0;
		}
		packets = c->report->packets;
		bytes = c->report->bytes;
		sum_up(c);
		show_progress(c, packets, bytes);
		now = c->report->packets + c->report->duplicates;
		idle = now == before ? idle + 1000 : 0;
		before = now;
		if (idle < c->server->idle_ms)
			continue;
		progress_clear();
		return problem(c, -ETIMEDOUT, "idle for %d s", idle / 1000);
	}
}

/*
 * The end: key messages, results of 8 bytes each which want an answer as long,
 * and at last "done" or nothing. Which of them come depends on the test.
 */
static int take_leave(struct client *c)
{
	char text[PERFTEST_KEY_SIZE];
	int n, keys = 0, steps, err;

	for (steps = 0; steps < 64; steps++) {
		n = peer_read(c->fd, text, PERFTEST_REPORT_SIZE,
			      c->server->step_ms);
		if (keys && (!n || n == -ECONNRESET ||
			     (n == sizeof("done") && !strcmp(text, "done"))))
			return problem(c, 0, "done");
		if (n != PERFTEST_REPORT_SIZE)
			return bad_read(c, n, "end");
		if (!perftest_key_begins(text)) {
			memset(text, 0, PERFTEST_REPORT_SIZE);
			err = write_all(c, text, PERFTEST_REPORT_SIZE);
		} else {
			err = read_all(c, text + PERFTEST_REPORT_SIZE,
				       sizeof(text) - PERFTEST_REPORT_SIZE,
				       "key message");
			keys++;
			if (!err)
				err = write_key(c, &c->qps[0].own);
		}
		if (err)
			return err;
	}
	return problem(c, -EPROTO, "no end of messages");
}

/* Queue pairs first: then nothing uses the regions. */
static void take_back(struct client *c)
{
	unsigned int i;

	for (i = 0; i < c->nqps; i++)
		xroce_qp_del(c->server->x, c->qps[i].own.qpn);
	for (i = 0; i < c->nqps; i++) {
		if (c->qps[i].have_mr)
			xroce_mr_dereg(c->server->x, c->qps[i].mr);
		if (c->qps[i].buf != MAP_FAILED)
			munmap(c->qps[i].buf, c->server->size);
	}
}

int client_serve(const struct server *server, int fd,
		 struct client_report *report)
{
	struct client *c = malloc(sizeof(*c));
	int err;

	memset(report, 0, sizeof(*report));
	if (!c) {
		strcpy(report->result, "no memory");
		return 0;
	}
	c->server = server;
	c->report = report;
	c->fd = fd;
	c->nqps = 0;

	err = exchange_versions(c);
	if (!err)
		err = exchange_number(c, sysconf(_SC_PAGESIZE), "buffer size");
	if (!err)
		err = exchange_number(c, 64, "cache line size");
	if (!err)
		err = exchange_mtu(c);
	if (!err)
		err = exchange_keys(c);
	if (!err)
		err = let_work(c);
	if (!err)
		err = take_leave(c);

	sum_up(c);
	take_back(c);
	free(c);
	return err == -EINTR ? err : 0;
}
