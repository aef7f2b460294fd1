// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A client of perftest: has a queue pair and a region for each of its own queue pairs. perftest.c
 * has the format of its messages.
 *
 * The client does not announce the number of its queue pairs. It sends a key message for each of
 * them, then all of these again, and then the first one a third time. The first round ends when
 * the first queue pair number appears again.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "limit_reason.h"
#include "serve/peer.h"
#include "serve/perftest.h"
#include "serve/session.h"

/* Rights that clients of perftest need. */
#define SERVED_ACCESS	(XROCE_ACCESS_REMOTE_WRITE | XROCE_ACCESS_REMOTE_READ | \
			 XROCE_ACCESS_REMOTE_ATOMIC)

static int read_all(struct session *s, void *buf, size_t size, const char *what)
{
	int n = peer_read(s->fd, buf, size, s->server->step_ms);

	return n == (int)size ? 0 : session_bad_read(s, n, what);
}

static int exchange_versions(struct session *s)
{
	char text[PERFTEST_VERSION_SIZE];
	int err = read_all(s, text, sizeof(text), "version");

	if (err)
		return err;
	if (!perftest_version_ok(text))
		return session_problem(s, -EPROTO, "not perftest of version 5.70 or newer");
	return session_write(s, perftest_version, sizeof(perftest_version));
}

/* Both sides use the larger number. This side does not need it. */
static int exchange_number(struct session *s, __u32 own, const char *what)
{
	__be32 number;
	int err = read_all(s, &number, sizeof(number), what);

	if (err)
		return err;
	number = htonl(own);
	return session_write(s, &number, sizeof(number));
}

static int exchange_mtu(struct session *s)
{
	char text[PERFTEST_MTU_SIZE];
	int err = read_all(s, text, sizeof(text), "MTU");

	if (err)
		return err;
	s->mtu = perftest_mtu_parse(text);
	if (!s->mtu)
		return session_problem(s, -EPROTO, "invalid MTU");
	perftest_mtu_format(s->server->mtu, text);
	if (s->mtu > s->server->mtu)
		s->mtu = s->server->mtu;
	s->report->mtu = 128 << s->mtu;
	return session_write(s, text, sizeof(text));
}

static int read_key(struct session *s, struct perftest_key *key)
{
	char text[PERFTEST_KEY_SIZE];
	int err = read_all(s, text, sizeof(text), "key message");

	if (err)
		return err;
	if (!perftest_key_parse(text, key))
		return session_problem(s, -EPROTO, "invalid key message");
	return 0;
}

static int write_key(struct session *s, const struct session_qp *qp)
{
	struct perftest_key key = {
		.out_reads = qp->out_reads,
		.qpn = qp->own.qpn,
		.psn = qp->own.psn,
		.rkey = qp->rkey,
		.va = (uintptr_t)qp->buf,
	};
	char text[PERFTEST_KEY_SIZE];

	memcpy(key.gid, qp->own.gid, sizeof(key.gid));
	perftest_key_format(&key, text);
	return session_write(s, text, sizeof(text));
}

/* Extend the file if the region at @offset does not fit. Return: 0 or -errno. */
static int grow_file(struct server *server, __u64 offset)
{
	struct stat st;
	int err = 0;

	/* Without the lock, ftruncate() could cut off what another thread has just added. */
	pthread_mutex_lock(&server->lock);
	if (fstat(server->file, &st) ||
	    ((__u64)st.st_size < offset + server->size &&
	     ftruncate(server->file, offset + server->size)))
		err = -errno;
	pthread_mutex_unlock(&server->lock);
	return err;
}

static int add_region(struct session *s, struct session_qp *qp)
{
	struct server *server = s->server;
	struct xroce_mr_reg reg = {
		.pd = s->pd,
		.access = XROCE_ACCESS_LOCAL_WRITE | SERVED_ACCESS,
		.length = server->size,
	};
	__u64 offset = server->size * (qp - s->qps);
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	int err;

	snprintf(reg.name, sizeof(reg.name), "serve-%td", qp - s->qps);
	if (server->file >= 0) {
		flags = MAP_SHARED;
		err = grow_file(server, offset);
		if (err)
			return session_problem(s, err, "file: %s", strerror(-err));
	} else {
		offset = 0;
	}
	qp->buf = mmap(NULL, server->size, PROT_READ | PROT_WRITE, flags,
		       server->file, offset);
	if (qp->buf == MAP_FAILED)
		return session_problem(s, -errno, "memory: %s", strerror(errno));
	reg.addr = (uintptr_t)qp->buf;
	reg.iova = reg.addr;
	err = xroce_mr_reg(server->x, &reg);
	if (err)
		return session_problem(s, err, "region of %llu bytes: %s",
			       (unsigned long long)server->size,
			       limit_reason(server->x, err, NULL, &(struct wanted){
					XROCE_COUNT_MR, .bytes = server->size }));
	qp->mr = reg.mr;
	qp->have_mr = true;
	qp->rkey = reg.rkey;
	return 0;
}

static int add_qp(struct session *s, const struct perftest_key *key)
{
	struct session_end peer = { .qpn = key->qpn, .psn = key->psn };
	struct session_qp *qp;
	int err;

	memcpy(peer.gid, key->gid, sizeof(peer.gid));
	qp = session_add_qp(s, &peer, NULL);
	if (!qp)
		return -EIO;
	/* A client uses as many as it is told, so do not tell it more than it supports. */
	qp->out_reads = key->out_reads > SESSION_RD_ATOMIC ? SESSION_RD_ATOMIC :
			key->out_reads;
	err = add_region(s, qp);
	if (!err)
		err = session_connect_qp(s, qp, SERVED_ACCESS);
	if (!err && s->server->verbose)
		fprintf(stderr,
			"xroce: qp 0x%06x peer 0x%06x psn 0x%06x rkey 0x%08x va 0x%llx\n",
			qp->own.qpn, peer.qpn, peer.psn, qp->rkey,
			(unsigned long long)(uintptr_t)qp->buf);
	return err;
}

/* Exchange both rounds of key messages, and the last one, after which the client begins. */
static int exchange_keys(struct session *s)
{
	struct perftest_key key;
	unsigned int i;
	int err;

	for (;;) {
		err = read_key(s, &key);
		if (err)
			return err;
		if (s->nqps && key.qpn == s->qps[0].peer.qpn)
			break;
		err = add_qp(s, &key);
		if (!err)
			err = write_key(s, &s->qps[s->nqps - 1]);
		if (err)
			return err;
	}
	for (i = 0; i <= s->nqps; i++) {
		const struct session_qp *qp = &s->qps[i % s->nqps];

		if (i) {
			err = read_key(s, &key);
			if (err)
				return err;
		}
		if (key.qpn != qp->peer.qpn)
			return session_problem(s, -EPROTO,
				       "key messages of the second round in another order");
		err = write_key(s, qp);
		if (err)
			return err;
	}
	return 0;
}

/*
 * Receiver-not-ready NAKs without a packet that was executed: the client sends messages, for which
 * its queue pairs have no receive queue, and sends them again without end. A packet that is lost
 * causes one NAK, and the client sends it again within the second.
 */
#define SEND_NAKS	8

static int check_sends(struct session *s)
{
	const struct session_report *r = s->report;

	if (r->packets || r->duplicates || r->naks < SEND_NAKS)
		return 0;
	return session_problem(s, -EPROTO,
			       "a test of SEND, such as ib_send_bw: messages are not received here, use ib_write_*, ib_read_* or ib_atomic_*");
}

/* Wait until the client sends a message. Return: 0; or -errno, -ETIMEDOUT if it is idle. */
static int let_work(struct session *s)
{
	int err;

	s->idle_ms = 0;
	for (;;) {
		err = peer_wait(s->fd, 1000);
		if (err != -ETIMEDOUT)
			return err < 0 ? session_bad_read(s, err, "final message") : 0;
		err = session_second(s, s->server->idle_ms) ? : check_sends(s);
		if (err)
			return err;
	}
}

/*
 * Messages until the end, which depend on the test: key messages, results of 8 bytes that are
 * answered with 8 bytes, and finally "done" or nothing.
 */
static int take_leave(struct session *s)
{
	char text[PERFTEST_KEY_SIZE];
	int n, keys = 0, steps, err;

	for (steps = 0; steps < 64; steps++) {
		/* The latency tests also send a message before they begin. */
		err = let_work(s);
		if (err)
			return err;
		n = peer_read(s->fd, text, PERFTEST_REPORT_SIZE,
			      s->server->step_ms);
		if (keys && (!n || n == -ECONNRESET ||
			     (n == sizeof("done") && !strcmp(text, "done"))))
			return session_problem(s, 0, "done");
		if (n != PERFTEST_REPORT_SIZE)
			return session_bad_read(s, n, "final message");
		if (!perftest_key_begins(text)) {
			memset(text, 0, PERFTEST_REPORT_SIZE);
			err = session_write(s, text, PERFTEST_REPORT_SIZE);
		} else {
			err = read_all(s, text + PERFTEST_REPORT_SIZE,
				       sizeof(text) - PERFTEST_REPORT_SIZE,
				       "key message");
			keys++;
			if (!err)
				err = write_key(s, &s->qps[0]);
		}
		if (err)
			return err;
	}
	return session_problem(s, -EPROTO, "too many messages");
}

int session_perftest(struct session *s)
{
	int err;

	if (!s->server->size)
		return session_problem(s, -EPROTO, "perftest is not served here");
	err = exchange_versions(s);
	if (!err)
		err = exchange_number(s, sysconf(_SC_PAGESIZE), "buffer size");
	if (!err)
		err = exchange_number(s, 64, "cache line size");
	if (!err)
		err = exchange_mtu(s);
	if (!err)
		err = exchange_keys(s);
	if (!err)
		err = take_leave(s);
	return err;
}
