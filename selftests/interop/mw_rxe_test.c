// SPDX-License-Identifier: GPL-2.0-only
/*
 * An independent requester and memory windows: the tests of rdma-core for windows and
 * zero-size requests, and two that rdma-core lacks: bounds, and type 2 windows on another
 * queue pair. Run by mw_rxe.sh.
 */
#include <errno.h>
#include <string.h>

#include "harness.h"
#include "receiver.h"

#define READ	XROCE_ACCESS_REMOTE_READ
#define WRITE	XROCE_ACCESS_REMOTE_WRITE
#define ATOMIC	XROCE_ACCESS_REMOTE_ATOMIC

static const struct receiver_opts opts = {
	.type = IBV_QPT_RC, .entries = 16, .max_sge = 1, .cqes = 64,
	.mtu = IBV_MTU_1024, .rnr_retry = 7, .sq = true,
};

static struct xroce_mr_reg behind;	/* grants no remote rights */
static struct receiver r;

static bool setup(void)
{
	int err;

	if (!connection_setup())
		return false;
	if (!behind.lkey) {
		behind = server.mr;
		behind.access = XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_MW_BIND;
		err = xroce_mr_reg_file(server.x, server.file, REGION_OFF,
					&behind);
		check(!err && !behind.rkey, "set-up: %d", err);
	}
	return receiver_open(&r, &opts);
}

/* Make a window over the first @len bytes of the region, and post its bind. */
static struct xroce_wr window(uint32_t type, uint32_t access, uint32_t len)
{
	struct xroce_mw_add add = { .pd = server.pd, .type = type };
	struct xroce_wr b = {
		.opcode = XROCE_WR_BIND_MW,
		.rkey = behind.lkey,
		.addr = IOVA,
		.length = len,
		.access = access,
	};
	int err = xroce_mw_add(server.x, &add);

	b.imm_or_key = type == XROCE_MW_TYPE_1 ? xroce_draw_rkey(r.send, add.rkey) : add.rkey;
	if (!err)
		err = xroce_post_send(r.send, &b, 1);
	check(!err, "window: %d", err);
	return b;
}

static int post_inval(const struct xroce_wr *b)
{
	const struct xroce_wr wr = {
		.wr_id = 9,
		.opcode = XROCE_WR_LOCAL_INV,
		.imm_or_key = b->imm_or_key,
	};

	return xroce_post_send(r.send, &wr, 1);
}

static void del(const struct xroce_wr *b)
{
	check(!xroce_mw_del(server.x, b->imm_or_key >> XROCE_KEY_SHIFT), "MW_DEL");
}

/* Issue a request of rxe; it must end with @want, and the file must be as expected. */
static void request(enum ibv_wr_opcode opcode, uint32_t off, uint32_t len,
		    uint32_t rkey, int want)
{
	struct requester_op op = {
		.opcode = opcode,
		.len = len,
		.va = IOVA + off,
		.rkey = rkey,
	};
	int status;

	if (opcode == IBV_WR_RDMA_WRITE && !want)
		connection_fill(&op);
	else
		memset(client.buf, 0xee, len);
	status = requester_do(&client, r.qp, &op);
	check(status == want, "opcode %d, %u bytes at %#x: %s", opcode, len, off,
	      status < 0 ? "no completion" : ibv_wc_status_str(status));
	if (opcode == IBV_WR_RDMA_READ && !want)
		check(!memcmp(client.buf, server.want + REGION_OFF + off, len),
		      "wrong bytes read");
	connection_compare("after a request");
}

#define REFUSED	IBV_WC_REM_ACCESS_ERR

static void both(const struct xroce_wr *b)
{
	request(IBV_WR_RDMA_WRITE, 0, b->length, b->imm_or_key, 0);
	request(IBV_WR_RDMA_READ, 0, b->length, b->imm_or_key, 0);
	request(IBV_WR_RDMA_WRITE, 1001, 3333, b->imm_or_key, 0);
}

static void use(uint32_t type)
{
	struct xroce_wr b;

	if (!setup())
		return;
	b = window(type, READ | WRITE | ATOMIC, 20000);
	both(&b);
	del(&b);
	receiver_close(&r);
}

TEST(mw_rxe_type1, "W5", "as rdma-core's test_mr: type 1")
{
	use(XROCE_MW_TYPE_1);
}

TEST(mw_rxe_type2, "W6", "as rdma-core's test_mr: type 2")
{
	use(XROCE_MW_TYPE_2A);
	use(XROCE_MW_TYPE_2B);
}

TEST(mw_rxe_type1_invalidate, "W5 W7", "as rdma-core's test_mr: invalidating type 1 is refused")
{
	struct xroce_wr b;
	struct xroce_cqe cqe;

	if (!setup())
		return;
	b = window(XROCE_MW_TYPE_1, READ | WRITE, 20000);
	both(&b);
	check(!post_inval(&b) && !xroce_send_doorbell(r.send), "post");
	if (receiver_wait(&r, &cqe))
		check(cqe.status == XROCE_WC_MW_BIND_ERR && cqe.wr_id == 9,
		      "status %u", cqe.status);
	del(&b);
	receiver_close(&r);
}

enum how { LOCAL, REMOTE, DEALLOC };

static void revoke(uint32_t type, enum how how)
{
	struct ibv_send_wr inv = { .opcode = IBV_WR_SEND_WITH_INV };
	struct xroce_cqe cqe;
	struct xroce_wr b;
	int status;

	if (!setup())
		return;
	b = window(type, READ | WRITE, 20000);
	both(&b);
	switch (how) {
	case LOCAL:
		check(!post_inval(&b), "post");
		break;
	case REMOTE:
		receiver_recv(r.rq, 7, 0, 64);
		inv.invalidate_rkey = b.imm_or_key;
		status = receiver_do(&r, inv, 64);
		check(!status, "SEND with invalidate: %d", status);
		if (receiver_wait(&r, &cqe))
			check(!cqe.status && cqe.flags == XROCE_WC_WITH_INV &&
			      cqe.imm_or_key == b.imm_or_key, "flags %#x", cqe.flags);
		break;
	case DEALLOC:
		del(&b);
	}
	request(IBV_WR_RDMA_WRITE, 0, 5000, b.imm_or_key, REFUSED);
	if (how != DEALLOC)
		del(&b);
	receiver_close(&r);
}

TEST(mw_rxe_invalidate_local, "W7", "as rdma-core's test_mr: local invalidation")
{
	revoke(XROCE_MW_TYPE_2A, LOCAL);
	revoke(XROCE_MW_TYPE_2B, LOCAL);
}

TEST(mw_rxe_invalidate_remote, "W7", "as rdma-core's test_mr: remote invalidation")
{
	revoke(XROCE_MW_TYPE_2A, REMOTE);
	revoke(XROCE_MW_TYPE_2B, REMOTE);
}

TEST(mw_rxe_invalidate_dealloc, "W1", "as rdma-core's test_mr: access after deallocation")
{
	revoke(XROCE_MW_TYPE_1, DEALLOC);
	revoke(XROCE_MW_TYPE_2B, DEALLOC);
}

/* The second SEND with invalidate exposes a bug in rxe's own responder. */
TEST(mw_rxe_invalidate_twice, "W7", "a second SEND with invalidate is refused")
{
	struct ibv_send_wr inv = { .opcode = IBV_WR_SEND_WITH_INV };
	struct xroce_wr b;
	struct xroce_cqe cqe;
	int status;

	if (!setup())
		return;
	b = window(XROCE_MW_TYPE_2B, READ | WRITE, 20000);
	inv.invalidate_rkey = b.imm_or_key;
	receiver_recv(r.rq, 7, 0, 64);
	receiver_recv(r.rq, 8, 0, 64);
	status = receiver_do(&r, inv, 64);
	check(!status && receiver_wait(&r, &cqe) && !cqe.status, "first: %d",
	      status);
	status = receiver_do(&r, inv, 64);
	check(status == REFUSED && receiver_wait(&r, &cqe) &&
	      cqe.status == XROCE_WC_WR_FLUSH_ERR, "second: %d", status);
	check(receiver_query(&r).cause == XROCE_CAUSE_ACC_KEY, "cause");
	del(&b);
	receiver_close(&r);
}

/* The window lacks the right that the request needs. */
TEST(mw_rxe_without_right, "W3", "as rdma-core's test_qpex: bound without the right")
{
	static const struct {
		enum ibv_wr_opcode opcode;
		uint32_t access;
	} cases[] = {
		{ IBV_WR_RDMA_WRITE, READ | ATOMIC },
		{ IBV_WR_RDMA_READ, WRITE | ATOMIC },
		{ IBV_WR_ATOMIC_FETCH_AND_ADD, READ | WRITE },
	};
	struct xroce_wr b;
	uint32_t type, i;

	for (type = XROCE_MW_TYPE_1; type <= XROCE_MW_TYPE_2B; type++) {
		for (i = 0; i < ARRAY_SIZE(cases); i++) {
			if (!setup())
				return;
			b = window(type, cases[i].access, 20000);
			request(cases[i].opcode, 5, 8, b.imm_or_key, REFUSED);
			del(&b);
			receiver_close(&r);
		}
	}
}

/* rxe sends these requests; its own responder would execute them. */
TEST(mw_rxe_bounds, "W4", "outside the window, inside the region")
{
	static const struct {
		enum ibv_wr_opcode opcode;
		uint32_t off;
		uint32_t len;
	} cases[] = {
		{ IBV_WR_RDMA_WRITE, 0, 20001 },
		{ IBV_WR_RDMA_WRITE, 20000, 1 },
		{ IBV_WR_RDMA_WRITE, 19999, 2 },
		{ IBV_WR_RDMA_READ, 0, 20001 },
		{ IBV_WR_RDMA_READ, 1, 20000 },
		{ IBV_WR_RDMA_READ, 20000, 1 },
	};
	struct xroce_wr b;
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(cases) && !test_failed(); i++) {
		if (!setup())
			return;
		b = window(XROCE_MW_TYPE_1 + i % 3, READ | WRITE, 20000);
		both(&b);
		request(cases[i].opcode, cases[i].off, cases[i].len, b.imm_or_key,
			REFUSED);
		del(&b);
		receiver_close(&r);
	}
}

/* A request of zero bytes needs no valid key. */
TEST(mw_rxe_zero_size, "D5", "as rdma-core's test_qpex: zero-size requests")
{
	struct xroce_wr b;

	if (!setup())
		return;
	b = window(XROCE_MW_TYPE_2B, READ, 100);
	request(IBV_WR_RDMA_WRITE, 0, 0, b.imm_or_key, 0);
	request(IBV_WR_RDMA_READ, 0, 0, b.imm_or_key ^ 1, 0);
	request(IBV_WR_RDMA_READ, 0, 100, b.imm_or_key, 0);
	del(&b);
	receiver_close(&r);
}

TEST(mw_rxe_wrong_qp, "W6", "type 2 on another queue pair")
{
	struct receiver other;
	struct xroce_wr b;
	uint32_t type;

	for (type = XROCE_MW_TYPE_2A; type <= XROCE_MW_TYPE_2B; type++) {
		if (!setup())
			return;
		b = window(type, READ | WRITE, 20000);
		both(&b);
		other = r;
		if (!receiver_open(&r, &opts))
			return;
		request(IBV_WR_RDMA_READ, 0, 10, b.imm_or_key, REFUSED);
		check(receiver_query(&r).cause == XROCE_CAUSE_ACC_QP, "cause");
		receiver_close(&r);
		r = other;
		both(&b);
		del(&b);
		receiver_close(&r);
	}
}

/* FETCH_ADD through a type 2A window over the first bytes of the file. */
TEST(mw_rxe_atomics, "W3", "FETCH_ADD through a window")
{
	struct requester_op op = { .va = 0x10008, .len = 8 };
	struct xroce_mw_add add = { .type = XROCE_MW_TYPE_2A };
	struct xroce_wr b = {};
	struct xroce_mr_reg reg;
	uint64_t word;

	if (!setup())
		return;
	reg = behind;
	reg.iova = 0x10000;
	reg.length = 4096;
	check_is(xroce_mr_reg_file(server.x, server.file, 0, &reg), 0, "region");
	b.opcode = XROCE_WR_BIND_MW;
	b.rkey = reg.lkey;
	b.addr = reg.iova;
	b.length = 64;
	b.access = ATOMIC;
	add.pd = server.pd;
	check(!xroce_mw_add(server.x, &add), "window");
	b.imm_or_key = add.rkey;
	check(!xroce_post_send(r.send, &b, 1), "post");
	op.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	op.rkey = b.imm_or_key;
	op.operand = 0x1000000000000001;
	check(!requester_do(&client, r.qp, &op), "FETCH ADD");
	memcpy(&word, server.want + 8, 8);
	check(!memcmp(client.buf, &word, 8), "wrong value found");
	word += op.operand;
	memcpy(server.want + 8, &word, 8);
	connection_compare("after FETCH ADD");
	del(&b);
	check(!xroce_mr_dereg(server.x, reg.mr), "MR_DEREG");
	receiver_close(&r);
}

TEST_MAIN(connection_main);
