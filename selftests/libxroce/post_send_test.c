// SPDX-License-Identifier: GPL-2.0-only
/* Send queues of libxroce. The requester itself is tested through the verbs device. */
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>

#include "send_pair.h"

static void write_and_read(struct pair *p)
{
	struct xroce_sge_local sge[2];
	struct xroce_wr wr = pair_request(p, XROCE_WR_RDMA_WRITE, sge, 3, 9001);

	/* Two elements. */
	sge[0].length = 4000;
	sge[1] = (struct xroce_sge_local){ sge[0].addr + 4000, 5001, p->own.lkey };
	wr.num_sge = 2;
	if (!pair_done(p, &wr, 0))
		return;
	check(!memcmp(far + 3, own + 3, 9001) && far[2] == 0xa5 && far[3 + 9001] == 0xa5,
	      "bytes of the WRITE");
	memset(own, 0, PAIR_BYTES);
	wr = pair_request(p, XROCE_WR_RDMA_READ, sge, 3, 9001);
	if (pair_done(p, &wr, 0))
		check(!memcmp(far + 3, own + 3, 9001) && !own[2] && !own[3 + 9001],
		      "bytes of the READ");
}

static void atomics(struct pair *p)
{
	struct xroce_sge_local sge;
	struct xroce_wr wr = pair_request(p, XROCE_WR_FETCH_ADD, &sge, 64, 8);
	__u64 word = 41, value;

	memcpy(far + 64, &word, 8);
	wr.swap_add = 1;
	pair_done(p, &wr, 0);
	memcpy(&value, own + 64, 8);
	memcpy(&word, far + 64, 8);
	check(value == 41 && word == 42, "FETCH_ADD: %llu, then %llu", value, word);
	wr.opcode = XROCE_WR_CMP_SWAP;
	wr.compare = 42;
	wr.swap_add = 0x1122334455667788;
	pair_done(p, &wr, 0);
	memcpy(&value, own + 64, 8);
	memcpy(&word, far + 64, 8);
	check(value == 42 && word == wr.swap_add, "CMP_SWAP: %llu, then %#llx", value, word);
	wr.opcode = XROCE_WR_ATOMIC_WRITE;
	wr.swap_add = 0xa1a2a3a4a5a6a7a8;
	wr.num_sge = 0;
	pair_done(p, &wr, 0);
	memcpy(&word, far + 64, 8);
	check(word == wr.swap_add, "ATOMIC_WRITE: %#llx", word);
	wr.opcode = XROCE_WR_FLUSH;
	wr.access = XROCE_ACCESS_FLUSH_GLOBAL;
	wr.length = 8;
	pair_done(p, &wr, 0);
}

/* A SEND with immediate data, in the work request itself, and its two completions. */
static void messages(struct pair *p)
{
	struct xroce_sge_local to = { (uintptr_t)far + 128, 256, p->far.lkey };
	struct xroce_sge_local sge[2];
	struct xroce_wr wr = pair_request(p, XROCE_WR_SEND_WITH_IMM, sge, 0, 10);
	__u8 text[] = "not in any region";
	struct xroce_cqe cqe[2] = {};
	int n = 0, ret, i;

	sge[0] = (struct xroce_sge_local){ (uintptr_t)text, 4, 0 };
	sge[1] = (struct xroce_sge_local){ (uintptr_t)text + 4, sizeof(text) - 4, 0 };
	wr.num_sge = 2;
	wr.flags |= XROCE_SEND_INLINE | XROCE_SEND_SOLICITED;
	wr.imm_or_key = htonl(0x12345678);
	check(!xroce_post_recv(p->b.rq, 9, &to, 1), "receive");
	ret = xroce_post_send(p->a.send, &wr, 1);
	memset(text, 0, sizeof(text));
	while (!ret && n < 2) {
		i = xroce_cq_wait(p->cq, cqe + n, 2 - n, 1000 * LIVE_PATIENCE);
		if (!check(i > 0, "wait: %d", i))
			return;
		n += i;
	}
	check(!ret, "post: %d", ret);
	i = cqe[0].qpn == p->b.qpn ? 0 : 1;
	check(cqe[i].wr_id == 9 && !cqe[i].status && cqe[i].byte_len == sizeof(text) &&
	      cqe[i].imm_or_key == htonl(0x12345678) && cqe[i].flags & XROCE_WC_WITH_IMM,
	      "received %u bytes, status %u", cqe[i].byte_len, cqe[i].status);
	check(!cqe[!i].status && cqe[!i].opcode == XROCE_WC_SEND, "sent: status %u",
	      cqe[!i].status);
	check(!memcmp(far + 128, "not in any region", sizeof(text)), "message");
}

static bool one_polled(void *arg)
{
	return xroce_cq_poll(arg, &(struct xroce_cqe){}, 1) == 1;
}

/* A queue that is armed for solicited completions stays so after others. */
HANDLE_TEST(post_send_solicited, "U3", "completions that wake up nobody")
{
	struct pollfd fd = { .fd = xroce_fd(x), .events = POLLIN };
	struct xroce_sge_local sge;
	struct xroce_wr wr;
	struct pair p;
	int i;

	if (!pair_open(&p, x, XROCE_QPT_RC) || !pair_connect(&p))
		goto out;
	xroce_cq_arm(p.cq, true);
	wr = pair_request(&p, XROCE_WR_RDMA_WRITE, &sge, 0, 8);
	for (i = 0; i < 20; i++)
		check(!xroce_post_send(p.a.send, &wr, 1) && live_wait(one_polled, p.cq), "WRITE");
	check(!poll(&fd, 1, 0), "woken by a WRITE");
	/* One that fails is like a solicited one. */
	wr.rkey ^= 1;
	check(!xroce_post_send(p.a.send, &wr, 1), "post");
	check(poll(&fd, 1, 1000 * LIVE_PATIENCE) == 1 && fd.revents == POLLIN, "not woken");
	check(live_wait(one_polled, p.cq), "the failed WRITE");
out:
	pair_close(&p);
}

HANDLE_TEST(post_send_works, "U3 V7", "WRITE, READ, atomics, FLUSH, SEND")
{
	struct pair p;

	if (pair_open(&p, x, XROCE_QPT_RC) && pair_connect(&p)) {
		write_and_read(&p);
		atomics(&p);
		messages(&p);
	}
	pair_close(&p);
}

static bool last_byte(void *arg)
{
	size_t at = (uintptr_t)arg;

	return __atomic_load_n(&far[at], __ATOMIC_ACQUIRE) == own[at];
}

HANDLE_TEST(post_send_unreliable, "U3 V7", "SEND and WRITE of UC")
{
	struct xroce_sge_local sge;
	struct xroce_wr wr;
	struct pair p;

	if (pair_open(&p, x, XROCE_QPT_UC) && pair_connect(&p)) {
		messages(&p);
		wr = pair_request(&p, XROCE_WR_RDMA_WRITE, &sge, 512, 300);
		pair_done(&p, &wr, 0);
		/* Nobody acknowledges it: wait for its last byte. */
		check(live_wait(last_byte, (void *)(uintptr_t)811) &&
		      !memcmp(far + 512, own + 512, 300), "bytes of the WRITE");
		wr.opcode = XROCE_WR_RDMA_READ;
		pair_done(&p, &wr, XROCE_WC_LOC_QP_OP_ERR);
	}
	pair_close(&p);
}

/* Bind and invalidate a window in order with the WRITE between them. */
HANDLE_TEST(post_send_windows, "U3 V7 W10", "bind and invalidate in a send queue")
{
	struct xroce_mw_add mw = { .type = XROCE_MW_TYPE_2B };
	struct xroce_wr wr[3] = {};
	struct xroce_sge_local sge;
	struct pair p;

	if (!pair_open(&p, x, XROCE_QPT_RC) || !pair_connect(&p))
		goto out;
	mw.pd = p.pd;
	if (!check(!xroce_mw_add(x, &mw), "window"))
		goto out;
	wr[0] = (struct xroce_wr){
		.opcode = XROCE_WR_BIND_MW,
		.imm_or_key = xroce_inc_rkey(mw.rkey),
		.rkey = p.far.lkey,
		.addr = (uintptr_t)far,
		.length = 100,
		.access = XROCE_ACCESS_REMOTE_WRITE,
	};
	/* The window belongs to the end that binds it, so the other one may use it. */
	check(!xroce_post_send(p.b.send, wr, 1), "bind");
	wr[1] = pair_request(&p, XROCE_WR_RDMA_WRITE, &sge, 0, 100);
	wr[1].rkey = wr[0].imm_or_key;
	pair_done(&p, &wr[1], 0);
	check(!memcmp(far, own, 100), "bytes of the WRITE");
	wr[2] = (struct xroce_wr){ .opcode = XROCE_WR_LOCAL_INV, .imm_or_key = wr[0].imm_or_key };
	check(!xroce_post_send(p.b.send, &wr[2], 1), "invalidate");
	pair_done(&p, &wr[1], XROCE_WC_REM_ACCESS_ERR);
	check(!xroce_mw_del(x, mw.mw), "window");
out:
	pair_close(&p);
}

static bool nothing_far(void)
{
	__u32 i;

	for (i = 0; i < PAIR_BYTES; i++)
		if (far[i] != 0xa5)
			return check(false, "byte %u has changed", i);
	return true;
}

/* What the module refuses: the completion says so, and no byte is written. */
HANDLE_TEST(post_send_refused, "U3 V7", "the status of what cannot be done")
{
	struct xroce_sge_local sge;
	struct xroce_wr wr;
	struct pair p;
	__u32 i;

	if (!pair_open(&p, x, XROCE_QPT_RC) || !pair_connect(&p))
		goto out;
	for (i = 0; i < 12; i++) {
		static const __u32 status[] = {
			XROCE_WC_REM_ACCESS_ERR, XROCE_WC_REM_ACCESS_ERR, XROCE_WC_LOC_PROT_ERR,
			XROCE_WC_LOC_PROT_ERR, XROCE_WC_LOC_QP_OP_ERR, XROCE_WC_LOC_QP_OP_ERR,
			XROCE_WC_LOC_QP_OP_ERR, XROCE_WC_LOC_LEN_ERR, XROCE_WC_MW_BIND_ERR,
			XROCE_WC_LOC_QP_OP_ERR, XROCE_WC_LOC_QP_OP_ERR, XROCE_WC_LOC_LEN_ERR,
		};

		wr = pair_request(&p, XROCE_WR_RDMA_WRITE, &sge, 0, 64);
		if (i == 0)
			wr.rkey ^= 1;
		if (i == 1)
			wr.addr += PAIR_BYTES - 63;
		if (i == 2)
			sge.lkey ^= 1;
		if (i == 3)
			sge.addr += PAIR_BYTES - 63;
		if (i == 4)
			wr.opcode = 77;
		if (i == 5)
			wr.flags |= 1 << 7;
		if (i == 6) {
			wr.opcode = XROCE_WR_RDMA_READ;
			wr.flags |= XROCE_SEND_INLINE;
		}
		if (i == 7) {
			wr.opcode = XROCE_WR_FETCH_ADD;
			sge.length = 7;
		}
		if (i == 8) {
			wr.opcode = XROCE_WR_BIND_MW;
			wr.imm_or_key = p.own.rkey;
		}
		if (i >= 9) {
			wr.opcode = XROCE_WR_FLUSH;
			wr.access = i == 9 ? XROCE_ACCESS_REMOTE_WRITE : XROCE_ACCESS_FLUSH_GLOBAL;
			wr.imm_or_key = i == 10 ? 2 : 0;
			wr.length = i == 11 ? 1ull << 32 : 8;
			wr.num_sge = 0;
		}
		pair_done(&p, &wr, status[i]);
		check(qp_state(x, p.a.qpn) == XROCE_QPS_ERR, "case %u: state", i);
		if (!nothing_far() || !pair_again(&p))
			break;
	}
out:
	pair_close(&p);
}

/* What the library and the doorbell refuse: nothing is posted. */
HANDLE_TEST(post_send_at_once, "U3 V7", "what is refused when it is posted")
{
	struct xroce_wr wr, many[PAIR_ENTRIES + 1];
	struct xroce_sge_local sge[PAIR_SGE + 1];
	struct pair p;
	int i;

	if (!pair_open(&p, x, XROCE_QPT_RC))
		goto out;
	wr = pair_request(&p, XROCE_WR_RDMA_WRITE, sge, 0, 8);
	check_is(xroce_post_send(p.a.send, &wr, 1), -EINVAL, "before RTS");
	if (!pair_connect(&p))
		goto out;
	check(nothing_far() && !xroce_cq_poll(p.cq, &(struct xroce_cqe){}, 1), "it is executed");
	for (i = 0; i <= PAIR_SGE; i++)
		sge[i] = sge[0];
	wr.num_sge = PAIR_SGE + 1;
	check(xroce_post_send(p.a.send, &wr, 1) == -EINVAL, "too many elements");
	wr.num_sge = 1;
	wr.flags |= XROCE_SEND_INLINE;
	sge[0].length = PAIR_INLINE + 1;
	check(xroce_post_send(p.a.send, &wr, 1) == -EINVAL, "too many inline bytes");
	wr.flags = 0;
	sge[0].length = 8;
	for (i = 0; i <= PAIR_ENTRIES; i++)
		many[i] = wr;
	check(xroce_post_send(p.a.send, many, PAIR_ENTRIES + 1) == -ENOSPC, "more than there is room for");
	check(nothing_far(), "something is executed");
	many[PAIR_ENTRIES - 1].flags = XROCE_SEND_SIGNALED;
	check(!xroce_post_send(p.a.send, many, PAIR_ENTRIES), "as many as there is room for");
	check(xroce_cq_wait(p.cq, &(struct xroce_cqe){}, 1, 1000 * LIVE_PATIENCE) == 1, "completion");
	pair_done(&p, &many[PAIR_ENTRIES - 1], 0);
	check(!xroce_qp_del(x, p.a.qpn), "destroy");
	check(xroce_post_send(p.a.send, &wr, 1) == -ENOENT, "after it is destroyed");
out:
	pair_close(&p);
}

/* Creation with arguments out of range. */
HANDLE_TEST(post_send_sizes, "U3", "sizes of the send queue")
{
	struct xroce_qp_add good, add;
	struct xroce_rq *rq;
	struct pair p = {
		.x = x, .type = XROCE_QPT_RC, .pd = live_pd(x), .cq = xroce_cq_add(x, 16),
	};

	good = pair_queues(&p);
	good.recv_cq = good.rq_entries = good.rq_max_sge = 0;
#define REFUSED(field, value, error)	do {						\
	add = good;									\
	add.field = (value);								\
	check(xroce_qp_create(x, &add, &rq) == (error), #field " = %u", add.field);	\
} while (0)
	REFUSED(send_entries, 1, -EINVAL);
	REFUSED(send_entries, 3, -EINVAL);
	REFUSED(send_entries, 2 * XROCE_SEND_MAX, -EINVAL);
	REFUSED(send_entries, 0, -EINVAL);	/* but elements */
	REFUSED(send_max_sge, XROCE_SEND_SGE_MAX + 1, -EINVAL);
	REFUSED(send_max_inline, XROCE_SEND_INLINE_MAX + 1, -EINVAL);
	REFUSED(send_cq, 0, -EINVAL);
	REFUSED(send_cq, good.send_cq + 1, -ENOENT);
	REFUSED(type, XROCE_QPT_UD, -EOPNOTSUPP);
	REFUSED(send_entries, XROCE_SEND_MAX, 0);
	check(add.send_stride >= 64 + PAIR_INLINE && add.send_bytes >= (__u64)add.send_stride *
	      XROCE_SEND_MAX, "stride %u, %llu bytes", add.send_stride, add.send_bytes);
	check(xroce_cq_del(p.cq) == -EBUSY, "the completion queue is in use");
	check(!xroce_qp_del(x, add.qpn), "destroy");
	check(!xroce_cq_del(p.cq), "completion queue");
}

/* The peer's Ethernet address can be given with its IP address, and no other of these can. */
static void early_address(struct xroce *x, __u32 qpn)
{
	__u32 rtr = qp_attrs(XROCE_QPT_RC, XROCE_QPS_RTR);

	check(!qp_move(x, qpn, XROCE_QPS_RESET, 0) &&
	      !qp_move(x, qpn, XROCE_QPS_INIT, qp_attrs(XROCE_QPT_RC, XROCE_QPS_INIT)), "INIT");
	check(qp_move(x, qpn, XROCE_QPS_RTR, rtr | XROCE_QP_SQ_PSN) == -EINVAL, "PSN at RTR");
	check(!qp_move(x, qpn, XROCE_QPS_RTR, rtr | XROCE_QP_DMAC), "address at RTR");
	check(!qp_move(x, qpn, XROCE_QPS_RTS, RTS_SEND_ATTRS & ~XROCE_QP_DMAC), "RTS without it");
}

/* Attributes of the requester: all at RTS, none without a send queue. */
HANDLE_TEST(post_send_attributes, "U3 V7", "attributes of the requester")
{
	struct xroce_qp_modify m;
	struct pair p;
	__u32 bit, bare;

	if (!pair_open(&p, x, XROCE_QPT_RC))
		goto out;
	check(!qp_move(x, p.a.qpn, XROCE_QPS_INIT, qp_attrs(XROCE_QPT_RC, XROCE_QPS_INIT)) &&
	      !qp_move(x, p.a.qpn, XROCE_QPS_RTR, qp_attrs(XROCE_QPT_RC, XROCE_QPS_RTR)), "RTR");
	for (bit = XROCE_QP_SQ_PSN; bit <= XROCE_QP_DMAC; bit <<= 1)
		check(qp_move(x, p.a.qpn, XROCE_QPS_RTS, RTS_SEND_ATTRS & ~bit) == -EINVAL,
		      "without %#x", bit);
#define WRONG(field, value)	do {							\
	m = qp_change(p.a.qpn, XROCE_QPS_RTS, RTS_SEND_ATTRS);				\
	m.field = (value);								\
	check(xroce_qp_modify(x, &m) == -EINVAL, #field);				\
} while (0)
	WRONG(sq_psn, 1 << 24);
	WRONG(timeout, 32);
	WRONG(retry_cnt, 8);
	WRONG(rnr_retry, 8);
	WRONG(max_rd_atomic, 129);
	WRONG(dmac[0], 1);
	WRONG(vlan_tci, 4095);
	WRONG(vlan_tci, 0xe000);
	WRONG(vlan_tci, 0x1001);
	check(!qp_move(x, p.a.qpn, XROCE_QPS_RTS, RTS_SEND_ATTRS), "RTS");
	check(qp_move(x, p.a.qpn, XROCE_QPS_RTS, XROCE_QP_TIMEOUT) == -EINVAL, "in RTS");
	early_address(x, p.b.qpn);
	check(!qp_move(x, p.a.qpn, XROCE_QPS_SQD, 0), "SQD");
	check(qp_move(x, p.a.qpn, XROCE_QPS_RTS, XROCE_QP_SQ_PSN) == -EINVAL, "PSN in SQD");
	check(!qp_move(x, p.a.qpn, XROCE_QPS_RTS, XROCE_QP_TIMEOUT), "timeout in SQD");
	bare = qp_in(x, p.pd, XROCE_QPS_RTR);
	check(qp_move(x, bare, XROCE_QPS_RTS, RTS_SEND_ATTRS) == -EINVAL, "no send queue");
	check(!qp_move(x, bare, XROCE_QPS_RTS, 0), "no send queue, no attributes");
out:
	pair_close(&p);
}

struct flushed {
	struct xroce_cq *cq;
	__u32 sends;
	__u32 receives;
};

/* xroce_cq_wait() would have the receive flushed itself. */
static bool both_flushed(void *arg)
{
	struct flushed *f = arg;
	struct xroce_cqe cqe;

	while (xroce_cq_poll(f->cq, &cqe, 1) == 1)
		++*(cqe.wr_id == 0x77 ? &f->receives : &f->sends);
	return f->sends && f->receives;
}

/* In ERR the system call of a send flushes the receives that have been posted, too. */
static void receive_late(struct pair *p, const struct xroce_wr *wr)
{
	struct flushed f = { p->cq };

	check(!xroce_post_recv(p->a.rq, 0x77, NULL, 0), "receive");
	check(!xroce_post_send(p->a.send, wr, 1), "send");
	live_wait(both_flushed, &f);
	check(f.sends == 1 && f.receives == 1, "%u sends, %u receives", f.sends, f.receives);
}

/* RESET discards, ERR flushes, and SQD says when nothing is outstanding. */
HANDLE_TEST(post_send_states, "U3 V7", "SQD, ERR and RESET")
{
	struct xroce_async event = {};
	struct xroce_sge_local sge;
	struct xroce_cqe cqe;
	struct xroce_wr wr;
	struct pair p;

	if (!pair_open(&p, x, XROCE_QPT_RC) || !pair_connect(&p))
		goto out;
	wr = pair_request(&p, XROCE_WR_RDMA_WRITE, &sge, 0, 8);
	pair_done(&p, &wr, 0);
	check(!qp_move(x, p.a.qpn, XROCE_QPS_SQD, 0), "SQD");
	check(!xroce_async_next(x, &event) && event.type == XROCE_EVENT_SQ_DRAINED &&
	      event.id == p.a.qpn, "event %u of %#x", event.type, event.id);
	check(!xroce_post_send(p.a.send, &wr, 1), "post in SQD");
	check(!xroce_cq_poll(p.cq, &cqe, 1), "executed in SQD");
	check(!qp_move(x, p.a.qpn, XROCE_QPS_ERR, 0), "ERR");
	check(xroce_cq_wait(p.cq, &cqe, 1, 1000 * LIVE_PATIENCE) == 1 &&
	      cqe.status == XROCE_WC_WR_FLUSH_ERR, "flushed: status %u", cqe.status);
	pair_done(&p, &wr, XROCE_WC_WR_FLUSH_ERR);
	receive_late(&p, &wr);
	if (!pair_again(&p))
		goto out;
	wr.flags = 0;
	check(!xroce_post_send(p.a.send, &wr, 1), "post");
	wr.flags = XROCE_SEND_SIGNALED;
	pair_done(&p, &wr, 0);
	check(!qp_move(x, p.a.qpn, XROCE_QPS_RESET, 0) && !xroce_cq_poll(p.cq, &cqe, 1),
	      "completion of RESET");
out:
	pair_close(&p);
}

/* All bits of the result are set before the query. */
static struct xroce_qp_query query(struct xroce *x, __u32 qpn)
{
	struct xroce_qp_query q;

	memset(&q, 0xff, sizeof(q));
	q.flags = 0;
	q.qpn = qpn;
	q.reserved = 0;
	q.reserved2 = 0;
	check_is(xroce_qp_query(x, &q), 0, "query of %#x", qpn);
	return q;
}

static bool same_mac(const __u8 *a, const __u8 *b) { return !memcmp(a, b, 6); }

/* What a query says of the send queue and the attributes of the requester. */
HANDLE_TEST(post_send_query, "U3 V7", "a query of the send queue")
{
	static const __u8 none[6];
	struct xroce_sge_local sge;
	struct xroce_qp_query q;
	struct xroce_qp_modify m;
	struct xroce_wr wr;
	struct pair p;
	__u32 bare, i;

	if (!pair_open(&p, x, XROCE_QPT_RC))
		goto out;
	q = query(x, p.a.qpn);
	check(q.sq_entries == PAIR_ENTRIES && q.sq_max_sge >= PAIR_SGE &&
	      q.sq_max_inline >= PAIR_INLINE && !q.sq_pending && !q.sq_draining,
	      "in RESET: %u entries, %u elements, %u inline, %u pending, draining %u",
	      q.sq_entries, q.sq_max_sge, q.sq_max_inline, q.sq_pending, q.sq_draining);
	check(!q.sq_psn && !q.timeout && !q.retry_cnt && !q.rnr_retry && !q.max_rd_atomic &&
	      same_mac(q.dmac, none) && !q.vlan_tci && !q.reserved2, "attributes in RESET");
	if (!pair_connect(&p))
		goto out;
	q = query(x, p.a.qpn);
	check(q.sq_psn == 0xfffffe && q.timeout == 14 && q.retry_cnt == 7 && q.rnr_retry == 7 &&
	      q.max_rd_atomic == 16 && !same_mac(q.dmac, none) && !q.vlan_tci,
	      "in RTS: PSN %#x, timeout %u, retries %u and %u, depth %u, tag %#x", q.sq_psn,
	      q.timeout, q.retry_cnt, q.rnr_retry, q.max_rd_atomic, q.vlan_tci);
	wr = pair_request(&p, XROCE_WR_RDMA_WRITE, &sge, 0, 8);
	for (i = 0; i < 3; i++)
		pair_done(&p, &wr, 0);
	q = query(x, p.a.qpn);
	check(q.sq_psn == 1 && !q.sq_pending, "after three WRITEs: PSN %#x, %u pending", q.sq_psn,
	      q.sq_pending);
	check(!qp_move(x, p.a.qpn, XROCE_QPS_SQD, 0), "SQD");
	check(!xroce_post_send(p.a.send, &wr, 1), "post in SQD");
	q = query(x, p.a.qpn);
	check(q.state == XROCE_QPS_SQD && q.sq_pending == 1 && !q.sq_draining,
	      "in SQD: %u pending, draining %u", q.sq_pending, q.sq_draining);
	m = qp_change(p.a.qpn, XROCE_QPS_SQD, XROCE_QP_DMAC | XROCE_QP_TIMEOUT);
	m.timeout = 20;
	m.vlan_tci = 0xa123;
	check(!xroce_qp_modify(x, &m), "other attributes");
	q = query(x, p.a.qpn);
	check(q.timeout == 20 && q.vlan_tci == 0xa123 && same_mac(q.dmac, m.dmac),
	      "changed: timeout %u, tag %#x", q.timeout, q.vlan_tci);
	check(!qp_move(x, p.a.qpn, XROCE_QPS_RESET, 0), "RESET");
	q = query(x, p.a.qpn);
	check(!q.sq_psn && !q.timeout && same_mac(q.dmac, none) && !q.vlan_tci && !q.sq_pending,
	      "attributes after RESET");
	bare = qp_in(x, p.pd, XROCE_QPS_RTS);
	q = query(x, bare);
	check(!q.sq_entries && !q.sq_psn && !q.timeout && !q.max_rd_atomic &&
	      same_mac(q.dmac, none) && !q.reserved2, "no send queue");
out:
	pair_close(&p);
}

/* Packets that nobody answers are outstanding while the queue drains. */
HANDLE_TEST(post_send_draining, "U3 V7", "a query while the queue drains")
{
	struct xroce_sge_local sge;
	struct xroce_qp_query q;
	struct xroce_wr wr;
	struct pair p;

	if (!pair_open(&p, x, XROCE_QPT_RC) || !pair_connect(&p))
		goto out;
	check(!qp_move(x, p.b.qpn, XROCE_QPS_RESET, 0), "the peer falls silent");
	wr = pair_request(&p, XROCE_WR_RDMA_WRITE, &sge, 0, 8);
	check(!xroce_post_send(p.a.send, &wr, 1), "post");
	check(!qp_move(x, p.a.qpn, XROCE_QPS_SQD, 0), "SQD");
	q = query(x, p.a.qpn);
	check(q.sq_pending == 1 && q.sq_draining == 1 && q.sq_psn == 0xffffff,
	      "%u pending, draining %u, PSN %#x", q.sq_pending, q.sq_draining, q.sq_psn);
out:
	pair_close(&p);
}

/* Set the local ACK timeout and the number of retries of a queue pair in RTS. */
static void set_timeout(struct xroce *x, __u32 qpn, __u32 timeout, __u32 retries)
{
	struct xroce_qp_modify m = qp_change(qpn, XROCE_QPS_RTS,
					     XROCE_QP_TIMEOUT | XROCE_QP_RETRY_CNT);

	m.timeout = timeout;
	m.retry_cnt = retries;
	check(!qp_move(x, qpn, XROCE_QPS_SQD, 0) && !xroce_qp_modify(x, &m), "timeout %u", timeout);
}

/* A timeout counts as soon as it is set, though the timer of a longer one is still running. */
HANDLE_TEST(post_send_timeouts, "Q3", "the local ACK timeout becomes shorter, or 0")
{
	struct xroce_sge_local sge;
	struct xroce_cqe cqe;
	struct xroce_wr wr;
	struct pair p;

	if (!pair_open(&p, x, XROCE_QPT_RC) || !pair_connect(&p))
		goto out;
	wr = pair_request(&p, XROCE_WR_RDMA_WRITE, &sge, 0, 8);
	set_timeout(x, p.a.qpn, 31, 0);		/* more than two hours */
	pair_done(&p, &wr, 0);
	set_timeout(x, p.a.qpn, 8, 0);
	check(!qp_move(x, p.b.qpn, XROCE_QPS_RESET, 0), "the peer falls silent");
	pair_done(&p, &wr, XROCE_WC_RETRY_EXC_ERR);
	if (!pair_again(&p))
		goto out;
	pair_done(&p, &wr, 0);
	set_timeout(x, p.a.qpn, 0, 0);		/* none: the timer of 67 ms runs out */
	check(!qp_move(x, p.b.qpn, XROCE_QPS_RESET, 0), "the peer falls silent");
	check(!xroce_post_send(p.a.send, &wr, 1), "post");
	usleep(300000);
	check(!xroce_cq_poll(p.cq, &cqe, 1), "completed: status %u", cqe.status);
out:
	pair_close(&p);
}

TEST_MAIN(live_main);
