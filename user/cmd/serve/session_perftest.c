// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A client of perftest's.
 *
 * How many queue pairs it has is never said. It sends a key message for
 * each, then all of them again, then the first a third time: the round is over
 * when the first number comes back.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "limit.h"
#include "serve/peer.h"
#include "serve/perftest.h"
#include "serve/session.h"

/* What perftest's clients do. */
#define SERVED_ACCESS	(XROCE_ACCESS_REMOTE_WRITE | XROCE_ACCESS_REMOTE_READ | \
			 XROCE_ACCESS_REMOTE_ATOMIC)

static int read_all(struct client *c, void *buf, size_t size, const char *what)
{
	int n = peer_read(c->fd, buf, size, c->server->step_ms);

	return n == (int)size ? 0 : client_bad_read(c, n, what);
}

static int exchange_versions(struct client *c)
{
	char text[PERFTEST_VERSION_SIZE];
	int err = read_all(c, text, sizeof(text), "version");

	if (err)
		return err;
	if (!perftest_version_ok(text))
		return client_problem(c, -EPROTO, "not a version of perftest since 5.70");
	return client_write(c, perftest_version, sizeof(perftest_version));
}

/* Each side takes the larger one; here nothing depends on it. */
static int exchange_number(struct client *c, __u32 own, const char *what)
{
	__be32 number;
	int err = read_all(c, &number, sizeof(number), what);

	if (err)
		return err;
	number = htonl(own);
	return client_write(c, &number, sizeof(number));
}

static int exchange_mtu(struct client *c)
{
	char text[PERFTEST_MTU_SIZE];
	int err = read_all(c, text, sizeof(text), "MTU");

	if (err)
		return err;
	c->mtu = perftest_mtu_parse(text);
	if (!c->mtu)
		return client_problem(c, -EPROTO, "its MTU is not one");
	perftest_mtu_format(c->server->mtu, text);
	if (c->mtu > c->server->mtu)
		c->mtu = c->server->mtu;
	c->report->mtu = 128 << c->mtu;
	return client_write(c, text, sizeof(text));
}

static int read_key(struct client *c, struct perftest_key *key)
{
	char text[PERFTEST_KEY_SIZE];
	int err = read_all(c, text, sizeof(text), "key message");

	if (err)
		return err;
	if (!perftest_key_parse(text, key))
		return client_problem(c, -EPROTO, "a key message that is not one");
	return 0;
}

static int write_key(struct client *c, const struct client_qp *qp)
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
	return client_write(c, text, sizeof(text));
}

/* Make room in the file for the region at @offset. Return: 0 or -errno. */
static int grow_file(struct server *s, __u64 offset)
{
	struct stat st;
	int err = 0;

	/* Or one client's growing would cut off what another has just got. */
	pthread_mutex_lock(&s->lock);
	if (fstat(s->file, &st) ||
	    ((__u64)st.st_size < offset + s->size &&
	     ftruncate(s->file, offset + s->size)))
		err = -errno;
	pthread_mutex_unlock(&s->lock);
	return err;
}

static int add_region(struct client *c, struct client_qp *qp)
{
	struct server *s = c->server;
	struct xroce_mr_reg reg = {
		.pd = c->pd,
		.access = XROCE_ACCESS_LOCAL_WRITE | SERVED_ACCESS,
		.length = s->size,
	};
	__u64 offset = s->size * (qp - c->qps);
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	int err;

	snprintf(reg.name, sizeof(reg.name), "serve-%td", qp - c->qps);
	if (s->file >= 0) {
		flags = MAP_SHARED;
		err = grow_file(s, offset);
		if (err)
			return client_problem(c, err, "file: %s", strerror(-err));
	} else {
		offset = 0;
	}
	qp->buf = mmap(NULL, s->size, PROT_READ | PROT_WRITE, flags, s->file,
		       offset);
	if (qp->buf == MAP_FAILED)
		return client_problem(c, -errno, "memory: %s", strerror(errno));
	reg.addr = (uintptr_t)qp->buf;
	reg.iova = reg.addr;
	err = xroce_mr_reg(s->x, &reg);
	if (err)
		return client_problem(c, err, "region of %llu bytes: %s",
			       (unsigned long long)s->size,
			       limit_reason(s->x, err, NULL, &(struct wanted){
					XROCE_COUNT_MR, .bytes = s->size }));
	qp->mr = reg.mr;
	qp->have_mr = true;
	qp->rkey = reg.rkey;
	return 0;
}

static int add_qp(struct client *c, const struct perftest_key *key)
{
	struct client_end peer = { .qpn = key->qpn, .psn = key->psn };
	struct client_qp *qp;
	int err;

	memcpy(peer.gid, key->gid, sizeof(peer.gid));
	qp = client_add_qp(c, &peer);
	if (!qp)
		return -EIO;
	/* A client asks for as many as it is told: not more than it can. */
	qp->out_reads = key->out_reads > CLIENT_RD_ATOMIC ? CLIENT_RD_ATOMIC :
			key->out_reads;
	err = add_region(c, qp);
	if (!err)
		err = client_connect_qp(c, qp, SERVED_ACCESS);
	if (!err && c->server->verbose)
		fprintf(stderr,
			"xroce: qp 0x%06x peer 0x%06x psn 0x%06x rkey 0x%08x va 0x%llx\n",
			qp->own.qpn, peer.qpn, peer.psn, qp->rkey,
			(unsigned long long)(uintptr_t)qp->buf);
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
			err = write_key(c, &c->qps[c->nqps - 1]);
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
			return client_problem(c, -EPROTO,
				       "its queue pairs come in another order");
		err = write_key(c, qp);
		if (err)
			return err;
	}
	return 0;
}

/* Wait while the client works without a word. Return: 0 when it speaks. */
static int let_work(struct client *c)
{
	__u64 before = 0, now;
	int idle = 0, err;

	for (;;) {
		err = peer_wait(c->fd, 1000);
		if (err != -ETIMEDOUT)
			return err < 0 ? client_bad_read(c, err, "end") : 0;
		client_sum_up(c);
		now = c->report->packets + c->report->duplicates;
		idle = now == before ? idle + 1000 : 0;
		before = now;
		if (idle >= c->server->idle_ms)
			return client_problem(c, -ETIMEDOUT, "idle for %d s",
					      idle / 1000);
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
		/* The latency programs say something before they work, too. */
		err = let_work(c);
		if (err)
			return err;
		n = peer_read(c->fd, text, PERFTEST_REPORT_SIZE,
			      c->server->step_ms);
		if (keys && (!n || n == -ECONNRESET ||
			     (n == sizeof("done") && !strcmp(text, "done"))))
			return client_problem(c, 0, "done");
		if (n != PERFTEST_REPORT_SIZE)
			return client_bad_read(c, n, "end");
		if (!perftest_key_begins(text)) {
			memset(text, 0, PERFTEST_REPORT_SIZE);
			err = client_write(c, text, PERFTEST_REPORT_SIZE);
		} else {
			err = read_all(c, text + PERFTEST_REPORT_SIZE,
				       sizeof(text) - PERFTEST_REPORT_SIZE,
				       "key message");
			keys++;
			if (!err)
				err = write_key(c, &c->qps[0]);
		}
		if (err)
			return err;
	}
	return client_problem(c, -EPROTO, "no end of messages");
}

int client_perftest(struct client *c)
{
	int err;

	if (!c->server->size)
		return client_problem(c, -EPROTO, "perftest is not served here");
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
		err = take_leave(c);
	return err;
}
