// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attacks on a connection (ReDMArk, USENIX Security 2021) at the real responder: guessed
 * queue pair numbers and keys, packets injected from other addresses, and floods; over IPv4
 * and IPv6, to RC and UC. Attackers who can see the packets are in replay_test.c and
 * spoof_test.c.
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "counters.h"
#include "mem.h"
#include "wire.h"

#define FLOOD		600		/* READs, more than can be queued */
#define FLOOD_BYTES	(1u << 20)	/* bytes of each READ */
#define FLOOD_BATCH	64		/* packets that may have been built */

static const struct wire_opts rc[] = { {}, { .ipv6 = true } };
static const struct wire_opts uc[] = {
	{ .type = XROCE_QPT_UC }, { .type = XROCE_QPT_UC, .ipv6 = true },
};

static void each(const struct wire_opts *opts, void (*attack)(const struct wire_opts *opts))
{
	size_t i;

	for (i = 0; i < 2 && !test_failed(); i++) {
		attack(&opts[i]);
		if (test_failed())
			note("%s, IPv%d", opts[i].type ? "UC" : "RC", opts[i].ipv6 ? 6 : 4);
	}
}

/* The true peer is served as before. */
static void still_works(struct wire *w, const struct packet *good)
{
	w->req = *good;
	if (w->opts.type == XROCE_QPT_UC) {
		wire_counted(w, COUNTER(write));
	} else {
		wire_send(w);
		wire_expect_ack(w, WIRE_PSN, 1);
	}
	check(w->mem[0] == (char)packet_pattern(good->pattern, 0), "not written");
}

/* One wrong key gets a NAK and ends the queue pair; the right key is refused then. */
static void key_one(const struct wire_opts *opts)
{
	struct xroce_stat before, now;
	struct packet want;
	struct wire w;
	int i;

	if (!wire_open(&w, opts))
		return;
	before = live_stat();
	for (i = 0; i < 8 && !test_failed(); i++) {
		w.req.rkey = w.mr.rkey ^ (i < 4 ? 1u << i : 0x100u << i);
		wire_send(&w);
		want = wire_response(&w, XROCE_RC_ACK);
		want.psn = WIRE_PSN;
		want.syndrome = XROCE_SYN_NAK_ACC;
		wire_expect(&w, &want);
		w.req.rkey = w.mr.rkey;
		wire_send(&w);
		wire_quiet(&w);
		wire_untouched(&w);
		wire_again(&w);
	}
	now = live_stat();
	check(now.nak_acc - before.nak_acc == 8 &&
	      now.drop_error - before.drop_error == 8, "%llu NAKs, %llu dropped",
	      now.nak_acc - before.nak_acc, now.drop_error - before.drop_error);
	wire_close(&w);
}

TEST(attack_key, "R9 D5", "one wrong key ends the queue pair") { each(rc, key_one); }

/*
 * A peer that connects again may guess again. Try all 256 keys of an index in use, one on
 * each connection. The right key is among them, but belongs to another domain: none gives
 * access.
 */
WIRE_TEST(attack_guesses, "R9 P2 D5", "unlimited guesses find no key of another domain", &rc[0])
{
	struct xroce_stat before, now;
	struct xroce_mr_reg other;
	struct packet good, want;
	__u32 i;

	good = w->req;
	other = w->mr;
	other.pd = live_pd(w->x);
	if (!check(!xroce_mr_reg(w->x, &other), "region"))
		goto out;
	before = live_stat();
	for (i = 0; i < 256 && !test_failed(); i++) {
		w->req.rkey = other.rkey ^ i;
		wire_send(w);
		want = wire_response(w, XROCE_RC_ACK);
		want.psn = WIRE_PSN;
		want.syndrome = XROCE_SYN_NAK_ACC;
		wire_expect(w, &want);
		wire_again(w);
	}
	wire_untouched(w);
	now = live_stat();
	check(now.acc_pd - before.acc_pd == 1 && now.acc_key - before.acc_key == 255,
	      "%llu hits, %llu misses", now.acc_pd - before.acc_pd,
	      now.acc_key - before.acc_key);
	still_works(w, &good);
out:
}

static struct xroce_qp_query query(const struct wire *w)
{
	struct xroce_qp_query q = { .qpn = w->qpn };

	check_is(xroce_qp_query(w->x, &q), 0, "QP_QUERY");
	return q;
}

static void guess(struct wire *w, __u32 wrong)
{
	__u64 before = live_stat().rx;
	int i;

	w->req.rkey ^= wrong;
	wire_send(w);
	w->req.rkey ^= wrong;
	w->req.psn = (w->req.psn + 1) & XROCE_PSN_MASK;
	for (i = 0; i < 1000 && live_stat().rx == before; i++)
		usleep(1000);
}

/* A wrong key gets no response on UC, and valid packets in between do not reset the count. */
static void uc_key_one(const struct wire_opts *opts)
{
	struct xroce_qp_query q;
	struct wire w;
	int i;

	if (!wire_open(&w, opts))
		return;
	for (i = 0; i < XROCE_UC_MISSES && !test_failed(); i++) {
		q = query(&w);
		check(q.state == XROCE_QPS_RTS && !q.cause,
		      "state %u, cause %u after %d", q.state, q.cause, i);
		guess(&w, 1 + i);
		wire_untouched(&w);
		if (i + 1 == XROCE_UC_MISSES)
			break;
		guess(&w, 0);
		check(w.mem[0] == (char)packet_pattern(w.req.pattern, 0),
		      "not written");
		memset(w.mem, 0, WIRE_BYTES);
	}
	q = query(&w);
	check(q.state == XROCE_QPS_ERR && q.cause == XROCE_CAUSE_ACC_KEY,
	      "state %u, cause %u", q.state, q.cause);
	guess(&w, 0);
	wire_untouched(&w);
	wire_quiet(&w);
	/* A new connection starts counting from zero. */
	wire_again(&w);
	w.req.psn = WIRE_PSN;
	guess(&w, 1);
	guess(&w, 0);
	check(w.mem[0] == (char)packet_pattern(w.req.pattern, 0), "not written");
	wire_close(&w);
}

TEST(attack_uc_key, "R9 D5", "a bounded number of wrong keys ends a UC queue pair")
{
	each(uc, uc_key_one);
}

/* A burst of wrong PSNs gets one NAK in all, and does not end the connection. */
static void psn_one(const struct wire_opts *opts)
{
	struct packet good, got;
	struct wire w;
	int i, naks = 0;

	if (!wire_open(&w, opts))
		return;
	good = w.req;
	for (i = 1; i <= 100; i++) {
		w.req.psn = (WIRE_PSN + i * 80001u) & XROCE_PSN_MASK;
		w.req.ackreq = false;
		wire_send(&w);
	}
	while (wire_take(&w, WIRE_QUIET_MS, &got, NULL))
		naks++;
	check(naks == 1, "%d answers to 100 packets", naks);
	wire_untouched(&w);
	still_works(&w, &good);
	wire_close(&w);
}

TEST(attack_psn, "D5", "unexpected PSNs change nothing") { each(rc, psn_one); }

/*
 * UC does not check the PSN of a new message: number, address and key are sufficient.
 * Without the key nothing is reached, whatever the PSN.
 */
static void uc_psn_one(const struct wire_opts *opts)
{
	struct packet good;
	struct wire w;
	int i;

	if (!wire_open(&w, opts))
		return;
	good = w.req;
	for (i = 1; i < XROCE_UC_MISSES && !test_failed(); i++) {
		w.req = good;
		w.req.psn = (WIRE_PSN + i * 80001u) & XROCE_PSN_MASK;
		w.req.rkey ^= i;
		wire_counted(&w, COUNTER(acc_key));
		wire_untouched(&w);
		w.req.rkey = good.rkey;
		wire_counted(&w, COUNTER(write));
		check(w.mem[0] == (char)packet_pattern(good.pattern, 0), "not written");
		memset(w.mem, 0, WIRE_BYTES);
	}
	wire_quiet(&w);
	still_works(&w, &good);
	wire_close(&w);
}

TEST(attack_uc_psn, "R9 D5", "UC: any PSN is accepted, but not without the key")
{
	each(uc, uc_psn_one);
}

static void dropped(const struct wire_opts *opts, void (*forge)(struct wire *w, int i),
		    size_t counter)
{
	struct packet good;
	struct wire w;
	int i;

	if (!wire_open(&w, opts))
		return;
	good = w.req;
	for (i = 1; i <= 64 && !test_failed(); i++) {
		w.req = good;
		forge(&w, i);
		wire_counted(&w, counter);
	}
	if (test_failed())
		note("the %dth", i - 1);
	wire_quiet(&w);
	wire_untouched(&w);
	still_works(&w, &good);
	wire_close(&w);
}

static void other_qpn(struct wire *w, int i)
{
	w->req.dqpn = (w->qpn ^ i << 8) | XROCE_QPN_BASE;
}

static void qpn_one(const struct wire_opts *opts)
{
	dropped(opts, other_qpn, COUNTER(drop_qpn));
}

TEST(attack_qpn, "D3 D5", "other queue pair numbers are not served")
{
	each(rc, qpn_one);
	each(uc, qpn_one);
}

/* The other IP version; IPv4 addresses become mapped addresses. */
static void other_family(struct packet *p)
{
	p->ipv6 = !p->ipv6;
	p->frag = p->ipv6 ? 0 : PACKET_IP_DF;
}

/* Everything is right but the source address; every second packet also has a wrong key. */
static void other_source(struct wire *w, int i)
{
	if (i == 64)
		other_family(&w->req);
	else
		w->req.saddr[w->req.ipv6 ? i & 15 : 12 + (i & 3)] += i;
	w->req.rkey ^= i & 1;
}

static void source_one(const struct wire_opts *opts)
{
	dropped(opts, other_source, COUNTER(drop_addr));
}

TEST(attack_source, "D5", "packets from another address are dropped")
{
	each(rc, source_one);
	each(uc, source_one);
}

/* Forged NAKs: a responder ignores them. */
static void other_nak(struct wire *w, int i)
{
	w->req.opcode = XROCE_RC_ACK;
	w->req.syndrome = i & 1 ? XROCE_SYN_NAK_ACC : XROCE_SYN_NAK_SEQ;
	w->req.payload = 0;
	w->req.ackreq = false;
}

static void nak_one(const struct wire_opts *opts)
{
	dropped(opts, other_nak, COUNTER(drop_opcode));
}

TEST(attack_nak, "D5", "forged NAKs are ignored")
{
	each(rc, nak_one);
	each(uc, nak_one);
}

/* Wait until the module sends no packets any more. Return: how many it has sent. */
static __u64 packets_sent(void)
{
	__u64 was, is = live_stat().module_tx;
	int i;

	for (i = 0; i < 1000; i++) {
		was = is;
		usleep(50000);
		is = live_stat().module_tx;
		if (is == was)
			break;
	}
	return is;
}

/*
 * The same READ, faster than it can be answered: its response is queued once, and goes on from
 * where it is asked for. The next connection is not affected.
 */
static void flood_one(const struct wire_opts *opts)
{
	struct xroce_stat before, now;
	struct xroce_mr_reg big;
	struct packet good, got;
	struct wire w;
	__u64 sent;
	int i;

	if (!wire_open(&w, opts))
		return;
	good = w.req;
	big = w.mr;
	big.addr = (uintptr_t)mem_map(FLOOD_BYTES / MEM_PAGE);
	big.length = FLOOD_BYTES;
	if (!check(big.addr && !xroce_mr_reg(w.x, &big), "region"))
		goto out;
	w.req.opcode = XROCE_RC_READ_REQUEST;
	w.req.payload = 0;
	w.req.dmalen = FLOOD_BYTES;
	w.req.va = big.iova;
	w.req.rkey = big.rkey;
	before = live_stat();
	for (i = 0; i < FLOOD; i++)
		wire_send(&w);
	for (i = 0; i < 1000; i++) {
		now = live_stat();
		if (now.rx - before.rx == FLOOD)
			break;
		usleep(1000);
	}
	check(now.queued + now.drop_psn - before.queued - before.drop_psn == FLOOD,
	      "%llu and %llu lost", now.queued - before.queued, now.drop_psn - before.drop_psn);
	sent = packets_sent();
	note("%llu packets by then, %llu later", now.module_tx - before.module_tx,
	     sent - now.module_tx);
	/* The response is queued once, however often it is asked for. */
	check(sent - now.module_tx <= FLOOD_BYTES / 1024 + FLOOD_BATCH, "%llu packets",
	      sent - now.module_tx);
	wire_again(&w);
	while (wire_take(&w, WIRE_QUIET_MS, &got, NULL))
		;
	still_works(&w, &good);
out:
	wire_close(&w);
	munmap((void *)(uintptr_t)big.addr, FLOOD_BYTES);
}

TEST(attack_flood, "D2 D5", "a READ that is asked for again and again") { each(rc, flood_one); }

TEST_MAIN(live_main);
