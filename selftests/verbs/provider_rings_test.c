// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program with xroce's own provider that writes lies into the rings that it has mapped: indices,
 * lengths, keys, opcodes, flags, also while the module reads them. Each doorbell ends, memory that
 * nothing names stays as it is, and other queue pairs of the program work.
 *
 * XROCE_VERBS_HOSTILE=N: number of entries.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>

#include "uapi/rdma/xroce-abi.h"
#include "uapi/xroce.h"

#include "provider_end.h"
#include "provider_poller.h"
#include "rng.h"
#include "setting.h"

#define ENTRIES		40000u	/* default of XROCE_VERBS_HOSTILE */
#define DEPTH		256u
#define MAPPINGS	16

/* Memory that nothing may write: of another domain, and without local write; a page each. */
static char *guarded;
static struct ibv_mr *far, *readable;

/**
 * struct mapping - a ring that the provider has mapped
 * @at: its header
 * @bytes: its length
 */
struct mapping {
	char *at;
	size_t bytes;
};

/**
 * struct rings - a queue pair and what is mapped for it
 * @qp: the queue pair
 * @cq: its completion queue
 * @send: the send queue
 * @recv: the receive queue
 * @cqes: the completion queue's
 * @doorbell: descriptor
 * @done: hostile entries so far
 */
struct rings {
	struct ibv_qp *qp;
	struct ibv_cq *cq;
	struct mapping send;
	struct mapping recv;
	struct mapping cqes;
	int doorbell;
	uint64_t done;
};

static uint64_t limit(void)
{
	return setting("XROCE_VERBS_HOSTILE", ENTRIES);
}

/* Return: how many rings are mapped. */
static unsigned int mapped(struct mapping *list)
{
	FILE *f = fopen("/proc/self/maps", "r");
	uintptr_t from, to;
	unsigned int n = 0;
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		if (!strstr(line, "/dev/infiniband/uverbs") || n == MAPPINGS ||
		    sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &from, &to) != 2)
			continue;
		list[n++] = (struct mapping){ (char *)from, to - from };
	}
	if (f)
		fclose(f);
	return n;
}

/* Those that are not in @old, which has @n of them. Return: how many. */
static unsigned int mapped_since(const struct mapping *old, unsigned int n, struct mapping *new)
{
	struct mapping all[MAPPINGS];
	unsigned int i, j, found = 0, total = mapped(all);

	for (i = 0; i < total; i++) {
		for (j = 0; j < n && old[j].at != all[i].at; j++)
			;
		if (j == n)
			new[found++] = all[i];
	}
	return found;
}

/* The queue pair that lies; entries of a send queue are larger than those of a receive queue. */
static bool rings_open(struct rings *r, const struct own *own)
{
	struct mapping old[MAPPINGS], new[MAPPINGS];
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = DEPTH, .max_recv_wr = DEPTH, .max_send_sge = OWN_SGE,
			 .max_recv_sge = 1, .max_inline_data = OWN_INLINE },
	};
	unsigned int n = mapped(old);

	*r = (struct rings){ .doorbell = own->doorbell };
	r->cq = ibv_create_cq(xr_end.ctx, 4 * DEPTH, NULL, NULL, 0);
	if (!check(r->cq && mapped_since(old, n, new) == 1, "completion queue"))
		return false;
	r->cqes = new[0];
	n = mapped(old);
	init.send_cq = init.recv_cq = r->cq;
	r->qp = own_qp(xr_end.pd, &init);
	if (!check(r->qp && mapped_since(old, n, new) == 2, "queue pair"))
		return false;
	r->send = new[new[0].bytes < new[1].bytes];
	r->recv = new[new[0].bytes >= new[1].bytes];
	return true;
}

static void rings_close(struct rings *r)
{
	check(!r->qp || !ibv_destroy_qp(r->qp), "queue pair");
	check(!r->cq || !ibv_destroy_cq(r->cq), "completion queue");
}

static uint32_t any_key(const struct own *own)
{
	switch (rng_below(4)) {
	case 0:		return own->mr->lkey;
	case 1:		return own->peer_mr->rkey;
	case 2:		return own->mr->lkey ^ 1u << rng_below(32);
	default:	return rng_next();
	}
}

/* An element in the memory of the connection, or where nothing may be written. */
static struct xroce_sge_local any_element(const struct own *own)
{
	struct xroce_sge_local e = {
		.addr = (uintptr_t)own->memory + rng_below(MEM_PAGE / 2),
		.length = rng_below(8) ? rng_below(64) : rng_next(),
		.lkey = rng_below(8) ? own->mr->lkey : any_key(own),
	};
	const struct ibv_mr *mr = rng_below(2) ? far : readable;

	if (!rng_below(6)) {
		e.addr = (uintptr_t)mr->addr + rng_below(MEM_PAGE);
		e.lkey = mr->lkey;
	}
	return e;
}

/* One that succeeds, so that those after it are executed. */
static void honest_send(const struct own *own, struct xroce_send_wqe *e)
{
	memset(e, 0, sizeof(*e));
	e->opcode = rng_below(2) ? XROCE_WR_RDMA_WRITE : XROCE_WR_RDMA_READ;
	e->flags = rng_below(2) ? XROCE_SEND_SIGNALED : 0;
	e->rkey = own->peer_mr->rkey;
	e->addr = (uintptr_t)own->peer_memory;
	e->num_sge = 1;
	e->sge[0] = (struct xroce_sge_local){
		.addr = (uintptr_t)own->memory, .length = 8, .lkey = own->mr->lkey,
	};
}

/* A READ in which only the element is wrong: it names memory that nothing may write. */
static void steal(const struct own *own, struct xroce_send_wqe *e)
{
	const struct ibv_mr *mr = rng_below(2) ? far : readable;

	honest_send(own, e);
	e->opcode = XROCE_WR_RDMA_READ;
	e->sge[0].addr = (uintptr_t)mr->addr + rng_below(MEM_PAGE - 8);
	e->sge[0].lkey = mr->lkey;
}

/* Random bytes, but many fields have a right value, so that all checks are reached. */
static void lie_in_send(const struct own *own, struct xroce_send_wqe *e, size_t stride)
{
	unsigned int i;

	if (!rng_below(4)) {
		steal(own, e);
		return;
	}
	rng_fill((uint8_t *)e, stride);
	if (rng_below(8)) {
		e->opcode = rng_below(XROCE_WR_ATOMIC_WRITE + 2);
		e->flags = rng_below(16);
		e->num_sge = rng_below(OWN_SGE + 2);
		e->length = rng_below(OWN_INLINE + 2);
	}
	e->rkey = rng_below(4) ? own->peer_mr->rkey : any_key(own);
	if (rng_below(4))
		e->addr = (uintptr_t)own->peer_memory + rng_below(MEM_PAGE) / 8 * 8;
	for (i = 0; i < OWN_SGE; i++)
		e->sge[i] = any_element(own);
}

static void lie_in_receives(const struct own *own, const struct rings *r)
{
	size_t stride = (r->recv.bytes - XROCE_RING_HEADER) / DEPTH, at;
	struct xroce_rq_wqe *e;

	for (at = XROCE_RING_HEADER; at + stride <= r->recv.bytes; at += stride) {
		e = (void *)(r->recv.at + at);
		e->wr_id = rng_next();
		e->num_sge = rng_below(4) ? 1 : rng_next();
		e->sge[0] = any_element(own);
	}
}

static uint32_t any_index(uint32_t now)
{
	switch (rng_below(64)) {
	case 0:		return rng_next();
	case 1:		return now - 1;
	case 2:		return now + DEPTH + 1;
	default:	return now + rng_below(32);
	}
}

/* The queue pair in RTS again, with a peer, and with the index that the module has. */
static bool again(struct own *own, struct rings *r)
{
	struct xroce_send_header *send = (void *)r->send.at;
	struct xroce_cq_header *cq = (void *)r->cqes.at;

	__atomic_store_n(&cq->head, cq->tail, __ATOMIC_RELEASE);
	if (!ends_connect(r->qp, own->peer))
		return false;
	send->tail = send->head;
	return true;
}

/* One doorbell: all that it finds, or nothing. Return: 0 or EINVAL. */
static int doorbell(struct own *own, struct rings *r)
{
	struct xroce_send_header *send = (void *)r->send.at;
	struct xroce_cq_header *cq = (void *)r->cqes.at;
	size_t stride = (r->send.bytes - XROCE_RING_HEADER) / DEPTH;
	uint32_t tail = send->tail, to = any_index(tail), i;
	struct xroce_send_wqe *e;
	int ret;

	for (i = tail; i != to && i - tail < DEPTH; i++) {
		e = (void *)(r->send.at + XROCE_RING_HEADER + i % DEPTH * stride);
		if (rng_below(32))
			honest_send(own, e);
		else
			lie_in_send(own, e, stride);
	}
	r->done += to - tail <= DEPTH ? to - tail : 0;
	__atomic_store_n(&send->tail, to, __ATOMIC_RELEASE);
	ret = lseek(r->doorbell, r->qp->qp_num, XROCE_DOORBELL_SEND) ? errno : 0;
	check(!ret || ret == EINVAL, "doorbell: %d", ret);
	cq->head = rng_below(32) ? cq->tail : rng_next();
	cq->arm = rng_next();
	return ret;
}

static bool is_in_err(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr = {};

	check(!ibv_query_qp(qp, &attr, IBV_QP_STATE, &init), "query");
	return attr.qp_state == IBV_QPS_ERR;
}

static bool guards_open(struct own *own)
{
	guarded = mem_map(2);
	if (!guarded)
		return false;
	memset(guarded, 'g', 2 * MEM_PAGE);
	far = ibv_reg_mr(own->pd2, guarded, MEM_PAGE, OWN_RW);
	readable = ibv_reg_mr(xr_end.pd, guarded + MEM_PAGE, MEM_PAGE, IBV_ACCESS_REMOTE_READ);
	return check(far && readable, "regions: %s", strerror(errno));
}

static void guards_close(void)
{
	size_t i;

	for (i = 0; i < 2 * MEM_PAGE; i++)
		if (!check(guarded[i] == 'g', "byte %zu: %#x", i, guarded[i]))
			break;
	check(!ibv_dereg_mr(far) && !ibv_dereg_mr(readable), "regions");
	munmap(guarded, 2 * MEM_PAGE);
}

/* A connection of the same program, beside. */
static void works(struct own *own)
{
	struct ibv_sge sge = { (uintptr_t)own->memory, 8, own->mr->lkey };
	struct ibv_send_wr wr = own_wr(own, IBV_WR_RDMA_WRITE, &sge), *bad;
	struct ibv_wc wc;

	memcpy(own->memory, "honestly", 8);
	check(own_again(own) && !ibv_post_send(own->qp, &wr, &bad), "post");
	check_is(end_wait(own->cq, &wc), IBV_WC_SUCCESS, "a WRITE");
	check(!memcmp(own->peer_memory, "honestly", 8), "its bytes");
}

/**
 * struct liar - a thread that writes random words into the rings
 * @r: the rings
 * @word: that of a thread that polls; NULL: none
 * @stop: end
 * @lies: words
 */
struct liar {
	const struct rings *r;
	uint32_t *word;
	atomic_bool stop;
	uint64_t lies;
};

static void *lie(void *arg)
{
	struct liar *l = arg;
	const struct mapping *m[] = { &l->r->send, &l->r->recv, &l->r->cqes };
	uint64_t x = 88172645463325252ull;
	uint32_t *word;
	size_t at;

	while (!l->stop) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		if (l->word && !(x >> 40 & 63))
			__atomic_store_n(l->word, x >> 50 & 1, __ATOMIC_RELAXED);
		/* Every fourth one is in a header; but again() needs that of the send queue. */
		at = x >> 8 & 3 ? (x >> 16) % m[x % 3]->bytes : x >> 16 & 127;
		if (x % 3 == 0 && at < XROCE_RING_HEADER)
			continue;
		word = (void *)(m[x % 3]->at + at / 4 * 4);
		__atomic_store_n(word, (uint32_t)(x >> 24), __ATOMIC_RELAXED);
		l->lies++;
	}
	return NULL;
}

/* @word: of struct liar */
static void lies(struct own *own, bool meanwhile, uint32_t *word)
{
	uint64_t end = limit() / 2, doorbells = 0, ended = 0;
	struct liar liar = {};
	pthread_t thread;
	struct rings r;

	rng_seed(setting("XROCE_SEED", 1));
	if (!guards_open(own) || !rings_open(&r, own) || !again(own, &r))
		return;
	liar.r = &r;
	liar.word = word;
	if (meanwhile && !check(!pthread_create(&thread, NULL, lie, &liar), "thread"))
		return;
	while (r.done < end && !test_failed()) {
		/* Let the peer answer now and then, so that what follows is executed. */
		if (doorbells % 8 == 0)
			usleep(1000);
		if (doorbells++ % 16 == 0)
			lie_in_receives(own, &r);
		if (doorbell(own, &r) || is_in_err(r.qp)) {
			ended++;
			if (!again(own, &r))
				break;
		}
	}
	liar.stop = true;
	if (meanwhile)
		pthread_join(thread, NULL);
	note("%" PRIu64 " entries, %" PRIu64 " doorbells, %" PRIu64 " times connected again, %" PRIu64
	     " words of a thread", r.done, doorbells, ended, liar.lies);
	check(ended && (!meanwhile || liar.lies), "nothing was refused");
	end_events(&xr_end, IBV_EVENT_CQ_ERR);
	end_events(&xr_end, IBV_EVENT_QP_FATAL);
	/* The thread sets it right when it falls asleep. */
	check(!word || !lseek(own->doorbell, own->qp->qp_num, XROCE_DOORBELL_SEND), "doorbell");
	rings_close(&r);
	guards_close();
	works(own);
}

OWN_TEST(provider_rings, "V5 D5", "lies in rings: each doorbell ends, and memory is as before")
{
	lies(own, false, NULL);
}

TEST_OPENED(own, own, poller_open(&own, XROCE_POLL_MAX), poller_close, provider_rings_poll, "V5 D5",
	    "lies in rings that a thread polls, and about whether it sleeps")
{
	uint32_t *word = poller_word(xr_end.ctx);

	if (!word)
		return;
	lies(own, true, word);
	check(poller_of(getpid()), "the thread is gone");
	poller_sleeps(word);
}

OWN_TEST(provider_rings_race, "V5 D5", "lies in rings that another thread writes meanwhile")
{
	lies(own, true, NULL);
}

TEST_MAIN(harness_main);
