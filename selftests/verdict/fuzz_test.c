// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nearly valid packets in any state, and the rules that hold for each of them. The seed is
 * printed. $XROCE_SEED repeats a run, $XROCE_RUNS sets the number of packets; a million
 * take about ten seconds.
 */
#include <stdio.h>
#include <string.h>

#include "corpus.h"
#include "fuzz.h"
#include "fuzz_judge.h"
#include "harness.h"
#include "setting.h"
#include "template.h"
#include "uapi/xroce.h"

#define RUNS		200000ul
#define SWEEP		512	/* packets between checks of the whole tables */
#define HISTORY		16	/* packets that may be repeated */
#define QPN		0x8000a5u
#define PD		3
#define REGION_STEP	50	/* distance of the regions' indexes */
#define RIGHTS		(XROCE_ACCESS_REMOTE & ~XROCE_ACCESS_FLUSH_PERSISTENT)

/* Regions at all limits of addresses and lengths, and some that refuse access. */
static const struct xroce_mpt regions[] = {
	{ .iova = 0x10000, .length = 0x10000 },
	{ .iova = 0, .length = 5000 },
	{ .iova = 0ull - 70000, .length = 70000 },
	{ .iova = 0x7fffff123457, .length = 4097 },
	{ .iova = 0x1234, .length = 1ull << 33 },
	{ .iova = 0x1000, .length = 1 },
	{ .iova = 0x1000, .length = 0x10000, .pd = PD + 1 },
	{ .iova = 0x1000, .length = 0x10000,
	  .access = XROCE_ACCESS_REMOTE_READ },
	{ .iova = 0x1000, .length = 0x10000,
	  .access = XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_REMOTE_WRITE },
	{ .iova = 0x1000, .length = 0x10000, .state = XROCE_MPT_INVALID },
	/* Windows over the first one. */
	{ .iova = 0x10101, .length = 1001, .type = XROCE_MPT_MW_1 },
	{ .iova = 0x10101, .length = 1001, .type = XROCE_MPT_MW_2A,
	  .qpn = QPN },
	{ .iova = 0x10101, .length = 1001, .type = XROCE_MPT_MW_2B,
	  .qpn = QPN },
	{ .iova = 0x10101, .length = 1001, .type = XROCE_MPT_MW_2A,
	  .qpn = QPN, .pd = PD + 1 },
	{ .iova = 0x10101, .length = 1001, .type = XROCE_MPT_MW_2B,
	  .qpn = QPN, .pd = PD + 1 },
	{ .iova = 0x10101, .length = 1001, .type = XROCE_MPT_MW_2A,
	  .qpn = QPN + 1 },
	{ .iova = 0x10101, .length = 1001, .type = XROCE_MPT_MW_2B,
	  .qpn = QPN + 1 },
};

static struct xroce_mpt mpts[NATIVE_MPT_ENTRIES];
static struct xroce_mpt mpts_now[NATIVE_MPT_ENTRIES];
static struct xroce_qp qps_now[NATIVE_QP_ENTRIES];
static struct xroce_rd_ring rds_now[NATIVE_QP_ENTRIES];
static const struct xroce_qp no_qps[NATIVE_QP_ENTRIES];
static const struct xroce_rd_ring no_rds[NATIVE_QP_ENTRIES];
static struct xroce_stat stat;
static struct frame frame;
static uint8_t out[PACKET_MAX];
static struct trial trial = { .frame = &frame, .mpts = mpts };
static struct packet history[HISTORY];
static uint32_t sent;
static uint64_t reads_again, atomics_again;

static void put_regions(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(regions); i++) {
		uint32_t index = i * REGION_STEP;
		struct xroce_mpt mpt = regions[i];

		mpt.key = index << XROCE_KEY_SHIFT | (0x41 + i);
		if (!mpt.type)
			mpt.type = XROCE_MPT_MR;
		if (!mpt.state)
			mpt.state = XROCE_MPT_VALID;
		if (!mpt.pd)
			mpt.pd = PD;
		if (!mpt.access)
			mpt.access = XROCE_ACCESS_LOCAL_WRITE | RIGHTS;
		native_put_mpt(index, &mpt);
	}
	native_get_mpts(mpts);
}

/* Make a queue pair of this type with all rights, ready to receive. */
static void make_qp(uint32_t type)
{
	struct xroce_qp *was = &trial.was;

	memset(was, 0, sizeof(*was));
	memset(&trial.rd_was, 0, sizeof(trial.rd_was));
	was->qpn = QPN;
	was->type = type;
	was->state = XROCE_QPS_RTR;
	was->access = RIGHTS;
	was->pd = PD;
	was->dest_qpn = 0x11;
	was->pkey = 0xffff;
	was->sport = 0xc011;
	was->mtu = CORPUS_MTU;
	was->ttl = 64;
	memcpy(was->saddr, "\xfd\0\0\x77\0\0\0\0\0\0\xff\xff\x0a\x4d\0\2", 16);
	memcpy(was->daddr, "\xfd\0\0\x77\0\0\0\0\0\0\xff\xff\x0a\x4d\0\1", 16);
	was->epsn = 0xfffffe;
	was->op = XROCE_QP_OP_NONE;
	was->rd_max = type == XROCE_QPT_RC ? 16 : 0;
	was->recv = 1;
	was->qkey = 0x77777777;
}

static void put_made(void)
{
	template_fill(&trial.was);
	native_put_qp(&trial.was);
	native_put_rd(QPN, &trial.rd_was);
	sent = 0;
}

/* Make a random queue pair, which is not always usable. */
static void put_qp(void)
{
	static const uint8_t odd_states[] = {
		XROCE_QPS_RESET, XROCE_QPS_INIT, XROCE_QPS_ERR,
	};
	static const uint8_t kept[] = { 1, 2, 3, 16, 127, XROCE_RD_MAX, 4, 0 };
	static const uint8_t types[] = {
		XROCE_QPT_RC, XROCE_QPT_RC, XROCE_QPT_UC, XROCE_QPT_UD,
	};
	struct xroce_qp *was = &trial.was;

	make_qp(types[rng_below(ARRAY_SIZE(types))]);
	was->state = XROCE_QPS_RTR + rng_below(3);
	if (fuzz_once_in(20))
		was->state = odd_states[rng_below(ARRAY_SIZE(odd_states))];
	if (fuzz_once_in(20))
		was->access = rng_below(32);
	was->dest_qpn = rng_below(1 << 24);
	was->pkey = 0x8000 | rng_below(0x8000);
	was->sport = 0xc000 | rng_below(0x4000);
	was->mtu = 256 << (fuzz_once_in(8) ? rng_below(5) : 0);
	was->tos = rng_below(256);
	was->ttl = 1 + rng_below(255);
	was->min_rnr_timer = rng_below(32);
	was->ipv6 = fuzz_once_in(3);
	was->claim = fuzz_once_in(50);
	if (fuzz_once_in(2))
		was->epsn = rng_below(1 << 24);
	was->msn = rng_below(1 << 24);
	was->recv = !fuzz_once_in(6);
	was->qkey = rng_below(-1u);
	if (was->type == XROCE_QPT_RC) {
		was->rd_max = kept[rng_below(ARRAY_SIZE(kept))];
		was->queued = fuzz_once_in(20);
		was->req = fuzz_once_in(2);
		was->req_una = (was->epsn - rng_below(4)) & XROCE_PSN_MASK;
		was->req_top = (was->req_una + rng_below(8)) & XROCE_PSN_MASK;
		was->req_psn = was->req_una;
		was->req_op = fuzz_once_in(2) ? XROCE_QP_OP_NONE : XROCE_RC_READ_REQUEST;
	}
	put_made();
}

static void sweep(void)
{
	uint32_t slot = QPN & (NATIVE_QP_ENTRIES - 1);

	native_get_mpts(mpts_now);
	check(!memcmp(mpts, mpts_now, sizeof(mpts)), "the MPT has changed");
	native_get_qps(qps_now);
	memset(&qps_now[slot], 0, sizeof(qps_now[slot]));
	check(!memcmp(qps_now, no_qps, sizeof(qps_now)), "another queue pair has changed");
	native_get_rds(rds_now);
	memset(&rds_now[slot], 0, sizeof(rds_now[slot]));
	check(!memcmp(rds_now, no_rds, sizeof(rds_now)), "other responder resources have changed");
}

static void print_frame(void)
{
	uint32_t i, n = frame.len < 120 ? frame.len : 120;

	printf("# frame of %u bytes:", frame.len);
	for (i = 0; i < n; i++)
		printf(" %02x", frame.bytes[i]);
	printf("\n");
}

/* Choose a new packet, or repeat an earlier one. */
static void choose(struct packet *req)
{
	const struct xroce_mpt *mpt;

	if (sent && fuzz_once_in(4)) {
		*req = history[rng_below(sent < HISTORY ? sent : HISTORY)];
		return;
	}
	mpt = &mpts[REGION_STEP * rng_below(ARRAY_SIZE(regions))];
	if (fuzz_once_in(2))
		mpt = &mpts[0];
	fuzz_packet(&trial.was, mpt, req);
	history[sent++ % HISTORY] = *req;
}

/* Without the module every atomic finds 0: store a value that tells them apart. */
static void mark(void)
{
	uint8_t place = trial.was.rd_head;

	if (!trial.delta.atomic)
		return;
	trial.rd_is.rd[place].len = (uint64_t)rng_below(-1u) << 24 | place;
	native_put_rd(QPN, &trial.rd_is);
}

static void count_deltas(const struct xroce_stat *before)
{
	__u64 *d = (__u64 *)&trial.delta;
	const __u64 *a = (const __u64 *)before, *b = (const __u64 *)&stat;
	size_t i;

	for (i = 0; i < sizeof(stat) / sizeof(*d); i++)
		d[i] = b[i] - a[i];
}

/* Run the frame, and judge the result. */
static void try_frame(void)
{
	struct xroce_stat before = stat;

	trial.run = (struct native_run){
		.in = frame.bytes,
		.in_len = frame.len,
		.out = out,
		.out_size = sizeof(out),
	};
	check(!native_run(&trial.run), "test run of %u bytes", frame.len);
	native_get_stat(&stat);
	native_get_qp(QPN, &trial.is);
	native_get_rd(QPN, &trial.rd_is);
	trial.events = native_get_events(&trial.event);
	count_deltas(&before);
	fuzz_judge(&trial);
}

static void one(void)
{
	struct packet req;

	if (trial.is.error || trial.is.claim || fuzz_once_in(64)) {
		put_qp();
	} else {
		trial.was = trial.is;
		trial.rd_was = trial.rd_is;
	}
	choose(&req);
	packet_build(&req, &frame);
	fuzz_frame(&frame);
	if (frame.len < NATIVE_MIN_FRAME)
		frame.len = NATIVE_MIN_FRAME;
	try_frame();
	if (trial.delta.duplicate && fuzz_is_kept(&frame)) {
		reads_again += trial.delta.read;
		atomics_again += !trial.delta.read;
	}
	mark();
}

static bool begin(void)
{
	if (!native_open())
		return false;
	native_clear();
	put_regions();
	native_get_stat(&stat);
	return true;
}

/* Each seed of the corpus moves its counter, and obeys all rules. */
TEST(fuzz_seeds, "D2 D5", "every seed of the corpus moves its counter")
{
	struct packet req;
	__u64 moved;
	size_t i;

	if (!begin())
		return;
	for (i = 0; i < corpus_count; i++) {
		make_qp(corpus[i].type ? : XROCE_QPT_RC);
		put_made();
		fuzz_valid(&trial.was, &mpts[0], &req);
		corpus_packet(i, &trial.was, &mpts[0], &req);
		packet_build(&req, &frame);
		try_frame();
		moved = ((__u64 *)&trial.delta)[corpus[i].counter];
		check(moved == 1, "seed %s: its counter moved by %llu",
		      corpus[i].name, moved);
	}
	sweep();
}

TEST(fuzz, "P2 R9 D3 D5 D6", "nearly valid packets in any state")
{
	unsigned long runs = setting("XROCE_RUNS", RUNS), i;

	fuzz_begin();
	if (!begin())
		return;
	put_qp();
	trial.is = trial.was;
	trial.rd_is = trial.rd_was;
	for (i = 0; i < runs && !test_failed(); i++) {
		one();
		if (i % SWEEP == 0)
			sweep();
	}
	sweep();
	if (test_failed()) {
		note("packet %lu", i - 1);
		print_frame();
	}
}

TEST(fuzz_reached, "D6", "the fuzzer has reached every outcome")
{
	if (!check(stat.rx, "fuzz has not run"))
		return;
#define REACHED(counter) check(stat.counter, #counter " never moved")
	REACHED(pass);
	REACHED(write);
	REACHED(send);
	REACHED(send_bytes);
	REACHED(read);
	REACHED(read_bytes);
	REACHED(atomic);
	REACHED(flush);
	REACHED(queued);
	REACHED(ack);
	REACHED(duplicate);
	REACHED(nak_seq);
	REACHED(nak_rnr);
	REACHED(ecn_ce);
	REACHED(cnp_rx);
	REACHED(req_rx);
	REACHED(req_ignored);
	REACHED(inv_opcode);
	REACHED(inv_order);
	REACHED(inv_qp_access);
	REACHED(inv_length);
	REACHED(inv_resources);
	REACHED(inv_align);
	REACHED(acc_key);
	REACHED(acc_pd);
	REACHED(acc_qp);
	REACHED(acc_right);
	REACHED(acc_bounds);
	REACHED(drop_length);
	REACHED(drop_checksum);
	REACHED(drop_tver);
	REACHED(drop_qpn);
	REACHED(drop_opcode);
	REACHED(drop_state);
	REACHED(drop_error);
	REACHED(drop_addr);
	REACHED(drop_pkey);
	REACHED(drop_qkey);
	REACHED(drop_recv);
	REACHED(drop_busy);
	REACHED(drop_psn);
#undef REACHED
	check(reads_again, "no READ was answered again");
	check(atomics_again, "no atomic was answered again");
}

TEST_MAIN(native_main);
