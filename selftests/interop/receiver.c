// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/mman.h>

#include "counters.h"
#include "gid.h"
#include "harness.h"
#include "receiver.h"
#include "setting.h"

#define SEND_PSN	0xfffff8u		/* wraps early */
#define CLIENT_DEV	"c0"			/* of rxe */
#define PATIENCE	30			/* seconds; for emulated machines */
#define ROOM		(RECEIVER_BYTES + RECEIVER_SPARE)
#define ALL		(ROOM + 2 * RECEIVER_GUARD)

const struct receiver_opts receiver_rc = {
	.type = IBV_QPT_RC, .entries = 16, .max_sge = 4, .cqes = 64,
	.mtu = IBV_MTU_1024, .rnr_retry = 7,
};
const struct ibv_send_wr receiver_send = { .opcode = IBV_WR_SEND };
uint8_t *receiver_buf;
uint32_t receiver_lkey;
uint8_t *sender_buf;

static struct ibv_mr *sender_mr;
static uint8_t fill;

bool receiver_setup(void)
{
	struct xroce_mr_reg reg = {
		.access = XROCE_ACCESS_LOCAL_WRITE,
		.length = ALL,
	};
	uint8_t *all;
	int err;

	if (receiver_buf || !connection_setup())
		return check(receiver_buf, "no set-up");
	all = mmap(NULL, ALL, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sender_buf = malloc(RECEIVER_BYTES);
	if (!check(all != MAP_FAILED && sender_buf, "memory"))
		return false;
	sender_mr = ibv_reg_mr(client.pd, sender_buf, RECEIVER_BYTES, 0);
	reg.pd = server.pd;
	reg.addr = (uintptr_t)all;
	reg.iova = reg.addr;
	err = xroce_mr_reg(server.x, &reg);
	if (!check(sender_mr && !err, "regions: %s", strerror(-err)))
		return false;
	receiver_lkey = reg.lkey;
	receiver_buf = all + RECEIVER_GUARD;
	return true;
}

/* The GID of a side; 1 is the client. */
static void side_gid(bool ipv6, int side, uint8_t *out)
{
	char text[16];

	snprintf(text, sizeof(text), ipv6 ? "fd77::%d" : "10.77.0.%d", side);
	gid_parse(text, out);
}

static struct ibv_ah_attr server_address(bool ipv6)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh = {
			.hop_limit = 64,
		},
	};
	union ibv_gid own;

	side_gid(ipv6, 1, own.raw);
	attr.grh.sgid_index = gid_index(client.ctx, own.raw);
	side_gid(ipv6, 2, attr.grh.dgid.raw);
	return attr;
}

static bool client_open(struct receiver *r, const struct receiver_opts *opts)
{
	struct ibv_qp_init_attr init = {
		.send_cq = client.cq,
		.recv_cq = client.cq,
		.cap = { REQUESTER_DEPTH, 1, 1, 1 },
		.qp_type = opts->type,
		.sq_sig_all = 1,
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qkey = RECEIVER_QKEY,
		.path_mtu = opts->mtu,
		.dest_qp_num = r->qpn,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = server_address(opts->ipv6),
		.sq_psn = SEND_PSN,
		.timeout = 21,		/* nine seconds, for slow machines */
		.retry_cnt = 0,
		.rnr_retry = opts->rnr_retry,
		.max_rd_atomic = 1,
	};
	int init_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	int rtr_mask = IBV_QP_STATE, rts_mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
	int err;

	if (opts->type == IBV_QPT_UD) {
		init_mask |= IBV_QP_QKEY;
	} else {
		init_mask |= IBV_QP_ACCESS_FLAGS;
		rtr_mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			    IBV_QP_RQ_PSN;
	}
	if (opts->type == IBV_QPT_RC) {
		rtr_mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
		rts_mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			    IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	}
	r->qp = ibv_create_qp(client.pd, &init);
	if (!check(r->qp, "queue pair: %s", strerror(errno)))
		return false;
	err = ibv_modify_qp(r->qp, &attr, init_mask);
	attr.qp_state = IBV_QPS_RTR;
	if (!err)
		err = ibv_modify_qp(r->qp, &attr, rtr_mask);
	attr.qp_state = IBV_QPS_RTS;
	if (!err)
		err = ibv_modify_qp(r->qp, &attr, rts_mask);
	if (!err && opts->type == IBV_QPT_UD) {
		r->ah = ibv_create_ah(client.pd, &attr.ah_attr);
		err = r->ah ? 0 : errno;
	}
	return check(!err, "the client's queue pair: %s", strerror(err));
}

/* Set the Ethernet address of the client. */
static void to_client(struct xroce_qp_modify *m)
{
	FILE *f = fopen("/sys/class/net/" CLIENT_DEV "/address", "r");
	__u8 *mac = m->dmac;

	check(f && fscanf(f, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", mac, mac + 1, mac + 2, mac + 3,
			  mac + 4, mac + 5) == 6, "address of " CLIENT_DEV);
	if (f)
		fclose(f);
	m->mask |= XROCE_QP_DMAC;
}

static bool server_connect(struct receiver *r, const struct receiver_opts *opts)
{
	struct xroce_qp_modify m = {
		.qpn = r->qpn,
		.mask = XROCE_QP_STATE,
		.state = XROCE_QPS_RTR,
		.path_mtu = (enum xroce_mtu)opts->mtu,
		.dest_qpn = r->qp->qp_num,
		.rq_psn = SEND_PSN,
		.min_rnr_timer = 12,
		.max_dest_rd_atomic = 4,
	};

	side_gid(opts->ipv6, 2, m.sgid);
	m.mask |= XROCE_QP_AV;
	if (opts->type != IBV_QPT_UD) {
		side_gid(opts->ipv6, 1, m.dgid);
		m.mask |= XROCE_QP_PATH_MTU | XROCE_QP_DEST_QPN |
			  XROCE_QP_RQ_PSN;
	}
	if (opts->type == IBV_QPT_RC)
		m.mask |= XROCE_QP_MIN_RNR_TIMER | XROCE_QP_MAX_DEST_RD_ATOMIC;
	if (opts->sq)
		to_client(&m);
	connection_modify(&m, "RTR");
	return !test_failed();
}

bool receiver_open(struct receiver *r, const struct receiver_opts *opts)
{
	struct xroce_qp_add add = {
		.type = (enum xroce_qp_type)opts->type,
		.srq = opts->srq ? xroce_srq_id(opts->srq) : 0,
		.rq_entries = opts->srq ? 0 : opts->entries,
		.rq_max_sge = opts->srq ? 0 : opts->max_sge,
	};
	struct xroce_qp_modify m = {
		.mask = XROCE_QP_STATE | XROCE_QP_PKEY |
			(opts->type == IBV_QPT_UD ? XROCE_QP_QKEY :
						    XROCE_QP_ACCESS),
		.state = XROCE_QPS_INIT,
		.pkey = 0xffff,
		.qkey = RECEIVER_QKEY,
		.access = opts->sq ? RIGHTS : RIGHT,
	};

	memset(r, 0, sizeof(*r));
	if (!receiver_setup())
		return false;
	r->own_cq = !opts->cq;
	r->cq = opts->cq ? : xroce_cq_add(server.x, opts->cqes);
	if (!check(r->cq, "CQ of %u: %s", opts->cqes, strerror(errno)))
		return false;
	add.pd = server.pd;
	add.recv_cq = xroce_cq_id(r->cq);
	if (opts->sq) {
		add.send_cq = add.recv_cq;
		add.send_entries = 64;
	}
	if (!check_is(xroce_qp_create(server.x, &add, &r->rq), 0, "queue pair"))
		return false;
	r->qpn = add.qpn;
	m.qpn = r->qpn;
	connection_modify(&m, "INIT");
	if (!client_open(r, opts) || !server_connect(r, opts))
		return false;
	if (opts->sq) {
		receiver_state(r, XROCE_QPS_RTS);
		r->send = xroce_send_open(server.x, &add);
		check(r->send, "send queue: %s", strerror(errno));
	}
	return !test_failed();
}

void receiver_close(struct receiver *r)
{
	int err;

	if (r->ah)
		ibv_destroy_ah(r->ah);
	if (r->qp)
		ibv_destroy_qp(r->qp);
	err = r->rq ? xroce_qp_destroy(r->rq) : xroce_qp_del(server.x, r->qpn);
	check(!err, "QP_DEL: %s", strerror(-err));
	if (r->send)
		xroce_send_close(r->send);
	if (r->own_cq)
		check(!xroce_cq_del(r->cq), "CQ_DEL");
}

bool receiver_post(struct receiver *r, struct ibv_send_wr wr, uint32_t len)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)sender_buf,
		.length = len,
		.lkey = sender_mr->lkey,
	};
	struct ibv_send_wr *bad;
	int err;

	wr.sg_list = &sge;
	wr.num_sge = len ? 1 : 0;
	if (r->ah) {
		wr.wr.ud.ah = r->ah;
		wr.wr.ud.remote_qpn = r->qpn;
		if (!wr.wr.ud.remote_qkey)
			wr.wr.ud.remote_qkey = RECEIVER_QKEY;
	}
	err = ibv_post_send(r->qp, &wr, &bad);
	return check(!err, "post: %s", strerror(err));
}

int receiver_do(struct receiver *r, struct ibv_send_wr wr, uint32_t len)
{
	return receiver_post(r, wr, len) ? requester_wait(&client) : -1;
}

bool receiver_must(struct receiver *r, struct ibv_send_wr wr, uint32_t len)
{
	int status = receiver_do(r, wr, len);

	if (check(status == IBV_WC_SUCCESS, "%u bytes: %s", len,
		  status < 0 ? "no completion" : ibv_wc_status_str(status)))
		return true;
	/* Without retries a packet that is lost anywhere ends the queue pair. */
	counters_note(server.stat);
	return false;
}

void receiver_recv(struct xroce_rq *rq, uint64_t wr_id, uint32_t off,
		   uint32_t len)
{
	struct xroce_sge_local sge = {
		.addr = (uintptr_t)receiver_buf + off,
		.length = len,
		.lkey = receiver_lkey,
	};

	check_is(xroce_post_recv(rq, wr_id, &sge, 1), 0, "post_recv");
}

bool receiver_wait(struct receiver *r, struct xroce_cqe *cqe)
{
	time_t end = time(NULL) + patience(PATIENCE);
	int n;

	do {
		n = xroce_cq_poll(r->cq, cqe, 1);
	} while (!n && time(NULL) <= end);
	return check(n == 1, "completion: %d", n);
}

struct xroce_cqe receiver_cqe(const struct receiver *r, uint64_t wr_id,
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

bool receiver_completes(struct receiver *r, const struct xroce_cqe *want)
{
	struct xroce_cqe got;

	return receiver_wait(r, &got) &&
	       check(!memcmp(&got, want, sizeof(got)),
		     "wr_id %#llx status %u opcode %u byte_len %u imm %#x qpn %#x src %#x flags %#x pkey %#x",
		     got.wr_id, got.status, got.opcode, got.byte_len,
		     got.imm_or_key, got.qpn, got.src_qpn, got.flags, got.pkey);
}

void receiver_none(struct receiver *r)
{
	struct xroce_cqe cqe;
	int n = xroce_cq_poll(r->cq, &cqe, 1);

	check(!n, "%d: work request %#llx, status %u", n, cqe.wr_id, cqe.status);
}

void receiver_fill(void)
{
	uint32_t i;

	fill += 29;
	for (i = 0; i < RECEIVER_BYTES; i++)
		sender_buf[i] = fill + i * 31 + (i >> 8) + (i >> 16) * 3;
	memset(receiver_buf - RECEIVER_GUARD, fill, ALL);
}

void receiver_untouched(uint32_t off, uint32_t len)
{
	const uint8_t *all = receiver_buf - RECEIVER_GUARD;
	uint32_t i, from = RECEIVER_GUARD + off;

	for (i = 0; i < ALL; i++) {
		if (i == from)
			i += len;
		if (i < ALL && all[i] != fill)
			break;
	}
	check(i >= ALL, "byte %d written", (int)(i - RECEIVER_GUARD));
}

void receiver_scattered(struct receiver *r, uint32_t len)
{
	uint32_t a = len / 3, b = len / 2 - a, c = len - a - b + 7;
	uint8_t *base = receiver_buf + 3;
	const struct xroce_sge_local sge[] = {
		{ (uintptr_t)base, a, receiver_lkey },
		{ (uintptr_t)base, 0, ~receiver_lkey },
		{ (uintptr_t)base + a + 100, b, receiver_lkey },
		{ (uintptr_t)base + a + b + 200, c, receiver_lkey },
	};
	struct xroce_cqe want = receiver_cqe(r, 0xabcd00000000 + len, len);

	receiver_fill();
	check(!xroce_post_recv(r->rq, want.wr_id, sge, 4), "post_recv");
	if (!receiver_must(r, receiver_send, len) ||
	    !receiver_completes(r, &want))
		return;
	check(!memcmp(base, sender_buf, a) &&
	      !memcmp(base + a + 100, sender_buf + a, b) &&
	      !memcmp(base + a + b + 200, sender_buf + a + b, len - a - b),
	      "%u bytes differ", len);
	/* Clear the first two elements, so that one check covers the gaps between elements. */
	memset(base, base[-1], a);
	memset(base + a + 100, base[-1], b);
	receiver_untouched(3 + a + b + 200, len - a - b);
}

struct xroce_async receiver_event(void)
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

struct xroce_qp_query receiver_query(struct receiver *r)
{
	struct xroce_qp_query q = { .qpn = r->qpn };

	check(!xroce_qp_query(server.x, &q), "QP_QUERY");
	return q;
}

void receiver_state(struct receiver *r, uint32_t state)
{
	struct xroce_qp_modify m = {
		.qpn = r->qpn,
		.mask = XROCE_QP_STATE,
		.state = state,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 16,
	};

	if (state == XROCE_QPS_RTS)
		m.mask |= XROCE_QP_SQ_PSN | XROCE_QP_TIMEOUT | XROCE_QP_RETRY_CNT |
			  XROCE_QP_RNR_RETRY | XROCE_QP_MAX_RD_ATOMIC;

	connection_modify(&m, "state");
}
