// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of dropped packets, their limits, and the fields of events of dropped and refused
 * packets. Names of causes.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "libxroce.h"
#include "on_cpu.h"
#include "scene.h"

#define FLOOD	1000u

/* The ring "drops": number of events read, the first and the last of them. */
static struct {
	struct ring_buffer *ring;
	struct xroce_event first, last;
	unsigned int n;
} drops;

static int note_drop(void *ctx, void *data, size_t size)
{
	(void)ctx;
	check(size == sizeof(drops.last), "event of %zu bytes", size);
	memcpy(&drops.last, data, sizeof(drops.last));
	if (!drops.n++)
		drops.first = drops.last;
	return 0;
}

static void take_drops(void)
{
	drops.n = 0;
	check(ring_buffer__consume(drops.ring) == (int)drops.n, "drops: %s",
	      strerror(errno));
}

static __u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void lease(__u64 until)
{
	struct xroce_drop_lease l = { .until = until };
	__u32 zero = 0;

	check(!bpf_map_update_elem(native_map("drop_lease"), &zero, &l, BPF_ANY),
	      "drop_lease: %s", strerror(errno));
}

static bool stage(struct scene *s)
{
	/* The limit of events is per CPU. */
	if (!on_cpu(0, 0) || !scene_init(s))
		return false;
	if (!drops.ring)
		drops.ring = ring_buffer__new(native_map("drops"), note_drop, NULL, NULL);
	if (!check(drops.ring, "drops: %s", strerror(errno)))
		return false;
	lease(now() + 3600 * 1000000000ull);
	take_drops();
	return true;
}

#define DROP_TEST(name, ids, about) SCENE_TEST_BY(stage(&s), name, ids, about)

/* Wait until the limit counts from zero again. */
static void new_second(void)
{
	__u64 begin = now();

	while (now() - begin < 1100000000ull)
		;
}

/* Run the request; its events stay in the rings. */
static void offer(const struct scene *s)
{
	static struct frame frame;
	static uint8_t out[PACKET_MAX];
	struct native_run run = { .in = frame.bytes, .out = out, .out_size = sizeof(out) };

	packet_build(&s->req, &frame);
	run.in_len = frame.len;
	check(!native_run(&run), "test run");
}

/* Expect the request to be dropped, counted as @counter, with one event. */
static void expect_event(struct scene *s, size_t counter, enum xroce_cause cause)
{
	const struct xroce_event *e = &drops.last;

	expect_drop(s, counter);
	take_drops();
	if (!check(drops.n == 1, "%u events", drops.n))
		return;
	check(e->cause == cause && e->qpn == s->req.dqpn && e->psn == s->req.psn &&
	      e->opcode == s->req.opcode && now() - e->time < 60000000000ull,
	      "cause %s, QP %#x, PSN %#x, opcode %#x", xroce_cause_str(e->cause),
	      e->qpn, e->psn, e->opcode);
	check(!memcmp(e->peer, s->req.saddr, 16) && !memcmp(e->own, s->req.daddr, 16),
	      "addresses, last words %#x and %#x", e->peer[3], e->own[3]);
	if (cause == XROCE_DROP_QPN)
		check(!e->known && !e->epsn && !e->mtu, "no queue pair, but known %#x", e->known);
	else
		check(e->known == XROCE_EVENT_QP && e->epsn == s->qp.epsn &&
		      e->mtu == s->qp.mtu, "known %#x, expected PSN %#x, MTU %u",
		      e->known, e->epsn, e->mtu);
}

DROP_TEST(drop_event_causes, "D6 U1", "cause, addresses and PSN in the event of a drop")
{
	new_second();
	s->req.saddr[15] ^= 4;
	expect_event(s, COUNTER(drop_addr), XROCE_DROP_ADDR);
	s->req.saddr[15] ^= 4;
	s->req.daddr[15] ^= 4;
	expect_event(s, COUNTER(drop_addr), XROCE_DROP_ADDR);
	s->req.daddr[15] ^= 4;
	s->req.pkey = 0x8001;
	expect_event(s, COUNTER(drop_pkey), XROCE_DROP_PKEY);
	s->req.pkey = s->qp.pkey;
	s->qp.nak_sent = 1;
	scene_put(s);
	s->req.psn = (s->qp.epsn + 5) & XROCE_PSN_MASK;
	expect_event(s, COUNTER(drop_psn), XROCE_DROP_PSN);
	s->qp.state = XROCE_QPS_INIT;
	scene_put(s);
	expect_event(s, COUNTER(drop_state), XROCE_DROP_STATE);
	s->req.dqpn ^= 0x400000;
	expect_event(s, COUNTER(drop_qpn), XROCE_DROP_QPN);
}

DROP_TEST(drop_event_ipv6, "D6 U1", "IPv6 addresses in the event of a drop")
{
	new_second();
	scene_ipv6(s);
	s->req.saddr[3] ^= 0x10;
	expect_event(s, COUNTER(drop_addr), XROCE_DROP_ADDR);
}

/* No event without a reader: there was no lease, or it has expired. */
DROP_TEST(drop_event_unwanted, "D6", "no events of drops without a reader")
{
	struct xroce_stat before, after;

	native_get_stat(&before);
	s->req.saddr[15] ^= 4;
	lease(0);
	expect_drop(s, COUNTER(drop_addr));
	lease(now());
	expect_drop(s, COUNTER(drop_addr));
	take_drops();
	native_get_stat(&after);
	check(!drops.n && after.event_limited == before.event_limited &&
	      after.event_lost == before.event_lost, "%u events", drops.n);
}

/* A flood causes a few events, the rest is counted. A refusal still has its event. */
DROP_TEST(drop_event_limited, "D6", "a flood of drops causes a few events")
{
	struct xroce_stat before, after;
	struct xroce_event refused;
	struct scene spoofed;
	__u64 begin, seconds, limited;
	unsigned int i;

	new_second();
	native_get_stat(&before);
	native_get_events(&refused);
	spoofed = *s;
	spoofed.req.saddr[15] ^= 4;
	begin = now();
	for (i = 0; i < FLOOD && !test_failed(); i++)
		offer(&spoofed);
	seconds = (now() - begin) / 1000000000ull + 1;
	take_drops();
	native_get_stat(&after);
	limited = after.event_limited - before.event_limited;
	check(after.drop_addr - before.drop_addr == FLOOD, "%llu dropped",
	      after.drop_addr - before.drop_addr);
	check(drops.n >= XROCE_DROP_EVENTS && drops.n <= seconds * XROCE_DROP_EVENTS,
	      "%u events in %llu seconds", drops.n, seconds);
	check(drops.n + limited == FLOOD, "%u events and %llu suppressed", drops.n,
	      limited);

	/* The next event has the number of suppressed events. */
	new_second();
	offer(&spoofed);
	take_drops();
	check(drops.n == 1 && drops.last.missed && drops.last.missed <= limited,
	      "%u events, %u missed of %llu", drops.n, drops.last.missed, limited);

	s->req.rkey ^= 1 << 20;
	offer(s);
	check(native_get_events(&refused) == 1 && refused.cause == XROCE_CAUSE_ACC_KEY,
	      "no event of the refusal");
}

/* If the ring of drops is full, the ring of refusals is not affected. */
DROP_TEST(drop_event_full, "D6", "drops do not use the ring of refusals")
{
	struct xroce_stat before, after;
	struct xroce_event refused;
	struct scene spoofed;
	unsigned int i, rounds;

	native_get_stat(&before);
	native_get_events(&refused);
	spoofed = *s;
	spoofed.req.saddr[15] ^= 4;
	for (rounds = 0; rounds < 30; rounds++) {
		for (i = 0; i < XROCE_DROP_EVENTS; i++)
			offer(&spoofed);
		native_get_stat(&after);
		if (after.event_lost != before.event_lost || test_failed())
			break;
		new_second();
	}
	check(after.event_lost > before.event_lost, "the ring is not full");
	s->req.rkey ^= 1 << 20;
	offer(s);
	check(native_get_events(&refused) == 1, "no event of the refusal");
	take_drops();
}

/* Run a request that must be refused. Return: its event. */
static struct xroce_event refusal(const struct scene *s, enum xroce_cause cause)
{
	struct xroce_event e = {};

	native_get_events(&e);
	scene_put(s);
	offer(s);
	check(native_get_events(&e) == 1 && e.cause == cause, "cause %s, not %s",
	      xroce_cause_str(e.cause), xroce_cause_str(cause));
	return e;
}

/* An event says which of its fields the packet had; the others are not valid. */
TEST(drop_event_known, "D6 U1", "the valid fields in the event of a refusal")
{
	const __u8 always = XROCE_EVENT_QP | XROCE_EVENT_PAYLOAD;
	struct scene fresh, s;
	struct xroce_event e;

	if (!stage(&fresh))
		return;
	s = fresh;
	s.req.rkey ^= 1 << 20;
	e = refusal(&s, XROCE_CAUSE_ACC_KEY);
	check(e.known == (always | XROCE_EVENT_RETH), "known %#x", e.known);
	/* A message of one packet that is longer than the path MTU. */
	s = fresh;
	s.qp.mtu = 1024;
	scene_payload(&s, 1028);
	e = refusal(&s, XROCE_CAUSE_INV_LENGTH);
	check(e.known == (always | XROCE_EVENT_RETH) && e.mtu == 1024 &&
	      e.payload == 1028 && e.len == 1028, "known %#x, MTU %u, payload %u, length %u",
	      e.known, e.mtu, e.payload, e.len);
	/* A first packet that is shorter than the path MTU. */
	s = fresh;
	s.qp.mtu = 1024;
	scene_payload(&s, 512);
	s.req.opcode = XROCE_RC_WRITE_FIRST;
	s.req.dmalen = 4096;
	e = refusal(&s, XROCE_CAUSE_INV_LENGTH);
	check(e.mtu == 1024 && e.payload == 512 && e.len == 4096,
	      "MTU %u, payload %u, length %u", e.mtu, e.payload, e.len);
	/* A middle packet without a message, which names no memory. */
	s = fresh;
	s.req.opcode = XROCE_RC_WRITE_MIDDLE;
	e = refusal(&s, XROCE_CAUSE_INV_ORDER);
	check(e.known == always && !e.key && !e.va && !e.len, "known %#x", e.known);
	check(!memcmp(e.own, s.qp.saddr, 16) && e.epsn == s.req.psn, "own address and PSN");
}

/* Each cause has the name of its counter; other numbers are unknown. */
TEST(drop_event_names, "U1", "causes have the names of counters")
{
	__u32 cause;

	check(!strcmp(xroce_cause_str(XROCE_CAUSE_NONE), "none"), "none");
	for (cause = XROCE_CAUSE_INV_OPCODE; cause <= XROCE_CAUSE_OP_MEMORY; cause++)
		check(!strcmp(xroce_cause_str(cause),
			      counters_name(COUNTER(inv_opcode) + cause - 1)),
		      "%u is %s", cause, xroce_cause_str(cause));
	for (; cause < XROCE_DROP_LENGTH; cause++)
		check(!strcmp(xroce_cause_str(cause), "unknown"), "%u", cause);
	for (; cause <= XROCE_DROP_TX; cause++)
		check(!strcmp(xroce_cause_str(cause),
			      counters_name(COUNTER(drop_length) + cause - XROCE_DROP_LENGTH)),
		      "%u is %s", cause, xroce_cause_str(cause));
	check(!strcmp(xroce_cause_str(cause), "unknown") &&
	      !strcmp(xroce_cause_str(~0u), "unknown"), "past the end");
}

static int run_tests(int argc, char **argv)
{
	int status = native_main(argc, argv);

	ring_buffer__free(drops.ring);
	return status;
}

TEST_MAIN(run_tests);
