// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mistakes that rxe's kernel code has had and that were mended in 2025 and 2026, each as a
 * program or its peer would use it. Each has the working case beside it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <sys/mman.h>

#include "live.h"
#include "mem.h"
#include "rng.h"
#include "setting.h"
#include "verbs_end.h"
#include "verbs_ring.h"

#define ROUNDS		60u		/* default of XROCE_VERBS_RACES */
#define SENDS		63u
#define RECVS		15u
#define SHARED		31u
#define COMPLETIONS	255u
#define MESSAGE		64u
#define PATTERN		0x5a
#define PAYLOAD		0xc3
#define PAGES		4u		/* guard, two of the region, guard */
#define TOP		(0 - 4ul * MEM_PAGE)	/* an address near the end of all addresses */

static const int all_rights = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			      IBV_ACCESS_REMOTE_READ | IBV_ACCESS_MW_BIND;

static char *memory;
static char peer_message[MESSAGE];
static struct ibv_mr *mr, *peer_mr;
static struct ibv_cq *cq, *peer_cq;
static struct verbs_ring send_ring, recv_ring;

static char *page(uint32_t n)
{
	return memory + n * MEM_PAGE;
}

static bool set_up(void)
{
	memory = mem_map(PAGES);
	if (!memory || !ends_open())
		return false;
	memset(memory, PATTERN, PAGES * MEM_PAGE);
	memset(peer_message, PAYLOAD, sizeof(peer_message));
	mr = ibv_reg_mr(xr_end.pd, page(1), 2 * MEM_PAGE, all_rights);
	peer_mr = ibv_reg_mr(rxe_end.pd, peer_message, MESSAGE, IBV_ACCESS_LOCAL_WRITE);
	cq = ibv_create_cq(xr_end.ctx, COMPLETIONS, NULL, NULL, 0);
	peer_cq = ibv_create_cq(rxe_end.ctx, 64, NULL, NULL, 0);
	return check(mr && peer_mr && cq && peer_cq, "objects: %s", strerror(errno));
}

static void clean_up(void)
{
	check(!ibv_destroy_cq(cq) && !ibv_destroy_cq(peer_cq), "completion queues");
	check(!ibv_dereg_mr(mr) && !ibv_dereg_mr(peer_mr), "regions");
	ends_close();
}

/* Check that @bytes at @at are the peer's, all others are untouched, and begin again. */
static void memory_is(const char *at, size_t bytes, const char *when)
{
	size_t i;
	char want;

	for (i = 0; i < PAGES * MEM_PAGE; i++) {
		want = at && memory + i >= at && memory + i < at + bytes ? (char)PAYLOAD : PATTERN;
		if (!check(memory[i] == want, "%s: byte %zu is %#x", when, i,
			   (uint8_t)memory[i]))
			break;
	}
	memset(memory, PATTERN, PAGES * MEM_PAGE);
}

static struct ibv_qp *new_qp(struct ibv_srq *srq)
{
	struct ibv_qp *qp;

	ring_forget();
	qp = end_qp(&xr_end, IBV_QPT_RC, cq, cq, srq, SENDS, RECVS);
	if (!qp || !ring_new(&send_ring, SENDS + 1) ||
	    (!srq && !ring_new(&recv_ring, RECVS + 1)))
		return NULL;
	return qp;
}

static struct ibv_qp *new_peer(void)
{
	return end_qp(&rxe_end, IBV_QPT_RC, peer_cq, peer_cq, NULL, 16, 1);
}

/* A message of the peer. Return: status of its completion. */
static int peer_does(struct ibv_qp *peer, enum ibv_wr_opcode opcode, uint64_t addr, uint32_t rkey)
{
	struct ibv_sge sge = { (uintptr_t)peer_message, MESSAGE, peer_mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = addr, .rkey = rkey },
	};
	struct ibv_wc wc;

	return check(!ibv_post_send(peer, &wr, &bad), "post") ? end_wait(peer_cq, &wc) : -1;
}

static void drain(void)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(cq, 1, &wc) == 1 || ibv_poll_cq(peer_cq, 1, &wc) == 1)
		;
	end_events(&xr_end, IBV_EVENT_QP_FATAL);
	end_events(&rxe_end, IBV_EVENT_QP_FATAL);
}

/* Write an entry into a receive ring, and post it. All elements are the same memory. */
static void post_lie(const struct verbs_ring *r, uint32_t num_sge, uint32_t length)
{
	uint32_t at = r->at->producer_index, i;
	struct rxe_recv_wqe *w = ring_entry(r, at);
	uint32_t room = (r->stride - sizeof(*w)) / sizeof(w->dma.sge[0]);

	memset(w, 0, r->stride);
	w->wr_id = num_sge;
	w->dma.num_sge = num_sge;
	for (i = 0; i < room; i++) {
		w->dma.sge[i].addr = (uintptr_t)page(1) + i * MESSAGE;
		w->dma.sge[i].length = length;
		w->dma.sge[i].lkey = mr->lkey;
	}
	__atomic_store_n(&r->at->producer_index, (at + 1) & (r->slots - 1), __ATOMIC_RELEASE);
}

/* @num_sge elements of a receive are accepted, or they end the queue pair. */
static void try_num_sge(struct ibv_qp *qp, struct ibv_qp *peer, uint32_t num_sge, bool accept)
{
	struct ibv_wc wc = {};
	int theirs, ours;

	drain();
	if (!ends_connect(qp, peer))
		return;
	post_lie(&recv_ring, num_sge, MESSAGE / 2);
	theirs = peer_does(peer, IBV_WR_SEND, 0, 0);
	ours = end_wait(cq, &wc);
	check((theirs == IBV_WC_SUCCESS) == accept && (ours == IBV_WC_SUCCESS) == accept &&
	      wc.wr_id == num_sge, "%u elements: %d, peer's %d, wr_id %lu", num_sge, ours,
	      theirs, wc.wr_id);
	if (!accept) {
		memory_is(NULL, 0, "too many elements");
		return;
	}
	check(!memcmp(page(1), peer_message, MESSAGE / 2) &&
	      !memcmp(page(1) + MESSAGE, peer_message, MESSAGE / 2), "both elements");
	memset(memory, PATTERN, PAGES * MEM_PAGE);
}

static void try_all_num_sge(struct ibv_qp *qp)
{
	static const uint32_t many[] = { 3, 4, 32, 33, 1u << 28, 1u << 31, (1u << 31) + 2, ~0u };
	struct ibv_qp *peer = new_peer();
	size_t i;

	for (i = 0; peer && i < ARRAY_SIZE(many); i++) {
		try_num_sge(qp, peer, many[i], false);
		try_num_sge(qp, peer, 2, true);
	}
	check(peer && !ibv_destroy_qp(peer), "peer");
}

/* num_sge of a receive was not compared with what the queue was made for. */
TEST(fixed_num_sge, "V5", "a receive with more elements than its queue was made for")
{
	struct ibv_qp *qp = new_qp(NULL);

	if (!qp)
		return;
	try_all_num_sge(qp);
	check(!ibv_destroy_qp(qp), "destroy");
}

static struct ibv_srq *new_srq(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = SHARED, .max_sge = 2 } };
	struct ibv_srq *srq;

	ring_forget();
	srq = ibv_create_srq(xr_end.pd, &init);
	return check(srq, "%s", strerror(errno)) && ring_new(&recv_ring, SHARED + 1) ? srq : NULL;
}

/* A shared queue's entries were copied by the size that the program had written. */
TEST(fixed_srq_size, "V5", "a shared queue whose program changes the size of an entry")
{
	static const uint32_t sizes[] = { 0, 5, 12, 31, 32, ~0u };
	struct ibv_srq *srq = new_srq();
	struct ibv_qp *qp, *peer;
	size_t i;

	qp = srq ? new_qp(srq) : NULL;
	peer = new_peer();
	if (!qp || !peer)
		return;
	try_all_num_sge(qp);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		recv_ring.at->log2_elem_size = sizes[i];
		recv_ring.at->index_mask = sizes[i] - 1;
		try_num_sge(qp, peer, 2, true);
		try_num_sge(qp, peer, 3, false);
	}
	recv_ring.at->index_mask = SHARED;
	check(!ibv_destroy_qp(peer) && !ibv_destroy_qp(qp) && !ibv_destroy_srq(srq), "destroy");
}

/* Register at @iova, and check whether that works. */
static void try_iova(uint64_t iova, size_t length, int access, int want)
{
	struct ibv_mr *new;

	errno = 0;
	new = ibv_reg_mr_iova(xr_end.pd, page(1), length, iova, access);
	check(new ? !want : errno == want, "%zu bytes at %#lx: %s", length, iova,
	      strerror(errno));
	check(!new || !ibv_dereg_mr(new), "deregister");
}

/* The memory's own address plus its length. */
static void try_memory(uint64_t addr, size_t length, int access)
{
	struct ibv_mr *new = ibv_reg_mr_iova(xr_end.pd, (void *)addr, length, 0, access);

	check(!new, "%zu bytes of memory at %#lx", length, addr);
	if (new)
		ibv_dereg_mr(new);
}

static void region(int access)
{
	try_iova(TOP, MEM_PAGE, access, 0);
	try_iova(TOP, 2 * MEM_PAGE, access, 0);
	try_iova(-MEM_PAGE, 2 * MEM_PAGE, access, EINVAL);
	try_iova(-1ull * MEM_PAGE, ~0ul - 1, access, EINVAL);
	try_memory(-MEM_PAGE, 2 * MEM_PAGE, access);
	try_memory((uintptr_t)page(1), ~0ul - MEM_PAGE, access);
	try_memory(TOP, MEM_PAGE, access & ~IBV_ACCESS_ON_DEMAND);
}

/* Address plus length of a region went past the end of all addresses. */
TEST(fixed_region_end, "V5 R7", "a region past the end of all addresses") { region(all_rights); }

TEST(fixed_region_end_odp, "V5 R7", "the same, on demand")
{
	region(all_rights | IBV_ACCESS_ON_DEMAND);
}

/* So did those of a request of the peer. */
TEST(fixed_request_end, "V5", "a request past the end of all addresses")
{
	struct ibv_mr *top = ibv_reg_mr_iova(xr_end.pd, page(1), 2 * MEM_PAGE, TOP, all_rights);
	const uint64_t refused[] = {
		-1ull, -8ull, TOP - 8, TOP - MESSAGE, TOP + 2 * MEM_PAGE - MESSAGE + 1,
		TOP + 2 * MEM_PAGE, 0,
	};
	struct ibv_qp *qp = new_qp(NULL), *peer = new_peer();
	size_t i;

	if (!check(top, "%s", strerror(errno)) || !qp || !peer)
		return;
	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		drain();
		ends_connect(qp, peer);
		check_is(peer_does(peer, IBV_WR_RDMA_WRITE, TOP, top->rkey), 0, "a WRITE inside");
		memory_is(page(1), MESSAGE, "inside");
		check_is(peer_does(peer, IBV_WR_RDMA_WRITE, refused[i], top->rkey),
			 IBV_WC_REM_ACCESS_ERR, "a WRITE to %#lx", refused[i]);
		memory_is(NULL, 0, "outside");
	}
	check(!ibv_destroy_qp(qp) && !ibv_destroy_qp(peer) && !ibv_dereg_mr(top), "destroy");
}

/* Bind a window of type 2 to a range of @of. Return: status of the completion. */
static int bind(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mr *of, uint64_t addr,
		uint64_t length)
{
	struct ibv_send_wr *bad, wr = {
		.opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_mw = {
			.mw = mw,
			.rkey = ibv_inc_rkey(mw->rkey),
			.bind_info = { .mr = of, .addr = addr, .length = length,
				       .mw_access_flags = IBV_ACCESS_REMOTE_WRITE },
		},
	};
	struct ibv_wc wc;
	int ret = ibv_post_send(qp, &wr, &bad);

	return ret ? -ret : end_wait(cq, &wc);
}

/* So did those of a window. */
TEST(fixed_bind_end, "V5 W1", "a window past the end of all addresses")
{
	struct ibv_mr *top = ibv_reg_mr_iova(xr_end.pd, page(1), 2 * MEM_PAGE, TOP, all_rights);
	const struct { uint64_t addr, length; } refused[] = {
		{ TOP + 2 * MEM_PAGE - 8, MESSAGE }, { -8ull, MESSAGE }, { TOP, ~0ull },
		{ TOP, 2 * MEM_PAGE + 1 }, { TOP + 8, -8ull }, { TOP - 1, 2 },
		{ TOP + MEM_PAGE, -MEM_PAGE + 1 },
	};
	struct ibv_qp *qp = new_qp(NULL);
	struct ibv_mw *mw;
	size_t i;

	if (!check(top, "%s", strerror(errno)) || !qp)
		return;
	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		drain();
		mw = ibv_alloc_mw(xr_end.pd, IBV_MW_TYPE_2);
		check(mw && !end_move(&xr_end, qp, &rxe_end, 0x11, IBV_QPS_RTS), "RTS");
		check_is(bind(qp, mw, top, refused[i].addr, refused[i].length), IBV_WC_MW_BIND_ERR,
			 "%#lx bytes at %#lx", refused[i].length, refused[i].addr);
		check(!ibv_dealloc_mw(mw), "window");
	}
	drain();
	mw = ibv_alloc_mw(xr_end.pd, IBV_MW_TYPE_2);
	check(mw && !end_move(&xr_end, qp, &rxe_end, 0x11, IBV_QPS_RTS), "RTS");
	check_is(bind(qp, mw, top, TOP, 2 * MEM_PAGE), 0, "the whole region");
	check(!ibv_dealloc_mw(mw) && !ibv_destroy_qp(qp) && !ibv_dereg_mr(top), "destroy");
}

/* A ring was freed while a program had it mapped, or was mapping it. */
TEST(fixed_ring_gone, "V5", "mapping a destroyed ring, and a mapping of one")
{
	struct verbs_ring ring;
	struct ibv_cq *gone;
	void *again, *late;

	ring_forget();
	gone = ibv_create_cq(xr_end.ctx, 127, NULL, NULL, 0);
	if (!check(gone, "%s", strerror(errno)) || !ring_new(&ring, 128))
		return;
	again = ring_map(xr_end.ctx, &ring);
	check(again != MAP_FAILED, "map again: %s", strerror(errno));
	ring.bytes += MEM_PAGE;
	late = ring_map(xr_end.ctx, &ring);
	check(late == MAP_FAILED && errno == EINVAL, "a page more");
	ring.bytes -= MEM_PAGE;
	if (test_failed())
		return;
	memset((char *)again + MEM_PAGE, PATTERN, ring.bytes - MEM_PAGE);
	check(!ibv_destroy_cq(gone), "destroy");
	late = ring_map(xr_end.ctx, &ring);
	check(late == MAP_FAILED && errno == EINVAL, "map a destroyed ring");
	/* The next queue gets other memory. */
	gone = ibv_create_cq(xr_end.ctx, 127, NULL, NULL, 0);
	check(((struct rxe_queue_buf *)again)->index_mask == 127, "readable");
	memset(again, PATTERN, ring.bytes);
	check(*((char *)again + ring.bytes - 1) == PATTERN, "writable");
	check(gone && !ibv_destroy_cq(gone), "another queue");
	check(!munmap(again, ring.bytes), "unmap");
}

/* A thread that repeats something until it is told to stop. */
struct racer {
	pthread_t thread;
	atomic_bool stop;
	atomic_ulong rounds;
	void (*step)(struct racer *r);
	_Atomic(struct rxe_queue_buf *) header;
	uint64_t x;
};

static void *race(void *arg)
{
	struct racer *r = arg;

	while (!r->stop) {
		r->x = r->x * 6364136223846793005ull + 1442695040888963407ull;
		r->step(r);
		r->rounds++;
	}
	return NULL;
}

static bool race_start(struct racer *r)
{
	return check(!pthread_create(&r->thread, NULL, race, r), "thread");
}

static void race_stop(struct racer *r)
{
	r->stop = true;
	pthread_join(r->thread, NULL);
}

/* Handles are numbers from 0 on; the queue pair's is one of the first. */
static void modify_any(struct racer *r)
{
	static const enum ibv_qp_state states[] = { IBV_QPS_INIT, IBV_QPS_ERR, IBV_QPS_RESET };

	ring_modify(xr_end.ctx, (r->x >> 40) % 16, states[(r->x >> 33) % ARRAY_SIZE(states)]);
	ring_doorbell(xr_end.ctx, (r->x >> 50) % 16);
}

/* EBUSY: the other thread is changing it just now. Return: whether it is destroyed. */
static bool destroyed(void *arg)
{
	return ibv_destroy_qp(arg) != EBUSY;
}

/* A queue pair was destroyed while another thread changed its state. */
TEST(fixed_modify_destroyed, "V5", "changing queue pairs that are being destroyed")
{
	uint32_t i, rounds = setting("XROCE_VERBS_RACES", ROUNDS);
	struct racer r = { .step = modify_any };
	struct ibv_qp *qp;

	if (!race_start(&r))
		return;
	for (i = 0; i < rounds && !test_failed(); i++) {
		qp = end_qp(&xr_end, IBV_QPT_RC, cq, cq, NULL, SENDS, RECVS);
		check(qp && live_wait(destroyed, qp), "destroy");
		drain();
	}
	race_stop(&r);
	check(r.rounds, "no change");
	note("%lu changes of state while %u queue pairs were destroyed", (unsigned long)r.rounds, i);
}

/* Keep room in the queue, mostly; never touch an entry. */
static void write_consumer(struct racer *r)
{
	struct rxe_queue_buf *h = r->header;
	uint32_t at = __atomic_load_n(&h->producer_index, __ATOMIC_ACQUIRE);

	__atomic_store_n(&h->consumer_index, (r->x >> 60 ? at : at + (r->x >> 33)),
			 __ATOMIC_RELEASE);
}

/* A completion queue of its own, with a queue pair that completes into it. */
struct resized {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	uint32_t slots;
};

static bool resized_open(struct resized *z)
{
	z->slots = 32;
	ring_forget();
	z->cq = ibv_create_cq(xr_end.ctx, z->slots - 1, NULL, NULL, 0);
	z->qp = z->cq ? end_qp(&xr_end, IBV_QPT_RC, z->cq, z->cq, NULL, SENDS, RECVS) : NULL;
	return check(z->qp && !end_move(&xr_end, z->qp, &rxe_end, 0x11, IBV_QPS_RTS), "objects") &&
	       check(!end_state(z->qp, IBV_QPS_ERR), "ERR");
}

/*
 * A queue got another ring while completions came and the program wrote its index. The flushes
 * of a queue pair in ERR are the completions; the mappings stay until the thread has ended.
 */
TEST(fixed_resize, "V5", "another ring while completions come and are taken")
{
	uint32_t i, n, rounds = setting("XROCE_VERBS_RACES", ROUNDS) / 20 + 2, done = 0;
	struct verbs_ring send, ring;
	void *mapping[16];
	size_t bytes[ARRAY_SIZE(mapping)];
	struct resized z;
	struct racer r;

	for (i = 0; i < rounds && !test_failed(); i++) {
		r = (struct racer){ .step = write_consumer, .x = i };
		if (!resized_open(&z) || !ring_new(&send, SENDS + 1))
			return;
		for (n = 0; n < ARRAY_SIZE(mapping) && !test_failed(); n++) {
			if (!ring_new(&ring, z.slots))
				return;
			mapping[n] = ring_map(xr_end.ctx, &ring);
			bytes[n] = ring.bytes;
			check(mapping[n] != MAP_FAILED, "%s", strerror(errno));
			r.header = mapping[n];
			if (!n && !race_start(&r))
				return;
			send.at->producer_index += SENDS / 2;
			check(!ring_doorbell(xr_end.ctx, z.qp->handle), "doorbell");
			/* EINVAL: more completions wait than would fit. */
			ring_forget();
			z.slots = 32u << rng_below(6);
			if (n + 1 == ARRAY_SIZE(mapping))
				break;
			while (ibv_resize_cq(z.cq, z.slots - 1)) {
				check(errno == EINVAL, "resize: %s", strerror(errno));
				z.slots = 1024;
			}
			done++;
		}
		race_stop(&r);
		for (n = 0; n < ARRAY_SIZE(mapping) && !test_failed(); n++)
			munmap(mapping[n], bytes[n]);
		check(!ibv_destroy_qp(z.qp) && !ibv_destroy_cq(z.cq), "destroy");
		end_events(&xr_end, IBV_EVENT_CQ_ERR);
	}
	note("%u times another ring", done);
	check(done, "none");
}

static void write_producer(struct racer *r)
{
	__atomic_store_n(&((struct rxe_queue_buf *)r->header)->producer_index, r->x >> 33,
			 __ATOMIC_RELEASE);
}

/* The racer writes to @header from now on, and no more to the previous one. */
static void race_at(struct racer *r, void *header)
{
	unsigned long before;

	r->header = header;
	before = r->rounds;
	while (r->rounds - before < 2)
		sched_yield();
}

/* The number of posted receives, and so of those that are copied to another ring, changes. */
TEST(fixed_resize_srq, "V5", "another ring of receives while their number changes")
{
	uint32_t i, rounds = setting("XROCE_VERBS_RACES", ROUNDS), slots, done = 0;
	struct racer r = { .step = write_producer };
	struct ibv_srq *srq = new_srq();
	struct ibv_srq_attr attr;
	size_t bytes = recv_ring.bytes;
	void *at, *next;
	int ret;

	at = srq ? ring_map(xr_end.ctx, &recv_ring) : MAP_FAILED;
	r.header = at;
	if (!check(at != MAP_FAILED, "%s", strerror(errno)) || !race_start(&r))
		return;
	for (i = 0; i < rounds && !test_failed(); i++) {
		ring_forget();
		slots = 32u << rng_below(6);
		attr.max_wr = slots - 1;
		ret = ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR);
		check(!ret || ret == EINVAL, "resize: %s", strerror(ret));
		if (ret || !ring_new(&recv_ring, slots))
			continue;
		next = ring_map(xr_end.ctx, &recv_ring);
		if (!check(next != MAP_FAILED, "%s", strerror(errno)))
			break;
		race_at(&r, next);
		munmap(at, bytes);
		at = next;
		bytes = recv_ring.bytes;
		done++;
	}
	race_stop(&r);
	munmap(at, bytes);
	check(!ibv_destroy_srq(srq), "destroy");
	note("%u of %u times another ring", done, i);
	check(done && done < i, "never, or always");
}

static int run_tests(int argc, char **argv)
{
	return ring_main(argc, argv, set_up, clean_up);
}

TEST_MAIN(run_tests);
