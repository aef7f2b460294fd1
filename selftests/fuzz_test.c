// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nearly right packets in any state, and what must hold for each of them. The
 * seed is printed; $XROCE_SEED repeats a run, $XROCE_RUNS makes it longer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/bpf.h>
#include <sys/random.h>

#include "fuzz.h"
#include "harness.h"
#include "native.h"
#include "packet.h"
#include "uapi/xroce.h"

#define RUNS		200000ul
#define SWEEP		512	/* packets between looks at the whole tables */
#define QPN		0x8000a5u
#define PD		3

/* Regions at every edge, and some that refuse. */
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
	{ .iova = 0x1000, .length = 0x10000, .state = XROCE_MPT_INVALID },
};

static struct xroce_mpt mpts[NATIVE_MPT_ENTRIES];
static struct xroce_mpt mpts_now[NATIVE_MPT_ENTRIES];
static struct xroce_qp qps_now[NATIVE_QP_ENTRIES];
static struct xroce_qp was, is;
static struct xroce_stat total, stat, delta;
static struct frame frame;
static uint8_t out[PACKET_MAX];
static struct native_run result = { .out = out, .out_size = sizeof(out) };

static void put_regions(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(regions); i++) {
		uint32_t index = i * 100;
		struct xroce_mpt mpt = regions[i];

		mpt.key = index << XROCE_KEY_SHIFT | (0x41 + i);
		mpt.type = XROCE_MPT_MR;
		if (!mpt.state)
			mpt.state = XROCE_MPT_VALID;
		if (!mpt.pd)
			mpt.pd = PD;
		if (!mpt.access)
			mpt.access = XROCE_ACCESS_LOCAL_WRITE |
				     XROCE_ACCESS_REMOTE_WRITE;
		native_put_mpt(index, &mpt);
	}
	native_get_mpts(mpts);
}

/* A new queue pair, not always a usable one. */
static void put_qp(void)
{
	static const uint8_t odd_states[] = {
		XROCE_QPS_RESET, XROCE_QPS_INIT, XROCE_QPS_ERR,
	};

	memset(&was, 0, sizeof(was));
	was.qpn = QPN;
	was.state = XROCE_QPS_RTR + fuzz_below(2);
	if (fuzz_once_in(20))
		was.state = odd_states[fuzz_below(ARRAY_SIZE(odd_states))];
	was.type = XROCE_QPT_RC;
	was.access = fuzz_once_in(20) ? 0 : XROCE_ACCESS_REMOTE_WRITE;
	was.pd = PD;
	was.dest_qpn = fuzz_below(1 << 24);
	was.pkey = 0x8000 | fuzz_below(0x8000);
	was.sport = 0xc000 | fuzz_below(0x4000);
	was.mtu = 256 << (fuzz_once_in(8) ? fuzz_below(5) : 0);
	was.tos = fuzz_below(256);
	was.ttl = 1 + fuzz_below(255);
	was.min_rnr_timer = fuzz_below(32);
	was.ipv6 = fuzz_once_in(3);
	memcpy(was.saddr, "\xfd\0\0\x77\0\0\0\0\0\0\xff\xff\x0a\x4d\0\2", 16);
	memcpy(was.daddr, "\xfd\0\0\x77\0\0\0\0\0\0\xff\xff\x0a\x4d\0\1", 16);
	was.claim = fuzz_once_in(50);
	was.epsn = fuzz_once_in(2) ? fuzz_below(1 << 24) : 0xfffffe;
	was.msn = fuzz_below(1 << 24);
	was.op = XROCE_QP_OP_NONE;
	native_put_qp(&was);
}

static uint64_t dropped(void)
{
	return delta.drop_length + delta.drop_checksum + delta.drop_tver +
	       delta.drop_qpn + delta.drop_opcode + delta.drop_state +
	       delta.drop_error + delta.drop_addr + delta.drop_pkey +
	       delta.drop_icrc + delta.drop_busy + delta.drop_psn +
	       delta.drop_reply + delta.drop_qkey + delta.drop_recv;
}

static uint64_t causes(void)
{
	return delta.inv_opcode + delta.inv_order + delta.inv_qp_access +
	       delta.inv_length + delta.inv_resources + delta.acc_key +
	       delta.acc_pd + delta.acc_right + delta.acc_bounds +
	       delta.acc_module + delta.op_wqe + delta.op_prot + delta.op_cq;
}

static uint64_t naks(void)
{
	return delta.nak_seq + delta.nak_inv + delta.nak_acc + delta.nak_op +
	       delta.nak_rnr;
}

/* Every packet of ours ends in one way, and is counted as that. */
static void judge_counters(void)
{
	bool pass = result.verdict == XDP_PASS;
	uint64_t ways = delta.write + delta.duplicate + naks() + dropped();

	check(delta.pass <= pass, "counted as passed");
	check(delta.rx == !pass, "rx %llu", delta.rx);
	check(delta.rx_bytes == (pass ? 0 : result.in_len), "rx_bytes %llu",
	      delta.rx_bytes);
	check(ways == !pass, "it ended in %lu ways", ways);
	check(delta.tx == (result.verdict == XDP_TX), "tx %llu", delta.tx);
	check(delta.tx == delta.ack + naks(), "replies are ACK or NAK");
	check(delta.ack <= delta.write + delta.duplicate, "ACK of what?");
	check(causes() == delta.nak_inv + delta.nak_acc + delta.nak_op, "%lu causes",
	      causes());
}

/* The safety of it all: only what the peer has been given is written. */
static void judge_reach(void)
{
	const struct xroce_mpt *mpt;
	unsigned __int128 first, end;
	uint64_t bytes = delta.write_bytes;

	if (!bytes)
		return;
	check(is.rkey >> XROCE_KEY_SHIFT < NATIVE_MPT_ENTRIES, "key %#x",
	      is.rkey);
	mpt = &mpts[(is.rkey >> XROCE_KEY_SHIFT) % NATIVE_MPT_ENTRIES];
	first = (uint64_t)(is.va - bytes);
	end = first + bytes;
	check(was.access & XROCE_ACCESS_REMOTE_WRITE, "QP without the right");
	check(bytes <= was.mtu, "%lu bytes in a packet", bytes);
	check(mpt->key == is.rkey, "key %#x", is.rkey);
	check(mpt->state == XROCE_MPT_VALID, "state %u", mpt->state);
	check(mpt->pd == was.pd, "protection domain %u", mpt->pd);
	check(mpt->access & XROCE_ACCESS_REMOTE_WRITE, "no right");
	check(first >= mpt->iova &&
	      end <= (unsigned __int128)mpt->iova + mpt->length,
	      "%lu bytes at %#llx", bytes, is.va - bytes);
}

/* What may have changed in the queue pair, by the way the packet ended. */
static void judge_qp(void)
{
	struct xroce_qp want = was;

	if (delta.write) {
		want.op = is.op;
		want.va = is.va;
		want.rkey = is.rkey;
		want.resid = is.resid;
		want.length = is.length;
		want.nak_sent = 0;
		want.epsn = (was.epsn + 1) & XROCE_PSN_MASK;
		want.packets++;
		want.bytes += delta.write_bytes;
		if (is.op == XROCE_QP_OP_NONE)
			want.msn = (was.msn + 1) & XROCE_PSN_MASK;
		check(was.op == XROCE_QP_OP_NONE ||
		      was.resid == is.resid + delta.write_bytes,
		      "%u bytes left of %u", is.resid, was.resid);
		check(!is.resid == (is.op == XROCE_QP_OP_NONE),
		      "opcode %#x with %u bytes left", is.op, is.resid);
		judge_reach();
	} else {
		check(!delta.write_bytes, "bytes without a WRITE");
	}
	want.duplicates += delta.duplicate;
	want.naks += naks();
	if (delta.nak_seq || delta.nak_rnr)
		want.nak_sent = 1;
	if (delta.nak_inv || delta.nak_acc) {
		check(is.error, "fatal NAK, but no error");
		want.error = is.error;
		want.nak_sent = 0;
	}
	check(!memcmp(&want, &is, sizeof(is)), "the queue pair has changed");
}

static void judge_reply(void)
{
	struct packet got;
	const char *wrong = packet_parse(out, result.out_len, PACKET_NO_ICRC,
					 &got);

	if (!check(!wrong, "reply of %u bytes: %s", result.out_len, wrong))
		return;
	check(!memcmp(got.dst_mac, frame.bytes + 6, 6) &&
	      !memcmp(got.src_mac, frame.bytes, 6), "MAC addresses");
	check(got.ipv6 == was.ipv6, "address family");
	if (got.ipv6)
		check(!memcmp(got.saddr, was.saddr, 16) &&
		      !memcmp(got.daddr, was.daddr, 16), "IPv6 addresses");
	else
		check(!memcmp(got.saddr + 12, &was.saddr[3], 4) &&
		      !memcmp(got.daddr + 12, &was.daddr[3], 4),
		      "IPv4 addresses");
	check(got.sport == was.sport && got.dport == XROCE_UDP_PORT,
	      "ports %u, %u", got.sport, got.dport);
	check(got.opcode == XROCE_RC_ACK && !got.payload && !got.pad,
	      "opcode %#x, %u bytes", got.opcode, got.payload);
	check(got.dqpn == was.dest_qpn && got.pkey == was.pkey, "BTH");
	check(got.msn == is.msn, "MSN %#x", got.msn);
}

static void judge(void)
{
	__u64 *d = (__u64 *)&delta;
	const __u64 *a = (const __u64 *)&total, *b = (const __u64 *)&stat;
	size_t i;

	for (i = 0; i < sizeof(delta) / sizeof(*d); i++)
		d[i] = b[i] - a[i];

	check(result.verdict == XDP_PASS || result.verdict == XDP_DROP ||
	      result.verdict == XDP_TX, "verdict %u", result.verdict);
	judge_counters();
	judge_qp();
	if (result.verdict == XDP_TX)
		judge_reply();
	if (result.verdict == XDP_PASS)
		check(result.out_len == result.in_len &&
		      !memcmp(out, frame.bytes, result.in_len),
		      "a frame for others has changed");
}

static void sweep(void)
{
	uint32_t slot = QPN & (NATIVE_QP_ENTRIES - 1);

	native_get_mpts(mpts_now);
	check(!memcmp(mpts, mpts_now, sizeof(mpts)), "the MPT has changed");
	native_get_qps(qps_now);
	memset(&qps_now[slot], 0, sizeof(qps_now[slot]));
	check(!memcmp(qps_now, (struct xroce_qp[NATIVE_QP_ENTRIES]){},
		      sizeof(qps_now)), "another queue pair has changed");
}

static void print_frame(void)
{
	uint32_t i, n = frame.len < 120 ? frame.len : 120;

	printf("# frame of %u bytes:", frame.len);
	for (i = 0; i < n; i++)
		printf(" %02x", frame.bytes[i]);
	printf("\n");
}

static void one(void)
{
	const struct xroce_mpt *mpt;
	struct packet req;

	if (is.error || is.claim || fuzz_once_in(64))
		put_qp();
	else
		was = is;
	mpt = &mpts[100 * fuzz_below(ARRAY_SIZE(regions))];
	if (fuzz_once_in(2))
		mpt = &mpts[0];
	fuzz_packet(&was, mpt, &req);
	packet_build(&req, &frame);
	fuzz_frame(&frame);
	if (frame.len < NATIVE_MIN_FRAME)
		frame.len = NATIVE_MIN_FRAME;

	result.in = frame.bytes;
	result.in_len = frame.len;
	total = stat;
	check(!native_run(&result), "test run of %u bytes", frame.len);
	native_get_stat(&stat);
	native_get_qp(QPN, &is);
	judge();
}

static unsigned long number(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 0) : otherwise;
}

static void fuzz(void)
{
	unsigned long runs = number("XROCE_RUNS", RUNS);
	unsigned long seed = 0, i;

	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = 1;
	seed = number("XROCE_SEED", seed);
	note("XROCE_SEED=%#lx", seed);
	fuzz_seed(seed);

	if (!native_open())
		return;
	native_clear();
	put_regions();
	put_qp();
	native_get_stat(&stat);
	is = was;
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

/* A fuzzer that never gets anywhere proves nothing. */
static void reached(void)
{
	if (!check(stat.rx, "fuzz has not run"))
		return;
#define REACHED(counter) check(stat.counter, #counter " never moved")
	REACHED(pass);
	REACHED(write);
	REACHED(ack);
	REACHED(duplicate);
	REACHED(nak_seq);
	REACHED(nak_rnr);
	REACHED(inv_opcode);
	REACHED(inv_order);
	REACHED(inv_qp_access);
	REACHED(inv_length);
	REACHED(acc_key);
	REACHED(acc_pd);
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
	REACHED(drop_busy);
	REACHED(drop_psn);
#undef REACHED
}

static const struct test tests[] = {
	{ "fuzz", "P2 R9 D3 D5 D6", "nearly right packets in any state", fuzz },
	{ "fuzz_reached", "D6", "every way to end was seen", reached },
};

int main(int argc, char **argv)
{
	int status = harness_main(argc, argv, tests, ARRAY_SIZE(tests));

	native_close();
	return status;
}
