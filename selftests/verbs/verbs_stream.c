// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "rng.h"
#include "verbs_stream.h"

#define BUFFER	(REQUEST_MAX + 3 * REQUEST_GUARD)

static uint32_t counts[REQUEST_OPCODES];

size_t stream_from_size(void)
{
	return (size_t)STREAM_DEPTH * REQUEST_SLOT;
}

size_t stream_to_size(void)
{
	return REQUEST_TARGET + SIDE_RECEIVES * BUFFER;
}

static bool windows_open(struct stream *s)
{
	uint32_t i;

	for (i = 0; i < STREAM_WINDOWS; i++)
		if (!window_open(&s->window[i], s->to->end.pd,
				 i ? IBV_MW_TYPE_2 : IBV_MW_TYPE_1))
			return false;
	s->choice.window = s->window;
	s->choice.windows = STREAM_WINDOWS;
	return true;
}

bool stream_open(struct stream *s, uint8_t *slots, uint8_t *at)
{
	bool ok = true;
	uint32_t k;

	for (k = 0; k < STREAM_DEPTH; k++) {
		s->op[k].slot = slots + (size_t)k * REQUEST_SLOT;
		s->op[k].image = malloc(REQUEST_SLOT);
		ok = ok && s->op[k].image;
	}
	for (k = 0; k < ARRAY_SIZE(s->message); k++) {
		s->message[k].bytes = malloc(REQUEST_MAX);
		ok = ok && s->message[k].bytes;
	}
	s->target = at;
	for (k = 0; k < SIDE_RECEIVES; k++)
		s->receive[k].buf = at + REQUEST_TARGET + (size_t)k * BUFFER;
	memset(s->receive[0].buf, REQUEST_BLANK, SIDE_RECEIVES * BUFFER);
	s->want = malloc(REQUEST_TARGET);
	if (!check(ok && s->want, "no memory") || !windows_open(s) || !side_qp(s->from, &s->way))
		return false;
	rng_fill(s->target, REQUEST_TARGET);
	memcpy(s->want, s->target, REQUEST_TARGET);
	s->choice.lkey = s->from->mr->lkey;
	s->choice.rkey = s->to->mr->rkey;
	s->way.peer = (uintptr_t)at;
	s->peer->way.own = (uintptr_t)at;
	return true;
}

/* A queue pair of rxe cannot be destroyed while windows are bound to it. */
static void windows_close(struct stream *s)
{
	uint32_t i;

	for (i = 0; i < STREAM_WINDOWS; i++)
		window_close(&s->window[i]);
}

static void model_close(struct stream *s)
{
	uint32_t i;

	for (i = 0; i < STREAM_DEPTH; i++)
		free(s->op[i].image);
	for (i = 0; i < ARRAY_SIZE(s->message); i++)
		free(s->message[i].bytes);
	free(s->want);
	check(!s->way.qp || !ibv_destroy_qp(s->way.qp), "queue pair");
	*s = (struct stream){};
}

void streams_close(struct stream *s)
{
	struct stream *peer = s->peer;

	if (!peer)
		return;
	windows_close(s);
	windows_close(peer);
	model_close(s);
	model_close(peer);
}

/* --- The receiver. */

/* Receive requests are posted to the queue pair of the reverse stream. */
static void receive_post(struct stream *s)
{
	struct receive *r = &s->receive[s->offered % SIDE_RECEIVES];
	uint32_t lkey = s->to->mr->lkey;
	struct ibv_sge sge[2];
	struct ibv_recv_wr *bad, wr = {
		.wr_id = STREAM_RECEIVE | s->offered,
		.sg_list = sge,
		.num_sge = 2,
	};

	r->split = rng_below(rng_below(2) ? 300 : REQUEST_MAX + 1);
	sge[0] = (struct ibv_sge){ (uintptr_t)r->buf + REQUEST_GUARD, r->split, lkey };
	sge[1] = (struct ibv_sge){ sge[0].addr + r->split + REQUEST_GUARD,
				   REQUEST_MAX - r->split, lkey };
	check_is(ibv_post_recv(s->peer->way.qp, &wr, &bad), 0, "post_recv");
	s->offered++;
}

void stream_receives(struct stream *s)
{
	while (s->offered - s->got < SIDE_RECEIVES && rng_below(4))
		receive_post(s);
}

static bool all_blank(const uint8_t *at, uint32_t n)
{
	while (n && *at == REQUEST_BLANK) {
		at++;
		n--;
	}
	return !n;
}

/* Check the memory of a receive request that has @len bytes of @m, and make it blank. */
static void receive_check(struct receive *r, const struct message *m, uint32_t len)
{
	uint32_t first = len < r->split ? len : r->split, rest = len - first;
	uint8_t *at = r->buf + REQUEST_GUARD, *second = at + r->split + REQUEST_GUARD;

	check(!memcmp(at, m->bytes, first) && !memcmp(second, m->bytes + first, rest),
	      "message of %u bytes, %u of them in the first element", len, first);
	memset(at, REQUEST_BLANK, first);
	memset(second, REQUEST_BLANK, rest);
	check(all_blank(r->buf, REQUEST_GUARD) &&
	      all_blank(at + r->split, REQUEST_GUARD) &&
	      all_blank(second + rest, REQUEST_GUARD), "bytes beside a message");
}

/*
 * Does a completion say that a key has been invalidated? rxe says it by a flag of the kernel's,
 * whose value libibverbs knows as IBV_WC_IP_CSUM_OK.
 */
static bool says_inv(const struct stream *s, const struct ibv_wc *wc)
{
	return wc->wc_flags & (s->to->rxe ? IBV_WC_IP_CSUM_OK : IBV_WC_WITH_INV);
}

static void word_check(const struct stream *s, const struct message *m, const struct ibv_wc *wc)
{
	check(!(wc->wc_flags & IBV_WC_WITH_IMM) == !m->has_imm &&
	      (!m->has_imm || wc->imm_data == m->imm), "immediate data %#x, not %#x, flags %#x",
	      wc->imm_data, m->imm, wc->wc_flags);
	check(says_inv(s, wc) == !!m->window, "message %u: flags %#x%s", m->id, wc->wc_flags,
	      m->window ? ", but it invalidates a key" : "");
	check(!m->window || wc->invalidated_rkey == m->window->key, "key %#x, not %#x",
	      wc->invalidated_rkey, m->window ? m->window->key : 0);
}

void stream_message(struct stream *s, const struct ibv_wc *wc)
{
	const struct message *m = &s->message[s->got % ARRAY_SIZE(s->message)];
	struct receive *r = &s->receive[s->got % SIDE_RECEIVES];
	uint64_t id = wc->wr_id & ~STREAM_RECEIVE;

	if (!check(!wc->status, "receive: %s", ibv_wc_status_str(wc->status)) ||
	    !check(s->got != s->sent, "a message too many") ||
	    !check(id == s->got, "receive %llu, not %u", (long long)id, s->got))
		return;
	notice_completion(&s->to->notice, m->solicited, m->arms);
	check(wc->opcode == (m->send ? IBV_WC_RECV : IBV_WC_RECV_RDMA_WITH_IMM) &&
	      wc->byte_len == m->len, "opcode %d, %u bytes, not %u", wc->opcode, wc->byte_len,
	      m->len);
	word_check(s, m, wc);
	receive_check(r, m, m->send ? m->len : 0);
	s->got++;
	if (m->window)
		m->window->state = WINDOW_FREE;
	/* The sender has executed all local operations before the message. */
	windows_bound(s->peer->window, STREAM_WINDOWS, m->id);
}

static void message_sent(struct stream *s, const struct request_op *op)
{
	struct message *m = &s->message[s->sent++ % ARRAY_SIZE(s->message)];

	m->id = op->id;
	m->imm = op->imm;
	m->has_imm = request_has_imm(op);
	m->send = request_is_send(op);
	m->solicited = op->flags & IBV_SEND_SOLICITED;
	m->arms = s->to->notice.arms;
	m->window = op->opcode == IBV_WR_SEND_WITH_INV ? op->window : NULL;
	m->len = op->len;
	if (m->send)
		request_message(op, m->bytes);
}

/* --- The sender. */

static struct request_op *op_of(struct stream *s, uint32_t n)
{
	return &s->op[n % STREAM_DEPTH];
}

bool stream_may_post(const struct stream *s)
{
	return s->posted - s->done < s->depth &&
	       s->sent - s->got < ARRAY_SIZE(s->message);
}

/*
 * Now and then bind or invalidate a window of the sender's memory. It must be bound no more when
 * it is bound again, except if it is of type 1; requests through it must be complete.
 */
static bool choose_local(struct stream *s, struct request_op *op)
{
	struct window *w = &s->peer->window[rng_below(STREAM_WINDOWS)];
	bool two = window_is_two(w), first = !stream_count(IBV_WR_LOCAL_INV);

	if ((s->choice.ops & REQUEST_LOCAL) != REQUEST_LOCAL || rng_below(4))
		return false;
	/* The first as soon as it can be: few ever can. */
	if (w->state == WINDOW_BOUND && (first || !rng_below(4)) &&
	    (int32_t)(s->peer->done - w->used) >= 0) {
		w->state = WINDOW_FREE;
		if (two) {
			request_choose_inv(op, w);
			return true;
		}
	}
	if (w->state != WINDOW_FREE)
		return false;
	request_choose_bind(op, w);
	w->state = WINDOW_BINDING;
	w->bind = op->id;
	return true;
}

/* Fences and signals that the model needs. @last: nothing is posted after it. */
static void add_flags(struct stream *s, struct request_op *op, bool last)
{
	uint32_t i;

	for (i = s->done; i != s->posted; i++)
		if (request_hurts(op, op_of(s, i)))
			op->flags |= IBV_SEND_FENCE;
	if (last || s->depth == 1 || s->posted - s->signalled >= STREAM_DEPTH / 2)
		op->flags |= IBV_SEND_SIGNALED;
	if (op->flags & IBV_SEND_SIGNALED)
		s->signalled = s->posted + 1;
}

/* The model of windows of the peer's memory. */
static void use_window(struct request_op *op)
{
	if (!op->window || REQUEST_BIT(op->opcode) & REQUEST_LOCAL)
		return;
	op->window->used = op->id + 1;
	if (op->opcode == IBV_WR_SEND_WITH_INV)
		op->window->state = WINDOW_GOING;
}

bool stream_post(struct stream *s, bool last)
{
	struct request_op *op = op_of(s, s->posted);

	op->id = s->posted;
	if (last || !choose_local(s, op))
		request_choose(op, &s->choice);
	add_flags(s, op, last);
	use_window(op);
	request_execute(op, s->want);
	if (request_is_message(op))
		message_sent(s, op);
	counts[op->opcode]++;
	s->posted++;
	return post_request(&s->way, op);
}

static void request_failed(struct stream *s, const struct ibv_wc *wc)
{
	const struct request_op *op = op_of(s, wc->wr_id);

	check(false, "request %llu, %s of %u%s with MTU %u: %s", (long long)wc->wr_id,
	      request_name(op->opcode), op->len, op->window ? " by a window" : "",
	      s->choice.mtu, ibv_wc_status_str(wc->status));
}

/* All up to the first signalled request are complete, which must be the one of @wc. */
void stream_completion(struct stream *s, const struct ibv_wc *wc)
{
	const struct request_op *op;

	if (wc->status) {
		request_failed(s, wc);
		return;
	}
	notice_completion(&s->from->notice, false, UINT32_MAX);
	do {
		if (!check(s->done != s->posted, "a completion too many: %llu",
			   (long long)wc->wr_id))
			return;
		op = op_of(s, s->done++);
		request_check(op, wc);
	} while (!(op->flags & IBV_SEND_SIGNALED));
	check(wc->wr_id == op->id, "completion of %llu, not %llu", (long long)wc->wr_id,
	      (long long)op->id);
	windows_bound(s->peer->window, STREAM_WINDOWS, s->done);
}

bool stream_idle(const struct stream *s)
{
	return s->done == s->posted && s->got == s->sent;
}

void stream_compare(const struct stream *s)
{
	uint32_t k;

	if (!memcmp(s->target, s->want, REQUEST_TARGET))
		return;
	for (k = 0; s->target[k] == s->want[k]; k++)
		;
	check(false, "MTU %u: byte %#x of the target is %#x, not %#x", s->choice.mtu, k,
	      s->target[k], s->want[k]);
}

void stream_note(const struct stream *s)
{
	const struct request_op *op = &s->op[s->done % STREAM_DEPTH];

	if (stream_idle(s))
		return;
	note("MTU %u: %u posted, %u done, next %s of %u; %u messages, %u received, %u offered",
	     s->choice.mtu, s->posted, s->done, request_name(op->opcode), op->len, s->sent, s->got,
	     s->offered);
}

uint32_t stream_count(unsigned int opcode)
{
	return counts[opcode];
}

void stream_count_anew(void)
{
	memset(counts, 0, sizeof(counts));
}
