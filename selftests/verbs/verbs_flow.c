// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "harness.h"
#include "rng.h"
#include "setting.h"
#include "verbs_flow.h"
#include "verbs_stream.h"

#define PATIENCE	60	/* seconds without any completion */

/* What rxe requests here, one at a time. */
#define RXE_OPS		(REQUEST_BIT(IBV_WR_SEND) | REQUEST_BIT(IBV_WR_SEND_WITH_IMM) | \
			 REQUEST_BIT(IBV_WR_SEND_WITH_INV) | REQUEST_BIT(IBV_WR_RDMA_WRITE) | \
			 REQUEST_BIT(IBV_WR_RDMA_WRITE_WITH_IMM) | REQUEST_LOCAL)
#define ALL_OPS		(RXE_OPS | REQUEST_BIT(IBV_WR_RDMA_READ) | \
			 REQUEST_BIT(IBV_WR_ATOMIC_CMP_AND_SWP) | \
			 REQUEST_BIT(IBV_WR_ATOMIC_FETCH_AND_ADD) | \
			 REQUEST_BIT(IBV_WR_ATOMIC_WRITE) | REQUEST_BIT(REQUEST_FLUSH))

/**
 * struct flow - a connection
 * @out: requests of the client
 * @back: requests of the server
 */
struct flow {
	struct stream out;
	struct stream back;
};

static struct flow flows[FLOWS];
static struct side client, server;
static uint32_t completions, allowed;
static double begun, moved;
static bool quiet;	/* the server requests nothing */

/*
 * What a stream requests, by what rxe in 6.12 can do. As a requester it executes local operations
 * again when it sends again, a fence may wait for ever, and a late acknowledgement spoils a READ:
 * so it has one request at a time, and no READs, atomics and ATOMIC WRITEs. If packets are lost, it
 * sometimes never sends again what was lost, even a single message: then it requests nothing. As a
 * responder
 *
 * - it takes a READ that is repeated after an RDMA request of no bytes for one without a region:
 *   it warns in the kernel log and refuses it;
 * - it ends the connection if a READ is repeated late, when its window has been invalidated;
 * - it computes a wrong invariant CRC of a FLUSH, with the headers twice, and drops it.
 */
static void choose_ops(struct stream *s, bool impaired)
{
	s->depth = s->from->rxe ? 1 : STREAM_DEPTH;
	s->choice.ops = s->from->rxe ? RXE_OPS : ALL_OPS;
	s->choice.empty = !s->to->rxe;
	s->choice.read_windows = !s->to->rxe || !impaired;
	if (s->to->rxe)
		s->choice.ops &= ~REQUEST_BIT(REQUEST_FLUSH);
	allowed |= s->choice.ops;
}

static void stream_ends(struct stream *s, struct side *from, struct side *to, struct stream *peer,
			uint32_t mtu, bool impaired)
{
	s->from = from;
	s->to = to;
	s->peer = peer;
	s->choice.mtu = mtu;
	choose_ops(s, impaired);
}

/* Either end has the memory of all streams. */
static uint8_t *memory_of(const struct side *s, uint32_t i, bool to)
{
	size_t each = stream_from_size() + stream_to_size();

	return s->buf + i * each + (to ? stream_from_size() : 0);
}

static bool flow_open(struct flow *f, uint32_t i, enum ibv_mtu mtu, const struct flow_path *path)
{
	const struct side_path attr = { mtu, path->timeout, path->retry };
	int err;

	quiet = server.rxe && path->impaired;
	stream_ends(&f->out, &client, &server, &f->back, 128u << mtu, path->impaired);
	stream_ends(&f->back, &server, &client, &f->out, 128u << mtu, path->impaired);
	if (!stream_open(&f->out, memory_of(&client, i, false), memory_of(&server, i, true)) ||
	    !stream_open(&f->back, memory_of(&server, i, false), memory_of(&client, i, true)))
		return false;
	err = side_connect(&client, f->out.way.qp, &server, f->back.way.qp, &attr);
	return check(!err, "connect: %s", strerror(err));
}

bool flows_open(const struct flow_path *path)
{
	static const enum ibv_mtu mtus[FLOWS] = { IBV_MTU_256, IBV_MTU_1024, IBV_MTU_4096 };
	size_t size = FLOWS * (stream_from_size() + stream_to_size());
	uint32_t i;

	allowed = 0;
	if (!side_open(&client, path->client_dev, path->client_ip, size, FLOWS) ||
	    !side_open(&server, path->server_dev, path->server_ip, size, FLOWS))
		return false;
	for (i = 0; i < FLOWS; i++) {
		flows[i] = (struct flow){};
		if (!flow_open(&flows[i], i, mtus[i], path))
			return false;
	}
	return true;
}

void flows_close(void)
{
	uint32_t i;

	for (i = 0; i < FLOWS; i++)
		streams_close(&flows[i].out);
	side_close(&client);
	side_close(&server);
}

static struct stream *stream_of(uint32_t qpn, const struct side *side)
{
	uint32_t i;

	for (i = 0; i < FLOWS; i++) {
		if (side == &client && flows[i].out.way.qp->qp_num == qpn)
			return &flows[i].out;
		if (side == &server && flows[i].back.way.qp->qp_num == qpn)
			return &flows[i].back;
	}
	check(false, "a completion of queue pair %#x", qpn);
	return NULL;
}

/* Index of the flow of a stream of the client. */
static uint32_t flow_of(const struct stream *s)
{
	uint32_t i = 0;

	while (s != &flows[i].out)
		i++;
	return i;
}

/* Read all completions of an end. Return: whether there were any. */
static bool poll_side(struct side *side)
{
	bool any = false;
	struct stream *s;
	struct ibv_wc wc;

	notice_begin(&side->notice);
	while (!test_failed() && ibv_poll_cq(side->cq, 1, &wc) > 0) {
		s = stream_of(wc.qp_num, side);
		if (s && wc.wr_id & STREAM_RECEIVE)
			stream_message(s->peer, &wc);
		else if (s)
			stream_completion(s, &wc);
		completions++;
		any = true;
	}
	if (!test_failed())
		notice_end(&side->notice);
	notice_arm(&side->notice);
	return any;
}

/* Read all completions. Return: whether there were any. */
static bool poll_all(void)
{
	bool any = poll_side(&server);

	return poll_side(&client) || any;
}

static bool all_idle(void)
{
	uint32_t i;

	for (i = 0; i < FLOWS; i++)
		if (!stream_idle(&flows[i].out) || !stream_idle(&flows[i].back))
			return false;
	return true;
}

/* Poll once. Return: false, and a failed check: nothing has come for too long. */
static bool step(void)
{
	bool late;
	uint32_t i;

	for (i = 0; i < FLOWS; i++) {
		stream_receives(&flows[i].out);
		stream_receives(&flows[i].back);
	}
	if (poll_all())
		moved = clock_now();
	late = clock_now() - moved > patience(PATIENCE);
	for (i = 0; i < FLOWS && late; i++) {
		stream_note(&flows[i].out);
		stream_note(&flows[i].back);
	}
	return check(!late, "no completion") && !test_failed();
}

/* Wait until all requests are complete and all messages received; compare all memory. */
static void settle(void)
{
	uint32_t i;

	while (!all_idle())
		if (!step())
			return;
	for (i = 0; i < FLOWS; i++) {
		stream_compare(&flows[i].out);
		stream_compare(&flows[i].back);
	}
}

static bool finish_stream(struct stream *s)
{
	while (!stream_may_post(s))
		if (!step())
			return false;
	return stream_post(s, true);
}

/* Let each stream that requests anything end with a signalled request. */
static void finish(void)
{
	uint32_t i;

	for (i = 0; i < FLOWS; i++)
		if (!finish_stream(&flows[i].out) || (!quiet && !finish_stream(&flows[i].back)))
			return;
	settle();
	check(!poll_all(), "a completion too many");
}

bool flows_post(uint32_t n)
{
	uint32_t i, k;

	for (i = 0; i < FLOWS; i++)
		for (k = 0; k < n; k++)
			if (!stream_post(&flows[i].out, false))
				return false;
	return true;
}

/* The server has a quarter of the requests, if it has any. */
static struct stream *any_stream(void)
{
	struct flow *f = &flows[rng_below(FLOWS)];

	return quiet || rng_below(4) ? &f->out : &f->back;
}

void flows_run(uint32_t ops)
{
	uint32_t chosen;
	struct stream *s;

	completions = 0;
	begun = clock_now();
	moved = begun;
	stream_count_anew();
	for (chosen = 0; chosen + 2 * FLOWS < ops && !test_failed();) {
		s = any_stream();
		if (stream_may_post(s) && stream_post(s, false))
			chosen++;
		/* Now and then poll, and rarely let the queues run empty. */
		if (!stream_may_post(s) || !rng_below(4))
			step();
	}
	if (!test_failed())
		finish();
}

void flows_note(void)
{
	char line[512] = "";
	uint32_t op, n = 0;

	for (op = 0; op < REQUEST_OPCODES; op++)
		if (stream_count(op))
			n += snprintf(line + n, sizeof(line) - n, "%s %u, ", request_name(op),
				      stream_count(op));
	note("%s%u completions, %.1f s", line, completions, clock_now() - begun);
}

void flows_all(void)
{
	uint32_t op;

	for (op = 0; op < REQUEST_OPCODES; op++)
		check(!(allowed & REQUEST_BIT(op)) || stream_count(op), "no %s", request_name(op));
}

/* --- A peer that never answers. */

static bool wait_for(struct ibv_wc *wc)
{
	double end = clock_now() + patience(PATIENCE);
	int n;

	do {
		n = ibv_poll_cq(client.cq, 1, wc);
	} while (!n && clock_now() < end);
	return check(n == 1, "a completion is missing");
}

static void silent_completed(struct stream *s, const struct ibv_wc *wc, uint32_t oldest)
{
	enum ibv_wc_status want = s->done == oldest ? IBV_WC_RETRY_EXC_ERR : IBV_WC_WR_FLUSH_ERR;

	check(wc->wr_id == s->done && wc->status == want, "completion of %llu, not %u: %s, not %s",
	      (long long)wc->wr_id, s->done, ibv_wc_status_str(wc->status),
	      ibv_wc_status_str(want));
	s->done++;
}

/* A receive request of the client, whose queue pair has ended. */
static void silent_received(struct stream *s, const struct ibv_wc *wc)
{
	uint64_t id = wc->wr_id & ~STREAM_RECEIVE;

	check(id == s->got && wc->status == IBV_WC_WR_FLUSH_ERR, "receive %llu, not %u: %s",
	      (long long)id, s->got, ibv_wc_status_str(wc->status));
	s->got++;
}

/* The receive requests of the server stay there: its queue pair does not notice. */
static void silent_check(uint32_t total, const uint32_t *oldest)
{
	struct stream *s;
	struct ibv_wc wc;

	while (total-- && wait_for(&wc)) {
		s = stream_of(wc.qp_num, &client);
		if (!s)
			return;
		if (wc.wr_id & STREAM_RECEIVE)
			silent_received(s->peer, &wc);
		else
			silent_completed(s, &wc, oldest[flow_of(s)]);
	}
	check(ibv_poll_cq(client.cq, 1, &wc) == 0, "a completion too many");
}

/* What is posted in ERR is flushed, too. */
static void silent_late(struct stream *s)
{
	struct ibv_wc wc;

	if (stream_post(s, true) && wait_for(&wc))
		silent_completed(s, &wc, s->done - 1);
}

void flows_silent(void)
{
	uint32_t oldest[FLOWS], total = FLOWS * STREAM_DEPTH, i, k;
	uint8_t *before = malloc(FLOWS * REQUEST_TARGET);

	if (!check(before, "no memory"))
		return;
	for (i = 0; i < FLOWS; i++) {
		struct stream *s = &flows[i].out;

		oldest[i] = s->done;
		total += s->peer->offered - s->peer->got;
		memcpy(before + i * REQUEST_TARGET, s->target, REQUEST_TARGET);
		/* Local operations would succeed. */
		s->choice.ops &= ~REQUEST_LOCAL;
		for (k = 0; k < STREAM_DEPTH; k++)
			stream_post(s, false);
	}
	silent_check(total, oldest);
	for (i = 0; i < FLOWS && !test_failed(); i++) {
		check(!memcmp(before + i * REQUEST_TARGET, flows[i].out.target, REQUEST_TARGET),
		      "MTU %u: memory of the server has changed", flows[i].out.choice.mtu);
		silent_late(&flows[i].out);
	}
	free(before);
}
