// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>

#include "clock.h"
#include "rng.h"
#include "setting.h"
#include "verbs_flow.h"
#include "verbs_request.h"

#define PATIENCE	60	/* seconds without any completion */
#define RECEIVES	6	/* receive requests of a flow, fewer than FLOW_DEPTH */
#define RD_ATOMIC	8
#define BUFFER		(REQUEST_MAX + 3 * REQUEST_GUARD)
#define ACCESS		(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

/**
 * struct receive - a receive request of two elements with a guard between
 * @buf: BUFFER bytes, REQUEST_BLANK when posted
 * @split: bytes of the first element
 */
struct receive {
	uint8_t *buf;
	uint32_t split;
};

/**
 * struct message - a message that has been sent and not received
 * @imm: immediate data
 * @has_imm: there are such
 * @send: it is a SEND, otherwise a WRITE
 * @len: bytes
 * @bytes: REQUEST_MAX bytes; the message of a SEND
 */
struct message {
	uint32_t imm;
	bool has_imm;
	bool send;
	uint32_t len;
	uint8_t *bytes;
};

/**
 * struct flow - a connection
 * @client: queue pair that sends requests
 * @server: queue pair that executes them
 * @mtu: path MTU in bytes
 * @empty: READs and WRITEs may have no bytes
 * @op: ring of requests
 * @posted: number of requests posted
 * @done: number known to be complete
 * @signalled: number of the last request that was signalled, plus 1
 * @message: ring of messages
 * @sent: messages sent
 * @got: messages received
 * @receive: ring of receive requests
 * @offered: receive requests posted; @got of them are complete
 * @target: the server's memory
 * @want: model of it
 */
struct flow {
	struct ibv_qp *client;
	struct ibv_qp *server;
	uint32_t mtu;
	bool empty;
	struct request_op op[FLOW_DEPTH];
	uint32_t posted;
	uint32_t done;
	uint32_t signalled;
	struct message message[FLOW_DEPTH + RECEIVES];
	uint32_t sent;
	uint32_t got;
	struct receive receive[RECEIVES];
	uint32_t offered;
	uint8_t *target;
	uint8_t *want;
};

/**
 * struct side - an end of all flows
 * @end: context and domain
 * @cq: completion queue of all queue pairs
 * @buf: memory
 * @size: its size in bytes
 * @mr: region of it
 */
struct side {
	struct verbs_end end;
	struct ibv_cq *cq;
	uint8_t *buf;
	size_t size;
	struct ibv_mr *mr;
};

static struct flow flows[FLOWS];
static struct side client, server;
static uint32_t completions, chosen;
static double begun, moved;

static bool side_open(struct side *s, const char *dev, const char *ip, size_t size)
{
	if (!end_open(&s->end, dev, ip))
		return false;
	s->size = size;
	s->buf = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!check(s->buf != MAP_FAILED, "no memory"))
		return false;
	s->mr = ibv_reg_mr(s->end.pd, s->buf, size, ACCESS);
	s->cq = ibv_create_cq(s->end.ctx, 2 * FLOWS * FLOW_DEPTH, NULL, NULL, 0);
	return check(s->mr && s->cq, "%s: %s", dev, strerror(errno));
}

static void side_close(struct side *s)
{
	check(!s->cq || !ibv_destroy_cq(s->cq), "completion queue");
	check(!s->mr || !ibv_dereg_mr(s->mr), "region");
	if (s->buf)
		munmap(s->buf, s->size);
	end_close(&s->end);
	*s = (struct side){};
}

static struct ibv_qp *qp_open(struct side *s)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.send_cq = s->cq,
		.recv_cq = s->cq,
		.cap = { .max_send_wr = FLOW_DEPTH, .max_send_sge = REQUEST_SGE,
			 .max_recv_wr = RECEIVES, .max_recv_sge = 2,
			 .max_inline_data = REQUEST_INLINE },
	};
	struct ibv_qp *qp = ibv_create_qp(s->end.pd, &init);

	check(qp, "create a queue pair: %s", strerror(errno));
	return qp;
}

static int to_init(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = ACCESS,
	};

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
					IBV_QP_ACCESS_FLAGS);
}

static int to_rtr(struct ibv_qp *qp, const struct side *own, const struct side *peer,
		  uint32_t peer_qpn, enum ibv_mtu mtu)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = mtu,
		.dest_qp_num = peer_qpn,
		.rq_psn = END_PSN,
		.max_dest_rd_atomic = RD_ATOMIC,
		.min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .sgid_index = own->end.gid_index, .hop_limit = 64,
				      .dgid = peer->end.gid } },
	};

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
					IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
					IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

static int to_rts(struct ibv_qp *qp, const struct flow_path *path)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = END_PSN,
		.timeout = path->timeout,
		.retry_cnt = path->retry,
		.rnr_retry = 7,
		.max_rd_atomic = RD_ATOMIC,
	};

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
					IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
					IBV_QP_MAX_QP_RD_ATOMIC);
}

static bool flow_connect(struct flow *f, enum ibv_mtu mtu, const struct flow_path *path)
{
	int err;

	f->client = qp_open(&client);
	f->server = qp_open(&server);
	if (!f->client || !f->server)
		return false;
	f->mtu = 128u << mtu;
	f->empty = !path->not_empty;
	err = to_init(f->client) ?: to_init(f->server) ?:
	      to_rtr(f->client, &client, &server, f->server->qp_num, mtu) ?:
	      to_rtr(f->server, &server, &client, f->client->qp_num, mtu) ?:
	      to_rts(f->client, path) ?: to_rts(f->server, path);
	return check(!err, "connect: %s", strerror(err));
}

/* The memory of the model; that of the ends is in their regions. */
static bool flow_memory(struct flow *f, uint32_t i)
{
	uint8_t *slots = client.buf + (size_t)i * FLOW_DEPTH * REQUEST_SLOT;
	uint8_t *at = server.buf + (size_t)i * (REQUEST_TARGET + RECEIVES * BUFFER);
	bool ok = true;
	uint32_t k;

	for (k = 0; k < FLOW_DEPTH; k++) {
		f->op[k].slot = slots + (size_t)k * REQUEST_SLOT;
		f->op[k].image = malloc(REQUEST_SLOT);
		ok = ok && f->op[k].image;
	}
	for (k = 0; k < ARRAY_SIZE(f->message); k++) {
		f->message[k].bytes = malloc(REQUEST_MAX);
		ok = ok && f->message[k].bytes;
	}
	f->target = at;
	for (k = 0; k < RECEIVES; k++)
		f->receive[k].buf = at + REQUEST_TARGET + (size_t)k * BUFFER;
	memset(f->receive[0].buf, REQUEST_BLANK, RECEIVES * BUFFER);
	f->want = malloc(REQUEST_TARGET);
	if (!check(ok && f->want, "no memory"))
		return false;
	rng_fill(f->target, REQUEST_TARGET);
	memcpy(f->want, f->target, REQUEST_TARGET);
	return true;
}

bool flows_open(const struct flow_path *path)
{
	static const enum ibv_mtu mtus[FLOWS] = { IBV_MTU_256, IBV_MTU_1024, IBV_MTU_4096 };
	uint32_t i;

	if (!side_open(&client, path->client_dev, path->client_ip,
		       FLOWS * FLOW_DEPTH * REQUEST_SLOT) ||
	    !side_open(&server, path->server_dev, path->server_ip,
		       FLOWS * (REQUEST_TARGET + RECEIVES * BUFFER)))
		return false;
	for (i = 0; i < FLOWS; i++) {
		flows[i] = (struct flow){};
		if (!flow_memory(&flows[i], i) || !flow_connect(&flows[i], mtus[i], path))
			return false;
	}
	return true;
}

static void flow_close(struct flow *f)
{
	uint32_t i;

	check(!f->client || !ibv_destroy_qp(f->client), "queue pair");
	check(!f->server || !ibv_destroy_qp(f->server), "queue pair");
	for (i = 0; i < FLOW_DEPTH; i++)
		free(f->op[i].image);
	for (i = 0; i < ARRAY_SIZE(f->message); i++)
		free(f->message[i].bytes);
	free(f->want);
	*f = (struct flow){};
}

void flows_close(void)
{
	uint32_t i;

	for (i = 0; i < FLOWS; i++)
		flow_close(&flows[i]);
	side_close(&client);
	side_close(&server);
}

/* --- The server: receive requests and messages. */

static void receive_post(struct flow *f)
{
	struct receive *r = &f->receive[f->offered % RECEIVES];
	struct ibv_sge sge[2];
	struct ibv_recv_wr *bad, wr = {
		.wr_id = f->offered,
		.sg_list = sge,
		.num_sge = 2,
	};
	int err;

	r->split = rng_below(rng_below(2) ? 300 : REQUEST_MAX + 1);
	sge[0] = (struct ibv_sge){ (uintptr_t)r->buf + REQUEST_GUARD, r->split, server.mr->lkey };
	sge[1] = (struct ibv_sge){ sge[0].addr + r->split + REQUEST_GUARD,
				   REQUEST_MAX - r->split, server.mr->lkey };
	err = ibv_post_recv(f->server, &wr, &bad);
	check(!err, "post_recv: %s", strerror(err));
	f->offered++;
}

/* Now and then post receive requests; in the meantime the server sends RNR NAKs. */
static void receives_post(void)
{
	uint32_t i;

	for (i = 0; i < FLOWS; i++)
		while (flows[i].offered - flows[i].got < RECEIVES && rng_below(4))
			receive_post(&flows[i]);
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

static void message_received(struct flow *f, const struct ibv_wc *wc)
{
	const struct message *m = &f->message[f->got % ARRAY_SIZE(f->message)];
	struct receive *r = &f->receive[f->got % RECEIVES];

	if (!check(!wc->status, "receive: %s", ibv_wc_status_str(wc->status)) ||
	    !check(f->got != f->sent, "a message too many") ||
	    !check(wc->wr_id == f->got, "receive %llu, not %u", (long long)wc->wr_id, f->got))
		return;
	check(wc->opcode == (m->send ? IBV_WC_RECV : IBV_WC_RECV_RDMA_WITH_IMM) &&
	      wc->byte_len == m->len, "opcode %d, %u bytes, not %u", wc->opcode, wc->byte_len,
	      m->len);
	check(!(wc->wc_flags & IBV_WC_WITH_IMM) == !m->has_imm &&
	      (!m->has_imm || wc->imm_data == m->imm), "immediate data %#x, not %#x",
	      wc->imm_data, m->imm);
	receive_check(r, m, m->send ? m->len : 0);
	f->got++;
}

static void message_sent(struct flow *f, const struct request_op *op)
{
	struct message *m = &f->message[f->sent++ % ARRAY_SIZE(f->message)];

	m->imm = op->imm;
	m->has_imm = request_has_imm(op);
	m->send = request_is_send(op);
	m->len = op->len;
	if (m->send)
		request_message(op, m->bytes);
}

/* --- The client: requests and completions. */

static struct request_op *op_of(struct flow *f, uint32_t n)
{
	return &f->op[n % FLOW_DEPTH];
}

static bool may_post(const struct flow *f)
{
	return f->posted - f->done < FLOW_DEPTH &&
	       f->sent - f->got < ARRAY_SIZE(f->message);
}

/* Fences and signals that the model needs. @last: nothing is posted after it. */
static void add_flags(struct flow *f, struct request_op *op, bool last)
{
	uint32_t i;

	for (i = f->done; i != f->posted; i++)
		if (request_hurts(op, op_of(f, i)))
			op->flags |= IBV_SEND_FENCE;
	if (last || f->posted - f->signalled >= FLOW_DEPTH / 2)
		op->flags |= IBV_SEND_SIGNALED;
	if (op->flags & IBV_SEND_SIGNALED)
		f->signalled = f->posted + 1;
}

static bool flow_post(struct flow *f, bool last)
{
	struct request_op *op = op_of(f, f->posted);

	op->id = f->posted;
	request_choose(op, f->mtu, client.mr->lkey, f->empty);
	add_flags(f, op, last);
	request_execute(op, f->want);
	if (request_is_message(op))
		message_sent(f, op);
	f->posted++;
	return request_post_to(f->client, op, (uintptr_t)f->target, server.mr->rkey);
}

/* All up to the first signalled request are complete, which must be the one of @wc. */
static void request_completed(struct flow *f, const struct ibv_wc *wc)
{
	const struct request_op *op;

	do {
		if (!check(f->done != f->posted, "a completion too many: %llu",
			   (long long)wc->wr_id))
			return;
		op = op_of(f, f->done++);
		if (!wc->status)
			request_check(op, wc);
	} while (!(op->flags & IBV_SEND_SIGNALED));
	check(wc->wr_id == op->id, "completion of %llu, not %llu", (long long)wc->wr_id,
	      (long long)op->id);
	check(!wc->status, "request %llu, %s of %u with MTU %u: %s", (long long)op->id,
	      request_name(op), op->len, f->mtu, ibv_wc_status_str(wc->status));
}

static struct flow *flow_of(uint32_t qpn, bool is_client)
{
	uint32_t i;

	for (i = 0; i < FLOWS; i++)
		if ((is_client ? flows[i].client : flows[i].server)->qp_num == qpn)
			return &flows[i];
	check(false, "a completion of queue pair %#x", qpn);
	return NULL;
}

/* Read all completions. Return: whether there were any. */
static bool poll_all(void)
{
	bool any = false;
	struct ibv_wc wc;
	struct flow *f;

	while (!test_failed() && ibv_poll_cq(server.cq, 1, &wc) > 0) {
		f = flow_of(wc.qp_num, false);
		if (f)
			message_received(f, &wc);
		any = true;
	}
	while (!test_failed() && ibv_poll_cq(client.cq, 1, &wc) > 0) {
		f = flow_of(wc.qp_num, true);
		if (f)
			request_completed(f, &wc);
		completions++;
		any = true;
	}
	return any;
}

static bool idle(const struct flow *f)
{
	return f->done == f->posted && f->got == f->sent;
}

static bool all_idle(void)
{
	uint32_t i;

	for (i = 0; i < FLOWS; i++)
		if (!idle(&flows[i]))
			return false;
	return true;
}

static void note_stuck(void)
{
	uint32_t i;

	for (i = 0; i < FLOWS; i++) {
		const struct flow *f = &flows[i];
		const struct request_op *op = op_of(&flows[i], f->done);

		note("MTU %u: %u posted, %u done, next %s of %u; %u messages, %u received, %u offered",
		     f->mtu, f->posted, f->done, request_name(op), op->len, f->sent, f->got,
		     f->offered);
	}
}

/* Poll once. Return: false, and a failed check: nothing has come for too long. */
static bool step(void)
{
	receives_post();
	if (poll_all())
		moved = clock_now();
	else if (clock_now() - moved > patience(PATIENCE))
		note_stuck();
	return !test_failed() &&
	       check(clock_now() - moved <= patience(PATIENCE), "no completion");
}

static void compare(void)
{
	uint32_t i, k;

	for (i = 0; i < FLOWS; i++) {
		const struct flow *f = &flows[i];

		if (!memcmp(f->target, f->want, REQUEST_TARGET))
			continue;
		for (k = 0; f->target[k] == f->want[k]; k++)
			;
		check(false, "MTU %u: byte %#x of the server is %#x, not %#x", f->mtu, k,
		      f->target[k], f->want[k]);
	}
}

/* Wait until all requests are complete and all messages received; compare all memory. */
static void settle(void)
{
	while (!all_idle())
		if (!step())
			return;
	compare();
}

/* Let each flow end with a signalled request. */
static void finish(void)
{
	uint32_t i;

	for (i = 0; i < FLOWS; i++) {
		while (!may_post(&flows[i]))
			if (!step())
				return;
		if (!flow_post(&flows[i], true))
			return;
	}
	settle();
	check(!poll_all(), "a completion too many");
}

bool flows_post(uint32_t n)
{
	uint32_t i, k;

	for (i = 0; i < FLOWS; i++)
		for (k = 0; k < n; k++)
			if (!flow_post(&flows[i], false))
				return false;
	return true;
}

void flows_run(uint32_t ops)
{
	struct flow *f;

	completions = 0;
	begun = clock_now();
	moved = begun;
	for (chosen = 0; chosen + FLOWS < ops && !test_failed();) {
		f = &flows[rng_below(FLOWS)];
		if (may_post(f) && flow_post(f, false))
			chosen++;
		/* Now and then poll, and rarely let the queues run empty. */
		if (!may_post(f) || !rng_below(4))
			step();
	}
	if (!test_failed())
		finish();
	chosen += FLOWS;
}

void flows_note(void)
{
	note("%u requests, %u completions, %.1f s", chosen, completions, clock_now() - begun);
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

static void silent_completed(struct flow *f, const struct ibv_wc *wc, uint32_t oldest)
{
	enum ibv_wc_status want = f->done == oldest ? IBV_WC_RETRY_EXC_ERR : IBV_WC_WR_FLUSH_ERR;

	check(wc->wr_id == f->done && wc->status == want, "completion of %llu, not %u: %s, not %s",
	      (long long)wc->wr_id, f->done, ibv_wc_status_str(wc->status),
	      ibv_wc_status_str(want));
	f->done++;
}

/* The receive requests stay with the server, whose queue pair does not notice. */
static void silent_check(uint32_t total, const uint32_t *oldest)
{
	struct ibv_wc wc;
	struct flow *f;

	while (total-- && wait_for(&wc)) {
		f = flow_of(wc.qp_num, true);
		if (!f)
			return;
		silent_completed(f, &wc, oldest[f - flows]);
	}
	check(ibv_poll_cq(client.cq, 1, &wc) == 0, "a completion too many");
}

/* What is posted in ERR is flushed, too. */
static void silent_late(struct flow *f)
{
	struct ibv_wc wc;

	if (flow_post(f, true) && wait_for(&wc))
		silent_completed(f, &wc, f->done - 1);
}

void flows_silent(void)
{
	uint32_t oldest[FLOWS], i, k;
	uint8_t *before = malloc(FLOWS * REQUEST_TARGET);

	if (!check(before, "no memory"))
		return;
	for (i = 0; i < FLOWS; i++) {
		oldest[i] = flows[i].done;
		memcpy(before + i * REQUEST_TARGET, flows[i].target, REQUEST_TARGET);
		for (k = 0; k < FLOW_DEPTH; k++)
			flow_post(&flows[i], false);
	}
	silent_check(FLOWS * FLOW_DEPTH, oldest);
	for (i = 0; i < FLOWS && !test_failed(); i++) {
		check(!memcmp(before + i * REQUEST_TARGET, flows[i].target, REQUEST_TARGET),
		      "MTU %u: memory of the server has changed", flows[i].mtu);
		silent_late(&flows[i]);
	}
	free(before);
}
