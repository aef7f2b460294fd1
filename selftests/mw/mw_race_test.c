// SPDX-License-Identifier: GPL-2.0-only
/*
 * Windows are bound and revoked under WRITEs that use old and new keys. The region is
 * divided into slots. The window covers one slot. All other slots are filled with a byte
 * that the WRITEs do not carry. Once a slot has been revoked and filled, it must not change
 * until it is bound again.
 *
 * XROCE_MW_ROUNDS: binds in a test; XROCE_MW_HOSTILE: work requests in the last test.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "live_qp.h"
#include "mw.h"
#include "setting.h"
#include "traffic.h"

#define PEER		"c0"
#define SLOTS		8u
#define SLOT		(WIRE_BYTES / SLOTS)	/* at least TRAFFIC_BYTES + 7 */
#define QPS		4u
#define CANARY		0xc3
#define ROUNDS		150
#define HOSTILE		200000

static struct wire w;
static struct traffic *traffic;
static pid_t sender;
static __u32 qpns[QPS];

static bool start(void)
{
	__u32 i;

	if (!wire_open(&w, &mw_rc))
		return false;
	traffic = traffic_new();
	for (i = 0; i < QPS; i++) {
		qpns[i] = qp_in(w.x, w.pd, XROCE_QPS_RTS);
		traffic->target[i].qpn = qpns[i];
	}
	memset(w.mem, CANARY, WIRE_BYTES);
	sender = traffic_start(traffic, PEER, LIVE_DEV);
	return !test_failed();
}

static void stop(void)
{
	traffic_stop(sender);
	wire_close(&w);
}

/* Make all queue pairs ready again that a refused WRITE has moved to ERR. */
static void revive(void)
{
	__u32 i, to;

	for (i = 0; i < QPS; i++) {
		if (qp_state(w.x, qpns[i]) != XROCE_QPS_ERR)
			continue;
		check(!qp_move(w.x, qpns[i], XROCE_QPS_RESET, 0), "RESET");
		for (to = XROCE_QPS_INIT; to <= XROCE_QPS_RTR; to++)
			check(!qp_move(w.x, qpns[i], to,
				       qp_attrs(XROCE_QPT_RC, to)), "to %u", to);
		/* May fail: another WRITE may have moved it to ERR already. */
		qp_move(w.x, qpns[i], XROCE_QPS_RTS, 0);
	}
}

/* Have queue pair @i's WRITEs sent to a slot, with a key. */
static void aim(__u32 i, __u32 key, __u32 slot)
{
	traffic->target[i].iova = w.mr.iova + slot * SLOT + (slot & 1 ? 7 : 0);
	__atomic_store_n(&traffic->target[i].rkey, key, __ATOMIC_RELEASE);
}

/* Check that all slots except @slot have not changed since they were filled. */
static void untouched(__u32 slot, const char *when)
{
	__u32 i;

	for (i = 0; i < WIRE_BYTES; i++)
		if (i / SLOT != slot && w.mem[i] != (char)CANARY)
			break;
	check(i == WIRE_BYTES, "%s: byte %u of slot %u, while slot %u is bound",
	      when, i % SLOT, i / SLOT, slot);
}

static bool slot_written(__u32 slot)
{
	__u32 i;

	for (i = 0; i < SLOT; i++)
		if (w.mem[slot * SLOT + i] != (char)CANARY)
			return true;
	return false;
}

/* Wait until the work request is executed by a packet; if none comes, by the doorbell. */
static void applied(void)
{
	int i;

	for (i = 0; i < 20000 && !xroce_send_idle(w.send); i++)
		;
	if (!xroce_send_idle(w.send))
		check(!xroce_send_doorbell(w.send), "apply");
	while (mw_completion(&w, NULL) > 0)
		check(false, "a work request failed");
}

/* A type 1 window is bound to one slot after the other, while old keys are still used. */
TEST(mw_race_rebind, "W5 W10 W11", "type 1 windows are bound again under WRITEs")
{
	__u32 rounds = setting("XROCE_MW_ROUNDS", ROUNDS), i, slot, old, seen = 0;
	struct binding b;

	if (!start())
		return;
	b = mw_whole(&w, mw_new(&w, XROCE_MW_TYPE_1));
	b.length = SLOT;
	b.flags = 0;
	for (i = 0; i < rounds && !test_failed(); i++) {
		slot = rand() % SLOTS;
		old = b.rkey;
		b.addr = w.mr.iova + slot * SLOT;
		check(!mw_post_one(&w, &b), "post");
		applied();
		/* The old binding has ended: no WRITE through it arrives after this. */
		memset(w.mem, CANARY, WIRE_BYTES);
		aim(0, b.rkey, slot);
		aim(1, old, rand() % SLOTS);
		aim(2, b.rkey, rand() % SLOTS);
		aim(3, w.mr.rkey ^ 1, rand() % SLOTS);
		revive();
		traffic_goes_on(traffic, 8);
		untouched(slot, "rebound");
		seen += slot_written(slot);
		if (i % 3 == 2) {
			b.length = 0;
			check(!mw_post_one(&w, &b), "post");
			b.length = SLOT;
			applied();
			memset(w.mem, CANARY, WIRE_BYTES);
			aim(1, b.rkey, slot);
			traffic_goes_on(traffic, 4);
			untouched(SLOTS, "unbound");
		}
	}
	note("%u binds, of which %u were used by a WRITE", i, seen);
	check(seen > rounds / 4, "hardly anything has been written");
	stop();
}

/* Type 2 windows, each of a queue pair that receives WRITEs. */
TEST(mw_race_revoke, "W6 W7 W11", "type 2 windows are revoked under WRITEs")
{
	__u32 rounds = setting("XROCE_MW_ROUNDS", ROUNDS), i, slot, seen = 0;
	struct binding b;
	__u32 type, key;

	if (!start())
		return;
	for (i = 0; i < rounds && !test_failed(); i++) {
		type = i & 1 ? XROCE_MW_TYPE_2A : XROCE_MW_TYPE_2B;
		slot = rand() % SLOTS;
		revive();
		b = mw_whole(&w, mw_new(&w, type));
		key = b.rkey;
		b.qpn = qpns[i % QPS];
		b.addr += slot * SLOT;
		b.length = SLOT;
		/* The queue pair may be in ERR again. */
		if (mw_bind_now(&w, type, &b)) {
			mw_del(&w, key);
			continue;
		}
		aim(i % QPS, key, slot);
		aim((i + 1) % QPS, key, slot);
		traffic_goes_on(traffic, 6);
		untouched(slot, "bound");
		seen += slot_written(slot);
		if (i % 3 || xroce_mw_inval(w.x, key, b.qpn))
			mw_del(&w, key);
		memset(w.mem, CANARY, WIRE_BYTES);
		traffic_goes_on(traffic, 4);
		untouched(SLOTS, "revoked");
		if (!(i % 3))
			xroce_mw_del(w.x, key >> 8);
	}
	note("%u rounds, %u windows used by a WRITE", i, seen);
	check(seen > rounds / 8, "hardly anything has been written");
	stop();
}

/**
 * struct hostile - material for work requests
 * @keys: of windows, of regions, invalid ones
 * @victim: region of another domain, which must not change
 * @stop: ends the thread scribble()
 */
static struct hostile {
	__u32 keys[16];
	struct xroce_mr_reg victim;
	bool stop;
} hostile;

static __u64 noise(__u64 *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

#define WORDS	8u	/* of an entry before its elements */

static void make(struct xroce_send_wqe *wqe, __u64 *seed)
{
	__u64 r = noise(seed), *words = (__u64 *)wqe;
	size_t i;

	wqe->wr_id = r;
	wqe->opcode = r & 1 ? XROCE_WR_BIND_MW : XROCE_WR_LOCAL_INV;
	wqe->flags = r & 2 ? XROCE_SEND_SIGNALED : 0;
	wqe->imm_or_key = hostile.keys[r >> 16 & 15];
	wqe->rkey = r & 0x18 ? w.mr.lkey : hostile.keys[r >> 20 & 15];
	wqe->access = MW_ALL;
	wqe->addr = w.mr.iova + (r >> 32) % WIRE_BYTES;
	wqe->length = (r >> 48) % WIRE_BYTES;
	/* One of four is damaged in a word, and one of 64 is random. */
	r = noise(seed);
	if (!(r & 3))
		words[(r >> 8) % WORDS] ^= noise(seed) >> (r >> 16 & 63);
	if (!(r & 63))
		for (i = 0; i < WORDS; i++)
			words[i] = noise(seed);
}

/* Change entries while the module reads them, and now and then the tail. */
static void *scribble(void *arg)
{
	__u64 seed = 0x5eed, *words;

	(void)arg;
	while (!__atomic_load_n(&hostile.stop, __ATOMIC_RELAXED)) {
		words = (__u64 *)mw_entry(&w, noise(&seed));
		words[noise(&seed) % WORDS] ^= 1ull << (noise(&seed) & 63);
		if (!(noise(&seed) & 0xfff))
			xroce_send_ring(w.send)->tail = noise(&seed);
	}
	return NULL;
}

static void hostile_setup(void)
{
	__u32 other = live_pd(w.x), i;
	int ret;

	hostile.victim = w.mr;
	hostile.victim.pd = other;
	hostile.victim.addr = (__u64)(unsigned long)calloc(1, 2 * WIRE_BYTES);
	hostile.victim.iova = w.mr.iova;
	ret = xroce_mr_reg(w.x, &hostile.victim);
	check(!ret, "victim: %d", ret);
	for (i = 0; i < 10; i++)
		hostile.keys[i] = mw_new(&w, mw_types[i % 3]);
	hostile.keys[10] = w.mr.rkey;
	hostile.keys[11] = hostile.victim.lkey;
	hostile.keys[12] = 0;
	hostile.keys[13] = 0xffffffff;
	hostile.keys[14] = w.mr.rkey ^ 1;
	hostile.keys[15] = hostile.keys[3] + 1;
	for (i = 0; i < QPS; i++)
		aim(i, hostile.keys[i], i);
	hostile.stop = false;
}

TEST(mw_hostile_ring, "W10", "random work requests that change while the module reads them")
{
	__u64 count = setting("XROCE_MW_HOSTILE", HOSTILE), n = 0, seed = 0xabcd;
	struct xroce_send_header *ring;
	__u32 i, batch, done = 0, before;
	pthread_t scribbler;
	const char *victim;

	if (!start())
		return;
	hostile_setup();
	ring = xroce_send_ring(w.send);
	check(!pthread_create(&scribbler, NULL, scribble, NULL), "thread");
	while (n < count && !test_failed()) {
		before = ring->head;
		batch = 1 + noise(&seed) % MW_SQ;
		for (i = 0; i < batch; i++)
			make(mw_entry(&w, before + i), &seed);
		__atomic_store_n(&ring->tail, before + batch, __ATOMIC_RELEASE);
		/* The other thread may have made the tail impossible. */
		xroce_send_doorbell(w.send);
		done = ring->head - before;
		n += done <= 4 * MW_SQ ? done : 0;
		while (mw_completion(&w, NULL) >= 0)
			;
		/* Nobody responds to the requests among them. */
		if (qp_state(w.x, w.qpn) == XROCE_QPS_ERR || done != batch)
			wire_again(&w);
		if (!(noise(&seed) & 7)) {
			revive();
			aim(noise(&seed) % QPS, hostile.keys[noise(&seed) & 15],
			    noise(&seed) % SLOTS);
		}
	}
	hostile.stop = true;
	pthread_join(scribbler, NULL);
	traffic_goes_on(traffic, 20);
	note("%llu work requests", n);
	victim = (const char *)(unsigned long)hostile.victim.addr;
	for (i = 0; i < 2 * WIRE_BYTES && !victim[i]; i++)
		;
	check(i == 2 * WIRE_BYTES, "byte %u of the victim's region has changed", i);
	/* After this the module works as before: windows and handle can be closed. */
	ring->tail = ring->head;
	for (i = 0; i < 10; i++)
		mw_del(&w, hostile.keys[i]);
	traffic_stop(sender);
	xroce_cq_ring(w.cq)->head = xroce_cq_ring(w.cq)->tail;
	free((void *)(unsigned long)hostile.victim.addr);
	wire_close(&w);
}

TEST_MAIN(live_main);
