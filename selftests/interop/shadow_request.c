// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bugs of rxe in Linux 6.12, and how the requests avoid them:
 *
 * - req_retry() forgets the address of an ATOMIC WRITE, so that a retry goes to address 0.
 *   Here the first attempt goes to address 0, too: each queue pair has a region for it that
 *   begins there.
 * - complete_wqe(), by which the response to a later request completes an earlier one, does
 *   not give back the share of max_rd_atomic of an ATOMIC WRITE. When it is used up,
 *   nothing is sent any more. Therefore nothing is posted behind an ATOMIC WRITE before it
 *   is complete.
 * - rxe_wqe_is_fenced() lets a fenced request wait for all outstanding READs and atomics,
 *   including later ones and, on a retry, itself: forever. Fences are not visible on the
 *   wire; the test waits instead.
 * - check_ack(): while the responses of a READ arrive, an acknowledgement of an earlier request
 *   that was sent again lets rxe expect the first response next. On another one it completes the
 *   READ with success, warns in the kernel's log, and the queue pair is in the error state.
 * - check_psn(): an acknowledgement of a request whose packets rxe is just sending again does not
 *   complete it. If the last of these packets is lost, rxe waits forever: no timer is running.
 *   Neither can be avoided if packets are lost: the test begins again.
 * - A retry is counted even if a NAK has just shown that packets did arrive; only an
 *   acknowledgement resets the count, and rxe asks for one in 65 packets. A long message on
 *   a bad link thus exceeds any count. 7 means unlimited in rxe; the test itself checks
 *   that no request takes too long.
 *
 * FLUSH is missing: libibverbs 44 cannot post it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "counters.h"
#include "harness.h"
#include "rng.h"
#include "setting.h"
#include "shadow_message.h"
#include "shadow_model.h"
#include "shadow_request.h"

#define QPS		SHADOW_QPS
#define DEPTH		16
#define SLOT		(MESSAGE_MAX + 128)

/**
 * struct worker - a queue pair and its requests, completed in order
 * @c: connection
 * @op: ring
 * @chosen: requests so far
 * @done: completions so far
 * @since: time of the last completion, or of the first request
 * @waiting: the last request is not posted yet
 */
struct worker {
	struct connection c;
	struct shadow_op op[DEPTH];
	uint32_t chosen;
	uint32_t done;
	double since;
	bool waiting;
};

static struct worker workers[QPS];
static double slowest;
static bool gave_way;

static struct shadow_op *op_of(uint32_t qp, uint32_t n)
{
	return &workers[qp].op[n % DEPTH];
}

static bool setup(void)
{
	uint32_t i;

	if (!connection_setup_sized(QPS * DEPTH * SLOT))
		return false;
	if (workers[0].op[0].want)
		return true;
	for (i = 0; i < QPS * DEPTH; i++) {
		struct shadow_op *s = op_of(i / DEPTH, i);

		s->want = malloc(MESSAGE_MAX);
		if (!check(s->want, "no memory"))
			return false;
	}
	return model_open();
}

bool requests_open(const struct connection_opts *opts)
{
	static const enum ibv_mtu mtus[QPS] = {
		IBV_MTU_1024, IBV_MTU_256, IBV_MTU_4096, IBV_MTU_2048,
	};
	struct connection_opts own = *opts;
	uint32_t qp;

	slowest = 0;
	gave_way = false;
	if (!setup() || !messages_open())
		return false;
	for (qp = 0; qp < QPS; qp++) {
		struct worker *w = &workers[qp];

		w->chosen = 0;
		w->done = 0;
		w->waiting = false;
		messages_options(qp, &own);
		if (!connection_open_opts(&w->c, mtus[qp], RIGHTS, qp == 3,
					  &own))
			return false;
		messages_start(qp, &w->c);
	}
	model_start();
	return true;
}

void requests_close(void)
{
	uint32_t qp;

	for (qp = 0; qp < QPS; qp++)
		connection_close(&workers[qp].c);
	messages_close();
}

/* Return: whether @s changes bytes that an outstanding READ reads. */
static bool must_wait(uint32_t qp, const struct shadow_op *s)
{
	uint32_t i;

	if (s->kind == SHADOW_READ || model_is_send(s->kind))
		return false;
	for (i = workers[qp].done; i != workers[qp].chosen; i++) {
		const struct shadow_op *r = op_of(qp, i);

		if (r->kind == SHADOW_READ && r->off < s->off + s->op.len &&
		    s->off < r->off + r->op.len)
			return true;
	}
	return false;
}

static struct shadow_op *choose(uint32_t qp)
{
	struct worker *w = &workers[qp];
	struct shadow_op *s = op_of(qp, w->chosen);
	uint8_t *want = s->want;

	*s = (struct shadow_op){ .want = want };
	model_choose(qp, s);
	s->op.id = qp;
	s->op.off = (qp * DEPTH + w->chosen % DEPTH) * SLOT + rng_below(64);
	/* Results of atomics are stored as aligned words. */
	if (model_is_atomic(s->kind))
		s->op.off &= ~7u;
	w->waiting = must_wait(qp, s);
	model_execute(qp, s);
	w->chosen++;
	return s;
}

bool request_may_post(uint32_t qp)
{
	const struct worker *w = &workers[qp];
	uint32_t n = w->chosen - w->done;

	if (w->waiting)
		return n == 1;
	if (n && op_of(qp, w->chosen - 1)->kind == SHADOW_ATOMIC_WRITE)
		return false;
	return n < DEPTH;
}

bool request_is_waiting(uint32_t qp)
{
	return workers[qp].waiting;
}

bool request_post(uint32_t qp)
{
	struct worker *w = &workers[qp];
	struct shadow_op *s;

	if (w->waiting) {
		w->waiting = false;
		s = op_of(qp, w->done);
	} else {
		s = choose(qp);
		if (w->waiting)
			return true;
	}
	if (w->chosen - w->done == 1)
		w->since = clock_now();
	return requester_post(&client, w->c.qp, &s->op);
}

/* Whether @qp gets into the error state, by itself, within a second. */
static bool is_broken(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int i;

	for (i = 0; i < 100; i++) {
		if (!check_is(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init), 0, "query"))
			return false;
		if (attr.qp_state == IBV_QPS_ERR)
			return true;
		usleep(10000);
	}
	return false;
}

bool requests_gave_way(void)
{
	return gave_way;
}

bool requests_stopped(void)
{
	struct xroce_stat before, after;

	counters_read(server.stat, &before);
	sleep(patience(1));
	counters_read(server.stat, &after);
	gave_way = before.rx == after.rx;
	return gave_way;
}

void request_done(uint32_t qp, enum ibv_wc_status status)
{
	struct worker *w = &workers[qp];
	const struct shadow_op *s = op_of(qp, w->done);

	if (!check(status == IBV_WC_SUCCESS, "QP %u, request %u, %s of %u at %#x: %s",
		   qp, w->done, model_name(s->kind), s->op.len, s->off,
		   ibv_wc_status_str(status)))
		return;
	if (model_is_short(s) && is_broken(w->c.qp)) {
		gave_way = true;
		return;
	}
	model_compare(qp, s);
	if (clock_now() - w->since > slowest)
		slowest = clock_now() - w->since;
	w->since = clock_now();
	w->done++;
}

uint32_t requests_chosen(void)
{
	uint32_t qp, n = 0;

	for (qp = 0; qp < QPS; qp++)
		n += workers[qp].chosen;
	return n;
}

uint32_t requests_waiting(void)
{
	uint32_t qp, n = 0;

	for (qp = 0; qp < QPS; qp++)
		n += workers[qp].waiting;
	return n;
}

uint32_t requests_in_flight(void)
{
	uint32_t qp, n = 0;

	for (qp = 0; qp < QPS; qp++)
		n += workers[qp].chosen - workers[qp].done - workers[qp].waiting;
	return n;
}

double requests_slowest(void)
{
	double now = clock_now(), most = slowest;
	uint32_t qp;

	for (qp = 0; qp < QPS; qp++) {
		const struct worker *w = &workers[qp];

		if (w->chosen - w->done > w->waiting && now - w->since > most)
			most = now - w->since;
	}
	return most;
}

void requests_note_queues(void)
{
	uint32_t qp;

	for (qp = 0; qp < QPS; qp++) {
		const struct worker *w = &workers[qp];
		const struct shadow_op *s = op_of(qp, w->done);

		note("QP %u: %u chosen, %u done, next %s of %u at %#x%s", qp,
		     w->chosen, w->done, model_name(s->kind), s->op.len, s->off,
		     w->waiting ? ", one waiting" : "");
	}
}
