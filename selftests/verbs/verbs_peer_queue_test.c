// SPDX-License-Identifier: GPL-2.0-only
/*
 * The send queue of a reliable connection: order, fences, limits, errors before a packet is
 * sent, and changes of state while requests are outstanding.
 */
#include <errno.h>
#include <string.h>

#include "counters.h"
#include "live.h"
#include "verbs_peer.h"

/* Packets that have been sent, or sent again; ibv_post_send() has sent them. */
static void packets_are(uint64_t want)
{
	uint64_t got = peer_map().req_packets;

	check(got == want, "%llu packets, not %llu", (unsigned long long)got,
	      (unsigned long long)want);
}

/* Only the second and the fourth make completions, in order. */
PEER_TEST(queue_signalled, "Q4 V2", "completions in order, of those that want one")
{
	struct ibv_sge sge = peer_sge(peer.out, 4);
	struct ibv_send_wr wr[5];
	uint32_t i;

	for (i = 0; i < 5; i++) {
		wr[i] = peer_wr(i, i % 2 ? IBV_WR_RDMA_WRITE : IBV_WR_SEND, &sge);
		wr[i].send_flags = i % 2 ? IBV_SEND_SIGNALED : 0;
		wr[i].next = i < 4 ? &wr[i + 1] : NULL;
	}
	peer_post_list(wr);
	peer_ack(4);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_completes(3, IBV_WC_SUCCESS);
	peer_post(6, IBV_WR_SEND, 4);
	peer_ack(5);
	peer_completes(6, IBV_WC_SUCCESS);
	peer_incomplete();
}

/* Without a signal an error makes a completion, too, and so do those that are flushed. */
PEER_TEST(queue_unsignalled_error, "Q4", "an error always makes a completion")
{
	struct ibv_sge sge = peer_sge(peer.out, 4);
	struct ibv_send_wr wr[3];
	uint32_t i;

	for (i = 0; i < 3; i++) {
		wr[i] = peer_wr(i, IBV_WR_SEND, &sge);
		wr[i].send_flags = 0;
		wr[i].next = i < 2 ? &wr[i + 1] : NULL;
	}
	peer_post_list(wr);
	peer_nak(XROCE_SYN_NAK_OP, 1);
	peer_completes(1, IBV_WC_REM_OP_ERR);
	peer_completes(2, IBV_WC_WR_FLUSH_ERR);
	peer_incomplete();
}

/* The byte count and the opcode of completions. */
PEER_TEST(queue_completion, "Q4 V2", "fields of completions")
{
	static const struct {
		enum ibv_wr_opcode opcode;
		uint32_t len;
		uint8_t response;
		enum ibv_wc_opcode want;
	} all[] = {
		{ IBV_WR_SEND, 4, XROCE_RC_ACK, IBV_WC_SEND },
		{ IBV_WR_RDMA_WRITE, 4, XROCE_RC_ACK, IBV_WC_RDMA_WRITE },
		{ IBV_WR_RDMA_READ, 4, XROCE_RC_READ_RESPONSE_ONLY, IBV_WC_RDMA_READ },
		{ IBV_WR_ATOMIC_CMP_AND_SWP, 8, XROCE_RC_ATOMIC_ACK, IBV_WC_COMP_SWAP },
		{ IBV_WR_ATOMIC_FETCH_AND_ADD, 8, XROCE_RC_ATOMIC_ACK, IBV_WC_FETCH_ADD },
	};
	bool reads;
	struct ibv_wc wc;
	uint32_t i;
	int status;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		reads = all[i].response == XROCE_RC_READ_RESPONSE_ONLY;
		peer_post(i, all[i].opcode, all[i].len);
		peer_send_data(all[i].response, i, 0, reads ? all[i].len : 0);
		status = end_wait(peer.cq, &wc);
		check(!status && wc.opcode == all[i].want && wc.qp_num == peer.qp->qp_num,
		      "%u: status %d, opcode %d", i, status, wc.opcode);
		/* IBTA 11.4.2.1: bytes that were placed in local memory. */
		check(all[i].response == XROCE_RC_ACK || wc.byte_len == all[i].len,
		      "%u: %u bytes", i, wc.byte_len);
	}
}

PEER_TEST(queue_fence, "Q1", "a fence waits for a READ")
{
	struct ibv_sge in = peer_sge(peer.in, 4), out = peer_sge(peer.out, 4);
	struct ibv_send_wr send = peer_wr(2, IBV_WR_SEND, &out);
	struct ibv_send_wr read = peer_wr(1, IBV_WR_RDMA_READ, &in);

	read.next = &send;
	send.send_flags |= IBV_SEND_FENCE;
	peer_post_list(&read);
	packets_are(1);
	peer_expect_read(0, 4, 0);
	peer_send_data(XROCE_RC_READ_RESPONSE_ONLY, 0, 0, 4);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_expect_send(1, 4);
	peer_ack(1);
	peer_completes(2, IBV_WC_SUCCESS);
	/* Nothing is outstanding that it would wait for. */
	peer_post(3, IBV_WR_SEND, 4);
	peer_post_list(&send);
	packets_are(4);
}

static const struct peer_opts two_opts = { .retries = 7, .reads = 2 };

PEER_TEST_OPTS(queue_max_reads, "Q1", "no more READs than permitted", &two_opts)
{
	peer_post_many(1, IBV_WR_RDMA_READ, 4, 2);
	peer_post(3, IBV_WR_ATOMIC_FETCH_AND_ADD, 8);
	peer_post(4, IBV_WR_SEND, 4);
	packets_are(2);
	peer_expect_read(0, 4, 0);
	peer_expect_read(1, 4, 0);
	peer_quiet();
	peer_send_data(XROCE_RC_READ_RESPONSE_ONLY, 0, 0, 4);
	peer_completes(1, IBV_WC_SUCCESS);
	/* The SEND is behind the atomic. */
	packets_are(4);
	peer_send_data(XROCE_RC_READ_RESPONSE_ONLY, 1, 0, 4);
	peer_completes(2, IBV_WC_SUCCESS);
	peer_send_data(XROCE_RC_ATOMIC_ACK, 2, 0, 0);
	peer_completes(3, IBV_WC_SUCCESS);
	peer_ack(3);
	peer_completes(4, IBV_WC_SUCCESS);
}

/* More messages than the send queue has entries, in turns. */
PEER_TEST(queue_many, "Q4 V2", "more messages than entries")
{
	uint32_t i;

	for (i = 0; i < 40 && !test_failed(); i++) {
		peer_post_many(8 * i, IBV_WR_SEND, 100, 8);
		peer_ack(8 * i + 7);
		for (uint32_t k = 0; k < 8; k++)
			peer_completes(8 * i + k, IBV_WC_SUCCESS);
	}
	check(!peer_map().req_retransmits, "%llu again", peer_map().req_retransmits);
}

/* --- Errors before anything is sent. */

static void refused(enum ibv_wr_opcode opcode, struct ibv_sge sge, const char *what)
{
	struct ibv_send_wr wr = peer_wr(1, opcode, &sge);

	peer_post_list(&wr);
	peer_completes(1, IBV_WC_LOC_PROT_ERR);
	packets_are(0);
	check(!test_failed(), "%s, opcode %d", what, opcode);
	peer_again();
}

static void bad_elements(enum ibv_wr_opcode opcode, uint8_t *at, const struct ibv_mr *other)
{
	struct ibv_sge sge = peer_sge(at, 8);

	sge.lkey ^= 1;
	refused(opcode, sge, "a key that is not valid");
	sge.lkey = 0;
	refused(opcode, sge, "no key");
	sge.lkey = other->lkey;
	refused(opcode, sge, "a region of another domain");
	refused(opcode, peer_sge(peer.in + PEER_BYTES - 7, 8), "one byte behind the region");
	refused(opcode, peer_sge(peer.out - 1, 8), "one byte before the region");
	refused(opcode, peer_sge((void *)(uintptr_t)-4, 8), "an address that wraps");
}

PEER_TEST(queue_local_errors, "Q4 Q5", "wrong keys, domains and ranges")
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ,
		IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD,
	};
	struct ibv_pd *pd = ibv_alloc_pd(xr_end.ctx);
	struct ibv_mr *other = ibv_reg_mr(pd, peer.out, 2 * PEER_BYTES, IBV_ACCESS_LOCAL_WRITE);
	uint32_t i;

	if (!check(other, "region: %s", strerror(errno)))
		return;
	for (i = 0; i < ARRAY_SIZE(opcodes) && !test_failed(); i++)
		bad_elements(opcodes[i], i < 3 ? peer.out : peer.in, other);
	check(!ibv_dereg_mr(other) && !ibv_dealloc_pd(pd), "destroy");
	peer_quiet();
}

PEER_TEST(queue_no_local_write, "Q4 Q5", "a region that may not be written")
{
	struct ibv_mr *mr = ibv_reg_mr(xr_end.pd, peer.in, PEER_BYTES, 0);
	struct ibv_sge sge = peer_sge(peer.in, 8);
	struct ibv_send_wr wr = peer_wr(1, IBV_WR_SEND, &sge);

	if (!check(mr, "region: %s", strerror(errno)))
		return;
	sge.lkey = mr->lkey;
	refused(IBV_WR_RDMA_READ, sge, "READ");
	refused(IBV_WR_ATOMIC_FETCH_AND_ADD, sge, "atomic");
	/* To read it is permitted. */
	peer_post_list(&wr);
	peer_ack(0);
	peer_completes(1, IBV_WC_SUCCESS);
	check(!ibv_dereg_mr(mr), "deregister");
	peer_received(0);
}

PEER_TEST(queue_second_element, "Q4 Q5", "the second element is wrong")
{
	struct ibv_sge sge[2] = { peer_sge(peer.in, 4), peer_sge(peer.in + PEER_BYTES, 4) };
	struct ibv_send_wr wr = peer_wr(1, IBV_WR_RDMA_READ, sge);

	wr.num_sge = 2;
	peer_post_list(&wr);
	peer_completes(1, IBV_WC_LOC_PROT_ERR);
	packets_are(0);
	peer_again();
	wr.opcode = IBV_WR_SEND;
	peer_post_list(&wr);
	peer_completes(1, IBV_WC_LOC_PROT_ERR);
	packets_are(0);
	peer_received(0);
}

/* What is before the work request that fails is completed first. */
PEER_TEST(queue_error_behind, "Q4", "an error behind a message that is outstanding")
{
	struct ibv_sge good = peer_sge(peer.out, 4), bad = good;
	struct ibv_send_wr third = peer_wr(3, IBV_WR_SEND, &good);
	struct ibv_send_wr second = peer_wr(2, IBV_WR_SEND, &bad);
	struct ibv_send_wr first = peer_wr(1, IBV_WR_SEND, &good);

	bad.lkey ^= 1;
	first.next = &second;
	second.next = &third;
	peer_post_list(&first);
	/* It was to be followed, so it has not asked for an acknowledgement. */
	peer_expect_data(XROCE_RC_SEND_ONLY, 0, 0, 4, false);
	peer_expect_send(0, 4);
	peer_incomplete();
	peer_ack(0);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_completes(2, IBV_WC_LOC_PROT_ERR);
	peer_completes(3, IBV_WC_WR_FLUSH_ERR);
	peer_quiet();
}

/* --- Changes of state. */

static bool drained(void *arg)
{
	return end_events(&xr_end, IBV_EVENT_SQ_DRAINED) >= *(unsigned int *)arg;
}

static void drained_events(unsigned int n)
{
	unsigned int got;

	live_wait(drained, &n);
	got = xr_end.events[IBV_EVENT_SQ_DRAINED];
	check(got == n, "%u events, not %u", got, n);
}

static void to_sqd(bool notify)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = notify };
	int ret = ibv_modify_qp(peer.qp, &attr, IBV_QP_STATE |
				(notify ? IBV_QP_EN_SQD_ASYNC_NOTIFY : 0));

	check(!ret, "SQD: %s", strerror(ret));
}

static void to_rts(void)
{
	check_is(end_state(peer.qp, IBV_QPS_RTS), 0, "RTS");
}

PEER_TEST(queue_sqd_drains, "Q4 V6", "in SQD only what has been sent is finished")
{
	peer_post(1, IBV_WR_SEND, 4);
	peer_expect_send(0, 4);
	to_sqd(true);
	peer_post(2, IBV_WR_SEND, 4);
	peer_quiet();
	drained_events(0);
	/* Another change in SQD takes nothing back. */
	to_sqd(false);
	/* What has been sent is sent again. */
	peer_nak(XROCE_SYN_NAK_SEQ, 0);
	peer_expect_send(0, 4);
	peer_ack(0);
	peer_completes(1, IBV_WC_SUCCESS);
	drained_events(1);
	peer_quiet();
	to_rts();
	peer_expect_send(1, 4);
	peer_ack(1);
	peer_completes(2, IBV_WC_SUCCESS);
	drained_events(1);
}

/* Nothing is outstanding, and the event is wanted once. */
PEER_TEST(queue_sqd_event, "V6", "the event is raised if it is wanted")
{
	to_sqd(true);
	drained_events(1);
	to_rts();
	to_sqd(false);
	peer_quiet();
	drained_events(1);
	to_rts();
	to_sqd(true);
	drained_events(2);
}

/* An old response does not belong to the new connection. */
PEER_TEST(queue_reset, "Q4", "RESET discards")
{
	struct packet ack = peer_response(XROCE_RC_ACK, 0);

	peer_post_many(1, IBV_WR_SEND, 4, 2);
	peer_expect_data(XROCE_RC_SEND_ONLY, 0, 0, 4, false);
	peer_expect_send(1, 4);
	peer_post(3, IBV_WR_RDMA_READ, 4);
	peer_expect_read(2, 4, 0);
	peer_again();
	peer_ignored(&ack);
	peer_incomplete();
	peer_post(4, IBV_WR_SEND, 4);
	peer_expect_send(0, 4);
	peer_ack(0);
	peer_completes(4, IBV_WC_SUCCESS);
	peer_incomplete();
}

static const struct peer_opts once_opts = { .retries = 7, .rnr_retries = 1, .reads = 4 };

static bool rnr_seen(void *arg)
{
	(void)arg;
	return peer_map().req_rnr_naks == 1;
}

static void draining_is(bool want)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int ret = ibv_query_qp(peer.qp, &attr, IBV_QP_STATE, &init);

	check(!ret && attr.qp_state == IBV_QPS_SQD && attr.sq_draining == want,
	      "query %d, state %u, draining %u", ret, attr.qp_state, attr.sq_draining);
}

/* A message that waits to be sent again, 0.66 s, is not finished. */
PEER_TEST_OPTS(queue_sqd_query, "V6 Q4", "a message that waits is reported", &once_opts)
{
	peer_post(1, IBV_WR_SEND, 4);
	peer_expect_send(0, 4);
	peer_nak(XROCE_SYN_RNR, 0);
	check(live_wait(rnr_seen, NULL), "no RNR NAK");
	to_sqd(false);
	draining_is(true);
	peer_expect_send(0, 4);
	draining_is(true);
	peer_ack(0);
	peer_completes(1, IBV_WC_SUCCESS);
	draining_is(false);
}

/* A work request that can never be sent is not begun in SQD, like any other. */
PEER_TEST(queue_sqd_refused, "Q4", "what cannot be sent waits, too")
{
	struct ibv_sge sge[2] = { peer_sge(peer.out, 1u << 31), peer_sge(peer.out, 1) };
	struct ibv_send_wr wr = peer_wr(1, IBV_WR_SEND, sge);

	wr.num_sge = 2;
	to_sqd(false);
	peer_post_list(&wr);
	peer_quiet();
	peer_incomplete();
	draining_is(false);
	to_rts();
	peer_completes(1, IBV_WC_LOC_LEN_ERR);
	packets_are(0);
}

/* The wait of an RNR NAK, 0.66 s, ends with its connection. */
PEER_TEST_OPTS(queue_reset_waiting, "Q3", "RESET ends the wait of an RNR NAK", &once_opts)
{
	peer_post(1, IBV_WR_SEND, 4);
	peer_nak(XROCE_SYN_RNR, 0);
	peer_expect_send(0, 4);
	check(live_wait(rnr_seen, NULL), "RNR NAKs: %llu", peer_map().req_rnr_naks);
	peer_again();
	peer_post(2, IBV_WR_SEND, 4);
	packets_are(1);
	peer_expect_send(0, 4);
	peer_ack(0);
	peer_completes(2, IBV_WC_SUCCESS);
}

PEER_TEST(queue_err, "Q4 Q5", "ERR flushes")
{
	struct packet response = peer_data(XROCE_RC_READ_RESPONSE_ONLY, 2, 0, 4);
	uint32_t i;

	peer_post_many(1, IBV_WR_SEND, 4, 2);
	peer_post_many(3, IBV_WR_RDMA_READ, 4, 6);	/* two more than may be outstanding */
	check(!end_state(peer.qp, IBV_QPS_ERR), "ERR");
	for (i = 1; i <= 8; i++)
		peer_completes(i, IBV_WC_WR_FLUSH_ERR);
	/* There is no requester now, which could ignore it. */
	peer_counted(&response, COUNTER(drop_opcode));
	peer_received(0);
	peer_incomplete();
	peer_post(9, IBV_WR_SEND, 4);
	peer_completes(9, IBV_WC_WR_FLUSH_ERR);
}

TEST_MAIN(harness_main);
