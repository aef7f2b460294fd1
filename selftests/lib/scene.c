// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include <arpa/inet.h>
#include <linux/bpf.h>

#include "harness.h"
#include "scene_steps.h"
#include "template.h"

static const uint8_t own_mac[6] = { 2, 0, 0, 0, 0, 2 };
static const uint8_t peer_mac[6] = { 2, 0, 0, 0, 0, 1 };

const uint16_t scene_mtus[SCENE_MTUS] = { 256, 512, 1024, 2048, 4096 };

/* Everything that a packet may change. */
struct snapshot {
	struct xroce_mpt mpts[NATIVE_MPT_ENTRIES];
	struct xroce_qp qps[NATIVE_QP_ENTRIES];
	struct xroce_rd_ring rds[NATIVE_QP_ENTRIES];
	struct xroce_stat stat;
	struct xroce_event event;	/* the last one since the previous snapshot */
	uint32_t events;
	uint64_t refused;		/* of the regions at SCENE_INDEX and SCENE_BEHIND */
};

static struct snapshot before, after;
static struct frame frame;
static uint8_t out[PACKET_MAX];
static struct native_run result;

static void snapshot_take(struct snapshot *snap)
{
	native_get_mpts(snap->mpts);
	native_get_qps(snap->qps);
	native_get_rds(snap->rds);
	native_get_stat(&snap->stat);
	snap->events = native_get_events(&snap->event);
	snap->refused = native_get_refused(SCENE_INDEX) +
			native_get_refused(SCENE_BEHIND);
}

bool scene_init(struct scene *s)
{
	static const uint8_t own_ip[16] = { [10] = 0xff, 0xff, 10, 77, 0, 2 };
	static const uint8_t peer_ip[16] = { [10] = 0xff, 0xff, 10, 77, 0, 1 };

	memset(s, 0, sizeof(*s));
	if (!native_open())
		return false;
	native_clear();

	s->qp = (struct xroce_qp){
		.qpn = SCENE_QPN,
		.state = XROCE_QPS_RTR,
		.type = XROCE_QPT_RC,
		.access = XROCE_ACCESS_REMOTE_WRITE,
		.pd = SCENE_PD,
		.dest_qpn = SCENE_PEER_QPN,
		.pkey = 0xffff,
		.sport = 0xd123,
		.mtu = 1024,
		.tos = 0x68,
		.ttl = 61,
		.min_rnr_timer = 14,
		.epsn = SCENE_PSN,
		.msn = SCENE_MSN,
		.op = XROCE_QP_OP_NONE,
		.packets = 100,
		.bytes = 200,
		.duplicates = 300,
		.naks = 400,
	};
	memcpy(s->qp.saddr, own_ip, 16);
	memcpy(s->qp.daddr, peer_ip, 16);

	s->mpt = (struct xroce_mpt){
		.key = SCENE_KEY,
		.state = XROCE_MPT_VALID,
		.type = XROCE_MPT_MR,
		.access = XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_REMOTE_WRITE,
		.pd = SCENE_PD,
		.iova = SCENE_IOVA,
		.length = SCENE_LENGTH,
	};

	s->req = (struct packet){
		.tos = 0x02,
		.ttl = 64,
		.ip_id = 0x4711,
		.frag = PACKET_IP_DF,
		.sport = 0xc0de,
		.dport = XROCE_UDP_PORT,
		.opcode = XROCE_RC_WRITE_ONLY,
		.mig = true,
		.pkey = 0xffff,
		.dqpn = SCENE_QPN,
		.ackreq = true,
		.psn = SCENE_PSN,
		.va = SCENE_IOVA + 100,
		.rkey = SCENE_KEY,
		.imm = 0xfeedface,
		.pattern = 0x31,
	};
	memcpy(s->req.dst_mac, own_mac, 6);
	memcpy(s->req.src_mac, peer_mac, 6);
	memcpy(s->req.saddr, peer_ip, 16);
	memcpy(s->req.daddr, own_ip, 16);
	scene_payload(s, 64);
	scene_put(s);
	return !test_failed();
}

void scene_ipv6(struct scene *s)
{
	inet_pton(AF_INET6, "fd00:77::12:2", s->req.daddr);
	inet_pton(AF_INET6, "fd00:77::12:1", s->req.saddr);
	s->req.ipv6 = true;
	s->req.flow = 0x54321;
	s->req.ip_id = 0;
	s->req.frag = 0;
	s->qp.ipv6 = 1;
	memcpy(s->qp.saddr, s->req.daddr, 16);
	memcpy(s->qp.daddr, s->req.saddr, 16);
	scene_put(s);
}

void scene_put(const struct scene *s)
{
	struct xroce_qp qp = s->qp;

	template_fill(&qp);
	native_put_qp(&qp);
	native_put_rd(s->qp.qpn, &s->rd);
	native_put_mpt(SCENE_INDEX, &s->mpt);
}

void scene_payload(struct scene *s, uint32_t bytes)
{
	s->req.payload = bytes;
	s->req.pad = -bytes & 3;
	s->req.dmalen = bytes;
}

bool scene_offer(const struct scene *s)
{
	int err;

	packet_build(&s->req, &frame);
	snapshot_take(&before);
	result = (struct native_run){
		.in = frame.bytes,
		.in_len = frame.len - s->cut,
		.out = out,
		.out_size = sizeof(out),
	};
	err = native_run(&result);
	snapshot_take(&after);
	return check(!err, "test run of %u bytes: %s", result.in_len,
		     strerror(-err));
}

/* Clear the fields that need no comparison, or that have no meaning between messages. */
static struct xroce_qp settled(const struct xroce_qp *qp)
{
	struct xroce_qp copy = *qp;

	if (qp->op == XROCE_QP_OP_NONE) {
		copy.va = 0;
		copy.rkey = 0;
		copy.resid = 0;
		copy.length = 0;
	}
	/* These are right if the response's invariant CRC is. */
	memset(copy.icrc_part, 0, sizeof(copy.icrc_part));
	memset(copy.icrc_for, 0, sizeof(copy.icrc_for));
	/* These are caches of the program. */
	copy.read_max = copy.mtu;
	memset(&copy.read, 0, sizeof(copy.read));
	return copy;
}

static void compare_qp(const struct xroce_qp *want)
{
	uint32_t slot = want->qpn & (NATIVE_QP_ENTRIES - 1);
	struct xroce_qp a = settled(want);
	struct xroce_qp b = settled(&after.qps[slot]);
	const uint8_t *x = (const uint8_t *)&a;
	const uint8_t *y = (const uint8_t *)&b;
	size_t i;

	template_fill(&a);
	for (i = 0; i < sizeof(a); i++)
		check(x[i] == y[i],
		      "struct xroce_qp, byte %zu is %#x, not %#x", i, y[i],
		      x[i]);
	/* No other queue pair may change. */
	before.qps[slot] = after.qps[slot];
	check(!memcmp(before.qps, after.qps, sizeof(after.qps)),
	      "another queue pair has changed");
}

static void compare_rd(const struct scene *s)
{
	uint32_t slot = s->qp.qpn & (NATIVE_QP_ENTRIES - 1);
	uint32_t i;

	for (i = 0; i < XROCE_RD_MAX; i++) {
		const struct xroce_rd *want = &s->rd.rd[i];
		const struct xroce_rd *got = &after.rds[slot].rd[i];

		check(!memcmp(want, got, sizeof(*want)),
		      "rd[%u] is %#x..%#x %#x %#x %#llx %#llx, not %#x..%#x %#x %#x %#llx %#llx",
		      i, got->psn, got->last, got->opcode, got->rkey, got->va,
		      got->len, want->psn, want->last, want->opcode,
		      want->rkey, want->va, want->len);
	}
	before.rds[slot] = after.rds[slot];
	check(!memcmp(before.rds, after.rds, sizeof(after.rds)),
	      "another queue pair's responder resources have changed");
}

/* There is an event for each refusal that ends a queue pair, and no other event. */
static void compare_event(const struct scene *s, bool refused)
{
	bool begun = s->qp.op != XROCE_QP_OP_NONE;
	uint32_t len = begun ? s->qp.resid : s->req.dmalen;
	const struct xroce_event *e = &after.event;

	check(after.events == refused, "%u events", after.events);
	if (!refused || !after.events)
		return;
	check(e->qpn == s->qp.qpn && e->cause == s->qp.error &&
	      e->psn == s->req.psn && e->opcode == s->req.opcode && e->time &&
	      !memcmp(e->peer, s->qp.daddr, sizeof(e->peer)),
	      "event: QP %#x, cause %u, PSN %#x, opcode %#x", e->qpn, e->cause,
	      e->psn, e->opcode);
	if (e->cause < XROCE_CAUSE_ACC_KEY)
		return;		/* the other fields may not have been known yet */
	if (s->req.opcode == XROCE_RC_SEND_LAST_INV ||
	    s->req.opcode == XROCE_RC_SEND_ONLY_INV) {
		check(e->key == s->req.imm && !e->len && !e->va,
		      "event: key %#x to be invalidated", e->key);
		return;
	}
	if (scene_is_atomic(s->req.opcode))
		len = 8;
	check(e->key == (begun ? s->qp.rkey : s->req.rkey) && e->len == len &&
	      e->va == (begun ? s->qp.va : s->req.va),
	      "event: key %#x, %u bytes at %#llx", e->key, e->len, e->va);
}

/* A refusal is counted for the region whose index the request names, if it is valid. */
static void compare_region(const struct scene *s, const struct xroce_stat *delta)
{
	uint64_t moved = after.refused - before.refused;
	uint32_t key = s->qp.op == XROCE_QP_OP_NONE ? s->req.rkey : s->qp.rkey;
	bool named;

	if ((s->req.opcode & ~XROCE_OP_SERVICE) == XROCE_RC_SEND_LAST_INV ||
	    (s->req.opcode & ~XROCE_OP_SERVICE) == XROCE_RC_SEND_ONLY_INV)
		key = s->req.imm;
	named = delta->acc_key + delta->acc_pd + delta->acc_qp + delta->acc_right +
		delta->acc_bounds && key >> XROCE_KEY_SHIFT == SCENE_INDEX &&
		s->mpt.state == XROCE_MPT_VALID;
	check(moved == named, "the region has refused %lu", moved);
}

/* Update the expected counters of the queue pair, given those of the link. */
static void count_for_qp(struct scene *s, const struct xroce_stat *delta)
{
	const struct xroce_qp *was = &before.qps[s->qp.qpn & (NATIVE_QP_ENTRIES - 1)];
	const __u64 *drop = &delta->drop_qkey;
	int i;

	if (s->qp.type == XROCE_QPT_RC)
		s->qp.silent = was->silent + s->qp.packets - was->packets +
			       s->qp.duplicates - was->duplicates +
			       s->qp.naks - was->naks - delta->tx;
	if (delta->tx)
		s->qp.tx_more += result.out_len - XROCE_ACK_BYTES;
	for (i = 0; i < XROCE_QP_DROPS; i++)
		s->qp.drops[i] += drop[i];
}

void scene_compare(struct scene *s, uint32_t verdict,
		   const struct xroce_stat *counted)
{
	struct xroce_stat sum = *counted, *delta = &sum;
	uint32_t slot = s->qp.qpn & (NATIVE_QP_ENTRIES - 1);
	bool ended = s->qp.error && !before.qps[slot].error;

	sum.tx_more = sum.tx * (result.out_len - XROCE_ACK_BYTES) - sum.read_bytes;
	check(result.verdict == verdict, "verdict is %u, not %u",
	      result.verdict, verdict);
	counters_check(&before.stat, &after.stat, delta);
	count_for_qp(s, delta);
	compare_qp(&s->qp);
	compare_rd(s);
	compare_event(s, ended);
	compare_region(s, delta);
	check(!memcmp(before.mpts, after.mpts, sizeof(after.mpts)),
	      "the MPT has changed");
}

void scene_untouched(void)
{
	check(result.out_len == result.in_len &&
	      !memcmp(out, frame.bytes, result.in_len),
	      "the frame has changed");
}

/* Compare the response with the one that @s and @say describe. */
static void compare_response(const struct scene *s, const struct packet *say)
{
	struct packet want = {
		.vlans = s->req.vlans,
		.ipv6 = s->req.ipv6,
		.tos = s->qp.tos,
		.ttl = s->qp.ttl,
		.frag = s->req.ipv6 ? 0 : PACKET_IP_DF,
		.sport = s->qp.sport,
		.dport = XROCE_UDP_PORT,
		.opcode = say->opcode,
		.mig = true,
		.pkey = s->qp.pkey,
		.dqpn = s->qp.dest_qpn,
		.psn = say->psn,
		.syndrome = say->syndrome,
		.msn = say->msn,
		.orig = say->orig,
		.payload = say->payload,
		.pad = say->pad,
	};
	struct packet got;
	const char *wrong;

	memcpy(want.dst_mac, s->qp.dmac ? (const uint8_t *)&s->qp.dmac : s->req.src_mac, 6);
	memcpy(want.src_mac, s->req.dst_mac, 6);
	memcpy(want.vlan, s->req.vlan, sizeof(want.vlan));
	memcpy(want.saddr, s->qp.saddr, 16);
	memcpy(want.daddr, s->qp.daddr, 16);

	if (result.verdict != XDP_TX)
		return;		/* this check has failed already */
	wrong = packet_parse(out, result.out_len, PACKET_READ_NO_ICRC, &got);
	if (check(!wrong, "response of %u bytes: %s", result.out_len, wrong))
		check(!packet_diff(&want, &got), "the response differs");
}

struct xroce_stat scene_received(void)
{
	return (struct xroce_stat){ .rx = 1, .rx_bytes = result.in_len };
}

struct xroce_stat scene_admitted(const struct scene *s)
{
	struct xroce_stat delta = scene_received();

	if ((s->req.tos & 3) == 3) {
		delta.ecn_ce = 1;
		delta.cnp_tx = s->qp.type != XROCE_QPT_UD;
	}
	return delta;
}

void scene_answered(struct scene *s, struct xroce_stat *delta,
		    const struct packet *say)
{
	if (s->qp.queued || s->apart) {
		delta->queued = 1;
		scene_compare(s, XDP_DROP, delta);
		return;
	}
	delta->tx = 1;
	scene_compare(s, XDP_TX, delta);
	compare_response(s, say);
}
