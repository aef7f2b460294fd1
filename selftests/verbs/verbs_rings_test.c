// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program of the verbs device that writes lies into its own rings: indices, sizes, numbers of
 * elements, lengths, keys, opcodes, flags. Whatever they are, each system call does no more
 * work than its ring has entries, and nothing is written but what is posted.
 *
 * Memory, of pages filled with a pattern; only those in which receives are posted may change:
 *
 *	guard | posted, guard, posted, guard, ... | guard | not writable | guard | other's | guard
 *	      |<-------- region "good" --------->|       |<- "read" --->|       |<---- "far" ->|
 *
 * XROCE_VERBS_HOSTILE=N: number of entries.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "live.h"
#include "mem.h"
#include "rng.h"
#include "setting.h"
#include "verbs_end.h"
#include "verbs_ring.h"

#define ENTRIES		200000u		/* default of XROCE_VERBS_HOSTILE */
#define SENDS		1023u		/* depth of the send ring: 1,024 slots */
#define RECVS		511u
#define SHARED		255u
#define COMPLETIONS	8191u		/* more than all of them */
#define MOST_ROUNDS	400u	/* of rows with packets, and with many queues */
#define BURST		16u		/* messages of the peer at a time */
#define MESSAGE		256u
#define GOOD_PAGES	15u
#define PAGES		(GOOD_PAGES + 6)
#define PATTERN		0x5a
#define PAYLOAD		0xc3

static char *memory;
static struct ibv_mr *good, *readable, *far, *peer_mr;
static struct verbs_end stranger;
static struct ibv_mw *window;
static struct ibv_cq *cq, *peer_cq;
static struct verbs_ring cq_ring;
static char peer_message[MESSAGE];
static uint64_t done;			/* hostile entries so far */

static char *page(uint32_t n)
{
	return memory + n * MEM_PAGE;
}

static uint64_t limit(void)
{
	return setting("XROCE_VERBS_HOSTILE", ENTRIES);
}

/* Rounds of a row that needs much time for each entry. */
static uint32_t slow_rounds(void)
{
	uint64_t rounds = limit() / 4000 + 10;

	return rounds < MOST_ROUNDS ? rounds : MOST_ROUNDS;
}

/* Check that only pages in which receives are posted have changed. */
static void guards(const char *when)
{
	uint32_t n, i;

	for (n = 0; n < PAGES; n++) {
		if (n >= 1 && n <= GOOD_PAGES && n % 2)
			continue;
		for (i = 0; i < MEM_PAGE && page(n)[i] == PATTERN; i++)
			;
		if (!check(i == MEM_PAGE, "%s: byte %u of page %u is %#x", when, i, n,
			   (uint8_t)page(n)[i]))
			return;
	}
}

static struct ibv_mr *reg(struct ibv_pd *pd, void *at, size_t bytes, int access)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, at, bytes, access);

	check(mr, "region: %s", strerror(errno));
	return mr;
}

static bool set_up(void)
{
	const int all = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			IBV_ACCESS_REMOTE_READ | IBV_ACCESS_MW_BIND;

	memory = mem_map(PAGES);
	if (!memory || !ends_open() || !end_open(&stranger, "xr0", "10.77.0.2"))
		return false;
	memset(memory, PATTERN, PAGES * MEM_PAGE);
	memset(peer_message, PAYLOAD, sizeof(peer_message));
	good = reg(xr_end.pd, page(1), GOOD_PAGES * MEM_PAGE, all);
	readable = reg(xr_end.pd, page(GOOD_PAGES + 2), MEM_PAGE, IBV_ACCESS_REMOTE_READ);
	far = reg(stranger.pd, page(GOOD_PAGES + 4), MEM_PAGE, all);
	peer_mr = reg(rxe_end.pd, peer_message, MESSAGE, IBV_ACCESS_LOCAL_WRITE);
	window = ibv_alloc_mw(xr_end.pd, IBV_MW_TYPE_1);
	ring_forget();
	cq = ibv_create_cq(xr_end.ctx, COMPLETIONS, NULL, NULL, 0);
	peer_cq = ibv_create_cq(rxe_end.ctx, 256, NULL, NULL, 0);
	return check(window && cq && peer_cq, "objects: %s", strerror(errno)) &&
	       ring_new(&cq_ring, COMPLETIONS + 1) && !test_failed();
}

static void clean_up(void)
{
	check(!ibv_destroy_cq(cq) && !ibv_destroy_cq(peer_cq), "completion queues");
	check(!ibv_dealloc_mw(window), "window");
	check(!ibv_dereg_mr(good) && !ibv_dereg_mr(readable) && !ibv_dereg_mr(far) &&
	      !ibv_dereg_mr(peer_mr), "regions");
	end_close(&stranger);
	ends_close();
}

/* The completion queue has been read completely. Return: completions since the last call. */
static uint32_t cq_empty(void)
{
	uint32_t at = cq_ring.at->producer_index;
	static uint32_t last;
	uint32_t n = (at - last) & (cq_ring.slots - 1);

	last = at;
	cq_ring.at->consumer_index = at;
	return n;
}

static uint32_t any_key(void)
{
	switch (rng_below(8)) {
	case 0:		return good->lkey;
	case 1:		return readable->lkey;
	case 2:		return far->lkey;
	case 3:		return window->rkey;
	case 4:		return good->lkey ^ 1u << rng_below(32);
	case 5:		return window->rkey + rng_below(256);
	case 6:		return 0;
	default:	return rng_next();
	}
}

static uint64_t any_address(void)
{
	switch (rng_below(6)) {
	case 0:		return 0;
	case 1:		return -1ull - rng_below(4096);
	case 2:		return (uintptr_t)page(GOOD_PAGES + 1) - rng_below(2 * MESSAGE);
	case 3:		return (uintptr_t)page(GOOD_PAGES + 2);
	case 4:		return (uintptr_t)page(1) - rng_below(2 * MESSAGE);
	default:	return rng_next();
	}
}

static uint32_t any_length(void)
{
	static const uint32_t odd[] = {
		0, 1, MESSAGE - 1, MESSAGE, 4096, 1u << 31, ~0u - MESSAGE, ~0u,
	};

	return rng_below(4) ? odd[rng_below(ARRAY_SIZE(odd))] : rng_next();
}

static uint32_t any_index(uint32_t now, uint32_t slots)
{
	switch (rng_below(5)) {
	case 0:		return rng_next();
	case 1:		return now - 1;
	case 2:		return now + slots;
	case 3:		return slots - 1 + rng_below(3);
	default:	return now + rng_below(slots);
	}
}

/* What the module must not use: its own copy counts. */
static void lie_about_size(const struct verbs_ring *r)
{
	r->at->log2_elem_size = rng_below(2) ? rng_next() : rng_below(32);
	r->at->index_mask = rng_next();
}

static void lie_in_send(struct rxe_send_wqe *w)
{
	w->wr.wr_id = rng_next();
	w->wr.opcode = rng_below(4) ? IBV_WR_LOCAL_INV + rng_below(2) : rng_next() >> rng_below(64);
	w->wr.send_flags = rng_next();
	w->wr.ex.invalidate_rkey = any_key();
	if (w->wr.opcode == IBV_WR_BIND_MW) {
		w->wr.wr.mw.addr = any_address();
		w->wr.wr.mw.length = rng_below(2) ? any_length() : rng_next();
		w->wr.wr.mw.mr_lkey = any_key();
		w->wr.wr.mw.mw_rkey = any_key();
		w->wr.wr.mw.rkey = any_key();
		w->wr.wr.mw.access = rng_next() >> rng_below(64);
	}
	w->dma.num_sge = any_length();
	w->dma.length = any_length();
}

/* A bind that succeeds, so that those after it are executed. */
static void honest_send(struct rxe_send_wqe *w)
{
	w->wr.wr_id = rng_next();
	w->wr.opcode = IBV_WR_BIND_MW;
	w->wr.send_flags = rng_below(2) ? IBV_SEND_SIGNALED : 0;
	w->wr.wr.mw.addr = (uintptr_t)good->addr;
	w->wr.wr.mw.length = good->length;
	w->wr.wr.mw.mr_lkey = good->lkey;
	w->wr.wr.mw.mw_rkey = window->rkey;
	w->wr.wr.mw.rkey = window->rkey;
	w->wr.wr.mw.access = IBV_ACCESS_REMOTE_WRITE;
}

static struct ibv_qp *new_qp(enum ibv_qp_type type, struct ibv_srq *srq, struct verbs_ring *send,
			     struct verbs_ring *recv)
{
	struct ibv_qp *qp;

	ring_forget();
	qp = end_qp(&xr_end, type, cq, cq, srq, SENDS, RECVS);
	if (!qp || !ring_new(send, SENDS + 1) || (recv && !ring_new(recv, RECVS + 1)))
		return NULL;
	return qp;
}

/*
 * One doorbell. All that is posted, and no more, is executed; the index of the program is left
 * alone if there is nothing. @head: the module's index.
 */
static void doorbell(const struct verbs_ring *r, struct ibv_qp *qp, uint32_t *head)
{
	uint32_t mask = r->slots - 1, to = any_index(*head, r->slots);
	uint32_t n = (to - *head) & mask, lie = rng_next(), completed;

	lie_about_size(r);
	r->at->consumer_index = lie;
	__atomic_store_n(&r->at->producer_index, to, __ATOMIC_RELEASE);
	check(!ring_doorbell(xr_end.ctx, qp->handle), "doorbell");
	check(r->at->consumer_index == (n ? to & mask : lie) && r->at->producer_index == to,
	      "%u posted from %u: producer %u, was %u, consumer %u, was %u", n, *head,
	      r->at->producer_index, to, r->at->consumer_index, lie);
	completed = cq_empty();
	check(completed <= n, "%u completed of %u", completed, n);
	*head = to & mask;
	done += n;
}

/* Has a work request moved it to ERR? There is no event, its completion tells. */
static bool has_ended(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr = {};

	check(!ibv_query_qp(qp, &attr, IBV_QP_STATE, &init), "query");
	return attr.qp_state == IBV_QPS_ERR;
}

/* Every field of every entry, and every index. */
TEST(rings_send, "V5 W10", "lies in send rings: each doorbell executes what is posted")
{
	uint64_t end = done + limit() * 3 / 4, doorbells = 0, resets = 0;
	struct verbs_ring send;
	struct ibv_qp *qp = new_qp(IBV_QPT_RC, NULL, &send, NULL);
	uint32_t i, head = 0, ended = 0;

	while (qp && done < end && !test_failed()) {
		/* In ERR they would only be flushed. */
		if (doorbells++ % 4 != 3) {
			check(!end_move(&xr_end, qp, &rxe_end, 0x11, IBV_QPS_RTS), "RTS");
			head = send.at->producer_index & (send.slots - 1);
			cq_empty();
			resets++;
		}
		for (i = 0; i < send.slots; i++)
			if (rng_below(64))
				honest_send(ring_entry(&send, i));
			else
				lie_in_send(ring_entry(&send, i));
		doorbell(&send, qp, &head);
		ended += has_ended(qp);
	}
	guards("sends");
	note("%lu entries, %lu doorbells, %lu times RTS, %u queue pairs ended", done, doorbells,
	     resets, ended);
	check(ended && !end_events(&xr_end, IBV_EVENT_QP_FATAL), "%u ended, with an event", ended);
	check(!qp || !ibv_destroy_qp(qp), "destroy");
}

/* A whole message into a region that has no right for it, or is of another domain. */
static struct rxe_sge forbidden(void)
{
	const struct ibv_mr *mr = rng_below(2) ? readable : far;

	return (struct rxe_sge){ (uintptr_t)mr->addr, MESSAGE, mr->lkey };
}

static void lie_in_receive(const struct verbs_ring *r, uint32_t index)
{
	struct rxe_recv_wqe *w = ring_entry(r, index);
	uint32_t i;

	w->wr_id = rng_next();
	w->dma.length = any_length();
	w->dma.resid = any_length();
	w->dma.cur_sge = any_length();
	w->dma.sge_offset = any_length();
	w->dma.num_sge = rng_below(2) ? 1 + rng_below(2) :
			 rng_below(2) ? rng_below(8) : any_length();
	for (i = 0; i < 2; i++) {
		w->dma.sge[i].addr = rng_below(3) ?
			(uintptr_t)page(1 + 2 * rng_below(GOOD_PAGES / 2)) + rng_below(2048) :
			any_address();
		w->dma.sge[i].length = rng_below(2) ? MESSAGE : any_length();
		w->dma.sge[i].lkey = rng_below(3) ? good->lkey : any_key();
		if (!rng_below(6))
			w->dma.sge[i] = forbidden();
	}
}

static void lie_in_receives(const struct verbs_ring *r)
{
	uint32_t i;

	for (i = 0; i < r->slots; i++)
		lie_in_receive(r, i);
}

/* A queue pair that goes to ERR completes what is posted, and no more. */
TEST(rings_flush, "V5 D5", "lies in receive rings: ERR flushes what is posted")
{
	uint64_t end = done + limit() / 4, rounds = 0;
	struct verbs_ring send, recv;
	struct ibv_qp *qp = new_qp(IBV_QPT_UC, NULL, &send, &recv);
	uint32_t n, to, head = 0, completed;

	while (qp && done < end && !test_failed()) {
		check(!end_move(&xr_end, qp, &rxe_end, 0x11, IBV_QPS_INIT), "INIT");
		head = recv.at->producer_index & (recv.slots - 1);
		if (rounds++ % 16 == 0)
			lie_in_receives(&recv);
		lie_about_size(&recv);
		to = any_index(head, recv.slots);
		n = (to - head) & (recv.slots - 1);
		recv.at->consumer_index = rng_next();
		__atomic_store_n(&recv.at->producer_index, to, __ATOMIC_RELEASE);
		cq_empty();
		check(!end_state(qp, IBV_QPS_ERR), "ERR");
		completed = cq_empty();
		check(completed == n && (!n || recv.at->consumer_index == (to & (recv.slots - 1))),
		      "%u flushed, %u posted from %u; consumer %u", completed, n, head,
		      recv.at->consumer_index);
		done += n;
	}
	note("%lu entries, %lu times ERR", done, rounds);
	guards("flushes");
	check(!qp || !ibv_destroy_qp(qp), "destroy");
}

/* A thread that writes lies to indices until it is told to stop. */
struct liar {
	const struct verbs_ring *ring;
	atomic_bool stop;
	atomic_ulong lies;
	pthread_t thread;
};

static void *lie(void *arg)
{
	struct liar *l = arg;
	uint64_t x = 88172645463325252ull;

	while (!l->stop) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		__atomic_store_n(&l->ring->at->producer_index, (uint32_t)x, __ATOMIC_RELEASE);
		l->ring->at->consumer_index = x >> 32;
		l->lies++;
	}
	return NULL;
}

/* @n messages of the peer, and their completions. Return: how many have succeeded. */
static uint32_t peer_sends(struct ibv_qp *qp, struct ibv_ah *ah, uint32_t qpn, uint32_t n)
{
	struct ibv_sge sge = { (uintptr_t)peer_message, MESSAGE, peer_mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};
	uint32_t i, good_ones = 0;
	struct ibv_wc wc;
	int status;

	if (ah) {
		wr.wr.ud.ah = ah;
		wr.wr.ud.remote_qpn = qpn;
		wr.wr.ud.remote_qkey = END_QKEY;
	}
	for (i = 0; i < n; i++)
		if (!check(!ibv_post_send(qp, &wr, &bad), "post"))
			return 0;
	for (i = 0; i < n; i++) {
		status = end_wait(peer_cq, &wc);
		if (!check(status >= 0, "the peer's message %u does not complete", i))
			return 0;
		good_ones += !status;
	}
	return good_ones;
}

static struct ibv_ah *peer_ah(void)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh = { .sgid_index = rxe_end.gid_index, .hop_limit = 64, .dgid = xr_end.gid },
	};
	struct ibv_ah *ah = ibv_create_ah(rxe_end.pd, &attr);

	check(ah, "address handle: %s", strerror(errno));
	return ah;
}

/*
 * Packets take hostile receives from @recv, while another thread writes its indices. Beside
 * that, an honest receive takes a message.
 */
static void consume(struct ibv_qp *qp, const struct verbs_ring *recv)
{
	struct ibv_ah *ah = qp->qp_type == IBV_QPT_UD ? peer_ah() : NULL;
	uint64_t rounds = slow_rounds(), i, taken = 0, sent = 0;
	struct liar l = { .ring = recv };
	struct ibv_qp *peer;

	if (!check(!pthread_create(&l.thread, NULL, lie, &l), "thread"))
		return;
	for (i = 0; i < rounds && !test_failed(); i++) {
		lie_in_receives(recv);
		lie_about_size(recv);
		cq_empty();
		/* A new one each time: a late task of rxe can put one that is reset into ERR. */
		peer = end_qp(&rxe_end, qp->qp_type, peer_cq, peer_cq, NULL, 64, 1);
		if (!peer || !ends_connect(qp, peer))
			break;
		sent += peer_sends(peer, ah, qp->qp_num, BURST);
		end_state(qp, IBV_QPS_ERR);
		taken += cq_empty();
		end_events(&xr_end, IBV_EVENT_QP_FATAL);
		end_events(&rxe_end, IBV_EVENT_QP_FATAL);
		check(!ibv_destroy_qp(peer), "peer");
	}
	l.stop = true;
	pthread_join(l.thread, NULL);
	guards("receives");
	check(taken, "nothing was taken");
	done += taken;
	note("%lu messages, %lu sent with success, %lu receives taken or flushed, %lu lies about indices",
	     rounds * BURST, sent, taken, (unsigned long)l.lies);
	check(!ah || !ibv_destroy_ah(ah), "address handle");
}

static void receive(enum ibv_qp_type type)
{
	struct verbs_ring send, recv;
	struct ibv_qp *qp = new_qp(type, NULL, &send, &recv);

	if (!qp)
		return;
	consume(qp, &recv);
	check(!ibv_destroy_qp(qp), "destroy");
}

TEST(rings_receive_rc, "V5", "packets take hostile receives: RC") { receive(IBV_QPT_RC); }
TEST(rings_receive_uc, "V5", "packets take hostile receives: UC") { receive(IBV_QPT_UC); }
TEST(rings_receive_ud, "V5", "packets take hostile receives: UD") { receive(IBV_QPT_UD); }

TEST(rings_receive_shared, "V5", "packets take hostile receives of a shared queue")
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = SHARED, .max_sge = 2 } };
	struct verbs_ring send, recv;
	struct ibv_srq *srq;
	struct ibv_qp *qp;

	ring_forget();
	srq = ibv_create_srq(xr_end.pd, &init);
	if (!check(srq, "%s", strerror(errno)) || !ring_new(&recv, SHARED + 1))
		return;
	qp = new_qp(IBV_QPT_RC, srq, &send, NULL);
	if (!qp)
		return;
	consume(qp, &recv);
	check(!ibv_destroy_qp(qp) && !ibv_destroy_srq(srq), "destroy");
}

/*
 * The program's index of the completion queue: either there is room or there is none, and
 * then the queue fails, once. Entries behind the ring's last one are never written: the
 * pattern in its last page stays.
 */
TEST(rings_complete, "V5", "lies in completion rings")
{
	uint32_t rounds = slow_rounds(), i, n, failed = 0, was;
	struct verbs_ring send, ring;
	struct ibv_cq *small;
	struct ibv_qp *qp;
	char *tail;
	size_t rest;

	for (i = 0; i < rounds && !test_failed(); i++) {
		ring_forget();
		small = ibv_create_cq(xr_end.ctx, 31, NULL, NULL, 0);
		if (!check(small, "%s", strerror(errno)) || !ring_new(&ring, 32))
			return;
		qp = end_qp(&xr_end, IBV_QPT_RC, small, small, NULL, SENDS, 1);
		if (!qp || !ring_new(&send, SENDS + 1))
			return;
		tail = (char *)ring_entry(&ring, 31) + ring.stride;
		rest = ring.bytes - (tail - (char *)ring.at);
		memset(tail, PATTERN, rest);
		lie_about_size(&ring);
		check(!end_move(&xr_end, qp, &rxe_end, 0x11, IBV_QPS_RTS), "RTS");
		was = xr_end.events[IBV_EVENT_CQ_ERR];
		for (n = 0; n < 64; n++) {
			honest_send(ring_entry(&send, n));
			lie_in_send(ring_entry(&send, n + 64));
			ring.at->consumer_index = any_index(ring.at->producer_index, 32);
			ring.at->producer_index = rng_next();
			send.at->producer_index = n + 1;
			check(!ring_doorbell(xr_end.ctx, qp->handle), "doorbell");
		}
		send.at->producer_index = 128;
		check(!ring_doorbell(xr_end.ctx, qp->handle), "doorbell");
		done += 128;
		for (; rest && tail[rest - 1] == PATTERN; rest--)
			;
		check(!rest, "byte %zu behind the ring", rest);
		was = end_events(&xr_end, IBV_EVENT_CQ_ERR) - was;
		check(was <= 1, "%u events", was);
		failed += was;
		check(!ibv_destroy_qp(qp) && !ibv_destroy_cq(small), "destroy");
	}
	check(failed && failed < rounds * 2, "%u of %u failed", failed, rounds);
	note("%u of %u completion queues failed", failed, rounds);
	guards("completions");
}

TEST(rings_total, "V5", "as many hostile entries as were asked for")
{
	note("%lu hostile entries", done);
	check(done >= limit(), "%lu of %lu", done, limit());
}

static int run_tests(int argc, char **argv)
{
	return ring_main(argc, argv, set_up, clean_up);
}

TEST_MAIN(run_tests);
