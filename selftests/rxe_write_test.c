// SPDX-License-Identifier: GPL-2.0-only
/*
 * rxe writes into a region and reads from it, and every byte is compared with
 * the file that the region lies over. Run by rxe_write.sh.
 */
#include <string.h>

#include "connection.h"
#include "counters.h"
#include "harness.h"

static uint32_t packets(uint32_t len, uint32_t mtu)
{
	return len ? (len + mtu - 1) / mtu : 1;
}

static void write_at(struct connection *pair, uint32_t off, uint32_t len,
		     struct xroce_stat *delta)
{
	struct requester_op op = {
		.opcode = IBV_WR_RDMA_WRITE,
		.off = off % 64,		/* any alignment of the source */
		.len = len,
		.va = IOVA + off,
		.rkey = server.mr.rkey,
	};
	int status;

	connection_fill(&op);
	status = requester_do(&client, pair->qp, &op);
	if (!check(status == IBV_WC_SUCCESS, "%u bytes at %#x: %s", len, off,
		   status < 0 ? "no completion" : ibv_wc_status_str(status)))
		return;
	connection_compare("after a WRITE");
	delta->write += packets(len, pair->mtu);
	delta->write_bytes += len;
}

static void write_patterns(enum ibv_mtu mtu, bool ipv6)
{
	uint32_t m = 128u << mtu;
	const uint32_t lens[] = {
		0, 1, 2, 3, 4, 7, 64, 255, m - 1, m, m + 1, 2 * m, 2 * m + 3,
		4095, 4096, 4097, 7 * m - 1, 65536, 100001,
	};
	struct xroce_stat before, delta = {};
	struct connection pair;
	size_t i;

	if (!connection_setup() || !connection_open(&pair, mtu, RIGHT, ipv6))
		return;
	counters_read(server.stat, &before);
	for (i = 0; i < ARRAY_SIZE(lens) && !test_failed(); i++) {
		write_at(&pair, 0, lens[i], &delta);
		write_at(&pair, 4096 - 0x235 - 1, lens[i], &delta);
		write_at(&pair, 12345 + 17 * i, lens[i], &delta);
		write_at(&pair, REGION_LEN - lens[i], lens[i], &delta);
	}
	connection_moved(&before, &delta, false);
	connection_close(&pair);
}

static void mtu_256(void)
{
	write_patterns(IBV_MTU_256, false);
}

static void mtu_512(void)
{
	write_patterns(IBV_MTU_512, false);
}

static void mtu_1024(void)
{
	write_patterns(IBV_MTU_1024, false);
}

static void mtu_2048(void)
{
	write_patterns(IBV_MTU_2048, false);
}

static void mtu_4096(void)
{
	write_patterns(IBV_MTU_4096, false);
}

static void ipv6_1024(void)
{
	write_patterns(IBV_MTU_1024, true);
}

static void ipv6_4096(void)
{
	write_patterns(IBV_MTU_4096, true);
}

static void read_at(struct connection *pair, uint32_t off, uint32_t len,
		    struct xroce_stat *delta)
{
	struct requester_op op = {
		.opcode = IBV_WR_RDMA_READ,
		.off = 64 + off % 64,		/* any alignment of the buffer */
		.len = len,
		.va = IOVA + off,
		.rkey = server.mr.rkey,
	};
	const uint8_t *want = server.want + REGION_OFF + off;
	uint8_t *got = client.buf + op.off;
	uint32_t i, end = op.off + len;
	int status;

	memset(client.buf, 0xa5, end + 64);
	status = requester_do(&client, pair->qp, &op);
	if (!check(status == IBV_WC_SUCCESS, "%u bytes at %#x: %s", len, off,
		   status < 0 ? "no completion" : ibv_wc_status_str(status)))
		return;
	for (i = 0; i < len && got[i] == want[i]; i++)
		;
	check(i == len, "%u bytes at %#x: byte %u is %#x, not %#x", len, off,
	      i, got[i], want[i]);
	for (i = 0; i < 64; i++)
		check(client.buf[i] == 0xa5 && client.buf[end + i] == 0xa5,
		      "%u bytes at %#x: bytes beside them", len, off);
	connection_compare("after a READ");
	delta->read++;
	delta->read_bytes += len;
}

static void read_patterns(enum ibv_mtu mtu, bool ipv6)
{
	uint32_t m = 128u << mtu;
	const uint32_t lens[] = {
		0, 1, 2, 3, 4, 7, 28, 29, 64, 255, m - 1, m, m + 1, 2 * m,
		2 * m + 3, 4095, 4096, 4097, 7 * m - 1, 65536, 100001,
	};
	struct xroce_stat before, delta = {};
	struct connection pair;
	size_t i;

	if (!connection_setup() || !connection_open(&pair, mtu, RIGHTS, ipv6))
		return;
	counters_read(server.stat, &before);
	for (i = 0; i < ARRAY_SIZE(lens) && !test_failed(); i++) {
		read_at(&pair, 0, lens[i], &delta);
		read_at(&pair, 4096 - 0x235 - 1, lens[i], &delta);
		read_at(&pair, 12345 + 17 * i, lens[i], &delta);
		read_at(&pair, REGION_LEN - lens[i], lens[i], &delta);
	}
	connection_moved(&before, &delta, false);
	connection_close(&pair);
}

static void read_256(void)
{
	read_patterns(IBV_MTU_256, false);
}

static void read_1024(void)
{
	read_patterns(IBV_MTU_1024, false);
}

static void read_4096(void)
{
	read_patterns(IBV_MTU_4096, false);
}

static void read_ipv6(void)
{
	read_patterns(IBV_MTU_2048, true);
}

static void whole_region(void)
{
	struct xroce_stat before, delta = {};
	struct requester_op op = {
		.opcode = IBV_WR_RDMA_WRITE,
		.len = REGION_LEN,
		.va = IOVA,
	};
	struct connection pair;

	if (!connection_setup() ||
	    !connection_open(&pair, IBV_MTU_1024, RIGHT, false))
		return;
	op.rkey = server.mr.rkey;
	counters_read(server.stat, &before);
	connection_fill(&op);
	check(requester_do(&client, pair.qp, &op) == IBV_WC_SUCCESS, "the WRITE");
	connection_compare("after a WRITE of all");
	delta.write = packets(REGION_LEN, pair.mtu);
	delta.write_bytes = REGION_LEN;
	connection_moved(&before, &delta, false);
	connection_close(&pair);
}

/* Many in flight, over one another: the last one's bytes remain. */
static void in_flight(void)
{
	struct xroce_stat before, delta = {};
	struct connection pair;
	uint32_t i, posted = 0;

	if (!connection_setup() ||
	    !connection_open(&pair, IBV_MTU_2048, RIGHT, false))
		return;
	counters_read(server.stat, &before);
	for (i = 0; i < REQUESTER_DEPTH && !test_failed(); i++) {
		struct requester_op op = {
			.opcode = IBV_WR_RDMA_WRITE,
			.off = i * 5000,
			.len = 4999 - i,
			.va = IOVA + i * 1111,
			.rkey = server.mr.rkey,
		};

		connection_fill(&op);
		posted += requester_post(&client, pair.qp, &op);
		delta.write += packets(op.len, pair.mtu);
		delta.write_bytes += op.len;
	}
	while (posted--)
		check(requester_wait(&client) == IBV_WC_SUCCESS, "%u to come",
		      posted);
	connection_compare("after all of them");
	connection_moved(&before, &delta, false);
	connection_close(&pair);
}

/**
 * struct refusal - a request that must fail
 * @op: what is asked for
 * @access: remote rights of the server's queue pair
 * @status: what the client is told
 * @cause: counter that must move
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

static void wrong_key(void)
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

/* A region over the same file that must not be written. */
static void refused_region(struct refusal *r, uint32_t pd, uint32_t access)
{
	struct xroce_mr_reg mr = {
		.pd = pd,
		.access = access,
		.length = REGION_LEN,
		.iova = IOVA,
	};
	int err = xroce_mr_reg_file(server.x, server.file, REGION_OFF, &mr);

	if (!check(!err, "mr: %s", strerror(-err)))
		return;
	r->op.rkey = mr.mr << XROCE_KEY_SHIFT | (mr.lkey & 0xff);
	refused(r);
	err = xroce_mr_dereg(server.x, mr.mr);
	check(!err, "dereg: %s", strerror(-err));
	/* And the key is dead now, whatever was wrong with it before. */
	r->cause = COUNTER(acc_key);
	r->error = XROCE_CAUSE_ACC_KEY;
	refused(r);
}

static void other_pd(void)
{
	struct refusal r;

	if (!connection_setup())
		return;
	r = access_refusal(COUNTER(acc_pd), XROCE_CAUSE_ACC_PD);
	refused_region(&r, server.other_pd, ACCESS_WRITE);
}

static void no_right(void)
{
	struct refusal r;

	if (!connection_setup())
		return;
	r = access_refusal(COUNTER(acc_right), XROCE_CAUSE_ACC_RIGHT);
	refused_region(&r, server.pd, XROCE_ACCESS_LOCAL_WRITE |
				      XROCE_ACCESS_REMOTE_READ);
}

static void bounds(void)
{
	struct refusal r;

	if (!connection_setup())
		return;
	r = access_refusal(COUNTER(acc_bounds), XROCE_CAUSE_ACC_BOUNDS);
	r.op.va = IOVA + REGION_LEN - 99;	/* one byte past the end */
	refused(&r);
	r.op.va = IOVA - 1;
	refused(&r);
	r.op.va = -50ull;			/* passes 2^64 */
	refused(&r);
	r.op.va = IOVA + 1;			/* only its last packet */
	r.op.len = REGION_LEN;
	refused(&r);
}

static void qp_no_right(void)
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

static void read_no_right(void)
{
	struct refusal r;

	if (!connection_setup())
		return;
	r = access_refusal(COUNTER(acc_right), XROCE_CAUSE_ACC_RIGHT);
	r.op.opcode = IBV_WR_RDMA_READ;
	r.access = RIGHTS;
	refused_region(&r, server.pd, ACCESS_WRITE);
}

static void qp_read_no_right(void)
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

static void immediate(void)
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

/* Silence: the client gives up by itself. */
static void qp_in_error(void)
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

/* A connection's error is its own. */
static void others_go_on(void)
{
	struct xroce_stat delta = {};
	struct connection good, bad;
	struct refusal r;

	if (!connection_setup() ||
	    !connection_open(&good, IBV_MTU_1024, RIGHT, false))
		return;
	write_at(&good, 5000, 3000, &delta);
	r = access_refusal(COUNTER(acc_key), XROCE_CAUSE_ACC_KEY);
	r.op.rkey ^= 0x80;
	if (!refuse(&r, &bad))
		return;
	write_at(&good, 6000, 3000, &delta);
	connection_close(&bad);
	write_at(&good, 7000, 3000, &delta);
	connection_close(&good);
}

static const struct test tests[] = {
	{ "mtu_256", "D1 D2 D4 R1", "any size at any offset", mtu_256 },
	{ "mtu_512", "D1 D2 D4 R1", "any size at any offset", mtu_512 },
	{ "mtu_1024", "D1 D2 D4 R1", "any size at any offset", mtu_1024 },
	{ "mtu_2048", "D1 D2 D4 R1", "any size at any offset", mtu_2048 },
	{ "mtu_4096", "D1 D2 D4 R1", "any size at any offset", mtu_4096 },
	{ "ipv6_1024", "D1 D2 D4", "the same over IPv6", ipv6_1024 },
	{ "ipv6_4096", "D1 D2 D4", "the same over IPv6", ipv6_4096 },
	{ "read_256", "D1 D2 D4 R1", "READ: any size at any offset", read_256 },
	{ "read_1024", "D1 D2 D4 R1", "READ: any size at any offset",
	  read_1024 },
	{ "read_4096", "D1 D2 D4 R1", "READ: any size at any offset",
	  read_4096 },
	{ "read_ipv6", "D1 D2 D4", "the same over IPv6", read_ipv6 },
	{ "whole_region", "D2 R1", "every byte in one WRITE", whole_region },
	{ "in_flight", "D2 D5", "64 WRITEs in flight, in order", in_flight },
	{ "wrong_key", "R9 D5 D6", "key byte and index", wrong_key },
	{ "other_pd", "P2 R7 D6", "another PD; then deregistered", other_pd },
	{ "no_right", "R2 R7 D6", "no remote write; then deregistered",
	  no_right },
	{ "bounds", "R1 D5 D6", "one byte past either end", bounds },
	{ "qp_no_right", "D5 D6", "the queue pair lacks remote write",
	  qp_no_right },
	{ "read_no_right", "R2 R7 D6", "no remote read; then deregistered",
	  read_no_right },
	{ "qp_read_no_right", "D5 D6", "the queue pair lacks remote read",
	  qp_read_no_right },
	{ "immediate", "D5 D6", "no receive request: not ready", immediate },
	{ "qp_in_error", "D5 D6", "a queue pair in error is silent",
	  qp_in_error },
	{ "others_go_on", "D5", "an error ends one connection",
	  others_go_on },
};

int main(int argc, char **argv)
{
	return connection_main(argc, argv, tests, ARRAY_SIZE(tests));
}
