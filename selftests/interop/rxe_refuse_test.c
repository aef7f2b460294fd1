// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests of rxe that are not permitted: each gets a NAK, no byte of the file changes, and
 * the queue pair goes to ERR. Run by rxe_write.sh.
 */
#include <string.h>

#include "connection.h"
#include "counters.h"
#include "harness.h"

/**
 * struct refusal - a request that must fail
 * @op: the request
 * @access: remote rights of the server's queue pair
 * @status: the client's completion status
 * @cause: counter of the cause
 * @answer: counter of the NAK
 * @error: enum xroce_cause of the queue pair
 */
struct refusal {
	struct requester_op op;
	uint32_t access;
	enum ibv_wc_status status;
	size_t cause;
	size_t answer;
	uint32_t error;
};

static void query_error(const struct connection *pair, uint32_t error)
{
	struct xroce_qp_query query = { .qpn = pair->qpn };
	int err = xroce_qp_query(server.x, &query);

	check(!err && query.cause == error, "%s, cause %u, not %u",
	      strerror(-err), query.cause, error);
	check((query.state == XROCE_QPS_ERR) == !!error, "state %u",
	      query.state);
}

static bool refuse(const struct refusal *r, struct connection *pair)
{
	struct xroce_stat before, delta = {};
	int status;

	if (!connection_open(pair, IBV_MTU_1024, r->access, false))
		return false;
	counters_read(server.stat, &before);
	memset(client.buf, 0x5a, client.size);
	status = requester_do(&client, pair->qp, &r->op);
	check(status == (int)r->status, "%s, not %s",
	      status < 0 ? "no completion" : ibv_wc_status_str(status),
	      ibv_wc_status_str(r->status));
	connection_compare("after a refusal");
	if (r->cause != COUNTERS)
		counters_add(&delta, r->cause, 1);
	counters_add(&delta, r->answer, 1);
	connection_moved(&before, &delta, r->op.len > pair->mtu);
	query_error(pair, r->error);
	return !test_failed();
}

static void refused(const struct refusal *r)
{
	struct connection pair;

	if (refuse(r, &pair))
		connection_close(&pair);
}

static struct refusal access_refusal(size_t counter, uint32_t cause)
{
	return (struct refusal){
		.op = {
			.opcode = IBV_WR_RDMA_WRITE,
			.len = 100,
			.va = IOVA + 1000,
			.rkey = server.mr.rkey,
		},
		.access = RIGHT,
		.status = IBV_WC_REM_ACCESS_ERR,
		.cause = counter,
		.answer = COUNTER(nak_acc),
		.error = cause,
	};
}

TEST(refuse_wrong_key, "R9 D5 D6", "a wrong key byte or index is refused")
{
	struct refusal r;

	if (!connection_setup())
		return;
	r = access_refusal(COUNTER(acc_key), XROCE_CAUSE_ACC_KEY);
	r.op.rkey ^= 1;
	refused(&r);
	r.op.rkey ^= 1 ^ 0x100;
	refused(&r);
	r.op.rkey |= 0xffffff00;
	refused(&r);
}

/* A region over the same file which does not permit the request. */
static void refused_region(struct refusal *r, uint32_t pd, uint32_t access)
{
	struct xroce_mr_reg mr = {
		.pd = pd,
		.access = access,
		.length = REGION_LEN,
		.iova = IOVA,
	};

	if (!check_is(xroce_mr_reg_file(server.x, server.file, REGION_OFF, &mr), 0, "mr"))
		return;
	r->op.rkey = mr.mr << XROCE_KEY_SHIFT | (mr.lkey & 0xff);
	refused(r);
	check_is(xroce_mr_dereg(server.x, mr.mr), 0, "dereg");
	/* After deregistration the key itself is refused, whatever the reason was before. */
	r->cause = COUNTER(acc_key);
	r->error = XROCE_CAUSE_ACC_KEY;
	refused(r);
}

TEST(refuse_other_pd, "P2 R7 D6",
     "the key of another domain is refused; so is it after deregistration")
{
	struct refusal r;

	if (!connection_setup())
		return;
	r = access_refusal(COUNTER(acc_pd), XROCE_CAUSE_ACC_PD);
	refused_region(&r, server.other_pd, ACCESS_WRITE);
}

TEST(refuse_no_right, "R2 R7 D6",
     "a WRITE without remote write is refused; after deregistration the key")
{
	struct refusal r;

	if (!connection_setup())
		return;
	r = access_refusal(COUNTER(acc_right), XROCE_CAUSE_ACC_RIGHT);
	refused_region(&r, server.pd, XROCE_ACCESS_LOCAL_WRITE |
				      XROCE_ACCESS_REMOTE_READ);
}

TEST(refuse_bounds, "R7 R9 D5 D6", "one byte past either end of the region is refused")
{
	struct refusal r;

	if (!connection_setup())
		return;
	r = access_refusal(COUNTER(acc_bounds), XROCE_CAUSE_ACC_BOUNDS);
	r.op.va = IOVA + REGION_LEN - 99;	/* one byte past the end */
	refused(&r);
	r.op.va = IOVA - 1;
	refused(&r);
	r.op.va = -50ull;			/* wraps past 2^64 */
	refused(&r);
	r.op.va = IOVA + 1;			/* only its last packet */
	r.op.len = REGION_LEN;
	refused(&r);
}

TEST(refuse_qp_no_right, "D5 D6", "a WRITE to a queue pair without remote write is refused")
{
	struct refusal r;

	if (!connection_setup())
		return;
	r = access_refusal(COUNTER(inv_qp_access), XROCE_CAUSE_INV_QP_ACCESS);
	r.access = XROCE_ACCESS_REMOTE_READ;
	r.status = IBV_WC_REM_INV_REQ_ERR;
	r.answer = COUNTER(nak_inv);
	refused(&r);
}

TEST(refuse_read_no_right, "R2 R7 D6",
     "a READ without remote read is refused; after deregistration the key")
{
	struct refusal r;

	if (!connection_setup())
		return;
	r = access_refusal(COUNTER(acc_right), XROCE_CAUSE_ACC_RIGHT);
	r.op.opcode = IBV_WR_RDMA_READ;
	r.access = RIGHTS;
	refused_region(&r, server.pd, ACCESS_WRITE);
}

TEST(refuse_qp_read_no_right, "D5 D6", "a READ from a queue pair without remote read is refused")
{
	struct refusal r;

	if (!connection_setup())
		return;
	r = access_refusal(COUNTER(inv_qp_access), XROCE_CAUSE_INV_QP_ACCESS);
	r.op.opcode = IBV_WR_RDMA_READ;
	r.status = IBV_WC_REM_INV_REQ_ERR;
	r.answer = COUNTER(nak_inv);
	refused(&r);
}

TEST(refuse_immediate, "D5 D6", "WRITE with immediate without a receive: RNR NAK")
{
	struct refusal r;

	if (!connection_setup())
		return;
	r = access_refusal(COUNTERS, XROCE_CAUSE_NONE);
	r.op.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
	r.status = IBV_WC_RNR_RETRY_EXC_ERR;
	r.answer = COUNTER(nak_rnr);
	refused(&r);
}

/* No response: the client times out. */
TEST(refuse_qp_in_error, "D5 D6", "a queue pair in ERR sends no response")
{
	struct xroce_stat before, delta = { .drop_error = 1 };
	struct xroce_qp_modify modify = {
		.mask = XROCE_QP_STATE,
		.state = XROCE_QPS_ERR,
	};
	struct requester_op op = {
		.opcode = IBV_WR_RDMA_WRITE,
		.len = 100,
		.va = IOVA,
	};
	const struct connection_opts once = { .timeout = 18, .retry = 0 };
	struct connection pair;
	int status;

	if (!connection_setup() ||
	    !connection_open_opts(&pair, IBV_MTU_1024, RIGHT, false, &once))
		return;
	modify.qpn = pair.qpn;
	connection_modify(&modify, "ERR");
	op.rkey = server.mr.rkey;
	memset(client.buf, 0xa5, client.size);
	counters_read(server.stat, &before);
	status = requester_do(&client, pair.qp, &op);
	check(status == IBV_WC_RETRY_EXC_ERR, "status %d", status);
	connection_compare("after a WRITE to a queue pair in error");
	connection_moved(&before, &delta, false);
	connection_close(&pair);
}

TEST(refuse_others_go_on, "D5", "an error ends only its own connection")
{
	struct xroce_stat delta = {};
	struct connection good, bad;
	struct refusal r;

	if (!connection_setup() ||
	    !connection_open(&good, IBV_MTU_1024, RIGHT, false))
		return;
	connection_write(&good, 5000, 3000, &delta);
	r = access_refusal(COUNTER(acc_key), XROCE_CAUSE_ACC_KEY);
	r.op.rkey ^= 0x80;
	if (!refuse(&r, &bad))
		return;
	connection_write(&good, 6000, 3000, &delta);
	connection_close(&bad);
	connection_write(&good, 7000, 3000, &delta);
	connection_close(&good);
}

TEST_MAIN(connection_main);
