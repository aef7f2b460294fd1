// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send queues of libxroce with wrong entries and indices, and those of others. The ring of each
 * belongs to the program, which can write to all of it at any time.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rng.h"
#include "send_pair.h"
#include "setting.h"

/* Ring a doorbell by both system calls. Return: 0 or -errno of both. */
static int ring(int fd, __u32 qpn)
{
	struct xroce_qp_send s = { .size = sizeof(s), .qpn = qpn };
	int ret = live_ioctl(fd, XROCE_CMD_QP_SEND, &s);

	check_is(lseek(fd, qpn, XROCE_SEEK_SEND) ? -errno : 0, ret, "lseek() beside ioctl()");
	return ret;
}

/* A queue pair of another file, one without a send queue, one that there is not: one answer. */
HANDLE_TEST(fuzz_send_not_yours, "U3 D5", "the send queue of another file")
{
	struct xroce *other = live_open();
	struct pair p;
	__u32 qpn;

	if (pair_open(&p, x, XROCE_QPT_RC) && pair_connect(&p) && other) {
		check_is(ring(xroce_fd(x), p.a.qpn), 0, "own");
		check_is(ring(xroce_fd(other), p.a.qpn), -ENOENT, "another's");
		qpn = qp_in(x, p.pd, XROCE_QPS_RTS);
		check_is(ring(xroce_fd(x), qpn), -ENOENT, "no send queue");
		check_is(ring(xroce_fd(x), qpn ^ 1 << 20), -ENOENT, "none");
	}
	if (other)
		xroce_close(other);
	pair_close(&p);
}

static void refused(int fd, off_t qpn, int whence, int error)
{
	errno = 0;
	check(lseek(fd, qpn, whence) == -1 && errno == error, "offset %#llx, whence %d: %s",
	      (long long)qpn, whence, strerror(errno));
}

/* A doorbell by lseek() that is none. */
HANDLE_TEST(fuzz_send_lseek, "U3 D5", "wrong offsets and commands of lseek()")
{
	int fd = open(XROCE_DEV_PATH, O_RDWR | O_CLOEXEC);
	struct pair p;

	if (pair_open(&p, x, XROCE_QPT_RC) && pair_connect(&p) && check(fd >= 0, "open")) {
		refused(fd, p.a.qpn, XROCE_SEEK_SEND, ENOTCONN);
		refused(xroce_fd(x), p.a.qpn, SEEK_CUR, EINVAL);
		refused(xroce_fd(x), p.a.qpn, SEEK_END, EINVAL);
		refused(xroce_fd(x), p.a.qpn, 77, EINVAL);
		refused(xroce_fd(x), p.a.qpn | 1ll << 32, XROCE_SEEK_SEND, ENOENT);
		refused(xroce_fd(x), -1, XROCE_SEEK_SEND, ENOENT);
		check_is(ring(xroce_fd(x), p.a.qpn), 0, "own");
	}
	if (fd >= 0)
		close(fd);
	pair_close(&p);
}

/* The index in the ring is impossible: nothing is executed, and the queue goes on. */
HANDLE_TEST(fuzz_send_index, "U3 V7", "an impossible index in the ring")
{
	struct xroce_send_header *header;
	struct xroce_sge_local sge;
	struct xroce_wr wr;
	struct pair p;
	__u32 tail;

	if (!pair_open(&p, x, XROCE_QPT_RC) || !pair_connect(&p))
		goto out;
	header = xroce_send_ring(p.a.send);
	tail = header->tail;
	header->tail = tail + PAIR_ENTRIES + 1;
	check_is(ring(xroce_fd(x), p.a.qpn), -EINVAL, "beyond the ring");
	header->tail = tail - 1;
	check_is(ring(xroce_fd(x), p.a.qpn), -EINVAL, "back");
	header->tail = tail;
	/* The module does not read what it has written. */
	header->head = 12345;
	wr = pair_request(&p, XROCE_WR_RDMA_WRITE, &sge, 0, 64);
	header->head = tail;
	pair_done(&p, &wr, 0);
	check(!memcmp(far, own, 64), "bytes of the WRITE");
out:
	pair_close(&p);
}

/**
 * struct scribbler - a thread that writes random words into the entries of a ring
 * @words: the entries
 * @n: their length in words
 * @stop: end
 */
struct scribbler {
	__u32 *words;
	size_t n;
	bool stop;
};

static void *scribble(void *arg)
{
	struct scribbler *s = arg;
	unsigned int seed = 1;

	while (!__atomic_load_n(&s->stop, __ATOMIC_RELAXED))
		__atomic_store_n(&s->words[rand_r(&seed) % s->n], rand_r(&seed),
				 __ATOMIC_RELAXED);
	return NULL;
}

/* Random bytes, but many fields have a right value, so that all checks are reached. */
static void random_entry(const struct pair *p, struct xroce_send_wqe *e)
{
	__u32 i;

	rng_fill((__u8 *)e, p->a.stride);
	if (rng_below(8)) {
		e->opcode = rng_below(XROCE_WR_ATOMIC_WRITE + 1);
		e->flags = rng_below(16);
		e->num_sge = rng_below(PAIR_SGE + 1);
		e->length = rng_below(PAIR_INLINE + 2);
	}
	if (rng_below(4)) {
		e->rkey = p->far.rkey;
		e->addr = p->far.iova + rng_below(PAIR_BYTES + 64);
	}
	for (i = 0; i < PAIR_SGE; i++) {
		e->sge[i].addr = p->own.iova + rng_below(PAIR_BYTES + 64);
		if (rng_below(8)) {
			e->sge[i].lkey = p->own.lkey;
			e->sge[i].length = rng_below(3000);
		}
	}
}

static void post_random(struct pair *p, struct xroce_send_header *header, __u64 left)
{
	struct xroce_qp_send s = { .size = sizeof(s), .qpn = p->a.qpn };
	char *entries = (char *)header + XROCE_RING_HEADER;
	__u32 tail = header->tail, n;
	struct xroce_cqe cqe[16];
	int ret;

	while (left && !test_failed()) {
		for (n = 1 + rng_below(4); n && left; n--, left--)
			random_entry(p, (void *)(entries + (tail++ % PAIR_ENTRIES) * p->a.stride));
		__atomic_store_n(&header->tail, tail, __ATOMIC_RELEASE);
		ret = live_ioctl(xroce_fd(p->x), XROCE_CMD_QP_SEND, &s);
		/* -EINVAL: there was no room for it. */
		check(!ret || ret == -EINVAL, "doorbell: %d", ret);
		while (xroce_cq_poll(p->cq, cqe, 16) > 0)
			;
		if (ret || qp_state(p->x, p->a.qpn) == XROCE_QPS_ERR) {
			if (!pair_again(p))
				return;
			tail = header->tail = header->head;
		}
	}
}

/* Afterwards the queue pairs work. */
HANDLE_TEST(fuzz_send_entries, "U3 V7 D5", "random entries that change meanwhile")
{
	struct xroce_send_header *header;
	struct scribbler scribbler = {};
	struct xroce_sge_local sge;
	struct xroce_wr wr;
	pthread_t thread;
	struct pair p;

	rng_seed(setting("XROCE_SEED", 1));
	if (!pair_open(&p, x, XROCE_QPT_RC) || !pair_connect(&p))
		goto out;
	header = xroce_send_ring(p.a.send);
	scribbler.words = (void *)((char *)header + XROCE_RING_HEADER);
	scribbler.n = PAIR_ENTRIES * p.a.stride / sizeof(*scribbler.words);
	if (!check(!pthread_create(&thread, NULL, scribble, &scribbler), "thread"))
		goto out;
	post_random(&p, header, setting("XROCE_SEND_HOSTILE", 3000));
	__atomic_store_n(&scribbler.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	xroce_send_close(p.a.send);
	check(!xroce_qp_destroy(p.a.rq), "queue pair");
	p.a = (struct end){};
	if (test_failed() || !pair_end_open(&p, &p.a) || !pair_again(&p))
		goto out;
	wr = pair_request(&p, XROCE_WR_RDMA_WRITE, &sge, 0, PAIR_BYTES);
	if (pair_done(&p, &wr, 0))
		check(!memcmp(own, far, PAIR_BYTES), "bytes of a WRITE");
out:
	pair_close(&p);
}

#define BARE_ENTRIES	64u

/* Make the first queue pair anew, with a send queue that takes neither elements nor inline data. */
static bool open_bare(struct pair *p)
{
	struct xroce_qp_add add = pair_queues(p);

	xroce_send_close(p->a.send);
	check(!xroce_qp_destroy(p->a.rq), "queue pair");
	p->a = (struct end){};
	add.send_entries = BARE_ENTRIES;
	add.send_max_sge = 0;
	add.send_max_inline = 0;
	return pair_end_open_with(p, &p->a, &add) && pair_connect(p);
}

/*
 * The entries of this ring end with it, so that the bytes of a message in the last one would be
 * behind the ring: they are not read.
 */
HANDLE_TEST(fuzz_send_no_inline, "U3 V7", "inline data that a queue does not take")
{
	struct xroce_send_wqe *e = NULL;
	struct xroce_send_header *header;
	struct xroce_qp_send s = { .size = sizeof(s) };
	struct xroce_cqe cqe = {};
	struct pair p;
	__u32 i;

	if (!pair_open(&p, x, XROCE_QPT_RC) || !open_bare(&p))
		goto out;
	header = xroce_send_ring(p.a.send);
	for (i = 0; i < BARE_ENTRIES; i++) {
		e = (void *)((char *)header + XROCE_RING_HEADER + (size_t)i * p.a.stride);
		memset(e, 0, p.a.stride);
		e->opcode = XROCE_WR_RDMA_WRITE;
	}
	e->wr_id = 5;
	e->flags = XROCE_SEND_INLINE;
	e->length = 8;
	e->rkey = p.far.rkey;
	e->addr = p.far.iova;
	__atomic_store_n(&header->tail, BARE_ENTRIES, __ATOMIC_RELEASE);
	s.qpn = p.a.qpn;
	check(!live_ioctl(xroce_fd(x), XROCE_CMD_QP_SEND, &s), "doorbell");
	check(xroce_cq_wait(p.cq, &cqe, 1, 1000 * LIVE_PATIENCE) == 1 && cqe.wr_id == 5 &&
	      cqe.status == XROCE_WC_LOC_QP_OP_ERR, "completion of %llu, status %u", cqe.wr_id,
	      cqe.status);
	check(far[0] == 0xa5, "a byte has changed");
out:
	pair_close(&p);
}

TEST_MAIN(live_main);
