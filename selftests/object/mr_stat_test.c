// SPDX-License-Identifier: GPL-2.0-only
/*
 * Per-region counters: each access is counted once, for the region that it reached.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "live_mr.h"
#include "wire.h"

#define MTU	1024u

static const struct wire_opts rc, uc = { .type = XROCE_QPT_UC };

static void expect(const struct wire *w, const struct xroce_mr_stat *want)
{
	struct xroce_mr_stat got = mr_counters(w->mr.mr);
	__u64 refused = ~0ull;

	check(!memcmp(&got, want, sizeof(got)),
	      "in %llu %llu %llu out %llu %llu %llu atomics %llu refused %llu, not in %llu %llu %llu out %llu %llu %llu atomics %llu refused %llu",
	      got.in_requests, got.in_packets, got.in_bytes, got.out_requests,
	      got.out_packets, got.out_bytes, got.atomics, got.refused,
	      want->in_requests, want->in_packets, want->in_bytes,
	      want->out_requests, want->out_packets, want->out_bytes,
	      want->atomics, want->refused);
	check(!xroce_mr_counter(LIVE_DEV, w->mr.mr, "refused", &refused) &&
	      refused == want->refused &&
	      xroce_mr_counter(LIVE_DEV, w->mr.mr, "rx", &refused) == -EINVAL, "by name: %llu",
	      refused);
}

/* Send the request, and check that exactly @n responses arrive. */
static void answered(struct wire *w, int n)
{
	struct packet got;

	wire_send(w);
	while (n--)
		if (!check(wire_take(w, WIRE_MS, &got, NULL), "no answer"))
			return;
	wire_quiet(w);
}

WIRE_TEST(mr_stat_write, "D6", "RDMA WRITEs are counted for their region", &rc)
{
	struct xroce_mr_stat want = {};

	expect(w, &want);
	answered(w, 1);
	want.in_requests = want.in_packets = 1;
	want.in_bytes = 64;
	expect(w, &want);
	/* A duplicate is not executed again, and not counted. */
	answered(w, 1);
	expect(w, &want);

	w->req.psn++;
	w->req.opcode = XROCE_RC_WRITE_FIRST;
	w->req.payload = MTU;
	w->req.dmalen = 2 * MTU + 100;
	answered(w, 1);
	w->req.psn++;
	w->req.opcode = XROCE_RC_WRITE_MIDDLE;
	answered(w, 1);
	w->req.psn++;
	w->req.opcode = XROCE_RC_WRITE_LAST;
	w->req.payload = 100;
	answered(w, 1);
	want.in_requests += 1;
	want.in_packets += 3;
	want.in_bytes += 2 * MTU + 100;
	expect(w, &want);

	/* A request of zero bytes accesses no region. */
	w->req.psn++;
	w->req.opcode = XROCE_RC_WRITE_ONLY;
	w->req.payload = w->req.dmalen = 0;
	answered(w, 1);
	expect(w, &want);
}

/* Responses in the frame of the request, and responses that the module sends. */
WIRE_TEST(mr_stat_read, "D6", "RDMA READs are counted, answered in the frame or in several packets",
	  &rc)
{
	struct xroce_mr_stat want = {};

	w->req.opcode = XROCE_RC_READ_REQUEST;
	w->req.payload = 0;
	answered(w, 1);
	want.out_requests = want.out_packets = 1;
	want.out_bytes = 64;
	expect(w, &want);
	/* A duplicate READ reads the memory again, and is counted again. */
	answered(w, 1);
	want.out_requests = want.out_packets = 2;
	want.out_bytes = 128;
	expect(w, &want);

	w->req.psn++;
	w->req.dmalen = 9 * MTU + 3;
	answered(w, 10);
	want.out_requests += 1;
	want.out_packets += 10;
	want.out_bytes += 9 * MTU + 3;
	expect(w, &want);
}

WIRE_TEST(mr_stat_atomic, "D6", "atomic operations are counted for their region", &rc)
{
	struct xroce_mr_stat want = {};

	w->req.opcode = XROCE_RC_FETCH_ADD;
	w->req.payload = 0;
	answered(w, 1);
	want.atomics = 1;
	expect(w, &want);
	answered(w, 1);
	expect(w, &want);
	w->req.psn++;
	w->req.opcode = XROCE_RC_CMP_SWAP;
	answered(w, 1);
	w->req.psn++;
	w->req.opcode = XROCE_RC_ATOMIC_WRITE;
	w->req.payload = w->req.dmalen = 8;
	answered(w, 1);
	want.atomics = 3;
	expect(w, &want);
}

/* Send the request with one change; the region's count of refusals grows by @by. */
#define REFUSED(change, by) do {					\
	w->req = good;							\
	w->req.psn = psn++;						\
	change;								\
	answered(w, 0);							\
	want.refused += (by);						\
	expect(w, &want);						\
	if (test_failed())						\
		note("%s", #change);					\
} while (0)

/* UC: the queue pair stays usable after a refusal. */
WIRE_TEST(mr_stat_refused, "D6 R9", "refusals are counted for the region that the key names", &uc)
{
	struct xroce_mr_stat want = {}, others, now;
	struct packet good;
	uint32_t psn = WIRE_PSN;
	struct xroce_mr_reg weak;

	good = w->req;
	weak = mr_region(w->pd, w->mem, WIRE_BYTES);
	check(!xroce_mr_reg(w->x, &weak), "a region without rights");
	others = mr_counters(weak.mr);
	REFUSED(w->req.va += WIRE_BYTES - 63, 1);
	REFUSED(w->req.va--, 1);
	REFUSED(w->req.rkey ^= 0x40, 1);		/* the index still finds the region */
	REFUSED(w->req.dmalen = 65, 0);		/* refused before the key is looked up */
	REFUSED(w->req.rkey = weak.lkey, 0);	/* counted for the other region */
	now = mr_counters(weak.mr);
	check(now.refused == others.refused + 1, "the other region's: %llu",
	      now.refused);
	check(!xroce_mr_dereg(w->x, weak.mr), "DEREG");
	REFUSED(w->req.rkey = weak.lkey, 0);	/* counted for no region */
	now = mr_counters(weak.mr);
	check(now.refused == others.refused + 1, "nobody's: %llu", now.refused);
	want.in_requests = want.in_packets = 1;
	want.in_bytes = 64;
	REFUSED((void)0, 0);			/* executed */
}

static void post(struct wire *w, __u32 len0, __u32 len1)
{
	struct xroce_sge_local sge[] = {
		{ w->mr.iova, len0, w->mr.lkey },
		{ w->mr.iova + 8192, len1, w->mr.lkey },
	};

	check(!xroce_post_recv(w->rq, 1, sge, 2), "post_recv");
}

/* SENDs into receives of two elements, and one past the end of the region. */
WIRE_TEST(mr_stat_receive, "D6", "received messages are counted for the region with the buffer",
	  &(struct wire_opts){ .recv = true })
{
	struct xroce_mr_stat want = {};

	post(w, 40, 100);
	w->req.opcode = XROCE_RC_SEND_ONLY;
	answered(w, 1);
	want.in_requests = 1;
	want.in_packets = 2;	/* one for each element */
	want.in_bytes = 64;
	expect(w, &want);

	post(w, 3000, 0);
	w->req.psn++;
	w->req.opcode = XROCE_RC_SEND_FIRST;
	w->req.payload = MTU;
	answered(w, 1);
	w->req.psn++;
	w->req.opcode = XROCE_RC_SEND_LAST;
	w->req.payload = 10;
	w->req.pad = 2;
	answered(w, 1);
	want.in_requests++;
	want.in_packets += 2;
	want.in_bytes += MTU + 10;
	expect(w, &want);

	post(w, 0, 9000);
	w->req.psn++;
	w->req.opcode = XROCE_RC_SEND_ONLY;
	answered(w, 1);	/* it begins inside the region */
	want.in_requests++;
	want.in_packets++;
	want.in_bytes += 10;
	expect(w, &want);
	w->mr.iova += WIRE_BYTES - 5;
	post(w, 100, 0);
	w->req.psn++;
	answered(w, 1);	/* a NAK */
	want.refused++;
	expect(w, &want);
}

/* The IP header precedes the message and counts as a part of it. */
WIRE_TEST(mr_stat_datagram, "D6", "received datagrams are counted for the region with the buffer",
	  &(struct wire_opts){ .type = XROCE_QPT_UD, .recv = true })
{
	struct xroce_mr_stat want = {};

	post(w, 200, 0);
	answered(w, 0);
	want.in_requests = want.in_packets = 1;
	want.in_bytes = 40 + 64;
	expect(w, &want);
	/* A datagram to another address is not received. */
	post(w, 200, 0);
	w->req.daddr[15] ^= 1;
	answered(w, 0);
	expect(w, &want);
}

/* Registering a region clears the old counters of its index, and of no other. */
TEST(mr_stat_anew, "D6 R1", "a new region begins with zero counters")
{
	int fd = xroce_pin_open(LIVE_DEV, "mr_stat"), ret;
	int cpus = libbpf_num_possible_cpus();
	__u64 *junk = malloc(cpus * sizeof(struct xroce_mr_stat));
	struct xroce_mr_stat zero = {}, got;
	struct wire w;
	__u32 i;

	memset(junk, 0x5a, cpus * sizeof(struct xroce_mr_stat));
	for (i = 0; i < LIVE_MPT_ENTRIES; i++) {
		ret = bpf_map_update_elem(fd, &i, junk, BPF_ANY);
		if (!check(!ret, "entry %u: %s", i, strerror(errno)))
			break;
	}
	if (wire_open(&w, &rc)) {
		expect(&w, &zero);
		for (i = 1; i < LIVE_MPT_ENTRIES; i++) {
			if (i == w.mr.mr)
				continue;
			got = mr_counters(i);
			if (!check(got.refused == cpus * junk[0], "entry %u", i))
				break;
		}
		wire_close(&w);
	}
	free(junk);
	close(fd);
}

TEST_MAIN(live_main);
