// SPDX-License-Identifier: GPL-2.0-only
/*
 * rxe writes into a region, and every byte is compared through the file that
 * the region lies over. Run by rxe_write.sh, which sets up:
 *
 *   initial namespace: rxe0 on c0  <------>  namespace xr: xroce on x0
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <sys/mman.h>

#include "requester.h"
#include "counters.h"
#include "harness.h"
#include "libxroce.h"

#define NETDEV		"x0"
#define NETNS		"/run/netns/xr"
#define RXE		"rxe0"

#define FILE_SIZE	(512u * 1024)
#define REGION_OFF	(3u * 4096 + 0x235)	/* guards on both sides */
#define REGION_LEN	(400u * 1024 + 77)
#define IOVA		0x7e1234567123ull
#define PSN		0xfffff0u		/* wraps early on */

#define RIGHT		XROCE_ACCESS_REMOTE_WRITE
#define ACCESS_WRITE	(XROCE_ACCESS_LOCAL_WRITE | RIGHT)

static struct {
	struct xroce *x;
	int stat;
	int file;
	uint32_t pd;
	uint32_t other_pd;
	struct xroce_mr_reg mr;
	uint8_t *want;		/* what the file has to hold */
	uint8_t *got;
} server;

static struct requester client;

/**
 * struct pair - a connection
 * @qp: the client's end
 * @qpn: the server's end
 * @mtu: path MTU in bytes
 */
struct pair {
	struct ibv_qp *qp;
	uint32_t qpn;
	uint32_t mtu;
};

/* Attach and open in the server's namespace, then come back. */
static bool enter_and_open(void)
{
	struct xroce_attach_opts opts = { .size = sizeof(opts) };
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int there = open(NETNS, O_RDONLY | O_CLOEXEC);
	int err;

	if (!check(home >= 0 && there >= 0 && !setns(there, CLONE_NEWNET),
		   NETNS ": %s", strerror(errno)))
		return false;
	err = xroce_attach(NETDEV, &opts);
	if (check(!err, "attach: %s", opts.error)) {
		server.x = xroce_open(NETDEV);
		check(server.x, "open: %s", strerror(errno));
	}
	check(!setns(home, CLONE_NEWNET), "setns: %s", strerror(errno));
	close(home);
	close(there);
	return server.x;
}

static bool server_open(void)
{
	uint32_t i;
	int err;

	if (!enter_and_open())
		return false;
	server.stat = xroce_pin_open(NETDEV, "stat");
	server.file = memfd_create("region", MFD_CLOEXEC);
	server.want = malloc(FILE_SIZE);
	server.got = malloc(FILE_SIZE);
	if (!check(server.stat >= 0 && server.file >= 0 && server.want &&
		   server.got, "%s", strerror(errno)))
		return false;
	for (i = 0; i < FILE_SIZE; i++)
		server.want[i] = i * 13 + (i >> 8);
	if (!check(pwrite(server.file, server.want, FILE_SIZE, 0) == FILE_SIZE,
		   "file: %s", strerror(errno)))
		return false;

	err = xroce_pd_add(server.x, 0, &server.pd);
	if (!err)
		err = xroce_pd_add(server.x, 0, &server.other_pd);
	if (!check(!err, "pd: %s", strerror(-err)))
		return false;
	server.mr = (struct xroce_mr_reg){
		.pd = server.pd,
		.access = ACCESS_WRITE,
		.length = REGION_LEN,
		.iova = IOVA,
		.name = "rxe_write_test",
	};
	err = xroce_mr_reg_file(server.x, server.file, REGION_OFF, &server.mr);
	return check(!err, "mr: %s", strerror(-err));
}

static bool setup(void)
{
	static bool done;

	if (!done)
		done = server_open() && requester_open(&client, RXE, REGION_LEN);
	return check(done, "no set-up");
}

static void teardown(void)
{
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int there = open(NETNS, O_RDONLY | O_CLOEXEC);
	char error[XROCE_ERROR_MAX] = "";

	requester_close(&client);
	xroce_close(server.x);
	if (server.x && !setns(there, CLONE_NEWNET)) {
		if (xroce_detach(NETDEV, XROCE_F_FORCE, error))
			note("detach: %s", error);
		setns(home, CLONE_NEWNET);
	}
	close(home);
	close(there);
}

static void qp_modify(struct xroce_qp_modify *modify, const char *what)
{
	int err = xroce_qp_modify(server.x, modify);

	check(!err, "%s: %s", what, strerror(-err));
}

static void address(const char *text, uint8_t *gid)
{
	if (strchr(text, ':')) {
		inet_pton(AF_INET6, text, gid);
		return;
	}
	memset(gid, 0, 16);
	memset(gid + 10, 0xff, 2);
	inet_pton(AF_INET, text, gid + 12);
}

/**
 * connect_pair() - a new connection
 * @pair: out
 * @mtu: path MTU
 * @access: remote rights of the server's queue pair
 * @ipv6: whether addresses are IPv6
 */
static bool connect_pair(struct pair *pair, enum ibv_mtu mtu, uint32_t access,
			 bool ipv6)
{
	struct requester_path path = {
		.sq_psn = PSN,
		.mtu = mtu,
		.timeout = 18,		/* a second; slow machines */
		.retry = 0,
	};
	struct xroce_qp_modify modify = {
		.mask = XROCE_QP_STATE | XROCE_QP_PKEY | XROCE_QP_ACCESS,
		.state = XROCE_QPS_INIT,
		.pkey = 0xffff,
		.access = access,
	};
	int err;

	pair->mtu = 128u << mtu;
	pair->qp = requester_qp_add(&client);
	if (!pair->qp)
		return false;
	err = xroce_qp_add(server.x, 0, server.pd, &pair->qpn);
	if (!check(!err, "qp: %s", strerror(-err)))
		return false;

	address(ipv6 ? "fd77::1" : "10.77.0.1", path.sgid);
	address(ipv6 ? "fd77::2" : "10.77.0.2", path.dgid);
	path.dest_qpn = pair->qpn;

	modify.qpn = pair->qpn;
	qp_modify(&modify, "INIT");
	modify.mask = XROCE_QP_STATE | XROCE_QP_AV | XROCE_QP_PATH_MTU |
		      XROCE_QP_DEST_QPN | XROCE_QP_RQ_PSN |
		      XROCE_QP_MIN_RNR_TIMER | XROCE_QP_MAX_DEST_RD_ATOMIC;
	modify.state = XROCE_QPS_RTR;
	modify.path_mtu = mtu;
	modify.dest_qpn = pair->qp->qp_num;
	modify.rq_psn = PSN;
	modify.min_rnr_timer = 12;
	memcpy(modify.sgid, path.dgid, 16);
	memcpy(modify.dgid, path.sgid, 16);
	qp_modify(&modify, "RTR");
	return requester_qp_connect(&client, pair->qp, &path) && !test_failed();
}

static void disconnect(struct pair *pair)
{
	int err;

	ibv_destroy_qp(pair->qp);
	err = xroce_qp_del(server.x, pair->qpn);
	check(!err, "qp del: %s", strerror(-err));
}

/* Guards included, through the file and not a mapping. */
static void compare_file(const char *when)
{
	uint32_t i;

	if (!check(pread(server.file, server.got, FILE_SIZE, 0) == FILE_SIZE,
		   "file: %s", strerror(errno)))
		return;
	if (!memcmp(server.want, server.got, FILE_SIZE))
		return;
	for (i = 0; server.want[i] == server.got[i]; i++)
		;
	check(false, "%s: byte %#x of the file, %#x of the region, is %#x, not %#x",
	      when, i, i - REGION_OFF, server.got[i], server.want[i]);
}

/* New bytes for @op, in the client's buffer and in what is expected. */
static void fill(const struct requester_op *op)
{
	static uint32_t round;
	uint32_t i;

	round += 101;
	for (i = 0; i < op->len; i++)
		client.buf[op->off + i] = round + i * 31 + (i >> 8);
	memcpy(server.want + REGION_OFF + (op->va - IOVA),
	       client.buf + op->off, op->len);
}

static uint32_t packets(uint32_t len, uint32_t mtu)
{
	return len ? (len + mtu - 1) / mtu : 1;
}

/*
 * Counters since @before. How many packets ask for an ACK is rxe's business,
 * that each of them is answered is ours.
 */
static void moved(const struct xroce_stat *before, struct xroce_stat *delta)
{
	struct xroce_stat after;

	counters_read(server.stat, &after);
	delta->rx = delta->write + delta->nak_inv + delta->nak_acc +
		    delta->nak_rnr + delta->drop_error;
	delta->rx_bytes = after.rx_bytes - before->rx_bytes;
	delta->ack = after.ack - before->ack;
	delta->tx = delta->ack + delta->nak_inv + delta->nak_acc +
		    delta->nak_rnr;
	counters_check(before, &after, delta);
}

static void write_at(struct pair *pair, uint32_t off, uint32_t len,
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

	fill(&op);
	status = requester_do(&client, pair->qp, &op);
	if (!check(status == IBV_WC_SUCCESS, "%u bytes at %#x: %s", len, off,
		   status < 0 ? "no completion" : ibv_wc_status_str(status)))
		return;
	compare_file("after a WRITE");
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
	struct pair pair;
	size_t i;

	if (!setup() || !connect_pair(&pair, mtu, RIGHT, ipv6))
		return;
	counters_read(server.stat, &before);
	for (i = 0; i < ARRAY_SIZE(lens) && !test_failed(); i++) {
		write_at(&pair, 0, lens[i], &delta);
		write_at(&pair, 4096 - 0x235 - 1, lens[i], &delta);
		write_at(&pair, 12345 + 17 * i, lens[i], &delta);
		write_at(&pair, REGION_LEN - lens[i], lens[i], &delta);
	}
	moved(&before, &delta);
	disconnect(&pair);
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

static void whole_region(void)
{
	struct xroce_stat before, delta = {};
	struct requester_op op = {
		.opcode = IBV_WR_RDMA_WRITE,
		.len = REGION_LEN,
		.va = IOVA,
	};
	struct pair pair;

	if (!setup() ||
	    !connect_pair(&pair, IBV_MTU_1024, RIGHT, false))
		return;
	op.rkey = server.mr.rkey;
	counters_read(server.stat, &before);
	fill(&op);
	check(requester_do(&client, pair.qp, &op) == IBV_WC_SUCCESS, "the WRITE");
	compare_file("after a WRITE of all");
	delta.write = packets(REGION_LEN, pair.mtu);
	delta.write_bytes = REGION_LEN;
	moved(&before, &delta);
	disconnect(&pair);
}

/* Many in flight, over one another: the last one's bytes remain. */
static void in_flight(void)
{
	struct xroce_stat before, delta = {};
	struct pair pair;
	uint32_t i, posted = 0;

	if (!setup() ||
	    !connect_pair(&pair, IBV_MTU_2048, RIGHT, false))
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

		fill(&op);
		posted += requester_post(&client, pair.qp, &op);
		delta.write += packets(op.len, pair.mtu);
		delta.write_bytes += op.len;
	}
	while (posted--)
		check(requester_wait(&client) == IBV_WC_SUCCESS, "%u to come",
		      posted);
	compare_file("after all of them");
	moved(&before, &delta);
	disconnect(&pair);
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

static void query_error(const struct pair *pair, uint32_t error)
{
	struct xroce_qp_query query = { .qpn = pair->qpn };
	int err = xroce_qp_query(server.x, &query);

	check(!err && query.cause == error, "%s, cause %u, not %u",
	      strerror(-err), query.cause, error);
	check((query.state == XROCE_QPS_ERR) == !!error, "state %u",
	      query.state);
}

static bool refuse(const struct refusal *r, struct pair *pair)
{
	struct xroce_stat before, delta = {};
	int status;

	if (!connect_pair(pair, IBV_MTU_1024, r->access, false))
		return false;
	counters_read(server.stat, &before);
	memset(client.buf, 0x5a, client.size);
	status = requester_do(&client, pair->qp, &r->op);
	check(status == (int)r->status, "%s, not %s",
	      status < 0 ? "no completion" : ibv_wc_status_str(status),
	      ibv_wc_status_str(r->status));
	compare_file("after a refusal");
	if (r->cause != COUNTERS)
		counters_add(&delta, r->cause, 1);
	counters_add(&delta, r->answer, 1);
	moved(&before, &delta);
	query_error(pair, r->error);
	return !test_failed();
}

static void refused(const struct refusal *r)
{
	struct pair pair;

	if (refuse(r, &pair))
		disconnect(&pair);
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

	if (!setup())
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

	if (!setup())
		return;
	r = access_refusal(COUNTER(acc_pd), XROCE_CAUSE_ACC_PD);
	refused_region(&r, server.other_pd, ACCESS_WRITE);
}

static void no_right(void)
{
	struct refusal r;

	if (!setup())
		return;
	r = access_refusal(COUNTER(acc_right), XROCE_CAUSE_ACC_RIGHT);
	refused_region(&r, server.pd, XROCE_ACCESS_LOCAL_WRITE |
				      XROCE_ACCESS_REMOTE_READ);
}

static void bounds(void)
{
	struct refusal r;

	if (!setup())
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

	if (!setup())
		return;
	r = access_refusal(COUNTER(inv_qp_access), XROCE_CAUSE_INV_QP_ACCESS);
	r.access = XROCE_ACCESS_REMOTE_READ;
	r.status = IBV_WC_REM_INV_REQ_ERR;
	r.answer = COUNTER(nak_inv);
	refused(&r);
}

static void not_supported(void)
{
	struct refusal r;

	if (!setup())
		return;
	r = access_refusal(COUNTER(inv_opcode), XROCE_CAUSE_INV_OPCODE);
	r.op.opcode = IBV_WR_RDMA_READ;
	r.status = IBV_WC_REM_INV_REQ_ERR;
	r.answer = COUNTER(nak_inv);
	refused(&r);
}

static void immediate(void)
{
	struct refusal r;

	if (!setup())
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
	struct pair pair;
	int status;

	if (!setup() ||
	    !connect_pair(&pair, IBV_MTU_1024, RIGHT, false))
		return;
	modify.qpn = pair.qpn;
	qp_modify(&modify, "ERR");
	op.rkey = server.mr.rkey;
	memset(client.buf, 0xa5, client.size);
	counters_read(server.stat, &before);
	status = requester_do(&client, pair.qp, &op);
	check(status == IBV_WC_RETRY_EXC_ERR, "status %d", status);
	compare_file("after a WRITE to a queue pair in error");
	moved(&before, &delta);
	disconnect(&pair);
}

/* A connection's error is its own. */
static void others_go_on(void)
{
	struct xroce_stat delta = {};
	struct pair good, bad;
	struct refusal r;

	if (!setup() ||
	    !connect_pair(&good, IBV_MTU_1024, RIGHT, false))
		return;
	write_at(&good, 5000, 3000, &delta);
	r = access_refusal(COUNTER(acc_key), XROCE_CAUSE_ACC_KEY);
	r.op.rkey ^= 0x80;
	if (!refuse(&r, &bad))
		return;
	write_at(&good, 6000, 3000, &delta);
	disconnect(&bad);
	write_at(&good, 7000, 3000, &delta);
	disconnect(&good);
}

static const struct test tests[] = {
	{ "mtu_256", "D1 D2 D4 R1", "any size at any offset", mtu_256 },
	{ "mtu_512", "D1 D2 D4 R1", "any size at any offset", mtu_512 },
	{ "mtu_1024", "D1 D2 D4 R1", "any size at any offset", mtu_1024 },
	{ "mtu_2048", "D1 D2 D4 R1", "any size at any offset", mtu_2048 },
	{ "mtu_4096", "D1 D2 D4 R1", "any size at any offset", mtu_4096 },
	{ "ipv6_1024", "D1 D2 D4", "the same over IPv6", ipv6_1024 },
	{ "ipv6_4096", "D1 D2 D4", "the same over IPv6", ipv6_4096 },
	{ "whole_region", "D2 R1", "every byte in one WRITE", whole_region },
	{ "in_flight", "D2 D5", "64 WRITEs in flight, in order", in_flight },
	{ "wrong_key", "R9 D5 D6", "key byte and index", wrong_key },
	{ "other_pd", "P2 R7 D6", "another PD; then deregistered", other_pd },
	{ "no_right", "R2 R7 D6", "no remote write; then deregistered",
	  no_right },
	{ "bounds", "R1 D5 D6", "one byte past either end", bounds },
	{ "qp_no_right", "D5 D6", "the queue pair lacks remote write",
	  qp_no_right },
	{ "not_supported", "D5 D6", "a READ is refused as invalid",
	  not_supported },
	{ "immediate", "D5 D6", "no receive request: not ready", immediate },
	{ "qp_in_error", "D5 D6", "a queue pair in error is silent",
	  qp_in_error },
	{ "others_go_on", "D5", "an error ends one connection",
	  others_go_on },
};

int main(int argc, char **argv)
{
	int status = harness_main(argc, argv, tests, ARRAY_SIZE(tests));

	teardown();
	return status;
}
