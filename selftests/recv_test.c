// SPDX-License-Identifier: GPL-2.0-only
/*
 * What rxe sends arrives where receive work requests say, is completed as it
 * should be, and nowhere else. Run by recv.sh.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>

#include "harness.h"
#include "receiver.h"

static const struct receiver_opts rc = {
	.type = IBV_QPT_RC, .entries = 16, .max_sge = 4, .cqes = 64,
	.mtu = IBV_MTU_1024, .rnr_retry = 7,
};

static const struct ibv_send_wr send_wr = { .opcode = IBV_WR_SEND };

static bool done(int status, uint32_t len)
{
	return check(status == IBV_WC_SUCCESS, "%u bytes: %s", len,
		     status < 0 ? "no completion" : ibv_wc_status_str(status));
}

static void compare_cqe(const struct xroce_cqe *got, const struct xroce_cqe *want)
{
	check(!memcmp(got, want, sizeof(*got)),
	      "wr_id %#llx status %u opcode %u byte_len %u imm %#x qpn %#x src %#x flags %#x pkey %#x",
	      got->wr_id, got->status, got->opcode, got->byte_len,
	      got->imm_or_key, got->qpn, got->src_qpn, got->flags, got->pkey);
}

static struct xroce_cqe expected(const struct receiver *r, uint64_t wr_id,
				 uint32_t len)
{
	return (struct xroce_cqe){
		.wr_id = wr_id,
		.opcode = XROCE_WC_RECV,
		.byte_len = len,
		.qpn = r->qpn,
		.src_qpn = r->qp->qp_num,
		.pkey = 0xffff,
	};
}

/* Four elements, one of them empty, from byte 3 on and with holes. */
static void scattered(struct receiver *r, uint32_t len)
{
	uint32_t a = len / 3, b = len / 2 - a, c = len - a - b + 7;
	uint8_t *base = receiver_buf + 3;
	const struct xroce_sge_local sge[] = {
		{ (uintptr_t)base, a, receiver_lkey },
		{ (uintptr_t)base, 0, ~receiver_lkey },
		{ (uintptr_t)base + a + 100, b, receiver_lkey },
		{ (uintptr_t)base + a + b + 200, c, receiver_lkey },
	};
	struct xroce_cqe cqe, want;

	receiver_fill();
	check(!xroce_post_recv(r->rq, 0xabcd00000000 + len, sge, 4), "post_recv");
	if (!done(receiver_do(r, send_wr, len), len) || !receiver_wait(r, &cqe))
		return;
	want = expected(r, 0xabcd00000000 + len, len);
	compare_cqe(&cqe, &want);
	check(!memcmp(base, sender_buf, a) &&
	      !memcmp(base + a + 100, sender_buf + a, b) &&
	      !memcmp(base + a + b + 200, sender_buf + a + b, len - a - b),
	      "%u bytes differ", len);
	/* Move them out of the holes' way, and look at these. */
	memset(base, base[-1], a);
	memset(base + a + 100, base[-1], b);
	receiver_untouched(3 + a + b + 200, len - a - b);
}

static void sizes(enum ibv_mtu mtu, bool ipv6)
{
	static const uint32_t lens[] = {
		0, 1, 2, 3, 4, 5, 63, 255, 1023, 1024, 1025, 2047, 2048, 2051,
		4096, 65536, 100001, RECEIVER_BYTES,
	};
	struct receiver_opts opts = rc;
	struct receiver r;
	size_t i;

	opts.mtu = mtu;
	opts.ipv6 = ipv6;
	if (!receiver_open(&r, &opts))
		return;
	for (i = 0; i < ARRAY_SIZE(lens) && !test_failed(); i++)
		scattered(&r, lens[i]);
	receiver_none(&r);
	receiver_close(&r);
}

static void sizes_256(void)
{
	sizes(IBV_MTU_256, true);
}

static void sizes_1024(void)
{
	sizes(IBV_MTU_1024, false);
}

static void sizes_4096(void)
{
	sizes(IBV_MTU_4096, true);
}

static void immediate(void)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND_WITH_IMM,
		.imm_data = htonl(0x11223344),
	};
	static const uint32_t lens[] = { 0, 5, 1024, 5000 };
	struct xroce_cqe cqe, want;
	struct receiver r;
	size_t i;

	if (!receiver_open(&r, &rc))
		return;
	for (i = 0; i < ARRAY_SIZE(lens) && !test_failed(); i++) {
		receiver_fill();
		receiver_recv(r.rq, i, 0, 5000);
		if (!done(receiver_do(&r, wr, lens[i]), lens[i]) ||
		    !receiver_wait(&r, &cqe))
			break;
		want = expected(&r, i, lens[i]);
		want.imm_or_key = htonl(0x11223344);
		want.flags = XROCE_WC_WITH_IMM;
		compare_cqe(&cqe, &want);
		check(!memcmp(receiver_buf, sender_buf, lens[i]), "bytes");
		receiver_untouched(0, lens[i]);
	}
	receiver_close(&r);
}

/* The bytes go where the RETH says, and the work request's buffer stays. */
static void write_immediate(enum ibv_qp_type type)
{
	static const uint32_t lens[] = { 0, 1, 1024, 1025, 5000 };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.imm_data = htonl(0xcafe0001),
		.wr.rdma = { IOVA + 4321, 0 },
	};
	struct receiver_opts opts = rc;
	struct xroce_cqe cqe, want;
	struct receiver r;
	size_t i;

	opts.type = type;
	if (!receiver_open(&r, &opts))
		return;
	wr.wr.rdma.rkey = server.mr.rkey;
	for (i = 0; i < ARRAY_SIZE(lens) && !test_failed(); i++) {
		receiver_fill();
		receiver_recv(r.rq, i, 0, 16);
		memcpy(server.want + REGION_OFF + 4321, sender_buf, lens[i]);
		if (!done(receiver_do(&r, wr, lens[i]), lens[i]) ||
		    !receiver_wait(&r, &cqe))
			break;
		want = expected(&r, i, lens[i]);
		want.opcode = XROCE_WC_RECV_RDMA_WITH_IMM;
		want.imm_or_key = htonl(0xcafe0001);
		want.flags = XROCE_WC_WITH_IMM;
		compare_cqe(&cqe, &want);
		connection_compare("after a WRITE with immediate");
		receiver_untouched(0, 0);
	}
	receiver_close(&r);
}

static void rc_write_immediate(void)
{
	write_immediate(IBV_QPT_RC);
}

static void uc_write_immediate(void)
{
	write_immediate(IBV_QPT_UC);
}

static struct xroce_async next_event(void)
{
	struct xroce_async async = {};
	int i, err;

	for (i = 0; i < 100; i++) {
		err = xroce_async_next(server.x, &async);
		if (err != -EAGAIN)
			break;
		usleep(10000);
	}
	check(!err, "no event: %d", err);
	return async;
}

/* The queue pair has ended: event, cause, and all that was posted flushed. */
static void ended(struct receiver *r, uint32_t cause, uint64_t first_flushed,
		  uint32_t flushed)
{
	struct xroce_async async = next_event();
	struct xroce_qp_query q = receiver_query(r);
	struct xroce_cqe cqe;
	uint32_t i;

	check(async.type == XROCE_EVENT_QP_FATAL && async.id == r->qpn,
	      "event %u of %#x", async.type, async.id);
	check(q.state == XROCE_QPS_ERR && q.cause == cause, "state %u, cause %u",
	      q.state, q.cause);
	for (i = 0; i < flushed && receiver_wait(r, &cqe); i++)
		check(cqe.wr_id == first_flushed + i && cqe.qpn == r->qpn &&
		      cqe.status == XROCE_WC_WR_FLUSH_ERR,
		      "work request %#llx, status %u", cqe.wr_id, cqe.status);
	receiver_none(r);
	check(xroce_async_next(server.x, &async) == -EAGAIN, "a second event");
}

/* One SEND that fails: what the client sees, and the first completion. */
static void fails(struct receiver *r, uint32_t len, int client_status,
		  uint32_t status, uint32_t cause)
{
	struct xroce_cqe cqe;
	int got;

	receiver_recv(r->rq, 0x101, 0, 100);
	receiver_recv(r->rq, 0x102, 0, 100);
	got = receiver_do(r, send_wr, len);
	check(got == client_status, "the client got %d", got);
	if (receiver_wait(r, &cqe))
		check(cqe.wr_id == 0x100 && cqe.status == status &&
		      cqe.qpn == r->qpn, "work request %#llx, status %u",
		      cqe.wr_id, cqe.status);
	ended(r, cause, 0x101, 2);
}

static void too_long(void)
{
	static const uint32_t room[] = { 0, 99, 1024, 4000 };
	struct receiver r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(room) && !test_failed(); i++) {
		if (!receiver_open(&r, &rc))
			return;
		receiver_fill();
		receiver_recv(r.rq, 0x100, 0, room[i]);
		fails(&r, room[i] + 1, IBV_WC_REM_INV_REQ_ERR,
		      XROCE_WC_LOC_LEN_ERR, XROCE_CAUSE_INV_LENGTH);
		receiver_untouched(0, room[i] & ~1023u);
		receiver_close(&r);
	}
}

static void protection(const struct xroce_sge_local *sge)
{
	struct receiver r;

	if (!receiver_open(&r, &rc))
		return;
	receiver_fill();
	check(!xroce_post_recv(r.rq, 0x100, sge, 1), "post_recv");
	fails(&r, 64, IBV_WC_REM_OP_ERR, XROCE_WC_LOC_PROT_ERR,
	      XROCE_CAUSE_OP_PROT);
	receiver_untouched(0, 0);
	connection_compare("after a refused SEND");
	receiver_close(&r);
}

static void wrong_lkey(void)
{
	struct xroce_sge_local sge = { 0, 64, 0 };

	if (!receiver_setup())
		return;
	sge.addr = (uintptr_t)receiver_buf;
	sge.lkey = receiver_lkey ^ 1;
	protection(&sge);
	sge.lkey = receiver_lkey ^ 0x100;
	protection(&sge);
	sge.lkey = 0;
	protection(&sge);
}

static void other_rights(void)
{
	struct xroce_mr_reg reg = { .length = 4096 };
	struct xroce_sge_local sge = { 0, 64, 0 };

	if (!receiver_setup())
		return;
	reg.addr = (uintptr_t)receiver_buf;
	reg.iova = reg.addr;
	reg.pd = server.other_pd;
	reg.access = XROCE_ACCESS_LOCAL_WRITE;
	check(!xroce_mr_reg(server.x, &reg), "MR_REG");
	sge.addr = reg.iova;
	sge.lkey = reg.lkey;
	protection(&sge);
	xroce_mr_dereg(server.x, reg.mr);

	reg.pd = server.pd;
	reg.access = XROCE_ACCESS_REMOTE_READ;
	check(!xroce_mr_reg(server.x, &reg), "MR_REG");
	sge.lkey = reg.lkey;
	protection(&sge);
	/* Deregistered. */
	xroce_mr_dereg(server.x, reg.mr);
	protection(&sge);
}

static void out_of_bounds(void)
{
	uint64_t start, end;
	struct xroce_sge_local sge = { 0, 64, 0 };

	if (!receiver_setup())
		return;
	start = (uintptr_t)receiver_buf - RECEIVER_GUARD;
	end = start + RECEIVER_BYTES + RECEIVER_SPARE + 2 * RECEIVER_GUARD;
	sge.lkey = receiver_lkey;
	sge.addr = start - 1;
	protection(&sge);
	sge.addr = end - 63;
	protection(&sge);
	sge.addr = -32ull;		/* passes 2^64 */
	protection(&sge);
}

/* More elements than the queue was made for; written past the library. */
static void malformed(void)
{
	struct xroce_rq_wqe *wqe;
	struct receiver r;

	if (!receiver_open(&r, &rc))
		return;
	receiver_fill();
	receiver_recv(r.rq, 0x100, 0, 100);
	wqe = (void *)((char *)xroce_rq_ring(r.rq) + XROCE_RING_HEADER);
	wqe->num_sge = rc.max_sge + 1;
	fails(&r, 64, IBV_WC_REM_OP_ERR, XROCE_WC_LOC_QP_OP_ERR,
	      XROCE_CAUSE_OP_WQE);
	receiver_untouched(0, 0);
	receiver_close(&r);
}

/* Nothing here can be invalidated from afar. */
static void invalidate(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND_WITH_INV };
	struct receiver r;
	int status;

	if (!receiver_open(&r, &rc))
		return;
	wr.invalidate_rkey = server.mr.rkey;
	receiver_recv(r.rq, 0x100, 0, 100);
	receiver_recv(r.rq, 0x101, 0, 100);
	status = receiver_do(&r, wr, 64);
	check(status == IBV_WC_REM_ACCESS_ERR, "status %d", status);
	ended(&r, XROCE_CAUSE_ACC_KEY, 0x100, 2);
	receiver_close(&r);
}

static void not_ready(void)
{
	struct xroce_cqe cqe;
	struct receiver r;

	if (!receiver_open(&r, &rc))
		return;
	receiver_fill();
	receiver_post(&r, send_wr, 3000);
	usleep(200000);
	receiver_none(&r);
	check(receiver_query(&r).naks, "no RNR NAK");
	receiver_recv(r.rq, 7, 0, 3000);
	if (done(requester_wait(&client), 3000) && receiver_wait(&r, &cqe))
		check(!cqe.status && cqe.byte_len == 3000 &&
		      !memcmp(receiver_buf, sender_buf, 3000), "status %u",
		      cqe.status);
	receiver_close(&r);
}

static void flush(void)
{
	struct xroce_cqe cqe;
	struct receiver r;
	uint64_t i;

	if (!receiver_open(&r, &rc))
		return;
	for (i = 0; i < 5; i++)
		receiver_recv(r.rq, i, 0, 100);
	receiver_state(&r, XROCE_QPS_ERR);
	receiver_recv(r.rq, i, 0, 100);		/* by the next query */
	receiver_query(&r);
	for (i = 0; i < 6 && receiver_wait(&r, &cqe); i++)
		check(cqe.wr_id == i && cqe.status == XROCE_WC_WR_FLUSH_ERR,
		      "work request %llu, status %u", cqe.wr_id, cqe.status);
	receiver_recv(r.rq, 9, 0, 100);
	receiver_state(&r, XROCE_QPS_RESET);
	receiver_query(&r);
	receiver_none(&r);
	check(xroce_rq_ring(r.rq)->head == 7, "RESET forgets what is posted");
	receiver_close(&r);
}

static short ready(void)
{
	struct pollfd pfd = {
		.fd = xroce_fd(server.x), .events = POLLIN | POLLPRI,
	};

	return poll(&pfd, 1, 0) > 0 ? pfd.revents : 0;
}

static void take_one(struct receiver *r)
{
	struct xroce_cqe cqe;

	receiver_wait(r, &cqe);
}

static void arm(void)
{
	struct ibv_send_wr solicited = send_wr;
	struct receiver r;

	solicited.send_flags = IBV_SEND_SOLICITED;
	if (!receiver_open(&r, &rc))
		return;
	receiver_recv(r.rq, 0, 0, 100);
	receiver_recv(r.rq, 1, 0, 100);
	receiver_recv(r.rq, 2, 0, 100);
	receiver_recv(r.rq, 3, 0, 100);

	done(receiver_do(&r, send_wr, 8), 8);
	check(!ready(), "not armed, but %#x", ready());
	check(xroce_cq_arm(r.cq, false), "there is one");
	take_one(&r);
	check(!xroce_cq_arm(r.cq, false) && !ready(), "armed: %#x", ready());
	done(receiver_do(&r, send_wr, 8), 8);
	check(ready() == POLLIN, "completed: %#x", ready());
	check(!xroce_cq_ring(r.cq)->arm, "the arm is still there");
	take_one(&r);

	check(!xroce_cq_arm(r.cq, true) && !ready(), "armed: %#x", ready());
	done(receiver_do(&r, send_wr, 8), 8);
	check(!ready(), "not solicited, but %#x", ready());
	take_one(&r);
	done(receiver_do(&r, solicited, 8), 8);
	check(ready() == POLLIN, "solicited: %#x", ready());
	take_one(&r);

	/* An error counts as solicited. */
	check(!xroce_cq_arm(r.cq, true), "empty");
	receiver_recv(r.rq, 4, 0, 100);
	receiver_state(&r, XROCE_QPS_ERR);
	check(ready() == POLLIN, "flushed: %#x", ready());
	receiver_close(&r);
}

static void overflow(void)
{
	struct receiver_opts opts = rc;
	struct xroce_cqe cqe[32];
	struct xroce_async async;
	struct receiver r;
	int i, status;

	opts.cqes = XROCE_CQ_MIN;
	opts.entries = 32;
	if (!receiver_open(&r, &opts))
		return;
	for (i = 0; i < XROCE_CQ_MIN + 1; i++)
		receiver_recv(r.rq, i, 0, 100);
	for (i = 0; i < XROCE_CQ_MIN && !test_failed(); i++)
		done(receiver_do(&r, send_wr, 8), 8);
	status = receiver_do(&r, send_wr, 8);
	check(status == IBV_WC_REM_OP_ERR, "status %d", status);
	async = next_event();
	check(async.type == XROCE_EVENT_CQ_ERROR &&
	      async.id == xroce_cq_id(r.cq), "event %u", async.type);
	async = next_event();
	check(async.type == XROCE_EVENT_QP_FATAL, "event %u", async.type);
	check(receiver_query(&r).cause == XROCE_CAUSE_OP_CQ, "cause");
	i = xroce_cq_poll(r.cq, cqe, 32);
	check(i == XROCE_CQ_MIN, "%d completions", i);
	check(xroce_cq_poll(r.cq, cqe, 32) == -EOVERFLOW, "no overflow");
	check(xroce_cq_del(r.cq) == -EBUSY, "a queue pair uses it");
	receiver_close(&r);
}

static void shared(void)
{
	struct receiver_opts opts = rc;
	struct xroce_srq_query q;
	struct xroce_async async;
	struct receiver a, b;
	struct xroce_cqe cqe;
	int i;

	if (!receiver_setup())
		return;
	opts.srq = xroce_srq_add(server.x, server.other_pd, 8, 2);
	if (!check(opts.srq, "SRQ_ADD: %s", strerror(errno)))
		return;
	{
		struct xroce_cq *cq = xroce_cq_add(server.x, 16);
		struct xroce_qp_add add = {
			.pd = server.pd, .type = XROCE_QPT_RC,
			.recv_cq = xroce_cq_id(cq),
			.srq = xroce_srq_id(opts.srq),
		};
		struct xroce_rq *rq;

		i = xroce_qp_create(server.x, &add, &rq);
		check(i == -EINVAL, "another domain's: %d", i);
		check(!xroce_cq_del(cq), "CQ_DEL");
		check(!xroce_rq_del(opts.srq), "SRQ_DEL");
	}
	opts.srq = xroce_srq_add(server.x, server.pd, 8, 2);
	if (!receiver_open(&a, &opts))
		return;
	opts.cq = a.cq;
	if (!receiver_open(&b, &opts))
		return;
	receiver_fill();
	for (i = 0; i < 6; i++)
		receiver_recv(opts.srq, i, 1000 * i, 1000);
	check(!xroce_srq_limit(opts.srq, 4), "SRQ_MODIFY");
	check(xroce_srq_limit(opts.srq, 9) == -EINVAL, "limit 9 of 8");
	for (i = 0; i < 3 && !test_failed(); i++) {
		check(!ready(), "an event after %d", i);
		done(receiver_do(i & 1 ? &b : &a, send_wr, 100 + i), 100 + i);
		if (receiver_wait(&a, &cqe))
			check(cqe.wr_id == (uint64_t)i && !cqe.status &&
			      cqe.qpn == (i & 1 ? b.qpn : a.qpn) &&
			      !memcmp(receiver_buf + 1000 * i, sender_buf,
				      100 + i), "work request %llu", cqe.wr_id);
	}
	check(ready() == POLLPRI, "%#x", ready());
	async = next_event();
	check(async.type == XROCE_EVENT_SRQ_LIMIT &&
	      async.id == xroce_srq_id(opts.srq), "event %u", async.type);
	check(!xroce_srq_query(opts.srq, &q) && !q.limit && q.qps == 2 &&
	      q.entries == 8 && q.max_sge == 2 && q.pd == server.pd,
	      "limit %u, %u queue pairs", q.limit, q.qps);
	done(receiver_do(&a, send_wr, 9), 9);
	check(!ready(), "the event came twice");
	check(xroce_rq_del(opts.srq) == -EBUSY, "queue pairs use it");
	/* One in error takes nothing from the other. */
	receiver_state(&a, XROCE_QPS_ERR);
	take_one(&a);
	receiver_none(&a);
	done(receiver_do(&b, send_wr, 9), 9);
	take_one(&b);
	receiver_close(&b);
	receiver_close(&a);
	check(!xroce_rq_del(opts.srq), "SRQ_DEL");
}

/*
 * Send over an unreliable service, and wait: that @packets have left is all that
 * the client is told.
 */
static void arrives(struct receiver *r, struct ibv_send_wr wr, uint32_t len,
		    uint32_t packets)
{
	struct xroce_stat before, after;

	counters_read(server.stat, &before);
	done(receiver_do(r, wr, len), len);
	counters_settled(server.stat, &before, packets, &after);
}

static void uc_send(void)
{
	static const uint32_t lens[] = { 0, 1, 1024, 1025, 50001 };
	struct receiver_opts opts = rc;
	struct xroce_cqe cqe, want;
	struct receiver r;
	size_t i;

	opts.type = IBV_QPT_UC;
	if (!receiver_open(&r, &opts))
		return;
	/* Nowhere to go, or too small: dropped, and all goes on. */
	arrives(&r, send_wr, 10, 1);
	receiver_recv(r.rq, 0, 0, 1500);
	arrives(&r, send_wr, 1501, 2);
	for (i = 0; i < ARRAY_SIZE(lens) && !test_failed(); i++) {
		receiver_fill();
		if (lens[i] > 1025)
			receiver_recv(r.rq, i, 0, lens[i]);
		else if (i)
			receiver_recv(r.rq, i, 0, 1500);
		if (!done(receiver_do(&r, send_wr, lens[i]), lens[i]) ||
		    !receiver_wait(&r, &cqe))
			break;
		want = expected(&r, i, lens[i]);
		compare_cqe(&cqe, &want);
		check(!memcmp(receiver_buf, sender_buf, lens[i]), "bytes");
		receiver_untouched(0, lens[i]);
	}
	check(receiver_query(&r).state == XROCE_QPS_RTR, "state");
	receiver_close(&r);
}

/* Addresses are where the last 40 bytes of the headers have them. */
static void compare_grh(bool ipv6)
{
	static const uint8_t nothing[20];
	uint8_t addr[32] = {};

	if (ipv6) {
		inet_pton(AF_INET6, "fd77::1", addr);
		inet_pton(AF_INET6, "fd77::2", addr + 16);
		check(receiver_buf[0] >> 4 == 6 && receiver_buf[6] == 17 &&
		      !memcmp(receiver_buf + 8, addr, 32), "no IPv6 header");
	} else {
		inet_pton(AF_INET, "10.77.0.1", addr);
		inet_pton(AF_INET, "10.77.0.2", addr + 4);
		check(!memcmp(receiver_buf, nothing, 20) &&
		      receiver_buf[20] == 0x45 && receiver_buf[29] == 17 &&
		      !memcmp(receiver_buf + 32, addr, 8), "no IPv4 header");
	}
}

static void datagrams(bool ipv6)
{
	struct ibv_send_wr imm = {
		.opcode = IBV_WR_SEND_WITH_IMM, .imm_data = htonl(77),
	};
	struct ibv_send_wr bad_key = {
		.opcode = IBV_WR_SEND,
		.wr.ud.remote_qkey = RECEIVER_QKEY ^ 1,
	};
	static const uint32_t lens[] = { 0, 1, 63, 1024, 4096 };
	struct receiver_opts opts = rc;
	struct xroce_cqe cqe, want;
	struct xroce_stat before, after;
	struct receiver r;
	size_t i;

	opts.type = IBV_QPT_UD;
	opts.ipv6 = ipv6;
	if (!receiver_open(&r, &opts))
		return;
	counters_read(server.stat, &before);
	arrives(&r, bad_key, 10, 1);
	arrives(&r, send_wr, 10, 1);		/* no work request */
	receiver_recv(r.rq, 0, 0, 50);
	arrives(&r, send_wr, 11, 1);		/* no room for 51 */
	receiver_none(&r);
	counters_read(server.stat, &after);
	check(after.drop_qkey - before.drop_qkey == 1 &&
	      after.drop_recv - before.drop_recv == 1 &&
	      after.inv_length - before.inv_length == 1, "dropped %llu %llu %llu",
	      after.drop_qkey - before.drop_qkey,
	      after.drop_recv - before.drop_recv,
	      after.inv_length - before.inv_length);
	done(receiver_do(&r, send_wr, 10), 10);
	take_one(&r);
	for (i = 0; i < ARRAY_SIZE(lens) && !test_failed(); i++) {
		receiver_fill();
		receiver_recv(r.rq, i, 0, 40 + lens[i]);
		if (!done(receiver_do(&r, imm, lens[i]), lens[i]) ||
		    !receiver_wait(&r, &cqe))
			break;
		want = expected(&r, i, 40 + lens[i]);
		want.flags = XROCE_WC_GRH | XROCE_WC_WITH_IMM;
		want.imm_or_key = htonl(77);
		compare_cqe(&cqe, &want);
		compare_grh(ipv6);
		check(!memcmp(receiver_buf + 40, sender_buf, lens[i]), "bytes");
		receiver_untouched(0, 40 + lens[i]);
	}
	receiver_close(&r);
}

static void ud_ipv4(void)
{
	datagrams(false);
}

static void ud_ipv6(void)
{
	datagrams(true);
}

/*
 * A program that writes anything anywhere into its rings while messages come.
 * The kernel has to survive, bytes may go into its region only, and a queue pair
 * made afterwards works.
 */
struct scribble {
	struct xroce_rq_header *rq;
	struct xroce_cq_header *cq;
	volatile bool stop;
};

static void *scribbler(void *arg)
{
	uint64_t x = 88172645463325252ull;
	struct scribble *s = arg;
	uint32_t *words;
	size_t n;

	while (!s->stop) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		words = x & 1 ? (uint32_t *)s->rq : (uint32_t *)s->cq;
		switch (x >> 1 & 7) {
		case 0:		/* the indices, wild */
			s->rq->tail = x >> 32;
			s->cq->head = x >> 20;
			break;
		case 1:		/* and such that much seems to be posted */
			s->rq->tail = s->rq->head + (x >> 40 & 15);
			s->cq->head = s->cq->tail;
			s->cq->arm = x >> 50 & 3;
			break;
		case 2:		/* those of the module */
			s->rq->head = x >> 32;
			s->cq->tail = x >> 30;
			break;
		default:	/* entries */
			n = (XROCE_RING_HEADER + (x >> 8 & 1023)) / 4;
			words[n] = x >> 60 ? x >> 32 : receiver_lkey;
		}
	}
	return NULL;
}

static void hostile(void)
{
	struct receiver_opts opts = rc;
	struct scribble s = {};
	struct receiver r;
	pthread_t thread;
	int i, k;

	if (!receiver_setup())
		return;
	receiver_fill();
	for (k = 0; k < 20 && !test_failed(); k++) {
		opts.type = k & 1 ? IBV_QPT_UC : IBV_QPT_UD;
		if (!receiver_open(&r, &opts))
			return;
		for (i = 0; i < 16; i++)
			receiver_recv(r.rq, i, 0, 2000);
		s = (struct scribble){
			xroce_rq_ring(r.rq), xroce_cq_ring(r.cq),
		};
		if (!check(!pthread_create(&thread, NULL, scribbler, &s), "thread"))
			return;
		for (i = 0; i < 50 && !test_failed(); i++)
			done(receiver_do(&r, send_wr, i * 40 % 1900), i);
		s.stop = true;
		pthread_join(thread, NULL);
		receiver_close(&r);
	}
	connection_compare("after all that");
	while (!xroce_async_next(server.x, &(struct xroce_async){}))
		;
	if (!receiver_open(&r, &rc))
		return;
	scattered(&r, 5000);
	receiver_close(&r);
}

static const struct test tests[] = {
	{ "sizes_256", "D2 D4", "any size, scattered; IPv6", sizes_256 },
	{ "sizes_1024", "D2 D4", "any size, scattered", sizes_1024 },
	{ "sizes_4096", "D2 D4", "any size, scattered; IPv6", sizes_4096 },
	{ "immediate", "D2", "SEND with immediate", immediate },
	{ "write_immediate", "D2", "WRITE with immediate", rc_write_immediate },
	{ "not_ready", "D2 D5", "RNR, then posted, then received", not_ready },
	{ "too_long", "D5", "longer than the work request", too_long },
	{ "wrong_lkey", "D5 R9", "keys that name no region", wrong_lkey },
	{ "other_rights", "D5 P2", "another domain, no local write, gone",
	  other_rights },
	{ "out_of_bounds", "D5 R1", "elements past a region's ends",
	  out_of_bounds },
	{ "malformed", "D5", "too many elements", malformed },
	{ "invalidate", "D2 D5", "SEND with invalidate of a region",
	  invalidate },
	{ "flush", "D5", "to ERR and to RESET", flush },
	{ "arm", "D2", "poll(2), solicited or not", arm },
	{ "overflow", "D5", "a completion too many", overflow },
	{ "shared", "D2 D5", "shared receive queue and its limit", shared },
	{ "uc_send", "D2 D5", "unreliable connection", uc_send },
	{ "uc_write_immediate", "D2", "the same, WRITE", uc_write_immediate },
	{ "ud_ipv4", "D2 D5", "datagrams", ud_ipv4 },
	{ "ud_ipv6", "D2 D5", "datagrams over IPv6", ud_ipv6 },
	{ "hostile", "D5 P2", "rings full of anything", hostile },
};

int main(int argc, char **argv)
{
	int status = harness_main(argc, argv, tests, ARRAY_SIZE(tests));

	connection_teardown();
	return status;
}
